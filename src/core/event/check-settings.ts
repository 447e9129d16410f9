import { createSearch } from '../call/jmespath/search.ts'
import type { Problem } from '../tool/problem.ts'
import { findCronProblem } from './cron.ts'
import type { EventSourceSettings } from './event-source.ts'

interface SettingsRules {
  readonly checkSecretName: (name: string) => string | undefined
  readonly hasKey: (id: string) => Promise<boolean>
  readonly now: number
}

/** Checks the schedule, expression, key and secret, which a schema cannot check. */
export async function findSettingsProblem(
  settings: EventSourceSettings,
  rules: SettingsRules,
): Promise<Problem | undefined> {
  const at = (path: string, message: string | undefined) => (message === undefined ? undefined : { path, message })
  if (settings.kind === 'webhook') return at('/secret_name', rules.checkSecretName(settings.secret_name))
  if (settings.kind === 'schedule') return at('/cron', findCronProblem(settings.cron, settings.time_zone, rules.now))
  if (!(await rules.hasKey(settings.key_id))) return at('/key_id', 'Must be the id of an API key')
  const search = settings.select === undefined ? undefined : createSearch(settings.select)
  return search && !search.ok ? at('/select', search.message) : undefined
}

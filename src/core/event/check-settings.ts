import { Cron } from 'croner'
import { createSearch } from '../call/jmespath/search.ts'
import type { Problem } from '../tool/problem.ts'
import type { EventSourceSettings } from './event-source.ts'

interface SettingsRules {
  readonly checkSecretName: (name: string) => string | undefined
  readonly hasKey: (id: string) => Promise<boolean>
  readonly now: number
}

/** What no schema tells of settings: whether their schedule, expression, key and secret can be used. */
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

/** The first run after a time, in milliseconds since 1970. A time that the clocks skip or repeat runs once, but for every hour's. */
export function findNextRun(cron: string, timezone: string, after: number): number | undefined {
  return new Cron(cron, { mode: '5-part', timezone }).nextRun(new Date(after))?.getTime()
}

/** Five fields, so that nothing runs more than once a minute: names, lists, ranges and steps. '?' would be the time of reading. */
export function findCronProblem(cron: string, timeZone: string, now: number): string | undefined {
  if (!/^[\dA-Z*,/#-]+(?: [\dA-Z*,/#-]+){4}$/i.test(cron))
    return "Must be minute, hour, day, month and weekday, such as '0 9 * * MON-FRI'"
  try {
    return findNextRun(cron, timeZone, now) === undefined ? 'Must have a date that exists' : undefined
  } catch (error) {
    return `Must be a schedule: ${error instanceof Error ? error.message : String(error)}`
  }
}

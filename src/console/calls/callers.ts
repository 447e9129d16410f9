import type { ApiAnswers } from '../../api/answers.ts'
import type { Option } from '../parts.tsx'

type ListedCall = ApiAnswers['GET /calls']['items'][number]
type Usage = ApiAnswers['GET /usage']['items'][number]

/** In options: those who call most are the first. */
const MOST = 100

export function callerOf({ principal, principal_name }: Pick<ListedCall, 'principal' | 'principal_name'>): string {
  return principal_name ?? principal.replace(/^person:/, '')
}

/** Usage has the ids of callers alone; calls have the names of keys and agents. */
export function nameCallers(usage: readonly Usage[], calls: readonly ListedCall[]): readonly Option[] {
  const names = new Map(calls.map((call) => [call.principal, callerOf(call)]))
  return usage.slice(0, MOST).map(({ group: { principal = '' } }) => {
    return { value: principal, text: names.get(principal) ?? callerOf({ principal }) }
  })
}

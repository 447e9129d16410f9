import type { ApiAnswers } from '../../api/answers.ts'

type ListedCall = ApiAnswers['GET /calls']['items'][number]

/** Usage has the ids of callers alone: their calls have the names of keys and agents. */
export function callerNames(calls: readonly ListedCall[]): (principal: string) => string {
  const names = new Map(calls.map((call) => [call.principal, formatCaller(call)]))
  return (principal) => names.get(principal) ?? formatCaller({ principal })
}

export function formatCaller({ principal, principal_name }: Pick<ListedCall, 'principal' | 'principal_name'>): string {
  return principal_name ?? principal.replace(/^person:/, '')
}

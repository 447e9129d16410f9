import type { ApiAnswers } from '../../api/answers.ts'

type ListedCall = ApiAnswers['GET /calls']['items'][number]

/** `GET /usage` has only the ids of callers; `GET /calls` has the names of keys and agents too. */
export function createCallerFormatter(calls: readonly ListedCall[]): (principal: string) => string {
  const names = new Map(calls.map((call) => [call.principal, formatCaller(call)]))
  return (principal) => names.get(principal) ?? formatCaller({ principal })
}

export function formatCaller({ principal, principal_name }: Pick<ListedCall, 'principal' | 'principal_name'>): string {
  return principal_name ?? principal.replace(/^person:/, '')
}

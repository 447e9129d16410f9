import type { RunContext } from '../../core/call/runner.ts'
import { isHeaderValue } from './header-rules.ts'

export function requestHeaders({ traceparent }: Pick<RunContext, 'traceparent'>): Headers {
  const headers = new Headers({ 'user-agent': 'switchboard' })
  if (traceparent !== undefined && isHeaderValue(traceparent)) headers.set('traceparent', traceparent)
  return headers
}

export function unbuildable(problems: readonly string[]) {
  return { ok: false as const, failure: { message: `Cannot build the request: ${problems.join('; ')}` } }
}

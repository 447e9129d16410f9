import type { RunContext } from '../../core/call/runner.ts'
import { isHeaderValue } from './header-rules.ts'

/** The headers of every request to a server: who asks, and the trace that the call belongs to. */
export function requestHeaders({ traceparent }: Pick<RunContext, 'traceparent'>): Headers {
  const headers = new Headers({ 'user-agent': 'switchboard' })
  if (traceparent !== undefined && isHeaderValue(traceparent)) headers.set('traceparent', traceparent)
  return headers
}

/** The failure of a call whose request cannot be made. */
export function unbuildable(problems: readonly string[]) {
  return { ok: false as const, failure: { message: `Cannot build the request: ${problems.join('; ')}` } }
}

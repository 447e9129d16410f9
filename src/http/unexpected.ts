import type { ErrorHandler } from 'hono'
import type { Failure } from '../core/call/failure.ts'

/** The last resort: a defect is logged with a reference, and the caller is told the reference and nothing else. */
export function unexpected(
  respond: (failure: Failure) => Response,
  newId: () => string,
  log: (entry: Readonly<Record<string, unknown>>) => void,
): ErrorHandler {
  return (error, c) => {
    const reference = newId()
    log({ event: 'unexpected', reference, method: c.req.method, path: c.req.path, error: error.stack ?? error.message })
    return respond({ type: 'internal', reference })
  }
}

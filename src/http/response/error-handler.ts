import { type Failure, UnreachableError } from '../../core/failure/failure.ts'

/** Responds `unavailable` if storage cannot be reached. Logs defects with a reference, and callers see only the reference. */
export function createErrorHandler(
  respond: (failure: Failure) => Response | Promise<Response>,
  newId: () => string,
  log: (entry: Readonly<Record<string, unknown>>) => void,
) {
  return (error: Error, { req }: { readonly req: { readonly method: string; readonly path: string } }) => {
    if (error instanceof UnreachableError) {
      log({ event: 'unreachable', error: error.message, cause: String(error.cause) })
      return respond({ type: 'unavailable', message: error.message })
    }
    const reference = newId()
    log({ event: 'unexpected', reference, method: req.method, path: req.path, error: error.stack ?? error.message })
    return respond({ type: 'internal', reference })
  }
}

import { type Failure, Unreachable } from '../../core/failure/failure.ts'

interface Failed {
  readonly req: { readonly method: string; readonly path: string }
}

/** Unreachable storage is `unavailable`; a defect is logged under a reference, which is all that the caller is told. */
export function unexpected(
  respond: (failure: Failure) => Response | Promise<Response>,
  newId: () => string,
  log: (entry: Readonly<Record<string, unknown>>) => void,
): (error: Error, c: Failed) => Response | Promise<Response> {
  return (error, c) => {
    if (error instanceof Unreachable) {
      log({ event: 'unreachable', error: error.message, cause: String(error.cause) })
      return respond({ type: 'unavailable', message: error.message })
    }
    const reference = newId()
    log({ event: 'unexpected', reference, method: c.req.method, path: c.req.path, error: error.stack ?? error.message })
    return respond({ type: 'internal', reference })
  }
}

import { UnreachableError } from '../core/failure/failure.ts'
import { CANNOT_OPEN } from './schema.ts'

export interface StubOptions<Stub = object> {
  /** Completes the sentence `Switchboard cannot reach its`. */
  readonly what: string
  readonly waitMs: number
  /** Per method, in place of `waitMs`. */
  readonly waitMsByMethod?: Readonly<Partial<Record<keyof Stub, number>>>
  /** Methods that are not retried, since a second call would act twice. */
  readonly neverRetried?: readonly (keyof Stub)[]
}

/**
 * Methods answer in time or fail as `UnreachableError`, as they do where the object refuses its tables. Errors that the
 * object's own code throws pass through. A stub belongs to the request that opened it, so each call opens one.
 */
export function createReliableStub<Stub extends object>(open: () => Stub, options: StubOptions<Stub>): Stub {
  const { what, waitMs } = options
  const waitMsByMethod: Readonly<Record<string, number | undefined>> = options.waitMsByMethod ?? {}
  const neverRetried: readonly PropertyKey[] = options.neverRetried ?? []
  const message = `${CANNOT_REACH} ${what} right now`
  return new Proxy(open(), {
    get(_, method) {
      // Else whoever awaits the stub would wait for an answer of the object
      if (typeof method !== 'string' || method === 'then') return undefined
      return async (...args: unknown[]): Promise<unknown> => {
        try {
          const callObject = async (): Promise<unknown> => {
            const stub: object = open()
            return Reflect.apply(Reflect.get(stub, method), stub, args)
          }
          return await withTimeout(waitMsByMethod[method] ?? waitMs, message, () =>
            neverRetried.includes(method) ? callObject() : retryOnce(callObject),
          )
        } catch (error) {
          if (error instanceof Error && error.message.includes(CANNOT_OPEN))
            throw new UnreachableError(error.message, { cause: error })
          if (isDefect(error)) throw error
          throw new UnreachableError(message, { cause: error })
        }
      }
    },
  })
}

const CANNOT_REACH = 'Switchboard cannot reach its'

/** False for failures of the platform and for another object that cannot be reached. */
function isDefect(error: unknown): boolean {
  if (error instanceof Error && error.message.includes(CANNOT_REACH)) return false
  const is = (name: string) => error instanceof Error && Reflect.get(error, name) === true
  return is('remote') && !is('retryable') && !is('overloaded') && !is('durableObjectReset')
}

/** Retries once where the platform says that the object was moved or restarted: its storage is intact. */
export async function retryOnce<T>(callObject: () => Promise<T>): Promise<T> {
  try {
    return await callObject()
  } catch (error) {
    if (error instanceof Error && 'retryable' in error && error.retryable === true) return callObject()
    throw error
  }
}

/** Fails as `UnreachableError` after `ms`; the work goes on by itself. */
export async function withTimeout<T>(ms: number, what: string, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new UnreachableError(`${what} did not answer within ${ms} ms`)), ms)
  try {
    return await Promise.race([work(), promise])
  } finally {
    clearTimeout(timer)
  }
}

/** The fallback where the object does not answer. */
export async function withFallback<T, U>(callObject: () => Promise<T>, fallback: U): Promise<T | U> {
  try {
    return await callObject()
  } catch (error) {
    if (error instanceof UnreachableError) return fallback
    throw error
  }
}

import { UnreachableError } from '../core/failure/failure.ts'
import { CANNOT_OPEN } from './schema.ts'

export interface StubOptions<Stub = object> {
  /** Completes the sentence `Switchboard cannot reach its`. */
  readonly what: string
  readonly waitMs: number
  /** Replaces `waitMs` for a method. */
  readonly waitMsByMethod?: Readonly<Partial<Record<keyof Stub, number>>>
  /** Methods that are not retried, because a second call would act twice. */
  readonly neverRetried?: readonly (keyof Stub)[]
}

/**
 * Returns a stub whose methods throw `UnreachableError` if the object is too slow, cannot be reached or refuses its tables.
 * Errors of the object's own code pass through. A stub belongs to the request that opened it, so each call opens one.
 */
export function createReliableStub<Stub extends object>(open: () => Stub, options: StubOptions<Stub>): Stub {
  const { what, waitMs } = options
  const waitMsByMethod: Readonly<Record<string, number | undefined>> = options.waitMsByMethod ?? {}
  const neverRetried: readonly PropertyKey[] = options.neverRetried ?? []
  const message = `${CANNOT_REACH} ${what} right now`
  return new Proxy(open(), {
    get(_, method) {
      // Otherwise, `await` would call the object's `then`
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

/** Returns false for failures of the platform, and if another object cannot be reached. */
function isDefect(error: unknown): boolean {
  if (error instanceof Error && error.message.includes(CANNOT_REACH)) return false
  const is = (name: string) => error instanceof Error && Reflect.get(error, name) === true
  return is('remote') && !is('retryable') && !is('overloaded') && !is('durableObjectReset')
}

/** Retries once if the platform reports that the object was moved or restarted: its storage is intact. */
export async function retryOnce<T>(callObject: () => Promise<T>): Promise<T> {
  try {
    return await callObject()
  } catch (error) {
    if (error instanceof Error && 'retryable' in error && error.retryable === true) return callObject()
    throw error
  }
}

/** Throws `UnreachableError` after `ms`. The work is not stopped. */
export async function withTimeout<T>(ms: number, what: string, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new UnreachableError(`${what} did not answer within ${ms} ms`)), ms)
  try {
    return await Promise.race([work(), promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the fallback if the object cannot be reached. */
export async function withFallback<T, U>(callObject: () => Promise<T>, fallback: U): Promise<T | U> {
  try {
    return await callObject()
  } catch (error) {
    if (error instanceof UnreachableError) return fallback
    throw error
  }
}

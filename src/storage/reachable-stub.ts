import { UnreachableError } from '../core/failure/failure.ts'
import { CANNOT_OPEN } from './schema.ts'

export interface StubOptions {
  /** Completes the sentence `Switchboard cannot reach its`. */
  readonly what: string
  readonly waitMs: number
  /** Per method, in place of `waitMs`. */
  readonly longer?: Readonly<Record<string, number>>
  /** Methods that are not retried, since a second call would act twice. */
  readonly once?: readonly string[]
}

/**
 * Methods answer in time or fail as `Unreachable`, as they do where the object refuses its tables. Errors that the
 * object's own code throws pass through. A stub belongs to the request that opened it, so each call opens one.
 */
export function createReliableStub<Stub extends object>(open: () => Stub, reach: StubOptions): Stub {
  const { what, waitMs, longer = {}, once = [] } = reach
  const message = `${CANNOT_REACH} ${what} right now`
  return new Proxy(open(), {
    get(_, method) {
      // Else whoever awaits the stub would wait for an answer of the object
      if (typeof method !== 'string' || method === 'then') return undefined
      return async (...given: unknown[]): Promise<unknown> => {
        try {
          const ask = async (): Promise<unknown> => {
            const stub: object = open()
            return Reflect.apply(Reflect.get(stub, method), stub, given)
          }
          return await withTimeout(longer[method] ?? waitMs, message, () =>
            once.includes(method) ? ask() : retryOnce(ask),
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
export async function retryOnce<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Error && 'retryable' in error && error.retryable === true) return ask()
    throw error
  }
}

/** Fails as `Unreachable` after `ms`; the work goes on by itself. */
export async function withTimeout<T>(ms: number, who: string, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new UnreachableError(`${who} did not answer within ${ms} ms`)), ms)
  try {
    return await Promise.race([work(), promise])
  } finally {
    clearTimeout(timer)
  }
}

/** `other` where the object does not answer. */
export async function withFallback<T, U>(ask: () => Promise<T>, other: U): Promise<T | U> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof UnreachableError) return other
    throw error
  }
}

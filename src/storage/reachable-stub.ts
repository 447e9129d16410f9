import { Unreachable } from '../core/failure/failure.ts'
import { withTimeout } from './timeout.ts'

/** For how long a Durable Object is waited for, in milliseconds. */
export interface Reach {
  /** What is kept there, in words that follow `Switchboard cannot reach its`. */
  readonly what: string
  readonly waitMs: number
  /** The same for the methods that may take long. */
  readonly longer?: Readonly<Record<string, number>>
  /** The methods that are not asked a second time where the object was moved: what they do, they do once. */
  readonly once?: readonly string[]
}

/**
 * A Durable Object's stub whose methods answer in time, or fail as `Unreachable`: nobody waits for an object that hangs, and
 * that one cannot be reached is no defect. What the object itself throws comes as it is.
 */
export function reachableStub<Stub extends object>(stub: Stub, { what, waitMs, longer = {}, once = [] }: Reach): Stub {
  const message = `${CANNOT_REACH} ${what} right now`
  return new Proxy(stub, {
    get(target, method) {
      const real: unknown = Reflect.get(target, method)
      if (typeof real !== 'function' || typeof method !== 'string') return real
      return async (...given: unknown[]): Promise<unknown> => {
        try {
          const ask = async (): Promise<unknown> => Reflect.apply(real, target, given)
          return await withTimeout(longer[method] ?? waitMs, message, () =>
            once.includes(method) ? ask() : retryOnce(ask),
          )
        } catch (error) {
          if (isDefect(error)) throw error
          throw new Unreachable(message, { cause: error })
        }
      }
    },
  })
}

const CANNOT_REACH = 'Switchboard cannot reach its'

/**
 * Whether the object's own code threw this: it was reached, was not put out of action by the platform, and did not need another
 * object that cannot be reached.
 */
function isDefect(error: unknown): boolean {
  if (error instanceof Error && error.message.includes(CANNOT_REACH)) return false
  const is = (name: string) => error instanceof Error && Reflect.get(error, name) === true
  return is('remote') && !is('retryable') && !is('overloaded') && !is('durableObjectReset')
}

/** Asks a second time where the object was moved, or deployed anew, under the first: nothing that it stored is lost. */
export async function retryOnce<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Error && 'retryable' in error && error.retryable === true) return ask()
    throw error
  }
}

import { LRUCache } from 'lru-cache'
import { createSwrCache, type CacheEntry, type CacheStore } from '../../core/cache/swr-cache.ts'
import type { Principal } from '../../core/access/principal.ts'
import { type FailureResult, fail, ok, type Result } from '../../core/failure/failure.ts'

/** `expiresAt` is in milliseconds since 1970. */
export interface CredentialCheck<T> {
  readonly result: Result<T>
  readonly expiresAt?: number
}

export type CheckLookupAllowed = () => FailureResult | undefined

/** With half a minute that a read of the store may lag, a revoked credential has no effect after 60 s. */
const GRANTED_MS = 25_000
/** Short, so that a credential that was tried before it was made elsewhere soon works. */
const REFUSED_MS = 5_000
const MAX_BYTES = 4_000_000

export function createCredentialCache<T>(
  now: () => number,
  check: (credential: string, mayLookUp?: CheckLookupAllowed) => Promise<CredentialCheck<T>>,
) {
  const kept = createSwrCache<CredentialCheck<T>>({
    store: createStore(),
    getAges({ result, expiresAt = Infinity }) {
      if (result.ok) return { fresh: Math.min(GRANTED_MS, expiresAt - now()) }
      return result.failure.type === 'unauthenticated' ? { fresh: REFUSED_MS } : undefined
    },
    now,
  })

  return {
    of(credential: string, mayLookUp?: CheckLookupAllowed): Result<T> | Promise<Result<T>> {
      const judged = kept.get(credential, () => check(credential, mayLookUp))
      return judged instanceof Promise ? judged.then(({ result }) => result) : judged.result
    },

    forget: () => kept.invalidate(),

    invalidateWhere: (isIt: (value: T) => boolean) => kept.invalidate(({ result }) => result.ok && isIt(result.value)),
  }
}

/** For credentials that are looked up whatever their form: `what` is one of them, in words. */
export function createLookupCache<T>(
  now: () => number,
  what: string,
  lookUp: (credential: string) => Promise<CredentialCheck<T>>,
) {
  return createCredentialCache<T>(now, async (credential, mayLookUp) => {
    const refusal = mayLookUp?.()
    return refusal ? { result: refusal } : withStoreErrors(what, () => lookUp(credential))
  })
}

/** Unavailable while the store cannot be read. */
export async function withStoreErrors<T>(
  what: string,
  lookUp: () => Promise<CredentialCheck<T>>,
): Promise<CredentialCheck<T>> {
  try {
    return await lookUp()
  } catch (error) {
    console.error(`Cannot look up the ${what}`, error)
    return { result: fail({ type: 'unavailable', message: `Cannot check the ${what} right now` }) }
  }
}

/** Two stores as one, so that a flood of wrong credentials does not drive out the right ones. */
function createStore<T>(): CacheStore<CacheEntry<CredentialCheck<T>>> {
  const sizeCalculation = (_: unknown, credential: string) => credential.length + 500
  const made = () => new LRUCache<string, CacheEntry<CredentialCheck<T>>>({ maxSize: MAX_BYTES, sizeCalculation })
  const granted = made()
  const refused = made()
  const both = [granted, refused]
  return {
    get: (credential) => granted.get(credential) ?? refused.get(credential),
    has: (credential) => both.some((store) => store.has(credential)),
    set(credential, entry) {
      const [its, other] = entry.value.result.ok ? [granted, refused] : [refused, granted]
      other.delete(credential)
      its.set(credential, entry)
    },
    delete: (credential) => both.forEach((store) => store.delete(credential)),
    clear: () => both.forEach((store) => store.clear()),
    forEach: (each) => both.forEach((store) => store.forEach(each)),
  }
}

export function toPrincipalResult(found: Result<{ readonly principal: Principal }>): Result<Principal> {
  return found.ok ? ok(found.value.principal) : found
}

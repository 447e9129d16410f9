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

/** Store reads may lag by 30 s, so a revoked credential stops working within 60 s. */
const ACCEPTED_MS = 25_000
/** Short, so that a credential that was tried before it was created soon works. */
const REJECTED_MS = 5_000
const MAX_BYTES = 4_000_000

export function createCredentialCache<T>(
  now: () => number,
  check: (credential: string, mayLookUp?: CheckLookupAllowed) => Promise<CredentialCheck<T>>,
) {
  const cache = createSwrCache<CredentialCheck<T>>({
    store: createStore(),
    getAges({ result, expiresAt = Infinity }) {
      if (result.ok) return { fresh: Math.min(ACCEPTED_MS, expiresAt - now()) }
      return result.failure.type === 'unauthenticated' ? { fresh: REJECTED_MS } : undefined
    },
    now,
  })

  return {
    async get(credential: string, mayLookUp?: CheckLookupAllowed): Promise<Result<T>> {
      const { result } = await cache.get(credential, () => check(credential, mayLookUp))
      return result
    },

    forget: () => cache.invalidate(),

    invalidateWhere: (matches: (value: T) => boolean) =>
      cache.invalidate(({ result }) => result.ok && matches(result.value)),
  }
}

/** For credentials that are looked up whatever their form. */
export function createLookupCache<T>(
  now: () => number,
  credentialKind: string,
  lookUp: (credential: string) => Promise<CredentialCheck<T>>,
) {
  return createCredentialCache<T>(now, async (credential, mayLookUp) => {
    const lookupDenial = mayLookUp?.()
    return lookupDenial ? { result: lookupDenial } : withStoreErrors(credentialKind, () => lookUp(credential))
  })
}

/** Returns `unavailable` if the store cannot be read. */
export async function withStoreErrors<T>(
  credentialKind: string,
  lookUp: () => Promise<CredentialCheck<T>>,
): Promise<CredentialCheck<T>> {
  try {
    return await lookUp()
  } catch (error) {
    console.error(`Cannot look up the ${credentialKind}`, error)
    return { result: fail({ type: 'unavailable', message: `Cannot check the ${credentialKind} right now` }) }
  }
}

/** Two LRU caches as one store, so that many wrong credentials do not evict the right ones. */
function createStore<T>(): CacheStore<CacheEntry<CredentialCheck<T>>> {
  const sizeCalculation = (_: unknown, credential: string) => credential.length + 500
  const createLru = () => new LRUCache<string, CacheEntry<CredentialCheck<T>>>({ maxSize: MAX_BYTES, sizeCalculation })
  const acceptedCredentials = createLru()
  const rejected = createLru()
  const stores = [acceptedCredentials, rejected]
  return {
    get: (credential) => acceptedCredentials.get(credential) ?? rejected.get(credential),
    has: (credential) => stores.some((store) => store.has(credential)),
    set(credential, entry) {
      const [target, opposite] = entry.value.result.ok
        ? [acceptedCredentials, rejected]
        : [rejected, acceptedCredentials]
      opposite.delete(credential)
      target.set(credential, entry)
    },
    delete: (credential) => stores.forEach((store) => store.delete(credential)),
    clear: () => stores.forEach((store) => store.clear()),
    forEach: (visit) => stores.forEach((store) => store.forEach(visit)),
  }
}

export function toPrincipalResult(result: Result<{ readonly principal: Principal }>): Result<Principal> {
  return result.ok ? ok(result.value.principal) : result
}

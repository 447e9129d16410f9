/** Callers that wait for an authorization to change, by its id. */
export interface AuthorizationChanges {
  /** Resolves when it changes, or when so many milliseconds are over; says which. */
  next(id: string, timeoutMs: number): Promise<'changed' | 'timeout'>
  announce(id: string): void
}

/** Kept in memory: within a Durable Object, one event may wait for what another brings. */
export function createAuthorizationChanges(): AuthorizationChanges {
  const waiting = new Map<string, Set<() => void>>()
  return {
    next(id, timeoutMs) {
      return new Promise((resolve) => {
        const all = waiting.get(id) ?? new Set()
        waiting.set(id, all)
        const end = (how: 'changed' | 'timeout') => {
          clearTimeout(timer)
          all.delete(changed)
          if (all.size === 0 && waiting.get(id) === all) waiting.delete(id)
          resolve(how)
        }
        const changed = () => end('changed')
        const timer = setTimeout(() => end('timeout'), timeoutMs)
        all.add(changed)
      })
    },
    announce(id) {
      for (const changed of waiting.get(id) ?? []) changed()
    },
  }
}

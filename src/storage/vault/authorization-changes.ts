export type AuthorizationChanges = ReturnType<typeof createAuthorizationChanges>

/** Callers that wait for an authorization to change. In memory: a Durable Object's events may wait for each other. */
export function createAuthorizationChanges() {
  const waiting = new Map<string, Set<() => void>>()
  return {
    /** Resolves when the authorization of an id changes, or when so many milliseconds are over; says which. */
    next(id: string, timeoutMs: number): Promise<'changed' | 'timeout'> {
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
    announce(id: string): void {
      for (const changed of waiting.get(id) ?? []) changed()
    },
  }
}

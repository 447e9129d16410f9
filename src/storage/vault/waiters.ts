/** Who waits for something to change, by its id. */
export interface Waiters {
  /** Resolves when it changes, or after a while, in milliseconds; says which. */
  wait(id: string, timeoutMs: number): Promise<'changed' | 'waited'>
  wake(id: string): void
}

/** Kept in memory: within a Durable Object, one event may wait for what another brings. */
export function createWaiters(): Waiters {
  const waiting = new Map<string, Set<() => void>>()
  return {
    wait(id, timeoutMs) {
      return new Promise((resolve) => {
        const all = waiting.get(id) ?? new Set()
        waiting.set(id, all)
        const end = (how: 'changed' | 'waited') => {
          clearTimeout(timer)
          all.delete(woken)
          if (all.size === 0 && waiting.get(id) === all) waiting.delete(id)
          resolve(how)
        }
        const woken = () => end('changed')
        const timer = setTimeout(() => end('waited'), timeoutMs)
        all.add(woken)
      })
    },
    wake(id) {
      for (const woken of waiting.get(id) ?? []) woken()
    },
  }
}

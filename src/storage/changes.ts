/** Callers that wait for something to change, by its id. In memory: a Durable Object's events may wait for each other. */
export function createChanges() {
  const waiting = new Map<string, Set<(how: 'changed') => void>>()
  return {
    /** Resolves when what has this id changes, or when so many milliseconds are over; says which. */
    async next(id: string, timeoutMs: number): Promise<'changed' | 'timeout'> {
      const { promise, resolve } = Promise.withResolvers<'changed' | 'timeout'>()
      const all = waiting.get(id) ?? new Set()
      waiting.set(id, all.add(resolve))
      const timer = setTimeout(() => resolve('timeout'), timeoutMs)
      const how = await promise
      clearTimeout(timer)
      all.delete(resolve)
      if (all.size === 0 && waiting.get(id) === all) waiting.delete(id)
      return how
    },
    announce(id: string): void {
      for (const resolve of waiting.get(id) ?? []) resolve('changed')
    },
  }
}

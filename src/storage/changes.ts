/** In memory: the events of one Durable Object may wait for each other. */
export function createChangeNotifier() {
  const waiting = new Map<string, Set<(how: 'changed') => void>>()
  return {
    async waitForChange(id: string, timeoutMs: number): Promise<'changed' | 'timeout'> {
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
    count: (id: string): number => waiting.get(id)?.size ?? 0,
    notifyChange(id: string): void {
      for (const resolve of waiting.get(id) ?? []) resolve('changed')
    },
  }
}

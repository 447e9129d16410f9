/** Notifies in memory. This works because the requests of one Durable Object may wait for each other. */
export function createChangeNotifier() {
  const waiters = new Map<string, Set<(result: 'notified') => void>>()
  return {
    async waitForChange(id: string, timeoutMs: number): Promise<'notified' | 'timed-out'> {
      const { promise, resolve } = Promise.withResolvers<'notified' | 'timed-out'>()
      const waitersOfId = waiters.get(id) ?? new Set()
      waiters.set(id, waitersOfId.add(resolve))
      const timer = setTimeout(() => resolve('timed-out'), timeoutMs)
      const result = await promise
      clearTimeout(timer)
      waitersOfId.delete(resolve)
      if (waitersOfId.size === 0 && waiters.get(id) === waitersOfId) waiters.delete(id)
      return result
    },
    count: (id: string): number => waiters.get(id)?.size ?? 0,
    notifyChange(id: string): void {
      for (const resolve of waiters.get(id) ?? []) resolve('notified')
    },
  }
}

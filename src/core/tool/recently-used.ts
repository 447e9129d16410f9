import { LRUCache } from 'lru-cache'

/**
 * Keeps the most recently used entries, each for `ttl` milliseconds if set. The library's own `max` is not used: it allocates
 * lists of that length at once, which took a quarter of a new isolate's first request.
 */
export function createLruCache<Value extends {}>(maxEntries: number, ttl = 0): LRUCache<string, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1, ttl })
}

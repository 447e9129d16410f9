import { LRUCache } from 'lru-cache'

/**
 * Keeps so many entries, each for `ttl` milliseconds if given, and drops the one that was not used for longest. Told their
 * number by `max`, the library fills lists of that length at once, which was a quarter of a new isolate's first request.
 */
export function createLruCache<Value extends {}>(maxEntries: number, ttl = 0): LRUCache<string, Value> {
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1, ttl })
}

import type * as Module from 'lru-cache'

/** An isolate makes room for thousands of things when it starts: too much work where thousands of isolates start. */
export function smallCaches({ LRUCache }: typeof Module) {
  class SmallCache<K extends {}, V extends {}> extends LRUCache<K, V> {
    constructor(options: ConstructorParameters<typeof LRUCache<K, V>>[0]) {
      super(options.max === undefined ? options : { ...options, max: 64 })
    }
  }
  return { LRUCache: SmallCache }
}

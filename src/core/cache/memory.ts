import { LRUCache } from 'lru-cache'

/** Entries may be dropped at any time. A `Map` and an `LRUCache` are such stores. */
export interface Store<Value> {
  get(key: string): Value | undefined
  has(key: string): boolean
  set(key: string, value: Value): unknown
  delete(key: string): unknown
  clear(): void
  forEach(each: (value: Value, key: string) => void): void
}

export interface Memory {
  part<Value>(bytesOf: (value: Value, key: string) => number): Store<Value>
}

interface Entry<Value> {
  readonly value: Value
  readonly drop: () => void
}

const LARGEST = 0.25

export function createMemory(maxBytes: number): Memory {
  const used = new LRUCache<Entry<unknown>, true>({
    maxSize: maxBytes,
    maxEntrySize: Math.floor(maxBytes * LARGEST),
    dispose: (_, entry) => entry.drop(),
  })
  return {
    part<Value>(bytesOf: (value: Value, key: string) => number): Store<Value> {
      const entries = new Map<string, Entry<Value>>()
      return {
        get(key) {
          const entry = entries.get(key)
          if (entry) used.get(entry)
          return entry?.value
        },
        has: (key) => entries.has(key),
        set(key, value) {
          const before = entries.get(key)
          if (before) used.delete(before)
          const entry = { value, drop: () => void entries.delete(key) }
          entries.set(key, entry)
          used.set(entry, true, { size: Math.max(1, Math.ceil(bytesOf(value, key))) })
          if (!used.has(entry)) entries.delete(key)
        },
        delete(key) {
          const entry = entries.get(key)
          if (entry) used.delete(entry)
        },
        forEach: (each) => entries.forEach(({ value }, key) => each(value, key)),
        clear() {
          for (const entry of entries.values()) used.delete(entry)
        },
      }
    },
  }
}

const OVERHEAD = 64
const TWO_BYTES = /[^\0-\u00ff]/

/** Engines store Latin-1 text in one byte a character, and other text in two. */
export function bytesOfText(text: string): number {
  return text.length * (TWO_BYTES.test(text) ? 2 : 1) + OVERHEAD
}

import { LRUCache } from 'lru-cache'

/** What is kept of one kind, by its key, until the memory is wanted for something else. */
export interface Kept<Value> {
  get(key: string): Value | undefined
  has(key: string): boolean
  set(key: string, value: Value): void
  clear(): void
}

/** The memory that an isolate keeps things in, of however many kinds: all of them together take so many bytes. */
export interface Memory {
  /** A part of its own for a kind of thing. `bytesOf` says about how much one takes, with its key. */
  part<Value>(bytesOf: (value: Value, key: string) => number): Kept<Value>
}

interface Entry<Value> {
  readonly value: Value
  readonly drop: () => void
}

/** What is larger than this part of the memory is not kept: it would drive out all else. */
const LARGEST = 0.25

/** What was not used for longest is dropped first, whatever it is. */
export function createMemory(maxBytes: number): Memory {
  const used = new LRUCache<Entry<unknown>, true>({
    maxSize: maxBytes,
    maxEntrySize: Math.floor(maxBytes * LARGEST),
    dispose: (_, entry) => entry.drop(),
  })
  return {
    part<Value>(bytesOf: (value: Value, key: string) => number): Kept<Value> {
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
        clear() {
          for (const entry of entries.values()) used.delete(entry)
        },
      }
    },
  }
}

const OVERHEAD = 64
const TWO_BYTES = /[^\0-\u00ff]/

/** About the bytes that a text takes: a character takes two where not all are of Latin-1. */
export function bytesOfText(text: string): number {
  return text.length * (TWO_BYTES.test(text) ? 2 : 1) + OVERHEAD
}

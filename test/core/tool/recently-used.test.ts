import { LRUCache } from 'lru-cache'
import { expect, it } from 'vitest'
import { createLruCache } from '../../../src/core/tool/recently-used.ts'

it('stores a limited number of entries, and evicts the least recently used one', () => {
  const numbers = createLruCache<number>(3)
  expect(LRUCache.unsafeExposeInternals(numbers).keyList).toHaveLength(0)
  for (const [at, key] of ['a', 'b', 'c'].entries()) numbers.set(key, at)
  expect(numbers.get('a')).toBe(0)
  numbers.set('d', 3).set('d', 4)
  expect([...'abcd'].map((key) => numbers.get(key))).toEqual([0, undefined, 2, 4])
})

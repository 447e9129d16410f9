import { expect, it } from 'vitest'
import { textBytes, createCacheMemory } from '../../../src/core/cache/swr-cache.ts'

it('the memory of a cache is shared by all partitions, and evicts the least recently used entry first', () => {
  const memory = createCacheMemory(100)
  const texts = memory.partition<string>((text) => text.length)
  const numbers = memory.partition<number>(() => 10)
  for (let n = 0; n < 5; n += 1) texts.set(`t${n}`, 'x'.repeat(10))
  for (let n = 0; n < 5; n += 1) numbers.set(`n${n}`, n)
  expect(texts.get('t0')).toBe('x'.repeat(10))
  numbers.set('n5', 5)
  texts.set('t5', 'x'.repeat(20))
  expect(['t0', 't1', 't2', 't3', 't4', 't5'].filter((key) => texts.has(key))).toEqual(['t0', 't4', 't5'])
  expect([0, 1, 2, 3, 4, 5].map((n) => numbers.get(`n${n}`))).toEqual([0, 1, 2, 3, 4, 5])
})

it('the memory of a cache keeps equal keys of two partitions apart', () => {
  const memory = createCacheMemory(100)
  const [some, others] = [memory.partition<string>(() => 1), memory.partition<string>(() => 1)]
  some.set('key', 'some')
  expect(others.get('key')).toBeUndefined()
  others.set('key', 'others')
  others.clear()
  expect([some.get('key'), others.get('key')]).toEqual(['some', undefined])
})

it('the memory of a cache counts a replaced entry once, and stores no entry that would evict all others', () => {
  const memory = createCacheMemory(100)
  const texts = memory.partition<string>((text) => text.length)
  for (let n = 0; n < 50; n += 1) texts.set('same', 'x'.repeat(20))
  for (let n = 0; n < 4; n += 1) texts.set(`t${n}`, 'x'.repeat(20))
  expect(['same', 't0', 't1', 't2', 't3'].every((key) => texts.has(key))).toBe(true)
  texts.set('same', 'x'.repeat(26))
  expect(texts.has('same')).toBe(false)
  expect(texts.has('t0')).toBe(true)
})

it('the memory of a cache counts two bytes for each character of a text beyond Latin-1', () => {
  const [ascii, latin, greek] = ['a', 'é', 'α'].map((letter) => textBytes(letter.repeat(1_000)))
  expect(latin).toBe(ascii)
  expect(greek).toBe((ascii ?? 0) + 1_000)
  expect(textBytes(`${'a'.repeat(999)}α`)).toBe(greek)
})

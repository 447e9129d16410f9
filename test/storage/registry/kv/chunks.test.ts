import { expect, it } from 'vitest'
import { splitChunks } from '../../../../src/storage/registry/kv/chunks.ts'

it.each([
  [[], []],
  [[1, 2, 3], [[1, 2, 3]]],
  [
    [4, 5, 1],
    [[4, 5], [1]],
  ],
  [
    [1, 99, 1, 1],
    [[1], [99], [1, 1]],
  ],
  [
    [0, 0, 0, 0],
    [[0, 0, 0], [0]],
  ],
])('%j is split into parts of at most three items and a total size of 9', (items, parts) => {
  expect([...splitChunks(items, (item) => item, { maxSize: 9, maxItems: 3 })]).toEqual(parts)
})

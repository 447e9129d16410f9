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
])('%j in parts of three items, or of 9 together', (items, parts) => {
  expect([...splitChunks(items, (item) => item, { maxSize: 9, maxItems: 3 })]).toEqual(parts)
})

import { expect, it } from 'vitest'
import { findQuotaDenial } from '../../../src/core/publish/publisher-quota.ts'

const QUOTA = { documents: 2, bytes: 100 }

it.each([
  [{ documents: 1, bytes: 90 }, 10],
  [{ documents: 0, bytes: 0 }, 100],
])('a quota with %j used allows %d more bytes', (before, bytes) => {
  expect(findQuotaDenial(QUOTA, before, bytes)).toBeUndefined()
})

it.each([
  [{ documents: 2, bytes: 0 }, 0, 'has published 2 documents, of 2 that one may'],
  [{ documents: 1, bytes: 90 }, 11, 'has published 90 bytes, of 100 that one may, and this takes 11 more'],
])('a quota with %j used refuses %d more bytes, with the reason', (before, bytes, why) => {
  expect(findQuotaDenial(QUOTA, before, bytes)).toContain(why)
  expect(findQuotaDenial(undefined, before, bytes)).toBeUndefined()
})

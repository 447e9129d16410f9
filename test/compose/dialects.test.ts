import { expect, it } from 'vitest'
import { formats } from '../../src/compose/dialects.ts'
import { FORMAT_NAMES } from '../../src/core/tool/format-names.ts'

it('formats are all named where a list is asked for in one', () => {
  expect([...formats.keys()].sort()).toEqual([...FORMAT_NAMES.keys()].sort())
})

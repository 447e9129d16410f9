import { expect, it } from 'vitest'
import { formats } from '../../src/compose/dialects.ts'
import { FORMAT_NAMES } from '../../src/core/tool/format-names.ts'

it('every format has a name', () => {
  expect([...formats.keys()].sort()).toEqual([...FORMAT_NAMES.keys()].sort())
})

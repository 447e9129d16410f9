import { expect, it } from 'vitest'
import { invalidSource } from '../../../src/core/publish/import.ts'

it('an invalid source is refused with all of its problems', () => {
  const problems = [
    { path: '/from', message: 'Must be a URL' },
    { path: '/toolkit', message: 'Is required' },
  ]
  expect(invalidSource(...problems)).toEqual({ ok: false, failure: { type: 'definition-invalid', problems } })
})

import { expect, it } from 'vitest'
import { invalidSource } from '../../../src/core/publish/import.ts'

it('a source that is wrong is refused with everything that is wrong with it', () => {
  const problems = [
    { path: '/from', message: 'Must be a URL' },
    { path: '/toolkit', message: 'Is required' },
  ]
  expect(invalidSource(...problems)).toEqual({ ok: false, failure: { type: 'definition-invalid', problems } })
})

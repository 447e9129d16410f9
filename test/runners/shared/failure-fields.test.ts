import { expect, it } from 'vitest'
import { failureFields, failureMeta } from '../../../src/runners/shared/server-failure.ts'

const FIELDS = { developer_message: 'D', can_retry: true, additional_prompt_content: 'ids: 1', retry_after_ms: 500 }

it('the fields of a failure are read with the names in the specification', () => {
  expect(failureFields({ ...FIELDS, message: 'M', more: 1 })).toEqual(FIELDS)
  expect(failureMeta({ 'dev.switchboard/error': FIELDS })).toEqual(FIELDS)
})

it.each([
  [{ developer_message: 1, can_retry: 'yes', additional_prompt_content: null, retry_after_ms: '5' }],
  [{ retry_after_ms: -1 }],
  [{ retry_after_ms: Infinity }],
  [null],
  ['no'],
  [[]],
])('the fields of a failure are ignored if they have another type: %j', (said) => {
  expect(failureFields(said)).toEqual({})
  expect(failureMeta({ 'dev.switchboard/error': said })).toEqual({})
  expect(failureMeta(said)).toEqual({})
})

import { describe, expect, it } from 'vitest'
import { checkGivenInput, openContext, userInfoOf } from '../../../src/core/call/context-input.ts'
import { type CallerContext, NO_CONTEXT } from '../../../src/core/call/requirements.ts'
import { interpretSchema } from '../../../src/core/schema/validator.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import { check as read, object } from '../../../src/core/tool/json-reader.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { recordWith } from './fakes.ts'

const INPUT: JsonObject = {
  type: 'object',
  properties: { a: { type: 'string' }, admin: { type: 'boolean' }, user_id: {}, user_info: {}, secrets: {} },
  required: ['admin'],
}
const record: ToolRecord = {
  ...recordWith({}),
  input: INPUT,
  metadata: { non_inferrable_parameters: ['admin', 'user_id', 'user_info', 'secrets'] },
}
const validate = interpretSchema(INPUT)
const check = (input: JsonObject, context: Partial<CallerContext> = {}, inputIsWhole = false) => {
  const checked = checkGivenInput(
    { input, inputIsWhole, context: { ...NO_CONTEXT, ...context } },
    record,
    'ann',
    validate,
  )
  if (checked.ok) return checked.value
  return checked.failure.type === 'input-invalid' ? checked.failure.problems : checked.failure
}

describe('what no model may infer', () => {
  it('is taken from the context, by its name', () => {
    const context = { values: { admin: true, a: 'not asked for', user_info: { mail: 'ann@x.test' } } }
    expect(check({ a: 'x' }, context)).toEqual({
      a: 'x',
      admin: true,
      user_id: 'ann',
      user_info: { mail: 'ann@x.test' },
    })
  })

  it('is never a credential of the call', () => {
    const values = { admin: true }
    expect(check({}, { values, secrets: new Map([['KEY', 's3cret']]) })).toEqual({ admin: true, user_id: 'ann' })
  })

  it('is validated like any input', () => {
    expect(check({ a: 1 }, { values: { admin: 'yes' } })).toEqual([
      { path: '/a', message: 'Must be a string' },
      { path: '/admin', message: 'Must be a boolean' },
    ])
  })

  it('is missed where it is required, and refused in an input', () => {
    expect(check({ a: 1 })).toEqual([
      { path: '/admin', message: 'Is required in the context of the call: no model may infer it' },
      { path: '/a', message: 'Must be a string' },
    ])
    expect(check({ admin: true }, { values: { admin: false } })).toEqual([
      { path: '/admin', message: 'Must be left to the context of the call: no model may infer it' },
    ])
  })

  it('may stand in the input of whoever was told of it, and the context goes before', () => {
    expect(check({ admin: true }, {}, true)).toEqual({ admin: true, user_id: 'ann' })
    expect(check({ admin: true }, { values: { admin: false } }, true)).toMatchObject({ admin: false })
  })

  it('is all that a closed context may say beside its fields', () => {
    const closedContext = { path: '/context', fields: ['user_id'] }
    const given = (values: JsonObject) =>
      checkGivenInput({ input: {}, context: { ...NO_CONTEXT, values }, closedContext }, record, 'ann', validate)
    expect(given({ admin: true })).toMatchObject({ ok: true })
    expect(given({ admin: true, user: 'ann' })).toMatchObject({
      failure: {
        type: 'request-malformed',
        message: expect.stringContaining(
          "at 'context.user': Unknown field 'user': wanted 'user_id', 'account', 'select', 'admin'",
        ),
      },
    })
  })

  it('costs nothing where there is none', () => {
    const input = { a: 'x' }
    const plain = recordWith({})
    const checked = checkGivenInput({ input, context: NO_CONTEXT }, plain, undefined, () => [])
    expect(checked.ok && checked.value).toBe(input)
  })
})

describe("a call's user", () => {
  it('is described by an object, or not at all', () => {
    expect(userInfoOf({ ...NO_CONTEXT, values: { user_info: { mail: 'm' } } })).toEqual({ mail: 'm' })
    expect(userInfoOf({ ...NO_CONTEXT, values: { user_info: 'm' } })).toBeUndefined()
    expect(userInfoOf(NO_CONTEXT)).toBeUndefined()
  })
})

describe('an open context', () => {
  const reader = openContext(
    (value, report) => {
      const fields = object({}, { unknown: 'ignore' })(value, report)
      return typeof fields === 'symbol' ? fields : NO_CONTEXT
    },
    ['known'],
  )

  it('keeps what has no field of its own', () => {
    expect(read(reader, { known: 1, other: 2 })).toEqual({ ok: true, value: { ...NO_CONTEXT, values: { other: 2 } } })
    const none = read(reader, { known: 1 })
    expect(none.ok && none.value).toBe(NO_CONTEXT)
    expect(read(reader, 7).ok).toBe(false)
  })
})

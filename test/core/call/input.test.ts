import { describe, expect, it } from 'vitest'
import { checkInput } from '../../../src/core/call/input.ts'
import { interpretSchema } from '../../../src/core/schema/validator.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    needed: { type: 'string' },
    text: { type: 'string' },
    nullable: { type: ['string', 'null'] },
    inner: { type: 'object', properties: { text: { type: 'string' } } },
    'a/b': { type: 'number' },
  },
  required: ['needed'],
}
const check = (input: JsonObject, schema = SCHEMA) => checkInput(interpretSchema(schema), input, schema)
const pathsOf = (checked: ReturnType<typeof check>) =>
  checked.ok
    ? checked.value
    : checked.failure.type === 'input-invalid' && checked.failure.problems.map(({ path }) => path)

describe('an input', () => {
  it('that is valid is taken as it is', () => {
    const input = { needed: 'x', nullable: null }
    const checked = check(input)
    expect(checked).toEqual({ ok: true, value: input })
    expect(checked.ok && checked.value).toBe(input)
  })

  it('is refused with every problem at once', () => {
    const checked = check({ text: 1, inner: { text: 2 } })
    expect(checked).toEqual({
      ok: false,
      failure: {
        type: 'input-invalid',
        problems: [
          { path: '/inner/text', message: 'Must be a string' },
          { path: '/needed', message: 'Is required' },
          { path: '/text', message: 'Must be a string' },
        ],
      },
    })
  })

  it('counts null for an optional parameter that allows none as absent', () => {
    const input = { needed: 'x', text: null, inner: null, 'a/b': null, nullable: null }
    expect(check(input)).toEqual({ ok: true, value: { needed: 'x', nullable: null } })
    expect(input.text).toBeNull()
  })

  it('does not for a required parameter, nor for what lies within one', () => {
    expect(pathsOf(check({ needed: null }))).toEqual(['/needed'])
    expect(pathsOf(check({ needed: 'x', inner: { text: null } }))).toEqual(['/inner/text'])
    expect(pathsOf(check({ needed: 'x', text: 1 }))).toEqual(['/text'])
  })

  it('is still refused for what else is wrong', () => {
    expect(pathsOf(check({ needed: null, text: null }))).toEqual(['/needed'])
    expect(pathsOf(check({ text: null }))).toEqual(['/needed'])
  })

  it('of a schema that requires nothing is judged alike', () => {
    const properties = { a: { type: 'string' } }
    expect(check({ a: null }, { properties })).toEqual({ ok: true, value: {} })
    expect(checkInput(interpretSchema({ properties }), { a: null }, { properties, required: 'a' })).toEqual({
      ok: true,
      value: {},
    })
  })

  it('that is refused as a whole, or somewhere else, loses nothing', () => {
    expect(pathsOf(check({ a: null }, { maxProperties: 0 }))).toEqual([''])
    expect(pathsOf(check({ a: null, b: 1 }, { properties: { b: { type: 'string' } } }))).toEqual(['/b'])
  })
})

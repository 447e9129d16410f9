import { createBudget } from '../../../src/core/tool/budget.ts'
import { expect, it } from 'vitest'
import { completeInput, checkInput, createContextReader } from '../../../src/core/call/input.ts'
import { type CallContext, NO_CONTEXT } from '../../../src/core/call/requirements.ts'
import { loadPatternEngine } from '../../../src/core/schema/pattern-matcher.ts'
import { interpretSchema } from '../../../src/core/schema/validator.ts'
import type { Json, JsonObject } from '../../../src/core/tool/json.ts'
import { parseValue as read, integer } from '../../../src/core/tool/json-reader.ts'
import { listContextParameters } from '../../../src/core/tool/metadata.ts'
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
const tool = { record, contextParameters: listContextParameters(record), validateInput: interpretSchema(INPUT) }
const check = (input: JsonObject, context: Partial<CallContext> = {}, includesContextParameters = false) => {
  const checked = completeInput(
    { input, includesContextParameters, context: { ...NO_CONTEXT, ...context } },
    tool,
    'ann',
    createBudget(Infinity),
  )
  if (checked.ok) return checked.value
  return checked.failure.type === 'input-invalid' ? checked.failure.problems : checked.failure
}

it('non-inferrable parameters are taken from the context by name', () => {
  const context = { values: { admin: true, a: 'not asked for', user_info: { mail: 'ann@x.test' } } }
  expect(check({ a: 'x' }, context)).toEqual({
    a: 'x',
    admin: true,
    user_id: 'ann',
    user_info: { mail: 'ann@x.test' },
  })
})

it('non-inferrable parameters are never credentials of the call', () => {
  const values = { admin: true }
  expect(check({}, { values, secrets: new Map([['KEY', 's3cret']]) })).toEqual({ admin: true, user_id: 'ann' })
})

it('non-inferrable parameters are validated like any input', () => {
  expect(check({ a: 1 }, { values: { admin: 'yes' } })).toEqual([
    { path: '/a', message: 'Must be a string' },
    { path: '/admin', message: 'Must be a boolean' },
  ])
})

it('non-inferrable parameters are reported missing if required, and refused in an input', () => {
  expect(check({ a: 1 })).toEqual([
    { path: '/admin', message: 'Is required in the context of the call: no model may infer it' },
    { path: '/a', message: 'Must be a string' },
  ])
  expect(check({ admin: true }, { values: { admin: false } })).toEqual([
    { path: '/admin', message: "Set this in the call's context, not in the input" },
  ])
})

it('non-inferrable parameters may be in the input of callers who were told of them, but the context takes precedence', () => {
  expect(check({ admin: true }, {}, true)).toEqual({ admin: true, user_id: 'ann' })
  expect(check({ admin: true }, { values: { admin: false } }, true)).toMatchObject({ admin: false })
})

it('non-inferrable parameters are reported if misspelled in a context with named fields', () => {
  const contextFieldHints = { path: '/context', fields: ['user_id'] }
  const given = (values: JsonObject) =>
    completeInput(
      { input: {}, context: { ...NO_CONTEXT, values }, contextFieldHints },
      tool,
      'ann',
      createBudget(Infinity),
    )
  expect(given({ admin: true, more: 1 })).toMatchObject({ ok: true })
  expect(given({ admin: true, userId: 'ann' })).toMatchObject({
    failure: {
      type: 'request-malformed',
      message: expect.stringContaining(
        "at 'context.userId': Unknown field 'userId' (meant 'user_id'?): wanted 'user_id', 'account', 'select', 'inline_bytes', 'admin'",
      ),
    },
  })
})

it('non-inferrable parameters cost nothing if there are none', () => {
  const input = { a: 'x' }
  const plain = { record: recordWith({}), contextParameters: [], validateInput: () => [] }
  const checked = completeInput({ input, context: NO_CONTEXT }, plain, undefined, createBudget(Infinity))
  expect(checked.ok && checked.value).toBe(input)
})

const reader = createContextReader({ known: integer(0, 9) })

it('an open context keeps fields that it does not define', () => {
  expect(read(reader, { known: 1, other: 2 })).toEqual({ ok: true, value: { known: 1, values: { other: 2 } } })
  expect(read(reader, { known: 1 })).toEqual({ ok: true, value: { known: 1 } })
  expect(read(reader, 7).ok).toBe(false)
})

await loadPatternEngine({ pattern: '' })

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
const OPTIONAL: JsonObject = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } }
const NODE: JsonObject = { type: 'object', properties: { node: { $ref: '#/$defs/node' }, a: { type: 'string' } } }
const KIND = (kind: string): JsonObject => ({
  type: 'object',
  properties: { kind: { const: kind }, [kind]: { type: 'integer' } },
  required: ['kind'],
  additionalProperties: false,
})
const checkWith = (input: JsonObject, schema = SCHEMA) =>
  checkInput(interpretSchema(schema), input, createBudget(Infinity))
const pathsOf = (checked: ReturnType<typeof checkWith>) =>
  checked.ok
    ? checked.value
    : checked.failure.type === 'input-invalid' && checked.failure.problems.map(({ path }) => path)

it('an input that is valid is returned unchanged', () => {
  const input = { needed: 'x', nullable: null }
  const checked = checkWith(input)
  expect(checked).toEqual({ ok: true, value: input })
  expect(checked.ok && checked.value).toBe(input)
})

it('an input is refused with every problem at once', () => {
  const checked = checkWith({ text: 1, inner: { text: 2 } })
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

it('an input may have null for an optional parameter that does not allow null, which counts as absent', () => {
  const input = { needed: 'x', text: null, inner: null, 'a/b': null, nullable: null }
  expect(checkWith(input)).toEqual({ ok: true, value: { needed: 'x', nullable: null } })
  expect(input.text).toBeNull()
})

it.each<[string, JsonObject, Json, Json]>([
  ['an object', OPTIONAL, { b: null }, {}],
  ['a required object', { ...OPTIONAL, required: ['a'] }, { a: 'x', b: null }, { a: 'x' }],
  ['a list', { type: 'array', items: OPTIONAL }, [{ b: null }, { b: 'y', a: null }], [{}, { b: 'y' }]],
  ['a tuple', { prefixItems: [true, OPTIONAL] }, [null, { b: null }], [null, {}]],
  ['a map', { type: 'object', additionalProperties: { type: 'string' } }, { x: null, y: 'z' }, { y: 'z' }],
  ['a closed object', { ...OPTIONAL, additionalProperties: false }, { c: null }, {}],
  ['a pattern', { patternProperties: { '^x': { type: 'string' } } }, { xy: null, z: null }, { z: null }],
  ['a field that nothing else judges', { unevaluatedProperties: OPTIONAL }, { c: { a: null }, d: null }, { c: {} }],
  ['all of some schemas', { allOf: [OPTIONAL, { required: ['a'] }] }, { a: 'x', b: null }, { a: 'x' }],
  ['an alternative', { anyOf: [{ type: 'string' }, OPTIONAL] }, { b: null }, {}],
  ['the one alternative', { oneOf: [KIND('one'), KIND('two')] }, { kind: 'two', two: null }, { kind: 'two' }],
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of that name; nobody awaits a schema
  ['a branch', { if: true, then: OPTIONAL }, { b: null }, {}],
  ['a reference', { $ref: '#/$defs/node' }, { node: { node: { a: null } }, a: null }, { node: { node: {} } }],
])("an input's null counts as absent within %s", (_, inner, value, wanted) => {
  const schema = { type: 'object', properties: { inner }, $defs: { node: NODE } }
  expect(checkWith({ inner: value }, schema)).toEqual({ ok: true, value: { inner: wanted } })
})

it('an input keeps a null that the schema allows, next to one that it forbids', () => {
  const fields = { type: 'object', properties: { a: { type: ['string', 'null'] }, b: { type: 'string' }, c: {} } }
  const schema = { properties: { list: { type: 'array', items: { anyOf: [{ type: 'null' }, fields] } } } }
  const list = [null, { a: null, b: null, c: null }]
  expect(checkWith({ list }, schema)).toEqual({ ok: true, value: { list: [null, { a: null, c: null }] } })
})

it('an input keeps nulls in an alternative that it does not match otherwise', () => {
  const alternatives = [KIND('one'), { type: 'object', properties: { one: { type: 'null' } }, required: ['text'] }]
  const schema = { properties: { a: { anyOf: alternatives }, b: { type: 'string' } } }
  const a = { kind: 'x', one: null, text: 'y' }
  expect(checkWith({ a, b: null }, schema)).toEqual({ ok: true, value: { a } })
  expect(pathsOf(checkWith({ a: { kind: 'x', one: null } }, schema))).toEqual(['/a'])
})

it('an input may not have null for a required parameter', () => {
  expect(pathsOf(checkWith({ needed: null }))).toEqual(['/needed'])
  const schema = { properties: { a: { properties: { b: { type: 'string' } }, required: ['b'] } } }
  expect(pathsOf(checkWith({ a: { b: null } }, schema))).toEqual(['/a/b'])
  expect(pathsOf(checkWith({ needed: 'x', text: 1 }))).toEqual(['/text'])
})

it('an input with such nulls is still refused for other problems', () => {
  expect(pathsOf(checkWith({ needed: null, text: null }))).toEqual(['/needed'])
  expect(pathsOf(checkWith({ text: null }))).toEqual(['/needed'])
})

it('an input of a schema without required parameters is treated the same', () => {
  const properties = { a: { type: 'string' } }
  expect(checkWith({ a: null }, { properties })).toEqual({ ok: true, value: {} })
})

it('an input that is refused as a whole, or elsewhere, loses nothing', () => {
  expect(pathsOf(checkWith({ a: null }, { maxProperties: 0 }))).toEqual([''])
  expect(pathsOf(checkWith({ a: null, b: 1 }, { properties: { b: { type: 'string' } } }))).toEqual(['/b'])
})

import { describe, expect, test } from 'vitest'
import {
  checkSuccessor,
  checkToolSetSuccessor,
  compareDefinitions,
  type ToolContract,
  lowestVersion,
  compareExpanded,
  requiredBump,
} from '../../../src/core/schema/compatibility.ts'
import type { BumpLevel } from '../../../src/core/schema/schema-comparison.ts'
import { NO_REQUIREMENTS, type JsonSchema } from '../../../src/core/tool/tool.ts'

function contract(change: Partial<ToolContract> = {}): ToolContract {
  return { version: '1.0.0', input: {}, output: {}, requirements: NO_REQUIREMENTS, ...change }
}

function input(properties: Record<string, JsonSchema>, more: Record<string, never> | object = {}): ToolContract {
  return contract({ input: { type: 'object', properties, ...more } })
}

const a: JsonSchema = { type: 'string' }

type Row = readonly [
  name: string,
  previous: ToolContract,
  next: ToolContract,
  changes: readonly (readonly [string, BumpLevel])[],
]

const inputs: readonly Row[] = [
  ['nothing', input({ a }), input({ a }), []],
  ['order of properties', input({ a, b: a }), input({ b: a, a }), []],
  ['order of names', input({}, { required: ['a', 'b'] }), input({}, { required: ['b', 'a'] }), [['/input', 'patch']]],
  ['unknown keywords', input({ a }), input({ a }, { 'x-order': 1 }), [['/input', 'patch']]],
  [
    'description',
    input({ a }),
    input({ a: { ...a, title: 'A', description: 'B', examples: ['c'] } }),
    [['/input', 'patch']],
  ],
  ['a parameter removed', input({ a, b: a }), input({ a }), [['/input/properties/b', 'major']]],
  ['a parameter added', input({ a }), input({ a, 'b/c': a }), [['/input/properties/b~1c', 'minor']]],
  [
    'a required parameter added',
    input({ a }),
    input({ a, b: a }, { required: ['b'] }),
    [['/input/properties/b', 'major']],
  ],
  ['a parameter now required', input({ a }), input({ a }, { required: ['a'] }), [['/input/properties/a', 'major']]],
  ['a parameter now optional', input({ a }, { required: ['a'] }), input({ a }), [['/input/properties/a', 'minor']]],
  ['another type', input({ a }), input({ a: { type: 'number' } }), [['/input/properties/a/type', 'major']]],
  [
    'a wider type',
    input({ a: { type: 'integer' } }),
    input({ a: { type: ['number', 'null'] } }),
    [['/input/properties/a/type', 'minor']],
  ],
  [
    'a narrower type',
    input({ a: { type: 'number' } }),
    input({ a: { type: 'integer' } }),
    [['/input/properties/a/type', 'major']],
  ],
  ['a type where there was none', input({ a: {} }), input({ a }), [['/input/properties/a/type', 'major']]],
  ['a false parameter', input({ a }), input({ a: false }), [['/input/properties/a', 'major']]],
  [
    'fewer values',
    input({ a: { enum: ['x', 'y'] } }),
    input({ a: { enum: ['x', 'z'] } }),
    [['/input/properties/a/enum', 'major']],
  ],
  [
    'more values',
    input({ a: { enum: ['x'] } }),
    input({ a: { enum: ['y', 'x'] } }),
    [['/input/properties/a/enum', 'minor']],
  ],
  ['any value', input({ a: { enum: ['x'] } }), input({ a: {} }), [['/input/properties/a/enum', 'minor']]],
  ['a first list of values', input({ a: {} }), input({ a: { enum: ['x'] } }), [['/input/properties/a/enum', 'major']]],
  [
    'tighter bounds',
    input({ a: { minLength: 1, maximum: 5 } }),
    input({ a: { minLength: 2, maximum: 4, maxItems: 3 } }),
    [
      ['/input/properties/a/minLength', 'major'],
      ['/input/properties/a/maximum', 'major'],
      ['/input/properties/a/maxItems', 'major'],
    ],
  ],
  [
    'wider bounds',
    input({ a: { minLength: 2, maximum: 4 } }),
    input({ a: { minLength: 1 } }),
    [
      ['/input/properties/a/minLength', 'minor'],
      ['/input/properties/a/maximum', 'minor'],
    ],
  ],
  ['a pattern added', input({ a }), input({ a: { ...a, pattern: 'x' } }), [['/input/properties/a/pattern', 'major']]],
  ['a pattern removed', input({ a: { ...a, pattern: 'x' } }), input({ a }), [['/input/properties/a/pattern', 'minor']]],
  [
    'unique items',
    input({ a: {} }),
    input({ a: { uniqueItems: true } }),
    [['/input/properties/a/uniqueItems', 'major']],
  ],
  [
    'no more parameters',
    input({ a }),
    input({ a }, { additionalProperties: false }),
    [['/input/additionalProperties', 'major']],
  ],
  [
    'any more parameters',
    input({ a }, { additionalProperties: false }),
    input({ a }),
    [['/input/additionalProperties', 'minor']],
  ],
  [
    'items',
    input({ a: { items: a } }),
    input({ a: { items: { type: ['string', 'null'] } } }),
    [['/input/properties/a/items/type', 'minor']],
  ],
  [
    'nested parameters',
    input({ a: { properties: { b: a } } }),
    input({ a: { properties: {} } }),
    [['/input/properties/a/properties/b', 'major']],
  ],
  ['forms', input({ a: { anyOf: [a] } }), input({ a: { anyOf: [a, {}] } }), [['/input/properties/a/anyOf', 'major']]],
  [
    'descriptions of forms',
    input({ a: { anyOf: [a] } }),
    input({ a: { anyOf: [{ ...a, title: 'A' }] } }),
    [['/input', 'patch']],
  ],
  ['shared schemas', input({}, { $defs: { a } }), input({}, { $defs: { a: {} } }), [['/input/$defs', 'major']]],
]

function output(schema: JsonSchema | null): ToolContract {
  return contract({ output: schema })
}

const outputs: readonly Row[] = [
  ['description', output({ type: 'string' }), output({ type: 'string', title: 'A' }), [['/output', 'patch']]],
  ['nothing any more', output({}), output(null), [['/output', 'major']]],
  ['something at last', output(null), output({}), [['/output', 'major']]],
  ['a narrower type', output({ type: ['string', 'null'] }), output({ type: 'string' }), [['/output/type', 'major']]],
  ['a type where there was none', output({}), output({ type: 'string' }), [['/output', 'major']]],
  [
    'a property added',
    output({ properties: { a } }),
    output({ properties: { a, b: a } }),
    [['/output/properties/b', 'minor']],
  ],
  [
    'a guaranteed property added',
    output({ properties: { a } }),
    output({ properties: { a, b: a }, required: ['b'] }),
    [['/output/properties/b', 'minor']],
  ],
  [
    'a property removed',
    output({ properties: { a }, required: ['a'] }),
    output({ properties: {} }),
    [['/output/properties/a', 'major']],
  ],
  [
    'a guarantee withdrawn',
    output({ properties: { a }, required: ['a'] }),
    output({ properties: { a } }),
    [['/output/properties/a', 'major']],
  ],
  [
    'a guarantee given',
    output({ properties: { a } }),
    output({ properties: { a }, required: ['a'] }),
    [['/output/properties/a', 'minor']],
  ],
  [
    'a property of another type',
    output({ items: { properties: { a } } }),
    output({ items: { properties: { a: {} } } }),
    [['/output/items/properties/a', 'major']],
  ],
  ['another list of items', output({ items: [a] }), output({ items: [{}] }), [['/output/items', 'major']]],
  ['more values', output({ enum: ['a'] }), output({ enum: ['a', 'b'] }), [['/output/enum', 'major']]],
]

const needs = (change: object): ToolContract => contract({ requirements: { ...NO_REQUIREMENTS, ...change } })
const oauth = (...scopes: string[]) => ({ authorization: [{ id: 'github', oauth2: { scopes } }] })

const requirements: readonly Row[] = [
  [
    'a secret',
    needs({}),
    needs({ secrets: [{ id: 's' }] }),
    [
      ['/requirements/secrets', 'major'],
      ['/securityLevel', 'major'],
    ],
  ],
  [
    'another secret',
    needs({ secrets: [{ id: 's' }] }),
    needs({ secrets: [{ id: 't' }] }),
    [
      ['/requirements/secrets', 'major'],
      ['/requirements/secrets', 'patch'],
    ],
  ],
  [
    'a provider',
    needs({ user_id: true }),
    needs({ user_id: true, ...oauth('a') }),
    [['/requirements/authorization', 'major']],
  ],
  ['a scope', needs(oauth('a')), needs(oauth('b', 'a')), [['/requirements/authorization', 'minor']]],
  ['a user id', needs(oauth()), needs({ ...oauth(), user_id: true }), [['/requirements/user_id', 'major']]],
  [
    'a lower security level',
    contract({ securityLevel: 4 }),
    contract({ securityLevel: 2 }),
    [['/securityLevel', 'patch']],
  ],
  [
    'a higher security level',
    contract({ securityLevel: 4 }),
    contract({ securityLevel: 5 }),
    [['/securityLevel', 'major']],
  ],
]

describe.each([
  ['input', inputs],
  ['output', outputs],
  ['requirements', requirements],
])('what changed in the %s', (name, rows) => {
  test.each(rows)(`what changed in the ${name} %s`, (_name, previous, next, changes) => {
    expect(compareDefinitions(previous, next).map(({ path, level }) => [path, level])).toEqual(changes)
  })
})

const big = (count: number): JsonSchema => ({ maxLength: count })
const SAID: readonly (readonly [ToolContract, ToolContract, readonly string[]])[] = [
  [input({ a }), input({ a: { ...a, title: 'A' } }), ['The input is described differently']],
  [input({ a }), input({ a: { type: 'number' } }), ["Parameter 'a' has another type"]],
  [input({ a: { type: 'integer' } }), input({ a: { type: 'number' } }), ["Parameter 'a' has a wider type"]],
  [
    input({ a: { type: ['string', 'null'] } }),
    input({ a: { type: ['null', 'string'] } }),
    ['The input is described differently'],
  ],
  [input({ a: { enum: ['x', 'y'] } }), input({ a: { enum: ['y', 'x'] } }), ['The input is described differently']],
  [input({ a: {} }), input({ a: false }), ["Parameter 'a' is no longer accepted"]],
  [input({ a: false }), input({ a: {} }), ["Parameter 'a' is now accepted"]],
  [input({ a: { enum: [1] } }), input({ a: {} }), ["Parameter 'a' accepts any value"]],
  [input({ a: {} }), input({ a: { enum: [1] } }), ["Parameter 'a' accepts only some values"]],
  [input({ a: { enum: [1, 2] } }), input({ a: { enum: [1] } }), ["Parameter 'a' accepts fewer values"]],
  [input({ a: { enum: [1] } }), input({ a: { enum: [1, 2] } }), ["Parameter 'a' accepts more values"]],
  [input({ a: { enum: [1, 1] } }), input({ a: { enum: [1] } }), []],
  [input({ a: big(3) }), input({ a: big(2) }), ["Parameter 'a' has a tighter 'maxLength'"]],
  [input({ a: big(2) }), input({ a: big(3) }), ["Parameter 'a' has a wider 'maxLength'"]],
  [input({ a: {} }), input({ a: { uniqueItems: true } }), ["Parameter 'a' must now have unique items"]],
  [input({ a: { uniqueItems: true } }), input({ a: {} }), ["Parameter 'a' need no longer have unique items"]],
  [input({ a: { uniqueItems: false } }), input({ a: {} }), []],
  [input({ a: { pattern: 'x' } }), input({ a: {} }), ["Parameter 'a' has no 'pattern'"]],
  [input({ a: { pattern: 'x' } }), input({ a: { pattern: 'y' } }), ["Parameter 'a' has another 'pattern'"]],
  [input({ a: { not: {} } }), input({ a: {} }), ["Parameter 'a' has another 'not'"]],
  [input({ a: { anyOf: [a, {}] } }), input({ a: { anyOf: [{}, a] } }), ["Parameter 'a' has another 'anyOf'"]],
  [
    input({ a: { prefixItems: [a, {}] } }),
    input({ a: { prefixItems: [{}, a] } }),
    ["Parameter 'a' has another 'prefixItems'"],
  ],
  [input({ a: { items: a } }), input({ a: { items: false } }), ["Parameter 'a' has another 'items'"]],
  [input({ a: { items: a } }), input({ a: { items: { type: 'number' } } }), ["Parameter 'a' has another 'items'"]],
  [
    input({ a: { items: { properties: { b: a } } } }),
    input({ a: { items: { properties: {} } } }),
    ["Parameter 'b' is removed"],
  ],
  [
    input({}, { additionalProperties: a }),
    input({}, { additionalProperties: false }),
    ["The input has another 'additionalProperties'"],
  ],
  [input({ a }), input({}), ["Parameter 'a' is removed"]],
  [input({}), input({ a }), ["Parameter 'a' is new"]],
  [input({ a }), input({ a }, { required: ['a'] }), ["Parameter 'a' is now required"]],
  [input({ a }, { required: ['a'] }), input({ a }), ["Parameter 'a' is now optional"]],
  [input({ a }, { required: ['a'] }), input({}), ["Parameter 'a' is removed"]],
  [input({}), input({}, { required: ['a', 5] }), ["Parameter 'a' is now required"]],
  [output({ type: 'string' }), output({ type: 'string', title: 'A' }), ['The output is described differently']],
  [output({}), output(null), ['The output has another type']],
  [output({ minLength: 1 }), output({ minLength: 2 }), ["The output has another 'minLength'"]],
  [output({ properties: { a } }), output({ properties: { a: {} } }), ["Output property 'a' has another type"]],
  [output({ properties: { a } }), output({}), ['The output has another type']],
  [output({ properties: { a }, minProperties: 1 }), output({ minProperties: 1 }), ["Output property 'a' is removed"]],
  [output({ properties: { a } }), output({ properties: { a, b: a } }), ["Output property 'b' is new"]],
  [
    output({ properties: { a } }),
    output({ properties: { a }, required: ['a'] }),
    ["Output property 'a' is now guaranteed"],
  ],
  [
    output({ properties: { a }, required: ['a'] }),
    output({ properties: { a } }),
    ["Output property 'a' is no longer guaranteed"],
  ],
  [
    output({ properties: { a }, required: ['b'] }),
    output({ properties: { a } }),
    ["Output property 'b' is no longer guaranteed"],
  ],
  [output({ items: a }), output({ items: { type: 'number' } }), ["The output has another 'type'"]],
  [
    needs({}),
    needs({ secrets: [{ id: 's' }] }),
    ["Secret 's' is now required", 'The security level is raised from 0 to 4'],
  ],
  [
    needs({ secrets: [{ id: 's' }] }),
    needs({}),
    ["Secret 's' is no longer required", 'The security level is lowered from 4 to 0'],
  ],
  [needs({ secrets: [{ id: 's' }, { id: 't' }] }), needs({ secrets: [{ id: 't' }, { id: 's' }] }), []],
  [needs({ user_id: true }), needs({ user_id: true, ...oauth() }), ["Authorization 'github' is now required"]],
  [needs(oauth('a')), needs(oauth('a', 'b')), ["Authorization 'github' now asks for the scope 'b'"]],
  [needs(oauth('a', 'b')), needs(oauth('a')), []],
  [
    needs({ authorization: [{ id: 'github' }] }),
    needs(oauth('a')),
    ["Authorization 'github' now asks for the scope 'a'"],
  ],
  [needs(oauth('a')), needs({ authorization: [{ id: 'github' }] }), []],
  [
    needs({ authorization: [{ id: 'gitlab', oauth2: { scopes: ['a'] } }] }),
    needs({
      authorization: [
        { id: 'gitlab', oauth2: { scopes: ['a'] } },
        { id: 'github', oauth2: { scopes: ['a'] } },
      ],
    }),
    ["Authorization 'github' is now required"],
  ],
  [needs({ secrets: [{ id: 's' }] }), needs({ secrets: [{ id: 's' }], user_id: true }), ['A user id is now required']],
]

test.each(SAID)('what changed is described: %#', (previous, next, said) => {
  expect(compareDefinitions(previous, next).map(({ what }) => what)).toEqual(said)
})

test('the most severe change decides', () => {
  const described = { ...a, title: 'A' }
  expect(requiredBump(compareExpanded(input({ a }), input({ a })))).toBe('patch')
  expect(requiredBump(compareExpanded(input({ a }), input({ a: described, b: a })))).toBe('minor')
  expect(requiredBump(compareExpanded(input({ a, c: a }), input({ a: described, b: a })))).toBe('major')
})

test('a bump depends on what schemas contain, not on where they contain it', () => {
  const apart = { input: { properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: a } } }
  const inPlace = { input: { properties: { a } } }
  expect(requiredBump(compareExpanded(contract(apart), contract(inPlace)))).toBe('patch')
  expect(requiredBump(compareExpanded(contract({ output: apart.input }), contract({ output: inPlace.input })))).toBe(
    'patch',
  )
  expect(requiredBump(compareExpanded(contract({ output: apart.input }), contract({ output: null })))).toBe('major')
  // An input that is not an object is compared as it is
  const closed = contract({ input: { $ref: '#/$defs/A', $defs: { A: false } } })
  expect(requiredBump(compareExpanded(closed, closed))).toBe('patch')
  expect(requiredBump(compareExpanded(closed, contract({ input: { $ref: '#/$defs/A', $defs: { A: true } } })))).toBe(
    'major',
  )
})

const levels = {
  major: [input({ a }), input({})],
  minor: [input({}), input({ a })],
  patch: [input({ a }), input({ a: { ...a, title: 'A' } })],
} as const

test.each<[BumpLevel, string, string, boolean]>([
  ['major', '1.2.3', '2.0.0', true],
  ['major', '1.2.3', '1.3.0', false],
  ['minor', '1.2.3', '1.3.0', true],
  ['minor', '1.2.3', '1.2.4', false],
  ['minor', '1.2.3', '2.0.0', true],
  ['patch', '1.2.3', '1.2.4', true],
  ['major', '0.2.3', '0.3.0', true],
  ['major', '0.2.3', '0.2.4', false],
  ['minor', '0.2.3', '0.2.4', true],
  ['patch', '0.0.3', '0.0.4', true],
  ['patch', '1.2.3', '1.2.4', true],
  ['minor', '0.0.3', '0.0.4', true],
  ['major', '0.0.3', '0.0.4', false],
  ['major', '0.0.3', '0.1.0', true],
  ['major', '1.2.3', '1.2.3', true],
  ['major', '1.2.3', '1.1.0', true],
])('versions: a %s change from %s to %s: %s', (level, from, to, allowed) => {
  const [previous, next] = levels[level]
  const problems = checkSuccessor({ ...previous, version: from }, { ...next, version: to })
  expect(problems.length === 0).toBe(allowed)
})

test.each<[BumpLevel, string, string]>([
  ['major', '1.2.3', '2.0.0'],
  ['minor', '1.2.3', '1.3.0'],
  ['patch', '1.2.3', '1.2.4'],
  ['major', '0.2.3', '0.3.0'],
  ['minor', '0.2.3', '0.2.4'],
  ['patch', '0.2.3', '0.2.4'],
])('versions: a %s change of %s needs %s', (level, previous, lowest) =>
  expect(lowestVersion(previous, level)).toBe(lowest),
)

test('versions: the response says what to do', () => {
  const next = input({ b: a, c: a }, { required: ['b'] })
  expect(checkSuccessor(input({ b: a }), { ...next, version: '1.0.1' })).toEqual([
    {
      path: '/input/properties/b',
      message:
        "Parameter 'b' is now required: a breaking change needs version 2.0.0 or higher, got 1.0.1 (publish with ?allow=breaking to override)",
    },
    {
      path: '/input/properties/c',
      message:
        "Parameter 'c' is new: an addition needs version 1.1.0 or higher, got 1.0.1 (publish with ?allow=breaking to override)",
    },
  ])
})

test('versions: the location of a change is a pointer into the submitted document', () => {
  const places = { input: '/definition/in', output: '/definition/out', requirements: '/definition/requirements' }
  const before = { ...input({ b: a }), output: {} }
  const secrets = [{ id: 'KEY' }]
  const after = { output: { type: 'string' }, requirements: { ...before.requirements, secrets }, securityLevel: 5 }
  const next = { ...before, ...input({}), ...after, version: '1.0.1' }
  expect(checkSuccessor(before, next, places).map(({ path }) => path)).toEqual([
    '/definition/in/properties/b',
    '/definition/out',
    '/definition/requirements/secrets',
    '/securityLevel',
  ])
})

const whole = (version: string, ...tools: string[]) => ({ version, tools })

test.each([
  ['1.0.0', 'a', '1.0.1', 'a', undefined],
  ['1.0.0', 'a', '1.1.0', 'ab', undefined],
  ['1.0.0', 'a', '1.0.1', 'ab', 'needs version 1.1.0'],
  ['1.0.0', 'ab', '1.1.0', 'a', 'needs version 2.0.0'],
  ['1.0.0', 'ab', '2.0.0', 'a', undefined],
  ['1.0.0', 'ab', '2.0.0-rc.1', 'a', undefined],
  ['0.1.0', 'ab', '0.1.1', 'a', 'needs version 0.2.0'],
  ['0.1.0', 'ab', '0.2.0', 'a', undefined],
  ['1.0.0', 'a', '1.0.0+b', 'ab', 'needs version 1.1.0'],
])('a document of several tools at %s with %s, then at %s with %s: %s', (before, had, after, has, wanted) => {
  const problems = checkToolSetSuccessor(whole(before, ...had), whole(after, ...has))
  expect(problems.map(({ message }) => message)).toEqual(wanted === undefined ? [] : [expect.stringContaining(wanted)])
})

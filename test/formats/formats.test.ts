import { Ajv2020 } from 'ajv/dist/2020.js'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBudget } from '../../src/core/tool/budget.ts'
import type { EncodeResult } from '../../src/core/tool/codec.ts'
import { withBudget } from '../../src/core/publish/export.ts'
import type { JsonObject } from '../../src/core/tool/json.ts'
import { anthropic } from '../../src/formats/anthropic.ts'
import { gemini } from '../../src/formats/gemini.ts'
import { openai, openaiStrict } from '../../src/formats/openai.ts'
import { hasShared, readShared, unlessShared } from '../shared.ts'
import { parametersOf, pathsOf, recordOf } from './records.ts'

type Export = typeof openai
const EXPORTS: readonly [string, Export, (schema: unknown) => string[]][] = [
  ['openai', openai, checkRoot],
  ['openai-strict', openaiStrict, (schema) => [...checkRoot(schema), ...checkStrict(schema)]],
  ['anthropic', anthropic, checkRoot],
  ['gemini', gemini, (schema) => checkGemini(schema)],
]

const LEAF = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }

/** An export of one property, with its expected result and losses. */
type Rule = [Export, string, JsonObject, unknown, string[]]
const RULES: readonly Rule[] = [
  [openaiStrict, 'keeps what it supports', { type: 'string', pattern: '^a' }, { type: 'string', pattern: '^a' }, []],
  [
    openaiStrict,
    'drops lengths and defaults',
    { type: 'string', minLength: 1, default: 'x' },
    { type: 'string' },
    ['/minLength', '/default'],
  ],
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'].map((format): Rule => [
    openaiStrict,
    `keeps the format ${format}`,
    { type: 'string', format },
    { type: 'string', format },
    [],
  ]),
  [openaiStrict, 'drops formats it does not know', { type: 'string', format: 'uri' }, { type: 'string' }, ['/format']],
  [
    openaiStrict,
    'turns oneOf into anyOf',
    { oneOf: [{ type: 'string' }, { type: 'null' }] },
    { anyOf: [{ type: 'string' }, { type: 'null' }] },
    ['/oneOf'],
  ],
  [openaiStrict, 'merges allOf', { allOf: [LEAF] }, LEAF, ['/allOf']],
  [
    openaiStrict,
    'drops not, if and patterns of properties',
    { ...LEAF, not: {}, if: {}, patternProperties: {} },
    LEAF,
    ['/not', '/if', '/patternProperties'],
  ],
  [
    openaiStrict,
    'closes objects',
    { type: 'object', properties: {} },
    { type: 'object', properties: {}, required: [], additionalProperties: false },
    ['/additionalProperties'],
  ],
  [openaiStrict, 'gives a type to anything', {}, { type: ['string', 'number', 'boolean', 'null'] }, ['']],
  [
    openaiStrict,
    'makes optional properties nullable',
    { ...LEAF, required: [] },
    { ...LEAF, properties: { a: { type: ['string', 'null'] } } },
    ['/properties/a'],
  ],
  [
    gemini,
    'turns a list of types into nullable',
    { type: ['string', 'null'] },
    { type: 'string', nullable: true },
    ['/type'],
  ],
  [
    gemini,
    'turns several types into anyOf',
    { type: ['string', 'integer'] },
    { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ['/type'],
  ],
  [gemini, 'drops enums of numbers', { type: 'integer', enum: [1, 2] }, { type: 'integer' }, ['/enum']],
  [gemini, 'turns const into enum', { const: 'a' }, { type: 'string', enum: ['a'] }, ['/type', '/const']],
  [
    gemini,
    'drops additionalProperties',
    LEAF,
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    ['/additionalProperties'],
  ],
  [gemini, 'drops formats it does not know', { type: 'string', format: 'email' }, { type: 'string' }, ['/format']],
  [gemini, 'gives items to lists', { type: 'array' }, { type: 'array', items: { type: 'string' } }, ['/items']],
  [
    gemini,
    'turns exclusive bounds of integers around',
    { type: 'integer', exclusiveMinimum: 0 },
    { type: 'integer', minimum: 1 },
    ['/exclusiveMinimum'],
  ],
  [
    gemini,
    'turns exclusive bounds of integers around, whole ones and fractions',
    { type: 'integer', exclusiveMinimum: 0.5, exclusiveMaximum: 2.5 },
    { type: 'integer', minimum: 1, maximum: 2 },
    ['/exclusiveMinimum', '/exclusiveMaximum'],
  ],
  [
    gemini,
    'turns a negative exclusive bound of integers around',
    { type: 'integer', exclusiveMinimum: -1.5, exclusiveMaximum: 3 },
    { type: 'integer', minimum: -1, maximum: 2 },
    ['/exclusiveMinimum', '/exclusiveMaximum'],
  ],
  [
    gemini,
    'lets the bounds that are there count',
    { type: 'integer', minimum: 5, exclusiveMinimum: 0, exclusiveMaximum: 9, maximum: 7 },
    { type: 'integer', minimum: 5, maximum: 7 },
    ['/exclusiveMinimum', '/exclusiveMaximum'],
  ],
  [
    gemini,
    'drops exclusive bounds of numbers, and any that are none',
    {
      anyOf: [
        { type: 'number', exclusiveMinimum: 0 },
        { type: 'integer', exclusiveMaximum: true },
      ],
    },
    { anyOf: [{ type: 'number' }, { type: 'integer' }] },
    ['/anyOf/0/exclusiveMinimum', '/anyOf/1/exclusiveMaximum'],
  ],
  [
    gemini,
    'keeps what a type may say, and no more',
    {
      anyOf: [
        { type: 'string', minLength: 1, maxLength: 2, pattern: 'a', format: 'date-time', title: 't', default: '' },
        { type: 'number', minimum: 1, maximum: 2, format: 'double', minLength: 1 },
        { type: 'integer', format: 'int32', multipleOf: 2 },
        { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2, uniqueItems: true },
        { type: 'object', properties: {}, minProperties: 1, maxProperties: 2, propertyNames: {} },
        { type: 'boolean', format: 'x', description: 'd', title: 5 },
      ],
    },
    {
      anyOf: [
        { type: 'string', minLength: 1, maxLength: 2, pattern: 'a', format: 'date-time', title: 't', default: '' },
        { type: 'number', minimum: 1, maximum: 2, format: 'double' },
        { type: 'integer', format: 'int32' },
        { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
        { type: 'object', minProperties: 1, maxProperties: 2 },
        { type: 'boolean', description: 'd' },
      ],
    },
    [
      '/anyOf/1/minLength',
      '/anyOf/2/multipleOf',
      '/anyOf/3/uniqueItems',
      '/anyOf/4/propertyNames',
      '/anyOf/5/format',
      '/anyOf/5/title',
    ],
  ],
  [
    gemini,
    'turns null alone into a nullable string',
    { type: 'null', title: 't', minimum: 1 },
    { type: 'string', nullable: true, title: 't' },
    ['/type', '/minimum'],
  ],
  [
    gemini,
    'keeps of an enum the texts, once each',
    { type: 'string', enum: ['a', '', 1, 'a', 'b'] },
    { type: 'string', enum: ['a', 'b'] },
    ['/enum'],
  ],
  [
    gemini,
    'leaves anyOf alone',
    { anyOf: [{ type: 'string' }, { type: 'integer' }], description: 'x' },
    {
      anyOf: [
        { description: 'x', type: 'string' },
        { description: 'x', type: 'integer' },
      ],
    },
    ['/description'],
  ],
  [
    gemini,
    'drops required names without a property',
    { type: 'object', required: ['x'] },
    { type: 'object' },
    ['/required'],
  ],
  [openai, 'gives items to lists', { type: 'array' }, { type: 'array', items: {} }, ['/items']],
  [
    anthropic,
    'writes tuples as 2020-12 does',
    { type: 'array', items: [{ type: 'string' }] },
    { type: 'array', prefixItems: [{ type: 'string' }], items: {} },
    ['/items'],
  ],
]

it.each(RULES)('each rule %o %s', (encode, _, property, wanted, losses) => {
  const encoded = encode(
    recordOf({ type: 'object', properties: { p: property }, required: ['p'], additionalProperties: false }),
    'x',
    createBudget(),
  )
  expect(parametersOf(encoded.document).properties).toEqual({ p: wanted })
  const about = pathsOf(encoded).filter((path) => path !== '/input/additionalProperties')
  expect(about).toEqual(losses.map((path) => `/input/properties/p${path}`))
})

const record = recordOf({
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
})

it('a declaration has the form of its provider', () => {
  const schema = record.input
  const openaiForm = { name: 'n', description: 'Does it', parameters: schema }
  expect(openai(record, 'n', createBudget())).toEqual({
    document: { type: 'function', function: openaiForm },
    losses: [],
  })
  expect(openaiStrict(record, 'n', createBudget())).toEqual({
    document: { type: 'function', function: { ...openaiForm, strict: true } },
    losses: [],
  })
  expect(anthropic(record, 'n', createBudget()).document).toEqual({
    name: 'n',
    description: 'Does it',
    input_schema: schema,
  })
  const { additionalProperties: _, ...open } = schema
  expect(gemini(record, 'n', createBudget()).document).toEqual({ name: 'n', description: 'Does it', parameters: open })
})

it('a declaration declares no parameters to Gemini when there are none', () => {
  expect(gemini(recordOf({ type: 'object' }), 'n', createBudget()).document).toEqual({
    name: 'n',
    description: 'Does it',
  })
})

it('a declaration reports what no declaration can express', () => {
  const full = recordOf(record.input, {
    title: 'T',
    annotations: {},
    output: null,
    securityLevel: 4,
    requirements: { authorization: [], secrets: [{ id: 'S' }], user_id: false },
  })
  for (const [, encode] of EXPORTS) {
    expect(pathsOf(encode(full, 'n', createBudget()))).toEqual(
      expect.arrayContaining(['/title', '/annotations', '/output', '/requirements', '/securityLevel']),
    )
  }
})

it('a declaration has a name that its provider accepts', () => {
  expect(gemini(record, '1st', createBudget()).document).toMatchObject({ name: '_1st' })
  expect(pathsOf(gemini(record, '1st', createBudget()))).toContain('/name')
  expect(openai(record, 'a.b', createBudget()).document).toMatchObject({ function: { name: 'a_b' } })
})

it('a declaration makes the alternatives of a root optional properties', () => {
  const root = recordOf({ type: 'object', anyOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }] })
  const encoded = openai(root, 'n', createBudget())
  expect(parametersOf(encoded.document)).toEqual({ type: 'object', properties: { a: { type: 'string' } } })
  expect(pathsOf(encoded)).toEqual(['/input/anyOf'])
})

it('a declaration keeps a recursive definition, or reports what becomes of it', () => {
  const tree = recordOf({
    type: 'object',
    properties: { root: { $ref: '#/$defs/node' } },
    required: ['root'],
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
  })
  expect(parametersOf(openaiStrict(tree, 'n', createBudget()).document)).toMatchObject({
    properties: { root: { $ref: '#/$defs/node' } },
    $defs: { node: { properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } } } },
  })
  const inlined = gemini(tree, 'n', createBudget())
  expect(parametersOf(inlined.document)).toMatchObject({ properties: { root: { properties: { next: {} } } } })
  expect(pathsOf(inlined)).toContain('/input/properties/root/properties/next')
})

it('a declaration drops properties whose names Anthropic refuses', () => {
  const odd = recordOf({ type: 'object', properties: { 'a b': {}, 'c': {} }, required: ['a b', 'c'] })
  const encoded = anthropic(odd, 'n', createBudget())
  expect(encoded.document).toMatchObject({ input_schema: { properties: { c: {} }, required: ['c'] } })
  expect(pathsOf(encoded)).toContain('/input/properties/a b')
})

const scalar = fc.constantFrom<JsonObject>(
  { type: 'string', minLength: 1, pattern: '^a', format: 'email' },
  { type: ['integer', 'null'], exclusiveMinimum: 0, enum: [1, null] },
  { type: 'number', default: 1, examples: [1] },
  { const: 'x' },
  { enum: ['', 'a', 1, null, {}] },
  { $ref: '#/$defs/d', description: 'd' },
  { $ref: '#' },
  { $ref: '#/nowhere' },
  { not: { type: 'string' } },
  {},
)
const schemas = fc.letrec<{ schema: JsonObject | boolean; object: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.boolean(),
    tie('object'),
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) }, { requiredKeys: ['type'] }),
    fc.record({
      type: fc.constant('array'),
      items: fc.array(tie('schema'), { maxLength: 2 }),
      additionalItems: tie('schema'),
    }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }), description: fc.string() }),
    fc.record({ oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }), type: fc.constant('object') }),
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
  ),
  object: fc.record(
    {
      type: fc.constantFrom('object', ['object', 'null']),
      properties: fc.dictionary(fc.constantFrom('a', 'b', 'a b', '~/', '__proto__'), tie('schema'), { maxKeys: 3 }),
      required: fc.uniqueArray(fc.constantFrom('a', 'b', 'z')),
      additionalProperties: tie('schema'),
      patternProperties: fc.dictionary(fc.constant('^x'), tie('schema')),
      dependentRequired: fc.constant({ a: ['b'] }),
    },
    { requiredKeys: ['type'] },
  ),
}))
const inputs = fc
  .tuple(schemas.object, schemas.schema, fc.constantFrom('anyOf', 'oneOf', 'allOf', 'title'))
  .map(([root, d, keyword]): JsonObject => ({ ...root, $defs: { d }, [keyword]: keyword === 'title' ? 't' : [d] }))

describe.each(EXPORTS)('%s, of any schema', (form, encode, check) => {
  /** Exports an input. Inputs that take too much work to write are refused, and skipped here. */
  function written(input: JsonObject): EncodeResult {
    const within = withBudget(form, encode)(recordOf(input), 'n')
    fc.pre(within.ok)
    return within.ok ? within.value : { document: {}, losses: [] }
  }

  it(`${form}, of any schema follows the rules of its provider, never throws, and is deterministic`, () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const encoded = written(input)
        const parameters = parametersOf(encoded.document)
        expect(check(parameters)).toEqual([])
        expect(encode(recordOf(input), 'n', createBudget())).toEqual(encoded)
      }),
      { numRuns: 150 },
    )
  })

  it(`${form}, of any schema loses nothing silently: every keyword is kept, or its location or a parent is reported`, () => {
    fc.assert(
      fc.property(inputs, (input) => {
        expect(silent(input, written(input))).toEqual([])
      }),
      { numRuns: 150 },
    )
  })

  it.skipIf(!hasShared('catalogues/oxp-definitions.json'))(
    `${form}, of any schema encodes a catalog of tools${unlessShared('catalogues/oxp-definitions.json')}`,
    () => {
      const { items } = JSON.parse(readShared('catalogues/oxp-definitions.json'))
      expect(items.length).toBeGreaterThan(0)
      const ajv = new Ajv2020({ strict: false, validateFormats: false })
      for (const { input_schema, name } of items) {
        const parameters = parametersOf(encode(recordOf(input_schema), name, createBudget()).document)
        expect(check(parameters)).toEqual([])
        expect(ajv.validateSchema(parameters)).toBe(true)
      }
    },
  )
})

/** Keywords of the properties of an input that are neither kept in place nor told of, at their place or around it. */
function silent(input: JsonObject, encoded: EncodeResult): string[] {
  const paths = pathsOf(encoded)
  const told = (path: string) =>
    paths.some((each) => path === each || path.startsWith(`${each}/`) || each.startsWith(path))
  const missing: string[] = []
  const look = (schema: unknown, made: unknown, path: string) => {
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === '$defs') continue
      const at = `${path}/${keyword}`
      const kept = Object.entries(made ?? {}).find(([key]) => key === keyword)?.[1]
      if (keyword === 'properties') {
        for (const [name, each] of Object.entries(value as object)) {
          const place = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
          const below = Object.entries(kept ?? {}).find(([key]) => key === name)?.[1]
          if (!told(place)) look(each, below, place)
        }
      } else if (canonicalize(kept) !== canonicalize(value) && !told(at) && !told(path)) missing.push(at)
    }
  }
  look(input, parametersOf(encoded.document), '/input')
  return missing.filter((path) => path !== '/input/required' || input.required === undefined)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The rules of OpenAI and Anthropic for the root of a function's parameters. */
function checkRoot(schema: unknown): string[] {
  if (!isRecord(schema)) return ['is no object']
  const refused = ['anyOf', 'oneOf', 'allOf', 'not', 'enum'].filter((keyword) => keyword in schema)
  return [
    ...(schema.type === 'object' ? [] : ['is not of type object']),
    ...(isRecord(schema.properties) ? [] : ['has no properties']),
    ...refused.map((keyword) => `has '${keyword}' at its root`),
  ]
}

/** OpenAI, "Structured Outputs", supported schemas. */
function checkStrict(schema: unknown, path = ''): string[] {
  if (!isRecord(schema)) return [`${path} is no object`]
  const known = (
    'type properties required additionalProperties items enum const anyOf $ref $defs title ' +
    'description pattern format multipleOf minimum maximum exclusiveMinimum ' +
    'exclusiveMaximum minItems maxItems'
  ).split(' ')
  const wrong = Object.keys(schema)
    .filter((key) => !known.includes(key))
    .map((key) => `${path}/${key} is not supported`)
  if ('$ref' in schema) return Object.keys(schema).length === 1 ? wrong : [...wrong, `${path} has more than its $ref`]
  if (!('type' in schema) && !('anyOf' in schema)) wrong.push(`${path} has no type`)
  if (schema.type === 'object') {
    const names = Object.keys(isRecord(schema.properties) ? schema.properties : {})
    if (schema.additionalProperties !== false) wrong.push(`${path} is open`)
    if (JSON.stringify(schema.required) !== JSON.stringify(names)) wrong.push(`${path} has optional properties`)
  }
  if (schema.type === 'array') wrong.push(...checkStrict(schema.items, `${path}/items`))
  for (const map of ['properties', '$defs']) {
    for (const [name, each] of Object.entries(schema[map] ?? {}))
      wrong.push(...checkStrict(each, `${path}/${map}/${name}`))
  }
  if (Array.isArray(schema.anyOf)) wrong.push(...schema.anyOf.flatMap((each) => checkStrict(each, `${path}/anyOf`)))
  if (path.split(/properties|items/).length > 11) wrong.push(`${path} is too deep`)
  return wrong
}

/** Gemini API, Schema; and what its server refuses beside (unions with siblings, lists without items, stray names). */
function checkGemini(schema: unknown, path = ''): string[] {
  if (!isRecord(schema)) return [`${path} is no object`]
  const known = (
    'type format title description nullable enum maxItems minItems properties required ' +
    'minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering ' +
    'default items minimum maximum'
  ).split(' ')
  const wrong = Object.keys(schema)
    .filter((key) => !known.includes(key))
    .map((key) => `${path}/${key} is not known`)
  if ('type' in schema && typeof schema.type !== 'string') wrong.push(`${path}/type is no text`)
  if ('anyOf' in schema && Object.keys(schema).length > 1) wrong.push(`${path}/anyOf does not stand alone`)
  if ('enum' in schema && schema.type !== 'string') wrong.push(`${path}/enum is not of strings`)
  if (schema.type === 'array' && !isRecord(schema.items)) wrong.push(`${path}/items is missing`)
  if (schema.type !== 'array' && 'items' in schema) wrong.push(`${path}/items of no array`)
  if (schema.type !== 'object' && ('properties' in schema || 'required' in schema)) wrong.push(`${path} is no object`)
  const properties = isRecord(schema.properties) ? schema.properties : {}
  if ('properties' in schema && Object.keys(properties).length === 0) wrong.push(`${path}/properties is empty`)
  for (const name of Array.isArray(schema.required) ? schema.required : []) {
    if (!Object.hasOwn(properties, name)) wrong.push(`${path}/required names '${name}'`)
  }
  for (const [name, each] of Object.entries(properties)) wrong.push(...checkGemini(each, `${path}/properties/${name}`))
  if ('items' in schema) wrong.push(...checkGemini(schema.items, `${path}/items`))
  if (Array.isArray(schema.anyOf)) wrong.push(...schema.anyOf.flatMap((each) => checkGemini(each, `${path}/anyOf`)))
  return wrong
}

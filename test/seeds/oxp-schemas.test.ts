import { afterAll, beforeAll, expect } from 'vitest'
import { type RunningServer, startApp } from '../e2e/server.ts'
import { answered, code, definition, ECHO, failing, giving, got, invalid, refusal, registry } from './oxp-registry.ts'
import { refusedPlaces, WITH_REFUSED_PATTERNS } from './refused-patterns.ts'
import { openDocument } from './source-document.ts'
import { withoutNeighbours } from '../e2e/without-neighbours.ts'

/** OXP 1.0, "Tool Definition": the schemas of input and output. `oxp` and `oxp-requirements` have the other chapters. */
const { works, deviates, aside, whole } = openDocument('oxp-1.0-tool-definition.txt', 'oxp')

let server: RunningServer
beforeAll(async () => {
  server = withoutNeighbours(await startApp())
})
afterAll(() => server?.stop())
const { ask, publish, publishTool, refused, read, listed, call } = registry(() => server)

aside(
  'Specification (1.0) … x, y, and z are integers.',
  'Input Schema',
  'Output Schema',
  'Requirements • requirements (optional): … "id": "TWILIO_API_KEY"',
)

const INPUT = 'input_schema (required): Describes the input parameters for the tool.'

works(INPUT, 'without one', async () => {
  const document = definition('Input.None@1.0.0', { input_schema: undefined })
  expect(await refused(document)).toEqual({ '/input_schema': 'Is required' })
})

const AB = {
  parameters: {
    type: 'object',
    properties: {
      a: { type: 'number', description: 'The first.' },
      b: { type: 'number', description: 'The second.' },
    },
    required: ['a'],
  },
}

works(INPUT, 'a call whose input fits runs with it', async () => {
  await publish(definition('Input.Fits@1.0.0', { input_schema: AB }), ECHO)
  expect(await call('Input.Fits', { a: 1, b: 2.5 })).toEqual(answered({ a: 1, b: 2.5 }))
  expect(await call('Input.Fits', { a: 1 })).toEqual(answered({ a: 1 }))
})

works(INPUT, 'one whose input does not is told every parameter that is wrong, and does not run', async () => {
  await publish(definition('Input.Misfits@1.0.0', { input_schema: AB }), code('export default () => { throw 1 }'))
  for (const b of ['two', [], {}, true]) {
    expect(await call('Input.Misfits', { b })).toEqual(invalid({ a: 'Is required', b: 'Must be a number' }))
  }
})

works(INPUT, 'null for a parameter that may be left out counts as left out', async () => {
  await publish(definition('Input.Null@1.0.0', { input_schema: AB }), ECHO)
  expect(await call('Input.Null', { a: 1, b: null })).toEqual(answered({ a: 1 }))
  expect(await call('Input.Null', { a: null })).toEqual(invalid({ a: 'Must be a number' }))
})

works(INPUT, 'an input that is left out is one without parameters', async () => {
  await publish(definition('Input.Absent@1.0.0'), ECHO)
  expect(await call('Input.Absent')).toEqual(answered({}))
  await publish(definition('Input.AbsentOne@1.0.0', { input_schema: AB }), ECHO)
  expect(await call('Input.AbsentOne')).toEqual(invalid({ a: 'Is required' }))
})

works(INPUT, 'an input is an object', async () => {
  await publish(definition('Input.Object@1.0.0'), ECHO)
  for (const input of [[], 'a', 1, true]) {
    const message = `Cannot read the body at 'request.input': Must be an object, got ${got(input)}`
    expect(await call('Input.Object', input)).toEqual(refusal(400, { message }))
  }
})

const PROPERTIES = 'An object with the following properties:'

works(PROPERTIES, 'anything but an object', async () => {
  for (const input_schema of [null, true, 'parameters', 1, [{ parameters: {} }]]) {
    expect(await refused(definition('Input.Other@1.0.0', { input_schema }))).toEqual({
      '/input_schema': `Must be an object: {'parameters': <JSON Schema>}, got ${got(input_schema)}`,
    })
  }
})

const PARAMETERS = 'parameters (required): A JSON Schema object that describes the input parameters for the tool.'

works(PARAMETERS, 'are listed and read as they were published', async () => {
  const document = definition('ParametersKept.T@1.0.0', { input_schema: AB })
  await publish(document)
  expect(await listed('ParametersKept')).toEqual([document])
  expect(await read(document.id)).toEqual(document)
})

works(PARAMETERS, 'anything but an object', async () => {
  for (const parameters of [null, true, 'object', 1, []]) {
    expect(await refused(definition('Parameters.Other@1.0.0', { input_schema: { parameters } }))).toEqual({
      '/input_schema/parameters': `Must be a JSON Schema object, got ${got(parameters)}`,
    })
  }
})

works(PARAMETERS, 'are of an object, which they may leave unsaid', async () => {
  const { type: _, ...unsaid } = AB.parameters
  await publish(definition('Parameters.Unsaid@1.0.0', { input_schema: { parameters: unsaid } }), ECHO)
  expect(await call('Parameters.Unsaid', { a: 'one' })).toEqual(invalid({ a: 'Must be a number' }))
  for (const type of ['array', 'string', ['object', 'null']]) {
    expect(await refused(definition('Parameters.Typed@1.0.0', { input_schema: { parameters: { type } } }))).toEqual({
      '/input_schema/parameters/type': "Must be 'object': a tool's parameters have names",
    })
  }
})

const STANDARD = 'This schema supports standard JSON Schema validation,'

/** Publishes a tool with one parameter. Returns a function that tries a value: 'taken' if accepted, else the errors. */
async function publishParameter(name: string, schema: object) {
  const input_schema = { parameters: { type: 'object', properties: { p: { description: 'It.', ...schema } } } }
  await publish(definition(`Standard.${name}@1.0.0`, { input_schema }), giving('taken'))
  return async (p: unknown) => {
    const { status, body } = await call(`Standard.${name}`, { p })
    return status === 200 ? body.result.value : body.parameter_errors
  }
}
/** Why a value of the parameter is refused. */
const because = (p: string) => ({ p })

works(STANDARD, 'type', async () => {
  const given = {
    string: '1',
    integer: 1.0,
    number: 1.5,
    boolean: false,
    array: [1],
    object: { a: 1 },
  }
  for (const [type, value] of Object.entries(given)) {
    const tried = await publishParameter(`Type_${type}`, { type })
    expect(await tried(value)).toBe('taken')
    const other = type === 'boolean' ? 'false' : true
    expect(await tried(other)).toEqual(because(`Must be ${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`))
  }
})

works(STANDARD, 'type, of several', async () => {
  const tried = await publishParameter('Types', { type: ['string', 'null'] })
  for (const value of ['a', null]) expect(await tried(value)).toBe('taken')
  expect(await tried(1)).toEqual(because('Must be a string or null'))
})

works(STANDARD, 'enum and const', async () => {
  const chosen = await publishParameter('Enum', { enum: ['a', 1, null] })
  for (const value of ['a', 1, null]) expect(await chosen(value)).toBe('taken')
  expect(await chosen('b')).toEqual(because("Must be one of 'a', 1, null"))
  const fixed = await publishParameter('Const', { const: { a: [1] } })
  expect(await fixed({ a: [1] })).toBe('taken')
  expect(await fixed({ a: [2] })).toEqual(because('Must be {"a":[1]}'))
})

works(STANDARD, 'minimum and maximum', async () => {
  const tried = await publishParameter('Bounds', { type: 'number', minimum: 1, maximum: 10 })
  for (const value of [1, 10]) expect(await tried(value)).toBe('taken')
  expect(await tried(0.99)).toEqual(because('Must be at least 1'))
  expect(await tried(10.01)).toEqual(because('Must be at most 10'))
})

works(STANDARD, 'exclusiveMinimum, exclusiveMaximum and multipleOf', async () => {
  const tried = await publishParameter('OpenBounds', { exclusiveMinimum: 0, exclusiveMaximum: 10, multipleOf: 0.5 })
  for (const value of [0.5, 9.5]) expect(await tried(value)).toBe('taken')
  expect(await tried(0)).toEqual(because('Must be more than 0'))
  expect(await tried(10)).toEqual(because('Must be less than 10'))
  expect(await tried(0.7)).toEqual(because('Must be a multiple of 0.5'))
})

works(STANDARD, 'minLength and maxLength, in characters', async () => {
  const tried = await publishParameter('Length', { type: 'string', minLength: 1, maxLength: 2 })
  for (const value of ['a', '👋👋']) expect(await tried(value)).toBe('taken')
  expect(await tried('')).toEqual(because('Must be at least 1 character long'))
  expect(await tried('abc')).toEqual(because('Must be at most 2 characters long'))
})

works(STANDARD, 'pattern', async () => {
  const tried = await publishParameter('Pattern', { type: 'string', pattern: '^[A-Z]{2}\\d+$' })
  expect(await tried('AB1')).toBe('taken')
  expect(await tried('ab1')).toEqual(because('Must match the pattern ^[A-Z]{2}\\d+$'))
})

const STANDARD_ROW = '"standard JSON Schema"'

deviates(STANDARD, 'patterns that cannot be judged in linear time', STANDARD_ROW, async () => {
  const problems = await refused(
    definition('Patterns.T@1.0.0', { input_schema: { parameters: WITH_REFUSED_PATTERNS } }),
  )
  expect(Object.keys(problems).toSorted()).toEqual(refusedPlaces('/input_schema/parameters'))
  const tried = await publishParameter('PatternLong', { type: 'string', pattern: '^(?:a{2}){500}$' })
  expect(await tried('aaa')).toEqual(because('Must match the pattern ^(?:a{2}){500}$'))
})

deviates(STANDARD, 'a type that is a list', STANDARD_ROW, async () => {
  await publish(definition('TypeList.T@1.0.0', { input_schema: { parameters: { type: ['object'] } } }))
  for (const type of [['object', 'null'], ['string'], []]) {
    const problems = await refused(definition('TypeList.No@1.0.0', { input_schema: { parameters: { type } } }))
    expect(Object.keys(problems)).toEqual(['/input_schema/parameters/type'])
  }
})

works(STANDARD, 'items, prefixItems and contains', async () => {
  const all = await publishParameter('Items', { type: 'array', items: { type: 'integer' } })
  expect(await all([1, 2])).toBe('taken')
  expect(await all([1, 'b'])).toEqual(because("At '1': Must be an integer"))
  const first = await publishParameter('PrefixItems', { prefixItems: [{ type: 'string' }], items: false })
  expect(await first(['a'])).toBe('taken')
  expect(await first(['a', 'b'])).toEqual(because('Has more items than allowed'))
  const some = await publishParameter('Contains', { contains: { const: 1 }, minContains: 2 })
  expect(await some([1, 2, 1])).toBe('taken')
  expect(await some([1, 2])).toEqual(because('Must have the right number of items of the required form'))
})

works(STANDARD, 'minItems, maxItems and uniqueItems', async () => {
  const tried = await publishParameter('Count', { type: 'array', minItems: 1, maxItems: 2, uniqueItems: true })
  expect(await tried([1, 2])).toBe('taken')
  expect(await tried([])).toEqual(because('Must have at least 1 item'))
  expect(await tried([1, 2, 3])).toEqual(because('Must have at most 2 items'))
  expect(await tried([{ a: 1 }, { a: 1 }])).toEqual(because('Must not have the same item twice'))
})

works(STANDARD, 'properties and required of objects in objects', async () => {
  const schema = { type: 'object', properties: { at: { properties: { x: { type: 'number' } }, required: ['x'] } } }
  const tried = await publishParameter('Nested', schema)
  expect(await tried({ at: { x: 1 } })).toBe('taken')
  expect(await tried({ at: {} })).toEqual(because("At 'at.x': Is required"))
  expect(await tried({ at: { x: '1' } })).toEqual(because("At 'at.x': Must be a number"))
})

works(STANDARD, 'additionalProperties and patternProperties', async () => {
  const schema = {
    properties: { a: {} },
    patternProperties: { '^x-': { type: 'string' } },
    additionalProperties: false,
  }
  const tried = await publishParameter('Additional', schema)
  expect(await tried({ 'a': 1, 'x-b': 'c' })).toBe('taken')
  expect(await tried({ 'x-b': 1 })).toEqual(because("At 'x-b': Must be a string"))
  expect(await tried({ b: 1 })).toEqual(because("At 'b': Is not a known parameter"))
})

works(STANDARD, 'additionalProperties of the parameters themselves', async () => {
  const input_schema = { parameters: { type: 'object', properties: {}, additionalProperties: false } }
  await publish(definition('Standard.Closed@1.0.0', { input_schema }), ECHO)
  expect(await call('Standard.Closed', { q: 1 })).toEqual(invalid({ q: 'Is not a known parameter' }))
  await publish(definition('Standard.Open@1.0.0'), ECHO)
  expect(await call('Standard.Open', { q: 1 })).toEqual(answered({ q: 1 }))
})

works(STANDARD, 'minProperties, maxProperties and propertyNames', async () => {
  const tried = await publishParameter('Names', { minProperties: 1, maxProperties: 2, propertyNames: { maxLength: 3 } })
  expect(await tried({ abc: 1 })).toBe('taken')
  expect(await tried({})).toEqual(because('Must have at least 1 property'))
  expect(await tried({ a: 1, b: 2, c: 3 })).toEqual(because('Must have at most 2 properties'))
  expect(await tried({ abcd: 1 })).toEqual(because("At 'abcd': Has a name that is not allowed"))
})

works(STANDARD, 'dependentRequired and dependentSchemas', async () => {
  const needs = await publishParameter('DependentRequired', { dependentRequired: { card: ['address'] } })
  expect(await needs({ address: 'a' })).toBe('taken')
  expect(await needs({ card: 1 })).toEqual(because("At 'address': Is required"))
  const means = await publishParameter('DependentSchemas', { dependentSchemas: { card: { minProperties: 2 } } })
  expect(await means({ address: 'a' })).toBe('taken')
  expect(await means({ card: 1 })).toEqual(because('Must have at least 2 properties'))
})

works(STANDARD, 'allOf and anyOf', async () => {
  const both = await publishParameter('AllOf', { allOf: [{ minimum: 1 }, { maximum: 2 }] })
  expect(await both(1.5)).toBe('taken')
  expect(await both(3)).toEqual(because('Must be at most 2'))
  const either = await publishParameter('AnyOf', { anyOf: [{ type: 'string' }, { type: 'number', minimum: 5 }] })
  for (const value of ['a', 5]) expect(await either(value)).toBe('taken')
  expect(await either(true)).toEqual(because('Must match one of the allowed forms'))
})

works(STANDARD, 'oneOf and not', async () => {
  const one = await publishParameter('OneOf', { oneOf: [{ multipleOf: 3 }, { multipleOf: 5 }] })
  for (const value of [3, 5]) expect(await one(value)).toBe('taken')
  expect(await one(15)).toEqual(because('Must match exactly one of the allowed forms'))
  const other = await publishParameter('Not', { not: { type: 'string' } })
  expect(await other(1)).toBe('taken')
  expect(await other('a')).toEqual(because('Must not have the forbidden form'))
})

works(STANDARD, 'if, then and else', async () => {
  // oxlint-disable-next-line unicorn/no-thenable
  const tried = await publishParameter('If', { if: { type: 'string' }, then: { minLength: 2 }, else: { minimum: 2 } })
  for (const value of ['ab', 2]) expect(await tried(value)).toBe('taken')
  expect(await tried('a')).toEqual(because('Must be at least 2 characters long'))
  expect(await tried(1)).toEqual(because('Must be at least 2'))
})

works(STANDARD, 'every problem of every parameter at once', async () => {
  const input_schema = {
    parameters: {
      properties: {
        a: { type: 'string', minLength: 3, pattern: '^x', description: 'A.' },
        b: { type: 'integer', description: 'B.' },
        c: { description: 'C.' },
      },
      required: ['c'],
    },
  }
  await publish(definition('Standard.All@1.0.0', { input_schema }), ECHO)
  expect(await call('Standard.All', { a: 'ab', b: 'c' })).toEqual(
    invalid({
      a: 'Must be at least 3 characters long; Must match the pattern ^x',
      b: 'Must be an integer',
      c: 'Is required',
    }),
  )
})

works(STANDARD, 'what only describes keeps nothing out', async () => {
  const schema = { title: 'T', default: 1, examples: [2], deprecated: true, $comment: 'c', format: 'color' }
  const tried = await publishParameter('Annotations', schema)
  for (const value of [1, 'red', null]) expect(await tried(value)).toBe('taken')
})

/** The problem of a type that JSON Schema has not. */
const NO_TYPE =
  "Must be a type or an array of different types, out of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'"

works(STANDARD, 'what is no JSON Schema is refused, wherever it stands', async () => {
  const parameters = {
    type: 'object',
    properties: { a: { type: 'array', items: { minimum: '1' } }, b: { type: 'text' }, c: { pattern: '(' } },
    required: 'a',
  }
  expect(await refused(definition('Standard.None@1.0.0', { input_schema: { parameters } }))).toEqual({
    '/input_schema/parameters/properties/a/items/minimum': 'Must be a number',
    '/input_schema/parameters/properties/b/type': NO_TYPE,
    '/input_schema/parameters/properties/c/pattern':
      'Must be a regular expression of ECMAScript, valid with the flag "u"',
    '/input_schema/parameters/required': 'Must be an array of different strings',
  })
})

const EXCLUDES = 'but excludes $ref and nested definitions/schemas for simplicity.'

/** The problem of a keyword that refers, or is there to be referred to. */
const alone = (keyword: string) => `Must not be used here: schemas of this format stand alone, without '${keyword}'`

works(EXCLUDES, 'a $ref', async () => {
  const parameters = { type: 'object', properties: { a: { $ref: '#/properties/b', description: 'A.' }, b: {} } }
  expect(await refused(definition('Excludes.Ref@1.0.0', { input_schema: { parameters } }))).toEqual({
    '/input_schema/parameters/properties/a/$ref': alone('$ref'),
  })
})

works(EXCLUDES, '$defs and definitions', async () => {
  const parameters = { type: 'object', $defs: { a: {} }, definitions: { b: {} } }
  expect(await refused(definition('Excludes.Defs@1.0.0', { input_schema: { parameters } }))).toEqual({
    '/input_schema/parameters/$defs': alone('$defs'),
    '/input_schema/parameters/definitions': alone('definitions'),
  })
})

works(EXCLUDES, 'far within', async () => {
  const within = { type: 'array', items: { anyOf: [{ type: 'string' }, { $dynamicRef: '#a', $defs: {} }] } }
  const parameters = { type: 'object', properties: { a: { description: 'A.', ...within } } }
  expect(await refused(definition('Excludes.Within@1.0.0', { input_schema: { parameters } }))).toEqual({
    '/input_schema/parameters/properties/a/items/anyOf/1/$dynamicRef': alone('$dynamicRef'),
    '/input_schema/parameters/properties/a/items/anyOf/1/$defs': alone('$defs'),
  })
})

works(EXCLUDES, 'parameters may have such names, and values too', async () => {
  const properties = { $ref: { description: 'R.', const: { $ref: '#' } }, definitions: { description: 'D.' } }
  const document = definition('Excludes.Named@1.0.0', { input_schema: { parameters: { type: 'object', properties } } })
  await publish(document, ECHO)
  expect(await call(document.id, { $ref: { $ref: '#' } })).toEqual(answered({ $ref: { $ref: '#' } }))
})

deviates(EXCLUDES, 'those of another dialect are written out', '"excludes $ref and nested definitions"', async () => {
  const inputSchema = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/text' }, again: { $ref: '#' } },
    $defs: { text: { type: 'string' } },
  }
  await publishTool('ExcludesOther', '1.0.0', { name: 'T', inputSchema })
  const { body } = await ask('GET', '/tools?toolkit=ExcludesOther&losses=1')
  expect(body.items[0].input_schema).toEqual({
    parameters: { type: 'object', properties: { a: { type: 'string' }, again: {} } },
  })
  expect(body.losses).toContainEqual({
    id: 'ExcludesOther.T@1.0.0',
    path: '/input/properties/again/$ref',
    reason: 'OXP 1.0 has no references, and this one leads back to itself: anything is taken there',
  })
})

const PRESENT = 'The parameters field MUST be present,'
const MAY_BE_MISSING = '"The parameters field MUST be present"'

deviates(PRESENT, 'an input schema without them is taken as theirs', MAY_BE_MISSING, async () => {
  await publish(definition('PresentFlat.T@1.0.0', { input_schema: AB.parameters }), ECHO)
  expect((await listed('PresentFlat'))[0].input_schema).toEqual(AB)
  expect(await call('PresentFlat.T', { b: 1 })).toEqual(invalid({ a: 'Is required' }))
})

deviates(PRESENT, 'an empty one says nothing', MAY_BE_MISSING, async () => {
  await publish(definition('PresentNone.T@1.0.0', { input_schema: {} }), ECHO)
  expect((await listed('PresentNone'))[0].input_schema).toEqual({ parameters: {} })
  expect(await call('PresentNone.T', { a: 1 })).toEqual(answered({ a: 1 }))
})

works(PRESENT, 'every definition that is listed has them, whatever dialect it came from', async () => {
  await publishTool('PresentOther', '1.0.0', { name: 'T', inputSchema: { type: 'object', required: ['a'] } })
  const { body } = await ask('GET', '/tools?limit=1000')
  const schemas = body.items.map(({ input_schema }: { input_schema: object }) => Object.keys(input_schema))
  expect(schemas.length).toBeGreaterThan(20)
  expect(new Set(schemas.flat())).toEqual(new Set(['parameters']))
})

const MAY_BE_EMPTY = 'and MAY be an empty object.'

works(MAY_BE_EMPTY, 'it is kept', async () => {
  const document = definition('EmptyKept.T@1.0.0', { input_schema: { parameters: {} } })
  await publish(document)
  expect(await read(document.id)).toEqual(document)
  expect(await listed('EmptyKept')).toEqual([document])
})

works(MAY_BE_EMPTY, 'its tool is called with an input and without', async () => {
  await publish(definition('Empty.Called@1.0.0', { input_schema: { parameters: {} } }), ECHO)
  expect(await call('Empty.Called')).toEqual(answered({}))
  expect(await call('Empty.Called', { a: 1 })).toEqual(answered({ a: 1 }))
})

const EACH = 'Each parameter in parameters MUST be a valid JSON Schema object'

/** A definition of one parameter. */
const withParameter = (id: string, p: unknown) =>
  definition(id, { input_schema: { parameters: { type: 'object', properties: { p } } } })

works(EACH, 'true and false are schemas, and no objects', async () => {
  for (const p of [true, false]) {
    expect(await refused(withParameter('Each.Boolean@1.0.0', p))).toEqual({
      '/input_schema/parameters/properties/p': `Must be a JSON Schema object, got ${p}`,
    })
  }
})

works(EACH, 'what is no schema at all', async () => {
  for (const p of ['string', 1, null, []]) {
    expect(await refused(withParameter('Each.Other@1.0.0', p))).toEqual({
      '/input_schema/parameters/properties/p': 'Must be a schema: an object, true or false',
    })
  }
})

works(EACH, 'an object that is no valid schema', async () => {
  expect(await refused(withParameter('Each.Invalid@1.0.0', { type: 'numeric', minLength: -1, enum: 'a' }))).toEqual({
    '/input_schema/parameters/properties/p/type': NO_TYPE,
    '/input_schema/parameters/properties/p/minLength': 'Must be a whole number, 0 or more',
    '/input_schema/parameters/properties/p/enum': 'Must be an array',
  })
})

works(EACH, 'in a definition of another dialect, true is written as an object', async () => {
  await publishTool('EachOther', '1.0.0', {
    name: 'T',
    inputSchema: { type: 'object', properties: { p: true, q: false } },
  })
  expect((await listed('EachOther'))[0].input_schema.parameters.properties).toEqual({ p: {}, q: { not: {} } })
})

const DESCRIBED = 'and MUST contain a description field describing the parameter.'

works(DESCRIBED, 'a description is kept, and nothing is remarked', async () => {
  const document = withParameter('DescribedKept.T@1.0.0', { type: 'string', description: 'Whom to greet.' })
  await publish(document)
  expect(await listed('DescribedKept')).toEqual([document])
})

deviates(DESCRIBED, 'without one it is published, with a warning', '"Each parameter … MUST contain', async () => {
  const document = withParameter('Described.None@1.0.0', { type: 'string' })
  expect(await ask('POST', '/tools', document)).toEqual({
    status: 201,
    body: {
      ids: [document.id],
      warnings: [{ path: '/input_schema/parameters/properties/p', message: "Parameter 'p' has no description" }],
    },
  })
  expect(await read(document.id)).toEqual(document)
})

const OUTPUT = 'output_schema (required)'

works(OUTPUT, 'without one', async () => {
  const document = definition('Output.None@1.0.0', { output_schema: undefined })
  expect(await refused(document)).toEqual({ '/output_schema': 'Is required' })
})

const OUTPUT_DESCRIBES = 'A JSON Schema object that describes the output parameters for the tool.'

works(OUTPUT_DESCRIBES, 'anything but an object', async () => {
  for (const output_schema of [true, false, 'number', 1, []]) {
    expect(await refused(definition('Output.Other@1.0.0', { output_schema }))).toEqual({
      '/output_schema': `Must be a JSON Schema object, or null for no output, got ${got(output_schema)}`,
    })
  }
})

works(OUTPUT_DESCRIBES, 'it is listed and read as it was published', async () => {
  const output_schema = {
    type: 'object',
    properties: { sum: { type: 'number', description: 'It.' } },
    required: ['sum'],
  }
  const document = definition('OutputKept.T@1.0.0', { output_schema })
  await publish(document)
  expect(await listed('OutputKept')).toEqual([document])
  expect(await read(document.id)).toEqual(document)
})

works(OUTPUT_DESCRIBES, 'an output that it allows is the value', async () => {
  await publish(definition('Output.Fits@1.0.0', { output_schema: { type: 'number', minimum: 3 } }), giving(3))
  expect(await call('Output.Fits')).toEqual(answered(3))
})

works(OUTPUT_DESCRIBES, 'one of more than 256 KiB is the value as any other', async () => {
  const schema = { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false }
  const module = 'export default () => ({ text: "x".repeat(1_000_000) })'
  await publish(definition('Output.Large@1.0.0', { output_schema: schema }), code(module))
  expect(await call('Output.Large')).toEqual(answered({ text: 'x'.repeat(1_000_000) }))
})

/** The answer to a call whose tool gave what its output schema does not allow. */
const misfit = (developer_message: string) =>
  failing({
    message: 'The output does not match the output schema',
    developer_message,
    can_retry: false,
  })

works(OUTPUT_DESCRIBES, 'one that it does not is a failure of the tool, and is not given', async () => {
  const output_schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum', 'of'] }
  await publish(definition('Output.Misfits@1.0.0', { output_schema }), giving({ sum: 'private' }))
  expect(await call('Output.Misfits')).toEqual(misfit('/of: Is required; /sum: Must be a number'))
})

works(OUTPUT_DESCRIBES, 'a tool that gives nothing gives null, which it has to allow', async () => {
  for (const type of ['string', 'null']) {
    await publish(
      definition(`Output.Nothing_${type}@1.0.0`, { output_schema: { type } }),
      code('export default () => {}'),
    )
  }
  expect(await call('Output.Nothing_string')).toEqual(misfit('The output: Must be a string'))
  expect(await call('Output.Nothing_null')).toEqual(answered(null))
})

const OUTPUT_STANDARD = 'This schema supports standard JSON Schema validation, but excludes'

works(OUTPUT_STANDARD, 'bounds, items and additional properties', async () => {
  const output_schema = {
    type: 'object',
    properties: { list: { type: 'array', items: { type: 'integer', maximum: 9 }, minItems: 2 } },
    additionalProperties: false,
  }
  const document = (n: number) => definition(`OutputStandard.Of${n}@1.0.0`, { output_schema })
  await publish(document(1), giving({ list: [1, 9] }))
  await publish(document(2), giving({ list: [10], more: 1 }))
  expect(await call('OutputStandard.Of1')).toEqual(answered({ list: [1, 9] }))
  expect(await call('OutputStandard.Of2')).toEqual(
    misfit('/list: Must have at least 2 items; /list/0: Must be at most 9; /more: Is not a known parameter'),
  )
})

works(OUTPUT_STANDARD, 'combinations', async () => {
  const output_schema = { oneOf: [{ type: 'string' }, { type: 'array' }], not: { const: 'no' } }
  for (const [name, value] of Object.entries({ Text: 'yes', List: [1], No: 'no' })) {
    await publish(definition(`OutputStandard.${name}@1.0.0`, { output_schema }), giving(value))
  }
  expect(await call('OutputStandard.Text')).toEqual(answered('yes'))
  expect(await call('OutputStandard.List')).toEqual(answered([1]))
  expect(await call('OutputStandard.No')).toEqual(misfit('The output: Must not have the forbidden form'))
})

works(OUTPUT_STANDARD, 'what is no JSON Schema is refused', async () => {
  const output_schema = { type: 'object', properties: { a: { type: 'num' } }, required: [1] }
  expect(await refused(definition('OutputStandard.None@1.0.0', { output_schema }))).toEqual({
    '/output_schema/properties/a/type': NO_TYPE,
    '/output_schema/required': 'Must be an array of different strings',
  })
})

const OUTPUT_EXCLUDES = '$ref and nested definitions/schemas for simplicity. output_schema'

works(OUTPUT_EXCLUDES, 'references and definitions are refused', async () => {
  const output_schema = { type: 'array', items: { $ref: '#/$defs/a' }, $defs: { a: {} }, definitions: {} }
  expect(await refused(definition('OutputExcludes.T@1.0.0', { output_schema }))).toEqual({
    '/output_schema/items/$ref': alone('$ref'),
    '/output_schema/$defs': alone('$defs'),
    '/output_schema/definitions': alone('definitions'),
  })
})

deviates(OUTPUT_EXCLUDES, 'those of another dialect are written out', '"excludes $ref and nested', async () => {
  const outputSchema = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/text' } },
    $defs: { text: { type: 'string', maxLength: 3 } },
  }
  await publishTool('OutputExcludesOther', '1.0.0', { name: 'T', inputSchema: { type: 'object' }, outputSchema })
  expect((await listed('OutputExcludesOther'))[0].output_schema).toEqual({
    type: 'object',
    properties: { a: { type: 'string', maxLength: 3 } },
  })
})

const ANYTHING =
  'output_schema MAY be an empty object indicating that the tool can return an unconstrained ("any") JSON value,'

works(ANYTHING, 'it is kept', async () => {
  const document = definition('AnythingKept.T@1.0.0', { output_schema: {} })
  await publish(document)
  expect(await listed('AnythingKept')).toEqual([document])
})

works(ANYTHING, 'texts, numbers, booleans and null', async () => {
  await publish(definition('Anything.Echo@1.0.0'), code('export default ({ v }) => v'))
  for (const v of ['text', '', 0, -1.5, 1e300, true, false, null]) {
    expect(await call('Anything.Echo', { v })).toEqual(answered(v))
  }
})

works(ANYTHING, 'lists and objects, however they are nested', async () => {
  await publish(definition('Anything.Nested@1.0.0'), code('export default ({ v }) => v'))
  for (const v of [[], {}, [[null], { a: [1, 'b', { c: {} }] }], { '': 0, 'ü': ['👋'] }]) {
    expect(await call('Anything.Nested', { v })).toEqual(answered(v))
  }
})

const NOTHING = 'and MAY be null indicating that the tool does not return any output.'

works(NOTHING, 'it is kept', async () => {
  const document = definition('NothingKept.T@1.0.0', { output_schema: null })
  await publish(document)
  expect(await listed('NothingKept')).toEqual([document])
})

works(NOTHING, 'the value of a call is null', async () => {
  for (const [name, module] of Object.entries({
    Undefined: 'export default () => {}',
    Null: 'export default () => null',
  })) {
    await publish(definition(`Nothing.${name}@1.0.0`, { output_schema: null }), code(module))
    expect(await call(`Nothing.${name}`)).toEqual(answered(null))
  }
})

works(NOTHING, 'a tool that returns something all the same has failed', async () => {
  await publish(definition('Nothing.Something@1.0.0', { output_schema: null }), giving(5))
  expect(await call('Nothing.Something')).toEqual(misfit('The output: Must be null'))
})

deviates(NOTHING, 'what it gives to look at is its value', '"output_schema … MAY be null indicating', async () => {
  expect(await call('Fixture.SimpleText')).toEqual(answered('This is a simple text response for testing.'))
})

whole()

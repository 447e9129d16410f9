import { describe, expect, it } from 'vitest'
import { type Field, listFields } from '../../../src/console/form/fields.ts'
import { diffInput, toForm, readFormInput } from '../../../src/console/form/values.ts'

const SCHEMA = {
  type: 'object',
  required: ['to', 'when'],
  properties: {
    'to': { type: 'string', description: 'Whom' },
    'body': { type: 'string', maxLength: 10_000 },
    'count': { type: ['integer', 'null'] },
    'size': { anyOf: [{ type: 'number' }, { type: 'null' }] },
    'loud': { type: 'boolean' },
    'level': { enum: ['low', 3, null] },
    'tags': { type: 'array', items: { type: 'string' } },
    'when': {
      type: 'object',
      required: ['day'],
      properties: { 'day': { type: 'string' }, 'a/b~c': { type: 'number' } },
    },
    'other': { oneOf: [{ type: 'string' }, { type: 'array' }] },
    'any': { type: ['array', 'object'] },
  },
}

const form = (fields: Record<string, string>) => new URLSearchParams(fields)
const kinds = (fields: readonly Field[]) => Object.fromEntries(fields.map(({ key, kind }) => [key, kind.type]))

it.each([
  [{ type: ['string', 'integer'] }],
  [{ type: ['integer', 'string', 'null'] }],
  [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }],
])('a parameter that is a string or a number can be entered as either: %j', (title) => {
  const fields = listFields({ type: 'object', properties: { title } })
  for (const [text, value] of [
    ['My first issue', 'My first issue'],
    ['3', 3],
    ['"3"', '3'],
  ] as const)
    expect(readFormInput(fields, form({ 'input/title': text }))).toEqual({ input: { title: value }, problems: [] })
})

it('each parameter gets the kind of field that fits its schema', () => {
  const fields = listFields(SCHEMA)
  expect(kinds(fields)).toEqual({
    to: 'text',
    body: 'text',
    count: 'number',
    size: 'number',
    loud: 'choice',
    level: 'choice',
    tags: 'lines',
    when: 'group',
    other: 'mixed',
    any: 'json',
  })
  expect(fields[0]).toEqual({
    name: 'input/to',
    key: 'to',
    label: 'to',
    description: 'Whom',
    isRequired: true,
    schema: SCHEMA.properties.to,
    kind: { type: 'text', isLong: false },
  })
})

it('a schema without parameters has no fields, and deep or wide schemas end with a JSON field', () => {
  for (const schema of [{}, true, null, { type: 'object' }]) expect(listFields(schema)).toEqual([])
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: 'string' }]))
  expect(listFields({ properties: wide }).length).toBeLessThan(100)
  let deep: object = { type: 'string' }
  for (let level = 0; level < 50; level++) deep = { type: 'object', properties: { a: deep } }
  const written = JSON.stringify(listFields(JSON.parse(JSON.stringify(deep))), (key, value) =>
    key === 'schema' ? undefined : value,
  )
  expect(written.length).toBeLessThan(1_000)
})

it('a form is read as its input, without empty fields', () => {
  const read = readFormInput(
    listFields(SCHEMA),
    form({
      'input/to': 'ann',
      'input/body': 'one\r\ntwo',
      'input/count': '3',
      'input/size': '',
      'input/loud': '1',
      'input/level': '1',
      'input/tags': 'a b\r\n\r\nc',
      'input/when/day': '2030-01-01',
      'input/when/a~1b~0c': '1.5',
      'input/other': '["x"]',
      'input/unknown': 'y',
    }),
  )
  expect(read).toEqual({
    input: {
      to: 'ann',
      body: 'one\ntwo',
      count: 3,
      loud: false,
      level: 3,
      tags: ['a b', 'c'],
      when: { 'day': '2030-01-01', 'a/b~c': 1.5 },
      other: ['x'],
    },
    problems: [],
  })
})

it('a form leaves invalid numbers and choices to the schema, and reports invalid JSON', () => {
  const fields = listFields(SCHEMA)
  const said = form({ 'input/count': 'three', 'input/loud': 'yes', 'input/level': '99', 'input/any': '{' })
  const { input, problems } = readFormInput(fields, said)
  expect(input).toEqual({ count: 'three', loud: 'yes', when: {} })
  expect(problems).toEqual([{ path: '/any', message: expect.stringContaining('Must be JSON') }])
})

it.each([
  ['My first issue', 'My first issue'],
  ['123', 123],
  ['"123"', '123'],
  ['true', 'true'],
  ['1.5', 1.5],
  ['[1]', '[1]'],
  ['null', 'null'],
  ['a "quote', 'a "quote'],
])('a form reads a string or number as it is written, and shows it the same way: %s', (text, value) => {
  const fields = listFields({ properties: { title: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } })
  const { input, problems } = readFormInput(fields, form({ 'input/title': text }))
  expect({ input, problems }).toEqual({ input: { title: value }, problems: [] })
  expect(readFormInput(fields, toForm(fields, input)).input).toEqual(input)
})

it.each([
  ['5', 'string', '5', []],
  ['true', 'string', 'true', []],
  ['5', 'number', 5, []],
  ['five', 'number', 'five', [{ path: '/title', message: 'Must be of type number' }]],
  ['true', 'number', 'true', [{ path: '/title', message: 'Must be of type number' }]],
])('a form reads %s as the type in its selector: %s', (text, type, value, problems) => {
  const fields = listFields({ properties: { title: { type: ['string', 'integer'] } } })
  const read = readFormInput(fields, form({ 'input/title': text, 'type:input/title': type }))
  expect(read).toEqual({ input: { title: value }, problems })
})

it('a form selects the type of a string that would be read as a number', () => {
  const fields = listFields({ properties: { title: { type: ['string', 'integer'] } } })
  expect([...toForm(fields, { title: '5' })]).toEqual([
    ['input/title', '5'],
    ['type:input/title', 'string'],
  ])
  expect([...toForm(fields, { title: 'five' })]).toEqual([['input/title', 'five']])
})

it.each([
  ['body', {}, true],
  ['commit_message', {}, true],
  ['title', {}, false],
  ['body', { maxLength: 100 }, false],
  ['body', { format: 'uri' }, false],
])('the field %s with the schema %j has several lines: %s', (name, rules, isLong) => {
  const [field] = listFields({ properties: { [name]: { type: 'string', ...rules } } })
  expect(field?.kind).toEqual({ type: 'text', isLong })
})

it.each([
  ['{"to": "bob", "x": [1]}', { to: 'bob', x: [1] }, []],
  ['[1]', {}, [{ path: '', message: 'Must be a JSON object' }]],
  ['{"to"', {}, [{ path: '', message: expect.stringContaining('Must be JSON') }]],
  [
    `{"to": ${'['.repeat(136)}${']'.repeat(136)}}`,
    {},
    [{ path: '', message: 'Cannot accept the text: it nests deeper than 136 levels' }],
  ],
])('a form may contain the whole input as JSON instead: %s', (whole, input, problems) => {
  expect(readFormInput(listFields(SCHEMA), form({ 'input/to': 'ann', whole }))).toEqual({ input, problems })
})

it('a form reads names such as constructor as plain names', () => {
  const schema = { properties: { ['__proto__x']: { type: 'string' }, constructor: { type: 'string' } } }
  expect(readFormInput(listFields(schema), form({ 'input/constructor': 'a' })).input).toEqual({ constructor: 'a' })
  const proto = listFields(JSON.parse('{"properties": {"__proto__": {"type": "string"}}}'))
  const { input } = readFormInput(proto, form({ 'input/__proto__': 'a' }))
  expect(Object.getPrototypeOf(input)).toBe(Object.prototype)
  expect(JSON.stringify(input)).toBe('{"__proto__":"a"}')
})

describe('settings', () => {
  const fields = listFields({
    required: ['name'],
    properties: {
      name: { type: 'string' },
      scopes: { type: 'array', items: { enum: ['read', 'call'] } },
      users: { anyOf: [{ const: 'any' }, { type: 'array', items: { type: 'string' } }], default: [] },
      until: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] },
      always: { const: true },
      records: { type: 'boolean', default: false },
      parameters: { type: 'object', additionalProperties: { type: 'string' } },
      limits: { type: 'object', properties: { calls: { type: 'integer' } } },
    },
  })
  const WHOLE = {
    name: 'ann',
    scopes: ['call'],
    users: 'any',
    until: '2031-05-01T08:00:00Z',
    always: true,
    records: true,
    parameters: { access_type: 'offline', hint: 'a=b' },
    limits: { calls: 3 },
  }

  it('settings are read from a form as they were written there', () => {
    expect(kinds(fields)).toMatchObject({ scopes: 'several', users: 'lines', until: 'time', always: 'flag' })
    for (const value of [
      WHOLE,
      { name: 'bob', scopes: ['read', 'call'], users: ['any', 'eve'] },
      { parameters: { 'a=b': 'x\ny' } },
    ]) {
      expect(readFormInput(fields, toForm(fields, value))).toEqual({ input: value, problems: [] })
    }
    const short = form({ 'input/until': '2031-05-01T08:00' })
    expect(readFormInput(fields, short).input).toEqual({ until: '2031-05-01T08:00:00Z' })
  })

  it('settings send only what changed, and send the default or null for emptied fields', () => {
    expect(diffInput(fields, { ...WHOLE, until: '2031-05-01T08:00:00.000Z' }, WHOLE)).toEqual({})
    expect(diffInput(fields, WHOLE, { ...WHOLE, name: 'eve', limits: { calls: 4 } })).toEqual({
      name: 'eve',
      limits: { calls: 4 },
    })
    expect(
      diffInput(fields, WHOLE, { name: 'ann', scopes: ['call'], always: true, parameters: WHOLE.parameters }),
    ).toEqual({ users: [], until: null, records: false, limits: null })
  })
})

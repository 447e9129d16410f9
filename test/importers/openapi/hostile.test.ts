import { expect, it } from 'vitest'
import { MAX_JSON, MAX_YAML, parseDocumentText } from '../../../src/importers/openapi/document-text.ts'
import { createBudget, DEFAULT_UNITS } from '../../../src/core/tool/budget.ts'
import { effortOfAsync, MOST_EFFORT } from '../../effort.ts'
import { publish, read } from './make.ts'

const problemOf = async (source: string | object) => {
  const { problems } = await read(source)
  expect(problems).toHaveLength(1)
  expect(problems?.[0]?.path).toBe('/from/openapi')
  return problems?.[0]?.message
}
const describing = (operation: object, more: object = {}) => ({
  openapi: '3.1.0',
  servers: [{ url: 'https://a.example' }],
  paths: { '/a': { get: operation } },
  ...more,
})

it.each([
  ['a list', '[1]', /description, which is an object/],
  ['a word', 'hello', /description, which is an object/],
  ['an object of another kind', '{"a": 1}', /version 2.0, 3.0 or 3.1, got neither 'openapi' nor 'swagger'/],
  ['of another version', '{"openapi": "4.0.0"}', /got '4.0.0'/],
  ['of a version that is no text', '{"openapi": {}}', /got no text/],
  ['without operations', '{"openapi": "3.0.0", "paths": {}}', /has none/],
  ['with paths that are none', '{"openapi": "3.0.0", "paths": 7}', /has none/],
  ['neither JSON nor YAML', '{"openapi": ]', /Is neither JSON nor YAML: .* at line 1, column 13/],
  ['several documents', 'a: 1\n---\nb: 2\n', /Must be one YAML document/],
  ['a prototype', '{"openapi": "3.0.0", "__proto__": {"paths": {}}}', /the key '__proto__' at '\/__proto__'/],
  [
    'a prototype in YAML',
    'openapi: 3.0.0\npaths: {a: {__proto__: {}}}',
    /Must not have the key '__proto__'.*'\/paths\/a'/,
  ],
  ['a number that is none', 'openapi: 3.0.0\nx: .nan', /Has no number at '\/x'/],
  ['an alias to nothing', 'openapi: *a', /Is neither JSON nor YAML/],
  ['an alias to itself', 'a: &a [*a]', /nest deeper than 136 levels/],
  ['deep', '['.repeat(20_000), /nest deeper than 136 levels/],
  ['deep JSON', `{"a": ${'['.repeat(200)}${']'.repeat(200)}}`, /nests deeper than 136 levels/],
])('a text that is not a description (%s) is refused with the reason', async (_, text, why) => {
  expect(await problemOf(text)).toMatch(why)
})

it('a text that is not a description is refused by its size, with the size and the limit', async () => {
  const large = `{"a": "${'x'.repeat(MAX_JSON)}"}`
  expect(await problemOf(large)).toBe(`Has ${large.length} characters: a description may have at most ${MAX_JSON}`)
  const yaml = `a: "${'x'.repeat(MAX_YAML)}"`
  expect(await problemOf(yaml)).toMatch(new RegExp(`^Has ${yaml.length} characters: .* may have at most ${MAX_YAML}$`))
})

it('a long text lets other requests run every million characters, and before it is scanned', async () => {
  let times = 0
  const yieldControl = async () => void (times += 1)
  const text = JSON.stringify({ openapi: '3.1.0', paths: {}, long: Array(6).fill('x'.repeat(1_000_000)) })
  expect((await parseDocumentText(text, yieldControl)).ok).toBe(true)
  expect(times).toBe(7)
})

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `k${index}: 0`).join(', ')
const laughs = 'abcdefghi'.split('').map(
  (name, index) =>
    `${name}: &${name} [${Array(9)
      .fill(index === 0 ? 'lol' : `*${'abcdefghi'[index - 1]}`)
      .join(', ')}]`,
)
it.each([
  ['a billion laughs', laughs.join('\n')],
  ['a hundred and fifty thousand quotes', '"'.repeat(150_000)],
  ['commas alone', `[${','.repeat(100_000)}`],
  ['keys within keys', '? '.repeat(60_000)],
  ['maps within maps', 'a: {'.repeat(25_000)],
  ['lists within lists', '- '.repeat(60_000)],
  ['merges of much', `a: &a {${numbered(1_000)}}\n${'b:\n  <<: *a\n'.repeat(5_000)}`],
  ['a list that is repeated', `a: &a [${'0,'.repeat(900)}]\nb: [${'*a,'.repeat(900)}]`],
  ['lists as keys', `? [&a 1]\n: 1\n`.repeat(20_000)],

  ['a million and more words', 'a,'.repeat(600_000)],
])(
  'malicious YAML (%s) is refused quickly',
  async (_, text) => {
    const result = await parseDocumentText(text, async () => undefined)
    expect(result.ok).toBe(false)
    // Without the early stop, quotes and commas take three seconds
    expect(await effortOfAsync(() => parseDocumentText(text, async () => undefined))).toBeLessThan(5 * MOST_EFFORT)
  },
  60_000,
)

const reasonOf = async (document: object) => {
  const { items, problems } = await read(document)
  if (!items) return JSON.stringify(problems)
  const { imported: made, skipped } = await publish(items, [])
  return skipped[0]?.reason ?? JSON.stringify(made.flatMap(({ warnings }) => warnings))
}
const asking = (schema: unknown, more: object = {}) =>
  reasonOf(describing({ parameters: [{ name: 'x', in: 'query', required: true, schema }] }, more))
const $ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

it('a malicious description with schemas that multiply each other is limited', async () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [
      `S${index}`,
      {
        type: 'object',
        properties: { a: $ref(`S${index + 1}`), b: $ref(`S${index + 1}`), c: $ref(`S${index + 1}`) },
      },
    ]),
  )
  // If they are kept separate, there are few
  expect(await asking($ref('S0'), { components: { schemas: { ...schemas, S60: { type: 'string' } } } })).toBe('[]')
  const wide = Object.fromEntries(Array.from({ length: 2_500 }, (_, index) => [`p${index}`, { type: 'string' }]))
  expect(await asking({ type: 'object', properties: wide })).toMatch(/more than 2000 subschemas/)
  expect(await asking({ enum: Array.from({ length: 50_000 }, (_, index) => `value ${index}`) })).toMatch(
    /more than 200000 characters/,
  )
})

const OPERATIONS = 40
/** Builds `count` operations that share a path item. */
const sharing = (count: number, pathItem: object, more: object = {}) => ({
  openapi: '3.1.0',
  servers: [{ url: 'https://a.example' }],
  paths: Object.fromEntries(Array.from({ length: count }, (_, index) => [`/${index}`, { $ref: '#/x' }])),
  x: pathItem,
  ...more,
})
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const inBody = (schema: unknown) => ({ post: { requestBody: { content: { 'application/json': { schema } } } } })
const patterned = (index: number) => ({ pattern: `^(?:${index}|[a-z]{1,99}){1,9}\\p{L}*$` })
const references = many(1_900, (index) => $ref(`S${index}`))
const meshed = Object.fromEntries(many(1_900, (index) => [`S${index}`, { anyOf: references }]))

it.each<[string, object]>([
  ['tags', sharing(OPERATIONS, { get: { tags: many(300_000, String) } })],
  [
    'responses',
    sharing(OPERATIONS, { get: { responses: Object.fromEntries(many(300_000, (index) => [`2${index}`, {}])) } }),
  ],
  ['security', sharing(OPERATIONS, { get: {} }, { security: many(300_000, (index) => ({ [`s${index}`]: [] })) })],
  ['servers', sharing(OPERATIONS, { get: {} }, { servers: many(300_000, () => ({ url: 'https://{a}.example' })) })],
  [
    'parameters',
    sharing(OPERATIONS, { get: {}, parameters: many(300_000, (index) => ({ name: `p${index}`, in: 'query' })) }),
  ],
  ['a schema of many parts', sharing(OPERATIONS, inBody({ enum: many(300_000, String) }))],
  ['patterns', sharing(OPERATIONS, inBody({ allOf: many(1_900, patterned) }))],
  ['schemas that all lead to each other', sharing(OPERATIONS, inBody(meshed.S0), { components: { schemas: meshed } })],
])(
  'a malicious description with operations that share expensive parts takes at most a share of one budget each: %s',
  async (_, document) => {
    const budget = createBudget(Infinity)
    const { tools = [], skipped = [] } = await read(document, { budget })
    expect(tools.length + skipped.length).toBe(OPERATIONS)
    for (const { reason } of skipped)
      expect(reason).toMatch(/too much work to make a tool of|cannot be used|500 parameters/)
    expect(budget.spent).toBeLessThan(OPERATIONS * 2.1 * DEFAULT_UNITS)
  },
)

it('a malicious description with operations that share expensive parts ends with the budget of the whole', async () => {
  const budget = createBudget(3 * DEFAULT_UNITS)
  const mesh = sharing(OPERATIONS, inBody(meshed.S0), { components: { schemas: meshed } })
  const { items = [] } = await read(mesh, { budget })
  expect(budget.isExceeded).toBe(true)
  expect(items).toHaveLength(OPERATIONS)
  expect(budget.spent).toBeLessThan(3.1 * DEFAULT_UNITS)
})

it('a malicious description with circular references is refused', async () => {
  expect(await asking($ref('A'), { components: { schemas: { A: $ref('B'), B: $ref('A') } } })).toMatch(
    /refer back to itself/,
  )
  const document = describing(
    { parameters: [{ $ref: '#/components/parameters/A' }] },
    { components: { parameters: { A: { $ref: '#/components/parameters/A' } } } },
  )
  expect(await reasonOf(document)).toMatch(/leads to ever more references/)
  expect(await asking({ allOf: [$ref('A')] }, { components: { schemas: { A: { allOf: [$ref('A')] } } } })).toMatch(
    /refer back to itself/,
  )
})

it('a malicious description with deep schemas, too many parameters or wrong types is skipped with the reason', async () => {
  let deep: object = { type: 'string' }
  for (let level = 0; level < 40; level++) deep = { type: 'array', items: deep }
  expect(await asking(deep)).toMatch(/32 schemas deep/)
  const parameters = Array.from({ length: 501 }, (_, index) => ({ name: `p${index}`, in: 'query' }))
  expect(await reasonOf(describing({ parameters }))).toMatch(/more than 500 parameters/)
  const odd = [1, null, 'x', [], true, { $ref: 5 }]
  for (const value of odd) {
    const members = [
      'parameters',
      'requestBody',
      'responses',
      'security',
      'servers',
      'tags',
      'summary',
      'operationId',
      'description',
    ]
    for (const member of members) expect(await reasonOf(describing({ [member]: value })), member).toBeTypeOf('string')
    for (const member of ['servers', 'components', 'security', 'info', 'tags']) {
      expect(await reasonOf(describing({}, { [member]: value })), member).toBeTypeOf('string')
    }
    expect(await reasonOf(describing({ parameters: [value] }))).toBeTypeOf('string')
    expect(await asking(value)).toBeTypeOf('string')
    expect(await asking({ type: value, properties: value, items: value, allOf: value, required: value })).toBeTypeOf(
      'string',
    )
    expect(await reasonOf({ openapi: '3.0.0', paths: { '/a': value } })).toBeTypeOf('string')
    expect(await reasonOf({ openapi: '3.0.0', paths: { '/a': { get: value } } })).toBeTypeOf('string')
    expect(
      await reasonOf({
        swagger: '2.0',
        host: value,
        schemes: value,
        paths: { '/a': { get: { parameters: [value], consumes: value, produces: value } } },
      }),
    ).toBeTypeOf('string')
  }
})

it('a malicious description with names of prototypes is read literally', async () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf']
  const parameters = names.map((name) => ({
    name,
    in: 'query',
    schema: { type: 'object', properties: { [name]: { type: 'string' } } },
  }))
  const { tools } = await read(
    describing(
      { operationId: 'constructor', parameters, security: [{ toString: [] }] },
      { paths: { '/constructor': { get: { operationId: 'constructor', parameters } } } },
    ),
  )
  expect(tools?.[0]?.definition.tool).toBe('constructor')
  expect(Object.keys(Object(tools?.[0]?.definition.input.properties))).toEqual(names)
  expect(await reasonOf(describing({ security: [{ toString: [] }] }))).toMatch(/'toString' is not defined/)
})

it('a malicious description with twenty thousand operations is refused, unless some are selected', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`/p${index}`, { get: { operationId: `op${index}` } }]),
  )
  const document = { openapi: '3.0.0', servers: [{ url: 'https://a.example' }], paths }
  expect(await problemOf(document)).toMatch(/^Has 20000 operations, and one request makes at most 5000 tools/)
  const { tools } = await read(document, { isSelected: (tool) => tool === 'op7' })
  expect(tools?.map(({ definition }) => definition.tool)).toEqual(['op7'])
})

it('a malicious description with many operations that share a large schema takes no longer for each', async () => {
  const large = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`p${index}`, { type: 'string' }]))
  const schemas = { Large: { type: 'object', properties: large } }
  const operation = {
    parameters: [{ name: 'x', in: 'query', required: true, schema: $ref('Large') }],
    responses: { 200: { content: { 'application/json': { schema: $ref('Large') } } } },
  }
  const paths = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`/p${index}`, { get: operation }]))
  const { skipped } = await read({
    openapi: '3.1.0',
    servers: [{ url: 'https://a.example' }],
    paths,
    components: { schemas },
  })
  expect(skipped).toHaveLength(300)
  expect(skipped?.[0]?.reason).toMatch(/input schema cannot be used: it has more than/)
})

it('a malicious description cannot add a control character, a host or a credential', async () => {
  for (const path of ['/a\r\nX-Evil: 1', '/../admin', '/%2e%2e/admin', '/{a', '//evil.example/x']) {
    const { items } = await read({
      openapi: '3.1.0',
      servers: [{ url: 'https://a.example' }],
      paths: { [path]: { get: {} } },
    })
    const records: { implementation?: { url?: unknown } }[] = []
    await publish(items ?? [], records as never[])
    for (const { implementation } of records) expect(new URL(String(implementation?.url)).host).toBe('a.example')
  }
  const evil = { name: 'Authorization\r\nX', in: 'header', required: true, schema: {} }
  expect(await reasonOf(describing({ parameters: [evil] }))).toMatch(/Must be a header's name/)
  expect(await reasonOf(describing({ parameters: [{ ...evil, name: 'Host' }] }))).toMatch(/connection's own/)
})

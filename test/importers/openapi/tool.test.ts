import { describe, expect, it } from 'vitest'
import { read, toolOf } from './make.ts'

const firstOf = ({ anyOf }: { anyOf: object[] }) => anyOf[0]!
const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const query = (name: string, more: object = {}) => ({ name, in: 'query', schema: { type: 'string' }, ...more })

const names = async (paths: object) => {
  const { tools } = await read({ openapi: '3.0.0', servers: [{ url: 'https://a.example' }], paths })
  return tools?.map(({ definition }) => definition.tool)
}
const get = (operationId?: string) => ({ get: { operationId } })

it('names are operation ids if their characters allow that, else with underscores, else method and path', async () => {
  expect(await names({ '/a': get('getThing'), '/b': get('repos/get-it'), '/c/{id}': get() })).toEqual([
    'getThing',
    'repos_get-it',
    'GET_c_id',
  ])
})

it('names are kept distinct, in any order of the document', async () => {
  const paths = { '/a': get('repos/get'), '/b': get('repos.get'), '/c': get('repos_get'), '/d': get('Repos_Get2') }
  const forth = (await names(paths)) ?? []
  const back = (await names(Object.fromEntries(Object.entries(paths).reverse()))) ?? []
  expect(new Set(forth.map((name) => name.toLowerCase())).size).toBe(4)
  expect(back.toReversed()).toEqual(forth)
  expect(forth[2]).toBe('repos_get')
})

it('names of more than 64 characters end in a unique suffix', async () => {
  const [one, other] = (await names({ '/a': get('x'.repeat(80)), '/b': get('x'.repeat(81)) })) ?? []
  expect(one).toMatch(/^x{55}_[0-9a-f]{8}$/)
  expect(other).not.toBe(one)
})

it('the description of a tool has the summary and description, the tags, and the hints of the method', async () => {
  const { definition } = await toolOf(
    { summary: 'Remove it', description: 'For good.', tags: ['things'], deprecated: true },
    { method: 'delete' },
  )
  expect(definition).toMatchObject({
    title: 'Remove it',
    description: 'Deprecated.\n\nRemove it\n\nFor good.',
    tags: ['deprecated', 'things'],
    annotations: { destructiveHint: true, idempotentHint: true },
  })
  expect((await toolOf({})).definition).toMatchObject({
    description: 'GET /things',
    annotations: { readOnlyHint: true },
  })
  expect((await toolOf({}, { method: 'put' })).definition.annotations).toMatchObject({ idempotentHint: true })
})

it.each<[unknown, object | undefined]>([
  [{ url: 'https://a.example/logo.svg', altText: 'A' }, [{ src: 'https://a.example/logo.svg' }]],
  [{ url: 'http://a.example/logo.svg' }, undefined],
  [{ url: '/logo.svg' }, undefined],
  [{ url: `https://a.example/${'x'.repeat(2_000)}` }, undefined],
  [{ url: 7 }, undefined],
  ['https://a.example/logo.svg', undefined],
])('the description of a tool has the icon of the whole document: %j', async (logo, icons) => {
  const info = { title: 'A', version: '1', 'x-logo': logo }
  const paths = { '/a': { get: {} } }
  const { tools } = await read({ openapi: '3.0.0', info, servers: [{ url: 'https://a.example' }], paths })
  expect(tools?.map(({ definition }) => definition.icons)).toEqual([icons])
})

it('the description of a tool is truncated at a word if it is long', async () => {
  const { definition } = await toolOf({ description: 'word '.repeat(5_000) })
  expect(definition.description.length).toBeLessThanOrEqual(4_001)
  expect(definition.description).toMatch(/word…$/)
})

it('parameters of the same name in several places become separate inputs', async () => {
  const { definition, implementation } = await toolOf(
    {
      parameters: [query('id'), { name: 'id', in: 'header', schema: {} }, { name: 'id', in: 'path', schema: {} }],
      requestBody: { required: true, ...json({ type: 'object', properties: { id: { type: 'integer' } } }) },
    },
    { path: '/things/{id}', method: 'post' },
  )
  expect(Object.keys(definition.input.properties)).toEqual(['id', 'query_id', 'header_id', 'body_id'])
  expect(implementation.parameters).toEqual([
    { input: 'id', in: 'path' },
    { input: 'query_id', in: 'query', name: 'id' },
    { input: 'header_id', in: 'header', name: 'id' },
    { input: 'body_id', in: 'body', name: 'id' },
  ])
})

it('parameters keep their names in the request, and get input names that every model accepts', async () => {
  const { definition, implementation, published } = await toolOf({
    parameters: [query('page[size]'), query('$filter'), query('__proto__'), query('constructor')],
  })
  expect(Object.keys(definition.input.properties)).toEqual(['page_size', 'filter', 'proto', 'constructor'])
  expect(implementation.parameters[0]).toEqual({ input: 'page_size', in: 'query', name: 'page[size]' })
  expect(published).toHaveLength(1)
})

it('parameters of the operation come before those of the path, and an undeclared path variable is a text', async () => {
  const document = {
    openapi: '3.0.0',
    servers: [{ url: 'https://a.example' }],
    paths: {
      '/{a}/{b}': {
        parameters: [{ name: 'a', in: 'path', schema: { type: 'string' } }],
        get: { parameters: [{ name: 'a', in: 'path', schema: { type: 'integer' } }] },
      },
    },
  }
  const { tools } = await read(document)
  expect(tools?.[0]?.definition.input).toMatchObject({
    properties: { a: { type: 'integer' }, b: { type: 'string' } },
    required: ['a', 'b'],
  })
  expect(tools?.[0]?.warnings).toEqual(["the path's '{b}' is not declared: it is taken for a text"])
})

it('parameters that cannot be sent are left out, and the tool is skipped if they are required', async () => {
  const odd = query('x', { style: 'tabDelimited' })
  const { tool, definition } = await toolOf({ parameters: [odd] })
  expect(definition.input.properties).toEqual({})
  expect(tool.warnings[0]).toMatch(/'x' is left out: its style 'tabDelimited'/)
  expect((await toolOf({ parameters: [{ ...odd, required: true }] })).reason).toMatch(
    /required parameter 'x' cannot be sent/,
  )
})

it('parameters named Accept, Content-Type and Authorization are ignored', async () => {
  const headers = ['Accept', 'Content-Type', 'Authorization'].map((name) => ({
    name,
    in: 'header',
    required: true,
    schema: {},
  }))
  expect((await toolOf({ parameters: headers })).definition.input.properties).toEqual({})
})

it('parameters whose content is neither JSON nor plain text are left out', async () => {
  const xml = (required: boolean) => ({
    parameters: [{ name: 'x', in: 'query', required, content: { 'application/xml': { schema: { type: 'object' } } } }],
  })
  const { tool, definition } = await toolOf(xml(false))
  expect(definition.input.properties).toEqual({})
  expect(tool.warnings).toEqual(["the parameter 'x' is left out: its content 'application/xml' cannot be written"])
  expect((await toolOf(xml(true))).reason).toMatch(/the required parameter 'x' cannot be sent/)
})

it('parameters whose content is JSON are sent as JSON text', async () => {
  const { implementation } = await toolOf({
    parameters: [{ name: 'filter', in: 'query', ...json({ type: 'object' }) }],
  })
  expect(implementation.parameters).toEqual([{ input: 'filter', in: 'query', content_type: 'application/json' }])
})

const post = (schema: object, more: object = {}) =>
  toolOf({ requestBody: { required: true, ...json(schema), ...more } }, { method: 'post' })

it('bodies that are objects become inputs, as do those of allOf, without read-only properties', async () => {
  const { definition } = await post({
    allOf: [
      {
        type: 'object',
        properties: { id: { type: 'integer', readOnly: true }, a: { type: 'string' } },
        required: ['id', 'a'],
      },
      { type: 'object', properties: { b: { type: 'string' } } },
    ],
  })
  expect(definition.input).toMatchObject({ properties: { a: {}, b: {} }, required: ['a'] })
  expect(definition.input.properties.id).toBeUndefined()
})

it.each([
  ['alternatives', { oneOf: [{ type: 'string' }, { type: 'integer' }] }],
  ['a list', { type: 'array', items: { type: 'string' } }],
  ['open', { type: 'object', properties: { a: {} }, additionalProperties: true }],
  ['nullable', { type: ['object', 'null'], properties: { a: {} } }],
])('bodies that are %s become one input', async (_, schema) => {
  const { definition, implementation } = await post(schema)
  expect(Object.keys(definition.input.properties)).toEqual(['body'])
  expect(definition.input.required).toEqual(['body'])
  expect(implementation.body).toEqual({ type: 'json', input: 'body' })
})

it('bodies that are optional become one input if something in them is required', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
  const { definition } = await post(schema, { required: false })
  expect(definition.input.required).toBeUndefined()
  expect(definition.input.properties.body).toMatchObject({ required: ['a'] })
})

it('bodies of forms, files, texts and bytes declare their type', async () => {
  const of = async (type: string, schema: object) =>
    (await toolOf({ requestBody: { required: true, content: { [type]: { schema } } } }, { method: 'post' }))
      .implementation.body
  const form = { type: 'object', properties: { a: { type: 'string' } } }
  expect(await of('application/x-www-form-urlencoded', form)).toEqual({ type: 'form' })
  expect(await of('multipart/form-data', form)).toEqual({ type: 'multipart' })
  expect(await of('text/markdown', { type: 'string' })).toEqual({
    type: 'raw',
    input: 'body',
    content_type: 'text/markdown',
  })
  expect(await of('image/png', {})).toEqual({ type: 'raw', input: 'body', content_type: 'image/png' })
  expect(await of('application/vnd.api+json', form)).toEqual({
    type: 'json',
    content_type: 'application/vnd.api+json',
  })
})

it('bodies of several parts accept files for fields with bytes', async () => {
  const binary = { type: 'string', format: 'binary' }
  const isFile = (schema: { properties?: object }) => Object.keys(schema.properties ?? {}).includes('data')
  const field = async (schema: object, root: object = {}) => {
    const whole = { type: 'object', properties: { f: schema } }
    const content = { 'multipart/form-data': { schema: whole } }
    const { definition } = await toolOf({ requestBody: { required: true, content } }, { method: 'post', root })
    return definition.input.properties.f
  }
  const some = async (schema: object) => (await field(schema)).anyOf.map((each: object) => isFile(each))
  expect(await some({ anyOf: [binary, { type: 'array', items: binary }] })).toEqual([true, false])
  expect(isFile((await field({ anyOf: [binary, { type: 'array', items: binary }] })).anyOf[1].items)).toBe(true)
  expect(await some({ oneOf: [binary, { type: 'string' }] })).toEqual([true, false])
  expect(isFile(await field({ allOf: [binary, { description: 'Its picture.' }] }))).toBe(true)
  expect(await field({ type: ['string', 'null'], format: 'binary' })).toMatchObject({ type: ['object', 'null'] })
  expect(await field({ ...binary, nullable: true }, { openapi: '3.0.3' })).toMatchObject({ type: ['object', 'null'] })
  const components = { schemas: { Bytes: binary } }
  expect(isFile(await field({ anyOf: [{ $ref: '#/components/schemas/Bytes' }] }, { components }).then(firstOf))).toBe(
    true,
  )

  const whole = async (schema: object) => {
    const content = { 'multipart/form-data': { schema } }
    const { definition } = await toolOf({ requestBody: { required: true, content } }, { method: 'post' })
    return definition.input.properties.body
  }
  expect(isFile((await whole({ type: 'object', additionalProperties: binary })).additionalProperties)).toBe(true)
  const alternatives = await whole({ oneOf: [{ type: 'object', properties: { f: binary } }, { type: 'object' }] })
  expect(isFile(alternatives.anyOf[0].properties.f)).toBe(true)
})

it('bodies with bytes are sent in several parts, and others as JSON', async () => {
  const binary = { type: 'object', properties: { f: { type: 'string', format: 'binary' } } }
  const plain = { type: 'object', properties: { f: { type: 'string' } } }
  const chosen = async (json: object, parts: object) => {
    const content = { 'application/json': { schema: json }, 'multipart/form-data': { schema: parts } }
    const made = await toolOf({ requestBody: { required: true, content } }, { method: 'post' })
    return made.implementation.body.type
  }
  expect(await chosen(binary, binary)).toBe('multipart')
  expect(await chosen(plain, binary)).toBe('json')
  expect(await chosen(plain, plain)).toBe('json')
})

it('bodies keep the encoding of their fields, as separate inputs and as one', async () => {
  const encoding = {
    meta: { style: 'deepObject' },
    tags: { explode: false },
    data: { contentType: 'application/json' },
  }
  const properties = { meta: { type: 'object' }, tags: { type: 'array' }, data: { type: 'object' } }
  const made = (type: string, schema: object, parts: object = encoding) =>
    toolOf({ requestBody: { required: true, content: { [type]: { schema, encoding: parts } } } }, { method: 'post' })
  const form = 'application/x-www-form-urlencoded'
  const whole = await made(form, { type: 'object', properties, additionalProperties: true })
  expect(whole.implementation.body).toEqual({
    type: 'form',
    input: 'body',
    encoding: {
      meta: { style: 'deepObject' },
      tags: { explode: false },
      data: { content_type: 'application/json' },
    },
  })
  expect(whole.published).toHaveLength(1)
  const file = { type: 'object', properties: { f: { type: 'string', format: 'binary' }, n: { type: 'string' } } }
  const png = { f: { contentType: 'image/png' }, n: { contentType: 'text/plain' } }
  const parts = await made('multipart/form-data', file, png)
  expect(parts.implementation.parameters).toEqual([
    { input: 'f', in: 'body', content_type: 'image/png' },
    { input: 'n', in: 'body' },
  ])
  const several = await made('multipart/form-data', file, { f: { contentType: 'image/png, image/*' } })
  expect(several.implementation.parameters[0]).toEqual({ input: 'f', in: 'body' })
})

it('bodies of GET are left out, or the tool is skipped if they are required', async () => {
  const body = (required: boolean) => ({
    requestBody: { required, ...json({ type: 'object', properties: { a: {} } }) },
  })
  expect((await toolOf(body(false))).tool.warnings).toEqual(['the body is left out: GET has none'])
  expect((await toolOf(body(true))).reason).toBe('GET has no body, and it requires one')
})

const input = async (schema: object, edition = '3.0.3', root: object = {}) => {
  const { definition } = await toolOf(
    { parameters: [{ name: 'x', in: 'query', schema }] },
    { root: { openapi: edition, ...root } },
  )
  return definition.input.properties.x
}

it('schemas of OpenAPI 3.0 become JSON Schema 2020-12', async () => {
  expect(await input({ type: 'string', nullable: true, enum: ['a'] })).toEqual({
    type: ['string', 'null'],
    enum: ['a', null],
  })
  expect(await input({ type: 'integer', minimum: 1, exclusiveMinimum: true })).toEqual({
    type: 'integer',
    exclusiveMinimum: 1,
  })
  expect(await input({ type: 'integer', maximum: 1, exclusiveMaximum: false })).toEqual({
    type: 'integer',
    maximum: 1,
  })
  expect(await input({ nullable: true, allOf: [{ type: 'object' }] })).toEqual({
    anyOf: [{ allOf: [{ type: 'object' }] }, { type: 'null' }],
  })
  expect(await input({ type: 'string', example: 'a', xml: {}, externalDocs: {}, discriminator: {} })).toEqual({
    type: 'string',
    examples: ['a'],
  })
  expect(await input({ oneOf: [{ type: 'string' }, { type: 'integer' }] })).toEqual({
    anyOf: [{ type: 'string' }, { type: 'integer' }],
  })
})

it('schemas are inlined where they are used, with the keywords next to the reference', async () => {
  const root = { components: { schemas: { Name: { type: 'string', description: 'A name.' } } } }
  const $ref = '#/components/schemas/Name'
  expect(await input({ $ref }, '3.0.0', root)).toEqual({ type: 'string', description: 'A name.' })
  expect(await input({ $ref, description: 'Its name.' }, '3.1.0', root)).toEqual({
    type: 'string',
    description: 'Its name.',
  })
  expect(await input({ $ref, maxLength: 5 }, '3.1.0', root)).toEqual({
    maxLength: 5,
    allOf: [{ type: 'string', description: 'A name.' }],
  })
  expect(await input({ $ref, maxLength: 5 }, '3.0.0', root)).toEqual({ type: 'string', description: 'A name.' })
})

it('schemas that are recursive keep their reference', async () => {
  const root = {
    components: {
      schemas: { Tree: { type: 'object', properties: { child: { $ref: '#/components/schemas/Tree' } } } },
    },
  }
  const { definition, reason } = await toolOf(
    { parameters: [{ name: 'x', in: 'query', schema: { $ref: '#/components/schemas/Tree' } }] },
    { root },
  )
  expect(reason).toBeUndefined()
  expect(definition.input.properties.x).toEqual({ $ref: '#/$defs/Tree' })
  expect(definition.input.$defs).toEqual({
    Tree: { type: 'object', properties: { child: { $ref: '#/$defs/Tree' } } },
  })
})

it.each([
  ['elsewhere', 'other.yaml#/Name', /another document, which is not fetched/],
  ['nowhere', '#/components/schemas/Nothing', /points to nothing/],
  ['to a prototype', '#/components/constructor', /points to nothing/],
])('schemas that refer %s cause the tool to be skipped if they are required', async (_, $ref, why) => {
  const { reason } = await toolOf({ parameters: [query('x', { schema: { $ref }, required: true })] })
  expect(reason).toMatch(why)
  const list = { type: 'array', items: { $ref } }
  expect((await toolOf({ parameters: [query('x', { schema: list, required: true })] })).reason).toMatch(why)
})

it('schemas that cannot be read are left out with a warning if nothing requires them, at any depth', async () => {
  const $ref = '#/components/schemas/Nothing'
  const parameter = await toolOf({ parameters: [query('x', { schema: { $ref } }), query('y')] })
  expect(Object.keys(parameter.definition.input.properties)).toEqual(['y'])
  expect(parameter.implementation.parameters).toEqual([{ input: 'y', in: 'query' }])
  expect(parameter.tool.warnings.join()).toMatch(/optional input 'x' is left out: .*points to nothing/)
  const body = (schema: object) =>
    toolOf({ requestBody: { required: true, content: { 'application/json': { schema } } } }, { method: 'post' })
  const bad = { type: 'array', items: { $ref } }
  const field = await body({ type: 'object', properties: { a: { type: 'string' }, b: bad } })
  expect(Object.keys(field.definition.input.properties)).toEqual(['a'])
  const inner = { type: 'object', properties: { c: { type: 'string' }, d: bad } }
  const deep = await body({ type: 'object', properties: { a: inner }, required: ['a'] })
  expect(deep.definition.input.properties.a.properties).toEqual({ c: { type: 'string' } })
  expect(deep.tool.warnings.join()).toMatch(/optional property 'd' is left out/)
  const needed = await body({ type: 'object', properties: { a: { ...inner, required: ['d'] } }, required: ['a'] })
  expect(needed.reason).toMatch(/points to nothing/)
  const whole = await toolOf(
    { requestBody: { content: { 'application/json': { schema: { type: 'array', items: { $ref } } } } } },
    { method: 'post' },
  )
  expect(whole.implementation.body).toBeUndefined()
  expect(whole.definition.input.properties).toEqual({})
})

it('schemas with enum members of another type accept what can be sent, or report that they do not', async () => {
  expect(await input({ type: 'string', enum: [0, 1, true, 'x'] })).toEqual({
    type: 'string',
    enum: ['0', '1', 'true', 'x'],
  })
  expect(await input({ type: 'integer', enum: ['1', 2] })).toEqual({ type: 'integer', enum: [1, 2] })
  expect(await input({ type: 'boolean', enum: ['true'] })).toEqual({ type: 'boolean', enum: [true] })
  expect(await input({ type: 'string', enum: ['a', null] })).toEqual({ type: ['string', 'null'], enum: ['a', null] })
  expect(await input({ type: 'string', const: 5 }, '3.1.0')).toEqual({ type: 'string', const: '5' })
  expect(await input({ type: 'array', items: { type: 'string', enum: [1] } })).toMatchObject({
    items: { enum: ['1'] },
  })
  const { tool, definition } = await toolOf({
    parameters: [
      query('x', { schema: { type: 'integer', enum: ['one', 'two'] } }),
      query('y', { schema: { type: 'integer', enum: [1, 'two'] } }),
    ],
  })
  expect(definition.input.properties).toEqual({ x: { type: 'integer' }, y: { type: 'integer', enum: [1] } })
  expect(tool.warnings).toEqual([
    "input 'x': 'enum' is left out: it has members that are not of the type 'integer'",
    "input 'y': 'enum' loses members that are not of the type 'integer'",
  ])
  const answer = await toolOf({ responses: { 200: json({ type: 'string', enum: [0, 1] }) } })
  expect(answer.definition.output).toEqual({ enum: [0, 1, '0', '1'] })
})

describe('for one direction only', () => {
  const schemas = {
    Identifier: { type: 'string', readOnly: true },
    Secret: { type: 'string', writeOnly: true },
    Base: { type: 'object', properties: { id: { $ref: '#/components/schemas/Identifier' } } },
  }
  const $ref = '#/components/schemas/Identifier'
  it.each<[string, object]>([
    ['by what they refer to', { type: 'object', properties: { id: { $ref } }, required: ['id'] }],
    ['by a part of allOf', { type: 'object', properties: { id: { allOf: [{ $ref }] } }, required: ['id'] }],
    [
      'by each alternative of oneOf',
      {
        type: 'object',
        properties: { id: { oneOf: [{ $ref }, { type: 'integer', readOnly: true }] } },
        required: ['id'],
      },
    ],
    [
      'by each alternative of anyOf, in a part of allOf',
      { type: 'object', properties: { id: { allOf: [{ anyOf: [{ $ref }] }] } }, required: ['id'] },
    ],
    [
      'by the alternative of anyOf that is not null',
      { type: 'object', properties: { id: { anyOf: [{ $ref }, { type: 'null' }] } }, required: ['id'] },
    ],
    [
      'in a part of the whole',
      { allOf: [{ $ref: '#/components/schemas/Base' }, { type: 'object', required: ['id'] }] },
    ],
    ['in a part, required beside it', { allOf: [{ $ref: '#/components/schemas/Base' }], required: ['id'] }],
  ])('schemas for one direction only are not required in the other: %s', async (_, schema) => {
    for (const below of [schema, { type: 'object', properties: { account: schema }, required: ['account'] }]) {
      const { definition } = await toolOf(
        { requestBody: { required: true, ...json(below) } },
        { method: 'post', root: { components: { schemas } } },
      )
      expect(JSON.stringify(definition.input)).not.toMatch(/"required":\[[^\]]*"id"/)
      expect(JSON.stringify(definition.input)).toContain('"id"')
    }
  })

  it.each([
    { oneOf: [{ $ref }, { type: 'integer' }] },
    { anyOf: [{ type: 'integer' }, { $ref }] },
    { oneOf: [] },
    { anyOf: [{ type: 'null' }] },
  ])('schemas for one direction only are required if an alternative is for both: %j', async (id) => {
    const schema = { type: 'object', properties: { id }, required: ['id'] }
    const { definition } = await toolOf(
      { requestBody: { required: true, ...json(schema) } },
      { method: 'post', root: { components: { schemas } } },
    )
    expect(JSON.stringify(definition.input)).toMatch(/"required":\[[^\]]*"id"/)
  })

  const secret = { $ref: '#/components/schemas/Secret' }
  it.each([secret, { oneOf: [secret, secret] }, { anyOf: [secret] }])(
    'schemas for one direction only are not required in responses: %j',
    async (pw) => {
      const schema = { type: 'object', properties: { pw }, required: ['pw'] }
      const { definition } = await toolOf({ responses: { 200: json(schema) } }, { root: { components: { schemas } } })
      expect(definition.output.required).toBeUndefined()
    },
  )
})

it('schemas lose patterns that are too expensive, and invalid keywords', async () => {
  const { definition, tool } = await toolOf({
    parameters: [query('x', { schema: { type: 'string', pattern: '(a)\\1$', minLength: 'one' } })],
  })
  expect(definition.input.properties.x).toEqual({ type: 'string' })
  expect(tool.warnings.join(' ')).toMatch(
    /'pattern' that is not supported.*'minLength' is left out|'minLength' is left out.*'pattern'/,
  )
})

const output = async (responses: object, options = {}) => (await toolOf({ responses }, { options })).definition.output

it('outputs combine the schemas of all success statuses', async () => {
  const thing = json({
    type: 'object',
    properties: { a: { type: 'string', writeOnly: true }, b: { type: 'string' } },
    required: ['a', 'b'],
    additionalProperties: false,
  })
  expect(await output({ 200: thing, 404: json({ type: 'string' }) })).toEqual({
    type: 'object',
    properties: { b: { type: 'string' } },
    required: ['b'],
  })
  expect(await output({ 200: json({ type: 'string' }), 202: json({ type: 'integer' }), 204: {} })).toEqual({
    anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }],
  })
  expect(await output({ 204: {} })).toBeNull()
  expect(await output({ 200: thing }, { outputs: 'any' })).toEqual({})
})

it('outputs depend on the content type of the response if nothing is declared', async () => {
  for (const responses of [{}, { default: {} }, { 200: { description: 'ok' } }]) {
    const { definition, implementation } = await toolOf({ responses })
    expect(definition.output).toEqual({})
    expect(implementation.response).toEqual({ type: 'auto' })
  }
})

it('outputs are texts or bytes if the content is', async () => {
  const of = async (type: string) => (await toolOf({ responses: { 200: { content: { [type]: {} } } } })).implementation
  expect(await of('text/csv')).toMatchObject({ response: { type: 'text' }, headers: { accept: 'text/csv' } })
  expect(await of('image/png')).toMatchObject({ response: { type: 'binary' }, headers: { accept: 'image/png' } })
  expect(await of('application/problem+json')).toMatchObject({ headers: { accept: 'application/problem+json' } })
})

it('outputs may be anything if their schema cannot be used, with a warning', async () => {
  const { definition, tool } = await toolOf({ responses: { 200: json({ $ref: 'other.json' }) } })
  expect(definition.output).toEqual({})
  expect(tool.warnings[0]).toMatch(
    /^the output may be anything, since its schema cannot be used: 'other.json' is in another document/,
  )
})

const schemes = {
  key: { type: 'apiKey', in: 'query', name: 'api_key' },
  basic: { type: 'http', scheme: 'basic' },
  bearer: { type: 'http', scheme: 'Bearer' },
  google: { type: 'oauth2', flows: {} },
  known: { 'type': 'openIdConnect', 'x-switchboard-provider': 'acme' },
  tls: { type: 'mutualTLS' },
}
const secured = (security: object[], options = {}) =>
  toolOf({ security }, { root: { components: { securitySchemes: schemes } }, options })

it('security becomes secrets and authorizations, named after the toolkit', async () => {
  const key = await secured([{ key: [] }])
  expect(key.definition.requirements).toEqual({ authorization: [], secrets: [{ id: 'KIT_KEY' }], user_id: false })
  expect(key.implementation.credentials).toEqual([{ secret: 'KIT_KEY', in: 'query', name: 'api_key' }])
  expect((await secured([{ basic: [] }])).implementation.credentials).toEqual([
    { secret: 'KIT_BASIC_USERNAME', in: 'basic', name: 'username' },
    { secret: 'KIT_BASIC_PASSWORD', in: 'basic', name: 'password' },
  ])
  expect((await secured([{ bearer: [] }])).implementation.credentials).toEqual([
    { secret: 'KIT_BEARER', in: 'header', name: 'Authorization', format: 'Bearer {value}' },
  ])
  // Not `google`: a description could name its scheme after any provider that users trust
  expect((await secured([{ google: ['mail', 'mail'] }])).definition.requirements.authorization).toEqual([
    { id: 'kit_google', oauth2: { scopes: ['mail'] } },
  ])
  expect((await secured([{ known: [] }])).definition.requirements.authorization).toEqual([
    { id: 'kit_known', oauth2: { scopes: [] } },
  ])
})

it('security uses the first alternative that can be expressed, as a whole, and none if none is needed', async () => {
  expect((await secured([{ tls: [] }, { key: [], bearer: [] }])).definition.requirements.secrets).toEqual([
    { id: 'KIT_KEY' },
    { id: 'KIT_BEARER' },
  ])
  expect((await secured([{ key: [] }, {}])).definition.requirements.secrets).toEqual([])
  expect((await secured([{ tls: [] }])).reason).toMatch(/'tls' has the type 'mutualTLS'/)
  expect((await secured([{ nothing: [] }])).reason).toMatch(/'nothing' is not defined/)
  expect((await secured([{ basic: [], bearer: [] }])).reason).toMatch(
    /basic, bearer all write the header authorization/,
  )
})

it('security can be set by the publisher', async () => {
  const named = await secured([{ key: [] }, {}], { credentials: { key: { secret: 'MINE' } } })
  expect(named.definition.requirements.secrets).toEqual([{ id: 'MINE' }])
  const alone = await secured([{ key: [], bearer: [] }, { key: [] }], { credentials: { key: { secret: 'MINE' } } })
  expect(alone.definition.requirements.secrets).toEqual([{ id: 'MINE' }])
  const mapped = await secured([{ google: ['mail'] }], {
    credentials: { google: { authorization: 'google', scopes: ['x'] } },
  })
  expect(mapped.definition.requirements.authorization).toEqual([{ id: 'google', oauth2: { scopes: ['x'] } }])
  const beside = await toolOf(
    {},
    { options: { credentials: { token: { authorization: 'github', in: 'header', name: 'Authorization' } } } },
  )
  expect(beside.definition.requirements.authorization).toEqual([{ id: 'github', oauth2: { scopes: [] } }])
})

it('security sets its own parameter, which is then not an input', async () => {
  const { definition } = await toolOf(
    { security: [{ key: [] }], parameters: [query('api_key'), query('q')] },
    { root: { components: { securitySchemes: schemes } } },
  )
  expect(Object.keys(definition.input.properties)).toEqual(['q'])
})

it('path items also have the operations and parameters next to their reference', async () => {
  const { tools, skipped } = await read({
    openapi: '3.1.0',
    servers: [{ url: 'https://a.example' }],
    components: {
      pathItems: { P: { parameters: [query('w')], get: { operationId: 'one' }, put: { operationId: 'two' } } },
    },
    paths: {
      '/a': {
        $ref: '#/components/pathItems/P',
        parameters: [query('v')],
        post: { operationId: 'three' },
        put: { operationId: 'four' },
      },
    },
  })
  expect(skipped).toEqual([])
  expect(tools?.map(({ definition }) => definition.tool)).toEqual(['one', 'four', 'three'])
  for (const { definition } of tools ?? [])
    expect(definition.input).toMatchObject({ properties: { v: { type: 'string' }, w: { type: 'string' } } })
})

it.each([
  ['openapi: 3.1', true],
  ['openapi: 3.0', true],
  ['openapi: 3', true],
  ['openapi: 3.2', false],
  ['openapi: 31', false],
])('versions are recognized when YAML makes numbers of them: %s', async (line, isTaken) => {
  const text = `${line}\nservers: [{ url: 'https://a.example' }]\npaths: { /a: { get: { operationId: a } } }`
  const { tools } = await read(text)
  expect(tools !== undefined).toBe(isTaken)
})

describe('servers', () => {
  it.each([
    ['https://a.example/base?api-version=1', '/a', 'https://a.example/base/a?api-version=1'],
    ['https://a.example/base/?api-version=1', '/a?x=2', 'https://a.example/base/a?api-version=1&x=2'],
    ['https://a.example?', '/a', 'https://a.example/a'],
  ])('servers may have a query: %s with %s', async (url, path, whole) => {
    const { implementation } = await toolOf({ operationId: 'a' }, { path, root: { servers: [{ url }] } })
    expect(implementation.url).toBe(whole)
  })

  const url = async (root: object, more: object = {}) => {
    const { implementation, reason } = await toolOf({}, { root, ...more })
    return implementation?.url ?? reason
  }

  it('servers default to the first one, with the defaults of its variables', async () => {
    const servers = [
      {
        url: 'https://{region}.example.com/{base}/',
        variables: { region: { default: 'eu' }, base: { default: 'v1' } },
      },
    ]
    expect(await url({ servers })).toBe('https://eu.example.com/v1/things')
    expect(await url({ servers: [{ url: 'https://{region}.example.com' }] })).toMatch(
      /has a variable without default: give 'base_url'/,
    )
  })

  it('servers are relative to the origin of the description, and to nothing else', async () => {
    const document = { openapi: '3.0.0', servers: [{ url: '../v2' }], paths: { '/a': { get: {} } } }
    const { tools } = await read('https://api.example.com/docs/api/spec.json', { served: JSON.stringify(document) })
    expect(tools?.[0]?.implementation.url).toBe('https://api.example.com/docs/v2/a')
    expect(await url({ servers: [{ url: '/v2' }] })).toMatch(/is relative and says no host: give 'base_url'/)
    expect(await url({ servers: [{ url: 'ftp://a.example' }] })).toMatch(/is not reached by HTTP/)
  })

  it('servers are replaced by a base URL, and in 2.0 are built from host, base path and schemes', async () => {
    expect(await url({}, { options: { base_url: 'https://other.example/api/' } })).toBe(
      'https://other.example/api/things',
    )
    const swagger = {
      swagger: '2.0',
      host: 'a.example',
      basePath: '/v1',
      schemes: ['http', 'https'],
      paths: { '/a': { get: {} } },
    }
    const { tools } = await read(swagger)
    expect(tools?.[0]?.implementation.url).toBe('https://a.example/v1/a')
  })

  it('servers never let an input choose the host', async () => {
    const { reason, implementation } = await toolOf(
      { parameters: [query('region')] },
      { root: { servers: [{ url: 'https://{region}.example.com' }] } },
    )
    expect(implementation).toBeNull()
    expect(reason).toMatch(/variable without default/)
  })
})

describe('OpenAPI 2.0', () => {
  const swagger = async (operation: object, root: object = {}) => {
    const { tools, skipped } = await read({
      swagger: '2.0',
      host: 'a.example',
      paths: { '/a': { post: operation } },
      ...root,
    })
    return { definition: tools?.[0]?.definition, implementation: tools?.[0]?.implementation, skipped }
  }

  it('OpenAPI 2.0 has collection formats', async () => {
    const list = (collectionFormat?: string) => ({
      name: `x${collectionFormat ?? ''}`,
      in: 'query',
      type: 'array',
      items: { type: 'string' },
      collectionFormat,
    })
    const { implementation } = await swagger({
      parameters: [list(), list('ssv'), list('pipes'), list('multi'), list('tsv')],
    })
    expect(implementation?.parameters).toEqual([
      { input: 'x', in: 'query', explode: false },
      { input: 'xssv', in: 'query', style: 'spaceDelimited', explode: false },
      { input: 'xpipes', in: 'query', style: 'pipeDelimited', explode: false },
      { input: 'xmulti', in: 'query', explode: true },
    ])
  })

  it('OpenAPI 2.0 has bodies, forms and files', async () => {
    const body = { name: 'b', in: 'body', required: true, schema: { $ref: '#/definitions/A' } }
    const made = await swagger(
      { parameters: [body] },
      { definitions: { A: { type: 'object', properties: { a: { 'type': 'string', 'x-nullable': true } } } } },
    )
    expect(made.definition?.input.properties).toEqual({ a: { type: ['string', 'null'] } })
    const file = await swagger({
      parameters: [{ name: 'f', in: 'formData', type: 'file', required: true }],
      consumes: ['multipart/form-data'],
    })
    expect(file.implementation?.body).toEqual({ type: 'multipart' })
    expect(file.definition?.input).toMatchObject({
      properties: { f: { required: ['filename', 'data'] } },
      required: ['f'],
    })
  })

  it('OpenAPI 2.0 has security definitions', async () => {
    const { definition } = await swagger({ security: [{ b: [] }] }, { securityDefinitions: { b: { type: 'basic' } } })
    expect(definition?.requirements.secrets).toEqual([{ id: 'KIT_B_USERNAME' }, { id: 'KIT_B_PASSWORD' }])
  })
})

it.each([
  [{ nonsense: 1 }, '/nonsense'],
  [{ base_url: 'ftp://a' }, '/base_url'],
  [{ base_url: 'https://{x}.example' }, '/base_url'],
  [{ base_url: 'https://me:pw@a.example' }, '/base_url'],
  [{ outputs: 'none' }, '/outputs'],
  [{ credentials: [] }, '/credentials'],
  [{ credentials: { typo: { secret: 'X' } } }, '/credentials/typo'],
  [{ credentials: { a: { secret: 'X', authorization: 'y', in: 'header', name: 'z' } } }, '/credentials/a'],
  [{ credentials: { a: { secret: 'X', in: 'path', name: 'z' } } }, '/credentials/a/in'],
  [{ credentials: { a: { secret: 'X', in: 'header', name: 'z', format: 'Bearer' } } }, '/credentials/a/format'],
])('options such as %j are refused', async (options, path) => {
  const { problems } = await read(
    { openapi: '3.1.0', paths: { '/a': { get: {} } } },
    { options: options as object as {} },
  )
  expect(problems?.map((each) => each.path)).toEqual([path])
})

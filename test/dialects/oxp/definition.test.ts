import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/tool/json.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { oxp } from '../../../src/dialects/oxp/definition.ts'
import { encodeFlat, toListLine, toSeedDocument } from '../../../src/dialects/oxp/encode.ts'
import { published, recordOf } from '../machine-context/record.ts'

const DOCUMENT: JsonObject = {
  id: 'Kit.Add@1.0.0',
  name: 'Add',
  description: 'Adds',
  version: '1.0.0',
  input_schema: { parameters: { type: 'object', properties: { a: { type: 'number', description: 'First' } } } },
  output_schema: { type: 'number' },
}
const GIVEN = { toolkit: 'Kit', version: '1.0.0' }

/** What is read of the document with something else in it, or the problems: where, and what. */
function read(change: JsonObject = {}, given = {}) {
  const result = oxp.decode(JSON.parse(JSON.stringify({ ...DOCUMENT, ...change })), given)
  return result.ok ? result.value : result.problems.map(({ path, message }) => [path, message])
}

describe('an OXP definition', () => {
  it('becomes a definition', () => {
    expect(
      read({
        requirements: {
          authorization: [{ id: 'google', oauth2: { scopes: ['mail'], 'x-note': 1 } }],
          secrets: [{ id: 'KEY', 'x-note': 1 }],
          user_id: true,
          'x-note': 1,
        },
      }),
    ).toEqual({
      definitions: [
        {
          toolkit: 'Kit',
          tool: 'Add',
          version: '1.0.0',
          name: 'Add',
          description: 'Adds',
          input: { type: 'object', properties: { a: { type: 'number', description: 'First' } } },
          output: { type: 'number' },
          requirements: {
            authorization: [{ id: 'google', oauth2: { scopes: ['mail'] } }],
            secrets: [{ id: 'KEY' }],
            user_id: true,
          },
          tags: [],
        },
      ],
      schemas: [
        {
          path: '/input_schema/parameters',
          schema: { type: 'object', properties: { a: { type: 'number', description: 'First' } } },
        },
        { path: '/output_schema', schema: { type: 'number' } },
      ],
      warnings: [
        ['', "'authorization', 'secrets', 'user_id'"],
        ['/authorization/0/oauth2', "'scopes'"],
        ['/secrets/0', "'id'"],
      ].map(([at, wanted]) => ({
        path: `/requirements${at}/x-note`,
        message: `Unknown field 'x-note', which is ignored: wanted ${wanted}`,
      })),
    })
  })

  it('has no requirements, output or scopes if it says so or leaves them out', () => {
    expect(read({ output_schema: null })).toMatchObject({
      definitions: [{ output: null, requirements: { authorization: [], secrets: [], user_id: false } }],
      schemas: [{ path: '/input_schema/parameters' }],
    })
    for (const oauth2 of [{}, { scopes: null }]) {
      expect(read({ requirements: { authorization: [{ id: 'a', oauth2 }, { id: 'b' }] } })).toMatchObject({
        definitions: [{ requirements: { authorization: [{ id: 'a', oauth2: { scopes: [] } }, { id: 'b' }] } }],
      })
    }
  })

  it.each<[Json, unknown]>([
    [
      { type: 'object', properties: { 'a/b': {}, d: { description: 'D' } } },
      {
        input: { type: 'object', properties: { 'a/b': {}, d: { description: 'D' } } },
        path: '/input_schema',
        warnings: [{ path: '/input_schema/properties/a~1b', message: "Parameter 'a/b' has no description" }],
      },
    ],
    [
      { parameters: { type: 'object', properties: { a: { description: 7 } } } },
      {
        input: { type: 'object', properties: { a: { description: 7 } } },
        path: '/input_schema/parameters',
        warnings: [{ path: '/input_schema/parameters/properties/a', message: "Parameter 'a' has no description" }],
      },
    ],
    [
      { properties: { parameters: { description: 'P' } } },
      { input: { properties: { parameters: { description: 'P' } } }, path: '/input_schema', warnings: [] },
    ],
    [
      { type: 'object', parameters: { type: 'object' }, required: ['q'] },
      ['type', 'required'].map((field) => ({
        path: `/input_schema/${field}`,
        message: `Unknown field '${field}': wanted 'parameters'`,
      })),
    ],
    [{}, { input: {}, path: '/input_schema', warnings: [] }],
    [{ parameters: { properties: 7 } }, { input: { properties: 7 }, path: '/input_schema/parameters', warnings: [] }],
  ])('reads %j as the intended input schema, and warns about missing descriptions', (input_schema, wanted) => {
    const result = oxp.decode({ ...DOCUMENT, input_schema }, {})
    if (!result.ok) return expect(result.problems).toEqual(wanted)
    const [definition] = result.value.definitions
    const [schema] = result.value.schemas
    expect(schema?.schema).toEqual(definition?.input)
    expect({ input: definition?.input, path: schema?.path, warnings: result.value.warnings }).toEqual(wanted)
  })

  it.each<[JsonObject, unknown]>([
    [{ id: undefined }, [['/id', 'Is required']]],
    [
      { id: 'Kit.Add' },
      [['/id', "Must be 'Toolkit.Tool@x.y.z', each name 1 to 64 characters of A-Z, a-z, 0-9 and _, got 'Kit.Add'"]],
    ],
    [
      { id: 'Kit.Add@1' },
      [
        ['/id', "Must be 'Toolkit.Tool@x.y.z', each name 1 to 64 characters of A-Z, a-z, 0-9 and _, got 'Kit.Add@1'"],
        ['/version', "Must be the version in the id, '1'"],
      ],
    ],
    [
      { id: 'Kit-x.Add@1.0.0' },
      [
        [
          '/id',
          "Must be 'Toolkit.Tool@x.y.z', each name 1 to 64 characters of A-Z, a-z, 0-9 and _, got 'Kit-x.Add@1.0.0'",
        ],
      ],
    ],
    [
      { id: 'Kit.Add-x@1.0.0' },
      [
        [
          '/id',
          "Must be 'Toolkit.Tool@x.y.z', each name 1 to 64 characters of A-Z, a-z, 0-9 and _, got 'Kit.Add-x@1.0.0'",
        ],
      ],
    ],
    [{ id: 7 }, [['/id', "Must be 'Toolkit.Tool@x.y.z', each name 1 to 64 characters of A-Z, a-z, 0-9 and _, got 7"]]],
    [
      { id: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.Add@1.0.0' },
      [
        [
          '/id',
          "Must be 'Toolkit.Tool@x.y.z', each name 1 to 64 characters of A-Z, a-z, 0-9 and _, got a string of 75 characters",
        ],
      ],
    ],
    [
      { id: 'x Kit.Add@1.0.0' },
      [
        [
          '/id',
          "Must be 'Toolkit.Tool@x.y.z', each name 1 to 64 characters of A-Z, a-z, 0-9 and _, got 'x Kit.Add@1.0.0'",
        ],
      ],
    ],
    [{ id: 'Other.Add@1.0.0' }, [['/id', "Must be of the toolkit 'Kit' that was given beside the definition"]]],
    [{ id: 'Kit.Add@1.0.1' }, [['/version', "Must be the version in the id, '1.0.1'"]]],
    [
      { id: 'Kit.Add@^1' },
      [
        ['/id', "Must be 'Toolkit.Tool@x.y.z', each name 1 to 64 characters of A-Z, a-z, 0-9 and _, got 'Kit.Add@^1'"],
        ['/version', "Must be the version in the id, '^1'"],
      ],
    ],
    [{ name: 'a b' }, [['/name', "Must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -, got 'a b'"]]],
    [{ description: 1 }, [['/description', 'Must be a string, got 1']]],
    [{ version: '1.0.1' }, [['/version', "Must be the version '1.0.0' that was given beside the definition"]]],
    [{ input_schema: undefined }, [['/input_schema', 'Is required']]],
    [{ input_schema: 1 }, [['/input_schema', "Must be an object: {'parameters': <JSON Schema>}, got 1"]]],
    [{ input_schema: { parameters: 1 } }, [['/input_schema/parameters', 'Must be a JSON Schema object, got 1']]],
    [{ input_schema: { parameters: null } }, [['/input_schema/parameters', 'Must be a JSON Schema object, got null']]],
    [
      { input_schema: { parameters: { type: 'array' } } },
      [['/input_schema/parameters/type', "Must be 'object': a tool's parameters have names"]],
    ],
    [
      { input_schema: { type: ['object', 'null'] } },
      [['/input_schema/type', "Must be 'object': a tool's parameters have names"]],
    ],
    [{ input_schema: { type: 'array' } }, [['/input_schema/type', "Must be 'object': a tool's parameters have names"]]],
    [
      { input_schema: { properties: 1, type: 'string' } },
      [['/input_schema/type', "Must be 'object': a tool's parameters have names"]],
    ],
    [{ output_schema: undefined }, [['/output_schema', 'Is required']]],
    [{ output_schema: true }, [['/output_schema', 'Must be a JSON Schema object, or null for no output, got true']]],
    [{ requirements: 1 }, [['/requirements', 'Must be an object, got 1']]],
    [{ requirements: { authorization: {} } }, [['/requirements/authorization', 'Must be an array, got an object']]],
    [{ requirements: { authorization: [1] } }, [['/requirements/authorization/0/id', 'Is required']]],
    [
      { requirements: { authorization: [{ id: 'a b' }] } },
      [['/requirements/authorization/0/id', "Must be 1 to 128 visible ASCII characters, got 'a b'"]],
    ],
    [
      { requirements: { authorization: [{ id: 'a', oauth2: 1 }] } },
      [['/requirements/authorization/0/oauth2/scopes', 'Is required']],
    ],
    [
      { requirements: { authorization: [{ id: 'a', oauth2: { scopes: 'x' } }] } },
      [['/requirements/authorization/0/oauth2/scopes', "Must be an array of strings, got 'x'"]],
    ],
    [
      { requirements: { secret: [{ id: 'K' }], authorisation: [], auth: [] } },
      ['secret', 'authorisation', 'auth'].map((name) => [
        `/requirements/${name}`,
        `Unknown field '${name}' (meant '${name === 'secret' ? 'secrets' : 'authorization'}'?): wanted 'authorization', 'secrets', 'user_id'`,
      ]),
    ],
    [
      { requirements: { authorization: [{ id: 'acme', scopes: ['read'] }] } },
      [['/requirements/authorization/0/scopes', "Unknown field 'scopes' (meant 'oauth2'?): wanted 'id', 'oauth2'"]],
    ],
    [
      { requirements: { authorization: [{ id: 'acme', oauth2: { scope: 'read' } }] } },
      [['/requirements/authorization/0/oauth2/scope', "Unknown field 'scope' (meant 'scopes'?): wanted 'scopes'"]],
    ],
    [
      { requirements: { secrets: [{ name: 'K' }] } },
      [
        ['/requirements/secrets/0/name', "Unknown field 'name' (meant 'id'?): wanted 'id'"],
        ['/requirements/secrets/0/id', 'Is required'],
      ],
    ],
    [{ requirements: { secrets: 1 } }, [['/requirements/secrets', 'Must be an array, got 1']]],
    [{ requirements: { secrets: ['x'] } }, [['/requirements/secrets/0/id', 'Is required']]],
    [{ requirements: { user_id: 'yes' } }, [['/requirements/user_id', "Must be a boolean, got 'yes'"]]],
    [
      { requirements: { authorization: [{ id: 'a' }, { id: 'a' }], secrets: [{ id: 'a' }, { id: 'b' }, { id: 'b' }] } },
      [
        ['/requirements/authorization/1/id', "Must be unique, got 'a' again"],
        ['/requirements/secrets/2/id', "Must be unique, got 'b' again"],
      ],
    ],
    [
      { input_schema: { parameters: { properties: { a: true, 'b/c': false } } } },
      [
        ['/input_schema/parameters/properties/a', 'Must be a JSON Schema object, got true'],
        ['/input_schema/parameters/properties/b~1c', 'Must be a JSON Schema object, got false'],
      ],
    ],
    [
      { id: 'Kit.Add@1.0.0-rc.1', version: '1.0.0-rc.1' },
      [
        [
          '/id',
          "Must be 'Toolkit.Tool@x.y.z', each name 1 to 64 characters of A-Z, a-z, 0-9 and _, got 'Kit.Add@1.0.0-rc.1'",
        ],
        ['/version', "Must be a version of the form x.y.z, got '1.0.0-rc.1'"],
      ],
    ],
    [
      { extra: 1 },
      [
        [
          '/extra',
          "Unknown field 'extra': wanted 'id', 'name', 'description', 'version', 'input_schema', 'output_schema', 'requirements'",
        ],
      ],
    ],
  ])('with %j is refused with paths and reasons', (change, problems) => expect(read(change, GIVEN)).toEqual(problems))

  it('may have any toolkit and version if none is given next to it', () => {
    expect(read({ id: 'Other.Add@1.0.0' })).toMatchObject({ definitions: [{ toolkit: 'Other' }] })
    expect(read({ version: 7 })).toEqual([['/version', 'Must be a version of the form x.y.z, got 7']])
  })

  it('is recognized by either schema', () => {
    for (const document of [{ input_schema: 1 }, { output_schema: 1 }]) expect(oxp.recognizes(document)).toBe(true)
    for (const document of [null, [], 'x', {}, { inputSchema: {} }]) expect(oxp.recognizes(document)).toBe(false)
    expect([oxp.dialect, oxp.references]).toEqual(['oxp', 'none'])
  })
})

it.each([{ type: ['object'] }, { parameters: { type: ['object'] } }])('%j has the type object', (input_schema) => {
  expect(read({ input_schema })).toMatchObject({ definitions: [{ input: { type: 'object' } }] })
})

describe('a record as OXP', () => {
  const RECORD: Partial<ToolRecord> = {
    toolkit: 'Kit',
    tool: 'Add',
    name: 'Add',
    description: 'Adds',
    input: { type: 'object', properties: {} },
  }
  const WRITTEN = { id: 'Kit.Add@1.0.0', name: 'Add', description: 'Adds', version: '1.0.0', output_schema: {} }
  const input_schema = { parameters: { type: 'object', properties: {} } }

  it('is returned as published, with the input schema in the requested form', () => {
    const result = oxp.decode(DOCUMENT, {})
    if (!result.ok) throw new Error('Cannot decode')
    const record = published(result.value.definitions[0]!, 'oxp', DOCUMENT)
    expect(oxp.encode(record)).toEqual({ document: DOCUMENT, losses: [] })
    expect(oxp.encode(record).document).toBe(DOCUMENT)
    expect(toSeedDocument(record)).toEqual(DOCUMENT)
    expect(encodeFlat(record)).toEqual({ document: { ...DOCUMENT, input_schema: record.input }, losses: [] })
    const beside = { ...record, tags: ['t'], securityLevel: 7 }
    for (const { losses } of [oxp.encode(beside), encodeFlat(beside)]) {
      expect(losses.map(({ path }) => path)).toEqual(['/tags', '/securityLevel'])
    }
  })

  it('of another dialect expresses what it can', () => {
    const record = recordOf(RECORD)
    expect(oxp.encode(record)).toEqual({ document: { ...WRITTEN, input_schema }, losses: [] })
    expect(Object.keys(toSeedDocument(record))).not.toContain('requirements')
    expect(encodeFlat(record).document).toEqual({ ...WRITTEN, input_schema: { type: 'object', properties: {} } })
    expect(oxp.encode({ ...record, source: { dialect: 'oxp', document: [] } }).document).toEqual({
      ...WRITTEN,
      input_schema,
    })
  })

  it.each([
    [true, {}],
    [false, { not: {} }],
    [null, null],
    [{ type: 'string' }, { type: 'string' }],
  ])('with the output %j has the output schema %j', (output, output_schema) => {
    expect(toSeedDocument(recordOf({ ...RECORD, output }))).toEqual({ ...WRITTEN, input_schema, output_schema })
  })

  it.each([
    [
      { authorization: [{ id: 'a' }, { id: 'b', oauth2: { scopes: ['s'] } }], secrets: [], user_id: false },
      { authorization: [{ id: 'a' }, { id: 'b', oauth2: { scopes: ['s'] } }] },
    ],
    [{ authorization: [], secrets: [{ id: 'KEY' }], user_id: false }, { secrets: [{ id: 'KEY' }] }],
    [{ authorization: [], secrets: [], user_id: true }, { user_id: true }],
  ])('with the requirements %j writes %j', (requirements, written) => {
    expect(toSeedDocument(recordOf({ ...RECORD, requirements })).requirements).toEqual(written)
  })

  it('has its references resolved, and reports those that cannot be', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } }
    const record = recordOf({
      ...RECORD,
      input: { type: 'object', properties: { a: { $ref: '#/$defs/text' } }, $defs: { text: { type: 'string' } } },
      output: { $ref: '#/$defs/node', $defs: { node } },
    })
    const { document, losses } = oxp.encode(record)
    expect(document).toMatchObject({
      input_schema: { parameters: { type: 'object', properties: { a: { type: 'string' } } } },
      output_schema: { type: 'object', properties: { next: {} } },
    })
    expect(losses).toEqual([
      { path: '/output/$defs/node/properties/next/$ref', reason: expect.stringContaining('leads back to itself') },
    ])
  })

  it('has parameter schemas that are objects', () => {
    const input = { type: 'object', properties: { a: true, b: false, c: { type: 'string' } } }
    const parameters = { type: 'object', properties: { a: {}, b: { not: {} }, c: { type: 'string' } } }
    expect(toSeedDocument(recordOf({ ...RECORD, input })).input_schema).toEqual({ parameters })
    expect(encodeFlat(recordOf({ ...RECORD, input })).document).toMatchObject({ input_schema: parameters })
  })

  it('has no top-level keyword that would make it look like a wrapped schema', () => {
    const input = { type: 'object', parameters: { type: 'string' } }
    const { document } = encodeFlat(recordOf({ ...RECORD, input }))
    expect(document).toMatchObject({ input_schema: { type: 'object' } })
    expect(document).not.toHaveProperty('input_schema.parameters')
  })

  it('has an id in the characters of OXP, and reports the replaced characters', () => {
    const { document, losses } = oxp.encode(recordOf({ toolkit: 'my-kit', tool: 'a-b', version: '1.0.0-rc.1+7' }))
    expect(document).toMatchObject({ id: 'my_kit.a_b@1.0.0', version: '1.0.0' })
    expect(losses.map(({ path }) => path)).toEqual(['/toolkit', '/tool', '/version'])
  })

  it('is listed, unless OXP cannot express its version', () => {
    const record = recordOf(RECORD)
    expect(toListLine(record)).toBe(JSON.stringify(toSeedDocument(record)))
    for (const version of ['1.0.0-rc.1', '1.0.0+7']) expect(toListLine({ ...record, version })).toBe('')
  })

  it('reports what it cannot express', () => {
    const reason = 'OXP 1.0 has no such field'
    const more = { title: '', annotations: {}, icons: [], _meta: {}, metadata: {}, examples: [], tags: ['a'] }
    expect(oxp.encode(recordOf({ ...more, securityLevel: 1 })).losses).toEqual(
      [...Object.keys(more), 'securityLevel'].map((field) => ({ path: `/${field}`, reason })),
    )
    const secret = { authorization: [], secrets: [{ id: 'KEY' }], user_id: false }
    expect(encodeFlat(recordOf({ requirements: secret, securityLevel: 4 })).losses).toEqual([])
  })
})

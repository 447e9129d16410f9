import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prepareDocument } from '../../../src/core/publish/prepare.ts'
import type { Json, JsonObject } from '../../../src/core/tool/json.ts'
import { getDisplayTitle, type ToolRecord } from '../../../src/core/tool/tool.ts'
import { mcp } from '../../../src/dialects/mcp/definition.ts'
import { recordOf } from '../machine-context/record.ts'
import { record } from './set-up.ts'

const GIVEN = { toolkit: 'Kit', version: '1.2.3' }
const TOOL = { name: 'add', inputSchema: { type: 'object' } }

/** Every field of the Kotlin SDK's `Tool`. */
const FULL = {
  name: 'get_weather',
  title: 'Weather',
  description: 'Tells the weather',
  inputSchema: {
    type: 'object',
    properties: { city: { $ref: '#/$defs/city' } },
    $defs: { city: { type: 'string' } },
    required: ['city'],
  },
  outputSchema: { type: 'object', properties: { degrees: { type: 'number' } } },
  annotations: {
    title: 'Older title',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
  icons: [
    { src: 'https://x.example/i.png', mimeType: 'image/png', sizes: ['48x48', 'any'], theme: 'dark' },
    { src: 'data:image/png;base64,AA==' },
  ],
  _meta: { 'com.example/x': { y: 1 } },
  execution: { taskSupport: 'optional' },
}

function decoded(document: Json, given: typeof GIVEN = GIVEN) {
  const result = mcp.decode(document, given)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.value
}

async function published(document: Json): Promise<readonly ToolRecord[]> {
  const deps = {
    codecs: [mcp],
    runners: new Map(),
    sha256: async (text: string) => String(text.length),
    source: {
      findDocumentAddress: async () => undefined,
      loadCurrent: async () => undefined,
      loadRecord: async () => undefined,
      hasToolkit: async () => false,
    },
  }
  const prepared = await prepareDocument({ kind: 'document', body: { definition: document, ...GIVEN } }, deps)
  if (!prepared.ok) throw new Error(JSON.stringify(prepared.problems))
  // As readers get them: a document of several tools is stored once, beside them
  return prepared.value.publication.records.map((record) => ({ ...record, source: { dialect: 'mcp', document } }))
}

const problemsOf = (document: Json, given = {}) => {
  const result = mcp.decode(document, { ...GIVEN, ...given })
  return result.ok ? [] : result.problems.map(({ path }) => path)
}

describe('MCP definitions', () => {
  it('are recognized by their shape', () => {
    for (const document of [TOOL, FULL, { tools: [TOOL, FULL] }]) expect(mcp.recognizes(document)).toBe(true)
    for (const other of [null, [], {}, { tools: [] }, { tools: [{}] }, { name: 'x', input_schema: {} }]) {
      expect(mcp.recognizes(other)).toBe(false)
    }
  })

  it('can contain everything that a record has', () => {
    const [definition] = decoded(FULL).definitions
    expect(definition).toEqual({
      toolkit: 'Kit',
      version: '1.2.3',
      tool: 'get_weather',
      name: 'get_weather',
      title: 'Weather',
      description: FULL.description,
      input: FULL.inputSchema,
      output: FULL.outputSchema,
      annotations: FULL.annotations,
      taskSupport: 'optional',
      icons: FULL.icons,
      _meta: FULL._meta,
      requirements: { authorization: [], secrets: [], user_id: false },
      tags: [],
    })
  })

  it.each([
    [{ title: 'A', annotations: { title: 'B' } }, 'A', 'A'],
    [{ title: '', annotations: { title: 'B' } }, '', 'B'],
    [{ annotations: { title: 'B' } }, undefined, 'B'],
    [{ annotations: { title: '' } }, undefined, undefined],
    [{}, undefined, undefined],
  ])('with %j keep the title %j, and are displayed as %j, or by name', (some, title, shown) => {
    const [definition] = decoded({ ...TOOL, ...some }).definitions
    expect(definition?.title).toBe(title)
    expect(definition && getDisplayTitle(definition)).toBe(shown)
  })

  it('of clients that write every field may contain null for absent fields', () => {
    const nothing = { title: null, description: null, outputSchema: null, annotations: null, icons: null, _meta: null }
    expect(decoded({ ...TOOL, ...nothing }).definitions).toEqual(decoded(TOOL).definitions)
    const hints = { title: null, destructiveHint: null, idempotentHint: null, openWorldHint: null }
    const icon = { src: 'data:,', mimeType: null, sizes: null, theme: null }
    const schema = { type: 'object', properties: null, required: null, $defs: null, default: null }
    const [definition] = decoded({
      name: 'add',
      inputSchema: schema,
      outputSchema: schema,
      annotations: { readOnlyHint: true, ...hints },
      icons: [icon],
    }).definitions
    expect(definition).toMatchObject({ annotations: { readOnlyHint: true }, icons: [{ src: 'data:,' }] })
    expect(definition?.annotations).toEqual({ readOnlyHint: true })
    expect(definition?.icons).toEqual([{ src: 'data:,' }])
    for (const read of [definition?.input, definition?.output]) expect(read).toEqual({ type: 'object', default: null })
  })

  it.each([
    ['admin.tools.list', 'admin_tools_list'],
    ['a'.repeat(64), 'a'.repeat(64)],
    ['a'.repeat(128), expect.stringMatching(/^a{55}_[0-9a-f]{8}$/)],
  ])('named %s get the name %s', (name, own) => {
    expect(decoded({ ...TOOL, name }).definitions[0]?.tool).toEqual(own)
  })

  it('of one toolkit stay distinct if they differ by dots only', () => {
    const { definitions } = decoded({
      tools: [
        { ...TOOL, name: 'a_b' },
        { ...TOOL, name: 'a.b' },
      ],
    })
    expect(definitions.map(({ tool }) => tool)).toEqual(['a_b', expect.stringMatching(/^a_b_[0-9a-f]{8}$/)])
    const inOrder = ['a.b', 'a_b'].map((name) => ({ ...TOOL, name }))
    const made = decoded({ tools: inOrder }).definitions.map(({ tool }) => tool)
    expect(made).toEqual(['a_b', expect.stringMatching(/^a_b_[0-9a-f]{8}$/)])
  })

  it.each([
    [{ name: undefined }, '/name'],
    [{ name: '' }, '/name'],
    [{ name: 'a\tb' }, '/name'],
    [{ name: 'a'.repeat(161) }, '/name'],
    [{ title: 1 }, '/title'],
    [{ inputSchema: undefined }, '/inputSchema'],
    [{ inputSchema: true }, '/inputSchema'],
    [{ inputSchema: {} }, '/inputSchema/type'],
    [{ inputSchema: { type: 'array' } }, '/inputSchema/type'],
    [
      { inputSchema: { type: 'object', properties: { a: { 'x-mcp-header': 'A' } } } },
      '/inputSchema/properties/a/x-mcp-header',
    ],
    [{ outputSchema: 1 }, '/outputSchema'],
    [{ outputSchema: { type: 'array' } }, '/outputSchema/type'],
    [{ outputSchema: {} }, '/outputSchema/type'],
    [{ annotations: [] }, '/annotations'],
    [{ annotations: { readOnlyHint: 'yes' } }, '/annotations/readOnlyHint'],
    [{ icons: {} }, '/icons'],
    [{ icons: [{ src: 'http://x.example/i.png' }] }, '/icons/0/src'],
    [{ icons: [{ src: 'javascript:alert(1)' }] }, '/icons/0/src'],
    [{ icons: [{ src: 'data:,', sizes: '48x48' }] }, '/icons/0/sizes'],
    [{ icons: [{ src: 'data:,', theme: 'blue' }] }, '/icons/0/theme'],
    [{ _meta: 1 }, '/_meta'],
  ])('with %j are refused at %s', (some, path) => {
    const tool = JSON.parse(JSON.stringify({ ...TOOL, ...some }))
    expect(problemsOf(tool)).toEqual([path])
    expect(problemsOf({ tools: [FULL, tool] })).toEqual([`/tools/1${path}`])
  })

  it('need a toolkit and a version next to them, and the message says how to give them', () => {
    const result = mcp.decode(TOOL, {})
    expect(result.ok ? [] : result.problems).toEqual([
      { path: '/toolkit', message: expect.stringContaining('{"definition", "toolkit", "version"}') },
      { path: '/version', message: expect.stringContaining('{"definition", "toolkit", "version"}') },
    ])
  })

  it('are refused without tools, or if two tools have the same name', () => {
    expect(problemsOf([])).toEqual([''])
    expect(problemsOf({ tools: [] })).toEqual(['/tools'])
    expect(problemsOf({ tools: [1] })).toEqual(['/tools/0'])
    expect(problemsOf({ tools: [TOOL, { ...TOOL, name: 'ADD' }] })).toEqual(['/tools/1/name'])
  })

  it('warn about fields that are kept without effect', () => {
    const { warnings } = decoded({ ...TOOL, name: 'a.b', extra: 1 })
    expect(warnings.map(({ path }) => path)).toEqual(['/extra', '/name', '/description'])
  })

  it('are returned as they were published, one or many', async () => {
    const text = fc.string({ maxLength: 20 })
    const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/)
    const schema = fc.record({ type: fc.constant('object'), description: text }, { requiredKeys: ['type'] })
    const tool = fc.record(
      {
        name,
        inputSchema: schema,
        title: text,
        description: text,
        outputSchema: fc.record({ type: fc.constant('object'), description: text }, { requiredKeys: ['type'] }),
        annotations: fc.record({ title: text, readOnlyHint: fc.boolean() }, { requiredKeys: [] }),
        icons: fc.array(fc.record({ src: fc.webUrl({ validSchemes: ['https'] }) })),
        _meta: fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          fc.integer(),
        ),
        other: text,
      },
      { requiredKeys: ['name', 'inputSchema'] },
    )
    // A name that another's dots give is that other's, where it comes first
    const called = ({ name }: { name: string }) => name.toLowerCase().replaceAll('.', '_')
    const kit = fc.uniqueArray(tool, { minLength: 1, maxLength: 5, selector: called })
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          tool,
          kit.map((tools) => ({ tools })),
        ),
        async (made) => {
          const document: JsonObject = JSON.parse(JSON.stringify(made))
          const records = await published(document)
          expect(records).toHaveLength('tools' in made ? made.tools.length : 1)
          for (const each of records) {
            expect(each.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
            expect(mcp.encode(each)).toEqual({ document, losses: [] })
          }
          expect(new Set(records.map(({ tool: own }) => own.toLowerCase())).size).toBe(records.length)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('express what they can of other dialects, and report the rest', () => {
    const lost = record('plain', {
      output: null,
      securityLevel: 7,
      requirements: { authorization: [{ id: 'google' }], secrets: [{ id: 'KEY' }], user_id: true },
      metadata: { a: 1 },
      examples: [],
      input: { properties: { a: { 'type': 'string', 'x-mcp-header': 'A' } } },
    })
    const { document, losses } = mcp.encode(lost)
    expect(document).toEqual({
      name: 'plain',
      description: 'What plain does',
      inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
    })
    expect(losses.map(({ path }) => path)).toEqual([
      '/toolkit',
      '/version',
      '/metadata',
      '/examples',
      '/requirements/authorization',
      '/requirements/secrets',
      '/requirements/user_id',
      '/securityLevel',
      '/output',
      '/input',
    ])
  })
})

const ADD = { ...TOOL, description: 'Adds' }

describe('the decoding of MCP definitions', () => {
  it.each<[Json, unknown]>([
    [[], [['', 'Must be an object, got an empty array']]],
    [7, [['', 'Must be an object, got 7']]],
    [{ tools: [] }, [['/tools', 'Must be an array that is not empty, got an empty array']]],
    [{ tools: 7 }, [['/tools', 'Must be an array that is not empty, got 7']]],
    [{ tools: [7] }, [['/tools/0', 'Must be an object, got 7']]],
    [
      { ...ADD, name: 'a\nb' },
      [['/name', 'Must be 1 to 160 characters that can be seen, got a string of 3 characters']],
    ],
    [{ ...ADD, name: 7 }, [['/name', 'Must be 1 to 160 characters that can be seen, got 7']]],
    [
      { inputSchema: {} },
      [
        ['/name', 'Is required'],
        ['/inputSchema/type', "Must be 'object': a tool's arguments have names"],
      ],
    ],
    [{ ...ADD, inputSchema: 7 }, [['/inputSchema', 'Must be a JSON Schema object, got 7']]],
    [
      { ...ADD, inputSchema: { type: 'array' } },
      [['/inputSchema/type', "Must be 'object': a tool's arguments have names"]],
    ],
    [
      {
        ...ADD,
        inputSchema: { type: 'object', 'x-mcp-header': 'A', properties: { a: { items: { 'x-mcp-header': 'A' } } } },
      },
      [
        ['/inputSchema/x-mcp-header', 'Must be left out: parameters are not read from headers here'],
        ['/inputSchema/properties/a/items/x-mcp-header', 'Must be left out: parameters are not read from headers here'],
      ],
    ],
    [{ ...ADD, outputSchema: true }, [['/outputSchema', 'Must be a JSON Schema object, got true']]],
    [{ ...ADD, annotations: 7 }, [['/annotations', 'Must be an object, got 7']]],
    [
      { ...ADD, annotations: { title: 7, readOnlyHint: 7, destructiveHint: 7, idempotentHint: 7, openWorldHint: 7 } },
      [
        ['/annotations/title', 'Must be a string, got 7'],
        ['/annotations/readOnlyHint', 'Must be a boolean, got 7'],
        ['/annotations/destructiveHint', 'Must be a boolean, got 7'],
        ['/annotations/idempotentHint', 'Must be a boolean, got 7'],
        ['/annotations/openWorldHint', 'Must be a boolean, got 7'],
      ],
    ],
    [{ ...ADD, icons: 7 }, [['/icons', 'Must be an array, got 7']]],
    [
      {
        ...ADD,
        icons: [
          7,
          { src: 'https:///x' },
          { src: 'xhttps://a' },
          { src: 'data:', mimeType: 7, sizes: [7], theme: 'blue' },
        ],
      },
      [
        ['/icons/0', 'Must be an object, got 7'],
        ['/icons/1/src', "Must be an 'https:' or a 'data:' URL, got 'https:///x'"],
        ['/icons/2/src', "Must be an 'https:' or a 'data:' URL, got 'xhttps://a'"],
        ['/icons/3/mimeType', 'Must be a string, got 7'],
        ['/icons/3/sizes', 'Must be an array of strings, got an array of 1'],
        ['/icons/3/theme', "Must be one of 'light', 'dark', got 'blue'"],
      ],
    ],
    [{ ...ADD, _meta: [] }, [['/_meta', 'Must be an object, got an empty array']]],
    [{ tools: [ADD, { ...ADD, name: 'ADD' }] }, [['/tools/1/name', "Must be unique, ignoring case, got 'ADD' again"]]],
    [
      { tools: [ADD], inputSchema: {} },
      [
        ['/name', 'Is required'],
        ['/inputSchema/type', "Must be 'object': a tool's arguments have names"],
      ],
    ],
  ])('refuses %j with the problems and their paths', (document, problems) => {
    const read = mcp.decode(document, GIVEN)
    expect(read.ok ? [] : read.problems.map(({ path, message }) => [path, message])).toEqual(problems)
  })

  it.each<[JsonObject, object[], object[]?]>([
    [ADD, [{}]],
    [
      { name: 'add', inputSchema: { type: 'object' } },
      [{ description: '' }],
      [{ path: '/description', message: 'Without a description models cannot tell what it is for' }],
    ],
    [
      { ...ADD, name: 'a.b', extra: 1 },
      [{ tool: 'a_b', name: 'a_b' }],
      [
        {
          path: '/extra',
          message:
            "Unknown field 'extra', which is ignored: wanted 'name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'icons', '_meta', 'execution'",
        },
        { path: '/name', message: "It is called 'a_b' here" },
      ],
    ],
    [{ ...ADD, execution: { taskSupport: 'required' } }, [{ taskSupport: 'required' }]],
    [{ ...ADD, execution: { taskSupport: 'optional' } }, [{ taskSupport: 'optional' }]],
    [{ ...ADD, execution: { taskSupport: 'forbidden' } }, [{}]],
    [{ ...ADD, execution: { taskSupport: 'sometimes' } }, [{}]],
    [{ ...ADD, execution: 7 }, [{}]],
    [{ ...ADD, outputSchema: { type: 'object' } }, [{ output: { type: 'object' } }]],
    [
      {
        ...ADD,
        icons: [{ src: 'HTTPS://a', sizes: ['any'], theme: 'light', more: 1 }],
        annotations: { more: 1 },
        _meta: {},
      },
      [{ annotations: { more: 1 }, icons: [{ src: 'HTTPS://a', sizes: ['any'], theme: 'light', more: 1 }], _meta: {} }],
    ],
    [{ tools: [ADD, { ...ADD, name: 'sub' }], nextCursor: 'x' }, [{}, { tool: 'sub', name: 'sub' }]],
    [
      {
        tools: [
          { ...ADD, name: 'a_b' },
          { ...ADD, name: 'a.b' },
        ],
      },
      [
        { tool: 'a_b', name: 'a_b' },
        { tool: 'a_b_108bf50c', name: 'a_b_108bf50c' },
      ],
      [{ path: '/tools/1/name', message: "It is called 'a_b_108bf50c' here" }],
    ],
  ])('reads %j completely', (document, wanted, expectedWarnings = []) => {
    const { definitions, schemas, warnings } = decoded(document)
    const own = definitions.map(({ tool, name, title, description, input, output, ...more }) => ({
      tool,
      name,
      title,
      description,
      input,
      output,
      annotations: more.annotations,
      taskSupport: more.taskSupport,
      icons: more.icons,
      _meta: more._meta,
    }))
    const least = { description: 'Adds', tool: 'add', name: 'add', input: { type: 'object' }, output: {} }
    expect(own).toEqual(wanted.map((fields) => ({ ...least, ...fields })))
    const places = document.tools ? definitions.map((_, index) => `/tools/${index}`) : ['']
    const paths = places.flatMap((place) => [`${place}/inputSchema`, `${place}/outputSchema`])
    expect([schemas.map(({ path }) => path), warnings]).toEqual([paths, expectedWarnings])
    expect(definitions[0]).toMatchObject({ ...GIVEN, tags: [] })
  })

  it('has its own rules of recognition', () => {
    expect(mcp.recognizes({ inputSchema: 7 })).toBe(true)
    for (const other of [{ tools: 7 }, { tools: [TOOL, 7] }, { tools: [TOOL, {}] }, 'inputSchema']) {
      expect(mcp.recognizes(other)).toBe(false)
    }
    expect([mcp.dialect, mcp.references]).toEqual(['mcp', 'local'])
    expect(mcp.decode({ tools: [] }, { toolkit: 'Kit' })).toMatchObject({
      problems: [{ path: '/version' }, { path: '/tools' }],
    })
  })
})

describe('a record of another dialect as an MCP tool', () => {
  it.each<[Partial<ToolRecord>, object, object[]?]>([
    [{}, {}],
    [
      { title: 'T', annotations: { a: 1 }, icons: [], _meta: { x: 1 } },
      { title: 'T', annotations: { a: 1 }, icons: [], _meta: { x: 1 } },
    ],
    [{ description: '' }, { description: undefined }],
    [{ output: true }, {}],
    [
      { output: false },
      { outputSchema: { type: 'object', properties: { result: { not: {} } }, required: ['result'] } },
      [{ path: '/output', reason: "It is not an object, and is wrapped as {'result': …}" }],
    ],
    [{ output: { type: 'object' } }, { outputSchema: { type: 'object' } }],
    [
      { output: { minimum: 1 } },
      { outputSchema: { type: 'object', properties: { result: { minimum: 1 } }, required: ['result'] } },
      [{ path: '/output', reason: "It is not an object, and is wrapped as {'result': …}" }],
    ],
    [{ output: null }, {}, [{ path: '/output', reason: 'MCP cannot say that a tool has no output' }]],
    [{ input: {} }, {}],
    [{ input: { properties: {}, type: 'object' } }, { inputSchema: { properties: {}, type: 'object' } }],
    [
      {
        input: {
          type: 'object',
          properties: { a: { 'x-mcp-header': 'A', type: 'string' }, 'x-mcp-header': true },
          default: { 'x-mcp-header': 1 },
          anyOf: [{ 'x-mcp-header': 'B' }, true],
        },
      },
      {
        inputSchema: {
          type: 'object',
          properties: { a: { type: 'string' }, 'x-mcp-header': true },
          default: { 'x-mcp-header': 1 },
          anyOf: [{}, true],
        },
      },
      [{ path: '/input', reason: "'x-mcp-header' is left out: parameters are not read from headers here" }],
    ],
    [
      { requirements: { authorization: [{ id: 'a' }], secrets: [], user_id: false }, securityLevel: 4 },
      {},
      [{ path: '/requirements/authorization', reason: 'MCP has no such field' }],
    ],
    [
      { requirements: { authorization: [], secrets: [{ id: 'a' }], user_id: false }, securityLevel: 4 },
      {},
      [{ path: '/requirements/secrets', reason: 'MCP has no such field' }],
    ],
    [
      { requirements: { authorization: [], secrets: [], user_id: true }, securityLevel: 0 },
      {},
      [
        { path: '/requirements/user_id', reason: 'MCP has no such field' },
        { path: '/securityLevel', reason: 'MCP has no such field' },
      ],
    ],
    [{ metadata: {} }, {}, [{ path: '/metadata', reason: 'MCP has no such field' }]],
    [{ examples: [] }, {}, [{ path: '/examples', reason: 'MCP has no such field' }]],
  ])('with %j expresses what it can, and reports the rest', (given, fields, expectedLosses = []) => {
    const { document, losses } = mcp.encode(recordOf({ name: 'Tool', ...given }))
    const least = { name: 'Tool', description: 'What it does', inputSchema: { type: 'object' } }
    expect(document).toEqual({ ...least, ...fields })
    expect(losses.slice(2)).toEqual(expectedLosses)
    expect(losses.slice(0, 2)).toEqual([
      { path: '/toolkit', reason: 'An MCP tool names no toolkit: publish it with ?toolkit=' },
      { path: '/version', reason: 'An MCP tool has no version: publish it with ?version=' },
    ])
  })
})

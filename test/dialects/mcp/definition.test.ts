import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prepareDocument } from '../../../src/core/publish/prepare.ts'
import type { Json, JsonObject } from '../../../src/core/tool/json.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { mcp } from '../../../src/dialects/mcp/definition.ts'
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
  const deps = { codecs: [mcp], runners: new Map(), sha256: async (text: string) => String(text.length) }
  const prepared = await prepareDocument({ body: { definition: document, ...GIVEN } }, deps)
  if (!prepared.ok) throw new Error(JSON.stringify(prepared.problems))
  return prepared.value.records
}

const problemsOf = (document: Json, given = {}) => {
  const result = mcp.decode(document, { ...GIVEN, ...given })
  return result.ok ? [] : result.problems.map(({ path }) => path)
}

describe('MCP definitions', () => {
  it('are recognised by their shape', () => {
    for (const document of [TOOL, FULL, { tools: [TOOL, FULL] }]) expect(mcp.recognises(document)).toBe(true)
    for (const other of [null, [], {}, { tools: [] }, { tools: [{}] }, { name: 'x', input_schema: {} }]) {
      expect(mcp.recognises(other)).toBe(false)
    }
  })

  it('say all that a record takes', () => {
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
      icons: FULL.icons,
      _meta: FULL._meta,
      requirements: { authorization: [], secrets: [], user_id: false },
      tags: [],
    })
  })

  it.each([
    [{ title: 'A', annotations: { title: 'B' } }, 'A'],
    [{ title: '', annotations: { title: 'B' } }, 'B'],
    [{ annotations: { title: 'B' } }, 'B'],
    [{ annotations: { title: '' } }, undefined],
    [{}, undefined],
  ])('are displayed by %j as %j, else by their name', (some, title) => {
    expect(decoded({ ...TOOL, ...some }).definitions[0]?.title).toBe(title)
  })

  it.each([
    ['admin.tools.list', 'admin_tools_list'],
    ['a'.repeat(64), 'a'.repeat(64)],
    ['a'.repeat(128), expect.stringMatching(/^a{55}_[0-9a-f]{8}$/)],
  ])('named %s are called %s', (name, own) => {
    expect(decoded({ ...TOOL, name }).definitions[0]?.tool).toEqual(own)
  })

  it('of one toolkit keep apart what differs by dots only', () => {
    const { definitions } = decoded({
      tools: [
        { ...TOOL, name: 'a_b' },
        { ...TOOL, name: 'a.b' },
      ],
    })
    expect(definitions.map(({ tool }) => tool)).toEqual(['a_b', expect.stringMatching(/^a_b_[0-9a-f]{8}$/)])
    const inOrder = ['a.b', 'a_b'].map((name) => ({ ...TOOL, name }))
    expect(problemsOf({ tools: inOrder })).toEqual(['/tools/1/name'])
  })

  it.each([
    [{ name: undefined }, '/name'],
    [{ name: '' }, '/name'],
    [{ name: 'a b' }, '/name'],
    [{ name: 'a/b' }, '/name'],
    [{ name: 'a'.repeat(129) }, '/name'],
    [{ title: 1 }, '/title'],
    [{ description: null }, '/description'],
    [{ inputSchema: undefined }, '/inputSchema'],
    [{ inputSchema: true }, '/inputSchema'],
    [{ inputSchema: {} }, '/inputSchema/type'],
    [{ inputSchema: { type: 'array' } }, '/inputSchema/type'],
    [
      { inputSchema: { type: 'object', properties: { a: { 'x-mcp-header': 'A' } } } },
      '/inputSchema/properties/a/x-mcp-header',
    ],
    [{ outputSchema: 1 }, '/outputSchema'],
    [{ annotations: [] }, '/annotations'],
    [{ annotations: { readOnlyHint: 'yes' } }, '/annotations/readOnlyHint'],
    [{ icons: {} }, '/icons'],
    [{ icons: [{ src: 'http://x.example/i.png' }] }, '/icons/0/src'],
    [{ icons: [{ src: 'javascript:alert(1)' }] }, '/icons/0/src'],
    [{ icons: [{ src: 'data:,', sizes: '48x48' }] }, '/icons/0/sizes'],
    [{ icons: [{ src: 'data:,', theme: 'blue' }] }, '/icons/0/theme'],
    [{ _meta: 1 }, '/_meta'],
  ])('are refused with %j at %s', (some, path) => {
    const tool = JSON.parse(JSON.stringify({ ...TOOL, ...some }))
    expect(problemsOf(tool)).toEqual([path])
    expect(problemsOf({ tools: [FULL, tool] })).toEqual([`/tools/1${path}`])
  })

  it('need a toolkit and a version beside them, and are told how', () => {
    const result = mcp.decode(TOOL, {})
    expect(result.ok ? [] : result.problems).toEqual([
      { path: '/toolkit', message: expect.stringContaining('{"definition", "toolkit", "version"}') },
      { path: '/version', message: expect.stringContaining('{"definition", "toolkit", "version"}') },
    ])
  })

  it('are refused when they are none, or two tools have one name', () => {
    expect(problemsOf([])).toEqual([''])
    expect(problemsOf({ tools: [] })).toEqual(['/tools'])
    expect(problemsOf({ tools: [1] })).toEqual(['/tools/0'])
    expect(problemsOf({ tools: [TOOL, { ...TOOL, name: 'ADD' }] })).toEqual(['/tools/1/name'])
  })

  it('warn of what is kept and does nothing', () => {
    const { warnings } = decoded({ ...TOOL, 'name': 'a.b', 'extra': 1, 'execution': { taskSupport: 'required' } })
    expect(warnings.map(({ path }) => path)).toEqual(['/extra', '/name', '/description', '/execution/taskSupport'])
  })

  it('are given back as they were published, one or many', async () => {
    const text = fc.string({ maxLength: 20 })
    const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/)
    const schema = fc.record({ type: fc.constant('object'), description: text }, { requiredKeys: ['type'] })
    const tool = fc.record(
      {
        name,
        inputSchema: schema,
        title: text,
        description: text,
        outputSchema: fc.record({ type: fc.constantFrom('object', 'string', 'array') }, { requiredKeys: [] }),
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

  it('say of other dialects what they can, and list the rest', () => {
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
      '/requirements/authorization',
      '/requirements/secrets',
      '/requirements/user_id',
      '/securityLevel',
      '/output',
      '/metadata',
      '/examples',
      '/input',
    ])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/tool/json.ts'
import { checkSchema } from '../../../src/core/schema/publishable.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { plugin } from '../../../src/dialects/plugin/definition.ts'
import type { Draft } from '../machine-context/calculator.ts'
import { published, recordOf } from '../machine-context/record.ts'

/** The output of a plugin's `describe`, in the terms of the schema. */
const LIST = {
  tools: [
    {
      name: 'fetch',
      description: 'Gets a page',
      inputSchema: { type: 'object', properties: { url: { $ref: '#/$defs/url' } }, $defs: { url: { type: 'string' } } },
    },
    { name: 'fetch-image', description: '', inputSchema: {} },
  ],
}
const GIVEN = { toolkit: 'web', version: '1.2.3' }

function decoded(document: Json, given = GIVEN) {
  const read = plugin.decode(document, given)
  if (!read.ok) throw new Error(`Cannot decode: ${JSON.stringify(read.problems)}`)
  return read.value
}

function changed(change: (document: Draft) => void): Json {
  const document = structuredClone(LIST)
  change(document)
  return document
}

describe('a ListToolsResult', () => {
  it('becomes the tools of one toolkit, in the given version', () => {
    const { definitions, schemas, warnings } = decoded(LIST)
    expect(warnings).toEqual([])
    expect(definitions).toEqual(
      LIST.tools.map(({ name, description, inputSchema }) => ({
        toolkit: 'web',
        tool: name,
        version: '1.2.3',
        name,
        description,
        input: inputSchema,
        output: {},
        requirements: { authorization: [], secrets: [], user_id: false },
        tags: [],
      })),
    )
    expect(schemas.map(({ path }) => path)).toEqual(['/tools/0/inputSchema', '/tools/1/inputSchema'])
    for (const { schema, path } of schemas) {
      expect(checkSchema(schema, { references: plugin.references }, path)).toEqual([])
    }
  })

  it('is encoded verbatim from each of them', () => {
    for (const definition of decoded(LIST).definitions) {
      const { document, losses } = plugin.encode(published(definition, 'plugin', LIST))
      expect(document).toBe(LIST)
      expect(losses).toEqual([])
    }
  })

  it('may be empty', () => {
    expect(decoded({ tools: [] })).toEqual({ definitions: [], sourceNames: [], schemas: [], warnings: [] })
  })

  it('names its tools after its functions, converted to the characters of ids', () => {
    const tool = { description: '', inputSchema: {} }
    const { definitions, warnings } = decoded({ tools: [{ ...tool, name: 'web.fetch' }] })
    expect(definitions[0]).toMatchObject({ tool: 'web_fetch', name: 'web_fetch' })
    expect(warnings).toEqual([{ path: '/tools/0/name', message: "It is called 'web_fetch' here" }])
    const two = { tools: ['web.fetch', 'web_fetch'].map((name) => ({ ...tool, name })) }
    expect(decoded(two).definitions.map(({ tool: own }) => own)).toEqual(['web_fetch', 'web_fetch_004fc00e'])
  })

  it('is recognized, and other documents are not', () => {
    for (const own of [LIST, { ...LIST, nextCursor: 'x' }, { tools: [] }, { tools: 1 }, { tools: [1] }]) {
      expect(plugin.recognizes(own)).toBe(true)
    }
    const ofMcp = { tools: [{ ...LIST.tools[0], title: 'Fetch' }] }
    expect(plugin.recognizes(ofMcp)).toBe(false)
    for (const other of [null, [], 'x', {}, { capabilities: [] }, { name: 'x', inputSchema: {} }]) {
      expect(plugin.recognizes(other)).toBe(false)
    }
  })

  it('may have fields that the schema does not name, with a warning that they have no effect', () => {
    const document = changed((list) => {
      list.nextCursor = null
      list.tools[1].title = 'Image'
    })
    const { warnings, definitions } = decoded(document)
    expect(warnings.map(({ path }) => path)).toEqual(['/nextCursor', '/tools/1/title'])
    expect(definitions).toEqual(decoded(LIST).definitions)
  })

  const cases: readonly [string, string, (list: Draft) => void][] = [
    ['no tools', '/tools', (list) => delete list.tools],
    ['tools that are no list', '/tools', (list) => (list.tools = {})],
    ['a tool that is no object', '/tools/1', (list) => (list.tools[1] = 'fetch')],
    ['a tool without a name', '/tools/0/name', (list) => delete list.tools[0].name],
    ['a name that is empty', '/tools/0/name', (list) => (list.tools[0].name = '')],
    ['a name that is too long', '/tools/0/name', (list) => (list.tools[0].name = 'a'.repeat(161))],
    ['a name that is no string', '/tools/0/name', (list) => (list.tools[0].name = null)],
    ['two tools of one name', '/tools/1/name', (list) => (list.tools[1].name = 'FETCH')],
    ['no description', '/tools/0/description', (list) => delete list.tools[0].description],
    ['a description that is no string', '/tools/0/description', (list) => (list.tools[0].description = 1)],
    ['no input schema', '/tools/0/inputSchema', (list) => delete list.tools[0].inputSchema],
    ['an input schema that is no object', '/tools/0/inputSchema', (list) => (list.tools[0].inputSchema = true)],
    ['an input that is no object', '/tools/0/inputSchema/type', (list) => (list.tools[0].inputSchema.type = 'string')],
  ]
  it.each(cases)('is refused with %s', (_, path, change) => {
    const read = plugin.decode(changed(change), GIVEN)
    expect(read.ok ? [] : read.problems.map((each) => each.path)).toEqual([path])
  })

  it('is refused if it is not an object', () => {
    for (const document of [null, 1, 'x', []]) {
      expect(plugin.decode(document, GIVEN)).toMatchObject({ ok: false, problems: [{ path: '' }] })
    }
  })

  it('is refused without a toolkit and a version, and the message says how to give them', () => {
    const message = expect.stringContaining('{"definition", "toolkit", "version"}')
    expect(plugin.decode(LIST, {})).toEqual({
      ok: false,
      problems: [
        { path: '/toolkit', message },
        { path: '/version', message },
      ],
    })
    expect(plugin.decode(LIST, { toolkit: 'web' })).toEqual({ ok: false, problems: [{ path: '/version', message }] })
  })
})

describe('writing a record of another dialect', () => {
  it('gives a list of one tool', () => {
    const input = { type: 'object', properties: {} }
    expect(plugin.encode(recordOf({ name: 'Tool', description: 'D', input }))).toEqual({
      document: { tools: [{ name: 'Tool', description: 'D', inputSchema: input }] },
      losses: [
        { path: '/toolkit', reason: 'It is given beside the definition' },
        { path: '/version', reason: 'It is given beside the definition' },
      ],
    })
  })

  const part = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/)
  const json = fc.jsonValue({ maxDepth: 2 }).map((value): Json => JSON.parse(JSON.stringify(value)))
  const record = fc
    .record({
      toolkit: part,
      tool: part,
      name: part,
      description: fc.string(),
      input: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), json).map((more) => ({ ...more, type: 'object' })),
      output: fc.oneof(fc.constant(null), fc.boolean(), fc.dictionary(fc.string(), json)),
      securityLevel: fc.nat(10),
      tags: fc.array(part, { maxLength: 2 }),
      more: fc.record(
        {
          title: fc.string(),
          annotations: fc.constant({ readOnlyHint: true }),
          icons: json,
          _meta: fc.constant({}),
          metadata: fc.constant({ x: 1 }),
          examples: json,
          requirements: fc.record({
            authorization: fc.constantFrom([], [{ id: 'google' }]),
            secrets: fc.constantFrom([], [{ id: 'S' }]),
            user_id: fc.boolean(),
          }),
        },
        { requiredKeys: [] },
      ),
    })
    .map(({ more, ...rest }) => recordOf({ ...rest, ...more } as Partial<ToolRecord>))

  it('is decoded unchanged, except for the reported losses', () => {
    fc.assert(
      fc.property(record, (original) => {
        const { document, losses } = plugin.encode(original)
        const { definitions } = decoded(document, { toolkit: original.toolkit, version: original.version })
        expect(definitions).toHaveLength(1)
        const back = definitions[0] as unknown as JsonObject
        const lost = new Set(losses.map(({ path }) => path.split('/')[1]))
        for (const [field, value] of Object.entries(original)) {
          if (['id', 'digest', 'source'].includes(field) || lost.has(field)) continue
          const wanted = field === 'output' && value === true ? {} : value
          expect(back[field] ?? (field === 'securityLevel' ? 0 : undefined), field).toEqual(wanted)
        }
        const again = plugin.encode(published(definitions[0]!, 'plugin', document))
        expect(again.document).toBe(document)
      }),
      { numRuns: 500 },
    )
  })
})

describe('the report about a list', () => {
  it.each<[Json, unknown]>([
    [null, [['', 'Must be an object, got null']]],
    [{}, [['/tools', 'Is required']]],
    [{ tools: 7 }, [['/tools', 'Must be an array, got 7']]],
    [{ tools: [7] }, [['/tools/0', 'Must be an object, got 7']]],
    [
      {
        tools: [
          { name: 'a', description: 'A', inputSchema: {} },
          { name: 'A', description: 'A', inputSchema: {} },
        ],
      },
      [['/tools/1/name', "Must be unique, ignoring case, got 'A' again"]],
    ],
    [
      { tools: [{ name: '', description: 7, inputSchema: 7 }] },
      [
        ['/tools/0/name', "Must be 1 to 160 characters that can be seen, got ''"],
        ['/tools/0/description', 'Must be a string, got 7'],
        ['/tools/0/inputSchema', 'Must be a JSON Schema object, got 7'],
      ],
    ],
    [
      { tools: [{ name: 'a', description: 'A', inputSchema: { type: 'string' } }] },
      [['/tools/0/inputSchema/type', "Must be 'object': a tool's parameters have names"]],
    ],
  ])('refuses %j with paths and reasons', (document, problems) => {
    const read = plugin.decode(document, GIVEN)
    expect(read.ok ? [] : read.problems.map(({ path, message }) => [path, message])).toEqual(problems)
  })

  it('warns about fields beyond the schema', () => {
    expect(decoded({ tools: [{ name: 'a', description: 'A', inputSchema: {}, more: 1 }], more: 1 }).warnings).toEqual([
      { path: '/more', message: "Unknown field 'more', which is ignored: wanted 'tools'" },
      {
        path: '/tools/0/more',
        message: "Unknown field 'more', which is ignored: wanted 'name', 'description', 'inputSchema'",
      },
    ])
    expect([plugin.dialect, plugin.references]).toEqual(['plugin', 'local'])
  })

  it.each<[Partial<ToolRecord>, unknown]>([
    [{ tool: 'Tool', name: 'Tool' }, []],
    [{ tool: 'Tool', name: 'Other' }, [['/tool', "A tool is called after its name, 'Other'"]]],
    [
      { name: 'Tool', title: '', annotations: {}, icons: [], _meta: {}, metadata: {}, examples: [], tags: ['a'] },
      [
        ['/title', 'A ToolDescription has no such field'],
        ['/annotations', 'A ToolDescription has no such field'],
        ['/icons', 'A ToolDescription has no such field'],
        ['/_meta', 'A ToolDescription has no such field'],
        ['/metadata', 'A ToolDescription has no such field'],
        ['/examples', 'A ToolDescription has no such field'],
        ['/tags', 'A ToolDescription has no such field'],
      ],
    ],
    [{ name: 'Tool', output: null }, [['/output', 'A ToolDescription has no such field']]],
    [{ name: 'Tool', output: false }, [['/output', 'A ToolDescription has no such field']]],
    [{ name: 'Tool', output: true }, []],
    [{ name: 'Tool', output: { type: 'string' } }, [['/output', 'A ToolDescription has no such field']]],
    [
      { name: 'Tool', requirements: { authorization: [{ id: 'a' }], secrets: [], user_id: false } },
      [['/requirements/authorization', 'A ToolDescription has no such field']],
    ],
    [
      { name: 'Tool', requirements: { authorization: [], secrets: [{ id: 'a' }], user_id: false } },
      [['/requirements/secrets', 'A ToolDescription has no such field']],
    ],
    [
      { name: 'Tool', requirements: { authorization: [], secrets: [], user_id: true } },
      [['/requirements/user_id', 'A ToolDescription has no such field']],
    ],
    [{ name: 'Tool', securityLevel: 1 }, [['/securityLevel', 'A ToolDescription has no such field']]],
  ])('lists the losses of encoding %j', (given, losses) => {
    const [toolkit, version, ...others] = plugin.encode(recordOf(given)).losses
    expect([toolkit?.path, version?.path]).toEqual(['/toolkit', '/version'])
    expect(others.map(({ path, reason }) => [path, reason])).toEqual(losses)
  })
})

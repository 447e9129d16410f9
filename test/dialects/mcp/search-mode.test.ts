import { formatToolRef, toRefKey } from '../../../src/core/tool/tool-ref.ts'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { describe, expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { fail } from '../../../src/core/failure/failure.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import { record, setUp } from './set-up.ts'

const path = '/mcp?mode=search'
/** As models in use count. */
const tokenizer = new Tiktoken(o200k)
const NAME = { type: 'string', description: 'A name that search_tools gave.' }

/** Calls one of the three tools, and returns its value or the text of its error. */
async function call(router: ReturnType<typeof setUp>, name: string, args: object, query = '') {
  const answer = await router.legacy('tools/call', { name, arguments: args }, { path: `${path}${query}` })
  const { result } = (await answer.json()) as {
    result: { isError?: true; content: { text: string }[]; structuredContent?: unknown }
  }
  const text = result.content[0]?.text ?? ''
  if (result.isError || name === 'call_tool') return result.structuredContent ?? text
  // Results are sent only once
  expect(result).not.toHaveProperty('structuredContent')
  return JSON.parse(text)
}

const tokens = (text: string) => tokenizer.encode(text).length

/** As GitHub's `issues_create` is: 350 tokens of description, 580 of input, and ten times that of output. */
function asLargeAsAnIssue() {
  const text = (most: number) => 'The state of an issue is open or closed. '.repeat(most)
  const properties = (count: number, inner: JsonObject): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`property_${at}_url`, inner]))
  const string = { type: ['string', 'null'], format: 'uri', description: text(2) }
  const user = {
    type: 'object',
    description: text(1),
    properties: properties(45, string),
    required: ['property_0_url'],
  }
  return record('issue', {
    description: text(35),
    input: { type: 'object', properties: properties(13, string), additionalProperties: false },
    output: {
      type: 'object',
      properties: { ...properties(35, string), owner: user, users: { type: 'array', items: user } },
    },
  })
}

describe('search mode of a toolset with pinned tools', () => {
  const records = ['one', 'two', 'three'].map((name) => record(name))
  const tools = [{ tool: 'Kit.one' }, { tool: 'Kit.two', name: 'second' }]
  const seen = (pinned: string[]) =>
    setUp({
      records,
      principal: {
        ...ADMIN,
        view: { key: 'k', toolset: { name: 'sales', definition: { enabled: true, tools, pinned } } },
      },
    })
  const names = async (router: ReturnType<typeof setUp>, query = '') => {
    const answer = await router.legacy('tools/list', {}, { path: `${path}${query}` })
    const { result }: { result: { tools: { name: string }[] } } = await answer.json()
    return result.tools.map(({ name }) => name)
  }
  const THREE = ['search_tools', 'describe_tool', 'call_tool']

  it('lists them after the three search tools, if the toolset has them and the URL selects them', async () => {
    expect(await names(seen(['Kit.one', 'Kit.three', 'Other.one']))).toEqual([...THREE, 'one'])
    expect(await names(seen(['Kit.two']))).toEqual([...THREE, 'two'])
    // By the name that it has in the toolset, too
    expect(await names(seen(['kit.SECOND']))).toEqual([...THREE, 'two'])
    expect(await names(seen(['Kit.one', 'Kit.two']), '&tools=Kit.one')).toEqual([...THREE, 'one'])
    expect(await names(seen(['Kit.three']))).toEqual(THREE)
    expect(await names(seen([]))).toEqual(THREE)
  })

  it('calls them by name', async () => {
    const router = seen(['Kit.one'])
    const answer = await router.legacy('tools/call', { name: 'one', arguments: { a: 1 } }, { path })
    expect(await answer.json()).toMatchObject({ result: { structuredContent: { a: 1 } } })
    expect(router.calls).toHaveLength(1)
    const without = await setUp({ records }).legacy('tools/call', { name: 'one', arguments: {} }, { path })
    expect(await without.json()).toMatchObject({ error: { code: -32602 } })
  })
})

describe('search mode', () => {
  it('lists its three tools with exactly these definitions', async () => {
    const { result } = (await (await setUp().legacy('tools/list', {}, { path })).json()) as { result: unknown }
    expect(result).toEqual({
      tools: [
        {
          name: 'search_tools',
          title: 'Search tools',
          description:
            'Finds tools by what they do. Gives names and beginnings of descriptions, best first; `also` is the same in other toolkits, and `total` counts weaker matches too. describe_tool tells the arguments of one.',
          inputSchema: {
            type: 'object',
            properties: {
              query: {
                type: 'string',
                maxLength: 500,
                description: 'Words that say what the tool should do. Empty lists all tools.',
              },
              toolkit: { type: 'string', maxLength: 500, description: 'Only tools of this toolkit.' },
              cursor: {
                type: 'string',
                maxLength: 500,
                description: 'The next_cursor of the answer before, for what comes after it.',
              },
              limit: { type: 'integer', minimum: 1, maximum: 50, description: 'How many; 10 if absent.' },
              all: { type: 'boolean', description: 'True for weaker matches too.' },
            },
            additionalProperties: false,
          },
          annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
        },
        {
          name: 'describe_tool',
          title: 'Describe a tool',
          description:
            'Gives the definition of a tool: its description, the JSON Schema of its arguments, what it gives (either in short where its JSON Schema is long), and whether it can be called now.',
          inputSchema: {
            type: 'object',
            properties: {
              name: NAME,
              output_schema: {
                type: 'boolean',
                description: 'True for the JSON Schemas of arguments and output, however long they are.',
              },
            },
            required: ['name'],
            additionalProperties: false,
          },
          annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
        },
        {
          name: 'call_tool',
          title: 'Call a tool',
          description: 'Calls a tool that search_tools found, with arguments that pass the schema describe_tool gives.',
          inputSchema: {
            type: 'object',
            properties: { name: NAME, arguments: { type: 'object', description: "The tool's arguments." } },
            required: ['name'],
            additionalProperties: false,
          },
          annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
        },
      ],
    })
  })

  it.each([
    [
      { query: 'x', cursor: 'c' },
      { q: 'x', results: 'relevant', versions: 'newest', limit: 10, callable: true, cursor: 'c' },
    ],
    [{ query: 'x' }, { q: 'x', results: 'relevant', versions: 'newest', limit: 10, callable: true }],
    [
      { query: ' ', limit: 1 },
      { q: undefined, versions: 'newest', limit: 1, callable: true },
    ],
    [
      { query: 'x', cursor: null, limit: null },
      { q: 'x', results: 'relevant', versions: 'newest', limit: 10, callable: true },
    ],
    [
      { query: 'x', toolkit: 'Kit' },
      { q: 'x', results: 'relevant', toolkit: 'Kit', versions: 'newest', limit: 10, callable: true },
    ],
    [{ limit: 50 }, { q: undefined, versions: 'newest', limit: 50, callable: true }],
    [
      { query: 'x', all: true },
      { q: 'x', versions: 'newest', limit: 10, callable: true },
    ],
    [
      { query: 'x'.repeat(500) },
      { q: 'x'.repeat(500), results: 'relevant', versions: 'newest', limit: 10, callable: true },
    ],
  ])('searches for %j', async (args, query) => {
    const router = setUp()
    await call(router, 'search_tools', args)
    expect(router.list.mock.calls.map(([asked]) => asked)).toEqual([query])
  })

  it('finds names and descriptions of callable tools within the selection', async () => {
    const none: object = { implementation: undefined }
    const records = [record('a', { title: 'A' }), record('b', { title: '' }), record('c', none)]
    expect(await call(setUp({ records }), 'search_tools', { query: 'x' })).toEqual({
      tools: [
        { name: 'a', title: 'A', description: 'What a does' },
        { name: 'b', description: 'What b does' },
      ],
    })
    expect(await call(setUp({ records }), 'search_tools', { query: 'x' }, '&tools=Kit.b')).toEqual({
      tools: [{ name: 'b', description: 'What b does' }],
    })
  })

  it('finds nothing if the catalog has no such list', async () => {
    const router = setUp()
    router.list.mockResolvedValueOnce(undefined)
    expect(await call(router, 'search_tools', {})).toEqual({ tools: [] })
  })

  it.each([
    ['search_tools', { query: 1 }, '- query: Must be a string of at most 500 characters, got 1'],
    [
      'search_tools',
      { query: 'x'.repeat(501) },
      '- query: Must be a string of at most 500 characters, got a string of 501 characters',
    ],
    ['search_tools', { cursor: 1 }, '- cursor: Must be a string of at most 500 characters, got 1'],
    [
      'search_tools',
      { cursor: 'c'.repeat(501) },
      '- cursor: Must be a string of at most 500 characters, got a string of 501 characters',
    ],
    [
      'search_tools',
      { question: 'mail' },
      "- question: Unknown field 'question': wanted 'query', 'toolkit', 'cursor', 'limit', 'all'",
    ],
    ['search_tools', { limit: 0 }, '- limit: Must be an integer from 1 to 50, got 0'],
    ['search_tools', { limit: 51 }, '- limit: Must be an integer from 1 to 50, got 51'],
    ['search_tools', { limit: 1.5 }, '- limit: Must be an integer from 1 to 50, got 1.5'],
    ['search_tools', { limit: '5' }, "- limit: Must be an integer from 1 to 50, got '5'"],
    ['describe_tool', {}, '- name: Is required'],
    ['describe_tool', { name: 'echo', output_schema: 'yes' }, "- output_schema: Must be a boolean, got 'yes'"],
    ['call_tool', { name: 1 }, '- name: Must be a string, got 1'],
    ['call_tool', { name: 'echo', arguments: [] }, '- arguments: Must be an object, got an empty array'],
    ['call_tool', { name: 'echo', arguments: '[]' }, '- arguments: Must be an object, got an empty array'],
    ['call_tool', { name: 'echo', arguments: '{"a":' }, `- arguments: Must be an object, got '{"a":'`],
    ['call_tool', { name: 'echo', a: 1 }, "- a: Unknown field 'a': wanted 'name', 'arguments'"],
  ])('%s refuses %j', async (name, args, line) => {
    const router = setUp()
    expect(await call(router, name, args)).toBe(`Some arguments are invalid\n${line}`)
    expect([router.calls, router.list.mock.calls]).toEqual([[], []])
  })

  it('describes a tool, and truncates an unknown name', async () => {
    expect(await call(setUp(), 'describe_tool', { name: 'echo' })).toEqual({
      name: 'echo',
      description: 'What echo does',
      inputSchema: { type: 'object', properties: {} },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      _meta: {
        'dev.switchboard/id': 'Kit.echo@1.0.0',
        'dev.switchboard/readiness': {
          tool: 'Kit.echo@1.0.0',
          ready: true,
          status: { state: 'active' },
          security_level: 0,
          problems: [],
        },
      },
    })
    expect(await call(setUp({ records: [] }), 'describe_tool', { name: 'x'.repeat(201) })).toBe(
      `Unknown tool: '${'x'.repeat(200)}': search_tools finds the names there are`,
    )
  })

  it('summarizes a long output, unless its schema is requested', async () => {
    const line = { type: 'object', properties: { text: { type: 'string', description: 'x'.repeat(2_000) } } }
    const output = { type: 'object', properties: { lines: { type: 'array', items: line } }, required: ['lines'] }
    const router = setUp({ records: [record('echo', { output })] })
    const short = await call(router, 'describe_tool', { name: 'echo' })
    expect(short).toMatchObject({ output: '{ lines: { text?: string }[] }' })
    expect(short).not.toHaveProperty('outputSchema')
    const whole = await call(router, 'describe_tool', { name: 'echo', output_schema: true })
    expect(whole).toMatchObject({ outputSchema: output })
  })

  it.each(['', '&select=1'])('also summarizes long arguments, unless their schema is requested%s', async (query) => {
    const text = { type: 'string', description: 'x'.repeat(200) }
    const properties = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`argument_${n}`, text]))
    const input = { type: 'object', properties, required: ['argument_0'] }
    const router = setUp({ records: [record('echo', { input, output: { type: 'string' } })] })
    const short = await call(router, 'describe_tool', { name: 'echo' }, query)
    expect(short.input).toMatch(/^\{ argument_0: string, argument_1\?: string, .*argument_39\?: string/)
    expect(short.input.includes('_select?: string')).toBe(query !== '')
    expect(short).not.toHaveProperty('inputSchema')
    const whole = await call(router, 'describe_tool', { name: 'echo', output_schema: true }, query)
    expect(whole.inputSchema).toMatchObject(input)
    expect(whole).not.toHaveProperty('input')
  })

  it('calls a tool with or without arguments', async () => {
    const router = setUp({
      run: (made) =>
        toRefKey(made.toolRef) === 'name:echo' ? { ok: true, value: made.input } : fail({ type: 'cancelled' }),
    })
    expect(await call(router, 'call_tool', { name: 'echo', arguments: { b: 2 } })).toEqual({ b: 2 })
    expect(await call(router, 'call_tool', { name: 'echo' })).toEqual({})
    expect(await call(router, 'call_tool', { name: 'echo', arguments: '{"b":2}' })).toEqual({ b: 2 })
    expect(await call(router, 'call_tool', { name: 'echo', arguments: ' ' })).toEqual({})
  })

  it('suggests similar names within the selection', async () => {
    const none: object = { implementation: undefined }
    const router = setUp({ records: [record('echo'), record('other', { toolkit: 'Other' }), record('dumb', none)] })
    const near = "Unknown tool: 'Kit_echoes': did you mean 'echo', 'other'?"
    expect(await call(router, 'describe_tool', { name: 'Kit_echoes' })).toBe(near)
    const unknown = "Unknown tool: 'other': did you mean 'echo'?"
    expect(await call(router, 'describe_tool', { name: 'other' }, '&toolkits=Kit')).toBe(unknown)
    const chosen = { path: `${path}&toolkits=Kit` }
    const refused = await router.legacy('tools/call', { name: 'call_tool', arguments: { name: 'other' } }, chosen)
    expect(await refused.json()).toMatchObject({ result: { content: [{ text: unknown }], isError: true } })
    expect(router.calls).toEqual([])
    expect(router.near.mock.calls.map(([name]) => name)).toEqual(['Kit_echoes', 'other', 'other'])
    const failing = setUp({
      run: ({ toolRef }) => fail({ type: 'tool-unknown', ref: formatToolRef(toolRef), suggestions: [] }),
    })
    const call_tool = { name: 'call_tool', arguments: { name: 'ecko' } }
    expect(await (await failing.legacy('tools/call', call_tool, { path })).json()).toMatchObject({
      result: { content: [{ text: "Unknown tool: 'ecko': did you mean 'echo'?" }], isError: true },
    })
  })

  it('reports the total, the unmatched words and the next cursor', async () => {
    const router = setUp()
    router.list.mockResolvedValueOnce({ lines: ['{"name":"a"}'], total: 7, unmatched: ['rome'], nextCursor: 'c' })
    expect(await call(router, 'search_tools', { query: 'x', limit: 1 })).toEqual({
      tools: [{ name: 'a' }],
      total: 7,
      unmatched: ['rome'],
      next_cursor: 'c',
    })
    router.list.mockResolvedValueOnce(undefined)
    expect(await call(router, 'search_tools', { query: 'x', cursor: 'c' })).toBe(
      'Some arguments are invalid\n- cursor: Must be a next_cursor that search_tools gave',
    )
  })

  it('names a few other tools that are the same operation, unless weaker matches are requested too', async () => {
    const router = setUp()
    const operation = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ id: `Kit.${name}@1.0.0`, name }))
    const listing = { lines: ['{"name":"a"}', '', '{"name":"f"}'], operations: [operation, [], []], total: 9 }
    router.list.mockResolvedValueOnce(listing).mockResolvedValueOnce(listing)
    const tools = [{ name: 'a', also: ['b', 'c', 'd'] }, { name: 'f' }]
    expect(await call(router, 'search_tools', { query: 'x' })).toEqual({ tools, total: 9 })
    expect(await call(router, 'search_tools', { query: 'x', all: true })).toEqual({
      tools: [{ name: 'a' }, { name: 'f' }],
      total: 9,
    })
  })

  it('refuses unknown toolkits', async () => {
    const router = setUp()
    const said = "There is no toolkit 'Kti' here: did you mean 'Kit'?"
    expect(await call(router, 'search_tools', { query: 'x' }, '&toolkits=Kit,Kti')).toBe(said)
    expect(await call(router, 'search_tools', { query: 'x', toolkit: 'Kti' })).toBe(said)
    expect(await call(router, 'search_tools', { toolkit: 'Kit' }, '&toolkits=Kit2')).toMatch(/^There is no toolkit '/)
    for (const at of ['/mcp?toolkits=Kti', `${path}&toolkits=Kti`]) {
      const { error } = (await (await router.legacy('tools/list', {}, { path: at })).json()) as { error: unknown }
      expect(error).toEqual({ code: -32602, message: said })
    }
    expect(router.list.mock.calls).toEqual([])
  })

  it('costs a model at most 1,200 tokens of definitions, and 1,500 for a search result of five tools', async () => {
    const { result } = (await (await setUp().legacy('tools/list', {}, { path })).json()) as { result: unknown }
    expect(tokens(JSON.stringify(result))).toBeLessThanOrEqual(1_200)
    const texts = ['Reads what was posted to a mailbox. ', '日本語の説明文です。', 'Ünïcödé ', 'x9Q!~zK7#', '🪴🧭']
    const costs = await Promise.all(
      texts.map(async (text) => {
        const given = { description: text.repeat(2_000), title: text.repeat(100) }
        const records = ['a', 'b', 'c', 'd', 'e'].map((name) => record(name.repeat(64), given))
        return tokens(JSON.stringify(await call(setUp({ records }), 'search_tools', { query: 'x', limit: 5 })))
      }),
    )
    console.log(`Five tools of endless descriptions cost ${costs.join(', ')} tokens`)
    expect(Math.max(...costs)).toBeLessThanOrEqual(1_500)
    expect(Math.min(...costs)).toBeGreaterThan(200)
  })

  it.each(['', '&select=1'])(
    'describes a tool of 6,000 tokens in 1,500, and as a whole on request%s',
    async (query) => {
      const router = setUp({ records: [asLargeAsAnIssue()] })
      const described = (more: object) => call(router, 'describe_tool', { name: 'issue', ...more }, query)
      const [short, whole] = [await described({}), await described({ output_schema: true })]
      expect(tokens(JSON.stringify(whole))).toBeGreaterThan(6_000)
      expect(tokens(JSON.stringify(short))).toBeLessThanOrEqual(1_500)
      const { output, ...same } = short
      const { outputSchema, ...rest } = whole
      expect(same).toEqual(rest)
      expect(output).toContain('property_34_url?: string | null, owner?: {…}, users?: {…}[] }')
      expect(outputSchema).toEqual(asLargeAsAnIssue().output)
    },
  )
})

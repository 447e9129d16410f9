import { describe, expect, it } from 'vitest'
import { fail } from '../../../src/core/call/failure.ts'
import { record, setUp } from './set-up.ts'

const path = '/mcp?mode=search'
const NAME = { type: 'string', description: 'A name that search_tools gave.' }

/** What a call of one of the three tools gives: its value, or the text that says what is wrong. */
async function call(face: ReturnType<typeof setUp>, name: string, args: object, query = '') {
  const answer = await face.legacy('tools/call', { name, arguments: args }, { path: `${path}${query}` })
  const { result } = (await answer.json()) as {
    result: { isError?: true; content: { text: string }[]; structuredContent?: unknown }
  }
  return result.isError ? result.content[0]?.text : result.structuredContent
}

describe('search mode', () => {
  it('lists its three tools to the letter', async () => {
    const { result } = (await (await setUp().legacy('tools/list', {}, { path })).json()) as { result: unknown }
    expect(result).toEqual({
      tools: [
        {
          name: 'search_tools',
          title: 'Search tools',
          description:
            'Finds tools by what they do. Gives names and descriptions, best first; describe_tool tells the arguments of one.',
          inputSchema: {
            type: 'object',
            properties: {
              query: { type: 'string', description: 'Words that say what the tool should do. Empty lists all tools.' },
              limit: { type: 'integer', minimum: 1, maximum: 50, description: 'How many; 10 if absent.' },
            },
            required: ['query'],
            additionalProperties: false,
          },
          annotations: { readOnlyHint: true, openWorldHint: false },
        },
        {
          name: 'describe_tool',
          title: 'Describe a tool',
          description:
            'Gives the definition of a tool: its description, the JSON Schemas of its arguments and output, and whether it can be called now.',
          inputSchema: { type: 'object', properties: { name: NAME }, required: ['name'], additionalProperties: false },
          annotations: { readOnlyHint: true, openWorldHint: false },
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
        },
      ],
    })
  })

  it.each([
    [{ query: 'x' }, { q: 'x', versions: 'newest', limit: 10 }],
    [
      { query: ' ', limit: 1 },
      { q: undefined, versions: 'newest', limit: 1 },
    ],
    [{ limit: 50 }, { q: undefined, versions: 'newest', limit: 50 }],
    [{ query: 'x'.repeat(500) }, { q: 'x'.repeat(500), versions: 'newest', limit: 10 }],
  ])('searches for %j', async (args, query) => {
    const face = setUp()
    await call(face, 'search_tools', args)
    expect(face.list.mock.calls.map(([asked]) => asked)).toEqual([query])
  })

  it('finds names and descriptions of tools that can be called and were chosen', async () => {
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

  it('finds nothing where the catalogue has no such list', async () => {
    const face = setUp()
    face.list.mockResolvedValueOnce(undefined)
    expect(await call(face, 'search_tools', {})).toEqual({ tools: [] })
  })

  it.each([
    ['search_tools', { query: 1 }, '- query: Must be a string of at most 500 characters'],
    ['search_tools', { query: 'x'.repeat(501) }, '- query: Must be a string of at most 500 characters'],
    ['search_tools', { limit: 0 }, '- limit: Must be a whole number from 1 to 50'],
    ['search_tools', { limit: 51 }, '- limit: Must be a whole number from 1 to 50'],
    ['search_tools', { limit: 1.5 }, '- limit: Must be a whole number from 1 to 50'],
    ['search_tools', { limit: '5' }, '- limit: Must be a whole number from 1 to 50'],
    ['describe_tool', {}, '- name: Must be a name that search_tools gave'],
    ['call_tool', { name: 1 }, '- name: Must be a name that search_tools gave'],
    ['call_tool', { name: 'echo', arguments: [] }, '- arguments: Must be an object'],
  ])('%s refuses %j', async (name, args, line) => {
    const face = setUp()
    expect(await call(face, name, args)).toBe(`Some arguments are invalid\n${line}`)
    expect([face.calls, face.list.mock.calls]).toEqual([[], []])
  })

  it('describes a tool, and cuts a name that is none', async () => {
    expect(await call(setUp(), 'describe_tool', { name: 'echo' })).toEqual({
      name: 'echo',
      description: 'What echo does',
      inputSchema: { type: 'object', properties: {} },
      _meta: {
        'dev.switchboard/id': 'Kit.echo@1.0.0',
        'dev.switchboard/readiness': { tool: 'Kit.echo@1.0.0', ready: true, status: { state: 'active' }, problems: [] },
      },
    })
    expect(await call(setUp(), 'describe_tool', { name: 'x'.repeat(201) })).toBe(
      `Unknown tool: '${'x'.repeat(200)}': search_tools finds the names there are`,
    )
  })

  it('calls a tool with its arguments, or with none', async () => {
    const face = setUp({
      run: (made) => (made.asked === 'name:echo' ? { ok: true, value: made.input } : fail({ type: 'cancelled' })),
    })
    expect(await call(face, 'call_tool', { name: 'echo', arguments: { b: 2 } })).toEqual({ b: 2 })
    expect(await call(face, 'call_tool', { name: 'echo' })).toEqual({})
  })
})

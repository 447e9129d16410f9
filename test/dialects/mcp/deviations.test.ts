import { toRefKey } from '../../../src/core/tool/tool-ref.ts'
import { describe, expect, it } from 'vitest'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { mcp } from '../../../src/dialects/mcp/definition.ts'
import { published } from '../machine-context/record.ts'
import { record, setUp } from './set-up.ts'

/** Each row of src/dialects/mcp/DEVIATIONS.md, in its order. */
const GIVEN = { toolkit: 'Kit', version: '1.0.0' }
const TOOL = { name: 'add', description: 'Adds', inputSchema: { type: 'object' } }

function recordOf(document: typeof TOOL & Record<string, unknown>): ToolRecord {
  const whole = JSON.parse(JSON.stringify(document))
  const read = mcp.decode(whole, GIVEN)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return { ...published(read.value.definitions[0]!, 'mcp', whole), implementation: { kind: 'bundled' } }
}

/** Lists the tools as a client of a revision sees them. */
async function listed(records: readonly ToolRecord[], version: string) {
  const { modern, legacy } = setUp({ records })
  const answer = await (version === '2026-07-28'
    ? modern('tools/list')
    : legacy('tools/list', {}, { headers: { 'mcp-protocol-version': version } }))
  const body = (await answer.json()) as { result: { tools: { name: string; outputSchema?: unknown }[] } }
  return body.result.tools
}

async function called(records: readonly ToolRecord[], name: string, version = '2025-11-25', path = '/mcp') {
  const { legacy, calls } = setUp({ records })
  await legacy('tools/call', { name }, { headers: { 'mcp-protocol-version': version }, path })
  return calls.map(({ call }) => toRefKey(call.toolRef))
}

describe('where we deviate from the Tool of the MCP SDK', () => {
  it('takes the toolkit and the version of a Tool from fields next to it', () => {
    expect(mcp.decode(TOOL, {})).toMatchObject({ ok: false, problems: [{ path: '/toolkit' }, { path: '/version' }] })
  })

  it('lists and calls a tool under another name if another tool had its name first', async () => {
    const own = recordOf({ ...TOOL, name: 'get.it' })
    const other = { ...own, name: 'get_it_1234abcd' }
    expect((await listed([other], '2025-11-25')).map(({ name }) => name)).toEqual(['get_it_1234abcd'])
    expect(await called([other], 'get.it')).toEqual([])
  })

  const long = 'n'.repeat(100)
  it.each([
    ['2025-06-18', ['admin_tools_list', expect.stringMatching(/^n{55}_[0-9a-f]{8}$/)]],
    ['2025-11-25', ['admin.tools.list', long]],
    ['2026-07-28', ['admin.tools.list', long]],
  ])('lists names with dots and up to 128 characters where the revision allows them: %s', async (version, names) => {
    const records = ['admin.tools.list', long].map((name) => recordOf({ ...TOOL, name }))
    expect((await listed(records, version)).map(({ name }) => name)).toEqual(names)
    for (const [index, each] of records.entries()) {
      for (const name of [each.name, ['admin.tools.list', long][index] ?? '']) {
        expect(await called(records, name, version === '2026-07-28' ? undefined : version)).toEqual([
          `name:${each.name}`,
        ])
      }
    }
  })

  it('finds no tool by a name that only looks like a published one', async () => {
    const records = [recordOf({ ...TOOL, name: 'admin.tools_list' }), record('Kit_Tool')]
    for (const name of ['admin.tools.list', 'Kit.Tool']) expect(await called(records, name)).toEqual([])
    expect(await called(records, 'admin.tools_list', '2025-11-25', '/mcp?toolkits=Kit')).toHaveLength(1)
    expect(await called(records, 'admin.tools_list', '2025-11-25', '/mcp?toolkits=Other')).toEqual([])
  })

  it('takes icons only from https and data URLs', () => {
    const read = mcp.decode({ ...TOOL, icons: [{ src: 'http://x.example/i.png' }] }, GIVEN)
    expect(read).toMatchObject({ ok: false, problems: [{ path: '/icons/0/src' }] })
  })

  it('does not copy one title to the other', async () => {
    const [tool] = await listed([recordOf({ ...TOOL, annotations: { title: 'Adder' } })], '2025-11-25')
    expect(tool).toMatchObject({ annotations: { title: 'Adder' } })
    expect(tool).not.toHaveProperty('title')
  })

  it('takes only object outputs in documents, and lists any output to a revision that allows it', async () => {
    const outputSchema = { type: 'array', items: { type: 'string' } }
    expect(mcp.decode({ ...TOOL, outputSchema }, GIVEN)).toMatchObject({
      ok: false,
      problems: [{ path: '/outputSchema/type' }],
    })
    const imported = { ...recordOf(TOOL), output: outputSchema }
    expect((await listed([imported], '2026-07-28'))[0]?.outputSchema).toEqual(outputSchema)
    const wrapped = { type: 'object', properties: { result: outputSchema }, required: ['result'] }
    expect((await listed([imported], '2025-11-25'))[0]?.outputSchema).toEqual(wrapped)
  })

  it('gives an offloaded output as a link, and as an error if the output schema does not allow it', async () => {
    const elsewhere = { url: 'https://here/a', content_type: 'text/csv', size: 9, meta: { description: 'All rows' } }
    const link = { type: 'resource_link', uri: 'https://here/a', name: 'All rows', mimeType: 'text/csv', size: 9 }
    const records = [recordOf({ ...TOOL, outputSchema: { type: 'object' } })]
    const answer = async (value: unknown) => {
      const { legacy } = setUp({ records, run: () => ({ ok: true, value, elsewhere }) })
      const body = (await (await legacy('tools/call', { name: 'add' })).json()) as { result: object }
      return body.result
    }
    expect(await answer({ artifact: elsewhere })).toEqual({
      content: [{ type: 'text', text: 'The output is at https://here/a' }, link],
      structuredContent: { artifact: elsewhere },
    })
    expect(await answer(undefined)).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('https://here/a') }, link],
      isError: true,
    })
  })

  it('lists all four hints of each tool, with those of the publisher', async () => {
    const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
    const [tool] = await listed(
      [recordOf({ ...TOOL, annotations: { readOnlyHint: true, openWorldHint: false } })],
      '2025-11-25',
    )
    expect(tool).toMatchObject({ annotations: hints })
  })

  it('obeys and exports taskSupport, but does not list it', async () => {
    const execution = { taskSupport: 'required' }
    const tool = recordOf({ ...TOOL, execution })
    expect(tool.taskSupport).toBe('required')
    for (const version of ['2026-07-28', '2025-11-25'])
      for (const line of await listed([tool], version)) expect(line).not.toHaveProperty('execution')
    expect(mcp.encode(tool).document).toMatchObject({ execution })
    const ofOthers = { ...tool, source: { dialect: 'oxp', document: {} } }
    expect(mcp.encode(ofOthers)).toMatchObject({ document: { execution } })
    expect(mcp.encode(ofOthers).losses.map(({ path }) => path)).not.toContain('/taskSupport')
  })
})

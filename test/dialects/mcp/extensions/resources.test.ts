import { describe, expect, it } from 'vitest'
import { ADMIN } from '../../../../src/core/access/principal.ts'
import type { McpExtension, McpMethod, ResourceSource } from '../../../../src/dialects/mcp/extensions/extension.ts'
import { listResources } from '../../../../src/dialects/mcp/extensions/resources/methods.ts'
import { registerResources } from '../../../../src/dialects/mcp/extensions/resources/register.ts'
import { invalid } from '../../../../src/dialects/mcp/wire.ts'
import { type SetUp, setUp } from '../set-up.ts'

const NOTES: ResourceSource = {
  scheme: 'note:',
  list: async (list) => (list === 'resources' ? [1, 2].map((at) => ({ uri: `note:${at}`, name: `Note ${at}` })) : []),
  read: async (uri) => {
    if (uri === 'note:bad') return invalid('It cannot be read')
    return uri === 'note:1' ? [{ uri, mimeType: 'text/plain', text: 'One' }] : undefined
  },
}

function open(sources: readonly ResourceSource[], given: SetUp = {}) {
  const extensions: McpExtension[] = []
  registerResources(extensions, { catalog: { list: async () => undefined }, readServer: () => expect.unreachable() })
  for (const resources of sources) extensions.push({ resources })
  const { modern, legacy } = setUp({ ...given, extensions })
  const answer = async (response: Promise<Response>) => (await response).json()
  return {
    ask: (method: string, params: Record<string, unknown> = {}) =>
      answer(
        modern(method, params, {
          headers: typeof params['uri'] === 'string' ? { 'mcp-name': params['uri'] } : {},
        }),
      ),
    askLegacy: (method: string, params: Record<string, unknown> = {}) =>
      answer(legacy(method, params, { headers: { 'mcp-protocol-version': '2025-11-25' } })),
  }
}

describe('resources over MCP', () => {
  it('are declared, and none are listed if no extension has any', async () => {
    const { ask, askLegacy } = open([])
    expect(await ask('server/discover')).toMatchObject({ result: { capabilities: { resources: {} } } })
    expect(await askLegacy('initialize')).toMatchObject({ result: { capabilities: { resources: {} } } })
    expect(await ask('resources/list')).toMatchObject({
      result: { resultType: 'complete', resources: [], ttlMs: 5_000, cacheScope: 'private' },
    })
    expect(await askLegacy('resources/list')).toEqual({ jsonrpc: '2.0', id: 1, result: { resources: [] } })
    expect(await askLegacy('resources/templates/list')).toMatchObject({ result: { resourceTemplates: [] } })
  })

  it('are listed for every extension', async () => {
    const { ask } = open([NOTES, { ...NOTES, scheme: 'other:' }])
    expect(await ask('resources/list')).toMatchObject({ result: { resources: { length: 4 } } })
    expect(await ask('resources/templates/list')).toMatchObject({ result: { resourceTemplates: [] } })
  })

  it('are read by the extension with their URI scheme', async () => {
    const { ask, askLegacy } = open([NOTES])
    const contents = [{ uri: 'note:1', mimeType: 'text/plain', text: 'One' }]
    expect(await ask('resources/read', { uri: 'note:1' })).toMatchObject({ result: { contents, ttlMs: 5_000 } })
    expect(await askLegacy('resources/read', { uri: 'note:1' })).toMatchObject({ result: { contents } })
    expect(await ask('resources/read', { uri: 'note:bad' })).toMatchObject({ error: { code: -32602 } })
  })

  it('are reported as missing with the code of each revision', async () => {
    const { ask, askLegacy } = open([NOTES])
    for (const uri of ['note:2', 'file:///etc/passwd', '']) {
      expect(await ask('resources/read', { uri })).toMatchObject({ error: { code: -32602, data: { uri } } })
      expect(await askLegacy('resources/read', { uri })).toMatchObject({ error: { code: -32002, data: { uri } } })
    }
    for (const uri of [undefined, 1, 'x'.repeat(3_000)])
      expect(await askLegacy('resources/read', { uri })).toMatchObject({ error: { code: -32602 } })
  })

  it('are not listed if the memory is full', async () => {
    const memory = { growAnswer: async () => false }
    const list: McpMethod = (_, { revision, context }) =>
      listResources([{ resources: NOTES }], 'resources', { revision, context: { ...context, memory } })
    const response = await setUp({ extensions: [{ methods: { 'test/list': list } }] }).modern('test/list')
    expect([response.status, await response.json()]).toMatchObject([429, { error: { code: 429 } }])
  })

  it('are not listed for a caller who may not list tools', async () => {
    const { askLegacy } = open([NOTES], { principal: { ...ADMIN, id: 'caller', scopes: ['tools:call'] } })
    expect(await askLegacy('resources/list')).toMatchObject({ error: { code: 403 } })
  })
})

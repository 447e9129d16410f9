import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, startApp } from './server.ts'

const UUID = '11111111-2222-4333-8444-555555555555'

let server: RunningServer

beforeAll(async () => {
  server = await startApp()
})
afterAll(async () => {
  await server?.stop()
})

const implementation = { kind: 'code', module: 'export default async (_, { tool, called }) => `${tool} ${called}`' }

async function publish(definition: object, query = '', beside: object = {}) {
  return server.json('POST', `/tools${query}`, { definition, implementation, ...beside })
}

const rfc = (toolkit: string, name: string, given: object = {}) => ({
  name,
  toolkit: { name: toolkit, version: '1.0.0' },
  input: { parameters: [] },
  output: { available_modes: ['value', 'error'] },
  ...given,
})

const plugin = (...names: readonly string[]) => ({
  tools: names.map((name) => ({ name, description: 'D', inputSchema: { type: 'object' } })),
})

const mcp = (name: string) => ({ name, description: 'D', inputSchema: { type: 'object' } })

const invoke = async (tool: object) =>
  (await server.json('POST', '/worker/tools/invoke', { tool, inputs: {} })).body.output

const callPlugin = async (name: string, query = '') =>
  (await server.json('POST', `/plugin/call${query}`, { params: { name, arguments: {} } })).body

async function callMcp(name: string, query = '', version = '2025-11-25') {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }
  const headers = { 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': version }
  const { body } = await server.json('POST', `/mcp${query}`, message, headers)
  return body.result?.content[0].text ?? body.error
}

const says = (text: string) => ({ content: [{ type: 'text', text }] })

it('the id of an Open Tool Calling RFC definition is listed, and finds its tool wherever a dialect accepts an id or name', async () => {
  const definition = rfc('Uuids', 'A', { id: UUID })
  expect((await publish(definition)).body.ids).toEqual(['Uuids.A@1.0.0'])
  expect((await publish(definition)).status).toBe(200)
  expect((await server.json('GET', `/tools/${UUID}?format=open-tool-calling`)).body).toEqual(definition)
  expect((await server.json('POST', '/tools/call', { request: { tool_id: UUID } })).body.result.value).toBe('A A')
  expect(await invoke({ name: UUID })).toEqual({ value: 'A A' })
  expect(await callPlugin(UUID)).toEqual(says('A A'))
  expect(await callMcp(UUID)).toBe('A A')
  const { body } = await server.json('GET', '/worker/tools')
  const listed = body.find(({ id }: { id?: string }) => id === UUID)
  expect(listed).toMatchObject({ name: 'A', fully_qualified_name: 'Uuids.A@1.0.0' })
})

it('the id of an Open Tool Calling RFC definition may have any visible characters, in addition to a qualified name', async () => {
  const id = 'urn:tool:ünï/1'
  expect((await publish(rfc('Uuids', 'Urn', { id, fully_qualified_name: 'Uuids.Urn@1.0.0' }))).status).toBe(201)
  expect((await server.json('GET', `/tools/${encodeURIComponent(id)}`)).status).toBe(200)
  expect((await server.json('POST', '/tools/call', { tool_id: id })).body.result.value).toBe('Urn Urn')
})

it('the id of an Open Tool Calling RFC definition is unique: another with it gets 409, in any toolkit and case', async () => {
  const id = 'abcdef00-2222-4333-8444-555555555555'
  expect((await publish(rfc('Unique', 'A', { id }))).status).toBe(201)
  const others = [rfc('Unique', 'B', { id }), rfc('Unique2', 'A', { id: id.toUpperCase() })]
  for (const definition of others) {
    const { status, body } = await publish(definition)
    expect([status, body.message]).toEqual([409, expect.stringMatching(/^The id '[^']+' is another tool's/)])
  }
  const next = rfc('Unique', 'A', { id, toolkit: { name: 'Unique', version: '1.1.0' } })
  expect((await publish(next)).status).toBe(201)
  expect((await server.json('GET', `/tools/${id}`)).body.version).toBe('1.1.0')
})

it("the id of an Open Tool Calling RFC definition cannot look like another tool's name, or differ from its own qualified name", async () => {
  await publish(rfc('Holder', 'Send', { fully_qualified_name: 'Holder.Send' }))
  expect((await publish(rfc('Squatter', 'A', { id: 'Holder_Later' }))).status).toBe(409)
  const { status, body } = await publish(rfc('Uuids', 'C', { id: 'Uuids.D', fully_qualified_name: 'Uuids.C' }))
  expect([status, body.errors[0].path]).toEqual([422, '/definition/id'])
})

it('the source name of an RFC tool calls it in its toolkit, and is listed', async () => {
  for (const toolkit of ['V2r', 'V3r'])
    await publish(rfc(toolkit, 'Rename a file', { fully_qualified_name: `${toolkit}.Rename@1.0.0` }))
  for (const toolkit of ['V2r', 'V3r']) {
    expect(await invoke({ name: 'Rename a file', toolkit, version: '1.0.0' })).toEqual({
      value: 'Rename Rename a file',
    })
    expect(await invoke({ name: 'Rename', toolkit })).toEqual({ value: 'Rename Rename a file' })
  }
  const { body } = await server.json('GET', '/worker/tools')
  const named = body.filter(({ name }: { name: string }) => name === 'Rename a file')
  expect(named.map((each: { fully_qualified_name: string }) => each.fully_qualified_name)).toEqual([
    'V2r.Rename@1.0.0',
    'V3r.Rename@1.0.0',
  ])
  expect((await invoke({ name: 'Rename two files', toolkit: 'V2r' })).error.message).toMatch(/was not found/)
})

it("the source name of a plugin's tool calls it, with its toolkit even if another tool has the name or its plain form", async () => {
  await publish(plugin('wétter', 'my.ns/tool x', 'a.b', 'a_b'), '?toolkit=Rawp&version=1.0.0')
  await publish(plugin('wétter'), '?toolkit=Other&version=1.0.0')
  for (const name of ['wétter', 'my.ns/tool x', 'WÉTTER'])
    expect((await callPlugin(name)).content[0].text).toMatch(/^(?:wetter wétter|my_ns_tool_x my.ns\/tool x)$/)
  expect(await callPlugin('wétter', '?toolkit=Other')).toEqual(says('wetter wétter'))
  for (const name of ['a.b', 'a_b'])
    expect((await callPlugin(name, '?toolkit=Rawp')).content[0].text).toMatch(new RegExp(` ${name}$|^${name} `))
  expect((await callPlugin('nichts ist so')).isError).toBe(true)
})

it("the source name of an MCP server's tool calls it, even if another tool has the derived name", async () => {
  await publish(mcp('zetaone_x'), '?toolkit=Zt1&version=1.0.0')
  await publish(mcp('zetaone.x'), '?toolkit=Zt2&version=1.0.0')
  await publish(mcp('zetaone.x'), '?toolkit=Zt3&version=1.0.0')
  for (const version of ['2025-11-25', '2025-06-18']) {
    expect(await callMcp('zetaone.x', '', version)).toBe('zetaone_x zetaone.x')
    expect(await callMcp('zetaone_x', '', version)).toBe('zetaone_x zetaone_x')
    expect(await callMcp('zetaone.x', '?toolkits=Zt3', version)).toBe('zetaone_x zetaone.x')
  }
  expect(await callMcp('zetatwo.x')).toMatchObject({ code: -32602 })
})

it('the source name of a tool never takes a name that begins like those of another toolkit', async () => {
  await publish(mcp('send'), '?toolkit=Postbox&version=1.0.0')
  await publish(mcp('postbox.later'), '?toolkit=Thief&version=1.0.0')
  expect(await callPlugin('postbox.later')).toMatchObject({ isError: true })
})

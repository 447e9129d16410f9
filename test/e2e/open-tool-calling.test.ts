import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, startApp } from './server.ts'

/** What `seeds/open-tool-calling*.test.ts` leaves out, since no document says it. */

let server: RunningServer
beforeAll(async () => {
  server = await startApp()
})
afterAll(() => server?.stop())

it('an engine sees that the worker is healthy, and finds its tools', async () => {
  const { body: health } = await server.json('GET', '/worker/health')
  const { status, body } = await server.json('GET', '/worker/tools')
  expect(health).toEqual({
    status: 'ok',
    tool_count: String(body.length),
    tool_definitions_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    started_at: expect.stringMatching(/Z$/),
  })
  expect(status).toBe(200)
  expect(body.map((each: { fully_qualified_name: string }) => each.fully_qualified_name)).toContain(
    'Calculator.Add@1.0.0',
  )
})

it('no dialect shows models a non-inferrable parameter, and MCP callers set it in the context', async () => {
  const parameters = [
    { name: 'a', required: true, value_schema: { val_type: 'string' } },
    { name: 'room', required: true, value_schema: { val_type: 'integer' }, inferrable: false },
  ]
  const definition = {
    name: 'Reserve',
    fully_qualified_name: 'Rfc.Reserve@1.0.0',
    description: 'A tool.',
    toolkit: { name: 'Rfc', version: '1.0.0' },
    input: { parameters },
    output: { available_modes: ['value', 'error'] },
  }
  const implementation = { kind: 'code', module: 'export default (input) => input' }
  expect((await server.json('POST', '/tools', { definition, implementation })).status).toBe(201)
  for (const format of ['machine-context', 'openapi']) {
    const { body } = await server.json('GET', `/tools/Rfc.Reserve?format=${format}&losses=1`)
    const { metadata: _, ...document } = body.document
    expect(JSON.stringify(document), format).not.toContain('room')
    expect(body.losses, format).toContainEqual(expect.objectContaining({ path: '/input/properties/room' }))
  }
  const described = await server.json('GET', '/plugin/describe?toolkit=Rfc')
  expect(JSON.stringify(described.body)).not.toContain('"room"')
  const params = { name: 'Rfc_Reserve', arguments: { a: 'x' }, _meta: { 'dev.switchboard/context': { room: 7 } } }
  const { result } = (await server.json('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).body
  expect(result.structuredContent ?? JSON.parse(result.content[0].text)).toEqual({ a: 'x', room: 7 })
})

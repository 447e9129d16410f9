import '../../src/core/tool/big-integers.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Invocations, startInvocations } from '../attacks/invocations.ts'
import { ADMIN_KEY, asAdmin, keyOf } from '../attacks/set-up.ts'
import { compilePlugin } from '../plugins/compile.ts'
import { startUpstream, type Upstream } from '../upstream.ts'
import { definition } from './definition.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { raw } from './raw.ts'
import { sendLines } from './send-lines.ts'
import { type Server, startServer } from './server.ts'

/** Integers that a double would change, where they are shown, kept, or given to what has doubles alone. */
const ID = '1234567890123456789'
const CHANGED = '1234567890123456800'
const NUMBER = { type: 'integer', description: 'Whose it is' }

let upstream: Upstream
let server: Server
let toolbox: Uint8Array<ArrayBuffer>

beforeAll(async () => {
  upstream = await startUpstream(({ body }, response) => {
    response.setHeader('content-type', 'application/json').end(body.startsWith('{') ? body : `{"id":${ID}}`)
  })
  server = await startOne()
  toolbox = await compilePlugin('toolbox')
  const headers = { ...asAdmin, 'content-type': 'application/wasm' }
  const path = '/toolkits/Box/plugin?version=1.0.0'
  const { status, text } = await raw(server.url, { method: 'PUT', path, body: toolbox, headers })
  expect(status, text).toBe(201)
}, 180_000)
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))

const startOne = () =>
  startServer({ vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: upstream.host, INLINE_BYTES: '65536' } })
const get = (path: string, headers = asAdmin, on = server) => raw(on.url, { path, headers })
const post = (path: string, body: string, headers: Readonly<Record<string, string>> = asAdmin, on = server) =>
  raw(on.url, { method: 'POST', path, body, headers: { 'content-type': 'application/json', ...headers } })
const call = (tool: string, input: string, headers?: Readonly<Record<string, string>>, on = server) =>
  post('/tools/call', `{"tool_id":"${tool}","input":${input}}`, headers, on)

async function publish(id: string, implementation: object, more: object = {}): Promise<string> {
  const input_schema = { parameters: { type: 'object', properties: { id: NUMBER, body: {} } } }
  const document = definition(`${id}@1.0.0`, { input_schema, ...more })
  const { status, text } = await post('/tools', JSON.stringify({ definition: document, implementation }))
  expect(status, text).toBe(201)
  return id
}
const echo = () => ({ kind: 'http', method: 'POST', url: `${upstream.origin}/echo` })

it('a plugin receives an integer beyond double precision as it was written, anywhere in its input', async () => {
  const input = `{"id":${ID},"list":[-${ID},{"n":${ID}0}],"text":"${ID}"}`
  const asked = await call('Box.request', input)
  expect(JSON.parse(asked.text).result, asked.text).toMatchObject({ success: true })
  expect(JSON.parse(asked.text).result.value).toContain(`"arguments":${input}`)
  const plugin = await post('/plugin/call?toolkit=Box', `{"params":{"name":"request","arguments":${input}}}`)
  expect(JSON.parse(plugin.text).content[0].text).toContain(`"arguments":${input}`)
})

it('a plugin returns an integer beyond double precision unchanged, in structured content and in text', async () => {
  const answer = (result: string) => call('Box.answer', JSON.stringify({ result }))
  const structured = await answer(`{"content":[],"structuredContent":{"id":${ID},"list":[${ID}]}}`)
  expect(structured.text).toContain(`"value":{"id":${ID},"list":[${ID}]}`)
  const said = await answer(`{"content":[{"type":"text","text":"{\\"id\\":${ID}}"}]}`)
  expect(said.text).toContain(ID)
  const tooLarge = await answer(`{"content":[],"structuredContent":{"id":${'9'.repeat(400)}}}`)
  expect(JSON.parse(tooLarge.text).result).toMatchObject({
    success: false,
    error: { developer_message: expect.stringContaining('not finite') },
  })
})

it('the record of a call has integers as they were written', async () => {
  const tool = await publish('Kept.Recorded', echo())
  const { id, as } = await keyOf(server, ['Kept.*'], { record_arguments: true })
  expect((await call(tool, `{"id":${ID},"body":[-${ID}]}`, as)).text).toContain('"success":true')
  await expect
    .poll(async () => (await get(`/calls?principal=key:${id}`)).text, { timeout: 30_000 })
    .toContain(`"arguments":{"id":${ID},"body":[-${ID}]}`)
})

it('an artifact has integers as the tool returned them', async () => {
  const tool = await publish('Kept.Large', echo())
  const body = `[${Array.from({ length: 4_000 }, (_, index) => `${ID}${index}`).join()}]`
  const { text } = await call(tool, `{"id":${ID},"body":${body}}`)
  const { url } = JSON.parse(text).result.value.artifact
  const { pathname, search } = new URL(url)
  expect((await raw(server.url, { path: `${pathname}${search}` })).text).toBe(`{"id":${ID},"body":${body}}`)
})

it('an artifact of an uploaded file is unchanged, and a tool gets its exact content', async () => {
  const file = `{"id":${ID}}`
  const headers = { ...asAdmin, 'content-type': 'application/json' }
  const sent = await raw(server.url, { method: 'POST', path: '/artifacts?filename=a.json', body: file, headers })
  const { handle, url } = JSON.parse(sent.text)
  const parameters = { type: 'object', properties: { file: { type: 'string', contentEncoding: 'base64' } } }
  await publish(
    'Kept.Filed',
    { kind: 'code', module: 'export default ({ file }) => atob(file)' },
    {
      input_schema: { parameters },
    },
  )
  const { text } = await call('Kept.Filed', JSON.stringify({ file: handle }))
  expect(JSON.parse(text).result.value, `${text} ${url}`).toBe(file)
})

it('a backup has integers in definitions as they were written, and so have the restored definitions and their exports', async () => {
  const schema = `{"type":"integer","minimum":-${ID},"maximum":${ID},"default":${ID},"enum":[${ID},1]}`
  const document = JSON.stringify({
    definition: definition('Backed.Up@1.0.0', {
      input_schema: { parameters: { type: 'object', properties: { id: '?' } } },
    }),
    implementation: echo(),
  }).replace('"?"', schema)
  const published = await post('/tools', document)
  expect(published.status, published.text).toBe(201)
  const description = `{"openapi":"3.1.0","servers":[{"url":"${upstream.origin}"}],"paths":{"/a":{"post":{"operationId":"make","requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"id":${schema}}}}}}}}}}`
  const imported = await post('/toolkits/import', `{"from":{"openapi":${description}},"toolkit":"Imported"}`)
  expect(imported.status, imported.text).toBe(201)
  const { text: file } = await get('/export')
  expect(file).toContain(schema)
  expect(file).not.toContain(CHANGED)

  const other = await startOne()
  try {
    const restored = await sendLines(other.url, file, asAdmin)
    expect(restored.status, JSON.stringify(restored.last)).toBe(200)
    for (const tool of ['Backed.Up', 'Imported.make']) {
      for (const format of ['', '?format=oxp', '?format=mcp', '?format=openai', '?format=plugin']) {
        const [before, after] = [
          await get(`/tools/${tool}${format}`),
          await get(`/tools/${tool}${format}`, asAdmin, other),
        ]
        expect([after.status, after.text.includes(CHANGED)], `${tool} ${format}`).toEqual([200, false])
        expect(after.text).toContain(`"maximum":${ID}`)
        if (format !== '') expect(after.text).toBe(before.text)
      }
      expect((await call(tool, `{"id":${ID}}`, asAdmin, other)).text).toContain(`"id":${ID}`)
      const refused = await call(tool, '{"id":1234567890123456790}', asAdmin, other)
      expect(refused.text).toContain('parameter_errors')
    }
    const again = (await get('/export', asAdmin, other)).text
    const made = /"(?:at|hmac)":"[^"]*"/g
    const toolsOf = (text: string) =>
      text
        .replaceAll(made, '')
        .split('\n')
        .filter((line) => line.includes(ID))
    expect(toolsOf(again)).toEqual(toolsOf(file))
  } finally {
    await other.stop()
  }
})

it("the console's call form sends integers as typed, also as JSON, and shows input and output digit for digit", async () => {
  const tool = await publish('Kept.Typed', echo())
  const { body } = await server.json(
    'POST',
    '/keys',
    { name: 'ann', scopes: ['tools:read', 'tools:call'], tools: ['Kept.*'] },
    asAdmin,
  )
  const who = new HttpPerson()
  await who.press(await who.open(`${server.url}/sign-in`), /Sign in/, { key: body.key })
  const address = `${server.url}/console/tools/${tool}`
  const formOf = (text: string) => text.slice(text.indexOf('<form class="call"'))
  const origin = { origin: server.url }
  const page = await who.open(address)
  const [, callId = ''] = /name="call_id" value="([^"]*)"/.exec(page.text) ?? []
  expect(formOf(page.text)).toContain('name="input/id"')
  for (const fields of [
    { 'input/id': ID, 'input/body': `{"n":[-${ID}]}` },
    { whole: `{"id":${ID},"body":{"n":[-${ID}]}}` },
  ]) {
    const sent = await who.post(address, { ...fields, call_id: callId }, origin)
    expect(upstream.arrived.at(-1)?.body, sent.text.slice(0, 500)).toBe(`{"id":${ID},"body":{"n":[-${ID}]}}`)
    expect(sent.text).toContain(ID)
    expect(sent.text).not.toContain(CHANGED)
  }
  const properties = { id: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }
  const mixed = await publish('Kept.Mixed', echo(), { input_schema: { parameters: { type: 'object', properties } } })
  await who.post(`${server.url}/console/tools/${mixed}`, { 'input/id': ID, 'call_id': callId }, origin)
  expect(upstream.arrived.at(-1)?.body).toBe(`{"id":${ID}}`)
  // From fields to JSON, and back again
  const asJson = await who.post(address, { 'input/id': ID, 'input/body': ID, 'do': 'edit-json' }, origin)
  expect(asJson.text).toMatch(new RegExp(`<textarea[^>]*name="whole"[^]*?${ID}[^]*?${ID}`))
  const whole = `{"id":${ID},"body":[${ID}]}`
  const asFields = await who.post(address, { whole, do: 'edit-fields' }, origin)
  expect(asFields.text).toMatch(new RegExp(`name="input/id"[^>]*value="${ID}"|value="${ID}"[^>]*name="input/id"`))
  for (const { text } of [asJson, asFields]) expect(text).not.toContain(CHANGED)
})

describe('the approval page', () => {
  let on: Invocations
  beforeAll(async () => void (on = await startInvocations({ approval: true })))
  afterAll(() => on?.stop())

  it('the approval page shows the exact integer that the tool will receive, and the next integer needs another approval', async () => {
    const input = { eur: BigInt(ID), to: 'Bob' }
    const ask = (given: object) => on.call('Mail.Charge', { input: given, context: { user_id: 'ann' } })
    const seen = await on.approve(on.pageOf((await ask(input)).body))
    expect(seen).toContain(ID)
    expect(seen).not.toContain(CHANGED)
    // To a double they are the same
    const other = BigInt(ID) + 1n
    expect(Number(other)).toBe(Number(input.eur))
    expect((await ask({ ...input, eur: other })).status).toBe(400)
    const before = on.charged().length
    expect((await ask(input)).body.result).toMatchObject({ success: true })
    expect(on.charged()).toHaveLength(before + 1)
    expect(on.sentToBank().at(-1)).toBe(`{"eur":${ID},"to":"Bob"}`)
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasShared, readShared, unlessShared } from '../shared.ts'
import { oxpSchemas } from './oxp-response.ts'
import { type RunningServer, startApp } from './server.ts'

let server: RunningServer

beforeAll(async () => {
  server = await startApp()
})
afterAll(() => server.stop())

const ADD = { tool_id: 'Calculator.Add@1.0.0', call_id: 'c1', input: { a: 10, b: 5 } }
const schemas = oxpSchemas()

it('a server answers /health without a credential', async () => {
  expect(await server.json('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(await server.json('GET', '/oxp/health')).toMatchObject({ status: 200, body: { status: 'ok' } })
})

it('a server lists the tools of the OXP specification, with the exact ids', async () => {
  const { status, body } = await server.json('GET', '/tools')
  expect(status).toBe(200)
  expect(body.$schema).toBe('urn:oxp:1.0')
  const ids: string[] = body.items.map(({ id }: { id: string }) => id)
  expect(ids.filter((id) => !id.startsWith('Fixture.'))).toEqual([
    'Arithmetic.add@1.0.0',
    'Arithmetic.subtract@1.0.0',
    'Calculator.Add@1.0.0',
    'Calculator.Subtract@1.0.0',
    'Doorbell.Ring@0.1.0',
    'Gmail.GetEmails@1.2.0',
    'SMS.Send@0.1.2',
    'System.GetTimestamp@1.0.0',
  ])
})

it('a server adds 10 and 5, enveloped and bare, for every valid id of the tool', async () => {
  for (const tool_id of [
    'Calculator.Add',
    'Calculator.Add@1',
    'Calculator.Add@1.0.0',
    'Calculator.Add@^1',
    'calculator.add',
  ]) {
    const { status, body } = await server.json('POST', '/tools/call', { request: { ...ADD, tool_id } })
    expect(status).toBe(200)
    expect(body).toEqual({
      $schema: 'urn:oxp:1.0',
      result: { call_id: 'c1', success: true, duration: expect.any(Number), value: 15 },
    })
  }
  const bare = await server.json('POST', '/tools/call', ADD)
  expect(bare.body.result.value).toBe(15)
})

it('a server creates a call id if the caller sends none', async () => {
  const { body } = await server.json('POST', '/tools/call', { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } })
  expect(body.result).toMatchObject({ call_id: expect.stringMatching(/^[0-9a-f-]{36}$/), value: 3 })
})

it('a server returns bare bodies and the same header under OXP-Version', async () => {
  const call = await server.json('POST', '/tools/call', ADD, { 'oxp-version': '1.0' })
  expect(call.headers.get('oxp-version')).toBe('1.0')
  expect(call.body).toEqual({ call_id: 'c1', success: true, duration: expect.any(Number), value: 15 })
  const list = await server.json('GET', '/tools', undefined, { 'oxp-version': '1.0' })
  expect(Object.keys(list.body)).toEqual(['items'])
  const failed = await server.json('POST', '/tools/call', { tool_id: 'No.Such' }, { 'oxp-version': '1.0' })
  expect(failed.status).toBe(400)
  expect(failed.body).not.toHaveProperty('$schema')
  const other = await server.json('POST', '/tools/call', ADD, { 'oxp-version': '2.0' })
  expect(other).toMatchObject({ status: 400, body: { message: "The protocol version '2.0' is not supported" } })
})

it("a server also accepts a tool's name from the list, for calls and definitions", async () => {
  const named = { ...ADD, tool_id: 'Calculator_Add' }
  expect((await server.json('POST', '/tools/call', named)).body.result).toMatchObject({ success: true, value: 15 })
  const shown = await server.json('GET', '/tools/Calculator_Add')
  expect(shown).toMatchObject({ status: 200, body: { id: 'Calculator.Add@1.0.0', name: 'Calculator_Add' } })
  expect(await server.json('GET', '/tools/Calculator_Add/readiness')).toMatchObject({ body: { ready: true } })
  expect((await server.json('GET', '/tools/Calculator_None')).status).toBe(404)
})

it('a server suggests the nearest names for an unknown tool', async () => {
  const { status, body } = await server.json('POST', '/tools/call', { tool_id: 'Calculator.Ad' })
  expect(status).toBe(400)
  expect(body.message).toContain("did you mean 'Calculator.Add'")
  expect(body.suggestions[0]).toBe('Calculator.Add')
  const suggestions = async (tool_id: string) => {
    const answer = await server.json('POST', '/tools/call', { tool_id })
    expect(answer.status).toBe(400)
    return answer.body.suggestions
  }
  expect(await suggestions('Calculator_Ad')).toEqual(['Calculator_Add'])
  expect((await suggestions('Add')).toSorted()).toEqual(['Arithmetic_add', 'Calculator_Add'])
  expect(await suggestions('Nothing_like_it')).toBeUndefined()
})

it('a server reports all missing requirements at once', async () => {
  const gmail = await server.json('POST', '/tools/call', { tool_id: 'Gmail.GetEmails', input: {} })
  expect(gmail.status).toBe(400)
  expect(gmail.body.missing_requirements).toEqual({
    authorization: [{ id: 'google', url: `${server.url}/authorizations/google/start` }],
    user_id: true,
  })
  if (schemas) expect(schemas.serverError(gmail.body)).toEqual([])
  const page = await fetch(gmail.body.missing_requirements.authorization[0].url)
  expect(await page.text()).toContain('not set up')

  const sms = await server.json('POST', '/tools/call', { tool_id: 'SMS.Send', input: { to: '+1', message: 'x' } })
  expect(sms.status).toBe(400)
  expect(sms.body.missing_requirements).toEqual({ secrets: [{ id: 'TWILIO_API_KEY' }] })
  expect(sms.body.developer_message).toContain('npx wrangler secret put TWILIO_API_KEY')
})

describe.skipIf(!hasShared('specs/oxp/examples.json'))(
  `the documented examples${unlessShared('specs/oxp/examples.json')}`,
  () => {
    const examples = hasShared('specs/oxp/examples.json')
      ? JSON.parse(readShared('specs/oxp/examples.json'))
      : { call_tool_http_examples: [], call_tool_request: [], call_tool_response: [], tool_definition: [] }

    it.each<{
      title: string
      request: { body: unknown }
      response: { head: string[]; body: { result?: { duration: number } } }
    }>(examples.call_tool_http_examples)('as documented: $title', async ({ request, response }) => {
      const { status, body } = await server.json('POST', '/tools/call', request.body)
      expect(status).toBe(Number(response.head[0]?.split(' ')[1]))
      const wanted = structuredClone(response.body)
      if (wanted.result) wanted.result.duration = expect.any(Number)
      expect(body).toEqual(wanted)
    })

    it('as documented, a server lists each tool definition as the specification writes it', async () => {
      const { body } = await server.json('GET', '/tools')
      for (const definition of examples.tool_definition) {
        expect(body.items).toContainEqual(definition)
        const one = await server.json('GET', `/tools/${definition.id}`)
        expect(one.body).toEqual(definition)
        if (schemas) expect(schemas.definition(one.body)).toEqual([])
      }
    })

    it('as documented, a server accepts each call request, and each response matches the OpenAPI document', async () => {
      for (const request of examples.call_tool_request) {
        const { status, body } = await server.json('POST', '/tools/call', { request })
        expect(status, JSON.stringify(body)).toBe(200)
        expect(schemas?.callResponse(body.result)).toEqual([])
        expect(body.result.call_id).toBe(request.call_id)
      }
    })
  },
)

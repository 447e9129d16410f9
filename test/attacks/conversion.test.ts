import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../e2e/server.ts'
import { chained, GROWING } from './schemas.ts'
import { neverSilent, startWatched } from './watch.ts'

const ADMIN_KEY = 'admin-key-of-this-test-0123456789'
const admin = { authorization: `Bearer ${ADMIN_KEY}` }
const FORMATS = [
  'openai',
  'openai-strict',
  'anthropic',
  'gemini',
  'openapi',
  'oxp',
  'open-tool-calling',
  'machine-context',
]

let server: RunningServer
let open: RunningServer
beforeAll(async () => {
  server = await startWatched({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  open = await startWatched()
})
afterAll(async () => {
  await Promise.all([server?.stop(), open?.stop()])
})
afterAll(neverSilent)

const bodyOf = (inputSchema: unknown) => ({
  definition: { name: 'x', description: 'd', inputSchema },
  toolkit: 'Evil',
  version: '1.0.0',
})

/** Runs a conversion while another caller is answered. */
async function convert(to: string, inputSchema: unknown, at: RunningServer, headers = {}) {
  const [answer, health] = await Promise.all([
    at.json('POST', `/convert?from=mcp&to=${to}`, bodyOf(inputSchema), headers),
    at.json('GET', '/health'),
  ])
  expect(health.status).toBe(200)
  return answer
}

it('an exponential conversion does not start without a credential, nor for a key without the read scope', async () => {
  const growing = GROWING['8 wide and 8 deep']
  expect(await convert('gemini', growing, server)).toMatchObject({ status: 401 })
  const asked = { name: 'caller', scopes: ['tools:call'], tools: ['*'] }
  const { body } = await server.json('POST', '/keys', asked, admin)
  const headers = { authorization: `Bearer ${body.key}` }
  expect(await convert('gemini', growing, server, headers)).toMatchObject({ status: 403 })
})

describe.each(Object.entries(GROWING))('%s', (name, schema) => {
  it.each(FORMATS)(
    `a conversion of ${name} returns a result or the reason that there is none, as %s`,
    async (format) => {
      const { status, body } = await convert(format, schema, open)
      const problem = { path: expect.any(String), message: expect.stringMatching(/^Takes too much work/) }
      if (status === 200) expect(JSON.stringify(body).length).toBeLessThan(8_000_000)
      else
        expect({ status, errors: body.errors ?? body.parameter_errors }).toMatchObject({
          status: 422,
          errors: [problem],
        })
    },
  )
})

it('an exponential conversion is refused with the location in the schema', async () => {
  const { status, body } = await convert('gemini', GROWING['8 wide and 8 deep'], open)
  expect(status).toBe(422)
  expect(JSON.stringify(body)).toMatch(/Takes too much work to write as 'gemini'/)
  expect(JSON.stringify(body)).toContain('/input/properties/x/allOf/0')
})

it('all tools of a document share one work budget for their conversion', async () => {
  const inputSchema = chained(2, 15)
  const statusOf = async (count: number) => {
    const tools = Array.from({ length: count }, (_, index) => ({ name: `t${index}`, description: 'd', inputSchema }))
    const document = { definition: { tools }, toolkit: 'Evil', version: '1.0.0' }
    return (await open.json('POST', '/convert?from=plugin&to=gemini', document)).status
  }
  expect([await statusOf(1), await statusOf(20)]).toEqual([200, 422])
})

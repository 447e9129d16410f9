import type { ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { type Arrived, type Upstream, startUpstream } from '../../upstream.ts'
import { callRemote, type Calling, upstreamDeps } from './set-up.ts'

let server: Upstream | undefined
afterEach(() => server?.close())

async function against(answer: (request: Arrived, response: ServerResponse) => void, given: Calling = {}) {
  server = await startUpstream(answer)
  const deps = upstreamDeps(server.host)
  const tool = { url: `${server.origin}/oxp/`, tool: 'Math.Add@1.2.0', protocol: 'oxp' } as const
  return { result: await callRemote(deps, tool, given), deps, arrived: server.arrived }
}

const json = (status: number, body: unknown) => (_: Arrived, response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const bearer = { credentials: [{ secret: 'KEY', in: 'header', name: 'OXP-API-Key' }] }

test('a call of an OXP tool sends the input under the imported id, and nothing else', async () => {
  const { result, arrived } = await against(
    json(200, { $schema: 'urn:oxp:1.0', result: { call_id: '1', success: true, duration: 1, value: { sum: 3 } } }),
    { input: { a: 1 }, implementation: bearer, secrets: { KEY: 's3cret-value' }, context: { userId: 'ann' } },
  )
  expect(result).toEqual({ ok: true, value: { sum: 3 } })
  const [{ url, body, headers }] = arrived as [Arrived]
  expect(url).toBe('/oxp/tools/call')
  expect(JSON.parse(body)).toEqual({
    $schema: 'urn:oxp:1.0',
    request: { tool_id: 'Math.Add@1.2.0', input: { a: 1 } },
  })
  expect(headers).toMatchObject({ 'oxp-api-key': 's3cret-value' })
})

test('a call of an OXP tool names its user if the implementation says so', async () => {
  const { arrived } = await against(json(200, { result: { success: true } }), {
    implementation: { pass_user: true },
    context: { userId: 'ann' },
  })
  expect(JSON.parse(arrived[0]?.body ?? '')).toMatchObject({ request: { context: { user_id: 'ann' } } })
})

test.each<[string, unknown, unknown]>([
  ['an enveloped value', { result: { success: true, value: 1 } }, { ok: true, value: 1 }],
  ['a bare one', { success: true, value: 1 }, { ok: true, value: 1 }],
  ['none', { success: true }, { ok: true, value: null }],
  [
    'an error',
    {
      success: false,
      error: { message: 'Busy', can_retry: true, retry_after_ms: 5, additional_prompt_content: 'Wait' },
    },
    { failure: { message: 'Busy', can_retry: true, retry_after_ms: 5, additional_prompt_content: 'Wait' } },
  ],
  ['something else', { success: 'yes' }, { failure: { message: expect.stringContaining('is not OXP') } }],
])('a call of an OXP tool with the response %s', async (_, body, expected) => {
  expect((await against(json(200, body))).result).toMatchObject(expected as object)
})

test('a call of an OXP tool with a response that is not UTF-8', async () => {
  const latin1 = Buffer.from('{"success":true,"value":"caf\u00e9"}', 'latin1')
  const { result } = await against((_, response) => void response.end(latin1))
  expect(result).toMatchObject({ failure: { message: expect.stringMatching(/is not UTF-8$/), can_retry: false } })
})

test('a call of an OXP tool that needs something there says what, with the link', async () => {
  const authorization = [{ id: 'google', url: 'https://example.com/grant' }]
  const missing_requirements = { authorization, secrets: [{ id: 'TOKEN' }], user_id: true }
  const { result } = await against(json(400, { message: 'Needs more', missing_requirements }))
  const wanted =
    /Needs more \(a person's consent at 'google': https:\/\/example\.com\/grant; its secret 'TOKEN'; a user's id\)$/
  expect(result).toMatchObject({ failure: { message: expect.stringMatching(wanted), can_retry: false } })
})

test('a call of an OXP tool with an invalid input names the parameter', async () => {
  const { result } = await against(json(422, { message: 'Invalid', parameter_errors: { a: 'Must be a number' } }))
  expect(result).toMatchObject({ failure: { message: expect.stringContaining("'a': Must be a number") } })
})

test('a call of an OXP tool is retried if the server is busy and the tool may be called twice', async () => {
  const annotations = { idempotentHint: true }
  const { deps, result } = await against(json(503, { message: 'Busy' }), { annotations })
  expect(deps.slept).toEqual([125, 250])
  expect(result).toMatchObject({ failure: { can_retry: true } })
  await server?.close()
  expect((await against(json(503, { message: 'Busy' }))).deps.slept).toEqual([])
})

test('a call of an OXP tool does not send a credential on to another host', async () => {
  const elsewhere = await startUpstream(json(200, { success: true }))
  try {
    const { result } = await against(
      (_, response) => void response.writeHead(307, { location: `${elsewhere.origin}/taken` }).end(),
      { implementation: bearer, secrets: { KEY: 's3cret-value' } },
    )
    expect(result).toMatchObject({ failure: { message: expect.stringContaining('Cannot request') } })
    expect(elsewhere.arrived).toEqual([])
  } finally {
    await elsewhere.close()
  }
})

test.each([401, 500, 200])(
  'a call of an OXP tool with a credential quotes nothing outside the fields of OXP: %i',
  async (status) => {
    const said = json(status, { detail: 'No such key: s3c\u200bret-v\u200balue' })
    const sent = await against(said, { implementation: bearer, secrets: { KEY: 's3cret-value' } })
    await server?.close()
    const open = await against(said)
    expect(JSON.stringify(sent.result)).not.toContain('No such key')
    expect(JSON.stringify(sent.result)).toContain('its answer is not shown')
    expect(JSON.stringify(open.result)).toContain('No such key')
  },
)

test('a call of an OXP tool reveals no credential, whatever the server says', async () => {
  const given = { implementation: bearer, secrets: { KEY: 's3cret-value' } }
  for (const status of [200, 400, 401, 500]) {
    const said = {
      success: false,
      message: 's3cret-value',
      error: { message: 's3cret-value', developer_message: 's3cret-value' },
    }
    const { result } = await against(json(status, said), given)
    await server?.close()
    expect(JSON.stringify(result)).not.toContain('s3cret')
  }
})

import { type Request, Response } from 'miniflare'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type RunningServer, startApp } from './server.ts'
import { definition } from './definition.ts'

const ADMIN_KEY = 'admin-key-b7b0f6a1c2d3'
const TWILIO_TOKEN = 'f00dfeedf00dfeedf00dfeedf00dfeed'
const TWILIO_API_KEY = `AC0123456789abcdef0123456789abcdef:${TWILIO_TOKEN}:+15550001111`
const ECHO_KEY = 'k3y/with+signs&"quotes" and spaces~!'
const CALLER_TOKEN = 'ya29.caller-token/of+google=='
const CALLER_SECRET = 'ACcaller00000000000000000000000000:c0ffeec0ffeec0ffeec0ffeec0ffee00:MG0123456789'
const SECRETS = [ADMIN_KEY, TWILIO_TOKEN, TWILIO_API_KEY, ECHO_KEY, CALLER_TOKEN, CALLER_SECRET, 'c0ffeec0ffeec0ffee']
const INPUT_MARKER = 'input-that-no-log-may-hold'

const base64 = (text: string) => Buffer.from(text).toString('base64')
/** A text as it is, and as whoever reads it could decode it. */
function readings(text: string): string[] {
  const unquoted = text.replaceAll(/\\(["\\/])/g, '$1')
  const unescaped = (escaped: string) =>
    escaped.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  // Whatever stands before what was encoded, it begins at one of four characters
  const decoded = [...text.matchAll(/[\w+/-]{8,}/g)].flatMap(([run]) =>
    [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString('latin1')),
  )
  return [text, unquoted, unescaped(text), unescaped(text.replaceAll('+', ' ')), ...decoded]
}
/** Those secrets that a text gives away, but for a character at either end. */
const leaked = (text: string) => {
  const all = readings(text).join('\n')
  return SECRETS.filter((secret) => all.includes(secret.slice(1, -1)))
}

let server: RunningServer
let upstream: (request: Request) => Response | Promise<Response>
let sent: { readonly url: string; readonly headers: Headers; readonly body: string }[]
/** Every response's head and body, save of requests that mean to see a secret. */
let said: string[]

beforeAll(async () => {
  server = await startApp({
    vars: {
      ACCESS: 'keys',
      ADMIN_KEY,
      TWILIO_API_KEY,
      ECHO_KEY,
      EMPTY_SECRET: '',
      TOOL_SECRETS: { TWILIO_API_KEY: ['SMS.Send'], ECHO_KEY: 'Echo.*', EMPTY_SECRET: ['Echo.*'], UNSET: ['Echo.*'] },
    },
    async outbound(request) {
      const { url, headers } = request
      sent.push({ url, headers: new Headers([...headers]), body: await request.clone().text() })
      return upstream(request)
    },
  })
  for (const definition of [
    echo('Echo.Value', {}),
    echo('Echo.Strict', { type: 'object', properties: {}, additionalProperties: false }),
    echo('Echo.Empty', {}, 'EMPTY_SECRET'),
    echo('Echo.Unset', {}, 'UNSET'),
    echo('Thief.Twilio', {}, 'TWILIO_API_KEY'),
    echo('Thief.Admin', {}, 'ADMIN_KEY'),
  ]) {
    const answer = await request('POST', '/tools', definition)
    expect(answer, answer.text).toMatchObject({ status: 201 })
  }
})
afterAll(() => server?.stop())

beforeEach(() => {
  sent = []
  said = []
  upstream = () => new Response('unexpected', { status: 500 })
})

afterEach(() => {
  for (const text of [...said, server.printed()]) {
    expect(leaked(text)).toEqual([])
    expect(text).not.toMatch(/\bat [^\n]*\w\.[jt]s:\d+|\n\s+at /)
  }
  expect(server.printed()).not.toContain(INPUT_MARKER)
})

/** A tool that sends one secret to a host, which may send it back. */
function echo(id: string, output_schema: object, secret = 'ECHO_KEY') {
  return {
    definition: definition(`${id}@1.0.0`, {
      input_schema: { parameters: { type: 'object', properties: { text: { type: 'string', description: 'Text' } } } },
      output_schema,
      requirements: { secrets: [{ id: secret }] },
    }),
    implementation: {
      kind: 'http',
      method: 'POST',
      url: 'https://api.echo-for-tests.com/v1',
      credentials: [{ secret, in: 'header', name: 'X-Api-Key' }],
      body: { type: 'json' },
      response: { type: 'json', error: { message: '/basic', developer_message: '/json' } },
    },
  }
}

async function request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(new URL(path, server.url), {
    method,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  said?.push([...response.headers, ['', text]].map((pair) => pair.join(': ')).join('\n'))
  return { status: response.status, text, body: JSON.parse(text) }
}

const call = (tool_id: string, more: object = {}) => request('POST', '/tools/call', { tool_id, ...more })
const google = { authorization: [{ id: 'google', token: CALLER_TOKEN }], user_id: 'user-7' }
const sms = { input: { to: '+15552223333', message: INPUT_MARKER } }

/** The log's lines about one call. */
const linesOf = (callId: string) =>
  server
    .printed()
    .split('\n')
    .filter((line) => line.includes(callId))
    .map((line) => JSON.parse(line))

/** Waits until the log has the line about a call, which is written behind it. */
async function logged(callId: string) {
  await expect.poll(() => linesOf(callId).some(({ event }) => event === 'call')).toBe(true)
  return linesOf(callId)
}

it('Gmail, with a token that the caller sends, reads the messages that a search finds', async () => {
  const subjects: Record<string, string> = { m1: 'Re: Grüße', m2: 'Invoice' }
  upstream = ({ url, headers }) => {
    if (headers.get('authorization') !== `Bearer ${CALLER_TOKEN}`) return new Response('', { status: 401 })
    const { pathname } = new URL(url)
    const id = /^\/gmail\/v1\/users\/me\/messages\/(m\d)$/.exec(pathname)?.[1]
    if (id === undefined) {
      return Response.json({
        messages: [
          { id: 'm1', threadId: 't1' },
          { id: 'm2', threadId: 't2' },
        ],
        resultSizeEstimate: 2,
      })
    }
    const headersOfMail = [{ name: 'Subject', value: subjects[id] }]
    return Response.json({ id, threadId: 't', snippet: `Snippet of ${id}`, payload: { headers: headersOfMail } })
  }
  const { status, body } = await call('Gmail.GetEmails', { input: { query: 'is:unread a&b' }, context: google })
  expect({ status, result: body.result }).toMatchObject({
    status: 200,
    result: {
      success: true,
      value: {
        emails: [
          { id: 'm1', subject: 'Re: Grüße', snippet: 'Snippet of m1' },
          { id: 'm2', subject: 'Invoice', snippet: 'Snippet of m2' },
        ],
      },
    },
  })
  expect(new URL(sent[0]?.url ?? '').searchParams.get('q')).toBe('is:unread a&b')
  expect(sent.map(({ url }) => new URL(url).host)).toEqual(Array(3).fill('gmail.googleapis.com'))
})

it('Gmail, with a token that the caller sends, gets the token redacted in its responses', async () => {
  upstream = ({ headers }) =>
    new Response(`no: ${headers.get('authorization')}`, { status: 401, statusText: `Bad ${CALLER_TOKEN}` })
  const { body } = await call('Gmail.GetEmails', { input: {}, context: google })
  expect(body.result).toMatchObject({ success: false, error: { message: 'Gmail did not accept the authorization' } })

  upstream = ({ url }) =>
    url.includes('/messages/m1')
      ? Response.json({ id: 'm1', snippet: `token ${CALLER_TOKEN} in ${base64(`user:${CALLER_TOKEN}`)}` })
      : Response.json({ messages: [{ id: 'm1' }] })
  const read = await call('Gmail.GetEmails', { input: {}, context: google })
  expect(read.body.result.value.emails[0].snippet).toContain('token [redacted] in ')
})

it('Gmail, with a token that the caller sends, cannot redirect it to a host that the tool does not declare', async () => {
  upstream = ({ url }) =>
    url.startsWith('https://gmail')
      ? new Response(null, { status: 302, headers: { location: 'https://mail.thief-for-tests.com/' } })
      : Response.json({ messages: [] })
  const { body } = await call('Gmail.GetEmails', { input: {}, context: google })
  const developer_message = `Cannot request "https://mail.thief-for-tests.com": it is not one of the tool's hosts`
  expect(body.result).toMatchObject({ success: false, error: { developer_message } })
  expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual([`Bearer ${CALLER_TOKEN}`])
})

it('Gmail, with a token that no header can carry, reports that without showing the token', async () => {
  const context = { ...google, authorization: [{ id: 'google', token: `${CALLER_TOKEN}\r\nX-Evil: 1` }] }
  const { status, body } = await call('Gmail.GetEmails', { input: {}, context })
  expect(status).toBe(200)
  expect(body.result).toMatchObject({
    success: false,
    error: { message: expect.stringContaining('failed unexpectedly') },
  })
  expect(sent).toEqual([])
})

it('Gmail, with a token that the caller sends, fails on invalid JSON, unexpected JSON and 100,000 levels of nesting', async () => {
  for (const answer of ['<html>', 'null', '{"messages": 7}', '['.repeat(100_000) + ']'.repeat(100_000)]) {
    upstream = () => new Response(answer, { headers: { 'content-type': 'application/json' } })
    const { status, body } = await call('Gmail.GetEmails', { input: {}, context: google })
    expect(status).toBe(200)
    expect(body.result, answer.slice(0, 20)).toMatchObject({ success: answer.startsWith('[') })
  }
})

const queued = () => Response.json({ sid: 'SM1', status: 'queued' }, { status: 201 })

it('SMS, with a secret of the deployment, authenticates at Twilio, and no response contains the secret', async () => {
  upstream = queued
  const { body } = await call('SMS.Send', sms)
  expect(body.result).toMatchObject({ success: true, value: { status: 'queued' } })
  const [request] = sent
  const [account, token] = TWILIO_API_KEY.split(':')
  expect(request?.url).toBe(`https://api.twilio.com/2010-04-01/Accounts/${account}/Messages.json`)
  expect(request?.headers.get('authorization')).toBe(`Basic ${base64(`${account}:${token}`)}`)
  expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
    To: '+15552223333',
    Body: INPUT_MARKER,
    From: '+15550001111',
  })
})

it("SMS, with a secret of the caller, prefers it to the deployment's, and ignores an empty one", async () => {
  upstream = queued
  await call('SMS.Send', { ...sms, context: { secrets: [{ id: 'TWILIO_API_KEY', value: CALLER_SECRET }] } })
  expect(sent[0]?.url).toContain('/Accounts/ACcaller0')
  expect(new URLSearchParams(sent[0]?.body).get('MessagingServiceSid')).toBe('MG0123456789')
  await call('SMS.Send', { ...sms, context: { secrets: [{ id: 'TWILIO_API_KEY', value: '' }] } })
  expect(sent[1]?.url).toContain('/Accounts/AC0123456789')
})

it('SMS, with a secret, ignores secrets and tokens that the tool does not declare', async () => {
  upstream = queued
  const secrets = [
    { id: 'ADMIN_KEY', value: 'x' },
    { id: '__proto__', value: 'y' },
  ]
  expect((await call('SMS.Send', { ...sms, context: { secrets, ...google } })).body.result.success).toBe(true)
})

it("SMS, with a secret, redacts the header, token and secret in Twilio's responses", async () => {
  upstream = ({ headers }) => {
    const message = [headers.get('authorization'), TWILIO_TOKEN, TWILIO_API_KEY, encodeURIComponent(TWILIO_API_KEY)]
    return Response.json({ code: 20003, message: message.join(' ') }, { status: 401 })
  }
  const { body } = await call('SMS.Send', sms)
  expect(body.result).toMatchObject({ success: false, error: { message: expect.stringContaining('[redacted]') } })
})

it.each([
  ['one that TOOL_SECRETS gives to another tool', 'Thief.Twilio', 'TWILIO_API_KEY', 'TOOL_SECRETS does not let'],
  ['ADMIN_KEY', 'Thief.Admin', 'ADMIN_KEY', 'Neither TOOL_SECRETS nor a policy lets'],
  ['one that is empty', 'Echo.Empty', 'EMPTY_SECRET', "The secret 'EMPTY_SECRET' is not set"],
  ['one that is not set', 'Echo.Unset', 'UNSET', "The secret 'UNSET' is not set"],
])('secrets that a tool may not have: %s counts as missing, and the response says why', async (_, tool, id, why) => {
  // The administrator may call it; the secret stays out of its reach all the same
  const { status, body } = await call(tool, { input: {} })
  expect(status).toBe(400)
  expect(body.missing_requirements).toEqual({ secrets: [{ id }] })
  expect(body.developer_message).toContain(why)
  expect(sent).toEqual([])
})

it.each([
  ['as it is', (secret: string) => `is ${secret}.`],
  ['as part of a URL', encodeURIComponent],
  ['as part of a form', (secret: string) => String(new URLSearchParams({ a: secret }))],
  ['in JSON', (secret: string) => JSON.stringify([secret])],
  ['in Base64', base64],
  ['in Base64, behind a user name', (secret: string) => base64(`user:${secret}`)],
  ['in Base64 for URLs', (secret: string) => `/${Buffer.from(`ab${secret}c`).toString('base64url')}`],
])('the search for leaks finds a secret %s', (_, spell) => {
  for (const secret of SECRETS) expect(leaked(spell(secret))).toContain(secret)
})

const spellings = {
  raw: ECHO_KEY,
  base64: base64(ECHO_KEY),
  basic: base64(`user:${ECHO_KEY}`),
  basicToo: base64(`a:${ECHO_KEY}:b`),
  base64url: Buffer.from(ECHO_KEY).toString('base64url'),
  percent: encodeURIComponent(ECHO_KEY),
  form: new URLSearchParams({ key: ECHO_KEY }).toString(),
  json: JSON.stringify({ key: ECHO_KEY }),
  [ECHO_KEY]: ['as a name', { deep: [`and in a text: ${ECHO_KEY}.`] }],
}

it("a secret that an API returns is redacted in the tool's value, in every encoding", async () => {
  upstream = () => Response.json(spellings)
  const { body } = await call('Echo.Value', { input: {} })
  expect(body.result.success).toBe(true)
  expect(sent[0]?.headers.get('x-api-key')).toBe(ECHO_KEY)
  expect(body.result.value).toMatchObject({ raw: '[redacted]', base64: '[redacted]', percent: '[redacted]' })
  expect(JSON.parse(JSON.stringify(body.result.value))['[redacted]'][1].deep[0]).toBe('and in a text: [redacted].')
})

it('a secret that an API returns is not shown in an error, except in fields that the implementation names', async () => {
  upstream = () => Response.json({ said: `no ${ECHO_KEY}` }, { status: 401 })
  const { body } = await call('Echo.Value', { input: {} })
  expect(body.result.error.message).toBe('api.echo-for-tests.com answered 401 Unauthorized')
  expect(body.result.error.developer_message).toMatch(/ answered 401: its answer is not shown/)
})

it('a secret that an API returns is redacted in an error, in every encoding', async () => {
  for (const status of [400, 401, 500]) {
    upstream = () => Response.json(spellings, { status })
    const { body } = await call('Echo.Value', { input: {} })
    expect(body.result).toMatchObject({ success: false })
    expect(JSON.stringify(body.result.error)).toContain('[redacted]')
  }
})

it('a secret that an API returns is redacted in the errors of the output schema', async () => {
  upstream = () => Response.json({ [ECHO_KEY]: 1, [base64(ECHO_KEY)]: 2 })
  const { body } = await call('Echo.Strict', { input: {} })
  expect(body.result).toMatchObject({ success: false, error: { message: expect.stringContaining('output schema') } })
  expect(body.result.error.developer_message).toContain('[redacted]')
})

it('a response with nesting beyond the limit is refused', async () => {
  upstream = () => new Response(`${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}`)
  const { status, body } = await call('Echo.Value', { input: {} })
  expect(status).toBe(200)
  expect(body.result).toMatchObject({ success: false })
  expect(body.result.error.message).toContain('nests deeper')
})

it('the log has one line for each call, with who, what, outcome and duration, and nothing else', async () => {
  upstream = () => Response.json({ status: 'queued' }, { status: 201 })
  const more = { call_id: 'log-line-1', trace_id: 'trace-1', context: { user_id: 'user-7' } }
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  await request('POST', '/tools/call', { tool_id: 'SMS.Send', ...sms, ...more }, { traceparent })
  expect(await logged('log-line-1')).toEqual([
    {
      event: 'call',
      at: expect.any(Number),
      call_id: 'log-line-1',
      trace_id: 'trace-1',
      traceparent,
      principal: 'admin',
      user_id: 'user-7',
      tool: 'SMS.Send@0.1.2',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      dialect: 'oxp',
      outcome: 'success',
      duration_ms: expect.any(Number),
    },
  ])
})

it('the log has a line for each failed call, too', async () => {
  await call('Calculator.Add', { call_id: 'log-line-2', input: { a: INPUT_MARKER } })
  await call('No.Such', { call_id: 'log-line-3' })
  await call('Thief.Admin', { call_id: 'log-line-4', input: { text: INPUT_MARKER } })
  await call('Doorbell.Ring', { call_id: 'log-line-5', input: { doorbell_id: INPUT_MARKER } })
  expect(await logged('log-line-2')).toMatchObject([{ tool: 'Calculator.Add@1.0.0', outcome: 'input-invalid' }])
  expect(await logged('log-line-3')).toMatchObject([{ tool: 'No.Such', outcome: 'tool-unknown' }])
  expect(await logged('log-line-4')).toMatchObject([
    {
      tool: 'Thief.Admin@1.0.0',
      outcome: 'requirements-missing',
      for_operator: expect.stringContaining('TOOL_SECRETS'),
    },
  ])
  expect(await logged('log-line-5')).toMatchObject([{ tool: 'Doorbell.Ring@0.1.0', outcome: 'tool-failed' }])
})

it("the log has a tool's own lines, too", async () => {
  await call('Doorbell.Ring', { call_id: 'log-line-6', input: { doorbell_id: 'doorbell42' } })
  expect(await logged('log-line-6')).toMatchObject([
    { event: 'tool-log', message: 'Rang the doorbell' },
    { event: 'call' },
  ])
})

it('the log reports refused credentials without showing them', async () => {
  const wrong = await request('GET', '/tools', undefined, { authorization: `Bearer ${ADMIN_KEY}x` })
  expect(wrong.status).toBe(401)
  const key = await request('POST', '/keys', { name: `holds ${INPUT_MARKER}`, scopes: ['tools:read'], extra: 1 })
  expect(key.status).toBe(422)
})

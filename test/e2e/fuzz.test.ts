import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FUZZED_REQUESTS } from '../extent.ts'
import {
  DEFINITION,
  IMPORT,
  KEY,
  MCP_MESSAGES,
  MCP_PARAMS,
  MESSAGE,
  OXP_CALL,
  PLUGIN_CALL,
  PROVIDER,
  RFC_CALL,
  SWAGGER,
} from '../fuzz/examples.ts'
import { bytes, texts, values } from '../fuzz/mutations.ts'
import { describing } from '../plugins/describing.ts'
import { definition } from './definition.ts'
import { raw, type RawAnswer, type RawRequest } from './raw.ts'
import { type Server, startServer } from './server.ts'

/** Requests to each route; `FUZZ_REQUESTS=1000 npx vitest run …` sends more. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? FUZZED_REQUESTS)
/** Long enough for a busy machine; a request that hangs takes forever. */
const HANGS_MS = 20_000

const JSON_TYPE = { 'content-type': 'application/json' }
const ADD = { tool_id: 'Calculator.Add@1.0.0', input: { a: 10, b: 5 } }
/** Valid values of headers that the server reads. */
const HEADERS = Object.entries({
  'accept': 'application/json, text/event-stream',
  'accept-encoding': 'gzip',
  'authorization': 'Bearer sb_0123456789',
  'cookie': `switchboard-browser=${'a'.repeat(43)}; switchboard-session=${'b'.repeat(43)}; switchboard-sign-in=e30`,
  'content-type': 'application/json; charset=utf-8',
  'idempotency-key': 'an id',
  'if-none-match': '"an etag", W/"another"',
  'mcp-method': 'tools/call',
  'mcp-name': 'Calculator_Add',
  'mcp-protocol-version': '2026-07-28',
  'mcp-session-id': 'a session',
  'origin': 'https://switchboard.test',
  'oxp-api-key': 'sb_0123456789',
  'oxp-version': '1.0',
  'range': 'bytes=0-9',
  'sec-fetch-site': 'same-origin',
  'traceparent': '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'x-user-id': 'ann',
})

interface Route {
  readonly method: string
  /** With its query. `AUTHORIZATION` and `ARTIFACT` are placeholders for values from the server. */
  readonly path: string
  readonly type?: string
  /** Sent with every request to it. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: fc.Arbitrary<string | Uint8Array>
}

/** Generates nearly valid JSON values, and texts that are nearly JSON. */
function json(...examples: Parameters<typeof values>[0]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: values(examples).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: texts(examples.map((each) => JSON.stringify(each))) },
  )
}

const FORM = 'application/x-www-form-urlencoded'
/** Headers that a browser sends with forms of our pages. */
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' }
const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/health' },
  {
    method: 'GET',
    path: '/tools?limit=5&versions=all&toolkit=Gmail&q=mail&tag=a&cursor=Z21haWw&format=openai&losses=1',
  },
  { method: 'GET', path: '/oxp/tools?limit=5' },
  { method: 'GET', path: '/tools/Calculator.Add%401.0.0?format=gemini&losses=1' },
  { method: 'POST', path: '/tools/call', body: json(OXP_CALL, { request: ADD }, { ...ADD, context: { select: 'a' } }) },
  { method: 'POST', path: '/oxp/tools/call', body: json(OXP_CALL) },
  {
    method: 'POST',
    path: '/tools?allow=breaking&dialect=oxp',
    body: json(DEFINITION, { definition: DEFINITION, tags: [] }, [DEFINITION]),
  },
  {
    method: 'PATCH',
    path: '/tools/Fuzz.Tool',
    body: json({ status: 'deprecated', successor: 'Fuzz.Other' }, { trusted: true }),
  },
  { method: 'POST', path: '/convert?from=oxp&to=openai&toolkit=Kit&version=1.0.0', body: json(DEFINITION) },
  { method: 'GET', path: '/worker/tools' },
  { method: 'POST', path: '/worker/tools/invoke', body: json(RFC_CALL) },
  { method: 'POST', path: '/machine-context/tools', body: json(MESSAGE) },
  { method: 'POST', path: '/machine-context/execute', body: json(MESSAGE) },
  { method: 'POST', path: '/plugin/describe?toolkits=Calculator', body: json({}) },
  { method: 'POST', path: '/plugin/call', body: json(PLUGIN_CALL) },
  { method: 'POST', path: '/mcp?toolkits=Calculator&tools=Kit.Tool&mode=search', body: json(...MCP_MESSAGES) },
  {
    method: 'POST',
    path: '/mcp',
    body: json(...MCP_MESSAGES, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: MCP_PARAMS }),
  },
  { method: 'GET', path: '/mcp' },
  {
    method: 'POST',
    path: '/toolkits/import?dry_run=1',
    body: json(IMPORT, { from: { openapi: SWAGGER }, toolkit: 'Old' }),
  },
  {
    method: 'POST',
    path: '/toolkits/import',
    body: json(
      { from: { openapi: SWAGGER }, toolkit: 'Old' },
      { from: { mcp: 'https://mcp.example.com' }, toolkit: 'Theirs' },
    ),
  },
  { method: 'PUT', path: '/toolkits/Fuzz', body: json({ owner: 'admin' }, { owner: null }) },
  { method: 'GET', path: '/toolkits/Fuzz' },
  {
    method: 'PUT',
    path: '/toolkits/FuzzPlugin/plugin?version=1.0.0&allowed_hosts=a.example&config=a:KEY',
    type: 'application/wasm',
    body: bytes([describing('{"tools":[{"name":"a","description":"","inputSchema":{"type":"object"}}]}')]),
  },
  { method: 'POST', path: '/keys', body: json(KEY) },
  { method: 'GET', path: '/keys/k1' },
  { method: 'DELETE', path: '/keys/k1' },
  { method: 'PUT', path: '/providers/acme', body: json(PROVIDER) },
  { method: 'GET', path: '/providers/acme' },
  { method: 'GET', path: '/users/ann/grants/acme' },
  { method: 'DELETE', path: '/users/ann/grants?toolkit=Fuzz' },
  { method: 'GET', path: '/authorizations/AUTHORIZATION?wait=0' },
  { method: 'GET', path: '/authorizations/AUTHORIZATION/start' },
  {
    method: 'POST',
    path: '/authorizations/AUTHORIZATION/start',
    type: FORM,
    body: texts(['decision=approve&account=work']),
  },
  { method: 'GET', path: '/authorizations/AUTHORIZATION/resume?proof=p' },
  { method: 'POST', path: '/authorizations/AUTHORIZATION/confirm', body: json({ flow: 'sealed', user_id: 'ann' }) },
  {
    method: 'GET',
    path: '/oauth/callback?state=AUTHORIZATION&code=c&iss=https%3A%2F%2Fid.example',
  },
  { method: 'GET', path: '/artifacts/ARTIFACT' },
  { method: 'GET', path: '/sign-in?return=%2Ftools%3Fq%3D1&again=1' },
  { method: 'GET', path: '/sign-in/callback?state=s1&code=c1&iss=https%3A%2F%2Fid.example' },
  {
    method: 'POST',
    path: '/sign-in/key',
    type: FORM,
    headers: OWN_PAGE,
    body: texts([`key=sb_${'0'.repeat(43)}&return=%2Ftools`, 'key=&return=%2F%2Fevil.example']),
  },
  { method: 'POST', path: '/sign-out', type: FORM, headers: OWN_PAGE, body: texts(['return=%2Fsign-in']) },
  { method: 'GET', path: '/sessions?owner=ann' },
  { method: 'DELETE', path: '/sessions/s1', headers: OWN_PAGE },
]

/** Generates a valid request with an additional header, and some parts changed. */
function requestsTo({ method, path, type = 'application/json', headers, body }: Route): fc.Arbitrary<RawRequest> {
  const changed = <T>(right: T, other: fc.Arbitrary<T>, weight = 5) =>
    fc.oneof({ weight: 15, arbitrary: fc.constant(right) }, { weight, arbitrary: other })
  const header = fc
    .constantFrom(...HEADERS)
    .chain(([name, value]) => changed(value, texts([value])).map((text) => [name, text] as const))
  return fc
    .record({
      method: changed(method, fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'), 1),
      path: changed(path, texts([path]), body ? 5 : 60),
      more: fc.array(header, { maxLength: 2 }),
      body: body ?? fc.constant(undefined),
      chunked: fc.boolean(),
    })
    .map(({ more, body: sent, ...rest }) => ({
      ...rest,
      headers: { ...headers, ...(sent === undefined ? {} : { 'content-type': type }), ...Object.fromEntries(more) },
      ...(sent === undefined ? {} : { body: sent }),
    }))
}

let server: Server
let given: { readonly authorization: string; readonly artifact: string }
beforeAll(async () => {
  // No requests are sent to invented hosts
  server = await startServer({ outbound: () => Promise.reject(new Error('Nobody is there')) })
  await server.json('POST', '/tools', definition('Fuzz.Tool@1.0.0'))
  const call = (tool_id: string, more: object) => server.json('POST', '/tools/call', { tool_id, input: {}, ...more })
  const { client_id, authorization_endpoint, token_endpoint } = PROVIDER
  await server.json('PUT', '/providers/google', { client_id, authorization_endpoint, token_endpoint })
  const challenge = await call('Gmail.GetEmails', { context: { user_id: 'ann' } })
  const { check_url } = challenge.body.missing_requirements.authorization[0]
  const { pathname } = new URL(check_url)
  await server.json('POST', '/tools', {
    definition: definition('Fuzz.Large@1.0.0'),
    implementation: { kind: 'code', module: "export default () => 'x'.repeat(300_000)" },
  })
  const made = await call('Fuzz.Large', { context: { inline_bytes: 1_000 } })
  const link = /\/artifacts\/([^"\\]+)/.exec(JSON.stringify(made.body))?.[1]
  given = { authorization: pathname.split('/').at(-1) ?? '', artifact: link ?? '' }
  expect(given).toEqual({ authorization: expect.stringMatching(/.{20}/), artifact: expect.stringMatching(/.{20}/) })
})
afterAll(() => server?.stop())

function placed(path: string): string {
  return path.replace('AUTHORIZATION', given.authorization).replace('ARTIFACT', given.artifact)
}

/** Returns the response, or undefined if no client can send the request. */
async function answerTo(request: RawRequest): Promise<RawAnswer | undefined> {
  const timer = Promise.withResolvers<never>()
  const patience = setTimeout(() => timer.reject(new Error('There is no answer')), HANGS_MS)
  try {
    return await Promise.race([raw(server.url, request), timer.promise])
  } catch (error) {
    if (/^ERR_(?:INVALID|UNESCAPED|HTTP_INVALID)/.test(Object(error).code)) return undefined
    throw error
  } finally {
    clearTimeout(patience)
  }
}

it.each(ROUTES.map((route) => [route.method, route.path.replace(/[?].*/, ''), route] as const))(
  `each route, sent ${REQUESTS} almost valid requests, %s %s, answers each one and says what is wrong`,
  { timeout: 86_400_000 },
  async (_, __, route) => {
    let sent = 0
    const property = fc.asyncProperty(requestsTo({ ...route, path: placed(route.path) }), async (request) => {
      const answer = await answerTo(request)
      if (!answer) return
      sent += 1
      // The server returns 501 for methods that HTTP does not define
      if (answer.status !== 501) expect(answer.status, answer.text.slice(0, 500)).toBeLessThan(500)
      expect(answer.text).not.toMatch(/\n\s+at |\.[jt]s:\d|is not a function|reading '/)
      if (/\bjson\b/.test(String(answer.headers['content-type'])) && answer.text !== '') JSON.parse(answer.text)
    })
    await fc.assert(property, { numRuns: REQUESTS, seed: 12 })
    expect(sent).toBeGreaterThan(REQUESTS / 2)

    // The next caller is not affected
    expect(await answerTo({ path: '/health' })).toMatchObject({ status: 200 })
    const call = await answerTo({
      method: 'POST',
      path: '/tools/call',
      headers: JSON_TYPE,
      body: JSON.stringify(ADD),
    })
    expect(JSON.parse(call?.text ?? '')).toMatchObject({ result: { value: 15 } })
    expect(server.printed()).not.toMatch(/"event":"(?:unexpected|defect)"/)
  },
)

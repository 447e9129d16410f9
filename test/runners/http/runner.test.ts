import { describe, expect, test } from 'vitest'
import { MAY_HAVE_RUN } from '../../../src/core/failure/failure-text.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import type { Implementation } from '../../../src/core/tool/tool.ts'
import type { GuardedFailureKind, GuardedRequest, GuardedResult } from '../../../src/outbound/guarded-fetch.ts'
import { createHttpRunner } from '../../../src/runners/http/runner.ts'
import { contextWith, definitionWith, type Given, invocationWith, recordOf } from './records.ts'

type Answer =
  number | { status: number; retryAfter?: string; body?: string } | Exclude<GuardedFailureKind, 'too-many-redirects'>

/** Creates a runner whose server returns these responses in turn, and whose clock moves when it sleeps. */
function scripted(answers: readonly Answer[], hooks: { onSleep?: () => void; random?: number } = {}) {
  const sent: GuardedRequest[] = []
  const slept: number[] = []
  let time = 1_000_000
  const runner = createHttpRunner({
    guardedFetch: (request) => {
      sent.push(request)
      return Promise.resolve(request.signal.aborted ? resultOf('aborted') : resultOf(answers[sent.length - 1] ?? 200))
    },
    now: () => time,
    random: () => hooks.random ?? 0,
    sleep: (ms) => {
      slept.push(ms)
      time += ms
      hooks.onSleep?.()
      return hooks.onSleep ? new Promise(() => {}) : Promise.resolve()
    },
  })
  return { runner, sent, slept }
}

function resultOf(answer: Answer): GuardedResult {
  if (typeof answer === 'string') {
    const wait = answer === 'busy' || answer === 'failing' ? { retryAfterMs: 70 } : {}
    return { ok: false, kind: answer, message: `${answer} at "https://s3cret.example.com"`, ...wait }
  }
  const given = typeof answer === 'number' ? { status: answer } : answer
  const { status, retryAfter, body: text = `{"status":${status}}` } = { retryAfter: undefined, ...given }
  const headers = new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter })
  const body = new TextEncoder().encode(text)
  return { ok: true, response: { status, statusText: '', headers, url: 'https://example.com/', body } }
}

async function call(
  { runner }: ReturnType<typeof scripted>,
  fields: object = {},
  given: Given & { annotations?: JsonObject } = {},
) {
  const implementation: Implementation = { kind: 'http', method: 'GET', url: 'https://example.com/', ...fields }
  const needs = { secrets: ['HOST'], ...(given.annotations ? { annotations: given.annotations } : {}) }
  const prepared = runner.prepare(recordOf(definitionWith(['a'], needs), implementation))
  if (!prepared.ok) throw new Error(prepared.reason)
  return prepared.run(invocationWith({ a: 1 }, given), contextWith(given))
}

test.each<[Answer]>([[503], [429], ['unreachable']])(
  'retries: %j is retried at most twice, with increasing delays',
  async (answer) => {
    const script = scripted([answer, answer, answer, answer])
    expect(await call(script)).toMatchObject({ ok: false, failure: { can_retry: true } })
    expect(script.sent).toHaveLength(3)
    expect(script.slept).toEqual([125, 250])
  },
)

test('retries: are spread over time', async () => {
  const script = scripted([503, { status: 503, retryAfter: '2' }], { random: 1 })
  await call(script)
  expect(script.slept).toEqual([250, 2200])
  const patient = scripted([{ status: 503, retryAfter: '20' }], { random: 1 })
  await call(patient)
  expect(patient.slept).toEqual([21_000])
})

test.each<[Answer, string, boolean]>([
  ['unreachable', 'POST', false],
  [500, 'POST', false],
  [502, 'POST', false],
  [504, 'PATCH', false],
  [503, 'POST', true],
  [429, 'POST', true],
  [408, 'POST', true],
  ['busy', 'POST', true],
  ['failing', 'POST', true],
  ['unreachable', 'PUT', true],
  [500, 'DELETE', true],
])('retries: after %j to a %s, can_retry is %j', async (answer, method, canRetry) => {
  const script = scripted([answer, answer, answer])
  const result = await call(script, { method })
  expect(result).toMatchObject({ ok: false, failure: { can_retry: canRetry } })
  // A call that did not run, or may be repeated, needs no warning
  expect(JSON.stringify(result).includes(MAY_HAVE_RUN)).toBe(!canRetry)
  if (!canRetry) expect(result).not.toHaveProperty('failure.retry_after_ms')
})

test.each<Answer>(['broken', 'too-large'])(
  'retries: a response that is %s may mean that the call had an effect',
  async (answer) => {
    const failure = { can_retry: false, additional_prompt_content: MAY_HAVE_RUN }
    expect(await call(scripted([answer]), { method: 'POST' })).toMatchObject({ failure })
  },
)

test('retries: a server that says whether to retry takes precedence', async () => {
  const response = { error: { can_retry: '/again' } }
  const body = '{"again":true}'
  expect(await call(scripted([{ status: 500, body }]), { method: 'POST', response })).toMatchObject({
    failure: { can_retry: true },
  })
})

test('retries: a request that was not sent is not repeated soon', async () => {
  for (const answer of ['busy', 'failing'] as const) {
    const script = scripted([answer])
    expect(await call(script)).toMatchObject({ failure: { can_retry: true, retry_after_ms: 70 } })
    expect(script.sent).toHaveLength(1)
  }
})

test('retries: the first good response counts', async () => {
  const script = scripted(['unreachable', 200])
  expect(await call(script)).toEqual({ ok: true, value: { status: 200 } })
  expect(script.sent).toHaveLength(2)
})

test.each<[Answer]>([[500], [502], [408], [404], ['refused'], ['too-large'], ['aborted']])(
  'retries: %j is not retried',
  async (answer) => {
    const script = scripted([answer])
    expect(await call(script)).toMatchObject({ ok: false })
    expect(script.sent).toHaveLength(1)
  },
)

test.each([
  ['GET', {}, 3],
  ['HEAD', {}, 3],
  ['OPTIONS', {}, 3],
  ['PUT', {}, 3],
  ['DELETE', {}, 3],
  ['POST', {}, 1],
  ['PATCH', {}, 1],
  ['POST', { idempotentHint: true }, 3],
  ['POST', { readOnlyHint: true }, 3],
  ['POST', { idempotentHint: 'yes', readOnlyHint: false }, 1],
])('retries: %s with %j is sent %i times', async (method, annotations, times) => {
  const script = scripted([503, 503, 503])
  await call(script, { method }, { annotations })
  expect(script.sent).toHaveLength(times)
})

test.each([0, 1, 2])('retries: the implementation can limit them to %i', async (attempts) => {
  const script = scripted([503, 503, 503])
  await call(script, { retry: { attempts } })
  expect(script.slept).toHaveLength(attempts)
})

test('retries: an expected status is a response', async () => {
  const script = scripted([503])
  expect(await call(script, { response: { statuses: ['2xx', 503] } })).toEqual({ ok: true, value: { status: 503 } })
})

test('retries: Retry-After is respected', async () => {
  const script = scripted([
    { status: 503, retryAfter: '2' },
    { status: 429, retryAfter: 'Thu, 01 Jan 1970 00:16:45 GMT' },
  ])
  expect(await call(script)).toMatchObject({ ok: true })
  // The clock starts at 1,000 s and has moved by 2 s: 16:45 is 1,005 s.
  expect(script.slept).toEqual([2000, 3000])
})

test('retries: a wait beyond the deadline is reported, not begun', async () => {
  const script = scripted([{ status: 503, retryAfter: '30' }])
  expect(await call(script)).toMatchObject({ ok: false, failure: { retry_after_ms: 30_000, can_retry: true } })
  expect(script.slept).toEqual([])
  const patient = scripted([{ status: 503, retryAfter: '30' }])
  expect(await call(patient, { timeout_ms: 60_000 })).toMatchObject({ ok: true })
})

test('retries: the signal ends the wait', async () => {
  const controller = new AbortController()
  const script = scripted([503, 200], { onSleep: () => controller.abort() })
  const result = await call(script, {}, { signal: controller.signal })
  expect(result).toMatchObject({ ok: false, failure: { can_retry: false } })
})

test('a refusal is reported without the secret that is the host', async () => {
  const fields = { url: 'https://{h}.example.com/', credentials: [{ secret: 'HOST', in: 'path', name: 'h' }] }
  expect(await call(scripted(['refused']), fields, { secrets: { HOST: 's3cret' } })).toEqual({
    ok: false,
    failure: {
      message: 'refused at "https://[redacted].example.com"',
      developer_message: 'GET https://{h}.example.com/ was blocked by Switchboard',
      can_retry: false,
    },
  })
})

test('credential headers and trace context are passed on', async () => {
  const script = scripted([200])
  const fields = { credentials: [{ secret: 'HOST', in: 'header', name: 'X-Key' }] }
  await call(script, fields, { secrets: { HOST: 'k' }, traceparent: '00-abc-def-01' })
  expect(script.sent[0]?.credentialHeaders).toEqual(['x-key'])
  expect(script.sent[0]?.headers.get('traceparent')).toBe('00-abc-def-01')
})

test('a request that cannot be built is not sent', async () => {
  const script = scripted([])
  expect(await call(script, { credentials: [{ secret: 'HOST', in: 'header', name: 'X-Key' }] })).toEqual({
    ok: false,
    failure: { message: 'Cannot build the request: the secret "HOST" is missing' },
  })
  expect(script.sent).toEqual([])
})

test('an implementation is checked when it is published, and again when it is prepared', () => {
  const { runner } = scripted([])
  const implementation: Implementation = { kind: 'http', method: 'GET', url: 'nowhere' }
  const record = recordOf(definitionWith([]), implementation)
  const message = 'Must be an absolute http or https URL without a fragment'
  expect(runner.check(implementation, record)).toEqual([{ path: '/url', message }])
  expect(runner.prepare(record)).toEqual({ ok: false, reason: `The implementation is not valid: "/url": ${message}` })
})

test('the deadline is that of the implementation', () => {
  const { runner } = scripted([])
  const prepare = (fields: object) =>
    runner.prepare(
      recordOf(definitionWith([]), { kind: 'http', method: 'GET', url: 'https://example.com/', ...fields }),
    )
  expect(prepare({})).toMatchObject({ ok: true, timeoutMs: 30_000 })
  expect(prepare({ timeout_ms: 300_000 })).toMatchObject({ ok: true, timeoutMs: 300_000 })
  expect(prepare({ timeout_ms: 300_001 })).toMatchObject({ ok: false })
})

const TOKEN = {
  method: 'POST',
  credentials: [{ authorization: 'mail', in: 'header', name: 'Authorization', format: 'Bearer {value}' }],
  body: { type: 'json' },
}

/** Makes a call whose tokens are replaced by these in turn, and returns the refused ones. */
async function renewing(
  answers: readonly Answer[],
  renewed: readonly string[],
  fields: object = TOKEN,
  tokens: Given = { tokens: { mail: 'mail-1' } },
) {
  const script = scripted(answers)
  const refused: string[] = []
  const renew = async (provider: string, token: string) => {
    refused.push(`${provider} ${token}`)
    return renewed[refused.length - 1]
  }
  const prepared = script.runner.prepare(
    recordOf(definitionWith(['a'], { providers: ['mail'], secrets: ['KEY'] }), {
      kind: 'http',
      url: 'https://example.com/',
      ...fields,
    }),
  )
  if (!prepared.ok) throw new Error(prepared.reason)
  const result = await prepared.run(invocationWith({ a: 1 }, tokens), contextWith({ renew }))
  const sent = script.sent.map(({ headers, body }) => [headers.get('authorization'), body])
  return { result, refused, sent }
}

test('a refused token is renewed, and the request is sent once more with the new one', async () => {
  const { result, refused, sent } = await renewing([401, 200], ['mail-2'])
  expect(result).toEqual({ ok: true, value: { status: 200 } })
  expect(refused).toEqual(['mail mail-1'])
  expect(sent).toEqual([
    ['Bearer mail-1', '{"a":1}'],
    ['Bearer mail-2', '{"a":1}'],
  ])
})

test('a refused token that is refused again stays refused, and is reported', async () => {
  const { result, refused, sent } = await renewing([401, 401, 200], ['mail-2'])
  expect(result).toMatchObject({ ok: false, failure: { message: 'example.com answered 401 Unauthorized' } })
  expect(refused).toEqual(['mail mail-1', 'mail mail-2'])
  expect(sent).toHaveLength(2)
  expect(JSON.stringify(result)).not.toMatch(/mail-\d/)
})

test('a refused token stays refused if there is no other', async () => {
  const { result, sent } = await renewing([401, 200], [])
  expect(result).toMatchObject({ ok: false })
  expect(sent).toHaveLength(1)
})

test.each<[string, object, Given]>([
  ["the caller's own", TOKEN, { tokens: { mail: { value: 'own', from: 'caller' } } }],
  [
    'not sent',
    { method: 'GET', credentials: [{ secret: 'KEY', in: 'query', name: 'k' }] },
    { tokens: { mail: 'mail-1' }, secrets: { KEY: 's' } },
  ],
])('a refused token is not renewed if it is %s', async (_, fields, tokens) => {
  const { result, refused } = await renewing([401], ['mail-2'], fields, tokens)
  expect(result).toMatchObject({ ok: false })
  expect(refused).toEqual([])
})

test.each([
  ['the implementation expects a 401', { ...TOKEN, response: { type: 'json', statuses: ['2xx', 401] } }],
  ['a redirect led elsewhere', { ...TOKEN, url: 'https://other.example.com/' }],
])('a refused token is not renewed if %s', async (_, fields) => {
  expect((await renewing([401], ['mail-2'], fields)).refused).toEqual([])
})

describe('a URL with the tool name', () => {
  const sent = async (url: string, inputs: readonly string[], sourceName?: string) => {
    const script = scripted([200])
    const record = {
      ...recordOf(definitionWith(inputs), { kind: 'http', method: 'GET', url }),
      ...(sourceName === undefined ? {} : { sourceName }),
    }
    const prepared = script.runner.prepare(record)
    if (!prepared.ok) throw new Error(prepared.reason)
    await prepared.run(invocationWith({ tool: 'given' }), contextWith())
    return [record.tool, script.sent[0]?.url]
  }

  test('a URL with the tool name has that of the called tool, unless an input has that name', async () => {
    const [tool, url] = await sent('https://example.com/{tool}/x', ['a'])
    expect(url).toContain(`https://example.com/${tool}/x`)
    expect((await sent('https://example.com/{tool}/x', ['tool']))[1]).toBe('https://example.com/given/x')
  })

  test('a URL with the tool name can also have the name in the document', async () => {
    const of = async (called?: string) => (await sent('https://example.com/a/{called}/x', ['a'], called))[1]
    expect(await of('get forecast/$&{tool}')).toContain('https://example.com/a/get%20forecast%2F%24%26%7Btool%7D/x')
    const [tool] = await sent('https://example.com/', ['a'])
    for (const called of [undefined, '.', '..']) expect(await of(called)).toContain(`https://example.com/a/${tool}/x`)
  })
})

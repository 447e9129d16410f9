import { createBudget } from '../../../src/core/tool/budget.ts'
import { describe, expect, test } from 'vitest'
import type { GuardedResponse } from '../../../src/outbound/guarded-fetch.ts'
import { formatStatus } from '../../../src/outbound/status.ts'
import { createLazyRedact } from '../../../src/outbound/redaction.ts'
import { resolveResponseRule, readResponse, type ResponseRule } from '../../../src/runners/http/response.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const REQUEST = {
  method: 'GET',
  budget: createBudget(Infinity),
  displayTarget: { host: 'api.example.com', url: 'https://api.example.com/v1/{key}/x' },
  redact: createLazyRedact(() => ['s3cret', 's3cret+long', '']),
}

function read(
  body: string | Uint8Array<ArrayBuffer>,
  more: {
    status?: number
    headers?: Record<string, string>
    mapping?: Partial<ResponseRule>
    carriesCredential?: boolean
  } = {},
) {
  const response: GuardedResponse = {
    status: more.status ?? 200,
    statusText: '',
    headers: new Headers(more.headers),
    url: 'https://api.example.com/v1/s3cret/x?key=s3cret',
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  }
  return readResponse(
    response,
    { pointer: '', statuses: ['2xx'], type: 'json', ...more.mapping },
    { ...REQUEST, carriesCredential: more.carriesCredential ?? false },
    NOW,
  )
}

function failureOf(result: ReturnType<typeof read>) {
  if (result.ok || !result.failure) throw new Error(`wanted a failure, got ${JSON.stringify(result)}`)
  return result.failure
}

describe('the failure in a response', () => {
  const error = {
    message: '/error/text',
    developer_message: '/error/detail',
    can_retry: '/error/again',
    additional_prompt_content: '/hint',
    retry_after_ms: '/error/wait',
  }
  const answer = (body: unknown, status = 409, headers = {}) =>
    failureOf(read(typeof body === 'string' ? body : JSON.stringify(body), { status, headers, mapping: { error } }))

  test('the failure in a response is read where the implementation says, and contains no credential', () => {
    const said = { text: 'No room for s3cret', detail: 'd s3cret', again: true, wait: 1_500 }
    expect(answer({ error: said, hint: 'rooms: 7' })).toEqual({
      message: 'No room for [redacted]',
      developer_message: 'd [redacted]',
      can_retry: true,
      additional_prompt_content: 'rooms: 7',
      retry_after_ms: 1_500,
    })
  })

  test('the failure in a response takes precedence over the status, only for the fields it has', () => {
    expect(answer({ error: { again: false } }, 503, { 'retry-after': '2' })).toMatchObject({
      message: 'api.example.com answered 503 Service Unavailable',
      can_retry: false,
      retry_after_ms: 2_000,
    })
  })

  test.each([{}, { error: null }, { error: { text: '', wait: 'x' } }, 'no JSON'])(
    'the failure in a response may be empty: %j',
    (body) => {
      const failure = answer(body)
      expect(failure).toMatchObject({ message: 'api.example.com answered 409 Conflict', can_retry: false })
      expect(Object.keys(failure)).toEqual(['message', 'developer_message', 'can_retry'])
    },
  )
})

test.each<[string, unknown]>([
  ['{"a":[1,null]}', { a: [1, null] }],
  ['null', null],
  ['0', 0],
  ['\ufeff{"a":1}', { a: 1 }],
  ['', null],
  [' \r\n', null],
])('values: JSON %j', (body, value) => {
  expect(read(body)).toEqual({ ok: true, value })
})

test.each<[string | undefined, string, unknown]>([
  ['application/json; charset=utf-8', '{"a":1}', { a: 1 }],
  ['application/problem+json', '[1]', [1]],
  ['text/csv', 'a,b', 'a,b'],
  ['image/svg+xml', '<svg/>', '<svg/>'],
  [undefined, 'as it is', 'as it is'],
  ['image/png', '', null],
])('values: "auto" depends on the content type %s', (type, body, value) => {
  const headers = type === undefined ? {} : { 'content-type': type }
  expect(read(body, { headers, mapping: { type: 'auto' } })).toEqual({ ok: true, value })
})

test.each([
  ['image/png', { type: 'image', data: btoa('xyz'), mimeType: 'image/png' }],
  ['audio/mpeg; rate=8', { type: 'audio', data: btoa('xyz'), mimeType: 'audio/mpeg' }],
  ['application/pdf', { type: 'resource', resource: { mimeType: 'application/pdf', blob: btoa('xyz') } }],
])('values: bytes of the type %s are content, and a value for tools that expect bytes', (type, block) => {
  const headers = { 'content-type': type }
  const value = { content_type: type, data: btoa('xyz') }
  expect(read('xyz', { headers, mapping: { type: 'auto' } })).toEqual({ ok: true, value, content: [block] })
  expect(read('xyz', { headers, mapping: { type: 'declared' } })).toEqual({ ok: true, value: null, content: [block] })
})

test.each<[string | undefined, string, unknown]>([
  ['application/json', '{"a":1}', { a: 1 }],
  ['text/plain', '{"a":1}', '{"a":1}'],
  [undefined, '{"a":1}', { a: 1 }],
  [undefined, 'as it is', 'as it is'],
])('values: "declared" depends on the content type %s, of %s', (type, body, value) => {
  const headers = type === undefined ? {} : { 'content-type': type }
  expect(read(body, { headers, mapping: { type: 'declared' } })).toEqual({ ok: true, value })
})

test.each<[unknown, string]>([
  [{}, 'declared'],
  [true, 'declared'],
  [{ description: 'Anything' }, 'declared'],
  [{ type: 'string' }, 'declared'],
  [{ type: ['null', 'string'] }, 'declared'],
  [{ type: 'object' }, 'json'],
  [{ anyOf: [{ type: 'string' }] }, 'json'],
  [null, 'json'],
  [false, 'json'],
])('values: a mapping without a type, for a tool with the output %j, is read as %s', (output, type) => {
  const mapping = { pointer: '', statuses: ['2xx'] }
  expect(resolveResponseRule(mapping, { output: output as never }).type).toBe(type)
  expect(resolveResponseRule({ ...mapping, pointer: '/a' }, { output: output as never }).type).toBe('json')
  expect(resolveResponseRule({ ...mapping, type: 'binary' }, { output: output as never }).type).toBe('binary')
  const giving = { output: output as never, metadata: { available_modes: ['value', 'artifact'] } }
  expect(resolveResponseRule(mapping, giving).type).toBe('declared')
  expect(resolveResponseRule({ ...mapping, pointer: '/a' }, giving).type).toBe('json')
})

const document = '{"data":{"a/b":[{"~":7}],"null":null},"toString2":1}'
test.each<[string, unknown]>([
  ['/data/a~1b/0/~0', 7],
  ['/data/null', null],
  ['/toString2', 1],
])('values: the part at "%s"', (pointer, value) => {
  expect(read(document, { mapping: { pointer } })).toEqual({ ok: true, value })
})

test.each(['/nothing', '/data/a~1b/1', '/data/a~1b/00', '/data/a~1b/length', '/toString', '/data/null/x'])(
  'values: nothing at "%s" is a failure',
  (pointer) => {
    const { message } = failureOf(read(document, { mapping: { pointer } }))
    expect(message).toBe(`api.example.com answered JSON that has nothing at "${pointer}"`)
  },
)

test('values: invalid JSON is a failure', () => {
  expect(failureOf(read('<html>'))).toEqual({
    message: 'api.example.com answered what is not JSON',
    developer_message: 'GET https://api.example.com/v1/{key}/x answered 200: <html>',
    can_retry: false,
  })
})

test('values: text in its charset', () => {
  const mapping = { type: 'text' } as const
  expect(read('grün', { mapping })).toEqual({ ok: true, value: 'grün' })
  const latin1 = new Uint8Array([0x67, 0x72, 0xfc, 0x6e])
  const headers = { 'content-type': 'text/plain; charset=ISO-8859-1' }
  expect(read(latin1, { mapping, headers })).toEqual({ ok: true, value: 'grün' })
  expect(read('grün', { mapping, headers: { 'content-type': 'text/plain; charset=nonsense' } })).toEqual({
    ok: true,
    value: 'grün',
  })
})

test('values: text that does not match its charset is a failure', () => {
  const latin1 = new Uint8Array([0x22, 0x66, 0xfc, 0x6e, 0x22])
  const answer = (type: ResponseRule['type'], contentType?: string, status = 200) =>
    read(latin1, {
      mapping: { type },
      status,
      ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
    })
  const message = 'api.example.com answered what is not UTF-8'
  for (const type of ['json', 'text'] as const)
    expect(failureOf(answer(type))).toMatchObject({ message, can_retry: false })
  for (const type of ['auto', 'declared'] as const) {
    for (const contentType of ['text/plain', 'application/json', 'text/html; charset=nonsense']) {
      expect(failureOf(answer(type, contentType))).toMatchObject({ message })
    }
    // Bytes, unless the type says that it is text
    expect(answer(type)).toMatchObject({ ok: true })
    expect(answer(type, 'application/pdf')).toMatchObject({ ok: true })
  }
  expect(failureOf(answer('text', 'text/plain; charset=shift_jis')).message).toMatch(/is not SHIFT_JIS$/)
  // A failure's text is shown as far as it can be decoded
  expect(failureOf(answer('text', 'text/plain', 500)).developer_message).toContain('"f\ufffdn"')
})

test('values: binary as base64, even if it is large', () => {
  const bytes = Uint8Array.from({ length: 100_001 }, (_, index) => index % 251)
  expect(read(bytes, { mapping: { type: 'binary' }, headers: { 'content-type': 'image/png' } })).toEqual({
    ok: true,
    value: { content_type: 'image/png', data: Buffer.from(bytes).toString('base64') },
    content: [{ type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType: 'image/png' }],
  })
  expect(read('', { mapping: { type: 'binary' } })).toEqual({
    ok: true,
    value: { content_type: 'application/octet-stream', data: '' },
    content: [{ type: 'resource', resource: { mimeType: 'application/octet-stream', blob: '' } }],
  })
})

test('values: none, whatever the response is', () => {
  expect(read('<html>', { mapping: { type: 'none' } })).toEqual({ ok: true, value: null })
})

test.each([
  [[200], 200, true],
  [[200], 201, false],
  [['2xx'], 299, true],
  [['2xx'], 302, false],
  [['2xx', 404], 404, true],
  [['4xx'], 200, false],
])('statuses: %j expects %i: %s', (statuses, status, ok) => {
  expect(read('{}', { status, mapping: { statuses } }).ok).toBe(ok)
})

test.each([
  [404, 'api.example.com answered 404 Not Found', false],
  [400, 'api.example.com answered 400 Bad Request', false],
  [408, 'api.example.com answered 408 Request Timeout', true],
  [425, 'api.example.com answered 425 Too Early', true],
  [429, 'api.example.com answered 429 Too Many Requests', true],
  [500, 'api.example.com answered 500 Internal Server Error', true],
  [503, 'api.example.com answered 503 Service Unavailable', true],
  [599, 'api.example.com answered 599', true],
  [302, 'api.example.com answered 302', false],
])('statuses: %i is reported as "%s"', (status, message, canRetry) => {
  expect(failureOf(read('', { status }))).toEqual({
    message,
    developer_message: `GET https://api.example.com/v1/{key}/x answered ${status}`,
    can_retry: canRetry,
  })
})

test('statuses: the excerpt of the body is short and contains no secret, not even half of one', () => {
  const body = `${'x'.repeat(996)}s3cret+long and s3cret`
  const { developer_message: text = '' } = failureOf(read(body, { status: 400 }))
  expect(text).not.toMatch(/s3/)
  expect(text.endsWith(`${'x'.repeat(996)}[red…`)).toBe(true)
  expect(failureOf(read('key s3cret+long bad', { status: 400 })).developer_message).toMatch(
    /400: key \[redacted\] bad$/,
  )
})

test.each([
  [401, 'text', '{"error":"the key k\\u002By is wrong"}', {}],
  [500, 'json', '<title>no</title>', {}],
  [200, 'json', '<html>', {}],
  [200, 'text', '\ufffd', { 'content-type': 'text/plain; charset=ascii' }],
  [404, 'auto', 'nothing here', { 'content-type': 'text/plain' }],
] as const)(
  'statuses: with a credential sent, only the named fields of the body are quoted: %i as %s',
  (status, type, body, headers) => {
    const error = { message: '/error' }
    const failed = read(body, {
      status,
      headers,
      mapping: { type, statuses: ['204'], error },
      carriesCredential: true,
    })
    const { message, developer_message } = failureOf(failed)
    expect(message).toBe(status === 401 ? 'the key k+y is wrong' : `api.example.com answered ${formatStatus(status)}`)
    expect(developer_message).toMatch(
      new RegExp(`^GET https://api.example.com/v1/\\{key\\}/x answered ${status}: its answer is not shown`),
    )
    expect(developer_message).not.toContain(body)
  },
)

test.each([
  ['7', 7000],
  ['0', 0],
  ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
  ['Saturday, 21-Nov-26 12:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['', undefined],
])('statuses: Retry-After "%s" is %s ms', (value, expected) => {
  const { retry_after_ms: wait } = failureOf(read('', { status: 429, headers: { 'retry-after': value } }))
  expect(wait).toBe(expected)
})

test('statuses: Retry-After is ignored if a retry cannot help', () => {
  expect(failureOf(read('', { status: 404, headers: { 'retry-after': '7' } }))).not.toHaveProperty('retry_after_ms')
})

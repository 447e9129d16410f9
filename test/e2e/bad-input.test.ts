import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { REFUSED_BODIES } from '../extent.ts'
import { definition } from './definition.ts'
import { raw, type RawAnswer, type RawRequest, sendAndHangUp } from './raw.ts'
import { type Server, startServer } from './server.ts'

const MIB = 1024 * 1024
const ADD = { tool_id: 'Calculator.Add', call_id: 'c', input: { a: 10, b: 5 } }
const JSON_TYPE = { 'content-type': 'application/json' }
/** Each route that takes a body, the most bytes of it, and a body that is in order. */
const ROUTES = [
  ['POST', '/tools/call', 4 * MIB, ADD],
  ['POST', '/oxp/tools/call', 4 * MIB, ADD],
  ['POST', '/tools', 16 * MIB, definition('Fine.Tool@1.0.0')],
  ['PATCH', '/tools/Doorbell.Ring', 64 * 1024, { status: 'active' }],
  ['POST', '/keys', 64 * 1024, { name: 'fine', scopes: ['tools:read'] }],
] as const

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.stop())

/** Whatever came before, the next caller notices nothing of it. */
afterEach(async () => {
  await expectAlive()
})

async function expectAlive() {
  const { status, body } = await server.json('POST', '/tools/call', ADD)
  expect({ status, body }).toEqual({
    status: 200,
    body: { $schema: 'urn:oxp:1.0', result: { call_id: 'c', success: true, duration: expect.any(Number), value: 15 } },
  })
}

const send = (request: RawRequest) => raw(server.url, request)
const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE, method = 'POST') =>
  send({ method, path, headers, body })
const call = (body: string | Uint8Array) => post('/tools/call', body)

/** What a refusal of this face looks like; gives its body. */
function refused(answer: RawAnswer, status: number) {
  expect(answer.status, answer.text.slice(0, 300)).toBe(status)
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.text.length).toBeLessThan(20_000)
  expect(answer.text).not.toMatch(/\n\s+at |\.[jt]s:\d/)
  const body = JSON.parse(answer.text)
  expect(body.message).toEqual(expect.stringMatching(/./))
  expect(
    Object.keys(body).filter(
      (key) => !['$schema', 'message', 'developer_message', 'errors', 'parameter_errors', 'suggestions'].includes(key),
    ),
  ).toEqual([])
  return body
}

describe('a compressed body', () => {
  const paths = [
    '/tools/call',
    '/oxp/tools/call',
    '/tools',
    '/mcp',
    '/worker/tools/invoke',
    '/machine-context/execute',
    '/plugin/call',
  ]
  it.each(paths)('a compressed body is refused at %s, and the response says what to do', async (path) => {
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ] as const) {
      const body = compress(JSON.stringify(ADD))
      const answer = await post(path, body, { ...JSON_TYPE, 'content-encoding': encoding })
      expect([answer.status, answer.headers['accept-encoding'], answer.text]).toEqual([
        415,
        'identity',
        expect.stringContaining('application/json without Content-Encoding'),
      ])
    }
  })

  it('a compressed body of a form is refused too, and a body of an unsupported media type gets only that error', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await post('/connect/token', gzipSync('grant_type=x'), { ...form, 'content-encoding': 'gzip' })
    expect(answer.status).toBe(400)
    const other = await post('/tools/call', 'x', { 'content-type': 'text/plain' })
    expect([other.status, other.headers['accept-encoding']]).toEqual([415, undefined])
    const plain = await post('/tools/call', JSON.stringify(ADD), { ...JSON_TYPE, 'content-encoding': 'identity' })
    expect(plain.status).toBe(200)
  })
})

describe.each(ROUTES)('%s %s', (method, path, limit, good) => {
  const put = (body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE) =>
    post(path, body, headers, method)

  it.each([
    ['', 'it is empty'],
    ['   \n', 'it is empty'],
    ['{"tool_id": "a",}', 'name in double quotes expected at line 1, column 17'],
    ['{"tool_id" "a"}', "':' expected at line 1, column 12"],
    ['{\n  "tool_id": nope\n}', 'at line 2, column 14 (offset 15)'],
    ["{'tool_id': 1}", 'at line 1, column 2'],
    ['{"a": 1} {"b": 2}', 'end expected at line 1, column 10'],
    ['{"a": "unterminated', 'string without an end at line 1, column 7'],
    ['{"a": "tab\tinside"}', 'control character in a string'],
    ['{"a": "\\x"}', 'unknown escape at line 1'],
    ['{"a": 01}', 'at line 1, column'],
    ['{"a": +1}', 'at line 1, column'],
    ['{"a": NaN}', 'at line 1, column'],
    ['{"a": 1, // why\n"b": 2}', 'comment not allowed at line 1'],
    ['[1, 2', 'expected at line 1'],
    ['\u0000', 'at line 1, column 1'],
    ['undefined', 'at line 1, column 1'],
  ])(`${method} ${path} refuses %j with the location of the error`, async (body, why) => {
    expect(refused(await put(body), 400).message).toContain(why)
  })

  it.each([
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
  ])(`${method} ${path} refuses %s`, async (_, body) => {
    refused(await put(body), 400)
  })

  it(`${method} ${path} refuses deep nesting in arrays, objects and strings, complete or not`, async () => {
    for (const body of [
      '['.repeat(5_000) + ']'.repeat(5_000),
      '{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000),
      `{"request":${'[{"a":'.repeat(2_500)}1${'}]'.repeat(2_500)}}`,
      '['.repeat(60_000),
      '{"input":'.repeat(5_000),
    ]) {
      expect(refused(await put(body), 400).message).toContain('nests deeper than')
    }
    const text = await put(JSON.stringify('['.repeat(5_000)))
    expect(JSON.stringify(refused(text, text.status === 422 ? 422 : 400))).toMatch(/[Mm]ust be an? .*object/)
  })

  it(`${method} ${path} refuses the key __proto__ anywhere, in any escaping, with its location`, async () => {
    for (const key of ['__proto__', '\\u005f_proto__', '__proto\\u005f_']) {
      for (const [body, at] of [
        [`{"${key}": {"polluted": 1}}`, '/__proto__'],
        [`{"input": {"a": [{"${key}": null}]}}`, '/input/a/0/__proto__'],
      ] as const) {
        expect(refused(await put(body), 400).message).toContain(at)
      }
    }
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it(`${method} ${path} refuses numbers beyond the range of doubles, with their location`, async () => {
    for (const number of ['1e999', '-1e999', '1E+400', `1${'0'.repeat(309)}`, `${'9'.repeat(300)}e10`]) {
      expect(refused(await put(`{"input": {"a": [1, ${number}]}}`), 400).message).toContain("at '/input/a/1'")
    }
  })

  it(`${method} ${path} refuses other content types, and none`, async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=latin1',
      'application/jsonp',
      'text/json',
      'application/json, text/plain',
      '',
    ]) {
      const body = refused(await put(JSON.stringify(good), { 'content-type': type }), 415)
      expect(body.message).toBe("Send the body as 'application/json'")
    }
    refused(await put(JSON.stringify(good), {}), 415)
  })

  it(`${method} ${path} refuses a body over its limit, with a Content-Length and without`, async () => {
    const body = ' '.repeat(limit + 1)
    expect(refused(await put(body), 413).message).toContain(String(limit))
    expect(refused(await send({ method, path, headers: JSON_TYPE, body, chunked: true }), 413).message).toContain(
      String(limit),
    )
  })

  it(`${method} ${path} refuses bodies that are not objects, or have the wrong shape`, async () => {
    for (const body of [
      'null',
      'true',
      '0',
      '-0',
      '1.5',
      '""',
      '"text"',
      '"\\ud800"',
      ...(path === '/tools' ? [] : ['[]', '[{}]']),
    ]) {
      const answer = await put(body)
      expect([400, 422], `${body}: ${answer.text}`).toContain(answer.status)
      refused(answer, answer.status)
    }
  })

  it(`${method} ${path} still works after interrupted uploads, and logs no error for them`, async () => {
    const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        sendAndHangUp(
          server.url,
          index % 2 === 0
            ? `${head}Content-Length: 1000\r\n\r\n{"tool_id": `
            : `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"too`,
        ),
      ),
    )
    await expectAlive()
    expect(server.printed()).not.toContain('"event":"unexpected"')
  })
})

const WRONG = [null, true, 0, 1.5, '', [], ['x'], [[]], {}, { x: 1 }]
const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
it.each([
  ['tool_id', (value: unknown) => ({ tool_id: value }), () => false],
  ['call_id', (value: unknown) => ({ ...ADD, call_id: value }), isText],
  ['trace_id', (value: unknown) => ({ ...ADD, trace_id: value }), isText],
  ['context', (value: unknown) => ({ ...ADD, context: value }), isObject],
  ['context.user_id', (value: unknown) => ({ ...ADD, context: { user_id: value } }), isText],
  [
    'context.authorization',
    (value: unknown) => ({ ...ADD, context: { authorization: value } }),
    (value: unknown) => JSON.stringify(value) === '[]',
  ],
  [
    'context.secrets',
    (value: unknown) => ({ ...ADD, context: { secrets: value } }),
    (value: unknown) => JSON.stringify(value) === '[]',
  ],
  ['context.secrets[0]', (value: unknown) => ({ ...ADD, context: { secrets: [value] } }), () => false],
  [
    'context.secrets[0]',
    (value: unknown) => ({ ...ADD, context: { secrets: [{ id: value, value: 'v' }] } }),
    (value: unknown) => typeof value === 'string',
  ],
  [
    'context.authorization[0]',
    (value: unknown) => ({ ...ADD, context: { authorization: [{ id: 'i', token: value }] } }),
    (value: unknown) => typeof value === 'string',
  ],
  ['$schema', (value: unknown) => ({ $schema: value, request: ADD }), () => false],
  ['request', (value: unknown) => ({ request: value }), () => false],
])("a call with '%s' of the wrong type is refused with its name", async (field, make, isFine) => {
  for (const value of WRONG.filter((each) => !isFine(each))) {
    const answer = await call(JSON.stringify(make(value)))
    const { message } = refused(answer, 400)
    if (value === '' && field === 'tool_id') expect(message).toBe("'' is not a tool id")
    else if (field === '$schema' && typeof value === 'string') expect(message).toContain('is not supported')
    else if (field === 'request')
      expect(message).toMatch(/at 'request(?:': Must be an object|\.tool_id': Is required|\.x': Unknown field 'x')/)
    else expect(message).toContain(`'${field}`)
  }
})

it('a call with inputs of the wrong type is refused with their names', async () => {
  for (const value of [null, true, '5', '', [], {}, [5], '\ud800']) {
    const answer = await call(JSON.stringify({ ...ADD, input: { a: value, b: value } }))
    expect(refused(answer, 422).parameter_errors).toEqual({ a: 'Must be a number', b: 'Must be a number' })
  }
  for (const input of [null, true, 1, '', 'x', [], [1, 2]]) {
    expect(refused(await call(JSON.stringify({ ...ADD, input })), 400).message).toMatch(/at 'input': Must be an object/)
  }
})

it('a call with unknown fields at any level is refused with their names', async () => {
  for (const [body, field] of [
    [{ ...ADD, inputs: {} }, 'inputs'],
    [{ request: ADD, extra: 1 }, 'extra'],
    [{ request: { ...ADD, $schema: 'urn:oxp:1.0' } }, 'request.$schema'],
    [{ ...ADD, context: { user: 'u' } }, 'context.user'],
    [{ ...ADD, context: { user_ids: 'u' } }, 'context.user_ids'],
    [{ ...ADD, constructor: {} }, 'constructor'],
    [{ ...ADD, prototype: {} }, 'prototype'],
    [{ ...ADD, ['x'.repeat(100_000)]: 1 }, 'x'.repeat(150)],
  ] as const) {
    const { message } = refused(await call(JSON.stringify(body)), 400)
    expect(message).toContain(`Cannot read the body at '${field}': Unknown field '`)
  }
})

it('a call may have input names such as constructor and toString', async () => {
  const input = {
    a: 10,
    b: 5,
    constructor: { prototype: { polluted: 1 } },
    prototype: 1,
    toString: null,
    hasOwnProperty: 0,
  }
  expect(JSON.parse((await call(JSON.stringify({ ...ADD, input }))).text).result.value).toBe(15)
  const without = await call(JSON.stringify({ ...ADD, input: { toString: 1, valueOf: 2 } }))
  expect(refused(without, 422).parameter_errors).toEqual({ a: 'Is required', b: 'Is required' })
  for (const tool_id of [
    'constructor',
    '__proto__',
    'Object.prototype',
    'toString.constructor',
    'hasOwnProperty.call',
  ]) {
    refused(await call(JSON.stringify({ tool_id })), 400)
  }
})

it('a call with ids and names of any length and kind gets a short response', async () => {
  for (const tool_id of [
    'x'.repeat(1_000_000),
    `${'a'.repeat(65)}.b`,
    'Calculator.Add\u0000',
    'Calculator\u0000.Add',
    'Calculator.Add\n',
    'Calculator.Add@1.0.0\u0000',
    `Calculator.Add@${'1'.repeat(200)}`,
    `Calculator.Add@${'>=9 '.repeat(30)}`,
    'Calculator.Add@\ud800',
    '\udc00.\ud800',
    'Ｃalculator.Add',
    'Calculator.A\u0301dd',
    '👩‍👩‍👧‍👦.🧮',
    '<script>alert(1)</script>',
    "'; DROP TABLE tool; --",
    '../../../etc/passwd',
    '${7*7}.{{7*7}}',
  ]) {
    const body = refused(await call(JSON.stringify({ tool_id, input: {} })), 400)
    expect(body.message.length).toBeLessThan(400)
  }
  for (const field of ['call_id', 'trace_id']) {
    refused(await call(JSON.stringify({ ...ADD, [field]: 'x'.repeat(257) })), 400)
  }
  refused(await call(JSON.stringify({ ...ADD, context: { user_id: 'x'.repeat(257) } })), 400)
  const secrets = [{ id: 'TWILIO_API_KEY', value: 'x'.repeat(MIB) }]
  const sms = { tool_id: 'SMS.Send', input: { to: '1', message: 'x' }, context: { secrets } }
  expect(refused(await call(JSON.stringify(sms)), 400).message).toBe(
    "Cannot read the body at 'context.secrets[0].value': Must be a string of at most 65536 characters, got a string",
  )
  const longest = { ...sms, context: { secrets: [{ id: 'TWILIO_API_KEY', value: 'é'.repeat(65_536) }] } }
  expect(JSON.parse((await call(JSON.stringify(longest))).text).result).toMatchObject({ success: false })
})

it('a call may have unusual but valid JSON', async () => {
  const value = async (body: string) => {
    const answer = await call(body)
    expect(answer.status, answer.text).toBe(200)
    return JSON.parse(answer.text).result.value
  }
  expect(await value(`\ufeff${JSON.stringify(ADD)}`)).toBe(15)
  expect(await value('{"tool_id":"No.Such","tool_id":"Calculator.Add","input":{"a":1,"a":10,"b":5}}')).toBe(15)
  expect(await value('{"tool_id":"Calculator.Add","input":{"a":-0,"b":-0}}')).toBe(0)
  expect(await value('{"tool_id":"Calculator.Add","input":{"a":1e308,"b":5e-324}}')).toBe(1e308)
  // A tool that would be given another number is given none
  const large = await call('{"tool_id":"Calculator.Add","input":{"a":9007199254740993,"b":0}}')
  expect([large.status, JSON.parse(large.text).parameter_errors]).toEqual([
    422,
    { a: expect.stringMatching(/integer/) },
  ])
  expect(await value(`{"tool_id":"Calculator.Add","input":{"a":10,"b":5,"e999":"1e999 ${'9'.repeat(400)}"}}`)).toBe(15)
  expect(await value(JSON.stringify({ ...ADD, call_id: '\ud800', trace_id: '\u0000\u202e' }))).toBe(15)
  expect(await value(JSON.stringify(ADD) + ' '.repeat(4 * MIB - JSON.stringify(ADD).length))).toBe(15)
})

it('a call with a result that JSON cannot represent ends as a failure', async () => {
  const answer = await call(JSON.stringify({ ...ADD, input: { a: 1e308, b: 1e308 } }))
  expect(JSON.parse(answer.text).result).toMatchObject({ success: false, error: { can_retry: false } })
})

it('a call may have long and unusual headers', async () => {
  const body = JSON.stringify(ADD)
  for (const headers of [
    { traceparent: 'x'.repeat(5_000) },
    { traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00` },
    { 'if-none-match': '*, '.repeat(1_000) },
    { 'x-forwarded-host': 'evil', 'x-http-method-override': 'DELETE', 'x-original-url': '/keys' },
    { accept: 'text/html', 'accept-encoding': 'nonsense' },
    { 'x-huge': 'x'.repeat(200_000) },
  ]) {
    const answer = await send({ method: 'POST', path: '/tools/call', headers: { ...JSON_TYPE, ...headers }, body })
    expect(answer.status).toBe(200)
  }
  for (const version of ['2', '1.1', '', 'x'.repeat(5_000)]) {
    const headers = { ...JSON_TYPE, 'oxp-version': version }
    refused(await send({ method: 'POST', path: '/tools/call', headers, body }), 400)
  }
})

const errors = async (document: unknown) => {
  const answer = await post('/tools', JSON.stringify(document))
  expect(answer.status, answer.text).toBe(422)
  return JSON.parse(answer.text).errors.map(({ path }: { path: string }) => path)
}

it('a publication refuses invalid wrappers, implementations, tags and dialects, with their path', async () => {
  const inner = definition('Wrong.Tool@1.0.0')
  expect(await errors({ definition: inner, extra: 1 })).toContain('/extra')
  expect(await errors({ definition: null })).toContain('/definition')
  expect(await errors({ definition: [] })).toContain('/definition')
  expect(await errors({ definition: inner, toolkit: '../..', version: 'x', tags: [''] })).toEqual(
    expect.arrayContaining(['/toolkit', '/version', '/tags']),
  )
  for (const implementation of [1, '', [], {}, { kind: 1 }])
    expect(await errors({ definition: inner, implementation })).toEqual(['/implementation'])
  for (const kind of ['', 'none', 'bundled', 'constructor', '__proto__', 'x'.repeat(10_000)]) {
    expect(await errors({ definition: inner, implementation: { kind } })).toEqual(['/implementation/kind'])
  }
  for (const url of ['', 'file:///etc/passwd', 'https://user:pass@example.com/', 'javascript:alert(1)']) {
    expect(await errors({ definition: inner, implementation: { kind: 'http', method: 'GET', url } }), url).toContain(
      '/implementation/url',
    )
  }
  for (const query of ['dialect=', 'dialect=none', 'dialect=__proto__']) {
    refused(await post(`/tools?${query}`, JSON.stringify(inner)), 422)
  }
  refused(await post('/tools?allow=everything', JSON.stringify(inner)), 400)
})

it('a publication may have schema properties such as constructor and toString', async () => {
  const properties = Object.fromEntries(
    ['constructor', 'prototype', 'toString'].map((name) => [name, { type: 'string', description: name }]),
  )
  const document = definition('Odd.Names@1.0.0', {
    input_schema: { type: 'object', properties, required: ['constructor'] },
  })
  expect((await post('/tools', JSON.stringify(document))).status).toBe(201)
  expect((await server.json('GET', '/tools/Odd.Names')).status).toBe(200)
  refused(await call(JSON.stringify({ tool_id: 'Odd.Names', input: {} })), 400)
})

const wrong: readonly unknown[] = [
  {},
  { status: null },
  { status: 1 },
  { status: [] },
  { status: {} },
  { status: '' },
  { status: 'gone' },
  { status: 'constructor' },
  { status: { constructor: {} } },
  { status: { active: {}, yanked: {} } },
  { status: 'active', message: 'x' },
  { status: 'deprecated', message: 1 },
  { status: 'deprecated', message: 'x'.repeat(1_001) },
  { status: 'deprecated', successor: '../..' },
  { status: 'deprecated', successor: 'A.B@\n' },
  { status: 'deprecated', successor: 'A.B@\ud800' },
  { status: 'deprecated', successor: 'nonsense' },
  { status: 'deprecated', extra: 1 },
  { status: { state: 'active', since: 1 } },
  { status: { state: 'yanked' }, other: 1 },
  { status: { yanked: null } },
  'active',
  [],
]
it.each(wrong.map((body) => JSON.stringify(body)))('a status %s is refused', async (body) => {
  refused(await post('/tools/Doorbell.Ring', body, JSON_TYPE, 'PATCH'), 400)
})

it('a status is refused for an unknown or invalid tool', async () => {
  for (const id of [
    'No.Such',
    'Doorbell.Ring@9.9.9',
    'Doorbell',
    '%00',
    '..%2f',
    'x'.repeat(5_000),
    '__proto__.constructor',
  ]) {
    refused(await post(`/tools/${id}`, '{"status":"disabled"}', JSON_TYPE, 'PATCH'), 404)
  }
  refused(await post('/tools/%E0%A4%A', '{"status":"disabled"}', JSON_TYPE, 'PATCH'), 400)
})

it('a server answers an unsupported method with the methods that the path supports', async () => {
  for (const [method, path, allow] of [
    ['PUT', '/tools', 'GET, HEAD, POST'],
    ['OPTIONS', '/tools/call', 'GET, HEAD, PATCH, POST'],
    ['DELETE', '/tools/Calculator.Add', 'GET, HEAD, PATCH'],
    ['POST', '/health', 'GET, HEAD'],
    ['PATCH', '/keys', 'GET, HEAD, POST'],
  ] as const) {
    const answer = await send({ method, path })
    refused(answer, 405)
    expect(answer.headers['allow']).toBe(allow)
  }
  for (const method of ['TRACE', 'FOO', 'QUERY', 'PROPFIND']) {
    const { status } = await send({ method, path: '/tools/call' })
    expect([400, 405, 501], method).toContain(status)
  }
})

it('a server redirects a URL with a trailing slash, and changes nothing', async () => {
  expect(await send({ path: '/tools/?limit=1' })).toMatchObject({
    status: 308,
    headers: { location: '/tools?limit=1' },
  })
  expect(await send({ method: 'POST', path: '/mcp/', headers: {}, body: '{}' })).toMatchObject({
    status: 308,
    headers: { location: '/mcp' },
  })
  expect(await send({ method: 'DELETE', path: '/users/ann/grants/' })).toMatchObject({ status: 404 })
})

it('a server answers HEAD without a body', async () => {
  expect(await send({ method: 'HEAD', path: '/tools' })).toMatchObject({ status: 200, text: '' })
  expect(await send({ method: 'HEAD', path: '/tools/No.Such' })).toMatchObject({ status: 404, text: '' })
  expect(await send({ method: 'HEAD', path: '/nowhere' })).toMatchObject({ status: 404, text: '' })
})

it.each([
  '///',
  '/Tools',
  '/tools//call',
  '/tools/%00',
  '/tools/..%2f',
  '/tools/..%2fkeys',
  '/tools/%2e%2e%2fkeys',
  '/tools/Calculator.Add%00',
  '/tools/Calculator.Add/extra',
  '/tools/%F0%9F%92%A9.%F0%9F%92%A9',
  `/tools/${'x'.repeat(8_000)}`,
  '/tools/%3Cscript%3E',
  '/constructor',
  '/__proto__',
  '/keys/%00',
  '/keys/__proto__',
  '/authorizations/x',
  '/.env',
  '/.git/config',
])('a server returns 404 for %s', async (path) => {
  refused(await send({ path }), 404)
})

it.each([
  '/tools/%E0%A4%A',
  '/tools/%',
  '/tools/Calculator.Add@%ff',
  '/keys/%ff',
  '/toolkits/%ff',
  '/users/%ff/grants',
  '/artifacts/%ff',
  '/authorizations/%ff',
])('a server returns 400 for the path %s', async (path) => {
  refused(await send({ path }), 400)
})

it('a server redirects //tools, but only to its own host', async () => {
  const answer = await send({ path: '//tools' })
  expect([answer.status, answer.headers['location']]).toEqual([308, '/tools'])
  refused(await send({ path: '//example.com' }), 404)
})

it.each([
  'limit=0',
  'limit=-1',
  'limit=1001',
  'limit=1e3',
  'limit=1.5',
  'limit=',
  'limit=%00',
  'limit=1&limit=x&limit',
  'versions=',
  'versions=old',
  'format=',
  'format=none',
  'format=__proto__',
  'toolkit=a.b',
  'toolkit=',
  'cursor=%00',
  'cursor=!!!',
  'cursor=',
  'cursor=YWJj',
  'cursor=MTAw',
  'cursor=%F0%9F%98%80',
  'cursor=YWJj&q=tool',
  'cursor=YS5i&q=tool',
  'cursor=YS5i&versions=all',
  'cursor=MTAw&versions=all',
  `cursor=${'x'.repeat(501)}`,
  `q=${'x'.repeat(501)}`,
  `tag=${'x'.repeat(501)}`,
  'search=mail',
  'query=mail&limit=1',
  'toolkits=Gmail',
])('a server refuses the list with ?%s', async (query) => {
  const answer = await send({ path: `/tools?${query}` })
  const wrong = /^(?:search|query|toolkits)=/.test(query) ? 'Unknown' : 'Must be '
  expect(refused(answer, 400).message).toContain(`Cannot read the query at '${query.split('=')[0]}': ${wrong}`)
})

it('a server can search for any text', async () => {
  for (const q of [
    '',
    '"',
    '""',
    '*',
    'a*',
    'AND',
    'NOT NEAR(',
    "'; --",
    '%00',
    '%F0%9F%92%A9',
    '%ff',
    'a:b',
    '(((',
    '^',
    '-a',
    'name:x',
  ]) {
    const answer = await send({ path: `/tools?q=${/^%..(?:%..)*$/.test(q) ? q : encodeURIComponent(q)}` })
    expect(answer.status, `${q}: ${answer.text}`).toBe(200)
    expect(JSON.parse(answer.text).items).toBeInstanceOf(Array)
  }
})

it('a server returns 200 or 400 for forged cursors', async () => {
  for (const place of ['calculator.add', 'zzz', '\u0000', '{"a":1}', '-1', '99999999999999999999', "' OR 1=1 --"]) {
    const cursor = Buffer.from(place).toString('base64url')
    for (const more of ['', '&q=add', '&versions=all', '&q=add&versions=all']) {
      const answer = await send({ path: `/tools?cursor=${cursor}${more}` })
      expect([200, 400], `${place}${more}: ${answer.text}`).toContain(answer.status)
    }
  }
})

describe('a body that a self-hosted server refuses unread', () => {
  let own: Server
  beforeAll(async () => {
    own = await startServer({ vars: { SELF_HOSTED: 'true' } })
  })
  afterAll(() => own.stop())
  const space = ' '.repeat(4 * MIB)

  it.each([
    ['too long', '/keys', JSON_TYPE, 413],
    ['nowhere', '/nowhere', JSON_TYPE, 404],
    ['of a stranger', '/connect/mcp', JSON_TYPE, 401],
    ['of another type', '/tools', { 'content-type': 'text/plain' }, 415],
  ] as const)(
    'a body that a self-hosted server refuses unread gets a response and no broken connection, however often: %s',
    async (_, path, headers, status) => {
      for (let time = 0; time < REFUSED_BODIES; time += 1) {
        const answer = await fetch(own.url + path, { method: 'POST', headers, body: space })
        expect(answer.status).toBe(status)
        expect(await answer.text()).not.toBe('')
      }
    },
  )

  it('a body that a self-hosted server refuses unread is not awaited if it never ends', async () => {
    const endless = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(100)) })
    const init: RequestInit = Object.assign({ method: 'POST', body: endless }, { duplex: 'half' })
    const sent = fetch(`${own.url}/nowhere`, init)
    expect((await sent).status).toBe(404)
  }, 30_000)
})

describe('many requests at once', () => {
  it('a server answers 200 requests at once, both valid and invalid ones', async () => {
    const bodies = [
      '{',
      '[]',
      '{"tool_id":7}',
      '['.repeat(9_000),
      '{"tool_id":"No.Such"}',
      '{"a":1e999}',
      JSON.stringify(ADD),
      '',
    ]
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => call(bodies[index % bodies.length] ?? '')),
    )
    for (const [index, answer] of answers.entries()) {
      if (index % bodies.length === 6) expect(answer.status).toBe(200)
      else refused(answer, 400)
    }
  })

  const odd = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'tool_id', 'input', 'id', '\ud800', '\u0000', 'Calculator.Add'),
    fc.string({ unit: 'binary' }),
  )
  const anything = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, -0, 1e308, 'Calculator.Add', 'A.B@1.0.0', '1.0.0'),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      odd,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(odd, tie('value'), { maxKeys: 4 }),
    ),
  })).value
  const callish = fc.record(
    { tool_id: anything, input: anything, context: anything, call_id: anything, request: anything, $schema: anything },
    { requiredKeys: [] },
  )
  const definitionish = fc.record(
    {
      id: anything,
      name: anything,
      description: anything,
      version: anything,
      input_schema: anything,
      output_schema: anything,
      requirements: anything,
      definition: anything,
      implementation: anything,
    },
    { requiredKeys: [] },
  )
  /** JSON, or nearly: with a piece cut out, or some noise put in. */
  const body = fc
    .tuple(
      fc.oneof(anything, callish, definitionish),
      fc.option(fc.tuple(fc.nat(), fc.nat(5), fc.string({ unit: 'binary', maxLength: 3 })), { freq: 2 }),
    )
    .map(([value, noise]) => {
      const text = JSON.stringify(value)
      if (!noise) return text
      const at = noise[0] % (text.length + 1)
      return text.slice(0, at) + noise[2] + text.slice(at + noise[1])
    })

  it.each(['/tools/call', '/tools', '/keys'])(
    'a server answers any body at %s without a server error',
    async (path) => {
      await fc.assert(
        fc.asyncProperty(body, async (text) => {
          const answer = await post(path, text)
          expect(answer.status).toBeLessThan(500)
          const answered = JSON.parse(answer.text)
          if (answer.status >= 400) expect(typeof answered.message).toBe('string')
          expect(answer.text).not.toMatch(/\n\s+at /)
        }),
        { numRuns: 200 },
      )
    },
  )
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import type { Implementation } from '../../../src/core/tool/tool.ts'
import { prepareRequest } from '../../../src/runners/http/request.ts'
import type { BuiltRequest } from '../../../src/runners/http/request.ts'
import { checkedHttp, contextWith, definitionWith, type Given, invocationWith } from './records.ts'

const SECRETS = ['KEY', 'OTHER', 'HOST']
const INPUTS = ['id', 'a', 'b', 'c']

function build(fields: object, input: JsonObject = {}, given: Given = {}) {
  const implementation: Implementation = { kind: 'http', method: 'POST', url: 'https://api.example.com/v1', ...fields }
  const definition = definitionWith(INPUTS, { secrets: SECRETS, providers: ['google'] })
  return prepareRequest(checkedHttp(implementation, definition))(invocationWith(input, given), contextWith(given))
}

function built(...args: Parameters<typeof build>): BuiltRequest {
  const result = build(...args)
  if (!result.ok) throw new Error(result.failure.message)
  return result.request
}

function refusal(...args: Parameters<typeof build>): string {
  const result = build(...args)
  return result.ok ? `built ${result.request.url}` : result.failure.message
}

test.each([
  ['query', { url: 'https://api.example.com/v1?a=%7B%22x%22%3A%5B1%2C%22%26%22%5D%7D' }],
  ['header', { header: '{"x":[1,"&"]}' }],
])('a parameter of JSON text is one value in the %s', (place, wanted) => {
  const parameters = [{ input: 'a', in: place, content_type: 'application/json' }]
  const { url, headers } = built({ method: 'GET', parameters }, { a: { x: [1, '&'] } })
  expect({ url, header: headers.get('a') }).toMatchObject(wanted)
})

test('a parameter of JSON text is left out if the input is', () => {
  const parameters = [{ input: 'a', in: 'query', content_type: 'application/json' }]
  expect(built({ method: 'GET', parameters }, { a: null }).url).toBe('https://api.example.com/v1')
})

test.each(['GET', 'HEAD', 'DELETE'])('inputs without a parameter go to the query of %s', (method) => {
  const request = built({ method }, { a: 'x y', b: [1, 2], c: null })
  expect(request.url).toBe('https://api.example.com/v1?a=x%20y&b=1&b=2')
  expect(request.body).toBeUndefined()
})

test.each(['POST', 'PUT', 'PATCH'])('inputs without a parameter go to the body of %s', (method) => {
  const request = built({ method }, { a: 'x y', b: [1, 2], c: null, undeclared: true })
  expect(request.url).toBe('https://api.example.com/v1')
  expect(request.headers.get('content-type')).toBe('application/json')
  expect(JSON.parse(String(request.body))).toEqual({ a: 'x y', b: [1, 2], c: null, undeclared: true })
})

test('inputs without a parameter go to the URL variable with their name', () => {
  expect(built({ url: 'https://api.example.com/{id}/x?q={a}' }, { id: 'a/b', a: '&', b: 1 })).toMatchObject({
    url: 'https://api.example.com/a%2Fb/x?q=%26',
    body: '{"b":1}',
  })
})

test('inputs without a parameter named __proto__ are ordinary fields', () => {
  const request = built({}, JSON.parse('{"__proto__": {"x": 1}}') as JsonObject)
  expect(request.body).toBe('{"__proto__":{"x":1}}')
})

test('inputs without a parameter are never inherited', () => {
  const definition = definitionWith(['constructor'])
  const parameters = [{ input: 'constructor', in: 'query', name: 'c' }]
  const fields: Implementation = { kind: 'http', method: 'GET', url: 'https://api.example.com/v1', parameters }
  const result = prepareRequest(checkedHttp(fields, definition))(invocationWith({}), contextWith())
  expect(result).toMatchObject({ request: { url: 'https://api.example.com/v1' } })
})

test('inputs without a parameter cannot take the name of a credential', () => {
  const credentials = [{ secret: 'KEY', in: 'query', name: 'api key' }]
  const secrets = { KEY: 'k' }
  const wanted = 'Cannot build the request: "api%20key" is a credential\'s name and cannot be an input\'s'
  expect(refusal({ method: 'GET', credentials }, { 'api key': 'mine' }, { secrets })).toBe(wanted)
  const parameters = [{ input: 'a', in: 'query' }]
  expect(refusal({ method: 'GET', credentials, parameters }, { a: { 'api key': 'mine' } }, { secrets })).toBe(wanted)
  const cookies = {
    parameters: [{ input: 'a', in: 'cookie', explode: true }],
    credentials: [{ secret: 'KEY', in: 'cookie', name: 'session' }],
  }
  expect(refusal(cookies, { a: { session: 'mine' } }, { secrets })).toBe(
    'Cannot build the request: "session" is a credential\'s name and cannot be an input\'s',
  )
})

test('inputs without a parameter and without any place are refused', () => {
  expect(
    refusal({ parameters: INPUTS.map((input) => ({ input, in: 'query' })), body: { type: 'none' } }, { more: 1 }),
  ).toBe('Cannot build the request: the request has no place for "more"')
})

describe('the path', () => {
  const url = 'https://api.example.com/users/{id}'

  test.each(['', '.', '..', null, undefined, []])('%j must not change the path', (id) => {
    expect(refusal({ method: 'DELETE', url }, id === undefined ? {} : { id })).toMatch(/^Cannot build the request: /)
  })

  test('the path needs no variables of the query', () => {
    expect(built({ method: 'GET', url: 'https://api.example.com/x?a={a}&b={b}' }, { a: '' }).url).toMatch(/x\?a=&b=$/)
  })

  test('the path names the input that is missing', () => {
    const parameters = [{ input: 'a', in: 'path', name: 'id' }]
    expect(refusal({ url, parameters })).toBe(`Cannot build the request: "a" is empty, and the URL's path needs it`)
  })

  test('the path cannot get a dot segment from combined pieces', () => {
    const pieces = 'https://api.example.com/{a}{b}/x'
    expect(refusal({ url: pieces }, { a: '.', b: '.' })).toMatch('"." or ".." segment')
  })

  test.each([
    ['../admin', '/users/..%2Fadmin'],
    ['%2e%2e', '/users/%252e%252e'],
    ['..\\..', '/users/..%5C..'],
    ['a?b#c', '/users/a%3Fb%23c'],
    ['...', '/users/...'],
    ['ü', '/users/%C3%BC'],
    [0, '/users/0'],
    [false, '/users/false'],
    [['a', 'b,c'], '/users/a,b%2Cc'],
  ])('the path %j becomes "%s", and stays the same', (id, path) => {
    const request = built({ method: 'GET', url }, { id })
    expect(request.url).toBe(`https://api.example.com${path}`)
    expect(new URL(request.url).pathname).toBe(path)
  })

  test('the path and the query preserve any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'binary' }), (id, a) => {
        fc.pre(id !== '.' && id !== '..')
        const request = new URL(built({ method: 'GET', url }, { id, a }).url)
        expect(request.origin).toBe('https://api.example.com')
        expect(request.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'users', id.toWellFormed()])
        expect([...request.searchParams]).toEqual([['a', a.toWellFormed()]])
      }),
    )
  })

  test('the path supports the styles label and matrix', () => {
    const styled = (style: string) => [{ input: 'a', in: 'path', name: 'id', style, explode: true }]
    expect(built({ url, parameters: styled('label') }, { a: ['x', 'y'] }).url).toMatch(/users\/\.x\.y$/)
    expect(built({ url, parameters: styled('matrix') }, { a: ['x', 'y'] }).url).toMatch(/users\/;id=x;id=y$/)
  })
})

test('headers and cookies: the default ones are sent unless set', () => {
  const headers = built({}, { a: 1 }, { traceparent: '00-1-2-00' }).headers
  expect(Object.fromEntries(headers)).toEqual({
    'accept': 'application/json, */*;q=0.5',
    'content-type': 'application/json',
    'traceparent': '00-1-2-00',
    'user-agent': 'switchboard',
  })
  const set = { 'Accept': 'text/csv', 'User-Agent': 'other', 'Content-Type': 'application/json; v=2' }
  expect(Object.fromEntries(built({ headers: set }, { a: 1 }).headers)).toEqual({
    'accept': 'text/csv',
    'content-type': 'application/json; v=2',
    'user-agent': 'other',
  })
})

test('headers and cookies: a parameter replaces a static header, and its default replaces absent and null', () => {
  const fields = {
    headers: { 'X-Version': '1', 'X-Other': '2' },
    parameters: [
      { input: 'a', in: 'header', name: 'x-version' },
      { input: 'b', in: 'header', name: 'X-B', default: 'b!' },
    ],
  }
  expect(built(fields, { a: '9', b: null }).headers.get('x-version')).toBe('9')
  expect(built(fields, {}).headers.get('x-version')).toBe('1')
  expect(built(fields, { b: null }).headers.get('x-b')).toBe('b!')
  expect(built(fields, {}).headers.get('x-b')).toBe('b!')
  expect(built(fields, { b: '' }).headers.get('x-b')).toBe('')
})

test.each(['a\r\nhost: evil', 'a\nb', '\0', '€'])('headers and cookies: %j cannot be in a header', (a) => {
  expect(refusal({ parameters: [{ input: 'a', in: 'header', name: 'X-A' }] }, { a })).toBe(
    'Cannot build the request: "a" cannot stand in the header "X-A": wanted Latin-1 in one line',
  )
})

test('headers and cookies: cookies of inputs and credentials are joined', () => {
  const parameters = [{ input: 'a', in: 'cookie', name: 'theme' }]
  const credentials = [{ secret: 'KEY', in: 'cookie', name: 'session' }]
  const request = built({ parameters, credentials }, { a: 'x; session=mine' }, { secrets: { KEY: 'a+b/c==' } })
  expect(request.headers.get('cookie')).toBe('theme=x%3B%20session%3Dmine; session=a+b/c==')
  expect(refusal({ credentials }, {}, { secrets: { KEY: 'a; b' } })).toBe(
    'Cannot build the request: "KEY" cannot stand in a cookie',
  )
})

test('bodies: pointers create nested JSON', () => {
  const parameters = [
    { input: 'a', in: 'body', name: '/to/type' },
    { input: 'b', in: 'body', name: '/to/~1value' },
    { input: 'c', in: 'body', name: 'plain.name' },
  ]
  expect(JSON.parse(String(built({ parameters }, { a: 1, b: 2, c: 3, id: 4 }).body))).toEqual({
    'to': { 'type': 1, '/value': 2 },
    'plain.name': 3,
    'id': 4,
  })
  expect(JSON.parse(String(built({ parameters }, { b: 2 }).body))).toEqual({ to: { '/value': 2 } })
})

test('bodies: an empty one is sent only if it is declared and JSON', () => {
  expect(built({}).body).toBeUndefined()
  expect(built({}).headers.has('content-type')).toBe(false)
  expect(built({ body: { type: 'json' } }).body).toBe('{}')
  expect(built({ body: { type: 'form' } }).body).toBeUndefined()
})

const others = ['id', 'b', 'c'].map((input) => ({ input, in: 'query' }))

test('bodies: one input can be the whole body', () => {
  const whole = (type: string, a: JsonObject['a']) => built({ parameters: others, body: { type, input: 'a' } }, { a })
  expect(whole('json', [1, null]).body).toBe('[1,null]')
  expect(whole('json', 'text').body).toBe('"text"')
  expect(whole('json', null).body).toBe('null')
  expect(whole('form', { x: 'a&b', y: [1, 2] }).body).toBe('x=a%26b&y=1&y=2')
  expect(whole('raw', 'a line').body).toBe('a line')
  expect(whole('raw', 'a line').headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(refusal({ parameters: others, body: { type: 'form', input: 'a' } }, { a: 'text' })).toBe(
    'Cannot build the request: wanted an object as the form body, got string',
  )
  const csv = built({ parameters: others, body: { type: 'raw', input: 'a', content_type: 'text/csv' } }, { a: '1,2' })
  expect(csv.headers.get('content-type')).toBe('text/csv')
})

test('bodies: a raw one can be a file', () => {
  const a = { filename: 'a.bin', content_type: 'image/png', data: 'AP/+' }
  const request = built({ parameters: others, body: { type: 'raw', input: 'a' } }, { a })
  expect(request.headers.get('content-type')).toBe('image/png')
  expect(request.body).toEqual(new Uint8Array([0, 255, 254]))
})

test('bodies: forms use the styles of OpenAPI', () => {
  const parameters = [
    { input: 'a', in: 'body', explode: false },
    { input: 'b', in: 'body', style: 'deepObject' },
  ]
  const request = built({ parameters, body: { type: 'form' } }, { a: [1, 'x,y'], b: { k: 'v' }, c: 'ü z', id: null })
  expect(request.body).toBe('a=1,x%2Cy&b%5Bk%5D=v&c=%C3%BC%20z')
  expect(request.headers.get('content-type')).toBe('application/x-www-form-urlencoded')
})

test('bodies: multipart bodies have files, repeated parts and JSON parts', async () => {
  const file = { filename: 'a.txt', content_type: 'text/plain', data: btoa('hello') }
  const request = built({ body: { type: 'multipart' } }, { a: file, b: ['x', 2], c: { k: 'v' }, id: null })
  expect(request.headers.has('content-type')).toBe(false)
  const sent = await new Response(request.body ?? null).formData()
  const arrived = sent.get('a') as File
  expect([arrived.name, arrived.type, await arrived.text()]).toEqual(['a.txt', 'text/plain', 'hello'])
  expect(sent.getAll('b')).toEqual(['x', '2'])
  expect(sent.get('c')).toBe('{"k":"v"}')
  expect(sent.has('id')).toBe(false)
})

test('credentials: go where the implementation says', () => {
  const credentials = [
    { authorization: 'google', in: 'header', name: 'Authorization' },
    { secret: 'KEY', in: 'header', name: 'X-Key', format: 'key={value}; again={value}' },
    { secret: 'OTHER', in: 'query', name: 'k&' },
    { secret: 'HOST', in: 'path', name: 'bot' },
  ]
  const request = built(
    { url: 'https://api.example.com/bot{bot}/send?x=1', credentials },
    {},
    { tokens: { google: 'token' }, secrets: { KEY: '$&$&', OTHER: 'a&b&', HOST: '1:2/3' } },
  )
  expect(request.url).toBe('https://api.example.com/bot1%3A2%2F3/send?x=1&k%26=a%26b%26')
  expect(request.headers.get('authorization')).toBe('Bearer token')
  expect(request.headers.get('x-key')).toBe('key=$&$&; again=$&$&')
  expect(request.credentialHeaders).toEqual(['authorization', 'x-key'])
  expect(request.displayTarget).toEqual({ host: 'api.example.com', url: 'https://api.example.com/bot{bot}/send' })
  for (const text of ['token', '$&$&', 'a&b&', 'a%26b%26', '1:2/3', '1%3A2%2F3']) {
    expect(request.redact(`with ${text} in it`)).toBe('with [redacted] in it')
  }
})

test('credentials: a secret named Authorization has no prefix', () => {
  const credentials = [{ secret: 'KEY', in: 'header', name: 'Authorization' }]
  expect(built({ credentials }, {}, { secrets: { KEY: 'abc' } }).headers.get('authorization')).toBe('abc')
})

const username = { secret: 'KEY', in: 'basic', name: 'username' }
const password = { secret: 'OTHER', in: 'basic', name: 'password' }
test.each([
  [[username], 'me:'],
  [[password], ':pässwörd'],
  [[username, password], 'me:pässwörd'],
  [[password, { ...username, format: '{value}/token' }], 'me/token:pässwörd'],
])('credentials: basic %#', (credentials, pair) => {
  const request = built({ credentials }, {}, { secrets: { KEY: 'me', OTHER: 'pässwörd' } })
  expect(request.headers.get('authorization')).toBe(`Basic ${Buffer.from(pair, 'utf8').toString('base64')}`)
  expect(request.credentialHeaders).toEqual(['authorization'])
  expect(request.redact(`with ${Buffer.from(pair, 'utf8').toString('base64')}`)).toBe('with [redacted]')
})

test.each([
  [username, 'a:b', '"KEY" is a user name and must not hold a colon'],
  [username, 'leak\r\nme', '"KEY" holds a control character'],
  [{ secret: 'KEY', in: 'header', name: 'X-Key' }, 'leak\nme', '"KEY" holds a control character'],
  [{ secret: 'KEY', in: 'header', name: 'X-Key' }, 'leak€', '"KEY" cannot stand in a header'],
  [{ secret: 'KEY', in: 'query', name: 'key' }, 'leak\u0085', '"KEY" holds a control character'],
])('credentials: %j refuses %j without showing it', (credential, value, reason) => {
  const message = refusal({ credentials: [credential] }, {}, { secrets: { KEY: value } })
  expect(message).toBe(`Cannot build the request: ${reason}`)
})

test('credentials: missing ones are named', () => {
  const credentials = [username, { authorization: 'google', in: 'query', name: 'token' }]
  expect(refusal({ credentials })).toBe(
    'Cannot build the request: the secret "KEY" is missing; the authorization "google" is missing',
  )
})

test.each(['..', '.', ''])('credentials: %j in the path must not change it', (value) => {
  const fields = { url: 'https://api.example.com/{key}/x', credentials: [{ secret: 'KEY', in: 'path', name: 'key' }] }
  expect(refusal(fields, {}, { secrets: { KEY: value } })).toMatch(/^Cannot build the request: /)
})

describe('a secret in the host', () => {
  const host = { secret: 'HOST', in: 'path', name: 'h' }
  const partial = { url: 'https://{h}.example.com/v1', credentials: [host] }
  const whole = { url: 'https://{h}/v1', credentials: [host] }

  test('a secret in the host is a label, or a whole name if it stands alone', () => {
    expect(built(partial, {}, { secrets: { HOST: 'acme-eu' } }).url).toBe('https://acme-eu.example.com/v1')
    expect(built(whole, {}, { secrets: { HOST: 'books.acme.eu' } }).url).toBe('https://books.acme.eu/v1')
    expect(built({ ...whole, url: 'https://{h}:8443/v1' }, {}, { secrets: { HOST: 'a.b' } }).url).toBe(
      'https://a.b:8443/v1',
    )
    expect(built(partial, {}, { secrets: { HOST: 'acme-eu' } }).displayTarget.host).toBe('{h}.example.com')
  })

  test('a secret in the host is a whole origin if the template has no scheme', () => {
    const origin = { url: '{h}/v1', credentials: [host] }
    expect(built(origin, {}, { secrets: { HOST: 'https://eu.acme.example' } }).url).toBe('https://eu.acme.example/v1')
    expect(built(origin, {}, { secrets: { HOST: 'http://127.0.0.1:8080/' } }).url).toBe('http://127.0.0.1:8080/v1')
    expect(built(origin, {}, { secrets: { HOST: 'acme.example' } }).url).toBe('https://acme.example/v1')
    expect(built(origin, {}, { secrets: { HOST: 'https://eu.acme.example' } }).displayTarget.url).toBe('{h}/v1')
    for (const value of [
      '',
      'https://',
      'ftp://a.b',
      'https://u@a.b',
      'https://a.b/c',
      'https://a.b?c',
      'https://a.b#',
    ]) {
      expect(refusal(origin, {}, { secrets: { HOST: value } })).toContain('"HOST" is not a host name')
    }
  })

  test.each(['', 'a.b', 'evil.com/', 'evil.com#', 'evil.com?', 'a@b', 'a:b', 'a\\', '-a', 'a-', 'ü', 'a b', '%61'])(
    'a secret in the host %j is not a label',
    (value) => {
      expect(refusal(partial, {}, { secrets: { HOST: value } })).toContain('"HOST" is not a host name')
    },
  )

  test.each(['', '.', 'a..b', 'a.', '.a', 'https://a.b', 'a.b/c', 'a.b:80', 'u@a.b'])(
    'a secret in the host %j is not a name',
    (value) => {
      expect(refusal(whole, {}, { secrets: { HOST: value } })).toContain('"HOST" is not a host name')
    },
  )

  test('a secret in the host that the caller gives does not receive the credentials of the deployment', () => {
    const token = { authorization: 'google', in: 'header', name: 'Authorization' }
    const fields = { ...whole, credentials: [host, token] }
    const caller = (value: string) => ({ value, from: 'caller' as const })
    expect(refusal(fields, {}, { secrets: { HOST: caller('evil.example') }, tokens: { google: 'tok' } })).toBe(
      'Cannot build the request: the deployment\'s "google" is not sent to a host that the caller names',
    )
    const own = { secrets: { HOST: caller('my.example') }, tokens: { google: caller('mine') } }
    expect(built(fields, {}, own).headers.get('authorization')).toBe('Bearer mine')
    const remoteName = { secrets: { HOST: 'acme.example' }, tokens: { google: caller('mine') } }
    expect(built(fields, {}, remoteName).headers.get('authorization')).toBe('Bearer mine')
  })
})

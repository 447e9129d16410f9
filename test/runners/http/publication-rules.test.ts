import { expect, test } from 'vitest'
import type { Implementation } from '../../../src/core/tool/tool.ts'
import { checkHttpImplementation } from '../../../src/runners/http/publication-rules.ts'
import { checkedHttp, definitionWith } from './records.ts'

const definition = definitionWith(['id', 'limit', 'file'], { secrets: ['KEY', 'OTHER'], providers: ['google'] })
const GET: Implementation = { kind: 'http', method: 'GET', url: 'https://api.example.com/v1/{id}' }
const POST: Implementation = { kind: 'http', method: 'POST', url: 'https://api.example.com/v1/{id}' }

function problemsOf(implementation: Implementation): string[] {
  const checked = checkHttpImplementation(implementation, definition)
  return checked.ok ? [] : checked.problems.map(({ path, message }) => `${path}: ${message}`)
}

test('the example of the design is valid', () => {
  const example: Implementation = {
    kind: 'http',
    method: 'POST',
    url: 'https://api.example.com/v1/users/{id}/notes',
    parameters: [
      { input: 'user', in: 'path', name: 'id' },
      { input: 'limit', in: 'query', name: 'max', style: 'form', explode: true },
    ],
    credentials: [
      { authorization: 'google', in: 'header', name: 'Authorization', format: 'Bearer {value}' },
      { secret: 'API_KEY', in: 'query', name: 'key' },
    ],
    body: { type: 'json' },
    response: { type: 'json', pointer: '/data' },
    timeout_ms: 30000,
  }
  const needs = { secrets: ['API_KEY'], providers: ['google'] }
  expect(checkedHttp(example, definitionWith(['user', 'limit', 'text'], needs)).timeout_ms).toBe(30_000)
})

test('a parameter is JSON text or has a style, and nothing else', () => {
  const of = (content_type: string) => [{ input: 'limit', in: 'query', content_type }]
  expect(problemsOf({ ...GET, parameters: of('application/json') })).toEqual([])
  expect(problemsOf({ ...GET, parameters: of('text/xml') })).toEqual([
    "/parameters/0/content_type: Must be 'application/json' outside a body, got 'text/xml'",
  ])
})

test('defaults are filled in', () => {
  const implementation = {
    ...GET,
    parameters: [{ input: 'limit', in: 'query' }],
    credentials: [
      { authorization: 'google', in: 'header', name: 'Authorization' },
      { secret: 'KEY', in: 'header', name: 'X-Key' },
    ],
  }
  expect(checkedHttp(implementation, definition)).toEqual({
    kind: 'http',
    method: 'GET',
    url: 'https://api.example.com/v1/{id}',
    parameters: [
      {
        input: 'limit',
        in: 'query',
        name: 'limit',
        style: 'form',
        explode: true,
        allow_reserved: false,
        default: undefined,
      },
    ],
    headers: {},
    credentials: [
      { source: 'authorization', id: 'google', in: 'header', name: 'Authorization', format: 'Bearer {value}' },
      { source: 'secret', id: 'KEY', in: 'header', name: 'X-Key', format: '{value}' },
    ],
    body: undefined,
    response: { pointer: '', statuses: ['2xx'] },
    retry: { attempts: 2 },
    timeout_ms: 30_000,
  })
})

test('every problem is reported at once, with its path', () => {
  const problems = problemsOf({
    kind: 'http',
    method: 'get',
    url: '',
    color: 'red',
    parameters: [{ input: 'id', in: 'nowhere', names: 'x' }, 7],
    headers: { 'x-a': 1 },
    credentials: [
      { in: 'header', name: 'x' },
      { secret: 'KEY', authorization: 'google' },
    ],
    body: { type: 'xml' },
    response: { pointer: 'data', statuses: [99, '6xx'] },
    retry: { attempts: 3 },
    timeout_ms: 0,
  })
  expect(problems.map((problem) => problem.split(':')[0])).toEqual([
    '/color',
    '/method',
    '/url',
    '/parameters/0/names',
    '/parameters/0/in',
    '/parameters/1',
    '/headers/x-a',
    '/credentials/0',
    '/credentials/1',
    '/body/type',
    '/response/pointer',
    '/response/statuses/0',
    '/response/statuses/1',
    '/retry/attempts',
    '/timeout_ms',
  ])
})

test.each([
  'api.example.com/v1/{id}',
  'ftp://example.com/{id}',
  'https:///{id}',
  'https://user@example.com/{id}',
  'https://example.com:port/{id}',
  'https://example.com:{id}/',
  'https://exa mple.com/{id}',
  'https://example.com/{id}#top',
  'https://example.com/{+id}',
  'https://example.com/{id*}',
  'https://example.com/{id,limit}',
  'https://example.com/{}',
  'https://example.com/{id',
  'https://example.com/id}',
  'https://example.com/../{id}',
  'https://example.com/%2E%2e/{id}',
  '{KEY}/v1/{id}',
])('URLs: "%s" is refused', (url) => {
  expect(problemsOf({ ...GET, url }).map((problem) => problem.split(':')[0])).toContain('/url')
})

test('URLs: a variable is filled by an input of its name, a parameter or a credential', () => {
  expect(problemsOf(GET)).toEqual([])
  expect(problemsOf({ ...GET, url: 'https://example.com/{other}' })).toEqual([
    "/url: Must have a 'path' parameter, a credential or an input for '{other}'",
  ])
  const parameters = [{ input: 'id', in: 'path', name: 'other' }]
  expect(problemsOf({ ...GET, url: 'https://example.com/{other}', parameters })).toEqual([])
  const credentials = [{ secret: 'KEY', in: 'path', name: 'other' }]
  expect(problemsOf({ ...GET, url: 'https://example.com/{other}', credentials })).toEqual([])
  expect(problemsOf({ ...GET, url: 'https://example.com/x?a={other}', credentials })).toEqual([])
})

test('URLs: only a credential may be in the host', () => {
  const url = 'https://{id}.example.com/'
  const wanted = `/url: Must have a credential in 'path' for the host's '{id}'`
  expect(problemsOf({ ...GET, url })).toEqual([wanted])
  expect(problemsOf({ ...GET, url, parameters: [{ input: 'id', in: 'path' }] })).toContain(wanted)
  expect(problemsOf({ ...GET, url, credentials: [{ secret: 'KEY', in: 'path', name: 'id' }] })).toEqual([])
  expect(
    problemsOf({ ...GET, url: 'https://{s}:8443/', credentials: [{ secret: 'KEY', in: 'path', name: 's' }] }),
  ).toEqual([])
})

test('URLs: parameters and credentials in the path need a variable', () => {
  expect(
    problemsOf({
      ...GET,
      parameters: [{ input: 'limit', in: 'path' }],
      credentials: [{ secret: 'KEY', in: 'path', name: 'key' }],
    }),
  ).toEqual([
    "/parameters/0/name: Must be a variable of the URL, got 'limit'",
    "/credentials/0/name: Must be a variable of the URL, got 'key'",
  ])
})

const header = (name: string) => ({ ...GET, headers: { [name]: 'x' } })
const parameter = (fields: object): Implementation => ({
  ...GET,
  parameters: [{ input: 'limit', in: 'query', ...fields }],
})
const credential = (...credentials: object[]): Implementation => ({
  ...GET,
  credentials: credentials.map((each) => ({ secret: 'KEY', in: 'header', name: 'X-Key', ...each })),
})

test.each<[string, Implementation, string]>([
  ['an unknown input', parameter({ input: 'nobody' }), '/parameters/0/input'],
  ['an unknown body input', { ...POST, body: { input: 'nobody' } }, '/body/input'],
  ['an undeclared secret', credential({ secret: 'ADMIN_KEY' }), '/credentials/0/secret'],
  [
    'an undeclared provider',
    { ...GET, credentials: [{ authorization: 'github', in: 'header', name: 'Authorization' }] },
    '/credentials/0/authorization',
  ],
  ['a secret that is only a provider', credential({ secret: 'google' }), '/credentials/0/secret'],
  ['a format without its value', credential({ format: 'Bearer' }), '/credentials/0/format'],
  ['basic with another name', credential({ in: 'basic', name: 'user' }), '/credentials/0/name'],
  ['a header that is no token', header('X Key'), '/headers/X Key'],
  ['a header name with a line break', header('X\r\nHost'), '/headers/X\r\nHost'],
  ['a header value with a line break', { ...GET, headers: { 'x-a': 'b\r\nhost: evil' } }, '/headers/x-a'],
  ['the host header', header('Host'), '/headers/Host'],
  ['a content length', header('content-length'), '/headers/content-length'],
  ['a hop-by-hop header', header('Connection'), '/headers/Connection'],
  ['transfer encoding as a parameter', parameter({ in: 'header', name: 'Transfer-Encoding' }), '/parameters/0/name'],
  ['the host header as a credential', credential({ name: 'host' }), '/credentials/0/name'],
  ['a credential among the static headers', header('Authorization'), '/headers/Authorization'],
  ['a parameter that writes authorization', parameter({ in: 'header', name: 'authorization' }), '/parameters/0/name'],
  ['a cookie header', header('Cookie'), '/headers/Cookie'],
  ['a cookie name with a separator', parameter({ in: 'cookie', name: 'a;b' }), '/parameters/0/name'],
  ['a style of another place', parameter({ style: 'matrix' }), '/parameters/0/style'],
  ['reserved characters in a path', parameter({ in: 'path', allow_reserved: true }), '/parameters/0/allow_reserved'],
  ['a body for GET', { ...GET, body: { type: 'json' } }, '/body'],
  ['a body parameter for GET', parameter({ in: 'body' }), '/parameters/0/in'],
  ['a raw body of nothing', { ...POST, body: { type: 'raw' } }, '/body/input'],
  ['no body with an input', { ...POST, body: { type: 'none', input: 'file' } }, '/body/input'],
  ['inputs without a place', { ...POST, body: { input: 'file' } }, '/parameters'],
  [
    'a body pointer that is none',
    { ...POST, parameters: [{ input: 'limit', in: 'body', name: '/a~2' }] },
    '/parameters/0/name',
  ],
  ['a multipart content type', { ...POST, body: { type: 'multipart', content_type: 'a/b' } }, '/body/content_type'],
  [
    'a static multipart content type',
    { ...POST, body: { type: 'multipart' }, headers: { 'Content-Type': 'a/b' } },
    '/headers/Content-Type',
  ],
  ['a pointer into text', { ...GET, response: { type: 'text', pointer: '/a' } }, '/response/pointer'],
  ['no expected status', { ...GET, response: { statuses: [] } }, '/response/statuses'],
])('parts that must match each other: %s is refused', (_, implementation, path) => {
  expect(problemsOf(implementation).map((problem) => problem.slice(0, problem.indexOf(': ')))).toContain(path)
})

test.each<[string, Implementation]>([
  ['two credentials in one header', credential({}, { secret: 'OTHER', name: 'x-key' })],
  ['basic beside an authorization header', credential({ in: 'basic', name: 'username' }, { name: 'Authorization' })],
  [
    'a parameter over a credential header',
    { ...credential({}), parameters: [{ input: 'limit', in: 'header', name: 'x-KEY' }] },
  ],
  ['a static header over a credential', { ...credential({}), headers: { 'x-key': 'a' } }],
  ['an unplaced input over a query credential', credential({ in: 'query', name: 'limit' })],
  ['two parameters of one name', parameter({ name: 'file' })],
  [
    'a body field inside another',
    {
      ...POST,
      parameters: [
        { input: 'limit', in: 'body', name: '/a' },
        { input: 'file', in: 'body', name: '/a/b' },
      ],
    },
  ],
  ['a body pointer into an unplaced input', { ...POST, parameters: [{ input: 'limit', in: 'body', name: '/file/b' }] }],
])('parts that must match each other: %s writes a name twice', (_, implementation) => {
  expect(problemsOf(implementation).join('\n')).toMatch(/Must be written once|Must be left to the credential/)
})

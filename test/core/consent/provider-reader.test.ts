import { expect, it } from 'vitest'
import { knownProvider } from '../../../src/core/consent/known-providers.ts'
import { isProviderId, type KnownProvider } from '../../../src/core/consent/provider.ts'
import { providerReader } from '../../../src/core/consent/provider-reader.ts'
import { parseValue } from '../../../src/core/tool/json-reader.ts'

const rules = {
  checkUrl: (url: string) => (url.startsWith('https://') ? undefined : 'wanted "https:"'),
  checkSecretName: (name: string) => (name === 'MASTER' ? 'Is not for this' : undefined),
}
const decode = (body: unknown, id = 'acme') =>
  parseValue(providerReader(id, { ...rules, known: knownProvider(id) }), body)
const problemsOf = (body: unknown, id?: string) => {
  const decoded = decode(body, id)
  return decoded.ok ? [] : decoded.problems.map(({ path, message }) => [path, message])
}
const ENDPOINTS = {
  authorization_endpoint: 'https://acme.example/authorize',
  token_endpoint: 'https://acme.example/token',
}
const UNREACHABLE = "Must have 'issuer', or both 'authorization_endpoint' and 'token_endpoint'"
const PATTERN = "a tool pattern such as '*', 'Gmail.*' or 'Gmail.GetEmails'"
const METHODS = "one of 'client_secret_basic', 'client_secret_post', 'none'"
const SECRET = "the name of a Worker secret, such as 'ACME_CLIENT_SECRET'"
const CLIENT = 'a string of 1 to 1000 ASCII characters'
const NAME = 'a string of 1 to 100 printable characters'
const FIELDS =
  "'id', 'name', 'issuer', 'authorization_endpoint', 'token_endpoint', 'revocation_endpoint', 'client_id', 'client_secret_name', 'token_endpoint_auth_method', 'authorization_parameters', 'extra_scopes', 'scope_separator', 'tools', 'identity_assertion'"
const UNNAMED = 'Must have a name of 1 to 100 visible ASCII characters'
const SEPARATOR = "Must be ' ', ',' or the like, got a string"
const good = { issuer: 'https://acme.example', client_id: 'c1' }

it('a provider is named by its id unless it has a name', () => {
  expect(decode(good)).toEqual({ ok: true, value: { id: 'acme', name: 'acme', ...good } })
})

it('a provider is read completely', () => {
  const body = {
    id: 'acme',
    name: 'Acme & Söhne',
    issuer: 'https://acme.example',
    ...ENDPOINTS,
    revocation_endpoint: 'https://acme.example/revoke',
    client_id: 'c1',
    client_secret_name: 'ACME_CLIENT_SECRET',
    token_endpoint_auth_method: 'client_secret_basic',
    authorization_parameters: { access_type: 'offline', audience: '' },
    extra_scopes: ['offline_access'],
    scope_separator: ',',
    tools: ['Acme.*'],
  }
  expect(decode(body)).toEqual({ ok: true, value: body })
})

it('a provider needs an issuer, or both endpoints', () => {
  expect(problemsOf({ ...ENDPOINTS, client_id: 'c1' })).toEqual([])
  for (const located of [
    {},
    { token_endpoint: ENDPOINTS.token_endpoint },
    { authorization_endpoint: ENDPOINTS.authorization_endpoint },
    { revocation_endpoint: 'https://acme.example/revoke' },
  ]) {
    expect(problemsOf({ client_id: 'c1', ...located })).toEqual([['', UNREACHABLE]])
  }
})

it('a provider with an invalid URL gets no error about a missing one', () => {
  expect(problemsOf({ client_id: 'c1', token_endpoint: 5 })).toEqual([
    ['/token_endpoint', 'Must be a string of at most 2000 characters, got a number'],
  ])
  expect(problemsOf({ client_id: 'c1', issuer: 'http://acme.example' })).toEqual([
    ['/issuer', 'Cannot be requested: wanted "https:"'],
  ])
})

it('a provider is refused with every problem at once', () => {
  const body = {
    name: '',
    issuer: 'http://acme.example',
    token_endpoint: 5,
    client_secret_name: 'with space',
    token_endpoint_auth_method: 'private_key_jwt',
    authorization_parameters: { state: 'x', ok: 'y', long: 7 },
    extra_scopes: ['a b'],
    scope_separator: 'and',
    tools: ['*', 'nodot'],
    scopes: [],
  }
  expect(problemsOf(body)).toEqual([
    ['/scopes', `Unknown field 'scopes': wanted ${FIELDS}`],
    ['/name', `Must be ${NAME}, got a string`],
    ['/issuer', 'Cannot be requested: wanted "https:"'],
    ['/token_endpoint', 'Must be a string of at most 2000 characters, got a number'],
    ['/client_id', 'Is required'],
    ['/client_secret_name', `Must be ${SECRET}, got a string`],
    ['/token_endpoint_auth_method', `Must be ${METHODS}, got a string`],
    ['/authorization_parameters/state', 'Must not be set: the flow itself says it'],
    ['/authorization_parameters/long', 'Must be a string of at most 2000 characters, got a number'],
    ['/extra_scopes/0', 'Must be a scope, got a string'],
    ['/scope_separator', "Must be ' ', ',' or the like, got a string"],
    ['/tools/1', `Must be ${PATTERN}, got a string`],
  ])
})

it.each<[string, unknown, string, string]>([
  ['a list', [], '', 'Must be an object, got an empty array'],
  ['null', null, '', 'Must be an object, got null'],
  ['an issuer with a query', { ...good, issuer: 'https://acme.example?x' }, '/issuer', 'Must not have a query'],
  ['an issuer with a fragment', { ...good, issuer: 'https://acme.example#x?y' }, '/issuer', 'Must not have a fragment'],
  [
    'an endpoint with a fragment',
    { client_id: 'c', ...ENDPOINTS, token_endpoint: 'https://a.example#x' },
    '/token_endpoint',
    'Must not have a fragment',
  ],
  [
    'an endpoint that may not be requested',
    { ...good, authorization_endpoint: 'ftp://a.example#x' },
    '/authorization_endpoint',
    'Cannot be requested: wanted "https:"',
  ],
  [
    'a place to revoke that may not be requested',
    { ...good, revocation_endpoint: 'http://a.example' },
    '/revocation_endpoint',
    'Cannot be requested: wanted "https:"',
  ],
  [
    'a long URL',
    { ...good, issuer: `https://acme.example/${'x'.repeat(2_000)}` },
    '/issuer',
    'Must be a string of at most 2000 characters, got a string',
  ],
  ['another id', { ...good, id: 'other' }, '/id', "Must be 'acme', as in the path, got a string"],
  ['a long name', { ...good, name: 'x'.repeat(101) }, '/name', `Must be ${NAME}, got a string`],
  ['a name of two lines', { ...good, name: 'a\nb' }, '/name', `Must be ${NAME}, got a string`],
  ['no client', { issuer: good.issuer }, '/client_id', 'Is required'],
  ['an empty client', { ...good, client_id: '' }, '/client_id', `Must be ${CLIENT}, got a string`],
  ['a long client', { ...good, client_id: 'c'.repeat(1_001) }, '/client_id', `Must be ${CLIENT}, got a string`],
  ['a client beyond ASCII', { ...good, client_id: 'é' }, '/client_id', `Must be ${CLIENT}, got a string`],
  [
    "a secret that is not a client's",
    { ...good, client_secret_name: 'MASTER' },
    '/client_secret_name',
    'Is not for this',
  ],
  [
    'a secret of no name',
    { ...good, client_secret_name: '' },
    '/client_secret_name',
    `Must be ${SECRET}, got a string`,
  ],
  [
    'a secret whose name is a number',
    { ...good, client_secret_name: '1_KEY' },
    '/client_secret_name',
    `Must be ${SECRET}, got a string`,
  ],
  [
    'a secret of a long name',
    { ...good, client_secret_name: 'S'.repeat(129) },
    '/client_secret_name',
    `Must be ${SECRET}, got a string`,
  ],
  [
    'a method without its secret',
    { ...good, token_endpoint_auth_method: 'client_secret_post' },
    '/client_secret_name',
    "Is required for 'client_secret_post'",
  ],
  [
    'the other method without its secret',
    { ...good, token_endpoint_auth_method: 'client_secret_basic' },
    '/client_secret_name',
    "Is required for 'client_secret_basic'",
  ],
  [
    'a method and a secret of a wrong name',
    { ...good, token_endpoint_auth_method: 'client_secret_basic', client_secret_name: 5 },
    '/client_secret_name',
    `Must be ${SECRET}, got a number`,
  ],
  [
    'a secret that is not to be used',
    { ...good, client_secret_name: 'S', token_endpoint_auth_method: 'none' },
    '/token_endpoint_auth_method',
    "Must not be 'none' for a client with a secret",
  ],
  [
    'parameters that are a list',
    { ...good, authorization_parameters: ['a'] },
    '/authorization_parameters',
    'Must be an object of at most 100 fields, got an array of 1',
  ],
  [
    'too many parameters',
    { ...good, authorization_parameters: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`p${n}`, ''])) },
    '/authorization_parameters',
    'Must be an object of at most 100 fields, got an object',
  ],
  [
    'a parameter without a name',
    { ...good, authorization_parameters: { '': 'a' } },
    '/authorization_parameters/',
    UNNAMED,
  ],
  [
    'a parameter of a long name',
    { ...good, authorization_parameters: { ['p'.repeat(101)]: 'a' } },
    `/authorization_parameters/${'p'.repeat(101)}`,
    UNNAMED,
  ],
  [
    'a parameter of two words',
    { ...good, authorization_parameters: { 'a b': '' } },
    '/authorization_parameters/a b',
    UNNAMED,
  ],
  [
    'a long parameter',
    { ...good, authorization_parameters: { a: 'x'.repeat(2_001) } },
    '/authorization_parameters/a',
    'Must be a string of at most 2000 characters, got a string',
  ],
  ['a scope with a quote', { ...good, extra_scopes: ['a"b'] }, '/extra_scopes/0', 'Must be a scope, got a string'],
  ['a scope with a backslash', { ...good, extra_scopes: ['a\\b'] }, '/extra_scopes/0', 'Must be a scope, got a string'],
  ['an empty scope', { ...good, extra_scopes: ['a', ''] }, '/extra_scopes/1', 'Must be a scope, got a string'],
  ['a long scope', { ...good, extra_scopes: ['x'.repeat(301)] }, '/extra_scopes/0', 'Must be a scope, got a string'],
  [
    'too many scopes',
    { ...good, extra_scopes: Array.from({ length: 101 }, () => 'a') },
    '/extra_scopes',
    'Must be an array of at most 100 items, got an array of 101',
  ],
  ['no separator', { ...good, scope_separator: '' }, '/scope_separator', SEPARATOR],
  ['a long separator', { ...good, scope_separator: ', ,' }, '/scope_separator', SEPARATOR],
  ['tools as a word', { ...good, tools: '*' }, '/tools', 'Must be an array of at most 100 items, got a string'],
  [
    'too many tools',
    { ...good, tools: Array.from({ length: 101 }, () => '*') },
    '/tools',
    'Must be an array of at most 100 items, got an array of 101',
  ],
])('a provider with %s', (_, body, path, message) => {
  expect(problemsOf(body)).toEqual([[path, message]])
})

it.each<[string, object]>([
  ['an endpoint with a query', { ...ENDPOINTS, token_endpoint: 'https://acme.example/token?v=2' }],
  ['a long URL', { issuer: `https://acme.example/${'x'.repeat(1_979)}` }],
  ['its own id', { id: 'acme' }],
  ['a long name', { name: 'ö'.repeat(100) }],
  ['a long client', { client_id: `${' '.repeat(999)}~` }],
  ['a secret of a long name', { client_secret_name: `_${'9'.repeat(127)}` }],
  ['a public client', { token_endpoint_auth_method: 'none' }],
  ['a secret and how it is sent', { token_endpoint_auth_method: 'client_secret_post', client_secret_name: 'S' }],
  ['a parameter of a long name', { authorization_parameters: { ['!'.repeat(100)]: 'x'.repeat(2_000) } }],
  ['parameters named like those of the flow', { authorization_parameters: { scopes: '', states: '', requested: '' } }],
  ['a long scope', { extra_scopes: [`!#${'~'.repeat(298)}`] }],
  ['no scopes', { extra_scopes: [] }],
  ['many scopes and tools', { extra_scopes: Array(100).fill('a'), tools: Array(100).fill('*') }],
  ['a separator of two', { scope_separator: '+|' }],
])('a provider may have %s', (_, fields) => {
  const body = { ...good, ...fields }
  expect(decode(body)).toEqual({ ok: true, value: { id: 'acme', name: 'acme', ...body } })
})

it.each([
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'response_mode',
  'state',
  'scope',
  'SCOPE',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
])('a provider may not set %s, which the flow sets', (name) => {
  expect(problemsOf({ ...good, authorization_parameters: { [name]: 'x' } })).toEqual([
    [`/authorization_parameters/${name}`, 'Must not be set: the flow itself says it'],
  ])
})

it('a provider with its secret in the body is refused, and the error says where secrets belong, without repeating it', () => {
  const how =
    "Must not be sent, as it would be stored: Set it as a Worker secret with 'npx wrangler secret put <NAME>', or on your own machine in .dev.vars, and name it in 'client_secret_name'"
  expect(problemsOf({ ...good, client_secret: 'hunter2' })).toEqual([['/client_secret', how]])
  expect(problemsOf({ ...good, client_secret: undefined })).toEqual([['/client_secret', how]])
  expect(problemsOf({ ...good, client_secret: 'hunter2', client_secret_name: 'hunter two', x: 1 })).toEqual([
    ['/client_secret', how],
    ['/x', `Unknown field 'x': wanted ${FIELDS}`],
    ['/client_secret_name', `Must be ${SECRET}, got a string`],
  ])
})

it('a provider without a method but with a secret lets the provider choose the method', () => {
  const body = { ...good, client_secret_name: 'S' }
  expect(decode(body)).toEqual({ ok: true, value: { id: 'acme', name: 'acme', ...body } })
})

it('a well-known provider has built-in URLs and settings', () => {
  expect(decode({ client_id: 'c1', client_secret_name: 'G_CLIENT_SECRET', tools: ['Gmail.*'] }, 'google')).toEqual({
    ok: true,
    value: {
      id: 'google',
      ...knownProvider('google'),
      client_id: 'c1',
      client_secret_name: 'G_CLIENT_SECRET',
      tools: ['Gmail.*'],
    },
  })
})

it('a well-known provider without a secret is a public client', () => {
  const { token_endpoint_auth_method: method, ...github } = knownProvider('github') ?? { name: '' }
  expect(method).toBe('client_secret_post')
  expect(decode({ client_id: 'c1' }, 'github')).toEqual({
    ok: true,
    value: { id: 'github', ...github, client_id: 'c1' },
  })
})

it('a well-known provider with another issuer has none of the built-in URLs', () => {
  const decoded = decode({ client_id: 'c1', issuer: 'https://git.acme.example' }, 'gitlab')
  expect(decoded).toEqual({
    ok: true,
    value: { id: 'gitlab', name: 'GitLab', issuer: 'https://git.acme.example', client_id: 'c1' },
  })
  expect(problemsOf({ client_id: 'c1', token_endpoint: ENDPOINTS.token_endpoint }, 'gitlab')).toEqual([
    ['', UNREACHABLE],
  ])
})

it('a well-known provider has built-in settings unless the body has others', () => {
  const habits: KnownProvider = {
    name: 'Known',
    issuer: 'https://known.example',
    token_endpoint_auth_method: 'client_secret_basic',
    authorization_parameters: { audience: 'api' },
    extra_scopes: ['offline_access'],
    scope_separator: ',',
  }
  const own = {
    name: 'Mine',
    issuer: 'https://mine.example',
    client_id: 'c1',
    client_secret_name: 'S',
    token_endpoint_auth_method: 'client_secret_post',
    authorization_parameters: {},
    extra_scopes: [],
    scope_separator: ' ',
  }
  const decodeKnown = (body: unknown) => parseValue(providerReader('known', { ...rules, known: habits }), body)
  expect(decodeKnown({ client_id: 'c1', client_secret_name: 'S' })).toEqual({
    ok: true,
    value: { id: 'known', ...habits, client_id: 'c1', client_secret_name: 'S' },
  })
  expect(decodeKnown(own)).toEqual({ ok: true, value: { id: 'known', ...own } })
  const { issuer: _, ...nowhere } = habits
  expect(parseValue(providerReader('known', { ...rules, known: nowhere }), { client_id: 'c1' })).toEqual({
    ok: false,
    problems: [{ path: '', message: UNREACHABLE }],
  })
})

it.each(['google', 'my-idp_2', 'Okta', 'a/b', '!', 'x'.repeat(128)])("a provider's id may be %j", (id) => {
  expect(isProviderId(id)).toBe(true)
})
it.each(['', 'a b', 'é', 'a\n', 'approval', 'x'.repeat(129)])("a provider's id may not be %j", (id) => {
  expect(isProviderId(id)).toBe(false)
})

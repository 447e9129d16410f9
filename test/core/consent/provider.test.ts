import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  clientVariables,
  connectedProvider,
  knownProvider,
  knownProviderIds,
} from '../../../src/core/consent/known-providers.ts'
import { decodeProvider, isProviderId } from '../../../src/core/consent/provider.ts'

const rules = {
  judgeUrl: (url: string) => (url.startsWith('https://') ? undefined : 'wanted "https:"'),
  judgeSecret: (name: string) => (name === 'MASTER' ? 'Is not for this' : undefined),
}
const decode = (body: unknown, id = 'acme') => decodeProvider(id, body, { ...rules, known: knownProvider(id) })
const problemsOf = (body: unknown, id?: string) => {
  const decoded = decode(body, id)
  return decoded.ok ? [] : decoded.problems.map(({ path }) => path)
}
const ENDPOINTS = {
  authorization_endpoint: 'https://acme.example/authorize',
  token_endpoint: 'https://acme.example/token',
}
const good = { issuer: 'https://acme.example', client_id: 'c1' }

describe('a provider that is given', () => {
  it('is called by its id unless it has a name', () => {
    expect(decode(good)).toEqual({ ok: true, value: { id: 'acme', name: 'acme', ...good } })
  })

  it('is read whole', () => {
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

  it('needs an issuer, or both endpoints', () => {
    expect(problemsOf({ ...ENDPOINTS, client_id: 'c1' })).toEqual([])
    expect(problemsOf({ client_id: 'c1' })).toEqual([''])
    expect(problemsOf({ client_id: 'c1', token_endpoint: ENDPOINTS.token_endpoint })).toEqual([''])
  })

  it('has every problem named at once', () => {
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
      '/scopes',
      '/name',
      '/issuer',
      '/token_endpoint',
      '/client_id',
      '/client_secret_name',
      '/token_endpoint_auth_method',
      '/authorization_parameters/state',
      '/authorization_parameters/long',
      '/extra_scopes/0',
      '/scope_separator',
      '/tools/1',
    ])
  })

  it.each([
    ['a list', [], ['']],
    ['null', null, ['']],
    ['an issuer with a query', { ...good, issuer: 'https://acme.example?x' }, ['/issuer']],
    [
      'an endpoint with a fragment',
      { client_id: 'c', ...ENDPOINTS, token_endpoint: 'https://a.example#x' },
      ['/token_endpoint'],
    ],
    ['a long URL', { ...good, issuer: `https://acme.example/${'x'.repeat(2_000)}` }, ['/issuer']],
    ['another id', { ...good, id: 'other' }, ['/id']],
    ['no client', { issuer: good.issuer }, ['/client_id']],
    ['an empty client', { ...good, client_id: '' }, ['/client_id']],
    ["a secret that is not a client's", { ...good, client_secret_name: 'MASTER' }, ['/client_secret_name']],
    [
      'a method without its secret',
      { ...good, token_endpoint_auth_method: 'client_secret_post' },
      ['/client_secret_name'],
    ],
    [
      'a secret that is not to be used',
      { ...good, client_secret_name: 'S', token_endpoint_auth_method: 'none' },
      ['/token_endpoint_auth_method'],
    ],
    ['parameters that are a list', { ...good, authorization_parameters: ['a'] }, ['/authorization_parameters']],
    ['a parameter without a name', { ...good, authorization_parameters: { '': 'a' } }, ['/authorization_parameters/']],
    ['tools as a word', { ...good, tools: '*' }, ['/tools']],
    ['too many tools', { ...good, tools: Array.from({ length: 101 }, () => '*') }, ['/tools']],
  ])('with %s', (_, body, paths) => {
    expect(problemsOf(body)).toEqual(paths)
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
  ])('may not say %s, which the flow says', (name) => {
    expect(problemsOf({ ...good, authorization_parameters: { [name]: 'x' } })).toEqual([
      `/authorization_parameters/${name}`,
    ])
  })

  it('with its secret in the body is refused, and told where secrets go, without it', () => {
    const decoded = decode({ ...good, client_secret: 'hunter2', client_secret_name: 'hunter two' })
    const text = JSON.stringify(decoded)
    expect(text).toContain('npx wrangler secret put')
    expect(text).toContain('client_secret_name')
    expect(text).not.toContain('hunter')
  })

  it('with no method and a secret leaves the method to what the provider takes', () => {
    const decoded = decode({ ...good, client_secret_name: 'S' })
    expect(decoded.ok && decoded.value).not.toHaveProperty('token_endpoint_auth_method')
  })
})

describe('a well-known provider that is given', () => {
  it('has its addresses and habits by itself', () => {
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

  it('without a secret is a public client', () => {
    expect(decode({ client_id: 'c1' }, 'github')).not.toHaveProperty('value.token_endpoint_auth_method')
  })

  it('elsewhere has none of the addresses that are built in', () => {
    const decoded = decode({ client_id: 'c1', issuer: 'https://git.acme.example' }, 'gitlab')
    expect(decoded).toEqual({
      ok: true,
      value: { id: 'gitlab', name: 'GitLab', issuer: 'https://git.acme.example', client_id: 'c1' },
    })
    expect(problemsOf({ client_id: 'c1', token_endpoint: ENDPOINTS.token_endpoint }, 'gitlab')).toEqual([''])
  })

  it('has its habits unless the body has others', () => {
    expect(decode({ client_id: 'c1', authorization_parameters: {} }, 'google')).toMatchObject({
      value: { authorization_parameters: {} },
    })
  })
})

describe("a provider's id", () => {
  it.each(['google', 'my-idp_2', 'Okta', 'a/b', '!', 'x'.repeat(128)])('may be %j', (id) => {
    expect(isProviderId(id)).toBe(true)
  })
  it.each(['', 'a b', 'é', 'a\n', 'approval', 'x'.repeat(129)])('may not be %j', (id) => {
    expect(isProviderId(id)).toBe(false)
  })
})

describe('the well-known providers', () => {
  it.each(knownProviderIds)('%s is in order', (id) => {
    const { name, ...rest } = knownProvider(id) ?? { name: '' }
    expect(isProviderId(id)).toBe(true)
    expect(name).not.toBe('')
    const body = { ...rest, name, client_id: 'c1', client_secret_name: clientVariables(id).clientSecret }
    expect(problemsOf(body, id)).toEqual([])
    expect(rest).toMatchObject({
      authorization_endpoint: expect.stringMatching(/^https:\/\//),
      token_endpoint: expect.stringMatching(/^https:\/\//),
    })
  })

  it.each(knownProviderIds)('%s is named in the README', (id) => {
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
    expect(readme).toMatch(new RegExp(`\\b${knownProvider(id)?.name}\\b`))
  })

  it('are there once their client is', () => {
    const variable = (name: string) => (name === 'GOOGLE_CLIENT_ID' ? 'c1' : undefined)
    expect(connectedProvider('google', variable)).toMatchObject({
      id: 'google',
      client_id: 'c1',
      client_secret_name: 'GOOGLE_CLIENT_SECRET',
      authorization_parameters: { access_type: 'offline', prompt: 'consent' },
    })
    expect(connectedProvider('github', variable)).toBeUndefined()
    expect(connectedProvider('Google', variable)).toBeUndefined()
    expect(connectedProvider('acme', () => 'c1')).toBeUndefined()
    expect(connectedProvider('constructor', () => 'c1')).toBeUndefined()
  })
})

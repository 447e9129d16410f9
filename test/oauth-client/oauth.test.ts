import { describe, expect, it } from 'vitest'
import { createServerFinder } from '../../src/oauth-client/provider-server.ts'
import { createOAuth } from '../../src/oauth-client/oauth.ts'
import type { OAuthProvider } from '../../src/core/consent/provider.ts'

const SECRET = 'the secret, with ü and :'
const GIVEN: OAuthProvider = {
  id: 'acme',
  name: 'Acme',
  authorization_endpoint: 'https://acme.example/auth',
  token_endpoint: 'https://acme.example/token',
  client_id: 'c 1',
  client_secret_name: 'ACME',
}
const ISSUED: OAuthProvider = {
  id: 'acme',
  name: 'Acme',
  issuer: 'https://acme.example',
  client_id: 'c 1',
  client_secret_name: 'ACME',
}

/** A client of a provider that answers with these bodies by path; 404 where there is none. */
function client(answers: Readonly<Record<string, object>>, now = () => 0) {
  const asked: { readonly url: string; readonly form: URLSearchParams; readonly authorization: string | null }[] = []
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init)
    expect(init?.redirect).toBe('manual')
    const form = new URLSearchParams(await request.text())
    asked.push({ url: request.url, form, authorization: request.headers.get('authorization') })
    const body = answers[new URL(request.url).pathname]
    return body ? Response.json(body) : new Response('', { status: 404 })
  }
  const oauth = createOAuth({
    fetch,
    findServer: createServerFinder(fetch, now),
    checkUrl: () => undefined,
    readSecret: (name) => (name === 'ACME' ? SECRET : undefined),
  })
  return { oauth, asked, paths: () => asked.map(({ url }) => new URL(url).pathname) }
}

const TOKEN = { access_token: 'a', token_type: 'bearer' }
const METADATA = {
  issuer: 'https://acme.example',
  authorization_endpoint: 'https://acme.example/auth',
  token_endpoint: 'https://acme.example/token',
}
const OIDC = '/.well-known/openid-configuration'
const OAUTH = '/.well-known/oauth-authorization-server'

const basic = `Basic ${btoa('c+1:the+secret%2C+with+%C3%BC+and+%3A')}`
it.each<[string, OAuthProvider, object, string | null, string | null]>([
  ['in the body where nothing is known', GIVEN, {}, null, SECRET],
  ['as it is configured', { ...GIVEN, token_endpoint_auth_method: 'client_secret_basic' }, {}, basic, null],
  ['by Basic, as the metadata means that says nothing', ISSUED, {}, basic, null],
  ['as the metadata says', ISSUED, { token_endpoint_auth_methods_supported: ['client_secret_post'] }, null, SECRET],
])('the client authenticates %s', async (_, provider, more, authorization, secret) => {
  const { oauth, asked } = client({ '/token': TOKEN, [OIDC]: { ...METADATA, ...more } })
  expect(await oauth.refreshTokens(provider, 'r', [])).toEqual({ ok: true, tokens: { access_token: 'a' } })
  const last = asked.at(-1)
  expect(last?.authorization).toBe(authorization)
  expect(last?.form.get('client_secret')).toBe(secret)
  expect(last?.form.get('refresh_token')).toBe('r')
})

it('the client authenticates by Basic, and encodes only the characters that need it', async () => {
  const { oauth, asked } = client({ '/token': TOKEN })
  const provider = {
    ...GIVEN,
    client_id: 'my-app_1.example~2',
    token_endpoint_auth_method: 'client_secret_basic' as const,
  }
  await oauth.refreshTokens(provider, 'r', [])
  expect(atob(asked.at(-1)?.authorization?.slice('Basic '.length) ?? '')).toMatch(/^my-app_1\.example~2:the\+secret%2C/)
})

it('the client does not authenticate if it is public', async () => {
  const { client_secret_name: _, ...open } = GIVEN
  const { oauth, asked } = client({ '/token': TOKEN })
  await oauth.refreshTokens(open, 'r', [])
  expect(asked.at(-1)).toMatchObject({ authorization: null })
  expect(asked.at(-1)?.form.get('client_id')).toBe('c 1')
})

it('endpoints are discovered by OpenID Connect, else by RFC 8414, once an hour', async () => {
  let time = 0
  const { oauth, paths } = client({ '/token': TOKEN, [OAUTH]: METADATA }, () => time)
  await oauth.refreshTokens(ISSUED, 'r', [])
  time += 3_599_999
  await oauth.refreshTokens(ISSUED, 'r', [])
  expect(paths()).toEqual([OIDC, OAUTH, '/token', '/token'])
  time += 1
  await oauth.refreshTokens(ISSUED, 'r', [])
  expect(paths()).toHaveLength(7)
})

it('endpoints that are configured are used unchanged', async () => {
  const { oauth, paths } = client({ '/other': TOKEN, [OIDC]: METADATA })
  await oauth.refreshTokens({ ...ISSUED, token_endpoint: 'https://acme.example/other' }, 'r', [])
  expect(paths()).toEqual(['/other'])
})

it('endpoints of another issuer are not used', async () => {
  const { oauth, paths } = client({ '/token': TOKEN, [OIDC]: { ...METADATA, issuer: 'https://evil.example' } })
  expect(await oauth.refreshTokens(ISSUED, 'r', [])).toMatchObject({ ok: false, why: 'unavailable' })
  expect(paths()).toEqual([OIDC, OAUTH])
})

it('endpoints without revocation are not requested for it', async () => {
  const { oauth, asked } = client({ '/token': TOKEN })
  await oauth.revoke(GIVEN, { access_token: 'a' })
  expect(asked).toEqual([])
})

it('tokens are read with the fields of the provider', async () => {
  const answer = { ...TOKEN, expires_in: '3600', refresh_token: 'r2', scope: 'b,a' }
  const { oauth } = client({ '/token': answer })
  expect(await oauth.refreshTokens(GIVEN, 'r', ['a'])).toEqual({
    ok: true,
    tokens: { access_token: 'a', refresh_token: 'r2', expires_in: 3_600, scopes: ['b', 'a'] },
  })
})

it('tokens and errors are reported without quoting what was sent', async () => {
  const { oauth } = client({ '/token': { error: 'invalid_client', error_description: `No such secret: ${SECRET}` } })
  const trouble = await oauth.refreshTokens(GIVEN, 'the-refresh-token', [])
  expect(trouble).toEqual({
    ok: false,
    why: 'client',
    message: `'${GIVEN.id}' gives nothing to this Switchboard as it is set up: its operator must put that right`,
    forOperator: `'${GIVEN.id}' refused with 'invalid_client': an administrator must check the client that is set up for it`,
  })
  expect(JSON.stringify(trouble)).not.toMatch(/secret, with|the-refresh-token/)
})

describe('a test of a provider', () => {
  const CALLBACK = 'https://switchboard.test/oauth/callback'
  const test = async (
    answer: (path: string) => Response | Promise<Response>,
    {
      provider = GIVEN,
      checkUrl = () => undefined,
    }: { provider?: OAuthProvider; checkUrl?: (url: string) => string | undefined } = {},
  ) => {
    const fetch = async (input: RequestInfo | URL) => answer(new URL(new Request(input).url).pathname)
    const findServer = createServerFinder(fetch, () => 0)
    const oauth = createOAuth({
      fetch,
      findServer,
      checkUrl,
      readSecret: (name) => (name === 'ACME' ? SECRET : undefined),
    })
    const steps = await oauth.test(provider, CALLBACK)
    expect(JSON.stringify(steps)).not.toMatch(/leaked|the secret, with/)
    return steps.map(({ name, state }) => `${name} ${state}`).join(', ')
  }
  const page = () => new Response('<leaked>')
  const refusing = (error: string, status = 400) => {
    return (path: string) =>
      path === '/token' ? Response.json({ error, error_description: 'leaked' }, { status }) : page()
  }

  it.each([
    ['invalid_grant', 400, 'endpoints ok, authorization ok, token ok'],
    ['bad_verification_code', 200, 'endpoints ok, authorization ok, token ok'],
    ['invalid_client', 401, 'endpoints ok, authorization ok, token failed'],
    ['incorrect_client_credentials', 200, 'endpoints ok, authorization ok, token failed'],
    ['who knows', 401, 'endpoints ok, authorization ok, token failed'],
    ['redirect_uri_mismatch', 400, 'endpoints ok, authorization ok, token unclear'],
    ['<leaked>', 400, 'endpoints ok, authorization ok, token unclear'],
    ['invalid_grant', 503, 'endpoints ok, authorization ok, token failed'],
  ])('a test of a provider that refuses a made-up code with %s and status %i', async (error, status, steps) => {
    expect(await test(refusing(error, status))).toBe(steps)
  })

  it('a test of a provider detects a missing secret, unknown endpoints, and a page or token endpoint that does not respond', async () => {
    const unset = { ...GIVEN, client_secret_name: 'UNSET' }
    expect(await test(page, { provider: unset })).toBe('secret failed')
    expect(await test(() => new Response('leaked', { status: 404 }), { provider: ISSUED })).toBe('endpoints failed')
    expect(await test(page, { checkUrl: () => 'it is private' })).toBe('endpoints failed')
    const down = () => Promise.reject(new TypeError('leaked'))
    expect(await test(down)).toBe('endpoints ok, authorization failed, token failed')
    const pageAnswers = (status: number) =>
      test((path) => (path === '/auth' ? new Response('leaked', { status }) : refusing('invalid_grant')(path)))
    expect(await pageAnswers(404)).toContain('authorization failed')
    expect(await pageAnswers(400)).toContain('authorization unclear')
    expect(await test(page)).toBe('endpoints ok, authorization ok, token failed')
    expect(await test((path) => (path === '/token' ? Response.json(TOKEN) : page()))).toContain('token failed')
  })
})

import { createServer, type RequestListener } from 'node:http'
import { exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createJwtVerifier, type JwtOptions, type JwtPlatform } from '../../../src/http/caller/jwt.ts'

const SECRET = 'a secret of at least 32 bytes, no less'
const encode = (text: string) => new TextEncoder().encode(text)
const NOW_S = Math.floor(Date.now() / 1_000)
const JWKS_URL = 'https://issuer.test/jwks'

const rs256 = await generateKeyPair('RS256', { extractable: true })
const es256 = await generateKeyPair('ES256', { extractable: true })
const edDSA = await generateKeyPair('EdDSA', { extractable: true })
const stranger = await generateKeyPair('RS256', { extractable: true })
const publicJwk = async (key: CryptoKey, kid: string): Promise<JWK> => ({ ...(await exportJWK(key)), kid })
const JWKS = {
  keys: [
    await publicJwk(rs256.publicKey, 'rsa'),
    await publicJwk(es256.publicKey, 'ec'),
    await publicJwk(edDSA.publicKey, 'ed'),
  ],
}

const sign = (claims: Record<string, unknown> = {}, header = {}, key: CryptoKey | Uint8Array = encode(SECRET)) =>
  new SignJWT({ sub: 'ann', exp: NOW_S + 60, ...claims }).setProtectedHeader({ alg: 'HS256', ...header }).sign(key)

const serving = (body: unknown, status = 200) => vi.fn(() => Promise.resolve(Response.json(body, { status })))

async function outcome(token: string, options: JwtOptions = { secret: SECRET }, platform: JwtPlatform = {}) {
  const result = await createJwtVerifier(options, platform).verify(token)
  if (result.ok) return result.value.principal
  const { failure } = result
  return failure.type === 'unauthenticated' ? failure.reason.replace('Cannot accept the JWT: ', '') : failure
}

describe('a JWT signed with the secret', () => {
  it('authenticates its subject', async () => {
    const result = await createJwtVerifier({ secret: SECRET }).verify(await sign())
    expect(result).toEqual({
      ok: true,
      value: {
        principal: { id: 'jwt:ann', kind: 'jwt', scopes: ['tools:read', 'tools:call'], tools: ['*'], users: ['ann'] },
        expiresAt: (NOW_S + 60) * 1_000,
      },
    })
  })

  it('is rejected with another secret, or with a changed claim', async () => {
    const other = await sign({}, {}, encode('another secret of at least 32 bytes'))
    expect(await outcome(other)).toBe('its signature does not verify')
    const [header = '', , signature = ''] = (await sign()).split('.')
    const payload = Buffer.from(JSON.stringify({ sub: 'eve', exp: NOW_S + 60 })).toString('base64url')
    expect(await outcome(`${header}.${payload}.${signature}`)).toBe('its signature does not verify')
  })

  it('must expire, and is valid until five seconds after that', async () => {
    expect(await outcome(await sign({ exp: undefined }))).toBe("its 'exp' claim is missing")
    expect(
      await outcome(await sign({ exp: NOW_S + 60 }), { secret: SECRET }, { now: () => (NOW_S + 64) * 1_000 }),
    ).toHaveProperty('id')
    expect(
      await outcome(await sign({ exp: NOW_S + 60 }), { secret: SECRET }, { now: () => (NOW_S + 65) * 1_000 }),
    ).toBe('it has expired')
    expect(await outcome(await sign({ exp: 'never' }))).toBe("its 'exp' claim is not accepted")
  })

  it('is not valid before its time', async () => {
    expect(await outcome(await sign({ nbf: NOW_S + 30 }))).toBe("its 'nbf' claim is not accepted")
    expect(await outcome(await sign({ nbf: NOW_S - 30 }))).toHaveProperty('id')
  })

  it('must match the audience, which must be configured if the token has one', async () => {
    const options = { secret: SECRET, audience: 'switchboard' }
    expect(await outcome(await sign({ aud: 'switchboard' }), options)).toHaveProperty('id')
    expect(await outcome(await sign({ aud: ['x', 'switchboard'] }), options)).toHaveProperty('id')
    expect(await outcome(await sign({ aud: 'x' }), options)).toBe("its 'aud' claim is not accepted")
    expect(await outcome(await sign(), options)).toBe("its 'aud' claim is missing")
    expect(await outcome(await sign({ aud: 'x' }))).toContain("it has an 'aud' claim")
    expect(await outcome(await sign({ aud: [] }))).toContain("it has an 'aud' claim")
  })

  it('may be from one of several issuers, each with its own users', async () => {
    const [one, other] = ['https://one.test', 'https://other.test']
    const options = { secret: SECRET, issuers: [one, other] }
    expect(await outcome(await sign({ iss: one }), options)).toMatchObject({
      id: `jwt:${one}|ann`,
      users: [`${one}|ann`],
    })
    expect(await outcome(await sign({ iss: other }), options)).toMatchObject({ users: [`${other}|ann`] })
    expect(await outcome(await sign({ iss: 'https://evil.test' }), options)).toBe("its 'iss' claim is not accepted")
    // A subject that starts with another issuer's prefix still gets its own issuer's prefix first
    const forged = await sign({ iss: one, sub: `${other}|ann` })
    expect(await outcome(forged, options)).toMatchObject({ users: [`${one}|${other}|ann`] })
  })

  it('shares no users with a JWKS that is configured next to the secret, unless both sign for one issuer', async () => {
    const both = { secret: SECRET, jwksUrl: JWKS_URL }
    const platform = { fetch: serving(JWKS) }
    const iss = 'https://one.test'
    const bySecret = await sign({ iss })
    const byKey = await sign({ iss }, { alg: 'RS256', kid: 'rsa' }, rs256.privateKey)
    const users = async (token: string, options: JwtOptions) => Object(await outcome(token, options, platform)).users
    expect(await users(bySecret, both)).toEqual(['secret|ann'])
    expect(await users(byKey, both)).toEqual(['jwks|ann'])
    for (const options of [{ ...both, issuers: [iss] }, { secret: SECRET }]) {
      expect(await users(bySecret, options)).toEqual(['ann'])
    }
    for (const options of [{ ...both, issuers: [iss] }, { jwksUrl: JWKS_URL }]) {
      expect(await users(byKey, options)).toEqual(['ann'])
    }
  })

  it('must match the issuer', async () => {
    const options = { secret: SECRET, issuers: ['https://issuer.test'] }
    expect(await outcome(await sign({ iss: 'https://issuer.test' }), options)).toHaveProperty('id')
    expect(await outcome(await sign({ iss: 'https://evil.test' }), options)).toBe("its 'iss' claim is not accepted")
    expect(await outcome(await sign(), options)).toBe("its 'iss' claim is missing")
  })

  it.each(['HS384', 'HS512'])('is refused with %s', async (alg) => {
    expect(await outcome(await sign({}, { alg }, encode(SECRET.repeat(2))))).toBe(
      "wanted a JWS with an 'alg' of 'HS256'",
    )
  })

  it.each(['a.b.c', '..', 'eyJhbGciOiJIUzI1NiJ9.e30', 'eyJhbGciOiJIUzI1NiJ9.x.y', 'eyJhbGciOjF9.e30.x'])(
    "'%s' is rejected",
    async (token) => {
      expect(await outcome(token)).toMatch(/malformed|'alg'|signature/)
    },
  )

  it('is rejected without a signature', async () => {
    const unsigned = new UnsecuredJWT({ sub: 'ann', exp: NOW_S + 60 }).encode()
    expect(await outcome(unsigned)).toContain("'alg'")
    expect(await outcome(unsigned, { jwksUrl: JWKS_URL }, { fetch: serving(JWKS) })).toContain("'alg'")
    for (const alg of ['None', 'nOnE', '', 'HS256 ']) {
      const header = Buffer.from(JSON.stringify({ alg })).toString('base64url')
      expect(await outcome(`${header}.${unsigned.split('.')[1]}.`)).toContain("'alg'")
    }
  })

  it('is refused with an extension that it marks as critical', async () => {
    const [, payload, signature] = (await sign()).split('.')
    const header = Buffer.from(JSON.stringify({ alg: 'HS256', crit: ['x'], x: 1 })).toString('base64url')
    expect(await outcome(`${header}.${payload}.${signature}`)).toBe('it is malformed')
  })
})

describe('the claims', () => {
  const PATTERN = "a tool pattern such as '*', 'Gmail.*' or 'Gmail.GetEmails'"

  it.each([
    [{ scope: 'openid tools:call tools:publish' }, ['tools:call', 'tools:publish']],
    [{ scope: 'openid' }, []],
    [{ scope: '' }, []],
    [{ scopes: ['tools:read', 'x'] }, ['tools:read']],
    [{ scope: 'tools:read', scopes: ['admin'] }, ['tools:read']],
    [{ scope: 'tools:read', scopes: 1 }, ['tools:read']],
    [{ scopes: [] }, []],
    [{ scope: 'admin' }, ['admin']],
    [{ scope: 'superadmin' }, []],
  ])('the claims %j give the scopes %j', async (claims, scopes) => {
    expect(await outcome(await sign(claims))).toMatchObject({ scopes })
  })

  it.each([
    [{ tools: ['Gmail.*'] }, { tools: ['Gmail.*'] }],
    [{ tools: [] }, { tools: [] }],
    [{ users: 'any' }, { users: ['ann'] }],
    [{ users: 'any', scope: 'tools:call' }, { users: ['ann'] }],
    [{ users: 'any', scope: 'admin' }, { users: 'any' }],
    [{ users: ['bob'], scope: 'admin' }, { users: ['ann'] }],
  ])('the claims %j give the principal %j', async (claims, expected) => {
    expect(await outcome(await sign(claims))).toMatchObject(expected)
  })

  it.each([
    [{ sub: undefined }, "at 'sub': Is required"],
    [{ sub: '' }, "at 'sub': Must be 1 to 256 printable characters, got a string"],
    [{ sub: 5 }, "at 'sub': Must be 1 to 256 printable characters, got a number"],
    [{ sub: 'x'.repeat(257) }, "at 'sub': Must be 1 to 256 printable characters, got a string"],
    [{ sub: 'ann\nadmin' }, "at 'sub': Must be 1 to 256 printable characters, got a string"],
    [{ tools: 'Gmail.*' }, "at 'tools': Must be an array, got a string"],
    [{ tools: ['Gmail'] }, `at 'tools[0]': Must be ${PATTERN}, got a string`],
    [{ tools: null }, "at 'tools': Must be an array, got null"],
    [{ scope: ['admin'] }, "at 'scope': Must be a string, got an array of 1"],
    [{ scope: null }, "at 'scope': Must be a string, got null"],
    [{ scopes: 'admin' }, "at 'scopes': Must be an array of strings, got a string"],
    [{ scopes: [1] }, "at 'scopes': Must be an array of strings, got an array of 1"],
  ])('rejects the claims %j', async (claims, why) => {
    expect(await outcome(await sign(claims))).toBe(`Cannot read its claims ${why}`)
  })
})

describe('a JWT signed with a key of the JWKS', () => {
  const options = { jwksUrl: JWKS_URL }

  it.each([
    ['RS256', 'rsa', rs256.privateKey],
    ['ES256', 'ec', es256.privateKey],
    ['EdDSA', 'ed', edDSA.privateKey],
    ['Ed25519', 'ed', edDSA.privateKey],
  ])('is accepted with %s', async (alg, kid, key) => {
    expect(await outcome(await sign({}, { alg, kid }, key), options, { fetch: serving(JWKS) })).toHaveProperty(
      'id',
      'jwt:ann',
    )
  })

  it('needs no kid if one key fits', async () => {
    expect(
      await outcome(await sign({}, { alg: 'ES256' }, es256.privateKey), options, { fetch: serving(JWKS) }),
    ).toHaveProperty('id')
  })

  it('must name its key if several fit, which does not count as a failure of the JWKS', async () => {
    const keys = [...JWKS.keys, await publicJwk(stranger.publicKey, 'other')]
    const signed = (header: object) => sign({}, { alg: 'RS256', ...header }, rs256.privateKey)
    const platform = { fetch: serving({ keys }) }
    expect(await outcome(await signed({}), options, platform)).toBe(
      "several keys of the JWKS fit it, name one with 'kid'",
    )
    expect(await outcome(await signed({ kid: 'rsa' }), options, platform)).toHaveProperty('id', 'jwt:ann')
  })

  it('is rejected with another key', async () => {
    const token = await sign({}, { alg: 'RS256', kid: 'rsa' }, stranger.privateKey)
    expect(await outcome(token, options, { fetch: serving(JWKS) })).toBe('its signature does not verify')
  })

  it('cannot bring its own key or a URL of one', async () => {
    const fetch = serving(JWKS)
    const jwk = await exportJWK(stranger.publicKey)
    const header = { alg: 'RS256', kid: 'rsa', jwk, jku: 'https://evil.test/jwks', x5u: 'https://evil.test/x5u' }
    expect(await outcome(await sign({}, header, stranger.privateKey), options, { fetch })).toBe(
      'its signature does not verify',
    )
    expect(fetch.mock.calls).toEqual([[JWKS_URL, expect.objectContaining({ redirect: 'manual' })]])
  })

  it.each(['unknown', '../../rsa', 'https://evil.test/key', "rsa' or '1'='1"])(
    "chooses no key by the kid '%s'",
    async (kid) => {
      const fetch = serving(JWKS)
      expect(await outcome(await sign({}, { alg: 'RS256', kid }, rs256.privateKey), options, { fetch })).toBe(
        'no key of the JWKS fits it',
      )
      expect(fetch.mock.calls.every(([url]: unknown[]) => url === JWKS_URL)).toBe(true)
    },
  )

  it.each([
    ['the JWK', async () => JSON.stringify(JWKS.keys[0])],
    ['the modulus', async () => String(JWKS.keys[0]?.n)],
    ['the PEM', () => exportSPKI(rs256.publicKey)],
  ])('is refused with HS256 and %s for a secret', async (_, secret) => {
    const token = await sign({}, { alg: 'HS256', kid: 'rsa' }, encode(await secret()))
    expect(await outcome(token, options, { fetch: serving(JWKS) })).toContain("'alg'")
    expect(await outcome(token, { ...options, secret: SECRET }, { fetch: serving(JWKS) })).toBe(
      'its signature does not verify',
    )
  })

  it('is refused with a symmetric key that is in the JWKS', async () => {
    const keys = [{ kty: 'oct', kid: 'oct', k: Buffer.from(SECRET).toString('base64url') }]
    expect(await outcome(await sign({}, { kid: 'oct' }), options, { fetch: serving({ keys }) })).toContain("'alg'")
  })

  it.each(['PS256', 'RS512', 'ES384'])('is refused with %s', async (alg) => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
    const fetch = serving({ keys: [await publicJwk(publicKey, 'k')] })
    expect(await outcome(await sign({}, { alg, kid: 'k' }, privateKey), options, { fetch })).toContain("'alg'")
    expect(fetch).not.toHaveBeenCalled()
  })

  it('has another user than one signed with the secret, if both are configured', async () => {
    const both = { ...options, secret: SECRET }
    expect(await outcome(await sign(), both, { fetch: serving(JWKS) })).toHaveProperty('id')
    const token = await sign({}, { alg: 'RS256', kid: 'rsa' }, rs256.privateKey)
    expect(await outcome(token, both, { fetch: serving(JWKS) })).toHaveProperty('id')
    expect(await outcome(token)).toBe("wanted a JWS with an 'alg' of 'HS256'")
  })

  it('must match the same claims', async () => {
    const token = await sign({ aud: 'x' }, { alg: 'RS256', kid: 'rsa' }, rs256.privateKey)
    expect(await outcome(token, options, { fetch: serving(JWKS) })).toContain("'aud'")
  })

  it('fetches the keys once for many tokens', async () => {
    const fetch = serving(JWKS)
    const { verify } = createJwtVerifier(options, { fetch })
    for (let round = 0; round < 3; round++) {
      expect(
        await verify(await sign({ jti: `${round}` }, { alg: 'RS256', kid: 'rsa' }, rs256.privateKey)),
      ).toMatchObject({ ok: true })
    }
    expect(fetch).toHaveBeenCalledOnce()
  })
})

const token = await sign({}, { alg: 'RS256', kid: 'rsa' }, rs256.privateKey)

describe('an unavailable JWKS', () => {
  const closers: (() => void)[] = []
  afterEach(() => {
    closers.splice(0).forEach((close) => close())
    vi.restoreAllMocks()
  })

  /** A server on a free loopback port. */
  async function listen(handler: RequestListener): Promise<string> {
    const server = createServer(handler)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(() => (server.closeAllConnections(), server.close()))
    const address = server.address()
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/jwks`
  }

  const unavailable = { type: 'unavailable', message: 'Cannot check the JWT right now: its JWKS cannot be read' }

  it.each([
    ['is down', vi.fn(() => Promise.reject(new TypeError('fetch failed')))],
    ['fails', serving({}, 500)],
    ['sends elsewhere', serving({}, 302)],
    ['is no JWKS', serving({ keys: 'none' })],
    ['is no JSON', vi.fn(() => Promise.resolve(new Response('<html>')))],
  ])('makes every token unavailable if it %s', async (_, fetch) => {
    expect(await outcome(token, { jwksUrl: JWKS_URL }, { fetch })).toEqual(unavailable)
  })

  it.each([
    ['does not answer', true],
    ['never ends its answer', false],
  ])('is abandoned after four seconds if it %s', async (_, isSilent) => {
    const clock = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(clock.signal)
    const waiting = Promise.withResolvers<void>()
    const jwksUrl = await listen((_, response) => {
      if (isSilent) waiting.resolve()
      else response.writeHead(200).write('{"keys":[')
    })
    const told = outcome(
      token,
      { jwksUrl },
      {
        async fetch(url, init) {
          const response = await fetch(url, init)
          waiting.resolve()
          return response
        },
      },
    )
    await waiting.promise
    clock.abort()
    expect(await told).toEqual(unavailable)
    expect(timeout).toHaveBeenCalledExactlyOnceWith(4_000)
  })

  it('is not requested for two seconds, and then tried again', async () => {
    const clock = { now: Date.now() }
    const fetch = vi.fn<NonNullable<JwtPlatform['fetch']>>(() => Promise.resolve(Response.json(JWKS)))
    fetch.mockRejectedValueOnce(new TypeError('fetch failed'))
    const { verify } = createJwtVerifier({ jwksUrl: JWKS_URL }, { fetch, now: () => clock.now })
    expect(await verify(token)).toMatchObject({ ok: false })
    expect(await verify(token)).toMatchObject({ ok: false })
    expect(fetch).toHaveBeenCalledOnce()
    clock.now += 2_000
    expect(await verify(token)).toMatchObject({ ok: true })
  })

  it('is read over http on a loopback host', async () => {
    const url = await listen((_, response) => void response.end(JSON.stringify(JWKS)))
    expect(await outcome(token, { jwksUrl: url })).toHaveProperty('id')
  })
})

describe('invalid options', () => {
  it.each([
    ['nothing', {}],
    ['a short secret', { secret: 'x'.repeat(31) }],
    ['an empty secret', { secret: '' }],
    ['a JWKS over http', { jwksUrl: 'http://issuer.test/jwks' }],
    ['a JWKS in a file', { jwksUrl: 'file:///jwks' }],
    ['a JWKS nowhere', { jwksUrl: '' }],
  ])('are rejected: %s', (_, options) => {
    expect(() => createJwtVerifier(options)).toThrow(TypeError)
  })

  it('are rejected without quoting a secret', () => {
    expect(() => createJwtVerifier({ secret: 'hunter2' })).toThrow('wanted at least 32 bytes, got 7')
  })
})

describe('with rules for people', () => {
  const ISSUER = 'https://id.test'
  const rules = [
    { domain: 'acme.com', scopes: ['tools:read', 'tools:call'], tools: ['Gmail.*'] },
    { group: 'platform', scopes: ['admin'], tools: ['*'] },
  ] as const
  const people = { issuer: ISSUER, claims: { groups: 'groups' }, rules }
  const ann = { iss: ISSUER, sub: 'a1', email: 'Ann@acme.com', email_verified: true }
  const platform = { fetch: serving(JWKS) }
  const judged = async (claims: Record<string, unknown>, options: JwtOptions = {}) =>
    outcome(
      await sign(claims, { alg: 'ES256', kid: 'ec' }, es256.privateKey),
      { jwksUrl: JWKS_URL, issuers: [ISSUER], people, ...options },
      platform,
    )

  it('a plain token has the rights of its rules, as the user who would sign in', async () => {
    expect(await judged(ann)).toEqual({
      id: 'jwt:ann@acme.com',
      kind: 'jwt',
      scopes: ['tools:read', 'tools:call'],
      tools: ['Gmail.*'],
      users: ['ann@acme.com'],
    })
    expect(await judged({ ...ann, scope: 'openid profile email' })).toMatchObject({
      scopes: ['tools:read', 'tools:call'],
    })
    expect(await judged({ ...ann, groups: ['platform'] })).toMatchObject({ scopes: expect.arrayContaining(['admin']) })
  })

  it.each([
    [{ scope: 'openid tools:read' }, ['tools:read']],
    [{ scope: 'admin' }, ['tools:read', 'tools:call']],
    [{ scope: 'tools:publish' }, []],
    [{ scope: '' }, []],
    [{ scopes: [] }, []],
    [{ groups: ['platform'], scope: 'tools:call' }, ['tools:call']],
  ])('%j narrow those rights, and never add to them: %j', async (claims, scopes) => {
    expect(await judged({ ...ann, ...claims })).toMatchObject({ scopes })
  })

  it('a token that names its tools sets its own rights', async () => {
    expect(await judged({ ...ann, tools: ['Math.*'], scope: 'tools:call' })).toMatchObject({
      scopes: ['tools:call'],
      tools: ['Math.*'],
    })
    const stranger = { ...ann, email: 'eve@evil.com', tools: ['Math.*'] }
    expect(await judged(stranger)).toMatchObject({ tools: ['Math.*'], users: ['eve@evil.com'] })
  })

  it('a token that matches no rule is forbidden, whatever scopes it requests', async () => {
    for (const more of [{}, { scope: 'admin tools:call' }]) {
      expect(await judged({ ...ann, email: 'eve@evil.com', ...more })).toEqual({
        type: 'forbidden',
        reason: "SIGN_IN_RULES grants 'eve@evil.com' no access",
      })
    }
  })

  it('rejects an address that is not verified', async () => {
    const why = "it has no verified e-mail address in 'email': an administrator can name another claim in SIGN_IN_USER"
    expect(await judged({ ...ann, email_verified: false })).toBe(why)
    expect(await judged({ iss: ISSUER, sub: 'ann@acme.com', tools: ['*'] })).toBe(why)
  })

  it('uses the sub of a service without an address', async () => {
    expect(await judged({ iss: ISSUER, sub: 'client-1', tools: ['Math.*'] })).toMatchObject({ users: ['client-1'] })
  })

  it('SIGN_IN_USER names another claim', async () => {
    const byOid = { people: { ...people, claims: { user: 'oid', groups: 'groups' } } }
    expect(await judged({ ...ann, oid: 'o1' }, byOid)).toMatchObject({ users: ['o1'] })
    expect(await judged(ann, byOid)).toContain("in 'oid'")
  })

  it('the provider can be one of several issuers', async () => {
    const other = 'https://other.test'
    const both = { issuers: [ISSUER, other] }
    expect(await judged(ann, both)).toMatchObject({ users: [`${ISSUER}|ann@acme.com`] })
    expect(await judged({ ...ann, iss: other }, both)).toMatchObject({ users: [`${other}|a1`] })
    // Also where its own tokens are not taken
    expect(await judged({ ...ann, iss: other, sub: 'ann@acme.com' }, { issuers: [other] })).toMatchObject({
      users: [`${other}|ann@acme.com`],
    })
  })

  it('a token signed with the secret keeps its user', async () => {
    const token = await sign({ sub: 'ann', iss: ISSUER })
    const options = { secret: SECRET, jwksUrl: JWKS_URL, issuers: [ISSUER], people }
    expect(await outcome(token, options, platform)).toMatchObject({ users: ['ann'], tools: ['*'] })
  })

  it('the user stays the sub without sign-in', async () => {
    const alone = { people: { claims: { groups: 'groups' }, rules } }
    expect(await judged(ann, alone)).toMatchObject({ users: ['a1'], tools: ['Gmail.*'] })
  })
})

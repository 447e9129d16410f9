import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ADMIN, ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import type { ApiKey } from '../../../src/core/access/api-key.ts'
import { fail, ok, type Result } from '../../../src/core/failure/failure.ts'
import { type AuthenticatorOptions, createAuthenticator } from '../../../src/http/caller/authenticate.ts'
import type { JwtVerifier } from '../../../src/http/caller/jwt.ts'

afterEach(() => vi.restoreAllMocks())

const START = Date.parse('2026-11-01T00:00:00Z')
const ADMIN_KEY = 'correct-horse-battery'
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

const apiKey = (id: string, some: Partial<ApiKey> = {}): ApiKey => ({
  id,
  name: id,
  scopes: ['tools:call'],
  tools: ['Gmail.*'],
  users: ['ann'],
  created_at: '2026-10-01T00:00:00Z',
  ...some,
})

/** An authenticator over keys in a map, with a clock to turn and a count of look-ups. */
function setUp(some: Partial<AuthenticatorOptions> = {}, stored: Record<string, ApiKey> = {}) {
  const keys = new Map(Object.entries(stored).map(([text, key]) => [hashOf(text), key]))
  const clock = { now: START }
  const findKey = vi.fn((hash: string) => Promise.resolve(keys.get(hash)))
  const authenticator = createAuthenticator({
    access: 'keys',
    adminKey: ADMIN_KEY,
    findKey,
    sha256: (text) => Promise.resolve(hashOf(text)),
    now: () => clock.now,
    ...some,
  })
  const ask = (headers: HeadersInit = {}, url = 'https://switchboard.test/tools') =>
    authenticator.authenticate(new Request(url, { headers }))
  return { ...authenticator, ask, keys, clock, findKey }
}

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })

async function who(verdict: Result<Principal> | Promise<Result<Principal>>): Promise<string> {
  const result = await verdict
  return result.ok ? result.value.id : result.failure.type
}

async function reasonOf(verdict: Result<Principal> | Promise<Result<Principal>>): Promise<string> {
  const result = await verdict
  return !result.ok && result.failure.type === 'unauthenticated' ? result.failure.reason : 'none'
}

describe('a credential', () => {
  it.each([
    ['Authorization: Bearer', { authorization: 'Bearer sb_a000000000000000000000000000000000000000000' }],
    ['any case of the scheme', { authorization: 'bEARER  sb_a000000000000000000000000000000000000000000' }],
    ['OXP-API-Key', { 'oxp-api-key': 'sb_a000000000000000000000000000000000000000000' }],
    [
      'both, the same',
      {
        'authorization': 'Bearer sb_a000000000000000000000000000000000000000000',
        'oxp-api-key': 'sb_a000000000000000000000000000000000000000000',
      },
    ],
  ])('is read from %s', async (_, headers) => {
    const { ask } = setUp({}, { sb_a000000000000000000000000000000000000000000: apiKey('a') })
    expect(await ask(headers)).toEqual(
      ok({ id: 'key:a', name: 'a', kind: 'key', scopes: ['tools:call'], tools: ['Gmail.*'], users: ['ann'] }),
    )
  })

  it.each([
    ['another scheme', { authorization: 'Basic c2JfYTo=' }, "'Authorization'"],
    ['a bare key', { authorization: 'sb_a000000000000000000000000000000000000000000' }, "'Authorization'"],
    ['an empty header', { authorization: '' }, "'Authorization'"],
    ['an empty bearer', { authorization: 'Bearer ' }, "'Authorization'"],
    [
      'two words',
      {
        authorization:
          'Bearer sb_a000000000000000000000000000000000000000000 sb_b000000000000000000000000000000000000000000',
      },
      "'Authorization'",
    ],
    ['an empty key', { 'oxp-api-key': '' }, "'OXP-API-Key'"],
    [
      'two that differ',
      { 'authorization': `Bearer sb_a000000000000000000000000000000000000000000`, 'oxp-api-key': ADMIN_KEY },
      'different',
    ],
    [
      'another scheme beside a key',
      { 'authorization': 'Basic x', 'oxp-api-key': 'sb_a000000000000000000000000000000000000000000' },
      "'Authorization'",
    ],
    [
      'a key beside an empty one',
      { 'authorization': 'Bearer sb_a000000000000000000000000000000000000000000', 'oxp-api-key': '' },
      "'OXP-API-Key'",
    ],
    ['one of 8,193 characters', bearer('x'.repeat(8_193)), '8192'],
  ])('is rejected with %s', async (_, headers, word) => {
    const { ask, findKey } = setUp(
      {},
      {
        sb_a000000000000000000000000000000000000000000: apiKey('a'),
        sb_b000000000000000000000000000000000000000000: apiKey('b'),
      },
    )
    expect(await reasonOf(ask(headers))).toContain(word)
    expect(findKey).not.toHaveBeenCalled()
  })

  it.each(['authorization', 'oxp-api-key'])('is rejected when %s is sent twice', async (name) => {
    const prefix = name === 'authorization' ? 'Bearer ' : ''
    const headers = new Headers([
      [name, `${prefix}sb_a000000000000000000000000000000000000000000`],
      [name, `${prefix}sb_b000000000000000000000000000000000000000000`],
    ])
    const { ask, findKey } = setUp(
      {},
      {
        sb_a000000000000000000000000000000000000000000: apiKey('a'),
        sb_b000000000000000000000000000000000000000000: apiKey('b'),
      },
    )
    expect(await who(ask(headers))).toBe('unauthenticated')
    expect(findKey).not.toHaveBeenCalled()
  })

  it('is requested if it is missing', async () => {
    expect(await reasonOf(setUp().ask())).toBe(
      "Present a credential: 'Authorization: Bearer <key>' or 'OXP-API-Key: <key>'",
    )
  })

  it('is rejected with a reason if it is unknown, up to the longest one', async () => {
    for (const credential of ['nobody', 'x'.repeat(8_192)]) {
      expect(await reasonOf(setUp().ask(bearer(credential)))).toBe(
        'Cannot accept the credential: this key is unknown, and may have been revoked',
      )
    }
  })

  it.each([
    ['a key', 'sb_a000000000000000000000000000000000000000000', 'rate-limited'],
    ['a JWT', 'eyJh.eyJz.c2ln', 'rate-limited'],
    ['what is neither', 'nobody', 'unauthenticated'],
    ['the administrator', ADMIN_KEY, 'admin'],
  ])('beyond the rate is not looked up: %s', async (_, credential, answer) => {
    const verify = vi.fn()
    const { authenticate, findKey } = setUp({ jwt: { verify } })
    const limited = () => fail({ type: 'rate-limited', retry_after_ms: 1 })
    const verdict = authenticate(new Request('https://sb.test/', { headers: bearer(credential) }), limited)
    expect(await who(verdict)).toBe(answer)
    expect([findKey.mock.calls, verify.mock.calls]).toEqual([[], []])
  })

  it('is needed on loopback hosts too', async () => {
    expect(await who(setUp().ask({}, 'http://localhost/'))).toBe('unauthenticated')
  })

  it('is never quoted in a reason', async () => {
    expect(await reasonOf(setUp().ask(bearer('sb_secret0000000000000000000000000000000000000')))).not.toContain(
      'sb_secret0000000000000000000000000000000000000',
    )
  })
})

describe('the administrator', () => {
  it('is authenticated by exactly ADMIN_KEY', async () => {
    const { ask, findKey } = setUp()
    expect(await ask(bearer(ADMIN_KEY))).toEqual(ok(ADMIN))
    expect(findKey).not.toHaveBeenCalled()
    for (const wrong of [ADMIN_KEY.slice(0, -1), `${ADMIN_KEY}x`, ADMIN_KEY.toUpperCase(), hashOf(ADMIN_KEY)]) {
      expect(await who(ask(bearer(wrong)))).toBe('unauthenticated')
    }
  })

  it('is found by the hash of the key, which may have 16 characters', async () => {
    const adminKey = 'sixteen--letters'
    const { ask, loadPrincipal } = setUp({ adminKey })
    expect(await who(ask(bearer(adminKey)))).toBe('admin')
    expect(await loadPrincipal(hashOf(adminKey))).toEqual({ result: ok(ADMIN) })
  })

  it('may have a key that looks like a JWT', async () => {
    const jwt: JwtVerifier = { verify: vi.fn() }
    const adminKey = 'aaaaaaaa.bbbbbbbb.cccccccc'
    expect(await who(setUp({ adminKey, jwt }).ask(bearer(adminKey)))).toBe('admin')
    expect(jwt.verify).not.toHaveBeenCalled()
  })

  it.each(['', 'x', 'fifteen-letters'])('does not exist if ADMIN_KEY is %j', async (adminKey) => {
    const { ask } = setUp({ adminKey })
    expect(await who(ask(bearer(adminKey || 'undefined')))).toBe('unauthenticated')
    expect(await reasonOf(ask(bearer('fifteen-letters')))).toContain('wrangler secret put ADMIN_KEY')
  })

  it('does not exist without ADMIN_KEY, and every 401 says what to set', async () => {
    const { ask } = setUp({ adminKey: undefined as never })
    for (const headers of [{}, bearer('undefined'), { authorization: 'Basic x' }]) {
      expect(await reasonOf(ask(headers))).toMatch(/`npx wrangler secret put ADMIN_KEY`.*\.dev\.vars.*POST \/keys/)
    }
  })

  it('is not required for keys to work', async () => {
    expect(
      await who(
        setUp({ adminKey: '' }, { sb_a000000000000000000000000000000000000000000: apiKey('a') }).ask(
          bearer('sb_a000000000000000000000000000000000000000000'),
        ),
      ),
    ).toBe('key:a')
  })

  it('is not mentioned in a 401 if ADMIN_KEY is set', async () => {
    expect(await reasonOf(setUp().ask(bearer('nobody')))).not.toContain('ADMIN_KEY')
    const jwt = { adminKey: '', jwt: { verify: vi.fn() } }
    expect(await reasonOf(setUp(jwt).ask(bearer('nobody')))).not.toContain('ADMIN_KEY')
  })
})

describe('cached credentials', () => {
  it('are checked once, each for its own requests', async () => {
    const { ask, findKey } = setUp(
      {},
      {
        sb_a000000000000000000000000000000000000000000: apiKey('a'),
        sb_b000000000000000000000000000000000000000000: apiKey('b'),
      },
    )
    await Promise.all([
      ask(bearer('sb_a000000000000000000000000000000000000000000')),
      ask(bearer('sb_b000000000000000000000000000000000000000000')),
      ask(bearer(ADMIN_KEY)),
      ask(bearer('nobody')),
    ])
    findKey.mockClear()
    expect(await ask(bearer('sb_a000000000000000000000000000000000000000000'))).toMatchObject({
      value: { id: 'key:a' },
    })
    expect(await ask({ 'oxp-api-key': 'sb_b000000000000000000000000000000000000000000' })).toMatchObject({
      value: { id: 'key:b' },
    })
    expect(await ask(bearer(ADMIN_KEY))).toEqual(ok(ADMIN))
    expect(await ask(bearer('nobody'))).toMatchObject({ failure: { type: 'unauthenticated' } })
    expect(await ask()).toMatchObject({ failure: { type: 'unauthenticated' } })
    expect(findKey).not.toHaveBeenCalled()
  })

  it('of a key are valid for at most a minute', async () => {
    const { ask, keys, clock } = setUp({}, { sb_a000000000000000000000000000000000000000000: apiKey('a') })
    await ask(bearer('sb_a000000000000000000000000000000000000000000'))
    keys.clear()
    clock.now += 60_000
    expect(await who(ask(bearer('sb_a000000000000000000000000000000000000000000')))).toBe('unauthenticated')
  })

  it('expire with the key', async () => {
    const { ask, clock } = setUp(
      {},
      { sb_a000000000000000000000000000000000000000000: apiKey('a', { expires_at: '2026-11-01T00:00:02.000Z' }) },
    )
    expect(await who(ask(bearer('sb_a000000000000000000000000000000000000000000')))).toBe('key:a')
    clock.now += 1_999
    expect(await ask(bearer('sb_a000000000000000000000000000000000000000000'))).toMatchObject({ ok: true })
    clock.now += 1
    expect(await reasonOf(ask(bearer('sb_a000000000000000000000000000000000000000000')))).toContain(
      "it expired at '2026-11-01T00:00:02.000Z'",
    )
  })

  it('reject a key whose expiry cannot be read', async () => {
    const { ask } = setUp({}, { sb_a000000000000000000000000000000000000000000: apiKey('a', { expires_at: 'soon' }) })
    expect(await who(ask(bearer('sb_a000000000000000000000000000000000000000000')))).toBe('unauthenticated')
  })

  it('of unknown keys are rejected for five seconds only, so that a new key soon works', async () => {
    const { ask, keys, clock, findKey } = setUp()
    await ask(bearer('sb_a000000000000000000000000000000000000000000'))
    keys.set(hashOf('sb_a000000000000000000000000000000000000000000'), apiKey('a'))
    clock.now += 4_999
    expect(await who(ask(bearer('sb_a000000000000000000000000000000000000000000')))).toBe('unauthenticated')
    expect(findKey).toHaveBeenCalledTimes(1)
    clock.now += 1
    expect(await who(ask(bearer('sb_a000000000000000000000000000000000000000000')))).toBe('key:a')
  })

  it('are cleared on demand, so that a new key works at once', async () => {
    const { ask, keys, forget } = setUp()
    await ask(bearer('sb_a000000000000000000000000000000000000000000'))
    keys.set(hashOf('sb_a000000000000000000000000000000000000000000'), apiKey('a'))
    forget()
    expect(await who(ask(bearer('sb_a000000000000000000000000000000000000000000')))).toBe('key:a')
  })

  it('do not include checks that ran while the cache was cleared', async () => {
    const { ask, findKey, forget } = setUp()
    findKey.mockImplementationOnce(() => {
      forget()
      return Promise.resolve(apiKey('a'))
    })
    expect(await who(ask(bearer('sb_a000000000000000000000000000000000000000000')))).toBe('key:a')
    expect(await who(ask(bearer('sb_a000000000000000000000000000000000000000000')))).toBe('unauthenticated')
  })

  it('do not include failures of the store', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const { ask, findKey } = setUp({}, { sb_a000000000000000000000000000000000000000000: apiKey('a') })
    findKey.mockRejectedValueOnce(new Error('KV is down'))
    expect(await ask(bearer('sb_a000000000000000000000000000000000000000000'))).toMatchObject({
      failure: { type: 'unavailable', message: 'Cannot check the credential right now' },
    })
    expect(await who(ask(bearer('sb_a000000000000000000000000000000000000000000')))).toBe('key:a')
    expect(error).toHaveBeenCalledOnce()
  })

  it('are looked up by each request on its own', async () => {
    const { ask, findKey } = setUp({}, { sb_a000000000000000000000000000000000000000000: apiKey('a') })
    const [first, second] = [
      ask(bearer('sb_a000000000000000000000000000000000000000000')),
      ask(bearer('sb_a000000000000000000000000000000000000000000')),
    ]
    expect(first).not.toBe(second)
    await Promise.all([first, second])
    expect(findKey).toHaveBeenCalledTimes(2)
  })

  it('of valid keys survive many wrong ones', async () => {
    const { ask, findKey } = setUp({}, { sb_a000000000000000000000000000000000000000000: apiKey('a') })
    await ask(bearer('sb_a000000000000000000000000000000000000000000'))
    for (let index = 0; index < 2_000; index++) await ask(bearer(`${index}${'x'.repeat(4_000)}`))
    findKey.mockClear()
    expect(await ask(bearer('sb_a000000000000000000000000000000000000000000'))).toMatchObject({ ok: true })
  })
})

describe('a deleted key', () => {
  it('is rejected at once, even if the store still has it', async () => {
    const { ask, forgetKey } = setUp(
      {},
      {
        sb_a000000000000000000000000000000000000000000: apiKey('a'),
        sb_b000000000000000000000000000000000000000000: apiKey('b'),
      },
    )
    await Promise.all([
      ask(bearer('sb_a000000000000000000000000000000000000000000')),
      ask(bearer('sb_b000000000000000000000000000000000000000000')),
    ])
    forgetKey('a')
    expect(await who(ask(bearer('sb_a000000000000000000000000000000000000000000')))).toBe('unauthenticated')
    expect(await ask(bearer('sb_b000000000000000000000000000000000000000000'))).toMatchObject({ ok: true })
  })

  it('is rejected for a request that was looking it up', async () => {
    const { ask, forgetKey } = setUp({}, { sb_a000000000000000000000000000000000000000000: apiKey('a') })
    const verdict = ask(bearer('sb_a000000000000000000000000000000000000000000'))
    forgetKey('a')
    expect(await who(verdict)).toBe('unauthenticated')
  })
})

describe('a JWT', () => {
  const principal: Principal = { id: 'jwt:ann', kind: 'jwt', scopes: ['tools:call'], tools: ['*'], users: ['ann'] }
  const TOKEN = 'eyJh.eyJz.c2ln'

  it('is checked by the verifier only', async () => {
    const verify = vi.fn(() => Promise.resolve(ok({ principal, expiresAt: START + 10_000 })))
    const { ask, clock, findKey } = setUp({ jwt: { verify } })
    expect(await who(ask(bearer(TOKEN)))).toBe('jwt:ann')
    clock.now += 9_999
    expect(await ask(bearer(TOKEN))).toEqual(ok(principal))
    expect(verify).toHaveBeenCalledOnce()
    clock.now += 1
    await ask(bearer(TOKEN))
    expect(verify).toHaveBeenCalledTimes(2)
    expect(findKey).not.toHaveBeenCalled()
  })

  it.each(['sb_a000000000000000000000000000000000000000000', 'a.b', 'a.b.c.d', '.b.c', 'a.b.c=', 'a.b+.c'])(
    "is not '%s'",
    async (credential) => {
      const verify = vi.fn(() => Promise.resolve(ok({ principal, expiresAt: Infinity })))
      expect(await who(setUp({ jwt: { verify } }).ask(bearer(credential)))).toBe('unauthenticated')
      expect(verify).not.toHaveBeenCalled()
    },
  )

  it('without a signature is also checked by the verifier', async () => {
    const verify = vi.fn(() => Promise.resolve(fail({ type: 'unauthenticated', reason: 'unsigned' })))
    expect(await reasonOf(setUp({ jwt: { verify } }).ask(bearer('eyJh.eyJz.')))).toBe('unsigned')
  })

  it('is rejected without a verifier, and not looked up', async () => {
    const { ask, findKey } = setUp()
    expect(await who(ask(bearer(TOKEN)))).toBe('unauthenticated')
    expect(findKey).not.toHaveBeenCalled()
  })

  it('is checked again if the verifier was unavailable', async () => {
    const verify = vi.fn<JwtVerifier['verify']>()
    verify.mockResolvedValueOnce(fail({ type: 'unavailable', message: 'Cannot check the JWT right now' }))
    verify.mockResolvedValueOnce(ok({ principal, expiresAt: Infinity }))
    const { ask } = setUp({ jwt: { verify } })
    expect(await who(ask(bearer(TOKEN)))).toBe('unavailable')
    expect(await who(ask(bearer(TOKEN)))).toBe('jwt:ann')
  })
})

describe('ACCESS=public', () => {
  const setUpPublic = () => setUp({ access: 'public' }, { sb_a000000000000000000000000000000000000000000: apiKey('a') })

  it('accepts requests without a credential as anonymous', async () => {
    expect(await setUpPublic().ask()).toEqual(ok(ANONYMOUS))
  })

  it('rejects wrong credentials', async () => {
    const { ask } = setUpPublic()
    expect(await who(ask(bearer('sb_a000000000000000000000000000000000000000000')))).toBe('key:a')
    expect(await who(ask(bearer('nobody')))).toBe('unauthenticated')
    expect(await ask(bearer('nobody'))).toMatchObject({ ok: false })
    expect(await who(ask({ authorization: '' }))).toBe('unauthenticated')
  })
})

describe('ACCESS=open', () => {
  const setUpOpen = () =>
    setUp({ access: 'open', adminKey: '' }, { sb_a000000000000000000000000000000000000000000: apiKey('a') })

  it.each([
    'http://localhost/',
    'http://LOCALHOST:8787/',
    'http://127.0.0.1:8787/',
    'http://127.9.9.9/',
    'http://127.10.200.255/',
    'http://0x7f.1/',
    'https://[::1]:1/',
  ])('allows %s', async (url) => {
    expect(await setUpOpen().ask({}, url)).toEqual(ok({ ...ADMIN, id: 'open' }))
  })

  it.each([
    'https://switchboard.test/',
    'http://localhost.test/',
    'http://a.localhost/',
    'http://127.0.0.1.test/',
    'http://127.test/',
    'http://10.0.0.1/',
    'http://0.0.0.0/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::]/',
    'http://switchboard.test/localhost',
  ])('does not allow %s', async (url) => {
    const { ask } = setUpOpen()
    expect(await reasonOf(ask({}, url))).toMatch(/ACCESS=open holds for loopback hosts only.*ADMIN_KEY/)
    expect(await reasonOf(ask(bearer('nobody'), url))).toContain('ACCESS=open holds for loopback hosts only')
    expect(await who(ask(bearer('sb_a000000000000000000000000000000000000000000'), url))).toBe('key:a')
  })

  it('ignores headers about the host', async () => {
    const headers = { 'host': 'localhost', 'x-forwarded-host': 'localhost', 'forwarded': 'host=localhost' }
    expect(await who(setUpOpen().ask(headers))).toBe('unauthenticated')
  })

  it.each([
    'evil.test',
    'evil.test:8787',
    'localhost.evil.test',
    'localhost@evil.test',
    'localhost, evil.test',
    '',
    '10.0.0.1',
  ])("is not available for the Host '%s', whatever the URL says", async (host) => {
    const { ask } = setUpOpen()
    expect(await who(ask({ host }, 'http://localhost:8787/'))).toBe('unauthenticated')
    expect(await who(ask({ host, ...bearer('nobody') }, 'http://localhost:8787/'))).toBe('unauthenticated')
  })

  it.each(['localhost', 'LOCALHOST:8787', '127.0.0.1:1', '[::1]:8787'])(
    "is available for the Host '%s'",
    async (host) => {
      expect(await setUpOpen().ask({ host }, 'http://localhost:8787/')).toMatchObject({ value: { id: 'open' } })
    },
  )

  const named = new Set(['http://localhost:3000', 'https://[::1]:5173', 'https://inspector.test'])

  it.each(['http://localhost:8787', 'http://localhost:3000', 'https://[::1]:5173'])(
    'allows a page of its own origin, or of a listed loopback origin: %s',
    async (origin) => {
      const { ask } = setUp({ access: 'open', allowOrigins: named })
      expect(await ask({ origin }, 'http://localhost:8787/')).toMatchObject({ value: { id: 'open' } })
    },
  )

  it('rejects pages of a listed origin that is not a loopback host', async () => {
    const { ask } = setUp({ access: 'open', allowOrigins: named })
    expect(await who(ask({ origin: 'https://inspector.test' }, 'http://localhost:8787/'))).toBe('unauthenticated')
  })

  it.each([
    'https://evil.test',
    'http://localhost:3000',
    'http://127.0.0.1:8787',
    'https://localhost:8787',
    'http://localhost:8787/',
    'null',
    '',
    'localhost',
    'http://localhost.evil.test',
    'http://localhost@evil.test',
    'chrome-extension://localhost',
    'http://localhost, https://evil.test',
  ])("rejects a page of '%s'", async (origin) => {
    const { ask } = setUpOpen()
    expect(await who(ask({ origin }, 'http://localhost:8787/'))).toBe('unauthenticated')
    expect(await who(ask({ origin, ...bearer('nobody') }, 'http://localhost:8787/'))).toBe('unauthenticated')
  })

  it('accepts a key as its principal, and ignores unknown ones', async () => {
    const { ask } = setUpOpen()
    const url = 'http://localhost/'
    expect(await who(ask(bearer('sb_a000000000000000000000000000000000000000000'), url))).toBe('key:a')
    expect(await who(ask(bearer('nobody'), url))).toBe('open')
    expect(await ask(bearer('nobody'), url)).toMatchObject({ value: { id: 'open' } })
    expect(await ask({ authorization: 'Basic x' }, url)).toMatchObject({ value: { id: 'open' } })
  })

  it('does not apply an open result to other hosts', async () => {
    const { ask } = setUpOpen()
    await ask(bearer('nobody'), 'http://localhost/')
    expect(await who(ask(bearer('nobody')))).toBe('unauthenticated')
  })
})

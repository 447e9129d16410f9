import { formatNotSetUp } from '../../../src/core/failure/failure-text.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asking, challenged, consent, createWorld, MAIL, MINUTE, tool, type World } from './world.ts'

const tokenOf = (granted: object) => ('token' in granted ? String(granted.token) : JSON.stringify(granted))
const get = async (world: World, user: string) => tokenOf(await world.vault.tokenFor(asking(user)))

/** A user with a grant whose access token has ended. */
async function expired(world: World, name = 'ann'): Promise<string> {
  const user = world.user(name)
  await consent(world, user, name)
  world.time += 61 * MINUTE
  return user
}

describe('a grant', () => {
  it('gives its token until that is about to expire, and then a new one', async () => {
    const world = createWorld()
    const user = world.user('ann')
    await consent(world, user, 'ann')
    const first = await get(world, user)
    expect(world.provider.whose(first)).toBe('ann')
    world.time += 58 * MINUTE
    expect(await get(world, user)).toBe(first)
    world.time += 1.5 * MINUTE
    const second = await get(world, user)
    expect(second).not.toBe(first)
    expect(world.provider.whose(second)).toBe('ann')
    expect(await get(world, user)).toBe(second)
    expect(world.provider.count('refresh_token')).toBe(1)
  })

  it.each([false, true])('is refreshed once for 50 calls at once (rotating: %s)', async (rotate) => {
    const world = createWorld()
    world.provider.rotate = rotate
    const user = await expired(world)
    const tokens = await Promise.all(Array.from({ length: 50 }, () => get(world, user)))
    expect(new Set(tokens.map(world.provider.whose))).toEqual(new Set(['ann']))
    expect(world.provider.count('refresh_token')).toBe(1)
    expect((await world.vault.list(user)).map(({ refreshable }) => refreshable)).toEqual([true])
  })

  it('stores a rotated refresh token before anyone gets the new access token', async () => {
    const world = createWorld()
    world.provider.rotate = true
    const user = await expired(world)
    const token = await get(world, user)
    // As after a crash the moment that the answer was out
    world.deploy()
    expect(await get(world, user)).toBe(token)
    world.time += 61 * MINUTE
    expect(world.provider.whose(await get(world, user))).toBe('ann')
  })

  it('without an expiry time is used until an API refuses it', async () => {
    const world = createWorld()
    world.provider.expiresIn = undefined
    const user = world.user('ann')
    await consent(world, user, 'ann')
    const token = await get(world, user)
    world.time += 1_000 * 24 * 60 * MINUTE
    expect(await get(world, user)).toBe(token)
    const renewed = tokenOf(await world.vault.renew(asking(user), token, false))
    expect(world.provider.whose(renewed)).toBe('ann')
    expect(renewed).not.toBe(token)
  })

  it('whose tokens last only seconds is refreshed once per call, and not endlessly', async () => {
    const world = createWorld()
    world.provider.expiresIn = 1
    const user = await expired(world)
    for (let call = 1; call <= 3; call++) {
      expect(world.provider.whose(await get(world, user))).toBe('ann')
      expect(world.provider.count('refresh_token')).toBe(call)
      world.time += MINUTE
    }
  })

  it('without a refresh token is requested again once its token has expired', async () => {
    const world = createWorld()
    world.provider.refreshes = false
    const user = world.user('ann')
    await consent(world, user, 'ann')
    world.time += 59.5 * MINUTE
    expect(world.provider.whose(await get(world, user))).toBe('ann')
    world.time += MINUTE
    expect(challenged(await world.vault.tokenFor(asking(user))).reason).toContain('ended or was revoked')
    expect(world.provider.count('refresh_token')).toBe(0)
  })
})

describe('a token that the API refused', () => {
  it('is replaced once for everyone who has it', async () => {
    const world = createWorld()
    world.provider.rotate = true
    const user = world.user('ann')
    await consent(world, user, 'ann')
    const refused = await get(world, user)
    const renewed = await Promise.all(
      Array.from({ length: 20 }, async () => tokenOf(await world.vault.renew(asking(user), refused, false))),
    )
    expect(new Set(renewed).size).toBe(1)
    expect(renewed[0]).not.toBe(refused)
    expect(world.provider.count('refresh_token')).toBe(1)
  })

  it('a second time is a challenge, and the grant stays until it is replaced', async () => {
    const world = createWorld()
    const user = world.user('ann')
    await consent(world, user, 'ann')
    const token = await get(world, user)
    expect(challenged(await world.vault.renew(asking(user), token, true)).reason).toContain('a new one too')
    expect(await get(world, user)).toBe(token)
    expect(world.provider.count('refresh_token')).toBe(0)
  })
})

describe('a grant that the provider no longer accepts', () => {
  it('is deleted, and a challenge says why each time, until the user consents again', async () => {
    const world = createWorld()
    const user = await expired(world)
    for (const token of world.provider.issued.values()) token.live = false
    for (let call = 0; call < 3; call++) {
      expect(challenged(await world.vault.tokenFor(asking(user))).reason).toMatch(/invalid_grant.*no longer accepted/)
    }
    expect(world.provider.count('refresh_token')).toBe(1)
    expect(await world.vault.list(user)).toEqual([])
    await consent(world, user, 'ann')
    expect(world.provider.whose(await get(world, user))).toBe('ann')
  })
})

const CLIENT_UNAUTHORIZED = {
  error: 'unauthorized_client',
  error_description: 'Invalid client or Invalid client credentials',
}
const HTML = { 'content-type': 'text/html' }

describe('a refusal of a refresh', () => {
  it.each<[string, number, object | string]>([
    ['as HubSpot words it', 400, { status: 'BAD_REFRESH_TOKEN', message: 'missing or invalid refresh token' }],
    ['as Atlassian words it', 403, { error: 'unauthorized_client', error_description: 'refresh_token is invalid' }],
    ['as X words it', 400, { error: 'invalid_request' }],
    ['as Microsoft words it', 400, { error: 'interaction_required', error_codes: [50_076] }],
    ['as Fitbit words it', 400, { errors: [{ errorType: 'invalid_grant' }], success: false }],
    ['as Keycloak words it, with 401', 401, { error: 'unauthorized_client', error_description: 'Session not active' }],
    ['in an object as the error', 401, { error: { code: 'TokenExpired', message: 'Log in again' } }],
    ['in an object that names nothing', 403, { error: { message: 'Log in again' } }],
    ['in a number as the error', 400, { error: 17 }],
    ['in words nobody knows', 422, { error: 'grant_is_pining_for_the_fjords' }],
    ['in words nobody knows, with 200', 200, { ok: false, error: 'grant_is_no_more' }],
    ['in a list', 400, ['expired']],
    ['in plain words', 401, 'The refresh token has expired'],
    ['in no words', 400, ''],
  ])('%s: the person is asked again', async (_, status, said) => {
    const world = createWorld()
    const user = await expired(world)
    const body = typeof said === 'string' ? said : JSON.stringify(said)
    world.provider.bend = async (path) => (path === '/token' ? new Response(body, { status }) : undefined)
    expect(challenged(await world.vault.tokenFor(asking(user))).reason).toMatch(/no longer accepted/)
    world.provider.bend = async () => undefined
    await consent(world, user, 'ann')
    expect(world.provider.whose(await get(world, user))).toBe('ann')
  })

  it.each<[string, number, object | string, HeadersInit?]>([
    ['the secret is wrong', 401, { error: 'invalid_client' }],
    ['the secret is wrong, as HubSpot words it', 400, { status: 'BAD_CLIENT_SECRET' }],
    ['the secret is wrong, in an object', 401, { error: { type: 'invalid_client' } }],
    ['the secret is wrong, as Keycloak words it', 401, CLIENT_UNAUTHORIZED],
    ['the secret is missing', 400, { error: 'invalid_request', error_description: 'Missing client_secret' }],
    ['a firewall refuses', 403, '<html><h1>Forbidden</h1>', HTML],
    ['a firewall refuses in plain words', 403, 'error code: 1020'],
    ['a proxy finds the request bad', 400, '<!DOCTYPE html>', HTML],
    ['nothing is there', 404, { error: 'Not Found' }],
    ['it takes too long', 408, {}],
    ['it is asked too often', 429, { error: 'rate_limited' }],
    ['it is asked too often, with 400', 400, { error: 'rate_limit_exceeded' }],
    ['it is down, with 400', 400, { error: 'temporarily_unavailable' }],
    ['it is down, with 200', 200, { ok: false, error: 'internal_error' }],
    ['it is down', 503, { error: 'invalid_request' }],
  ])('because %s: the grant is kept', async (_, status, said, headers = {}) => {
    const world = createWorld()
    const user = await expired(world)
    const body = typeof said === 'string' ? said : JSON.stringify(said)
    world.provider.bend = async (path) => (path === '/token' ? new Response(body, { status, headers }) : undefined)
    expect(await world.vault.tokenFor(asking(user))).toMatchObject({ unavailable: expect.any(String) })
    world.provider.bend = async () => undefined
    expect(world.provider.whose(await get(world, user))).toBe('ann')
  })
})

describe('a provider that fails', () => {
  it.each<[string, () => Promise<Response>, RegExp, (number | undefined)?, RegExp?]>([
    ['is down', () => Promise.reject(new TypeError('refused')), /'mail' cannot be asked now/],
    ['answers 500', async () => new Response('Out of order', { status: 500 }), /it answered 500/],
    ['answers HTML', async () => new Response('<h1>Hello</h1>'), /it answered 200, which makes no sense/],
    ['answers JSON of something else', async () => Response.json({ hello: 1 }), /makes no sense/],
    ['answers with a token that is none', async () => Response.json({ access_token: 7 }), /makes no sense/],
    ['issues what is bound to a key', async () => Response.json({ access_token: 'x', token_type: 'DPoP' }), /bearer/],
    ['redirects', async () => new Response(null, { status: 302, headers: { location: 'https://a.b' } }), /302/],
    ['says invalid_grant with 503', async () => Response.json({ error: 'invalid_grant' }, { status: 503 }), /503/],
    [
      'has too much to do',
      async () => new Response('', { status: 429, headers: { 'retry-after': '7' } }),
      /it answered 429/,
      7_000,
    ],
    [
      'does not know the client',
      async () => Response.json({ error: 'invalid_client' }, { status: 401 }),
      /its operator must put that right$/,
      undefined,
      /^'mail' refused with 'invalid_client': an administrator must check the client/,
    ],
  ])('%s: no token for now, and the grant is kept', async (_, answer, said, retry_after_ms, toOperator) => {
    const world = createWorld()
    const user = await expired(world)
    world.provider.bend = async (path) => (path === '/token' ? answer() : undefined)
    const granted = await world.vault.tokenFor(asking(user))
    expect(granted).toEqual({
      unavailable: expect.stringMatching(said),
      ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
      ...(toOperator ? { forOperator: expect.stringMatching(toOperator) } : {}),
    })
    world.provider.bend = async () => undefined
    expect(world.provider.whose(await get(world, user))).toBe('ann')
  })

  it('does not serve its metadata: its last known endpoints are used, and without those there is no token', async () => {
    const world = createWorld()
    const user = await expired(world)
    world.provider.bend = async (path) =>
      path.startsWith('/.well-known') ? new Response('', { status: 500 }) : undefined
    expect(world.provider.whose(await get(world, user))).toBe('ann')
    world.deploy()
    world.time += 61 * MINUTE
    expect(await world.vault.tokenFor(asking(user))).toMatchObject({ unavailable: expect.stringContaining("'mail'") })
  })

  it.each([
    ['/token', 5],
    ['/.well-known/openid-configuration', 1],
  ])(
    'is slow at %s: after ten seconds everyone who waits gets no token for now, and the grant is kept',
    async (slow, callers) => {
      const world = createWorld()
      const user = await expired(world)
      const { promise: asked, resolve: ask } = Promise.withResolvers<AbortSignal>()
      world.provider.bend = async (path, signal) => {
        if (path !== slow) return undefined
        ask(signal)
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }
      const all = Promise.all(Array.from({ length: callers }, () => world.vault.tokenFor(asking(user))))
      const signal = await asked
      world.time += 9_999
      expect(signal.aborted).toBe(false)
      // A later call does not wait
      world.provider.bend = async (path) => (path === slow ? Promise.reject(new TypeError('slow')) : undefined)
      world.time += 1
      expect(signal.aborted).toBe(true)
      for (const granted of await all) {
        expect(granted).toEqual({ unavailable: "'mail' cannot be asked now: it does not answer as it should" })
      }
      world.provider.bend = async () => undefined
      expect(world.provider.whose(await get(world, user))).toBe('ann')
    },
  )

  it('while the token is still valid: the token is used', async () => {
    const world = createWorld()
    const user = world.user('ann')
    await consent(world, user, 'ann')
    const token = await get(world, user)
    world.time += 59.5 * MINUTE
    world.provider.bend = async () => new Response('', { status: 500 })
    expect(await get(world, user)).toBe(token)
  })
})

describe('scopes', () => {
  it('that were not granted are requested together with those that were', async () => {
    const world = createWorld()
    const user = world.user('ann')
    await consent(world, user, 'ann', ['mail.read'])
    const more = challenged(await world.vault.tokenFor(asking(user, ['mail.send'], { tool: tool('Send') })))
    expect(more.scopes.toSorted()).toEqual(['mail.read', 'mail.send'])
    expect(more.reason).toContain('mail.send')
    await consent(world, user, 'ann', ['mail.send'])
    for (const scope of ['mail.read', 'mail.send'])
      expect(await world.vault.tokenFor(asking(user, [scope]))).toHaveProperty('token')
    expect((await world.vault.list(user))[0]?.scopes.toSorted()).toEqual(['mail.read', 'mail.send', 'offline_access'])
  })

  it('that the provider does not name are those that were requested', async () => {
    const world = createWorld()
    const user = world.user('ann')
    world.provider.bend = async (path) =>
      path === '/token' ? Response.json({ access_token: 'a', token_type: 'bearer' }) : undefined
    await consent(world, user)
    expect(await world.vault.tokenFor(asking(user))).toEqual({ token: 'a', account: '' })
  })
})

describe('revoking', () => {
  it('takes effect at once, both here and at the provider', async () => {
    const world = createWorld()
    const user = world.user('ann')
    await consent(world, user, 'ann')
    const token = await get(world, user)
    expect(await world.vault.revoke(user, 'mail')).toBe(true)
    expect(world.provider.whose(token)).toBeUndefined()
    const hints = world.provider.requests
      .filter(({ path }) => path === '/revoke')
      .map(({ form }) => form.get('token_type_hint'))
    expect(hints.toSorted()).toEqual(['access_token', 'refresh_token'])
    expect(await world.vault.list(user)).toEqual([])
    challenged(await world.vault.tokenFor(asking(user)))
    expect(await world.vault.revoke(user, 'mail')).toBe(false)
  })

  it('takes effect even if the provider is unreachable or no longer connected', async () => {
    for (const disturb of [
      (world: World) => void (world.provider.bend = () => Promise.reject(new TypeError('down'))),
      (world: World) => void world.providers.delete('mail'),
    ]) {
      const world = createWorld()
      const user = world.user('ann')
      await consent(world, user, 'ann')
      disturb(world)
      expect(await world.vault.revoke(user, 'mail')).toBe(true)
      expect(await world.vault.list(user)).toEqual([])
    }
  })

  it('during a refresh leaves no valid token', async () => {
    const world = createWorld()
    const user = await expired(world)
    let revoked: Promise<boolean> | undefined
    world.provider.beforeAnswer = async () => {
      revoked ??= world.vault.revoke(user, 'mail')
      await revoked
    }
    challenged(await world.vault.tokenFor(asking(user)))
    expect(await revoked).toBe(true)
    expect([...world.provider.issued.values()].filter(({ kind, live }) => kind === 'access' && live)).toEqual([])
    expect(await world.vault.list(user)).toEqual([])
  })
})

describe('an existing grant', () => {
  it('keeps its scopes if a refresh names none, and is listed unchanged', async () => {
    const world = createWorld()
    const user = world.user('ann')
    await consent(world, user)
    const [before] = await world.vault.list(user)
    expect(before).toMatchObject({
      account: '',
      refreshable: true,
      expires_at: expect.any(String),
    })
    world.provider.scope = ''
    world.time += 3_600_000
    expect(await world.vault.tokenFor(asking(user))).toHaveProperty('token')
    expect((await world.vault.list(user))[0]?.scopes).toEqual(before?.scopes)
    Object.assign(world.provider, { expiresIn: undefined, refreshes: false, scope: undefined })
    const other = world.user('bob')
    await consent(world, other)
    const [grant] = await world.vault.list(other)
    expect(grant).toMatchObject({ refreshable: false })
    expect(grant).not.toHaveProperty('expires_at')
  })

  it('that was lost can be disconnected, without any request to the provider', async () => {
    const world = createWorld()
    const user = world.user('ann')
    await consent(world, user)
    for (const token of world.provider.issued.values()) token.live = false
    world.time += 7_200_000
    challenged(await world.vault.tokenFor(asking(user)))
    const before = world.provider.requests.length
    expect(await world.vault.revoke(user, 'mail')).toBe(true)
    expect(await world.vault.revoke(user, 'mail')).toBe(false)
    expect(world.provider.requests).toHaveLength(before)
  })

  it('is refreshed a minute before its token expires, or in the second half of its lifetime', async () => {
    const world = createWorld()
    for (const [expiresIn, at] of [
      [3_600, 3_540_000],
      [60, 30_000],
    ] as const) {
      world.provider.expiresIn = expiresIn
      const user = world.user(`ann ${expiresIn}`)
      await consent(world, user)
      const refreshes = world.provider.count('refresh_token')
      world.time += at - 1
      await world.vault.tokenFor(asking(user))
      expect(world.provider.count('refresh_token')).toBe(refreshes)
      world.time += 1
      await world.vault.tokenFor(asking(user))
      expect(world.provider.count('refresh_token')).toBe(refreshes + 1)
    }
  })
})

describe('providers', () => {
  it('that are not connected: a challenge with a link says what to do', async () => {
    const world = createWorld()
    const user = world.user('ann')
    const unknown = { requirement: { id: 'google', oauth2: { scopes: ['a'] } } }
    const { url, check_url, reason, forOperator, authorization, needsSetup } = challenged(
      await world.vault.tokenFor(asking(user, [], unknown)),
    )
    expect(url).toBe(`https://sb.example/authorizations/${authorization}/start`)
    expect(check_url).toBe(`https://sb.example/authorizations/${authorization}`)
    expect(reason).toBe(formatNotSetUp('google'))
    expect(needsSetup).toBe(true)
    expect(forOperator).toMatch(/'google' is connected.*GOOGLE_CLIENT_ID.*PUT \/providers\/google/)
    const step = await world.vault.start(authorization, {
      browserCookie: 'b',
      callback: 'https://sb.example/oauth/callback',
    })
    expect(step).toMatchObject({ ok: false, why: 'unavailable', message: expect.stringContaining("'google'") })
  })

  it('that do not serve this tool give it no token, whatever was granted', async () => {
    const world = createWorld()
    const user = world.user('ann')
    await consent(world, user, 'ann')
    world.providers.set('mail', { ...MAIL, tools: ['Other.*', 'Mail.Send'] })
    const { reason, forOperator } = challenged(await world.vault.tokenFor(asking(user)))
    expect(reason).toBe(formatNotSetUp('mail'))
    expect(forOperator).toContain("not for 'Mail.Get@1.0.0'")
    expect(await world.vault.tokenFor(asking(user, undefined, { tool: tool('Send') }))).toHaveProperty('token')
  })

  it('whose client secret is missing are named to the operator and to the person', async () => {
    const world = createWorld({ secret: undefined })
    const { reason, forOperator, authorization } = challenged(await world.vault.tokenFor(asking(world.user('ann'))))
    expect(forOperator).toContain("Worker secret 'MAIL'")
    expect(reason).toBe(formatNotSetUp('mail'))
    const step = await world.vault.start(authorization, {
      browserCookie: 'b',
      callback: 'https://sb.example/oauth/callback',
    })
    expect(step).toMatchObject({ ok: false, why: 'unavailable', message: expect.stringContaining("'MAIL'") })
  })
})

describe('two users', () => {
  it('never get the token of the other, in any interleaving', async () => {
    const does = fc.constantFrom('call', 'call', 'refused', 'consent', 'revoke', 'time')
    const step = fc.record({ who: fc.constantFrom('ann', 'bob'), does })
    const rounds = fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 5 })
    // How long each answer of the provider takes, so that they overtake each other
    const delays = fc.array(fc.nat(3), { minLength: 3, maxLength: 7 })
    await fc.assert(
      fc.asyncProperty(rounds, delays, fc.boolean(), async (all, waits, rotate) => {
        const world = createWorld()
        world.provider.rotate = rotate
        let answers = 0
        world.provider.beforeAnswer = () => new Promise((done) => setTimeout(done, waits[answers++ % waits.length]))
        const last = new Map<string, string>()
        const call = async (who: string, refused?: string) => {
          const user = world.user(who)
          const granted =
            refused === undefined
              ? await world.vault.tokenFor(asking(user))
              : await world.vault.renew(asking(user), refused, false)
          expect(granted).not.toHaveProperty('unavailable')
          if (!('token' in granted)) return
          last.set(who, granted.token)
          expect(world.provider.issued.get(granted.token)).toMatchObject({ kind: 'access', account: who })
        }
        const users = ['ann', 'bob']
        await Promise.all(users.map((who) => consent(world, world.user(who), who)))
        await Promise.all(users.map((who) => call(who)))
        expect(last.size).toBe(2)
        for (const round of all) {
          await Promise.all(
            round.map(async ({ who, does: act }) => {
              if (act === 'time') world.time += 61 * MINUTE
              else if (act === 'revoke') await world.vault.revoke(world.user(who), 'mail')
              else if (act === 'call') await call(who)
              else if (act === 'refused') await call(who, last.get(who))
              // What goes on at the same time may have granted it already, or ended what was begun
              else await consent(world, world.user(who), who).catch(() => undefined)
            }),
          )
        }
        await Promise.all(users.map((who) => call(who)))
      }),
      { numRuns: 25, seed: 11 },
    )
  })

  it('whose ids differ only in lone surrogates have separate vaults', async () => {
    const world = createWorld()
    const [one, other] = [world.user('\ud800'), world.user('\ud801')]
    await consent(world, one, 'one')
    expect(world.provider.whose(await get(world, one))).toBe('one')
    challenged(await world.vault.tokenFor(asking(other)))
  })
})

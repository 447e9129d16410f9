import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Membership } from '../../../src/core/access/directory.ts'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import type { Session } from '../../../src/core/access/session.ts'
import type { SignInRule } from '../../../src/core/access/sign-in-rules.ts'
import { fail, ok, type Result } from '../../../src/core/failure/failure.ts'
import { createSessions } from '../../../src/http/caller/sessions.ts'

const ISSUER = 'https://id.test'
const ORIGIN = 'https://tools.test'
const RULE: SignInRule = { domain: 'acme.test', scopes: ['tools:read'], tools: ['*'] }
const ann = { user: 'ann@acme.test', address: 'ann@acme.test', groups: [] }
const KEY: Principal = { id: 'key:k1', kind: 'key', scopes: ['tools:call'], tools: ['*'], users: [] }
const sha256 = async (text: string) => createHash('sha256').update(text).digest('hex')

let now: number
let stored: Map<string, Session>
let reads: number
let keys: Map<string, Principal>
let broken: boolean
let memberships: Map<string, Membership>

beforeEach(() => {
  now = Date.parse('2030-01-01T00:00:00Z')
  stored = new Map()
  reads = 0
  keys = new Map([['hash-of-key', KEY]])
  broken = false
  memberships = new Map()
})

function sessions({ issuer = ISSUER, rules = [RULE] }: { issuer?: string | undefined; rules?: SignInRule[] } = {}) {
  let id = 0
  return createSessions({
    store: {
      create: async (session, hash) => void stored.set(hash, session),
      async find(hash) {
        reads += 1
        if (broken) throw new Error('Out of reach')
        return stored.get(hash)
      },
      list: async (owner) => [...stored.values()].filter((each) => owner === undefined || each.owner === owner),
      async remove(which, owner) {
        const found = [...stored].find(([, each]) => each.id === which && (owner ?? each.owner) === each.owner)
        return found !== undefined && stored.delete(found[0])
      },
      async removeAll(owner, exceptId) {
        const found = [...stored].filter(([, each]) => each.owner === owner && each.id !== exceptId)
        return found.filter(([hash]) => stored.delete(hash)).length
      },
    },
    authenticator: {
      authenticate: async () => ok(ADMIN),
      async loadPrincipal(hash) {
        const holder = keys.get(hash)
        return { result: holder ? ok(holder) : fail({ type: 'unauthenticated', reason: 'No such key' }) }
      },
    },
    issuer: issuer === 'none' ? undefined : issuer,
    rules,
    findMembership: async ({ user }) => memberships.get(user),
    sha256,
    newId: () => `s${++id}`,
    now: () => now,
  })
}

const request = (headers: Record<string, string> = {}, method = 'GET', url = `${ORIGIN}/sessions`) =>
  new Request(url, { method, headers })
const cookieIn = (header: string) => ({ cookie: header.split(';')[0] ?? '' })
const person = { kind: 'person', issuer: ISSUER, person: ann } as const
const why = (result: Result<unknown>) => (result.ok ? 'ok' : result.failure.type)

describe('a session', () => {
  it('is a random cookie for this host only, and only its hash is stored', async () => {
    const header = await sessions().startSession(request(), person, 'person:ann@acme.test')
    expect(header).toMatch(
      /^__Host-switchboard-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/,
    )
    const text = /=([\w-]{43});/.exec(header)?.[1] ?? ''
    expect([...stored.keys()]).toEqual([await sha256(text)])
    expect(JSON.stringify([...stored.values()])).not.toContain(text)
    const plain = await sessions().startSession(request({}, 'GET', 'http://localhost:8787/'), person, 'p')
    expect(plain).toMatch(/^switchboard-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/)
  })

  it('is looked up once in 25 seconds', async () => {
    const all = sessions()
    const cookie = cookieIn(await all.startSession(request(), person, 'p'))
    reads = 0
    expect(await all.findSession(request(cookie))).toMatchObject({
      ok: true,
      value: {
        principal: { id: 'person:ann@acme.test', kind: 'person', users: ['ann@acme.test'], scopes: ['tools:read'] },
        session: { id: 's1' },
      },
    })
    now += 24_000
    // Cached: the store is not read
    expect(await all.findSession(request(cookie))).toMatchObject({ ok: true })
    expect(reads).toBe(1)
    now += 2_000
    await all.findSession(request(cookie))
    expect(reads).toBe(2)
  })

  it('ends after 12 hours', async () => {
    const all = sessions()
    const cookie = cookieIn(await all.startSession(request(), person, 'p'))
    now += 12 * 3_600_000 - 1
    expect(why(await all.findSession(request(cookie)))).toBe('ok')
    now += 1
    expect(why(await all.findSession(request(cookie)))).toBe('unauthenticated')
  })

  it('ends at once in the isolate that removes it, and within a minute elsewhere', async () => {
    const [here, elsewhere] = [sessions(), sessions()]
    const cookie = cookieIn(await here.startSession(request(), person, 'p'))
    for (const each of [here, elsewhere]) expect(why(await each.findSession(request(cookie)))).toBe('ok')
    expect(await here.remove('s1', 'somebody else')).toBe(false)
    expect(await here.remove('s1', 'p')).toBe(true)
    expect(why(await here.findSession(request(cookie)))).toBe('unauthenticated')
    expect(why(await elsewhere.findSession(request(cookie)))).toBe('ok')
    now += 30_000
    expect(why(await elsewhere.findSession(request(cookie)))).toBe('unauthenticated')
  })

  it('ends in its own browser only, by signing out or signing in again', async () => {
    const all = sessions()
    const other = request(cookieIn(await all.startSession(request(), person, 'p')))
    const first = request(cookieIn(await all.startSession(request(), person, 'p')))
    for (const each of [other, first]) expect(why(await all.findSession(each))).toBe('ok')
    const second = request(cookieIn(await all.startSession(first, person, 'p')))
    expect([why(await all.findSession(first)), why(await all.findSession(second)), stored.size]).toEqual([
      'unauthenticated',
      'ok',
      2,
    ])
    expect(await all.signOut(second)).toContain('__Host-switchboard-session=; Path=/; Max-Age=0;')
    expect([why(await all.findSession(second)), stored.size]).toEqual(['unauthenticated', 1])
    expect(await all.signOut(second)).toContain('Max-Age=0;')
    reads = 0
    await all.signOut(request())
    await all.remove('another')
    all.forgetKey('k1')
    expect(await all.findSession(other)).toMatchObject({ ok: true })
    expect(reads).toBe(0)
  })

  it('records the browser in which it began, if that identifies itself', async () => {
    await sessions().startSession(request({ 'user-agent': 'x'.repeat(300) }), person, 'p')
    await sessions().startSession(request(), person, 'p')
    expect([...stored.values()].map(({ browser }) => browser)).toEqual(['x'.repeat(200), ''])
  })

  it('is not cached if it is removed while it is looked up', async () => {
    const all = sessions()
    const cookie = cookieIn(await all.startSession(request(), person, 'p'))
    const underWay = all.findSession(request(cookie))
    await all.remove('s1')
    await underWay
    expect(why(await all.findSession(request(cookie)))).toBe('unauthenticated')
  })

  it('is valid only at its own origin, with the current provider and the current rules', async () => {
    const cookie = cookieIn(await sessions().startSession(request(), person, 'p'))
    for (const url of ['https://other.test/sessions', 'https://tools.test:8443/sessions']) {
      expect(why(await sessions().findSession(request(cookie, 'GET', url)))).toBe('unauthenticated')
    }
    expect(why(await sessions({ issuer: 'https://other.test' }).findSession(request(cookie)))).toBe('unauthenticated')
    expect(why(await sessions({ issuer: 'none' }).findSession(request(cookie)))).toBe('unauthenticated')
    expect(why(await sessions({ rules: [] }).findSession(request(cookie)))).toBe('unauthenticated')
    const more = sessions({ rules: [{ ...RULE, scopes: ['admin'] }] })
    expect(await more.findSession(request(cookie))).toMatchObject({ value: { principal: { scopes: ['admin'] } } })
  })

  it('has the groups that the directory has of its person, and is invalid once the directory has deactivated them', async () => {
    const rule: SignInRule = { group: 'staff', scopes: ['tools:call'], tools: ['*'] }
    const all = sessions({ rules: [RULE, rule] })
    const cookie = cookieIn(await all.startSession(request(), person, 'p'))
    const found = async () => {
      all.forget()
      return all.findSession(request(cookie))
    }
    expect(await found()).toMatchObject({ value: { principal: { scopes: ['tools:read'] } } })
    memberships.set('ann@acme.test', { isActive: true, groups: ['staff'] })
    expect(await found()).toMatchObject({ value: { principal: { scopes: ['tools:read', 'tools:call'] } } })
    memberships.set('ann@acme.test', { isActive: false, groups: ['staff'] })
    expect(why(await found())).toBe('unauthenticated')
  })

  it('of a key has the rights of that key, ends with it, and is invalid if people sign in with a provider', async () => {
    const all = sessions({ issuer: 'none' })
    const cookie = cookieIn(await all.startSession(request(), { kind: 'key', hash: 'hash-of-key' }, 'key:k1'))
    expect(await all.findSession(request(cookie))).toMatchObject({ value: { principal: KEY } })
    expect(why(await sessions().findSession(request(cookie)))).toBe('unauthenticated')
    keys.clear()
    expect(why(await all.findSession(request(cookie)))).toBe('ok')
    all.forgetKey('k1')
    expect(why(await all.findSession(request(cookie)))).toBe('unauthenticated')
  })

  it('is unavailable while the store fails', async () => {
    const all = sessions()
    const cookie = cookieIn(await all.startSession(request(), person, 'p'))
    broken = true
    expect(await all.findSession(request(cookie))).toMatchObject({
      failure: { type: 'unavailable', message: 'Cannot check the session right now' },
    })
    broken = false
    expect(why(await all.findSession(request(cookie)))).toBe('ok')
  })

  it.each(['short', 'x'.repeat(44), "' OR 1=1 --", 'ä'.repeat(43)])(
    'is not looked up for a value like %s',
    async (value) => {
      const result = await sessions().findSession(request({ cookie: `__Host-switchboard-session=${encodeURI(value)}` }))
      expect(why(result)).toBe('unauthenticated')
      expect(reads).toBe(0)
    },
  )

  it('is ignored if there are two cookies, or if other sites could set it', async () => {
    const all = sessions()
    const { cookie } = cookieIn(await all.startSession(request(), person, 'p'))
    reads = 0
    const tossed = `__Host-switchboard-session=${'x'.repeat(43)}`
    expect(why(await all.findSession(request({ cookie: `${tossed}; ${cookie}` })))).toBe('unauthenticated')
    expect(why(await all.findSession(request({ cookie: cookie.replace('__Host-', '') })))).toBe('unauthenticated')
    expect(reads).toBe(0)
  })

  it('is not looked up for an address beyond its rate', async () => {
    const all = sessions()
    const limited = () => fail({ type: 'rate-limited', retry_after_ms: 1_000 })
    const guess = request({ cookie: `__Host-switchboard-session=${'x'.repeat(43)}` })
    expect(why(await all.findSession(guess, limited))).toBe('rate-limited')
    expect(reads).toBe(0)
  })
})

describe('a route that accepts sessions', () => {
  const from = async (headers: Record<string, string>, method = 'GET') => {
    const all = sessions()
    const { cookie } = cookieIn(await all.startSession(request(), person, 'p'))
    const result = await all.authenticate(request({ cookie, ...headers }, method))
    return result.ok ? result.value.id : result.failure.type
  }

  it.each([
    [{ 'sec-fetch-site': 'same-origin' }, 'GET', 'person:ann@acme.test'],
    [{ 'sec-fetch-site': 'same-origin' }, 'DELETE', 'person:ann@acme.test'],
    [{ 'sec-fetch-site': 'none' }, 'GET', 'person:ann@acme.test'],
    [{ 'sec-fetch-site': 'none' }, 'HEAD', 'person:ann@acme.test'],
    [{ 'sec-fetch-site': 'none' }, 'DELETE', 'forbidden'],
    [{ origin: ORIGIN }, 'POST', 'person:ann@acme.test'],
    [{ 'sec-fetch-site': 'cross-site' }, 'GET', 'forbidden'],
    [{ 'sec-fetch-site': 'same-site' }, 'GET', 'forbidden'],
    [{ 'sec-fetch-site': 'cross-site', 'origin': ORIGIN }, 'POST', 'forbidden'],
    [{ origin: 'https://evil.test' }, 'POST', 'forbidden'],
    [{ origin: 'null' }, 'POST', 'forbidden'],
    [{ origin: 'http://tools.test' }, 'DELETE', 'forbidden'],
    // A credential that is sent on purpose counts before a cookie
    [{ 'authorization': 'Bearer x', 'sec-fetch-site': 'cross-site' }, 'POST', 'admin'],
    [{ 'oxp-api-key': 'x', 'sec-fetch-site': 'cross-site' }, 'POST', 'admin'],
  ])('with %j by %s authenticates as %s', async (headers, method, who) => {
    expect(await from(headers, method)).toBe(who)
  })

  it('authenticates without a session as usual', async () => {
    expect(await sessions().authenticate(request())).toEqual(ok(ADMIN))
  })
})

describe('a visitor of a page', () => {
  const other = { 'sec-fetch-site': 'cross-site', 'origin': 'https://evil.test' }
  const ours = { 'sec-fetch-site': 'same-origin', 'origin': ORIGIN }
  async function findSession() {
    const all = sessions()
    const set = await all.startSession(
      new Request(ORIGIN),
      { kind: 'person', issuer: ISSUER, person: ann } as const,
      'person:ann@acme.test',
    )
    const [cookie = ''] = set.split(';')
    const request = (method: string, headers: Record<string, string>) =>
      new Request(`${ORIGIN}/console/keys`, { method, headers: { cookie, ...headers } })
    return { all, request }
  }

  it('can open a page from any site with their session, or as a caller without one', async () => {
    const { all, request } = await findSession()
    for (const headers of [other, ours, { 'sec-fetch-site': 'none' }, {}]) {
      expect(await all.authenticateVisitor(request('GET', headers))).toMatchObject({
        value: { id: 'person:ann@acme.test' },
      })
    }
    expect(await all.authenticateVisitor(request('HEAD', other))).toMatchObject({
      value: { id: 'person:ann@acme.test' },
    })
    now += 13 * 3_600_000
    expect(await all.authenticateVisitor(request('GET', other))).toEqual(ok(ADMIN))
    expect(await all.authenticateVisitor(new Request(ORIGIN))).toEqual(ok(ADMIN))
  })

  it('can send a form only from our own page', async () => {
    const { all, request } = await findSession()
    expect(await all.authenticateVisitor(request('POST', ours))).toMatchObject({
      value: { id: 'person:ann@acme.test' },
    })
    for (const headers of [
      other,
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'null' },
    ]) {
      expect(await all.authenticateVisitor(request('POST', headers))).toMatchObject({ failure: { type: 'forbidden' } })
      // Nor as the principal that the deployment allows without a session
      const bare = new Request(ORIGIN, { method: 'POST', headers })
      expect(await all.authenticateVisitor(bare)).toMatchObject({ failure: { type: 'forbidden' } })
    }
  })

  it('is authenticated by a header before the cookie, and not at all while sessions are unavailable', async () => {
    const { all, request } = await findSession()
    expect(await all.authenticateVisitor(request('GET', { authorization: 'Bearer x' }))).toEqual(ok(ADMIN))
    broken = true
    expect(await all.authenticateVisitor(request('GET', {}))).toMatchObject({ failure: { type: 'unavailable' } })
  })
})

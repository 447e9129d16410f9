import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import {
  approvable,
  browser,
  CALLBACK,
  challenged,
  createWorld,
  locationOf,
  MINUTE,
  requestUrl,
  tool,
  type World,
} from './world.ts'

const PAY = tool('Pay', { securityLevel: 8 })
const INPUT = { to: 'ann', amount: 7, note: { text: 'confidential', tags: [1, 2] } }

interface Given {
  readonly principal?: string
  readonly userId?: string | undefined
  readonly tool?: ToolRecord
  readonly input?: JsonObject
}

/** Claims as the agent `a` for the user `ann`, but for what is given. */
async function claim(world: World, given: Given = {}) {
  const { principal = 'a', tool: record = PAY, input = INPUT } = given
  const userId = 'userId' in given ? given.userId : 'ann'
  const user = userId === undefined ? undefined : world.user(userId)
  return world.vault.claim({ ...(await approvable(record, world.principal(principal), user, input)), requestUrl })
}
const decide = (world: World, id: string, approve: boolean, who = browser()) =>
  world.vault.decide(id, { browserCookie: who, callback: CALLBACK, approve })
const asked = async (world: World, given: Given = {}) => challenged(await claim(world, given)).authorization

describe('the approval of a call', () => {
  it('is requested once, shown with its arguments, and valid once', async () => {
    const world = createWorld()
    const first = challenged(await claim(world))
    expect(first).toMatchObject({ id: 'approval', scopes: [], status: 'not_started' })
    expect(first.reason).toContain("'Mail.Pay@1.0.0' has security level 8")
    const { authorization: id } = first
    expect(await asked(world)).toBe(id)
    expect(await world.vault.find(id)).toMatchObject({
      kind: 'approval',
      tool: 'Mail.Pay@1.0.0',
      invocation: { input: INPUT },
    })
    expect(await decide(world, id, true)).toMatchObject({ ok: true, authorization: { status: 'completed' } })
    const claims = await Promise.all(Array.from({ length: 10 }, () => claim(world)))
    expect(claims.filter((each) => 'approved' in each)).toHaveLength(1)
    expect(await world.vault.find(id)).toMatchObject({ status: 'completed' })
    expect(await world.vault.find(id)).not.toHaveProperty('invocation')
    expect(await asked(world)).not.toBe(id)
  })

  it('ends with all access of its user, even if it was given and not used, and that of another user stays', async () => {
    const world = createWorld()
    await decide(world, await asked(world), true)
    const open = await asked(world, { input: { ...INPUT, amount: 8 } })
    await decide(world, await asked(world, { userId: 'bob' }), true)
    expect(await world.vault.endAll(world.user('ann'))).toEqual({ revocations: [], authorizations: 2 })
    expect(await world.vault.find(open)).toMatchObject({ status: 'failed', reason: expect.stringContaining('ended') })
    challenged(await claim(world))
    expect(await claim(world, { userId: 'bob' })).toEqual({ approved: true })
  })

  it('is valid for exactly that call', async () => {
    const world = createWorld()
    await decide(world, await asked(world), true)
    const others: Given[] = [
      { principal: 'b' },
      { userId: 'bob' },
      { userId: undefined },
      { tool: { ...PAY, id: 'Mail.Pay@1.0.1' } },
      { tool: { ...PAY, digest: 'another' } },
      { input: { ...INPUT, amount: 70 } },
      { input: { ...INPUT, more: null } },
      { input: { ...INPUT, note: { ...INPUT.note, tags: [2, 1] } } },
    ]
    for (const other of others) challenged(await claim(world, other))
    const { note, amount, to } = INPUT
    expect(await claim(world, { input: { note, amount, to } })).toEqual({ approved: true })
  })

  it('must be given within 15 minutes, and used within 15 more', async () => {
    const world = createWorld()
    const late = await asked(world)
    world.time += 15 * MINUTE
    expect(await decide(world, late, true)).toMatchObject({ ok: false, why: 'expired' })
    const id = await asked(world)
    world.time += 14 * MINUTE
    await decide(world, id, true)
    world.time += 14 * MINUTE
    expect(await world.vault.find(id)).toMatchObject({ status: 'completed' })
    world.time += MINUTE
    challenged(await claim(world))
    expect(await world.vault.find(id)).toMatchObject({ status: 'failed', reason: expect.stringContaining('not used') })
  })

  it('that is refused stays refused, and the next call says so', async () => {
    const world = createWorld()
    const id = await asked(world)
    expect(await decide(world, id, false)).toMatchObject({ ok: true, authorization: { status: 'failed' } })
    expect(await decide(world, id, true)).toMatchObject({ ok: false, why: 'expired' })
    const next = challenged(await claim(world))
    expect(next.authorization).not.toBe(id)
    expect(next.reason).toContain('The person refused')
  })

  it('of a call without a user is requested for its principal', async () => {
    const world = createWorld()
    const id = await asked(world, { userId: undefined })
    expect(await world.vault.find(id)).not.toHaveProperty('userId')
    // In a vault of that principal alone
    const kept = await world.inVault(JSON.stringify(['principal', world.principal('a')]), (_, { storage }) =>
      storage.sql.exec('SELECT id FROM authorization').toArray(),
    )
    expect(kept).toEqual([{ id }])
    await decide(world, id, true)
    challenged(await claim(world, { userId: undefined, principal: 'b' }))
    expect(await claim(world, { userId: undefined })).toEqual({ approved: true })
  })

  it('accepts any JSON input, and refuses input that nobody could read', async () => {
    const world = createWorld()
    const odd = JSON.parse('{"\\ud800": "\\udfff", "__proto__": 1, "2": -0, "1": 1e400}')
    const id = await asked(world, { input: odd })
    expect(Object.keys((await world.vault.find(id))?.invocation?.input ?? {})).toHaveLength(4)
    const large = challenged(await claim(world, { input: { text: 'é'.repeat(250_001) } }))
    expect(large).toMatchObject({ authorization: '', status: 'failed', reason: expect.stringContaining('too large') })
  })

  it('cannot lead to a grant, and a consent cannot lead to an approval', async () => {
    const world = createWorld()
    const id = await asked(world)
    expect(locationOf(await world.vault.start(id, { browserCookie: browser(), callback: CALLBACK }))).toBe(
      `https://sb.example/authorizations/${id}/start`,
    )
    const granted = await world.vault.tokenFor({
      userId: world.user('ann'),
      requirement: { id: 'mail' },
      tool: PAY,
      hosts: [],
      chargedTo: 'key:k1',
      requestUrl,
    })
    const other = challenged(granted).authorization
    expect(await decide(world, other, true)).toMatchObject({ ok: false, why: 'refused' })
    expect(await world.vault.find(other)).toMatchObject({ status: 'not_started' })
  })
})

describe('the arguments', () => {
  const dump = (world: World, owner: string) =>
    world.inVault(owner, (_, { storage }) => JSON.stringify(storage.sql.exec('SELECT * FROM authorization').toArray()))

  it('are stored sealed, and only as long as they are needed', async () => {
    const world = createWorld()
    const id = await asked(world)
    const owner = world.owner(world.user('ann'))
    expect(await dump(world, owner)).toContain('sealed:')
    expect(await dump(world, owner)).not.toContain('confidential')
    const other = await asked(world, { input: { note: 'another' } })
    await decide(world, id, false)
    await decide(world, other, true)
    expect(await dump(world, owner)).not.toContain('sealed:')
  })

  it('that can no longer be read cannot be approved', async () => {
    const world = createWorld()
    const id = await asked(world)
    world.deploy(['quite another key of the vault'])
    expect(await world.vault.find(id)).toMatchObject({
      status: 'failed',
      reason: 'Its arguments cannot be read any more',
    })
    expect(await decide(world, id, true)).toMatchObject({ ok: false, why: 'expired' })
  })

  it('of one call cannot be read as those of another', async () => {
    const world = createWorld()
    const [id, other] = [await asked(world), await asked(world, { userId: 'bob' })]
    const [ann, bob] = ['ann', 'bob'].map((name) => world.owner(world.user(name)))
    const remoteName = await world.inVault(
      bob ?? '',
      (_, { storage }) => storage.sql.exec<{ input: string }>('SELECT input FROM authorization').one().input,
    )
    await world.inVault(ann ?? '', (_, { storage }) => {
      storage.sql.exec('UPDATE authorization SET input = ?', remoteName)
    })
    expect(await world.vault.find(other)).toMatchObject({ invocation: { input: INPUT } })
    expect(await world.vault.find(id)).toMatchObject({ status: 'failed' })
  })

  it('are also shown without keys', async () => {
    const world = createWorld({ keys: [] })
    const id = await asked(world)
    expect(await world.vault.find(id)).toMatchObject({ invocation: { input: INPUT } })
    await decide(world, id, true)
    expect(await claim(world)).toEqual({ approved: true })
  })
})

describe('the user verifier of a deployment', () => {
  it('must confirm who approves, but not who refuses', async () => {
    const world = createWorld({ verifierUrl: 'https://app.example/who' })
    const id = await asked(world)
    const sent = new URL(locationOf(await decide(world, id, true)))
    expect(sent.origin).toBe('https://app.example')
    challenged(await claim(world))
    const flow = sent.searchParams.get('flow') ?? ''
    const confirmed = new URL(locationOf(await world.vault.confirm(id, flow, world.user('ann'))))
    expect(locationOf(await decide(world, id, true))).toContain('https://app.example')
    const again = new URL(locationOf(await decide(world, id, true))).searchParams.get('flow') ?? ''
    const proof = new URL(locationOf(await world.vault.confirm(id, again, world.user('ann')))).searchParams.get('proof')
    expect(proof).not.toBe(confirmed.searchParams.get('proof'))
    const back = await world.vault.resume(id, { browserCookie: browser(), callback: CALLBACK, proof: proof ?? '' })
    expect(locationOf(back)).toBe(`https://sb.example/authorizations/${id}/start`)
    expect(locationOf(await decide(world, id, true, browser('bob')))).toContain('https://app.example')
    challenged(await claim(world))
    expect(await decide(world, id, true)).toMatchObject({ ok: true, authorization: { status: 'completed' } })
    expect(await claim(world)).toEqual({ approved: true })
    const other = await asked(world, { input: {} })
    expect(await decide(world, other, false)).toMatchObject({ ok: true, authorization: { status: 'failed' } })
  })
})

describe('the data that a caller adds to the vaults of users', () => {
  const ownVault = (world: World) => JSON.stringify(['principal', world.principal('a')])
  const charged = (world: World, hour: { until: number; authorizations: number; bytes: number }) =>
    world.inVault(ownVault(world), async (vault, { storage }) => {
      await vault.charge(ownVault(world), 0)
      storage.sql.exec('UPDATE charged SET until = ?, authorizations = ?, bytes = ?', ...Object.values(hour))
    })

  it('is limited per caller, however many users it makes up', async () => {
    const world = createWorld()
    await asked(world, { userId: 'made up 1' })
    const until = world.time + 60 * MINUTE
    await charged(world, { until, authorizations: 1_999, bytes: 0 })
    const open = await asked(world, { userId: 'made up 2' })
    const refused = await claim(world, { userId: 'made up 3' })
    expect(refused).toMatchObject({ refused: expect.stringContaining('more than 2000 authorizations within an hour') })
    const stored = await world.inVault(world.owner(world.user('made up 3')), async (vault, { storage }) => {
      await vault.alarm()
      return storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'owner'").toArray()
    })
    expect(stored).toEqual([])
    // One that is open is given again, and others are not held up
    expect(await asked(world, { userId: 'made up 2' })).toBe(open)
    await asked(world, { principal: 'b', userId: 'made up 3' })
    world.time = until
    await asked(world, { userId: 'made up 4' })
  })

  it('is also limited in bytes', async () => {
    const world = createWorld()
    await charged(world, { until: world.time + MINUTE, authorizations: 0, bytes: 64 * 1024 * 1024 - 100 })
    expect(await claim(world)).toHaveProperty('refused')
  })

  it('is deleted with the whole vault of its user once it expires, and the vault begins anew', async () => {
    const world = createWorld()
    const id = await asked(world)
    const owner = world.owner(world.user('ann'))
    const tables = async () =>
      world.inVault(owner, async (vault, { storage }) => {
        await vault.alarm()
        return [
          storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'owner'").toArray().length,
          await storage.getAlarm(),
        ]
      })
    expect(await tables()).toEqual([1, expect.any(Number)])
    world.time += 76 * MINUTE
    expect(await tables()).toEqual([0, null])
    expect(await world.vault.find(id)).toBeUndefined()
    expect(await decide(world, id, true)).toMatchObject({ ok: false, why: 'expired' })
    expect(await world.vault.list(world.user('ann'))).toEqual([])
    expect(await asked(world)).not.toBe(id)
  })
})

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import type { EventDelivery } from '../../../src/storage/events/delivery.ts'
import { createSourceEvents } from '../../../src/storage/events/source-events.ts'
import { plainKeyring } from '../../simulation/plain-keyring.ts'

/** The events of a source, whose clock a test moves: its alarms never come by themselves. */

const START = Date.parse('2127-01-15T08:00:00Z')
const DAY_MS = 86_400_000

function createSource(storage: DurableObjectStorage) {
  const world = {
    now: START,
    status: 200,
    mayReceive: async () => true,
    /** Runs while a message is on its way. */
    onMessage: async () => undefined as unknown,
    posted: [] as any[],
    urls: [] as string[],
    ids: [] as string[],
  }
  const delivery: EventDelivery = {
    sealer: plainKeyring,
    mayReceive: () => world.mayReceive(),
    async post(message, { url }) {
      const body = JSON.parse(message.body)
      const isChallenge = body.type === 'verification'
      if (!isChallenge) {
        world.posted.push(body)
        world.urls.push(url)
        world.ids.push(message.id)
        await world.onMessage()
      }
      if (!isChallenge && world.status !== 200) return { kind: 'rejected', reason: `http_${world.status}` }
      return { kind: 'received', body: message.body }
    },
  }
  const events = createSourceEvents(
    storage,
    async () => delivery,
    () => world.now,
  )
  const subscribe = (n: number, id = 'key:k') =>
    events.subscribe({
      id: `Mail.Arrived~${id}${n}`,
      subscriber: { principal: { ...ADMIN, id }, at: world.now },
      arguments: {},
      url: `https://${n}.example/`,
      secret: 'whsec_',
      ttlMs: null,
    })
  const toEvent = (id: string) => ({ id, body: JSON.stringify({ id, name: 'Mail.Arrived', timestamp: '', data: {} }) })
  const list = () => JSON.parse(events.list('key:k'))
  return { storage, world, events, subscribe, list, accept: (...ids: string[]) => events.accept(ids.map(toEvent)) }
}

const inSource = (work: (source: ReturnType<typeof createSource>) => Promise<void>) =>
  runInDurableObject(env.Events.getByName(crypto.randomUUID()), (_, { storage }) => work(createSource(storage)))
const idsOf = (page: { events: readonly { id: string }[] }) => page.events.map(({ id }) => id)

it('the next user of a source cannot read earlier events, and no number is used twice', () =>
  inSource(async ({ world, events, subscribe, accept, list }) => {
    await subscribe(1)
    await accept('e_1', 'e_2')
    events.clear()
    expect(events.read(0)).toEqual({ events: [], last: 2, dropped: 2 })
    expect(list()).toMatchObject([{ waiting: 0 }])
    await accept('e_3')
    expect(events.read(0).events).toMatchObject([{ id: 'e_3', seq: 3 }])
    await events.runDeliveries()
    expect(world.posted).toMatchObject([{ type: 'gap', cursor: '2' }, { eventId: 'e_3' }])
    events.clear()
    events.clear()
    expect(events.read(0)).toEqual({ events: [], last: 3, dropped: 3 })
  }))

it('an event that is too old can no longer be read, even if none came after it', () =>
  inSource(async ({ world, events, accept }) => {
    await accept('e_1')
    world.now += 6 * DAY_MS
    await accept('e_2')
    expect(idsOf(events.read(0))).toEqual(['e_1', 'e_2'])
    world.now += 2 * DAY_MS
    expect([idsOf(events.read(0)), events.read(0).dropped]).toEqual([['e_2'], 1])
    world.now += 6 * DAY_MS
    expect(events.read(0)).toEqual({ events: [], last: 2, dropped: 2 })
  }))

it('an event that always fails becomes a dead letter, however often its subscription is refreshed', () =>
  inSource(async ({ world, events, subscribe, accept }) => {
    await subscribe(1)
    world.status = 500
    await accept('e_1')
    for (let attempt = 1; attempt <= 13; attempt += 1) {
      expect(events.listDeadLetters('Mail.Arrived~key:k1')).toEqual([])
      await events.runDeliveries()
      await subscribe(1)
    }
    expect(events.listDeadLetters('Mail.Arrived~key:k1')).toMatchObject([{ event_id: 'e_1', failure: 'http_500' }])
  }))

it('a principal has at most 100 subscriptions, even if it requests more at once', () =>
  inSource(async ({ subscribe, list }) => {
    const granted = await Promise.all(Array.from({ length: 110 }, (_, n) => subscribe(n)))
    expect(granted.filter((each) => !each.ok)).toHaveLength(10)
    expect(list()).toHaveLength(100)
    expect(await subscribe(1, 'key:other')).toMatchObject({ value: { isNew: true } })
  }))

it('a principal has at most 100 dead letters, and those of others stay', () =>
  inSource(async ({ world, events, subscribe, accept }) => {
    await Promise.all([subscribe(1), subscribe(2), subscribe(3, 'key:other')])
    world.status = 413
    await accept(...Array.from({ length: 60 }, (_, n) => `e_${n}`))
    for (let run = 0; run < 3; run += 1) await events.runDeliveries()
    const [one, two, other] = ['key:k1', 'key:k2', 'key:other3'].map((id) =>
      events.listDeadLetters(`Mail.Arrived~${id}`),
    )
    expect([one!.length + two!.length, other!.length]).toEqual([100, 60])
    expect([one!.at(-1)?.event_id, two!.at(-1)?.event_id]).toEqual(['e_59', 'e_59'])
    events.remove('Mail.Arrived~key:other3')
    await subscribe(3, 'key:other')
    expect(events.listDeadLetters('Mail.Arrived~key:other3')).toEqual([])
  }))

it('a subscription that is refreshed while it is being ended continues, and its receiver gets no message', () =>
  inSource(async ({ world, events, subscribe, accept }) => {
    await subscribe(1)
    world.mayReceive = async () => {
      world.mayReceive = async () => true
      world.now += 1
      await subscribe(1)
      return false
    }
    await accept('e_1')
    await events.runDeliveries()
    expect(world.posted).toMatchObject([{ eventId: 'e_1' }])
  }))

it('a principal with many subscriptions does not delay those of others', () =>
  inSource(async ({ world, events, subscribe, accept }) => {
    await Promise.all(Array.from({ length: 40 }, (_, n) => subscribe(n)))
    world.now += 1
    await subscribe(40, 'key:other')
    await accept('e_1')
    await events.runDeliveries()
    expect(world.urls).toHaveLength(6)
    expect(world.urls).toContain('https://40.example/')
    for (let run = 0; run < 7; run += 1) await events.runDeliveries()
    expect(world.urls).toHaveLength(41)
  }))

it('a run sends at most 200 messages, and the next run continues', () =>
  inSource(async ({ world, events, subscribe, accept, list }) => {
    await subscribe(1)
    await accept(...Array.from({ length: 230 }, (_, n) => `e_${n}`))
    await events.runDeliveries()
    expect(list()).toMatchObject([{ waiting: 30 }])
    await events.runDeliveries()
    expect(world.posted).toHaveLength(230)
  }))

it('a run ends soon, however slow its receivers are', () =>
  inSource(async ({ world, events, subscribe, accept }) => {
    await subscribe(1)
    world.onMessage = async () => void (world.now += 3_000)
    await accept('e_1', 'e_2', 'e_3')
    await events.runDeliveries()
    expect(world.posted).toHaveLength(2)
  }))

it('a subscription that is granted again while its receiver is told about the end continues', () =>
  inSource(async ({ world, events, subscribe, accept, list }) => {
    await subscribe(1)
    world.mayReceive = async () => false
    world.onMessage = async () => {
      world.mayReceive = async () => true
      world.onMessage = async () => undefined
      world.now += 1
      await subscribe(1)
    }
    await accept('e_1')
    await events.runDeliveries()
    expect(world.posted).toMatchObject([{ type: 'terminated' }, { eventId: 'e_1' }])
    expect(list()).toMatchObject([{ waiting: 0, attempts: 0 }])
  }))

it('a receiver is told about the end of its subscription as often as about an event', () =>
  inSource(async ({ world, events, subscribe, accept, list }) => {
    await subscribe(1)
    world.mayReceive = async () => false
    world.status = 500
    await accept('e_1')
    for (let hour = 0; hour < 48; hour += 1, world.now += 3_600_000) await events.runDeliveries()
    expect(world.posted.map(({ type }) => type)).toEqual(Array.from({ length: 13 }, () => 'terminated'))
    expect(new Set(world.ids).size).toBe(1)
    expect(list()).toEqual([])
  }))

it('a repeated run sends nothing twice, and keeps the time of the next attempt', () =>
  inSource(async ({ storage, world, events, subscribe, accept, list }) => {
    await subscribe(1)
    world.status = 500
    await accept('e_1')
    await events.runDeliveries()
    await events.runDeliveries()
    expect(world.posted).toHaveLength(1)
    const next = await storage.getAlarm()
    expect(next).toBeGreaterThanOrEqual(START + 5_000)
    world.now = Number(next)
    world.status = 200
    await events.runDeliveries()
    await events.runDeliveries()
    expect(world.posted).toHaveLength(2)
    expect(list()).toMatchObject([{ waiting: 0, attempts: 0 }])
  }))

it('an end that follows events after an earlier end has another id', () =>
  inSource(async ({ world, events, subscribe, accept }) => {
    await subscribe(1)
    world.status = 500
    world.mayReceive = async () => false
    await accept('e_1')
    await events.runDeliveries()
    world.now += 3_600_000
    world.status = 200
    world.mayReceive = async () => true
    await events.runDeliveries()
    world.mayReceive = async () => false
    await accept('e_2')
    await events.runDeliveries()
    expect(world.posted).toMatchObject([{ type: 'terminated' }, { eventId: 'e_1' }, { type: 'terminated' }])
    expect(new Set(world.ids).size).toBe(3)
  }))

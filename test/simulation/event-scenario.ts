import type { EventDelivery } from '../../src/storage/events/delivery.ts'
import { ADMIN } from '../../src/core/access/principal.ts'
import { isFault } from './network.ts'
import type { Door } from './object-host.ts'
import { plainKeyring } from './plain-keyring.ts'
import { createReceiver } from './receivers.ts'
import { repeat, type Sabotage } from './sabotage.ts'
import type { Scenario } from './simulate.ts'
import { holds } from './violation.ts'
import { calm } from './weather.ts'

const WEEK_MS = 7 * 86_400_000
/** Longer than the interval between attempts. */
const QUIET_MS = 12 * 3_600_000
const MAX_WAITING = 1_000

/**
 * A source accepts events for a week, singly and in bursts, some of them twice, while its receivers fail in all ways, its
 * clock jumps and its server is killed. Then all is quiet: each accepted event must have reached each receiver, in order, or
 * wait to be redelivered by hand, or the receiver must have been told of the gap.
 */
export function eventScenario(sabotage?: Sabotage): Scenario {
  return async (world) => {
    const { clock, chance, weather, network, run, openEvents, databases } = world
    let jump = 0
    const receivers = Array.from({ length: 1 + chance.below(3) }, (_, n) => createReceiver(world, `receiver-${n + 1}`))
    const deliver = (door: Door): EventDelivery => ({
      sealer: plainKeyring,
      post: (message, { url }) =>
        door(async () => {
          const receiver = receivers.find((each) => each.url === url)
          holds(receiver !== undefined, `A message goes to '${url}'`)
          return receiver.receive(message)
        }),
      mayReceive: () =>
        door(async () => {
          await network.travel('→ Access')
          return true
        }),
    })
    const events = openEvents({ ...clock, now: () => clock.now() + jump }, deliver)

    async function untilDone<T>(work: () => Promise<T>): Promise<T> {
      for (;;) {
        try {
          return await work()
        } catch (error) {
          if (!isFault(error)) throw error
          await clock.sleep(2_000)
        }
      }
    }

    const idOf = (url: string) => `Mail.Arrived~${url}`
    async function subscribe(url: string): Promise<void> {
      for (;;) {
        const subscriber = { principal: ADMIN, at: clock.now() }
        const request = { id: idOf(url), arguments: {}, url, secret: 'whsec_', cursor: 0, ttlMs: null }
        const stored = await untilDone(async () => events.subscribe({ ...request, subscriber }))
        if (stored.ok) return
        await clock.sleep(2_000)
      }
    }

    let isOver = false
    const accepted: string[] = []
    async function publish(): Promise<void> {
      while (clock.elapsed() < WEEK_MS) {
        const count = chance.oneOf([1, 1, 1, 3, chance.happens(20) ? 900 : 2])
        // Events that are no longer stored cannot be recognized as repeats
        const repeated = count < 10 && chance.happens(200) ? accepted.slice(-2) : []
        const numbers = Array.from({ length: count }, (_, n) => accepted.length + n + 1)
        const added = numbers.map((number) => toEvent(number))
        await untilDone(() => events.accept([...repeated.map((id) => toEvent(Number(id.slice(2)))), ...added]))
        accepted.push(...added.map(({ id }) => id))
        await clock.sleep(chance.oneOf([0, 1_000, 600_000, 10_000_000, 60_000_000]))
      }
      isOver = true
    }
    async function whileOpen(work: () => Promise<unknown>): Promise<void> {
      while (!isOver) await work()
    }
    async function jumpAround(): Promise<void> {
      await clock.sleep(40_000_000)
      jump = chance.oneOf([0, -7_200_000, 3_600_000, 20_000_000])
    }

    await run(
      receivers.map(({ url }) => subscribe(url)),
      2 * WEEK_MS,
    )
    if (sabotage) repeat(world, sabotage, 600_000)
    await run([publish(), whileOpen(jumpAround), ...receivers.map(({ change }) => whileOpen(change))], 3 * WEEK_MS)
    calm(weather)
    for (const { mend } of receivers) mend()
    await run([clock.sleep(QUIET_MS)], 4 * WEEK_MS)
    for (const sql of databases('Events')) {
      const [row] = sql.exec<{ waiting: number }>('SELECT count(*) AS waiting FROM event').toArray()
      holds((row?.waiting ?? 0) <= MAX_WAITING, `${row?.waiting} events wait`)
    }
    for (const { url, knows, gap } of receivers) {
      const letters: string[] = []
      await run(
        [
          untilDone(
            async () => void letters.push(...(await events.listDeadLetters(idOf(url))).map(({ event_id }) => event_id)),
          ),
        ],
        5 * WEEK_MS,
      )
      accepted.forEach((id, index) =>
        holds(knows(id) || letters.includes(id) || index < gap(), `'${id}' was accepted, and is lost to ${url}`),
      )
    }
  }
}

function toEvent(number: number) {
  const event = { id: `e_${number}`, name: 'Mail.Arrived', timestamp: '2027-01-15T08:00:00Z', data: { number } }
  return { id: event.id, body: JSON.stringify(event) }
}

import type { WebhookMessage, WebhookReceipt } from '../../src/outbound/webhook.ts'
import { isFault } from './network.ts'
import { holds } from './violation.ts'
import type { World } from './world.ts'

const MODES = ['up', 'up', 'up', 'slow', 'silent', 'broken', 'gone'] as const
const SLOW_MS = 9_000
const TIMEOUT_MS = 15_000

/** Creates a webhook receiver that is up, slow, too late, or returns 500 or 410, and keeps the first body of each event. */
export function createReceiver({ clock, chance, network, note, defect }: World, name: string) {
  let mode: (typeof MODES)[number] = 'up'
  let last = 0
  let gap = 0
  const known = new Map<string, string>()

  function keep({ id, body }: WebhookMessage): void {
    const { type, cursor, eventId, data } = JSON.parse(body)
    if (type === 'gap') gap = Math.max(gap, Number(cursor))
    if (type !== undefined) return
    holds(eventId === id, `${name} gets '${eventId}' as '${id}'`)
    const before = known.get(id)
    holds(before === undefined || before === body, `${name} gets two events as '${id}'`)
    if (before !== undefined) return
    holds(data.number > last, `${name} gets ${data.number} after ${last}`)
    last = data.number
    known.set(id, body)
  }

  async function answer(message: WebhookMessage): Promise<WebhookReceipt> {
    await network.travel(`→ ${name} ${message.id}`)
    if (mode === 'broken') return { kind: 'rejected', reason: 'http_500' }
    if (mode === 'gone') return { kind: 'rejected', reason: 'http_410' }
    keep(message)
    if (mode === 'silent') {
      await clock.sleep(TIMEOUT_MS)
      return { kind: 'unanswered', reason: 'timeout', message: 'It takes too long' }
    }
    if (mode === 'slow') await clock.sleep(SLOW_MS)
    await network.travel(`← ${name} ${message.id}`)
    return { kind: 'received', body: message.body }
  }

  return {
    url: `https://${name}.example`,
    knows: (id: string) => known.has(id),
    /** The last event number that it was told is no longer stored. */
    gap: () => gap,
    mend: () => void (mode = 'up'),
    async change(): Promise<void> {
      await clock.sleep(chance.oneOf([600_000, 7_200_000, 50_000_000, 110_000_000]))
      mode = chance.oneOf(MODES)
      note(`${name} is ${mode}`)
    },
    receive: (message: WebhookMessage): Promise<WebhookReceipt> =>
      answer(message).catch((error) => {
        if (!isFault(error)) defect(error)
        return { kind: 'unanswered', reason: 'connection_refused', message: 'The connection was lost' }
      }),
  }
}

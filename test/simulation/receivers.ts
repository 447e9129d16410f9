import type { GuardedResult } from '../../src/outbound/guarded-fetch.ts'
import type { WebhookMessage } from '../../src/outbound/webhook.ts'
import { isFault } from './network.ts'
import { holds } from './violation.ts'
import type { World } from './world.ts'

const MODES = ['up', 'up', 'up', 'slow', 'silent', 'broken', 'gone'] as const
const SLOW_MS = 9_000
const TIMEOUT_MS = 15_000

/** A receiver of webhooks, which is up, slow, answers too late, with 500 or with 410; it knows what came to it, and when first. */
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

  async function answer(message: WebhookMessage): Promise<GuardedResult> {
    await network.travel(`→ ${name} ${message.id}`)
    if (mode === 'broken') return respond(500)
    if (mode === 'gone') return respond(410)
    keep(message)
    if (mode === 'silent') {
      await clock.sleep(TIMEOUT_MS)
      return { ok: false, kind: 'aborted', message: 'It takes too long' }
    }
    if (mode === 'slow') await clock.sleep(SLOW_MS)
    await network.travel(`← ${name} ${message.id}`)
    return respond(200, message.body)
  }

  return {
    url: `https://${name}.example`,
    knows: (id: string) => known.has(id),
    /** The last number that it was told is no longer stored. */
    gap: () => gap,
    mend: () => void (mode = 'up'),
    async change(): Promise<void> {
      await clock.sleep(chance.oneOf([600_000, 7_200_000, 50_000_000, 110_000_000]))
      mode = chance.oneOf(MODES)
      note(`${name} is ${mode}`)
    },
    receive: (message: WebhookMessage): Promise<GuardedResult> =>
      answer(message).catch((error) => {
        if (!isFault(error)) defect(error)
        return { ok: false, kind: 'unreachable', message: 'The connection was lost' }
      }),
  }
}

function respond(status: number, body = ''): GuardedResult {
  const bytes = new TextEncoder().encode(body)
  return { ok: true, response: { status, statusText: '', headers: new Headers(), url: '', body: bytes } }
}

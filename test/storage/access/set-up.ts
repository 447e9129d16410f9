import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, vi } from 'vitest'
import { Access } from '../../../src/storage/access/access-object.ts'
import { memoryKv } from '../registry/set-up.ts'

export interface Harness {
  readonly access: Access
  readonly sql: SqlStorage
  readonly kv: ReturnType<typeof memoryKv>
  /** Lets the time of the next alarm come. */
  readonly runAlarm: () => Promise<void>
  /** Lets alarms come until everything is published. */
  readonly drain: () => Promise<void>
  /** Another Durable Object on the same storage, as after a crash. */
  readonly restart: () => Access
}

/** Runs a test with a new Access object and a new KV. */
export async function inAccess(use: (harness: Harness) => Promise<void>): Promise<void> {
  await runInDurableObject(env.Access.getByName(crypto.randomUUID()), async (_, state) => {
    const { storage } = state
    const { sql } = storage
    const kv = memoryKv()
    const start = () => new Access(state, { REGISTRY: kv.binding })
    const harness = {
      access: start(),
      sql,
      kv,
      async runAlarm() {
        const at = await storage.getAlarm()
        if (at === null) throw new Error('No alarm is set')
        vi.setSystemTime(Math.max(at, Date.now()))
        await storage.deleteAlarm()
        await harness.access.alarm()
      },
      async drain() {
        for (let runs = 0; sql.exec('SELECT 1 FROM outbox').toArray().length > 0; runs += 1) {
          expect(runs).toBeLessThan(50)
          await harness.runAlarm()
        }
      },
      restart: () => (harness.access = start()),
    }
    await use(harness)
  })
}

/** The Access object as a Worker sees it: what goes there and comes back is copied. Methods that are called go to `asked`. */
export function stubOf(access: Access, asked: string[]): DurableObjectStub<Access> {
  return new Proxy(env.Access.getByName('of none'), {
    get: (_, method) => {
      const real: unknown = Reflect.get(access, method)
      if (typeof real !== 'function') return undefined
      return async (...given: unknown[]) => {
        asked.push(String(method))
        return structuredClone(await Reflect.apply(real, access, structuredClone(given)))
      }
    },
  })
}

import { createKeyValues } from './key-values.ts'
import type { Clock } from './clock.ts'
import { Fault, isFault, type Network } from './network.ts'
import { part } from './part.ts'
import { createDatabase, sqlOf } from './sql.ts'
import type { Chance, Weather } from './weather.ts'

/** Sends an object's request once its writes are durable, or never if the object ends first. */
export type Door = <T>(send: () => Promise<T>) => Promise<T>

export interface HostOptions<Instance> {
  readonly name: string
  readonly id?: DurableObjectId
  readonly clock: Clock
  readonly chance: Chance
  readonly weather: Weather
  readonly network: Network
  readonly note: (event: string) => void
  /** Receives errors that only the code can have caused. */
  readonly defect: (error: unknown) => void
  /** Creates an instance, as the platform does for the first event after a start. */
  readonly start: (state: DurableObjectState, door: Door) => Instance
}

interface Life<Instance> {
  readonly instance: Instance
  /** Rejects when the instance ends. */
  readonly ended: Promise<never>
  readonly end: (error: Fault) => void
}

/** The platform retries a failed alarm after this long, and doubles the delay each time. */
const FIRST_REPEAT_MS = 2_000
const MAX_REPEAT_MS = 60_000
/** A promise of an instance that has ended, which never settles. */
const NEVER = new Promise<never>(() => undefined)

/**
 * Simulates the platform around one Durable Object: its storage, its alarm and its instances, each of which lives until it
 * is ended. Writes since an instance last sent something may be lost with it, and its pending promises never settle.
 */
export function createHost<Instance extends object>(options: HostOptions<Instance>) {
  const { name, clock, chance, weather, network, note, defect } = options
  const database = createDatabase()
  /** When the alarm is due, as written and as committed. */
  let alarm: number | null = null
  let durableAlarm: number | null = null
  let timer: number | undefined
  let isHandling = false
  let failures = 0
  let life: Life<Instance> | undefined

  function current(): Life<Instance> {
    return (life ??= born())
  }

  function born(): Life<Instance> {
    let isAlive = true
    const { promise: ended, reject } = Promise.withResolvers<never>()
    ended.catch(() => undefined)
    const ensure = () => {
      if (!isAlive) throw new Fault(`${name} has ended`)
    }
    const door: Door = async (send) => {
      if (isAlive && chance.happens(weather.ends)) end()
      if (!isAlive) return NEVER
      commit()
      try {
        const answer = await send()
        return isAlive ? answer : NEVER
      } catch (error) {
        if (isAlive) throw error
        return NEVER
      }
    }
    const storage = part<DurableObjectStorage>({
      kv: createKeyValues(),
      sql: sqlOf(database, ensure),
      transactionSync(change) {
        ensure()
        return database.atOnce(change)
      },
      async getAlarm() {
        ensure()
        return alarm
      },
      async setAlarm(at) {
        ensure()
        alarm = Number(at)
      },
      async deleteAlarm() {
        ensure()
        alarm = null
      },
    })
    const waitUntil = (work: Promise<unknown>) =>
      void work.catch((error) => {
        if (!isFault(error)) defect(error)
      })
    const state = part<DurableObjectState>({ storage, waitUntil, ...(options.id ? { id: options.id } : {}) })
    const instance = options.start(state, door)
    return {
      instance,
      ended,
      end(error) {
        isAlive = false
        reject(error)
      },
    }
  }

  /** Makes the writes durable. */
  function commit(): void {
    database.commit()
    // The current alarm repeats unless its handler succeeds or sets another
    if (isHandling && alarm === null) return
    if (durableAlarm === alarm) return
    durableAlarm = alarm
    if (!isHandling) arm()
  }

  /** Ends the instance. Its writes that are not durable yet are lost or kept. */
  function end(): void {
    if (!life) return
    const isKept = chance.happens(500)
    note(`${name} ENDS, ${isKept ? 'keeping' : 'losing'} what it wrote last`)
    if (isKept) commit()
    else database.rollBack()
    alarm = durableAlarm
    const { end: kill } = life
    life = undefined
    kill(new Fault(`${name} has ended`, chance.happens(500)))
  }

  function arm(after = 0): void {
    clock.clear(timer)
    if (durableAlarm === null) return
    timer = clock.set(() => void ring(), Math.max(after, durableAlarm - clock.now()))
  }

  async function ring(): Promise<void> {
    note(`${name} alarm`)
    isHandling = true
    alarm = null
    let isDone = false
    try {
      await dispatch('alarm', [])
      isDone = true
    } catch (error) {
      if (!isFault(error)) defect(error)
    }
    isHandling = false
    if (isDone) {
      failures = 0
      commit()
      durableAlarm = alarm
      if (durableAlarm === null && chance.happens(weather.repeated)) durableAlarm = alarm = clock.now()
      return arm()
    }
    alarm = durableAlarm
    failures += 1
    arm(Math.min(MAX_REPEAT_MS, FIRST_REPEAT_MS * 2 ** (failures - 1)))
  }

  /** Calls a method of the current instance, and rejects if the instance ends. */
  async function dispatch(method: string, given: readonly unknown[]): Promise<unknown> {
    const { instance, ended } = current()
    const ask: (...given: readonly unknown[]) => unknown = Reflect.get(Object(instance), method)
    const work = (async () => Reflect.apply(ask, instance, given))()
    work.catch(() => undefined)
    return Promise.race([work, ended])
  }

  /** Handles a message, and returns the response that leaves the object. */
  async function receive(method: string, given: readonly unknown[]): Promise<unknown> {
    try {
      const value = await dispatch(method, given)
      if (chance.happens(weather.ends)) end()
      else commit()
      return life ? value : Promise.reject(new Fault(`${name} has ended`, chance.happens(500)))
    } catch (error) {
      if (!isFault(error)) defect(error)
      throw error
    }
  }

  return {
    end,
    /** The current contents of the storage. */
    sql: sqlOf(database, () => undefined),
    close: database.close,

    /** The object as others reach it: over the network, which copies or loses arguments and results. */
    stub<Stub extends object>(door: Door = (send) => send()): Stub {
      const stub: Stub = new Proxy(Object.create(null), {
        get: (_, method) =>
          method === 'then'
            ? undefined
            : (...given: unknown[]) => {
                const message = structuredClone(given)
                return door(async () => {
                  await network.travel(`→ ${name}.${String(method)}`)
                  const value = structuredClone(await receive(String(method), message))
                  await network.travel(`← ${name}.${String(method)}`)
                  return value
                })
              },
      })
      return stub
    },
  }
}

export type Host = ReturnType<typeof createHost>

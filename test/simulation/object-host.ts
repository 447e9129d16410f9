import { createKeyValues } from './key-values.ts'
import type { Clock } from './clock.ts'
import { Fault, isFault, type Network } from './network.ts'
import { part } from './part.ts'
import { createDatabase, sqlOf } from './sql.ts'
import type { Chance, Weather } from './weather.ts'

/** Lets what an object sends leave it: once what it wrote is durable, or never, should it end here. */
export type Door = <T>(send: () => Promise<T>) => Promise<T>

export interface HostOptions<Instance> {
  readonly name: string
  readonly id?: DurableObjectId
  readonly clock: Clock
  readonly chance: Chance
  readonly weather: Weather
  readonly network: Network
  readonly note: (event: string) => void
  /** Told of an error that is nobody's fault but the code's. */
  readonly defect: (error: unknown) => void
  /** Makes an instance, as the platform does with the first event after a start. */
  readonly start: (state: DurableObjectState, door: Door) => Instance
}

interface Life<Instance> {
  readonly instance: Instance
  /** Rejects when the instance ends. */
  readonly ended: Promise<never>
  readonly end: (error: Fault) => void
}

/** The platform repeats an alarm that failed after this long, and then twice that. */
const FIRST_REPEAT_MS = 2_000
const MAX_REPEAT_MS = 60_000
/** A promise of an instance that has ended: nothing comes of it any more. */
const NEVER = new Promise<never>(() => undefined)

/**
 * The platform around one Durable Object: its storage, its one alarm, and its instances, of which each lives until it is
 * ended. What an instance wrote since it last sent something is lost with it, or is not; what it waits for never comes.
 */
export function createHost<Instance extends object>(options: HostOptions<Instance>) {
  const { name, clock, chance, weather, network, note, defect } = options
  const database = createDatabase()
  /** When the alarm is to come, as written and as committed. */
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

  /** What was written is durable from now on. */
  function commit(): void {
    database.commit()
    // The alarm that is being handled comes again unless its handler ends well, or sets another
    if (isHandling && alarm === null) return
    if (durableAlarm === alarm) return
    durableAlarm = alarm
    if (!isHandling) arm()
  }

  /** The instance is gone, with what it did not yet make durable, or but for that. */
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

  /** Has the living instance do something, until it ends. */
  async function dispatch(method: string, given: readonly unknown[]): Promise<unknown> {
    const { instance, ended } = current()
    const ask: (...given: readonly unknown[]) => unknown = Reflect.get(Object(instance), method)
    const work = (async () => Reflect.apply(ask, instance, given))()
    work.catch(() => undefined)
    return Promise.race([work, ended])
  }

  /** Has the object do what a message says, and gives what leaves it as an answer. */
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
    /** What is stored, as it is now. */
    sql: sqlOf(database, () => undefined),
    close: database.close,

    /** The object as others reach it: over the network, where what goes there and comes back is copied, or lost. */
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

import { createKeyValues } from '../simulation/key-values.ts'
import { createHash, randomUUID } from 'node:crypto'
import { part } from '../simulation/part.ts'
import { createDatabase, sqlOf } from '../simulation/sql.ts'

/** The platform retries a failed alarm after this long. */
const REPEAT_MS = 2_000
/** Short, because a timer does not notice when a test moves the clock. */
const LONGEST_TIMER_MS = 2_000

type Start = (state: DurableObjectState) => object

/** Creates a namespace of one class of Durable Objects, each with an in-memory database until `close`. */
export function createNamespace<T extends Rpc.DurableObjectBranded>(start: Start) {
  const objects = new Map<string, ReturnType<typeof createObject>>()
  const names = new Map<string, string>()

  function idOf(name: string): DurableObjectId {
    const hex = createHash('sha256').update(name).digest('hex')
    names.set(hex, name)
    return part<DurableObjectId>({ toString: () => hex, name, equals: (other) => other.toString() === hex })
  }
  function get(id: DurableObjectId): DurableObjectStub<T> {
    const key = id.toString()
    const object = objects.get(key) ?? createObject(start, id)
    objects.set(key, object)
    return object.stub<DurableObjectStub<T>>()
  }

  return {
    namespace: part<DurableObjectNamespace<T>>({
      get,
      getByName: (name) => get(idOf(name)),
      newUniqueId: () => idOf(randomUUID()),
      idFromName: idOf,
      idFromString(hex) {
        const name = names.get(hex)
        if (name === undefined) throw new TypeError('Invalid Durable Object ID')
        return idOf(name)
      },
    }),
    close: () => objects.forEach((object) => object.close()),
  }
}

/** Creates one object: its database, its alarm and its only instance. */
function createObject(start: Start, id: DurableObjectId) {
  let database = createDatabase()
  let alarm: number | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const storage = part<DurableObjectStorage>({
    kv: createKeyValues(),
    sql: part<SqlStorage>({ exec: (query, ...bindings) => sqlOf(database, () => undefined).exec(query, ...bindings) }),
    transactionSync: (change) => database.atOnce(change),
    getAlarm: async () => alarm,
    async setAlarm(at) {
      alarm = Number(at)
      arm()
    },
    async deleteAlarm() {
      alarm = null
      clearTimeout(timer)
    },
    async deleteAll() {
      database.close()
      database = createDatabase()
    },
  })
  const waitUntil = (work: Promise<unknown>) => void work.catch((error: unknown) => console.error(error))
  const instance = start(part<DurableObjectState>({ storage, id, waitUntil }))

  function arm(): void {
    clearTimeout(timer)
    if (alarm === null || isClosed) return
    timer = setTimeout(() => void ring(), Math.min(Math.max(0, alarm - Date.now()), LONGEST_TIMER_MS))
    timer.unref()
  }

  async function ring(): Promise<void> {
    if (alarm === null || alarm > Date.now()) return arm()
    alarm = null
    try {
      await call('alarm', [])
    } catch (error) {
      console.error(error)
      alarm ??= Date.now() + REPEAT_MS
      arm()
    }
  }

  async function call(method: string, given: readonly unknown[]): Promise<unknown> {
    const found: (...given: readonly unknown[]) => unknown = Reflect.get(instance, method)
    return Reflect.apply(found, instance, given)
  }

  return {
    /** The object as a Worker reaches it: arguments and results are copied. */
    stub<Stub extends object>(): Stub {
      const stub: Stub = new Proxy(Object.create(null), {
        get: (_, method) =>
          method === 'then'
            ? undefined
            : async (...given: unknown[]) => structuredClone(await call(String(method), structuredClone(given))),
      })
      return stub
    },
    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

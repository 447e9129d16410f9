import { createKv } from '../platform/kv.ts'
import { createNamespace } from '../platform/objects.ts'
import { part } from '../simulation/part.ts'

/** `cloudflare:workers` and `cloudflare:test` in this process, for the tests of the project `worker`. */
export * from '../platform/workers.ts'

type Name = 'Access' | 'Connect' | 'Events' | 'IdempotencyStore' | 'Records' | 'Registry' | 'Tasks' | 'Vault'

const states = new WeakMap<object, DurableObjectState>()

function objectsOf(name: Name): DurableObjectNamespace {
  let started: DurableObjectState | undefined
  const { namespace } = createNamespace((state) => lazy(name, (started = state)))
  const stubs = new Map<string, DurableObjectStub>()
  const { get, idFromName } = namespace
  function stubOf(id: DurableObjectId): DurableObjectStub {
    const stub = stubs.get(id.toString()) ?? get(id)
    stubs.set(id.toString(), stub)
    if (started) states.set(stub, started)
    started = undefined
    return stub
  }
  return Object.assign(namespace, { get: stubOf, getByName: (each: string) => stubOf(idFromName(each)) })
}

/** Most tests start their own instances over its storage, and run its alarms themselves. */
function lazy(name: Name, state: DurableObjectState): object {
  let alarm: number | null = null
  Object.assign(state.storage, {
    getAlarm: async () => alarm,
    setAlarm: async (at: number) => void (alarm = at),
    deleteAlarm: async () => void (alarm = null),
  })
  let instance: Promise<object> | undefined
  return new Proxy(Object.create(null), {
    get:
      (_, method) =>
      async (...given: unknown[]) => {
        // The Worker imports this module
        instance ??= import('../../src/index.ts').then((worker) => Reflect.construct(worker[name], [state, env]))
        const made = await instance
        return Reflect.apply(Reflect.get(made, method), made, given)
      },
  })
}

export const env = {
  ACCESS: 'open',
  REGISTRY: createKv(),
  Access: objectsOf('Access'),
  Connect: objectsOf('Connect'),
  Events: objectsOf('Events'),
  IdempotencyStore: objectsOf('IdempotencyStore'),
  Records: objectsOf('Records'),
  Registry: objectsOf('Registry'),
  Tasks: objectsOf('Tasks'),
  Vault: objectsOf('Vault'),
}

function stateOf(stub: object): DurableObjectState {
  const state = states.get(stub)
  if (!state) throw new Error('Not one of these objects')
  return state
}

export async function runInDurableObject<T>(
  stub: object,
  use: (instance: undefined, state: DurableObjectState) => T | Promise<T>,
): Promise<T> {
  return use(undefined, stateOf(stub))
}

export async function runDurableObjectAlarm(stub: { alarm(): Promise<void> }): Promise<boolean> {
  const { storage } = stateOf(stub)
  if ((await storage.getAlarm()) === null) return false
  await storage.deleteAlarm()
  await stub.alarm()
  return true
}

export function createExecutionContext(): ExecutionContext {
  return part<ExecutionContext>({ waitUntil: (work) => void work.catch(() => undefined) })
}

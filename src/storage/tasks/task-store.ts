import { fail } from '../../core/failure/failure.ts'
import type { Task, TaskOutcome } from '../../core/task/task.ts'
import type { StoredCall, StoredTask, TaskStore } from '../../core/task/task-store.ts'
import type { Waiting } from '../../core/task/waiting.ts'
import { parseTrusted } from '../../core/tool/json-text.ts'
import { createReliableStub, type StubOptions } from '../reachable-stub.ts'
import { getObject, newAddressedId } from '../sealing/addressed-id.ts'
import type { Sealer } from '../sealing/deployment-keys.ts'
import type { TaskRow } from './stored-tasks.ts'
import type { TasksObject } from './tasks-object.ts'

const POLL_INTERVAL_MS = 1_000
/** Longer than a call. */
const MAX_RUN_MS = 600_000
const REACH: StubOptions<DurableObjectStub<TasksObject>> = {
  what: 'tasks',
  waitMs: 15_000,
  waitMsByMethod: { wait: 2 * MAX_RUN_MS },
}
const LOST = fail({ type: 'gone', message: 'The call has ended, and its result is not stored' })

/** The tasks of all principals; what callers and tools wrote leaves the isolate only sealed. */
export function createTaskStore(namespace: DurableObjectNamespace<TasksObject>, sealer: Sealer): TaskStore {
  const openStub = (object: DurableObjectId) => createReliableStub(() => namespace.get(object), REACH)

  function findStub(id: string, principal?: string) {
    const object = getObject(namespace, id)
    const isOther = principal !== undefined && object?.toString() !== namespace.idFromName(principal).toString()
    return object && !isOther ? openStub(object) : undefined
  }

  const seal = (id: string, kind: string, value: unknown) =>
    sealer.seal(JSON.stringify(value), JSON.stringify(['task', id, kind]))

  async function unseal<T>(id: string, kind: string, text: string | null | undefined) {
    const unsealed = text == null ? undefined : await sealer.unseal(text, JSON.stringify(['task', id, kind]))
    const value: T | undefined = unsealed && parseTrusted(unsealed.text)
    return value
  }

  async function read(id: string, principal?: string): Promise<StoredTask | undefined> {
    const isCaller = principal !== undefined
    const kinds = isCaller ? (['waiting', 'outcome'] as const) : (['waiting', 'call'] as const)
    const found = await findStub(id, principal)?.read(id, kinds, isCaller)
    if (!found) return undefined
    const { row, parts } = found
    const waiting = await unseal<Waiting>(id, 'waiting', parts.waiting)
    const outcome = await unseal<TaskOutcome>(id, 'outcome', parts.outcome)
    const stored = await unseal<StoredCall>(id, 'call', parts.call)
    const task = toTask(row, await unseal<string>(id, 'message', row.message), waiting, outcome)
    return { task, revision: row.revision, expiresAt: row.expires, waiting, stored }
  }

  return {
    async create(call, ttlMs) {
      const object = namespace.idFromName(call.caller.principal.id)
      const id = newAddressedId(object)
      const row = await openStub(object).create(id, await seal(id, 'call', call), ttlMs)
      return row && toTask(row)
    },
    find: read,
    load: (id) => read(id),
    waitUntilEnded: async ({ id, revision }) => findStub(id)?.wait(id, revision, MAX_RUN_MS),
    async change(id, { message, waiting, outcome, ...change }, revision) {
      const parts = {
        ...(waiting ? { waiting: await seal(id, 'waiting', waiting) } : {}),
        ...(outcome ? { outcome: await seal(id, 'outcome', outcome) } : {}),
      }
      const sealedMessage = message === undefined ? {} : { message: await seal(id, 'message', message) }
      return findStub(id)?.change(id, { ...change, ...sealedMessage, parts }, revision)
    },
    report: async ({ id, revision }, message) => findStub(id)?.report(id, revision, await seal(id, 'message', message)),
    removeAll: async (principal) => openStub(namespace.idFromName(principal)).removeAll(),
  }
}

function toTask(row: TaskRow, message?: string, waiting?: Waiting, outcome?: TaskOutcome): Task {
  const { id, status, created, updated, expires } = row
  const lost: TaskOutcome = { callId: id, durationMs: updated - created, result: LOST }
  return {
    id,
    status,
    ...(message === undefined ? {} : { statusMessage: message }),
    createdAt: new Date(created).toISOString(),
    lastUpdatedAt: new Date(updated).toISOString(),
    ttlMs: expires - created,
    pollIntervalMs: POLL_INTERVAL_MS,
    ...(status === 'input_required' && waiting ? { inputRequests: waiting.requests } : {}),
    ...(status === 'completed' || status === 'failed' ? { outcome: outcome ?? lost } : {}),
  }
}

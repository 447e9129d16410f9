import { fail } from '../../core/failure/failure.ts'
import type { TaskOutcome } from '../../core/task/task.ts'
import type { StoredCall, StoredTask, TaskChange, TaskStore } from '../../core/task/task-store.ts'
import { parseTrusted } from '../../core/tool/json-text.ts'
import { createReliableStub } from '../reachable-stub.ts'
import { getObject, newAddressedId } from '../sealing/addressed-id.ts'
import type { Sealer } from '../sealing/deployment-keys.ts'
import type { SealedParts, TaskRow } from './stored-tasks.ts'
import type { TasksObject } from './tasks-object.ts'

type Parts = Pick<TaskChange, 'message' | 'pendingInput' | 'outcome'> & {
  readonly call?: StoredCall
  readonly tool?: string
}

const POLL_INTERVAL_MS = 1_000
const LOST = fail({ type: 'gone', message: 'The call has ended, but its result was not stored' })

/** The tasks of all principals. Texts of callers and tools are encrypted before they leave the isolate. */
export function createTaskStore(namespace: DurableObjectNamespace<TasksObject>, sealer: Sealer): TaskStore {
  const openStub = (object: DurableObjectId) =>
    createReliableStub(() => namespace.get(object), { what: 'tasks', waitMs: 15_000 })

  function findStub(id: string, principal?: string) {
    const object = getObject(namespace, id)
    const isOther = principal !== undefined && object?.toString() !== namespace.idFromName(principal).toString()
    return object && !isOther ? openStub(object) : undefined
  }

  const associatedData = (id: string, kind: string) => JSON.stringify(['task', id, kind])

  async function seal(id: string, parts: Parts): Promise<SealedParts> {
    const sealed: Record<string, string> = {}
    for (const [kind, value] of Object.entries(parts))
      if (value !== undefined) sealed[kind] = await sealer.seal(JSON.stringify(value), associatedData(id, kind))
    return sealed
  }

  async function unseal(id: string, sealed: SealedParts): Promise<Parts> {
    const parts: Record<string, ReturnType<typeof parseTrusted>> = {}
    for (const [kind, text] of Object.entries(sealed)) {
      const unsealed = await sealer.unseal(text, associatedData(id, kind))
      if (unsealed) parts[kind] = parseTrusted(unsealed.text)
    }
    return parts
  }

  return {
    async create(call, tool, ttlMs) {
      const object = namespace.idFromName(call.caller.principal.id)
      const id = newAddressedId(object)
      const row = await openStub(object).create(id, await seal(id, { call, tool }), ttlMs)
      return row && toTask(row, {})
    },
    async find(id, principal) {
      const found = await findStub(id, principal)?.read(id, principal !== undefined)
      return found && toTask(found.row, await unseal(id, found.parts))
    },
    async change(id, { status, waitMs, ...parts }, revision) {
      return findStub(id)?.change(id, { status, waitMs, parts: await seal(id, parts) }, revision)
    },
    removeAll: async (principal) => openStub(namespace.idFromName(principal)).removeAll(),
  }
}

function toTask(row: TaskRow, { call, tool, message, pendingInput, outcome }: Parts): StoredTask {
  const { id, status, created, updated, expires, revision } = row
  const lost: TaskOutcome = { callId: id, durationMs: updated - created, result: LOST }
  return {
    id,
    status,
    ...(message === undefined ? {} : { statusMessage: message }),
    createdAt: new Date(created).toISOString(),
    lastUpdatedAt: new Date(updated).toISOString(),
    ttlMs: expires - created,
    pollIntervalMs: POLL_INTERVAL_MS,
    ...(status === 'input_required' && pendingInput ? { inputRequests: pendingInput.requests } : {}),
    ...(status === 'completed' || status === 'failed' ? { outcome: outcome ?? lost } : {}),
    revision,
    pendingInput,
    tool,
    storedCall: call,
  }
}

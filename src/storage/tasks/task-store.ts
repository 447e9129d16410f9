import type { StoredCall, Task, TaskStore } from '../../core/task/task.ts'
import { parseTrusted } from '../../core/tool/json-text.ts'
import { createReliableStub } from '../reachable-stub.ts'
import { getObject, hashAddressedId, newAddressedId } from '../sealing/addressed-id.ts'
import type { Sealer } from '../sealing/deployment-keys.ts'
import { canonicalText } from '../sealing/fingerprint.ts'
import { sha256 } from '../sealing/sha256.ts'
import type { SealedParts, StoredTask, TaskRow } from './stored-tasks.ts'
import type { TasksObject } from './tasks-object.ts'

type Parts = Readonly<Record<string, ReturnType<typeof parseTrusted>>>

const POLL_INTERVAL_MS = 1_000

/** Stores the tasks of all principals. Text from callers and tools is encrypted before it leaves the isolate. */
export function createTaskStore(namespace: DurableObjectNamespace<TasksObject>, sealer: Sealer): TaskStore {
  const openStub = (object: DurableObjectId) =>
    createReliableStub(() => namespace.get(object), { what: 'tasks', waitMs: 15_000 })

  function findStub(id: string, principal?: string) {
    const object = getObject(namespace, id)
    const isOther = principal !== undefined && object?.toString() !== namespace.idFromName(principal).toString()
    return object && !isOther ? openStub(object) : undefined
  }

  const associatedData = (id: string, kind: string) => JSON.stringify(['task', id, kind])

  async function seal(id: string, parts: object): Promise<SealedParts> {
    const sealed: Record<string, string> = {}
    for (const [kind, value] of Object.entries(parts))
      if (value !== undefined) sealed[kind] = await sealer.seal(JSON.stringify(value), associatedData(id, kind))
    return sealed
  }

  /** Returns undefined if a part can no longer be decrypted. */
  async function unseal(id: string, sealed: SealedParts): Promise<Parts | undefined> {
    const parts: Record<string, Parts[string]> = {}
    for (const [kind, text] of Object.entries(sealed)) {
      const unsealed = await sealer.unseal(text, associatedData(id, kind))
      if (!unsealed) return undefined
      parts[kind] = parseTrusted(unsealed.text)
    }
    return parts
  }

  /** Causes a run that ends the task if it can no longer be decrypted: it counts as open, and no other run may come. */
  async function unsealForCaller({ row, parts }: StoredTask): Promise<Parts | undefined> {
    const unsealed = await unseal(row.id, parts)
    if (!unsealed && row.status === 'input_required')
      await findStub(row.id)?.change(row.id, { waitMs: 0, parts: {} }, row.revision)
    return unsealed
  }

  return {
    async create(call, tool, ttlMs) {
      const object = namespace.idFromName(call.caller.principal.id)
      const { callId } = call.call
      const id = callId === undefined ? newAddressedId(object) : await hashAddressedId(object, callId)
      const request = callId === undefined ? undefined : await hashRequest(call)
      const found = await openStub(object).create(id, await seal(id, { call, tool, request }), ttlMs)
      if (!found) return undefined
      const parts = await unsealForCaller(found)
      if (!parts) return 'unknown'
      return parts['request'] === request ? toTask(found.row, parts) : 'reused'
    },
    async find(id, principal) {
      const found = await findStub(id, principal)?.read(id, principal !== undefined)
      if (!found) return undefined
      const parts = await (principal === undefined ? unseal(id, found.parts) : unsealForCaller(found))
      return parts && toTask(found.row, parts)
    },
    async change(id, { status, waitMs, ...parts }, revision) {
      return findStub(id)?.change(id, { status, waitMs, parts: await seal(id, parts) }, revision)
    },
    removeAll: async (principal) => openStub(namespace.idFromName(principal)).removeAll(),
  }
}

function hashRequest({ call, context, caller }: StoredCall): Promise<string> {
  const { traceId: _, ...request } = call
  return sha256(canonicalText([request, context, caller.requestUrl]))
}

function toTask(row: TaskRow, parts: Parts): Task {
  const { id, status, revision, created, updated, expires } = row
  const { tool, message, pendingInput, request: _, ...others } = parts
  const inputRequests = status === 'input_required' ? pendingInput?.requests : undefined
  return {
    id,
    status,
    revision,
    createdAt: new Date(created).toISOString(),
    lastUpdatedAt: new Date(updated).toISOString(),
    ttlMs: expires - created,
    pollIntervalMs: POLL_INTERVAL_MS,
    tool,
    ...(message === undefined ? {} : { statusMessage: message }),
    ...(pendingInput && { pendingInput }),
    ...(inputRequests && { inputRequests }),
    ...others,
  }
}

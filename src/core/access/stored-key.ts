/** Separate from the readers of keys, which calls do not need. */
import type { ApiKey, KeyChange } from './api-key.ts'
import type { Principal } from './principal.ts'

/** Applies a change where keys are stored, so that concurrent changes do not undo each other. Null removes a setting. */
export function applyKeyChange(key: ApiKey, change: KeyChange): ApiKey {
  const { expires_at: expiry, limits: keyLimits, toolset: keyToolset, lock: keyLock, ...fields } = key
  const { expires_at = expiry, limits = keyLimits, toolset = keyToolset, lock = keyLock, ...changedFields } = change
  return {
    ...fields,
    ...changedFields,
    ...(expires_at ? { expires_at } : {}),
    ...(limits ? { limits } : {}),
    ...(toolset ? { toolset } : {}),
    ...(lock ? { lock } : {}),
  }
}

export function toKeyPrincipal(key: ApiKey): Principal {
  const { id, name, scopes, tools, users, limits, toolset, lock, record_arguments: recordsArguments } = key
  return {
    id: `key:${id}`,
    name,
    kind: 'key',
    scopes,
    tools,
    users,
    ...(limits ? { limits } : {}),
    ...(toolset === undefined ? {} : { toolset }),
    ...(lock === undefined ? {} : { lock }),
    ...(recordsArguments ? { recordsArguments } : {}),
  }
}

import type { ApiKey } from './api-key.ts'
import { toKeyPrincipal } from './stored-key.ts'
import { formatHolder, toHolder } from './holder.ts'
import { toPersonId } from './session.ts'

/** Lists the principals whose sessions belong to a user: the signed-in person, and keys that have no other user. */
export function listSessionOwners(user: string, keys: readonly ApiKey[]): readonly string[] {
  const holder = formatHolder({ kind: 'user', id: user })
  const principals = keys.map(toKeyPrincipal).filter((principal) => formatHolder(toHolder(principal)) === holder)
  return [toPersonId(user), ...principals.map(({ id }) => id)]
}

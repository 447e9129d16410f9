import { type ApiKey, principalOf } from '../../core/access/api-key.ts'
import type { PublishedTotals } from '../../core/publish/publisher-quota.ts'

/** Never the key's text or hash. */
function encodeKey({ id, name, scopes, tools, users, created_at, expires_at, limits, record_arguments }: ApiKey) {
  return { id, name, scopes, tools, users, created_at, expires_at, limits, record_arguments }
}

export interface Known {
  readonly published: Readonly<Record<string, PublishedTotals>> | undefined
  readonly quota: PublishedTotals
  readonly lastUses: Readonly<Record<string, number>>
}

/** `published` is absent while it cannot be read; administrators have no quota. */
export function encodeListed(key: ApiKey, { published: all, quota, lastUses }: Known) {
  const used = lastUses[key.id]
  const shown = { ...encodeKey(key), ...(used === undefined ? {} : { last_used_at: new Date(used).toISOString() }) }
  if (!all) return shown
  const published = all[principalOf(key).id] ?? { documents: 0, bytes: 0 }
  return { ...shown, published: { ...published, ...(key.scopes.includes('admin') ? {} : { quota }) } }
}

export function encodeNewKey(key: ApiKey, text: string) {
  const { id, ...rest } = encodeKey(key)
  return { id, key: text, ...rest }
}

type ListedKey = ReturnType<typeof encodeListed>
type MadeKey = ReturnType<typeof encodeNewKey>

export interface KeyAnswers {
  'POST /keys': MadeKey
  'GET /keys': { readonly items: readonly ListedKey[] }
  'GET /keys/:id': ListedKey
  'PATCH /keys/:id': ListedKey
  'POST /keys/:id/rotate': MadeKey & { readonly previous_expires_at: string }
  'DELETE /keys/:id': undefined
}

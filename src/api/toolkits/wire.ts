import type { Toolkit } from '../../core/access/toolkit-owner.ts'
import type { ToolkitCount } from '../../core/catalog/catalog.ts'
import { statusReader } from '../../core/publish/status-body.ts'
import { tags, toolkitDescriptionReader } from '../../core/tool/definition-fields.ts'
import { boolean, nullable, object, optional, string } from '../../core/tool/json-reader.ts'

const OWNER = nullable(string({ min: 1, max: 300 }))
export const OWNER_BODY = object({ owner: OWNER })
const SETTINGS = object({
  owner: optional<string | null>(OWNER),
  tags: optional(tags),
  review: optional(boolean),
  description: optional<string | null>(nullable(toolkitDescriptionReader)),
})
export const TOOLKIT_CHANGE_BODY = statusReader(SETTINGS, ['owner', 'tags', 'review', 'description'])
const KEY_PREFIX = 'key:'

export function findNamedPrincipal(owner: string): { readonly principal: string; readonly key?: string } {
  if (owner === 'admin' || owner.startsWith('jwt:')) return { principal: owner }
  const key = owner.startsWith(KEY_PREFIX) ? owner.slice(KEY_PREFIX.length) : owner
  return { principal: KEY_PREFIX + key, key }
}

export function encodeToolkit({ toolkit, owner, isBundled, untrusted, status, ...settings }: Toolkit) {
  const { tags: toolkitTags, review, description, deleted } = settings
  const principal = typeof owner === 'string' ? null : owner.principal
  const ownerId = principal?.startsWith(KEY_PREFIX) ? principal.slice(KEY_PREFIX.length) : principal
  const { state, ...details } = status
  return {
    toolkit,
    owner: ownerId,
    bundled: isBundled,
    untrusted,
    status: state,
    ...details,
    tags: toolkitTags,
    review,
    ...(description === undefined ? {} : { description }),
    ...(deleted
      ? { deleted_at: new Date(deleted.at).toISOString(), kept_until: new Date(deleted.until).toISOString() }
      : {}),
  }
}

export function encodeSummary({ toolkit, tools, level, description }: ToolkitCount, tokens?: number) {
  return { toolkit, ...(description === null ? {} : { description }), tools, security_level: level, tokens }
}

type ShownToolkit = ReturnType<typeof encodeToolkit>

export interface ToolkitAnswers {
  'GET /toolkits': { readonly items: readonly ReturnType<typeof encodeSummary>[] }
  'GET /toolkits/:toolkit': ShownToolkit
  'PATCH /toolkits/:toolkit': ShownToolkit
}

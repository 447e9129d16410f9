import type { Loss } from '../core/tool/codec.ts'
import type { ToolRecord } from '../core/tool/tool.ts'

const reason = 'A function declaration has no such field'

/** What of a record no provider's function declaration says: all but its name, description and input. */
export function recordLosses(record: ToolRecord): Loss[] {
  const losses: Loss[] = []
  for (const field of ['title', 'annotations', 'icons', '_meta', 'metadata', 'examples'] as const) {
    if (record[field] !== undefined) losses.push({ path: `/${field}`, reason })
  }
  const { output, requirements, securityLevel } = record
  const anything = output === true || (typeof output === 'object' && output && Object.keys(output).length === 0)
  if (!anything) losses.push({ path: '/output', reason })
  const { authorization, secrets, user_id } = requirements
  if (authorization.length > 0 || secrets.length > 0 || user_id) losses.push({ path: '/requirements', reason })
  if (securityLevel !== 0) losses.push({ path: '/securityLevel', reason })
  return losses
}

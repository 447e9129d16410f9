import type { Loss } from '../core/tool/codec.ts'
import { MAX_NAME } from '../core/tool/tool-id.ts'
import type { ToolRecord } from '../core/tool/tool.ts'

const FIELDS = ['title', 'annotations', 'icons', '_meta', 'metadata', 'examples'] as const

const NO_FIELD = 'A function declaration has no such field'

export function recordLosses(record: ToolRecord, reason = NO_FIELD, written: readonly string[] = []): Loss[] {
  const losses: Loss[] = []
  for (const field of FIELDS) {
    if (record[field] !== undefined && !written.includes(field)) losses.push({ path: `/${field}`, reason })
  }
  const { output, requirements, securityLevel } = record
  const anything = output === true || (typeof output === 'object' && output && Object.keys(output).length === 0)
  if (!anything && !written.includes('output')) losses.push({ path: '/output', reason })
  const { authorization, secrets, user_id } = requirements
  if (authorization.length > 0 || secrets.length > 0 || user_id) losses.push({ path: '/requirements', reason })
  if (securityLevel !== 0) losses.push({ path: '/securityLevel', reason })
  if (record.requiresApproval) losses.push({ path: '/requiresApproval', reason })
  return losses
}

export function providerName(name: string, losses: Loss[], beginsWith: 'any' | 'letter' = 'any'): string {
  const allowed = name.replace(/[^A-Za-z0-9_-]/g, '_')
  const begun = allowed === '' || (beginsWith === 'letter' && !/^[A-Za-z_]/.test(allowed)) ? `_${allowed}` : allowed
  const accepted = begun.slice(0, MAX_NAME)
  if (accepted !== name) losses.push({ path: '/name', reason: `Becomes '${accepted}', as the provider wants names` })
  return accepted
}

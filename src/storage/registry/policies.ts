import { createPolicySet, MAX_POLICIES, type Policy, type PolicySet } from '../../core/access/policy.ts'
import type { PutPolicyResult } from '../../core/access/policy.ts'
import { type Precondition, matchesPrecondition, type RemoveResult } from '../../core/tool/precondition.ts'
import { matchesPattern } from '../../core/tool/tool-id.ts'
import { ALL_POLICIES, kvKey } from '../keys.ts'
import { column, readField } from '../rows.ts'
import { nextRevision, queue, readMeta, writeMeta } from './tables.ts'

export interface PolicyList {
  readonly revision: number
  readonly policies: readonly Policy[]
}

const REVISION = 'policies'

export function policiesText(sql: SqlStorage): string | undefined {
  const revision = readMeta(sql, REVISION)
  if (revision === undefined) return undefined
  const bodies = column<string>(sql, 'SELECT body FROM policy ORDER BY pattern')
  return `{"revision":${Number(revision)},"policies":[${bodies.join()}]}`
}

export function findPolicy(sql: SqlStorage, pattern: string): Policy | undefined {
  const body = readField<string>(sql, 'SELECT body FROM policy WHERE pattern = ?', pattern.toLowerCase())
  return body === undefined ? undefined : JSON.parse(body)
}

export function storePolicy(sql: SqlStorage, policy: Policy, precondition?: Precondition): PutPolicyResult {
  const key = policy.pattern.toLowerCase()
  const before = readField<string>(sql, 'SELECT body FROM policy WHERE pattern = ?', key)
  if (!matchesPrecondition(before, precondition)) return 'precondition-failed'
  const isNew = before === undefined
  if (isNew && (readField<number>(sql, 'SELECT count(*) FROM policy') ?? 0) >= MAX_POLICIES) return 'limit-reached'
  const body = JSON.stringify(policy)
  if (before === body) return 'replaced'
  sql.exec('INSERT OR REPLACE INTO policy VALUES (?, ?)', key, body)
  queuePolicies(sql)
  return isNew ? 'created' : 'replaced'
}

export function removePolicy(sql: SqlStorage, pattern: string, precondition?: Precondition): RemoveResult {
  const before = readField<string>(sql, 'SELECT body FROM policy WHERE pattern = ?', pattern.toLowerCase())
  if (before === undefined) return 'not-found'
  if (!matchesPrecondition(before, precondition)) return 'precondition-failed'
  sql.exec('DELETE FROM policy WHERE pattern = ?', pattern.toLowerCase())
  queuePolicies(sql)
  return 'removed'
}

/** Whether the pattern matches the name of any tool. */
export function coversTool(sql: SqlStorage, pattern: string): boolean {
  for (const key of iterateKeys(sql, pattern)) if (matchesPattern(pattern, key)) return true
  return false
}

/** Yields the keys of tools that a pattern may match, one by one, because most patterns match an early key. */
export function* iterateKeys(sql: SqlStorage, pattern: string): Generator<string, undefined> {
  const [prefix = ''] = pattern.toLowerCase().split(/[*-]/, 1)
  const query = 'SELECT key FROM tool WHERE key >= ? AND key < ?'
  for (const { key } of sql.exec<{ key: string }>(query, prefix, `${prefix}\u{10ffff}`)) yield key
  return undefined
}

const policySets = new WeakMap<SqlStorage, PolicySet>()

export function loadPolicySet(sql: SqlStorage): PolicySet {
  const cachedSet = policySets.get(sql)
  if (cachedSet?.revision === Number(readMeta(sql, REVISION) ?? 0)) return cachedSet
  const set = buildPolicySet(policiesText(sql))
  policySets.set(sql, set)
  return set
}

export function buildPolicySet(text: string | undefined): PolicySet {
  const list: PolicyList = text === undefined ? { revision: 0, policies: [] } : JSON.parse(text)
  return createPolicySet(list.policies, list.revision)
}

/** Writes to KV that there are no policies, so that isolates need not ask this object. */
export function queueFirstPolicies(sql: SqlStorage): void {
  if (readMeta(sql, REVISION) === undefined) queuePolicies(sql, 0)
}

/** Queues policies before everything else, because any change may restrict a tool. */
function queuePolicies(sql: SqlStorage, revision = nextRevision(sql)): void {
  writeMeta(sql, REVISION, String(revision))
  queue(sql, kvKey('policies', ALL_POLICIES), 'revocation')
}

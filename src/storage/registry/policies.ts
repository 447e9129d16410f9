import { createPolicySet, MAX_POLICIES, type Policy, type PolicySet } from '../../core/access/policy.ts'
import { type Precondition, matchesPrecondition } from '../../core/tool/precondition.ts'
import { ALL_POLICIES, kvKey } from '../keys.ts'
import { column, readField } from '../rows.ts'
import { nextRevision, queue, readMeta, writeMeta } from './tables.ts'

export interface PolicyList {
  readonly revision: number
  readonly policies: readonly Policy[]
}

const CHANGED = 'policies'

export function policiesText(sql: SqlStorage): string | undefined {
  const revision = readMeta(sql, CHANGED)
  if (revision === undefined) return undefined
  const bodies = column<string>(sql, 'SELECT body FROM policy ORDER BY pattern')
  return `{"revision":${Number(revision)},"policies":[${bodies.join()}]}`
}

export function findPolicy(sql: SqlStorage, pattern: string): Policy | undefined {
  const body = readField<string>(sql, 'SELECT body FROM policy WHERE pattern = ?', pattern.toLowerCase())
  return body === undefined ? undefined : JSON.parse(body)
}

/** Gives whether the pattern is new; undefined at the limit, `stale` where another policy was expected. */
export function storePolicy(sql: SqlStorage, policy: Policy, expected?: Precondition): boolean | 'stale' | undefined {
  const key = policy.pattern.toLowerCase()
  const before = readField<string>(sql, 'SELECT body FROM policy WHERE pattern = ?', key)
  if (!matchesPrecondition(before, expected)) return 'stale'
  const isNew = before === undefined
  if (isNew && (readField<number>(sql, 'SELECT count(*) FROM policy') ?? 0) >= MAX_POLICIES) return undefined
  const body = JSON.stringify(policy)
  if (before === body) return false
  sql.exec('INSERT OR REPLACE INTO policy VALUES (?, ?)', key, body)
  changed(sql)
  return isNew
}

export function removePolicy(sql: SqlStorage, pattern: string, expected?: Precondition): boolean | 'stale' {
  const before = readField<string>(sql, 'SELECT body FROM policy WHERE pattern = ?', pattern.toLowerCase())
  if (before !== undefined && !matchesPrecondition(before, expected)) return 'stale'
  const { rowsWritten } = sql.exec('DELETE FROM policy WHERE pattern = ?', pattern.toLowerCase())
  if (rowsWritten > 0) changed(sql)
  return rowsWritten > 0
}

const known = new WeakMap<SqlStorage, PolicySet>()

export function loadPolicySet(sql: SqlStorage): PolicySet {
  const before = known.get(sql)
  if (before?.revision === Number(readMeta(sql, CHANGED) ?? 0)) return before
  const set = buildPolicySet(policiesText(sql))
  known.set(sql, set)
  return set
}

export function buildPolicySet(text: string | undefined): PolicySet {
  const list: PolicyList = text === undefined ? { revision: 0, policies: [] } : JSON.parse(text)
  return createPolicySet(list.policies, list.revision)
}

/** Written first, since any change may restrict a tool. */
function changed(sql: SqlStorage): void {
  const revision = nextRevision(sql)
  writeMeta(sql, CHANGED, String(revision))
  queue(sql, kvKey('policies', ALL_POLICIES), 'revocation')
}

import { MAX_POLICIES, type Policy } from '../../core/access/policy.ts'
import type { Principal } from '../../core/access/principal.ts'
import type { Fact, FactOutcome } from '../../core/publish/archive/registry-archive.ts'
import { canonicalJson } from '../../core/tool/digest.ts'
import { parseToolId, toolKey } from '../../core/tool/tool-id.ts'
import { field, firstRow } from '../rows.ts'
import { keyOfName } from './names.ts'
import { policyOf, storePolicy } from './policies.ts'
import { nextRevision } from './tables.ts'
import { changeToolkit } from './toolkit-change.ts'
import { isBundled, isReviewed, restoreToolkit, statusOfToolkit, tagsOfToolkit, writeToolkit } from './toolkits.ts'
import { storeName } from './store-version.ts'
import { nameOf } from './versions.ts'

/**
 * Has a fact of an export be so here, unless another stands against it. To be run inside a transaction, for administrators.
 */
export function restoreFact(sql: SqlStorage, fact: Fact, principal: Principal): FactOutcome {
  if (fact.kind === 'toolkit') return restoreWhole(sql, fact, principal)
  if (fact.kind === 'policy') return restorePolicy(sql, fact.policy)
  const tool = parseToolId(fact.tool)
  const key = tool === undefined ? '' : toolKey(tool)
  return fact.kind === 'name' ? restoreName(sql, fact.name, key) : restoreGiven(sql, fact.name, key)
}

/**
 * A toolkit, with what is said of it as a whole: where it is new here, and where it is the bundle's and nothing is said of it, so
 * that what was disabled elsewhere is not active here.
 */
function restoreWhole(sql: SqlStorage, fact: Extract<Fact, { kind: 'toolkit' }>, principal: Principal): FactOutcome {
  const { toolkit, owner, status, held, tags, review } = fact
  const outcome = restoreToolkit(sql, toolkit, owner)
  if (outcome === 'taken') {
    return { refused: `The toolkit '${toolkit}' is another's here: PUT /toolkits/${toolkit} says whose it is` }
  }
  const isUnsaid =
    statusOfToolkit(sql, toolkit).state === 'active' &&
    tagsOfToolkit(sql, toolkit).length === 0 &&
    !isReviewed(sql, toolkit)
  const isSaid = status !== undefined || tags.length > 0 || review === true
  if (!isSaid || !isUnsaid || (outcome === 'unchanged' && !isBundled(sql, toolkit))) return outcome
  const change = { ...(status ? { status } : {}), ...(tags.length > 0 ? { tags } : {}), ...(review ? { review } : {}) }
  const refused = changeToolkit(sql, toolkit, change, principal, () => nextRevision(sql))
  if (typeof refused === 'object') return { refused: refused.denied }
  writeToolkit(sql, toolkit, { held: held ? 1 : 0 })
  return outcome === 'created' ? 'created' : 'changed'
}

/** A policy, where nothing else is said of its pattern: which of two holds is for somebody to say. */
function restorePolicy(sql: SqlStorage, policy: Policy): FactOutcome {
  const { pattern } = policy
  const here = policyOf(sql, pattern)
  if (here) {
    if (canonicalJson(here) === canonicalJson(policy)) return 'unchanged'
    return { refused: `Another policy holds for '${pattern}' here: PUT /policies/{pattern} says which is to` }
  }
  if (storePolicy(sql, policy) !== undefined) return 'created'
  return { refused: `There are ${MAX_POLICIES} policies here, as many as there may be` }
}

/** A name leads to its tool before the tool is there, so that none that comes before it takes it. */
function restoreName(sql: SqlStorage, name: string, key: string): FactOutcome {
  const holder = keyOfName(sql, name)
  if (holder === key) return 'unchanged'
  if (holder !== undefined) return { refused: `The name '${name}' leads to another tool here, '${holder}'` }
  sql.exec('INSERT INTO name VALUES (?, ?)', name.toLowerCase(), key)
  return 'created'
}

function restoreGiven(sql: SqlStorage, name: string, key: string): FactOutcome {
  const tool = firstRow<{ given: string | null }>(sql, 'SELECT given FROM tool WHERE key = ?', key)
  if (!tool || !nameOf(sql, key)) return { refused: `There is no tool '${key}' here to be called '${name}'` }
  if (tool.given === name) return 'unchanged'
  if (tool.given !== null) return { refused: `'${key}' was given the name '${tool.given}' here` }
  const other = field<string>(sql, 'SELECT key FROM tool WHERE lower(given) = lower(?)', name)
  if (other !== undefined) return { refused: `The name '${name}' was given to '${other}' here` }
  if (storeName(sql, key, name, nextRevision(sql))) return 'created'
  return { refused: `'${name}' is the name of another tool by its toolkit's, which nobody else has` }
}

import type { OperationTool } from '../../../core/catalog/catalog.ts'
import { countAnswers, MAX_LOOKED_UP, MIN_OPERATIONS } from '../../../core/search/answers.ts'
import { column, rows } from '../../rows.ts'
import type { rank } from './search.ts'

type RankedTools = ReturnType<typeof rank>

/** The maximum number of tools to look for per operation. */
const MAX_TOOLS = 1_000
/** The maximum number of these tools that a response names. */
const MAX_NAMED = 10

const SAME_TOOLS = `SELECT other.id FROM indexed JOIN indexed AS other USING (plain, operation)
  WHERE indexed.id = ? AND operation <> '' ORDER BY other.id LIMIT ${MAX_TOOLS}`
const NAMES = `SELECT tool.toolkit || '.' || tool.tool || '@' || listed AS id, coalesce(exposed, '') AS name
  FROM json_each(?) AS place JOIN indexed ON indexed.id = place.value JOIN tool ON tool.key = indexed.key
  ORDER BY place.key`

/**
 * Finds which results of a search are the same operation in several toolkits. Tools that the search did not find do not
 * count, because the principal may not be allowed to see them.
 */
export function createOperations(sql: SqlStorage, { ids: ranked, scores, candidates }: RankedTools) {
  const operations = new Map<number, readonly number[]>()
  const names = new Map<readonly number[], readonly OperationTool[]>()
  const getScore = (id: number) => candidates.get(id)?.score ?? 0

  /** Returns the ids of the operation's tools, best first. If there are no others, only this id. */
  function findOperation(id: number): readonly number[] {
    const knownIds = operations.get(id)
    if (knownIds) return knownIds
    const sameTools = column<number>(sql, SAME_TOOLS, id).filter((other) => candidates.has(other))
    const ids = sameTools.length > 1 ? sameTools.toSorted((one, other) => getScore(other) - getScore(one)) : [id]
    for (const member of [id, ...ids]) operations.set(member, ids)
    return ids
  }

  function nameTools(ids: readonly number[]): readonly OperationTool[] {
    if (ids.length === 1) return []
    type Row = { readonly id: string; readonly name: string }
    const tools = names.get(ids) ?? rows<Row>(sql, NAMES, JSON.stringify(ids.slice(0, MAX_NAMED)))
    names.set(ids, tools)
    return tools
  }

  /** Counts the results that are answers. Those of the first MIN_OPERATIONS operations always are. */
  function countRelevant(): number {
    const first = new Set<readonly number[]>()
    const lookedUp = ranked.slice(0, MAX_LOOKED_UP)
    const end = lookedUp.findIndex((id) => first.add(findOperation(id)).size > MIN_OPERATIONS)
    return Math.max(end === -1 ? lookedUp.length : end, countAnswers(scores))
  }

  return { findOperation, nameTools, countRelevant }
}

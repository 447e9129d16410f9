import type { Principal } from '../../../core/access/principal.ts'
import { firstSentence } from '../../../core/search/words.ts'
import { formatToolId, parseToolId, toolKey } from '../../../core/tool/tool-id.ts'
import { field } from '../../rows.ts'
import { nameOf } from '../versions.ts'
import { rank } from './search.ts'
import { countOf, scopeOf } from './visibility.ts'

/** Among more tools a search takes too long for those who publish beside it. */
const MAX_TOOLS = 30_000

/** A warning for each version whose own first sentence finds another tool first, of those that the principal sees. */
export function neighbourWarnings(
  sql: SqlStorage,
  ids: readonly string[],
  principal: Principal,
  maySearch: () => boolean,
): Map<string, string> {
  const scope = scopeOf(sql, {}, principal)
  const warnings = new Map<string, string>()
  if (countOf(sql, scope) > MAX_TOOLS) return warnings
  const listed = `SELECT record ->> '$.description' FROM tool JOIN version USING (key)
    WHERE key = ? AND version = listed AND version = ?`
  for (const id of ids) {
    if (!maySearch()) break
    const name = parseToolId(id)
    const description = name && field<string>(sql, listed, toolKey(name), name.selector ?? '')
    // Searches do not find other versions
    if (description === undefined) continue
    const sentence = firstSentence(description)
    const [first] = rank(sql, sentence, scope, 1).page
    const other = first && !id.toLowerCase().startsWith(`${first.key}@`) ? nameOf(sql, first.key) : undefined
    if (!other) continue
    warnings.set(id, `A search for the first sentence of '${id}', '${sentence}', finds '${formatToolId(other)}' first`)
  }
  return warnings
}

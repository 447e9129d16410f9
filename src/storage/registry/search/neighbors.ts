import type { Principal } from '../../../core/access/principal.ts'
import { firstSentence } from '../../../core/tool/first-sentence.ts'
import { formatToolId } from '../../../core/tool/tool-id.ts'
import { readField } from '../../rows.ts'
import { searchTools } from './query.ts'
import { countVisible, buildScope } from './visibility.ts'

/** In a larger registry, the searches would delay publications too much. */
const MAX_TOOLS = 30_000

/** The description of a version if it is the listed one, because searches find no others. */
const LISTED = `SELECT record ->> '$.description' FROM tool JOIN version USING (key)
  WHERE key = lower(?) AND version = listed AND version = ?`

/**
 * Returns a warning for each version if a search for the first sentence of its description finds another tool first. Only
 * tools that the principal may see count.
 */
export function neighborWarnings(
  sql: SqlStorage,
  ids: readonly string[],
  principal: Principal,
  maySearch: () => boolean,
): Map<string, string> {
  const warnings = new Map<string, string>()
  if (countVisible(sql, buildScope(sql, {}, principal)) > MAX_TOOLS) return warnings
  for (const id of ids) {
    const [name = '', version = ''] = id.split('@')
    const description = readField<string>(sql, LISTED, name, version)
    if (description === undefined || !maySearch()) continue
    const q = firstSentence(description)
    const query = { q, versions: 'newest', limit: 1 } as const
    const [first] = searchTools(sql, query, principal, { namesSame: false })?.found ?? []
    const other = first && formatToolId(JSON.parse(first.record))
    if (other && other.toLowerCase() !== name.toLowerCase())
      warnings.set(id, `A search for the first sentence of '${id}', '${q}', finds '${other}' first`)
  }
  return warnings
}

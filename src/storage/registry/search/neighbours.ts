import type { Principal } from '../../../core/access/principal.ts'
import { firstSentence } from '../../../core/search/words.ts'
import { formatToolId, parseToolId, toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
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
  for (const id of ids) {
    if (!maySearch()) break
    const sentence = listedSentence(sql, id)
    const [first] = sentence === undefined ? [] : rank(sql, sentence, scope, 1).page
    const other = first && !id.toLowerCase().startsWith(`${first.key}@`) ? nameOf(sql, first.key) : undefined
    if (!other) continue
    warnings.set(id, `A search for the first sentence of '${id}', '${sentence}', finds '${formatToolId(other)}' first`)
  }
  return warnings
}

/** Undefined for a version that searches do not find. */
function listedSentence(sql: SqlStorage, id: string): string | undefined {
  const name = parseToolId(id)
  const query = 'SELECT record FROM tool JOIN version USING (key) WHERE key = ? AND version = listed AND version = ?'
  const text = name && field<string>(sql, query, toolKey(name), name.selector ?? '')
  if (text === undefined) return undefined
  const { description }: ToolRecord = JSON.parse(text)
  return firstSentence(description)
}

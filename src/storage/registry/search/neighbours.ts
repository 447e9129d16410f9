import { hasScope, type Principal } from '../../../core/access/principal.ts'
import type { Publication, PublicationOutcome } from '../../../core/publish/registry.ts'
import { firstSentence } from '../../../core/search/words.ts'
import { formatToolId, toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { field } from '../../rows.ts'
import { nameOf } from '../versions.ts'
import { rank } from './search.ts'
import { scopeOf } from './visibility.ts'

/** Tools of one submission that are judged, since each is a search. */
const MAX_JUDGED = 10

/**
 * Adds a warning for each tool whose own first sentence finds another tool first, among those that the publisher may
 * see. None of a larger submission is judged.
 */
export function warnOfNeighbours(
  sql: SqlStorage,
  publications: readonly Publication[],
  outcomes: readonly PublicationOutcome[],
  principal: Principal,
): PublicationOutcome[] {
  const tools = publications.reduce((sum, { records }) => sum + records.length, 0)
  const judges = tools <= MAX_JUDGED && hasScope(principal, 'tools:read')
  return outcomes.map((each, at) => {
    if (!judges || each.outcome !== 'created') return each
    const found = (publications[at]?.records ?? []).flatMap((record) => takenFor(sql, record, principal) ?? [])
    return found.length === 0 ? each : { ...each, warnings: [...(each.warnings ?? []), ...found] }
  })
}

function takenFor(sql: SqlStorage, record: ToolRecord, principal: Principal): string | undefined {
  const listed = field<string | null>(sql, 'SELECT listed FROM tool WHERE key = ?', toolKey(record))
  if (listed !== record.version) return undefined
  const sentence = firstSentence(record.description)
  const { page } = rank(sql, sentence, scopeOf(sql, {}, principal), 1)
  const other = page[0] && page[0].key !== toolKey(record) ? nameOf(sql, page[0].key) : undefined
  return other && `'${formatToolId(other)}' is found before '${record.id}' by its own first sentence, '${sentence}'`
}

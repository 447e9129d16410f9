import type { Principal } from '../../core/access/principal.ts'
import type { Catalogue, LineFormat } from '../../core/catalogue/catalogue.ts'
import { firstSentence } from '../../core/search/words.ts'
import { titleOf, type ToolRecord } from '../../core/tool/tool.ts'

const NEAREST = 5
/** The same whosever neighbour it is, since lines are kept. */
const NEIGHBOUR: LineFormat = {
  name: 'neighbour',
  write: (record) =>
    JSON.stringify({ id: record.id, title: titleOf(record), description: firstSentence(record.description) }),
}

/** Other tools that the first sentence of a tool's description finds, best first, each with its own. */
export async function neighboursOf(record: ToolRecord, catalogue: Pick<Catalogue, 'list'>, principal: Principal) {
  const query = { q: firstSentence(record.description), versions: 'newest', limit: NEAREST + 1 } as const
  const listing = await catalogue.list(query, principal, NEIGHBOUR)
  const found = (listing?.lines ?? []).map((line): Pick<ToolRecord, 'id' | 'title' | 'description'> => JSON.parse(line))
  return found.filter(({ id }) => nameOf(id) !== nameOf(record.id)).slice(0, NEAREST)
}

const nameOf = (id: string) => id.slice(0, id.lastIndexOf('@')).toLowerCase()

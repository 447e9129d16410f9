import type { Principal } from '../../core/access/principal.ts'
import type { Catalog, LineFormat } from '../../core/catalog/catalog.ts'
import { firstSentence } from '../../core/tool/first-sentence.ts'
import { getDisplayTitle, type ToolRecord } from '../../core/tool/tool.ts'

const MAX_NEIGHBORS = 5
/** Does not depend on the tool whose neighbor it is, because lines are cached. */
const NEIGHBOUR: LineFormat = {
  name: 'neighbour',
  write: (record) =>
    JSON.stringify({ id: record.id, title: getDisplayTitle(record), description: firstSentence(record.description) }),
}

/** Searches for the first sentence of a tool's description. Returns other tools, best first, with their first sentences. */
export async function findNeighbors(record: ToolRecord, catalog: Pick<Catalog, 'list'>, principal: Principal) {
  const query = { q: firstSentence(record.description), versions: 'newest', limit: MAX_NEIGHBORS + 1 } as const
  const listing = await catalog.list(query, principal, NEIGHBOUR)
  const tools = (listing?.lines ?? []).map((line): Pick<ToolRecord, 'id' | 'title' | 'description'> => JSON.parse(line))
  return tools.filter(({ id }) => toName(id) !== toName(record.id)).slice(0, MAX_NEIGHBORS)
}

const toName = (id: string) => id.slice(0, id.lastIndexOf('@')).toLowerCase()

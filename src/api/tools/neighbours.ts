import type { Principal } from '../../core/access/principal.ts'
import type { Catalogue, LineFormat } from '../../core/catalogue/catalogue.ts'
import { firstSentence } from '../../core/search/words.ts'
import { titleOf, type ToolRecord } from '../../core/tool/tool.ts'

const NEAREST = 5
/** The same whosever neighbour it is, since lines are kept. */
const NEIGHBOUR: LineFormat = {
  name: 'neighbour',
  write(record) {
    return JSON.stringify({ id: record.id, title: titleOf(record), description: firstSentence(record.description) })
  },
}

interface Neighbour {
  readonly id: string
  readonly title?: string
  /** The first sentence. */
  readonly description: string
}

/** Other tools that the first sentence of a tool's description finds, best first. */
export async function neighboursOf(
  { id, description }: ToolRecord,
  catalogue: Pick<Catalogue, 'list'>,
  principal: Principal,
): Promise<readonly Neighbour[]> {
  const query = { q: firstSentence(description), versions: 'newest', limit: NEAREST + 1 } as const
  const listing = await catalogue.list(query, principal, NEIGHBOUR)
  const found = (listing?.lines ?? []).map((line): Neighbour => JSON.parse(line))
  const nameOf = (whole: string) => whole.slice(0, whole.lastIndexOf('@')).toLowerCase()
  return found.filter((other) => nameOf(other.id) !== nameOf(id)).slice(0, NEAREST)
}

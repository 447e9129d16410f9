import type { Catalogue, LineFormat, ListQuery } from '../../core/catalogue/catalogue.ts'
import { type Client, narrowedTo } from './toolset.ts'

const MAX_SUGGESTIONS = 3

const NAMES: LineFormat = {
  name: 'mcp-names',
  write: (record, name) => (record.implementation === undefined ? '' : name),
}

/** The callable tools that a search for the words of a name finds. */
export async function namesNear(
  name: string,
  { principal, toolset }: Pick<Client, 'principal' | 'toolset'>,
  catalogue: Catalogue,
): Promise<readonly string[]> {
  const query: ListQuery = { q: name.slice(0, 200), versions: 'newest', limit: MAX_SUGGESTIONS, callable: true }
  const listing = await catalogue.list(query, narrowedTo(principal, toolset), NAMES)
  return (listing?.lines ?? []).filter((line) => line !== '')
}

import type { Catalogue, LineFormat, ListQuery } from '../../core/access/catalogue.ts'
import { INVALID_PARAMS, type McpError } from './json-rpc.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { Principal } from '../../core/access/principal.ts'
import type { Revision } from './revisions/revision.ts'
import { type Chosen, seeing } from './toolset.ts'

/** Clients in use read the first page only. */
const PAGE = 1_000

/** How lists of a revision write their tools: those that cannot be called are left out, as empty lines. */
export function lineFormat(as: Revision): LineFormat {
  return {
    name: as.format,
    write: (record, name) => (record.implementation === undefined ? '' : JSON.stringify(as.tool(record, name))),
  }
}

/** `tools/list`: a page of the chosen tools that the principal may see, in the order of their ids. */
export async function listTools(
  params: JsonObject,
  as: Revision,
  format: LineFormat,
  principal: Principal,
  chosen: Chosen,
  catalogue: Catalogue,
): Promise<string | McpError> {
  const { cursor } = params
  const badCursor: McpError = {
    code: INVALID_PARAMS,
    message: "'cursor' must be a 'nextCursor' that a list gave",
    status: 200,
  }
  if (cursor !== undefined && (typeof cursor !== 'string' || cursor.length > 500)) return badCursor
  const query: ListQuery = { versions: 'newest', limit: PAGE, cursor }
  const listing = await catalogue.list(query, seeing(principal, chosen), format)
  if (!listing) return badCursor
  const tools = `"tools":[${listing.lines.filter((line) => line !== '').join(',')}]`
  const next = listing.nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(listing.nextCursor)}`
  return as.listResult(`${tools}${next}`)
}

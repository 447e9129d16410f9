import { findScopeDenial } from '../../core/access/principal.ts'
import { toOwnRef, type ToolView } from '../../core/access/tool-view.ts'
import type { Catalog, LineFormat, ListQuery } from '../../core/catalog/catalog.ts'
import { isShownTo, PAGE_EXTENSION, withoutPage } from '../../core/page/page.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { formatToolId, isNamePart } from '../../core/tool/tool-id.ts'
import { toIdRef } from '../../core/tool/tool-ref.ts'
import { noteHeader } from '../../http/response/json-response.ts'
import { MEMORY_FULL } from '../../http/request/request-memory.ts'
import type { Revision } from './revisions/revision.ts'
import { toMcpFailure } from './failure-response.ts'
import { addSelectParameter } from './select-parameter.ts'
import { isInToolset, type McpRequestContext, restrictToToolset, type QueryToolset } from './toolset.ts'
import { declares, invalid, type McpResult, withHeaders } from './wire.ts'

/** Large, because some clients read only the first page. */
const PAGE_SIZE = 1_000
const INVALID_CURSOR = invalid("'cursor' must be the 'nextCursor' of an earlier list")
const NO_CALLABLE_TOOLS =
  'No selected tool can be called: each is disabled, yanked or deprecated, or has no implementation. GET /tools/{id}/readiness tells why'

export async function handleToolsList(
  params: JsonObject,
  revision: Revision,
  context: McpRequestContext,
  catalog: Catalog,
): Promise<McpResult> {
  const { principal, toolset } = context
  const denied = findScopeDenial(principal, 'tools:read')
  if (denied) return toMcpFailure(denied, revision)
  const cursor = params.cursor ?? undefined
  if (cursor !== undefined && (typeof cursor !== 'string' || cursor.length > 500)) return INVALID_CURSOR
  const query: ListQuery = { versions: 'newest', limit: PAGE_SIZE, cursor, callable: true }
  if (toolset.patterns) {
    const { explainUnknownNames } = await import('./toolset-names.ts')
    const unknown = await explainUnknownNames(context, catalog)
    if (unknown !== undefined) return invalid(unknown)
  }
  const searchMode = toolset.search ? await import('./search-mode.ts') : undefined
  const pinned = searchMode && listPinned(principal.view, toolset)
  if (pinned?.length === 0) return toToolList(revision, `"tools":[${searchMode?.SEARCH_TOOLS}]`)
  const showsPages = declares(context.capabilities, PAGE_EXTENSION)
  const format = createLineFormat(revision, toolset, showsPages)
  const listedToolset = pinned ? { ...toolset, patterns: pinned } : toolset
  const listing = await catalog.list(query, restrictToToolset(principal, listedToolset), format, {
    reserve: (characters) => context.memory.growAnswer(characters),
  })
  if (!listing) return INVALID_CURSOR
  if (listing.isOutOfMemory) return toMcpFailure(MEMORY_FULL.failure, revision)
  const lines = [...(searchMode ? [searchMode.SEARCH_TOOLS] : []), ...listing.lines.filter((line) => line !== NO_LINE)]
  const isComplete = cursor === undefined && listing.nextCursor === undefined
  const needsNote = lines.length === 0 && isComplete && toolset.patterns?.length
  const tools = `"tools":[${lines.join(',')}]`
  const next = listing.nextCursor === undefined ? '' : `,"nextCursor":${JSON.stringify(listing.nextCursor)}`
  const result = toToolList(revision, `${tools}${next}`)
  return needsNote ? withHeaders(result, noteHeader(NO_CALLABLE_TOOLS)) : result
}

/** Lists the pinned tools of the caller's toolset that the URL selects too, by their own names. */
function listPinned(view: ToolView | undefined, toolset: QueryToolset): readonly string[] {
  const refs = (view?.toolset?.definition.pinned ?? []).map((id) => toOwnRef(view, toIdRef(id)))
  return refs.flatMap((ref) => (ref.kind === 'id' && isInToolset(toolset, ref) ? [formatToolId(ref)] : []))
}

function toToolList(revision: Revision, members: string): McpResult {
  return { kind: 'tool-list', json: revision.formatToolList(members) }
}

/** The line of a tool that is not listed, such as one without an implementation. */
const NO_LINE = ''

export function createLineFormat(
  { format, encodeTool }: Pick<Revision, 'format' | 'encodeTool'>,
  { select, bare }: Pick<QueryToolset, 'select' | 'bare'>,
  showsPages = false,
): LineFormat {
  const toTool = bare ? (record: ToolRecord) => encodeTool(record, getBareName(record)) : encodeTool
  const toListed = select ? (record: ToolRecord, name: string) => addSelectParameter(toTool(record, name)) : toTool
  return {
    // The key of these lines in the catalog's cache
    name: [format, ...(select ? ['select'] : []), ...(bare ? ['bare'] : []), ...(showsPages ? ['pages'] : [])].join(
      '-',
    ),
    write(record, name) {
      if (record.implementation === undefined || !(showsPages || isShownTo('model', record))) return NO_LINE
      return JSON.stringify(toListed(showsPages ? record : withoutPage(record), name))
    },
  }
}

function getBareName({ tool, sourceName = tool }: ToolRecord): string {
  return isNamePart(sourceName) ? sourceName : tool
}

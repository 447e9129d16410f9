import type { Catalog, LineFormat, ListQuery } from '../../core/catalog/catalog.ts'
import { patternsFor, type Principal } from '../../core/access/principal.ts'
import { type Failure, fail, ok, type Result, UnreachableError } from '../../core/failure/failure.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { jsonTextResponse, notModified, PRIVATE } from '../response/json-response.ts'
import type { ListFilter } from '../response/why-empty.ts'
import { readQuery } from '../request/query.ts'
import { toolListResponses } from './response-specs.ts'
import { MEMORY_FULL, type AnswerMemory, requestMemory } from '../request/request-memory.ts'
import { getBackground, type Authorize, type RouteContext } from './authorizer.ts'
import { declareOperation, type Operation } from './operation.ts'

export interface ToolListDeps {
  readonly authorize: Authorize
  readonly catalog: Catalog
  readonly sha256: (text: string) => Promise<string>
}

interface WrittenList {
  readonly text: string
  readonly isEmpty: boolean
  /** The entity tag of the catalog state that the list was read from, if the list has a variant. */
  readonly etag?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

export interface ToolList {
  /** Inputs of the entity tag besides catalog and principal; undefined if it is the tag of the text. */
  readonly variant: readonly string[] | undefined
  readonly write: (principal: Principal, memory: AnswerMemory) => Promise<Result<WrittenList>>
  readonly listFilter?: ListFilter
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export function respondWithToolList(...[c, deps, readList, respond]: Parameters<typeof listTools>): Promise<Response> {
  return listTools(c, deps, readList, respond).catch((error: unknown) => {
    if (error instanceof UnreachableError) return respond({ type: 'unavailable', message: error.message })
    throw error
  })
}

async function listTools(
  c: RouteContext,
  { authorize, catalog, sha256 }: ToolListDeps,
  readList: () => Result<ToolList>,
  respond: (failure: Failure) => Response,
): Promise<Response> {
  const request = c.req.raw
  const caller = await authorize(c, 'tools:read')
  if (!caller.ok) return respond(caller.failure)
  const owner = { principal: caller.value, request, background: getBackground(c) }
  if (requestMemory.isFull(owner)) return respond(MEMORY_FULL.failure)
  const list = readList()
  if (!list.ok) return respond(list.failure)
  const { write, headers, listFilter } = list.value
  // The catalog's tag would reveal changes to tools outside the view
  const variant = caller.value.view ? undefined : list.value.variant
  const memory = requestMemory.open(owner)
  const textList = variant ? undefined : await write(caller.value, memory)
  if (textList?.ok === false) return respond(textList.failure)
  const { id, kind } = caller.value
  const patterns = patternsFor(caller.value, 'tools:read').join()
  const tagText = (catalogTag: string) => [catalogTag, id, kind, patterns, ...(variant ?? [])].join('\n')
  const createHeaders = (hash: string) => ({ ...PRIVATE, ...headers, etag: `"${hash.slice(0, 32)}"` })
  const currentTag = textList ? undefined : await catalog.etag()
  const currentHeaders = createHeaders(await sha256(textList?.value.text ?? tagText(currentTag ?? '')))
  const unchanged = notModified(request, currentHeaders)
  if (unchanged) return memory.untilRead(unchanged)
  const body = textList ?? (await write(caller.value, memory))
  if (!body.ok) return respond(body.failure)
  const { text, isEmpty, etag, headers: noteHeaders } = body.value
  // The list may be from another state of the catalog, and then must not have the current state's tag
  const isCurrent = etag === undefined || etag === currentTag
  const listHeaders = isCurrent ? currentHeaders : createHeaders(await sha256(tagText(etag)))
  if (!isEmpty || !listFilter)
    return memory.untilRead(jsonTextResponse(text, 200, noteHeaders ? { ...listHeaders, ...noteHeaders } : listHeaders))
  const { explainEmptyList } = await import('../response/why-empty.ts')
  return jsonTextResponse(text, 200, { ...listHeaders, ...(await explainEmptyList(listFilter, caller.value, catalog)) })
}

interface FullListRoute<Q> extends Pick<Operation<Q>, 'summary' | 'query' | 'failures'> {
  readonly schema: JsonObject
  readonly format: LineFormat
  readonly join: (lines: readonly string[], query: Q) => string
  readonly tooMany: Pick<Extract<Failure, { type: 'request-malformed' }>, 'message' | 'detail'>
  readonly respond: (failure: Failure) => Response
}

type FullListQuery = Partial<Pick<ListQuery, 'toolkit' | 'versions'>>

/** Creates the list route of a dialect without pages. */
export function createFullListRoute<Q extends FullListQuery>(deps: ToolListDeps, route: FullListRoute<Q>) {
  const operation = { ...route, scope: 'tools:read', responses: toolListResponses(route.schema) } as const
  return declareOperation(operation, (c: RouteContext) => {
    const readList = () => {
      const query = readQuery(route.query, c.req.raw.url)
      return query.ok ? ok(createFullList(deps.catalog, route, query.value)) : query
    }
    return respondWithToolList(c, deps, readList, route.respond)
  })
}

const PAGE_LIMIT = 1_000
const MAX_LIST_CHARACTERS = 16_000_000

/** Fails with `tooMany` if the lines would take too much of an isolate's memory. */
export function createFullList<Q extends FullListQuery>(
  catalog: Catalog,
  { format, join, tooMany }: Pick<FullListRoute<Q>, 'format' | 'join' | 'tooMany'>,
  query: Q,
): ToolList {
  const { toolkit, versions = 'newest' } = query
  return {
    variant: [format.name, JSON.stringify(query)],
    listFilter: { toolkit },
    async write(principal, memory) {
      const lines: string[] = []
      const etags = new Set<string | undefined>()
      let characters = 0
      let cursor: string | undefined
      const reserve = (characters: number) => memory.growAnswer(characters)
      do {
        const page = { toolkit, versions, limit: PAGE_LIMIT, cursor }
        const listing = await catalog.list(page, principal, format, { reserve })
        if (!listing) throw new Error('Cannot list: the catalog does not know its own cursor')
        if (listing.isOutOfMemory) return MEMORY_FULL
        etags.add(listing.etag)
        for (const line of listing.lines) {
          if (line === '') continue
          lines.push(line)
          characters += line.length
        }
        if (characters > MAX_LIST_CHARACTERS) return fail({ type: 'request-malformed', ...tooMany })
        cursor = listing.nextCursor
      } while (cursor !== undefined)
      // A list read from several states of the catalog gets a tag that no single state has
      const etag = etags.size > 1 ? [...etags].join() : [...etags][0]
      return ok({ text: join(lines, query), isEmpty: lines.length === 0, etag })
    },
  }
}

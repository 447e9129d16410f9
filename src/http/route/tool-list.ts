import type { Catalogue, LineFormat, ListQuery } from '../../core/catalogue/catalogue.ts'
import { patternsFor, type Principal } from '../../core/access/principal.ts'
import { type Failure, fail, ok, type Result, Unreachable } from '../../core/failure/failure.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { jsonText, notModified, PRIVATE } from '../answer/json-response.ts'
import type { Narrowing } from '../answer/why-empty.ts'
import { readQuery } from '../request/query.ts'
import { listing } from './answers.ts'
import { FULL, type AnswerMemory, requestMemory } from '../request/request-memory.ts'
import { backgroundOf, type Gate, type RouteContext } from './gate.ts'
import { declare, type Operation } from './operation.ts'

export interface ToolListDeps {
  readonly gate: Gate
  readonly catalogue: Catalogue
  readonly sha256: (text: string) => Promise<string>
}

interface WrittenList {
  readonly text: string
  readonly isEmpty: boolean
  readonly headers?: Readonly<Record<string, string>>
}

export interface ToolList {
  /** For the entity tag, beside catalogue and principal; undefined where the tag is made of the text. */
  readonly variant: readonly string[] | undefined
  readonly write: (principal: Principal, memory: AnswerMemory) => Promise<Result<WrittenList>>
  readonly narrowedBy?: Narrowing
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export function answerToolList(...[c, deps, read, respond]: Parameters<typeof listTools>): Promise<Response> {
  return listTools(c, deps, read, respond).catch((error: unknown) => {
    if (error instanceof Unreachable) return respond({ type: 'unavailable', message: error.message })
    throw error
  })
}

async function listTools(
  c: RouteContext,
  { gate, catalogue, sha256 }: ToolListDeps,
  read: () => Result<ToolList>,
  respond: (failure: Failure) => Response,
): Promise<Response> {
  const request = c.req.raw
  const caller = await gate(c, 'tools:read')
  if (!caller.ok) return respond(caller.failure)
  const owner = { principal: caller.value, request, background: backgroundOf(c) }
  if (requestMemory.isFull(owner)) return respond(FULL.failure)
  const list = read()
  if (!list.ok) return respond(list.failure)
  const { variant, write, headers, narrowedBy } = list.value
  const memory = requestMemory.open(owner)
  const written = variant ? undefined : await write(caller.value, memory)
  if (written?.ok === false) return respond(written.failure)
  const { id, kind } = caller.value
  const patterns = patternsFor(caller.value, 'tools:read')
  const named = written
    ? written.value.text
    : [await catalogue.etag(), id, kind, patterns.join(), ...(variant ?? [])].join('\n')
  const etag = `"${(await sha256(named)).slice(0, 32)}"`
  const all = { ...PRIVATE, ...headers, etag }
  const unchanged = notModified(request, all)
  if (unchanged) return memory.untilRead(unchanged)
  const made = written ?? (await write(caller.value, memory))
  if (!made.ok) return respond(made.failure)
  const { text, isEmpty, headers: noted } = made.value
  if (!isEmpty || !narrowedBy) return memory.untilRead(jsonText(text, 200, noted ? { ...all, ...noted } : all))
  const { whyEmpty } = await import('../answer/why-empty.ts')
  return jsonText(text, 200, { ...all, ...(await whyEmpty(narrowedBy, caller.value, catalogue)) })
}

export interface WholeListRoute<Q> extends Pick<Operation<Q>, 'summary' | 'query' | 'failures'> {
  readonly schema: JsonObject
  readonly format: LineFormat
  readonly join: (lines: readonly string[], query: Q) => string
  readonly tooMany: Pick<Extract<Failure, { type: 'request-malformed' }>, 'message' | 'detail'>
  readonly respond: (failure: Failure) => Response
}

type Asked = Partial<Pick<ListQuery, 'toolkit' | 'versions'>>

/** The route of a list in a dialect without pages. */
export function wholeListRoute<Q extends Asked>(deps: ToolListDeps, route: WholeListRoute<Q>) {
  const declared = { ...route, scope: 'tools:read', answers: listing(route.schema) } as const
  return declare(declared, (c: RouteContext) => {
    const read = () => {
      const query = readQuery(route.query, c.req.raw.url)
      return query.ok ? ok(wholeList(deps.catalogue, route, query.value)) : query
    }
    return answerToolList(c, deps, read, route.respond)
  })
}

const PAGE = 1_000
const MAX_LISTED = 16_000_000

/** Fails with `tooMany` where the lines are too long for an isolate. */
export function wholeList<Q extends Asked>(
  catalogue: Catalogue,
  { format, join, tooMany }: Pick<WholeListRoute<Q>, 'format' | 'join' | 'tooMany'>,
  query: Q,
): ToolList {
  const { toolkit, versions = 'newest' } = query
  return {
    variant: [format.name, JSON.stringify(query)],
    narrowedBy: { toolkit },
    async write(principal, memory) {
      const lines: string[] = []
      let characters = 0
      let cursor: string | undefined
      do {
        const listing = await catalogue.list({ toolkit, versions, limit: PAGE, cursor }, principal, format)
        if (!listing) throw new Error('Cannot list: the catalogue does not know its own cursor')
        for (const line of listing.lines) {
          if (line === '') continue
          lines.push(line)
          characters += line.length
        }
        if (characters > MAX_LISTED) return fail({ type: 'request-malformed', ...tooMany })
        cursor = listing.nextCursor
      } while (cursor !== undefined)
      if (!(await memory.growAnswer(characters))) return FULL
      return ok({ text: join(lines, query), isEmpty: lines.length === 0 })
    },
  }
}

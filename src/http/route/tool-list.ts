import type { Catalogue, LineFormat } from '../../core/catalogue/catalogue.ts'
import type { Principal } from '../../core/access/principal.ts'
import { type Failure, fail, ok, type Result, Unreachable } from '../../core/failure/failure.ts'
import type { Gate, RouteContext } from './gate.ts'
import { jsonText, notModified, PRIVATE } from '../answer/json-response.ts'
import type { Narrowing } from '../answer/why-empty.ts'

export interface ToolListDeps {
  readonly gate: Gate
  readonly catalogue: Catalogue
  /** Names a representation by its text, for entity tags. */
  readonly sha256: (text: string) => Promise<string>
}

/** A list as it was written. */
export interface Written {
  /** The body, serialised. */
  readonly text: string
  readonly isEmpty: boolean
}

/** A list of tools, as a request asks for it. */
export interface ToolList {
  /**
   * All that its text depends on beside the catalogue and the principal, for the entity tag. Undefined when it can change
   * while the catalogue does not: the tag is then made of the text.
   */
  readonly variant: readonly string[] | undefined
  /** The list of the tools that the principal may see. */
  readonly write: (principal: Principal) => Promise<Result<Written>>
  /** What it was asked to hold alone. */
  readonly narrowedBy?: Narrowing
  /** Of an answer that is not a failure, beside those of every list. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Answers with a list of tools: whoever may not read is refused before `read` looks at the query, and a list that the
 * request holds already is not written again.
 */
export async function answerToolList(
  c: RouteContext,
  deps: ToolListDeps,
  read: () => Result<ToolList>,
  respond: (failure: Failure) => Response,
): Promise<Response> {
  try {
    return await listTools(c, deps, read, respond)
  } catch (error) {
    if (error instanceof Unreachable) return respond({ type: 'unavailable', message: error.message })
    throw error
  }
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
  const list = read()
  if (!list.ok) return respond(list.failure)
  const { variant, write, headers, narrowedBy } = list.value
  const written = variant ? undefined : await write(caller.value)
  if (written?.ok === false) return respond(written.failure)
  const { id, kind, tools } = caller.value
  const named = written
    ? written.value.text
    : [await catalogue.etag(), id, kind, tools.join(), ...(variant ?? [])].join('\n')
  const etag = `"${(await sha256(named)).slice(0, 32)}"`
  const all = { ...PRIVATE, ...headers, etag }
  const unchanged = notModified(request, all)
  if (unchanged) return unchanged
  const made = written ?? (await write(caller.value))
  if (!made.ok) return respond(made.failure)
  const { text, isEmpty } = made.value
  if (!isEmpty || !narrowedBy) return jsonText(text, 200, all)
  const { whyEmpty } = await import('../answer/why-empty.ts')
  return jsonText(text, 200, { ...all, ...(await whyEmpty(narrowedBy, caller.value, catalogue)) })
}

const PAGE = 1_000
/** The most characters of a list without pages: an isolate has no room for more. */
const MAX_LISTED = 16_000_000

/**
 * All newest tools that the principal may see, or those of one toolkit, for dialects whose lists have no pages: `join` makes
 * the body of their lines, without the empty ones. Fails with `tooMany` when they are too long for that.
 */
export function wholeList(
  catalogue: Catalogue,
  format: LineFormat,
  join: (lines: readonly string[]) => string,
  { toolkit, tooMany }: { readonly toolkit?: string | undefined; readonly tooMany: Failure },
): ToolList {
  return {
    variant: [format.name, toolkit ?? ''],
    narrowedBy: { toolkit },
    async write(principal) {
      const lines: string[] = []
      let characters = 0
      let cursor: string | undefined
      do {
        const listing = await catalogue.list({ toolkit, versions: 'newest', limit: PAGE, cursor }, principal, format)
        if (!listing) throw new Error('Cannot list: the catalogue does not know its own cursor')
        for (const line of listing.lines) {
          if (line === '') continue
          lines.push(line)
          characters += line.length
        }
        if (characters > MAX_LISTED) return fail(tooMany)
        cursor = listing.nextCursor
      } while (cursor !== undefined)
      return ok({ text: join(lines), isEmpty: lines.length === 0 })
    },
  }
}

import { coverDenial, covers, denial, mayActFor, maySee, type Principal } from '../access/principal.ts'
import type { Background } from '../tool/platform.ts'
import { parseAskedDocument, parseAskedName, parseToolId } from '../tool/tool-id.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { type Failing, fail } from './failure.ts'
import type { Resolver } from './resolve.ts'

const MAX_SUGGESTIONS = 3

/** Refuses an uncovered tool by its id, before it is looked up: it cannot be told from one that does not exist. */
export function refuseUncovered(principal: Principal, asked: string): Failing | undefined {
  if (principal.tools.includes('*')) return undefined
  const name = parseToolId(asked)
  const denied = name && coverDenial(principal, name)
  return denied && fail(denied)
}

/** A failure to resolve, with only such suggestions as the principal may see in lists, and of no tool that it may not. */
export async function hideSuggestions(
  principal: Principal,
  asked: string,
  failing: Failing,
  resolver: Resolver,
  background: Background,
): Promise<Failing> {
  const { failure } = failing
  const found = failure.type === 'version-unavailable' ? failure.tool : failure.type === 'tool-disabled' && failure.id
  const name = found ? parseToolId(found) : undefined
  if (name && !covers(principal, name)) return unknown(asked)
  if (failure.type !== 'tool-unknown') return failing
  const suggestions: string[] = []
  for (const id of failure.suggestions) {
    if (suggestions.length === MAX_SUGGESTIONS) break
    const name = parseToolId(id)
    if (!name || !covers(principal, name)) continue
    const resolved = principal.kind === 'anonymous' ? await resolver.resolve(id, background) : undefined
    if (!resolved || (resolved.ok && maySee(principal, resolved.tool.record))) suggestions.push(id)
  }
  return fail({ ...failure, suggestions })
}

/** For which user a call is: the one it names, else the only one that its principal may act for. */
export function userOf(principal: Principal, named: string | undefined): string | undefined {
  if (named !== undefined) return named
  return principal.users !== 'any' && principal.users.length === 1 ? principal.users[0] : undefined
}

/** Why a principal may not call this tool, or not for this user; undefined when it may. */
export function authorise(
  principal: Principal,
  asked: string,
  record: ToolRecord,
  userId: string | undefined,
): Failing | undefined {
  // What says nothing of a toolkit must not be refused: that would tell that there is such a tool
  if (!parseToolId(asked) && !covers(principal, record)) return unknown(asked)
  const denied = denial(principal, record)
  if (denied) return fail(denied)
  if (userId === undefined || mayActFor(principal, userId)) return undefined
  return fail({ type: 'forbidden', reason: 'The credential may not act for this user' })
}

/** What is said of a name, or of a document's tool, that there is none of. */
function unknown(asked: string): Failing {
  const document = parseAskedDocument(asked)
  const name = document ? `${document.id}.${document.tool}` : (parseAskedName(asked)?.name ?? asked)
  return fail({ type: 'tool-unknown', asked: name, suggestions: [] })
}

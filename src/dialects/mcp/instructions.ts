import { findScopeDenial } from '../../core/access/principal.ts'
import type { ToolkitCounts } from '../../core/catalog/catalog.ts'
import { UnreachableError } from '../../core/failure/failure.ts'
import { type McpRequestContext, restrictToToolset } from './toolset.ts'

/** More definitions than these are more than a model reads well. */
const MANY = 100
const MAX_NAMED = 20
const MAX_DESCRIBED = 10

const SEARCH = 'Find one with search_tools, read its arguments with describe_tool, and call it with call_tool.'
const TOO_MANY =
  'Where these are too many, connect to this address with ?mode=search, which lists three tools to search, describe and call them all, or with ?toolkits=, which lists those of some toolkits.'
const PERSON =
  'Some calls need a person first, to connect an account or to approve the call, and answer with a link: show it to the person, and call again with the same arguments afterwards.'

/** Toolkits come last, since some hosts show a model the first 512 characters only. */
export async function createInstructions(
  { principal, toolset }: McpRequestContext,
  catalog: ToolkitCounts,
): Promise<string> {
  const counts = findScopeDenial(principal, 'tools:read')
    ? []
    : await catalog.toolkits(restrictToToolset(principal, toolset), { callable: true }).catch(nothingWhereUnreachable)
  const total = counts.reduce((sum, { tools }) => sum + tools, 0)
  if (total === 0) return PERSON
  const largest = counts.toSorted((a, b) => b.tools - a.tools)
  const named = largest.slice(0, MAX_NAMED).map(({ toolkit, tools }) => `${toolkit} (${tools})`)
  const others = largest.length - named.length
  const described = largest.flatMap(({ toolkit, description }) => (description ? [`${toolkit}: ${description}`] : []))
  const introduction = [
    `Switchboard gives you ${counted(total, 'tool')} of ${counted(largest.length, 'toolkit')}.`,
    ...(toolset.search ? [SEARCH] : total > MANY ? [TOO_MANY] : []),
    PERSON,
    `The toolkits and how many tools each has: ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}.`,
  ].join(' ')
  return [introduction, ...described.slice(0, MAX_DESCRIBED)].join('\n')
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** A client connects all the same, as its first message asks for nothing that is stored. */
function nothingWhereUnreachable(error: unknown): [] {
  if (!(error instanceof UnreachableError)) throw error
  return []
}

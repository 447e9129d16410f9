import { findScopeDenial } from '../../core/access/principal.ts'
import type { ToolkitCounts } from '../../core/catalog/catalog.ts'
import { catchUnreachable, ok } from '../../core/failure/failure.ts'
import { type McpRequestContext, restrictToToolset } from './toolset.ts'

/** A model does not read more definitions than this well. */
const MANY_TOOLS = 100
const MAX_NAMED_TOOLKITS = 20
const MAX_DESCRIBED_TOOLKITS = 10

const SEARCH_HINT = 'Find one with search_tools, read its arguments with describe_tool, and call it with call_tool.'
const TOO_MANY_HINT =
  'Where these are too many, connect to this address with ?mode=search, which lists three tools to search, describe and call them all, or with ?toolkits=, which lists those of some toolkits.'
const PERSON_HINT =
  'Some calls need a person first, to connect an account or to approve the call, and answer with a link: show it to the person, and call again with the same arguments afterwards.'

/** Writes the toolset's own first and the toolkits last, because some hosts show a model only the first 512 characters. */
export async function createInstructions(context: McpRequestContext, catalog: ToolkitCounts): Promise<string> {
  const own = context.principal.view?.toolset?.definition.instructions
  const general = await createGeneralInstructions(context, catalog)
  return own === undefined || own.trim() === '' ? general : `${own}\n\n${general}`
}

async function createGeneralInstructions({ principal, toolset }: McpRequestContext, catalog: ToolkitCounts) {
  const listing = findScopeDenial(principal, 'tools:read')
    ? ok([])
    : await catchUnreachable(catalog.toolkits(restrictToToolset(principal, toolset), { callable: true }))
  // A client can connect even if storage cannot be reached
  const counts = listing.ok ? listing.value : []
  const total = counts.reduce((sum, { tools }) => sum + tools, 0)
  if (total === 0) return PERSON_HINT
  const toolkitsBySize = counts.toSorted((a, b) => b.tools - a.tools)
  const labels = toolkitsBySize.slice(0, MAX_NAMED_TOOLKITS).map(({ toolkit, tools }) => `${toolkit} (${tools})`)
  const unnamedCount = toolkitsBySize.length - labels.length
  const descriptions = toolkitsBySize.flatMap(({ toolkit, description }) =>
    description ? [`${toolkit}: ${description}`] : [],
  )
  const introduction = [
    `Switchboard gives you ${formatCount(total, 'tool')} of ${formatCount(toolkitsBySize.length, 'toolkit')}.`,
    ...(toolset.search ? [SEARCH_HINT] : total > MANY_TOOLS ? [TOO_MANY_HINT] : []),
    PERSON_HINT,
    `The toolkits and how many tools each has: ${labels.join(', ')}${unnamedCount > 0 ? ` and ${unnamedCount} more` : ''}.`,
  ].join(' ')
  return [introduction, ...descriptions.slice(0, MAX_DESCRIBED_TOOLKITS)].join('\n')
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

import { covers, KNOWING_SCOPES, maySee, type Principal } from '../../core/access/principal.ts'
import type { Catalog } from '../../core/catalog/catalog.ts'
import type { FailureResult } from '../../core/failure/failure.ts'
import type { ResolvedTool, Resolver } from '../../core/call/resolve-tool.ts'
import { didYouMean } from '../../core/tool/problem.ts'
import {
  toDocumentRef,
  toNameRef,
  BY_TOOLKIT,
  formatToolId,
  isNamePart,
  isOwnName,
  parseToolId,
  type ToolName,
} from '../../core/tool/tool-id.ts'
import { findUnknownAmong } from '../../http/response/why-empty.ts'
import { toToolName, sanitizeName } from '../../core/tool/sanitize-name.ts'
import { isInToolset, type McpRequestContext, findVisibleTool, listToolkits } from './toolset.ts'
import type { McpToolCall } from './wire.ts'

/** Resolves the tools that the URL names as lists show them. A name of no tool that the client may see stays a name. */
export async function resolveToolsetNames(client: McpRequestContext, resolver: Resolver): Promise<McpRequestContext> {
  const { toolset, principal, background } = client
  const visibleNames = await Promise.all(
    toolset.unresolvedNames.map(async (name) =>
      toVisibleName(await resolver.resolve(toNameRef(name), background), principal),
    ),
  )
  const tools = [...(toolset.tools ?? []), ...visibleNames.flatMap((name) => (name ? [formatToolId(name)] : []))]
  const names = toolset.unresolvedNames.filter((_, index) => !visibleNames[index])
  return { ...client, toolset: { ...toolset, tools, unresolvedNames: names } }
}

/** A withdrawn tool counts too: an agent that names it among others is to keep the others. */
function toVisibleName(resolved: ResolvedTool | FailureResult, principal: Principal): ToolName | undefined {
  if (resolved.ok) return maySee(principal, resolved.tool.record, KNOWING_SCOPES) ? resolved.tool.record : undefined
  const { failure } = resolved
  const id = failure.type === 'tool-disabled' ? failure.id : failure.type === 'version-unavailable' ? failure.tool : ''
  const name = parseToolId(id)
  return name && principal.kind !== 'anonymous' && covers(principal, name, KNOWING_SCOPES) ? name : undefined
}

export async function explainUnknownNames(
  { toolset, principal }: McpRequestContext,
  catalog: Catalog,
): Promise<string | undefined> {
  const unknown = await findUnknownAmong(toolset.patternNames, principal, catalog)
  const [name] = toolset.unresolvedNames
  if (unknown !== undefined || name === undefined) return unknown
  const suggestions = await catalog.suggestNames(name, principal)
  return `There is no tool '${name}' here${didYouMean(suggestions)}`
}

/** By its document's own name where that leads to a tool, else by one of the characters that names in lists have. */
export async function addressTool(
  { name: called, selector }: McpToolCall,
  client: McpRequestContext,
  resolver: Resolver,
) {
  const isPlain = isNamePart(called)
  const own = isPlain ? undefined : await addressByOwnName({ name: called, selector }, client, resolver)
  if (own !== undefined) return { name: called, asked: own }
  const name = isPlain ? called : toToolName(called)
  const asked = client.toolset.tools
    ? await addressByListedName({ name, selector }, client, resolver)
    : toNameRef(name, selector)
  return { name, asked }
}

/** Each is looked up, and strangers choose how many there are. */
const MAX_TOOLKITS = 8

/** The one tool of the toolset whose document calls it so: of its toolkits first, since elsewhere others may have the name. */
async function addressByOwnName(
  { name, selector }: Pick<McpToolCall, 'name' | 'selector'>,
  client: McpRequestContext,
  resolver: Resolver,
): Promise<string | undefined> {
  if (!isOwnName(name)) return undefined
  const toolkits = listToolkits(client.toolset.tools ?? []).slice(0, MAX_TOOLKITS)
  const own = toolkits.map((toolkit) => toDocumentRef({ dialect: BY_TOOLKIT, id: toolkit, tool: name }, selector))
  const shown = await Promise.all(
    own.map(async (asked) => ((await findVisibleTool(asked, client, resolver)) ? [asked] : [])),
  )
  const [only, ...others] = shown.flat()
  if (only !== undefined) return others.length === 0 ? only : undefined
  const anywhere = toNameRef(name, selector)
  return (await findVisibleTool(anywhere, client, resolver)) && anywhere
}

/** A tool of the toolset that lists show under a name, or else the only one that has it in its toolkit. */
export async function addressByListedName(
  { name, selector }: Pick<McpToolCall, 'name' | 'selector'>,
  client: McpRequestContext,
  resolver: Resolver,
): Promise<string> {
  const { toolset } = client
  const shown = toNameRef(name, selector)
  if (!toolset.bare && (await findVisibleTool(shown, client, resolver))) return shown
  const own = listToolkits(toolset.tools ?? [])
    .map((toolkit) => ({ toolkit, tool: sanitizeName(name) }))
    .filter((each) => isInToolset(toolset, each))
  const ids = own.length > MAX_TOOLKITS ? [] : own.map((each) => formatToolId(each, selector))
  const [only = shown, ...others] = (
    await Promise.all(ids.map(async (id) => ((await findVisibleTool(id, client, resolver)) ? [id] : [])))
  ).flat()
  return others.length === 0 ? only : shown
}

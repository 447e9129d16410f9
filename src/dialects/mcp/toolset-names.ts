import { covers, KNOWING_SCOPES, maySee, type Principal } from '../../core/access/principal.ts'
import type { Catalog } from '../../core/catalog/catalog.ts'
import type { FailureResult } from '../../core/failure/failure.ts'
import type { ResolvedTool, Resolver } from '../../core/call/resolve-tool.ts'
import { didYouMean } from '../../core/tool/problem.ts'
import { formatToolId, isNamePart, isOwnName, parseToolId, type ToolName } from '../../core/tool/tool-id.ts'
import { BY_TOOLKIT, toDocumentRef, toIdRef, toNameRef, type ToolRef } from '../../core/tool/tool-ref.ts'
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

/** Finds a tool by the name in its document, else by the name that lists show. */
export async function addressTool(call: McpToolCall, client: McpRequestContext, resolver: Resolver) {
  const isPlain = isNamePart(call.name)
  const sourceRef = isPlain ? undefined : await findSourceNameRef(call, client, resolver)
  if (sourceRef) return { name: call.name, toolRef: sourceRef }
  const name = isPlain ? call.name : toToolName(call.name)
  const toolRef = client.toolset.tools
    ? await findListedRef({ name, range: call.range }, client, resolver)
    : toNameRef(name, call.range)
  return { name, toolRef }
}

/** Each is looked up, and strangers choose how many there are. */
const MAX_TOOLKITS = 8

/** The one tool of the toolset whose document names it so: of its toolkits first, since elsewhere others may have the name. */
async function findSourceNameRef(
  { name, range }: Pick<McpToolCall, 'name' | 'range'>,
  client: McpRequestContext,
  resolver: Resolver,
): Promise<ToolRef | undefined> {
  if (!isOwnName(name)) return undefined
  const toolkits = listToolkits(client.toolset.tools ?? []).slice(0, MAX_TOOLKITS)
  const documentRefs = toolkits.map((id) => toDocumentRef({ dialect: BY_TOOLKIT, id, tool: name, range }))
  const [only, ...others] = await filterVisible(documentRefs, client, resolver)
  if (only) return others.length === 0 ? only : undefined
  const nameRef = toNameRef(name, range)
  return (await findVisibleTool(nameRef, client, resolver)) && nameRef
}

/** A tool of the toolset that lists show under a name, or else the only one that has it in its toolkit. */
export async function findListedRef(
  { name, range }: Pick<McpToolCall, 'name' | 'range'>,
  client: McpRequestContext,
  resolver: Resolver,
): Promise<ToolRef> {
  const { toolset } = client
  const nameRef = toNameRef(name, range)
  if (!toolset.bare && (await findVisibleTool(nameRef, client, resolver))) return nameRef
  const toolNames = listToolkits(toolset.tools ?? [])
    .map((toolkit) => ({ toolkit, tool: sanitizeName(name) }))
    .filter((toolName) => isInToolset(toolset, toolName))
  const idRefs =
    toolNames.length > MAX_TOOLKITS ? [] : toolNames.map((toolName) => toIdRef(formatToolId(toolName, range)))
  const [only = nameRef, ...others] = await filterVisible(idRefs, client, resolver)
  return others.length === 0 ? only : nameRef
}

async function filterVisible(refs: readonly ToolRef[], client: McpRequestContext, resolver: Resolver) {
  const visible = await Promise.all(refs.map((ref) => findVisibleTool(ref, client, resolver)))
  return refs.filter((_, index) => visible[index])
}

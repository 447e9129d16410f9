import { covers, KNOWING_SCOPES, maySee, type Principal } from '../../core/access/principal.ts'
import type { Catalog } from '../../core/catalog/catalog.ts'
import type { FailureResult } from '../../core/failure/failure.ts'
import type { ResolvedTool, Resolver } from '../../core/call/resolve-tool.ts'
import { didYouMean } from '../../core/tool/problem.ts'
import { formatToolId, parseToolId, type ToolName } from '../../core/tool/tool-id.ts'
import { toNameRef } from '../../core/tool/tool-ref.ts'
import { findUnknownAmong } from '../../http/response/why-empty.ts'
import type { McpRequestContext } from './toolset.ts'

/** Adds the tools of the toolset's exposed names to its patterns. Names that match no tool the caller may see stay names. */
export async function resolveToolsetNames(context: McpRequestContext, resolver: Resolver): Promise<McpRequestContext> {
  const { toolset, principal, background } = context
  const visibleNames = await Promise.all(
    toolset.exposedNames.map(async (name) =>
      toVisibleName(await resolver.resolve(toNameRef(name), principal.view, background), principal),
    ),
  )
  const patterns = [...(toolset.patterns ?? []), ...visibleNames.flatMap((name) => (name ? [formatToolId(name)] : []))]
  const exposedNames = toolset.exposedNames.filter((_, index) => !visibleNames[index])
  return { ...context, toolset: { ...toolset, patterns, exposedNames } }
}

/** Includes withdrawn tools, so that an agent that names one among others keeps the others. */
function toVisibleName(resolution: ResolvedTool | FailureResult, principal: Principal): ToolName | undefined {
  if (resolution.ok)
    return maySee(principal, resolution.tool.record, KNOWING_SCOPES) ? resolution.tool.record : undefined
  const { failure } = resolution
  const id = failure.type === 'tool-disabled' ? failure.id : failure.type === 'version-unavailable' ? failure.tool : ''
  const name = parseToolId(id)
  return name && principal.kind !== 'anonymous' && covers(principal, name, KNOWING_SCOPES) ? name : undefined
}

/** Returns the message to a client whose URL names a toolkit or tool that it may not see. */
export async function explainUnknownNames(
  { toolset, principal }: McpRequestContext,
  catalog: Catalog,
): Promise<string | undefined> {
  const unknown = await findUnknownAmong(toolset.names, principal, catalog)
  const [name] = toolset.exposedNames
  if (unknown !== undefined || name === undefined) return unknown
  const suggestions = await catalog.suggestNames(name, principal)
  return `There is no tool '${name}' here${didYouMean(suggestions)}`
}

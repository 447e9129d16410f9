/**
 * Finds the tool that a client means by a name, among the tools that it may see in its toolset.
 *
 * 1. `findBySourceName`: a name that cannot be an exposed name, as it has a dot or a space, may be the name in a definition
 *    document. It is looked up in each toolkit of the toolset, then among all documents.
 * 2. `findListedTool`: otherwise the name is one from a list. If lists of older revisions show it in other letters, that form
 *    is looked up, and the tool found must have been published under the name.
 * 3. `findByOurName`: lists show the exposed name, or for `names=bare` the name in the toolkit. Both are looked up, the one
 *    that is listed first.
 *
 * A name in several toolkits matches no tool of theirs. A tool that the client may not see is treated as missing.
 */
import { KNOWING_SCOPES, maySee } from '../../core/access/principal.ts'
import { toOwnRef } from '../../core/access/tool-view.ts'
import { isShownTo } from '../../core/page/page.ts'
import { getListed, type ResolvedTool, type Resolver } from '../../core/call/resolve-tool.ts'
import { sanitizeName, toToolName } from '../../core/tool/sanitize-name.ts'
import { formatToolId, isNamePart, isOwnName } from '../../core/tool/tool-id.ts'
import { BY_TOOLKIT, type NameRef, toDocumentRef, toIdRef, toNameRef, type ToolRef } from '../../core/tool/tool-ref.ts'
import { hasPublishedName } from './tool-document.ts'
import { isInToolset, listToolkits, type McpRequestContext } from './toolset.ts'

interface FoundTool {
  readonly toolRef: ToolRef
  readonly resolved: ResolvedTool
}

type FindTool = (nameRef: NameRef, context: McpRequestContext, resolver: Resolver) => Promise<FoundTool | undefined>

/** Toolkits in which a name is looked up. If the toolset has more, the name is looked up in none: each costs a lookup. */
const MAX_TOOLKITS = 8

export const findTool: FindTool = async (nameRef, context, resolver) =>
  (isNamePart(nameRef.name) ? undefined : await findBySourceName(nameRef, context, resolver)) ??
  findListedTool(nameRef, context, resolver)

const findBySourceName: FindTool = async ({ name, range }, context, resolver) => {
  if (!isOwnName(name)) return undefined
  const toolkits = listToolkits(context.toolset.patterns ?? [])
  const refs = toolkits.map((id) => toDocumentRef({ dialect: BY_TOOLKIT, id, tool: name, range }))
  const tools = await listVisible(refs, context, resolver)
  if (tools.length > 1) return undefined
  return tools[0] ?? findVisible(toNameRef(name, range), context, resolver)
}

export const findListedTool: FindTool = async ({ name, range }, context, resolver) => {
  const ourName = toToolName(name)
  const tool = await findByOurName({ name: ourName, range }, context, resolver)
  return tool && (ourName === name || hasPublishedName(getListed(tool.resolved), name)) ? tool : undefined
}

const findByOurName: FindTool = async ({ name, range }, context, resolver) => {
  const { toolset, principal } = context
  const findExposed = () => findVisible(toNameRef(name, range), context, resolver)
  const findInToolkits = async () => {
    const refs = listToolkits(toolset.patterns ?? [])
      .map((toolkit) => toIdRef(formatToolId({ toolkit, tool: sanitizeName(name) }, range)))
      .filter((ref) => {
        const own = toOwnRef(principal.view, ref)
        return own.kind === 'id' && isInToolset(toolset, own)
      })
    const tools = await listVisible(refs, context, resolver)
    return tools.length === 1 ? tools[0] : undefined
  }
  return toolset.bare ? ((await findInToolkits()) ?? findExposed()) : ((await findExposed()) ?? findInToolkits())
}

async function listVisible(refs: readonly ToolRef[], context: McpRequestContext, resolver: Resolver) {
  if (refs.length > MAX_TOOLKITS) return []
  const tools = await Promise.all(refs.map((ref) => findVisible(ref, context, resolver)))
  return tools.filter((tool) => tool !== undefined)
}

async function findVisible(
  toolRef: ToolRef,
  { principal, background, toolset }: McpRequestContext,
  resolver: Resolver,
): Promise<FoundTool | undefined> {
  const resolved = await resolver.resolve(toolRef, principal.view, background)
  if (!resolved.ok) return undefined
  const { record } = resolved.tool
  const isFound = maySee(principal, record, KNOWING_SCOPES) && isInToolset(toolset, record)
  return isFound && (!toolset.isForPages || isShownTo('app', record)) ? { toolRef, resolved } : undefined
}

import { covers, maySee, type Principal } from '../../core/access/principal.ts'
import type { Catalogue } from '../../core/catalogue/catalogue.ts'
import type { Failing } from '../../core/failure/failure.ts'
import type { Resolved, Resolver } from '../../core/call/resolve.ts'
import { askedByName, formatToolId, parseToolId, type ToolName } from '../../core/tool/tool-id.ts'
import { unknownAmong } from '../../http/answer/unknown-among.ts'
import { namesNear } from './names-near.ts'
import { ALL, type Client } from './toolset.ts'

/** The client with the tools that its URL chooses by the names that lists show. What leads to no tool that it may see stays a name. */
export async function withNames(client: Client, resolver: Resolver): Promise<Client> {
  const { toolset, principal, background } = client
  const found = await Promise.all(
    toolset.names.map(async (name) => toolOf(await resolver.resolve(askedByName(name), background), principal)),
  )
  const tools = [...(toolset.tools ?? []), ...found.flatMap((tool) => (tool ? [formatToolId(tool)] : []))]
  const names = toolset.names.filter((_, index) => !found[index])
  return { ...client, toolset: { ...toolset, tools, names } }
}

/** The tool that a name leads to, one that was withdrawn too: an agent that names it among others is to keep the others. */
function toolOf(resolved: Resolved | Failing, principal: Principal): ToolName | undefined {
  if (resolved.ok) return maySee(principal, resolved.tool.record) ? resolved.tool.record : undefined
  const { failure } = resolved
  const id = failure.type === 'tool-disabled' ? failure.id : failure.type === 'version-unavailable' ? failure.tool : ''
  const name = parseToolId(id)
  return name && principal.kind !== 'anonymous' && covers(principal, name) ? name : undefined
}

/** Says what a URL chooses that there is nothing of which the client may see, and what is called much like it. */
export async function misnamed({ toolset, principal }: Client, catalogue: Catalogue): Promise<string | undefined> {
  const unknown = await unknownAmong(toolset.named, principal, catalogue)
  const [name] = toolset.names
  if (unknown !== undefined || name === undefined) return unknown
  const near = await namesNear(name, { principal, toolset: ALL }, catalogue)
  const others = near.length === 0 ? '' : `: did you mean ${near.map((each) => `'${each}'`).join(', ')}?`
  return `There is no tool '${name}' here${others}`
}

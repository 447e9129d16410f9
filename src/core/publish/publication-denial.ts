import { covers, mayHandleCredentials, type Principal } from '../access/principal.ts'
import type { ToolSecrets } from '../access/tool-secrets.ts'
import { formatToolId, type ToolName } from '../tool/tool-id.ts'
import type { Requirements } from '../tool/tool.ts'

/**
 * Why a principal may not publish a tool, or undefined when it may. Who publishes a tool decides where its secrets and
 * its users' tokens are sent.
 */
export function publicationDenial(
  principal: Principal,
  tool: ToolName & { readonly requirements: Requirements },
  toolSecrets: ToolSecrets,
): string | undefined {
  const id = formatToolId(tool)
  if (!covers(principal, tool)) return `The credential does not cover '${id}'`
  if (mayHandleCredentials(principal, tool)) return undefined
  const { secrets, authorization } = tool.requirements
  const secret = secrets.find((each) => toolSecrets.isGranted(each.id, tool))
  const [provider] = authorization
  const what = secret ? `may have the secret '${secret.id}'` : provider && `is given users' tokens of '${provider.id}'`
  if (what === undefined) return undefined
  return `'${id}' ${what}: to publish it, the credential must name it or its toolkit, such as '${tool.toolkit}.*'`
}

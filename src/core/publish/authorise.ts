import { coverDenial, isTrustedWith, type Principal } from '../access/principal.ts'
import type { ToolSecrets } from '../access/tool-secrets.ts'
import { formatToolId, type ToolName } from '../tool/tool-id.ts'
import type { Requirements } from '../tool/tool.ts'
import type { RegistryWriter } from './registry.ts'

/** Why a principal may not publish these tools. A publisher decides where secrets and users' tokens are sent. */
export function authorise(
  principal: Principal,
  tools: readonly (ToolName & { readonly requirements: Requirements })[],
  toolSecrets: ToolSecrets,
): string | undefined {
  for (const tool of tools) {
    const denied = coverDenial(principal, tool, 'tools:publish')
    if (denied) return denied.reason
    if (isTrustedWith(principal, tool)) continue
    const { secrets, authorization } = tool.requirements
    const secret = secrets.find((each) => toolSecrets.isGranted(each.id, tool))
    const [provider] = authorization
    const what = secret
      ? `may have the secret '${secret.id}'`
      : provider && `is given users' tokens of '${provider.id}'`
    if (what === undefined) continue
    return `'${formatToolId(tool)}' ${what}: to publish it, the credential must name it or its toolkit, such as '${tool.toolkit}.*'`
  }
  return undefined
}

export async function authoriseToolkit(
  principal: Principal,
  toolkit: string,
  writer: Pick<RegistryWriter, 'denial'>,
): Promise<string | undefined> {
  // A pattern that covers any tool of the toolkit covers one called '*'
  const whole = { toolkit, tool: '*' }
  return coverDenial(principal, whole, 'tools:publish')?.reason ?? writer.denial(whole, principal)
}

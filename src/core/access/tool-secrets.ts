import type { CheckSecretName } from './policy.ts'
import { matchesTool, type ToolName } from '../tool/tool-id.ts'

export type ToolSecrets = ReturnType<typeof createToolSecrets>

/** Grants secrets to tools: `grants` (TOOL_SECRETS) decides for those it names, policies (`isAllowedByPolicy`) for the rest. */
export function createToolSecrets(
  grants: ReadonlyMap<string, readonly string[]>,
  readVariable: (name: string) => string | undefined,
  isAllowedByPolicy: (id: string, tool: ToolName) => boolean = () => false,
  checkSecretName: CheckSecretName = () => undefined,
) {
  function isGranted(id: string, tool: ToolName): boolean {
    const patterns = grants.get(id)
    if (patterns) return patterns.some((pattern) => matchesTool(pattern, tool))
    return isAllowedByPolicy(id, tool) && checkSecretName(id) === undefined
  }
  function formatNotGranted(id: string, { toolkit, tool }: ToolName): string {
    const denial = grants.has(id) ? 'TOOL_SECRETS does not let' : 'Neither TOOL_SECRETS nor a policy lets'
    return `${denial} '${toolkit}.${tool}' have the secret '${id}'`
  }
  return {
    isGranted,
    secretFor(id: string, tool: ToolName): { readonly value: string } | { readonly missing: string } {
      if (!isGranted(id, tool)) return { missing: formatNotGranted(id, tool) }
      const value = readVariable(id)
      return value ? { value } : { missing: formatNotSet(id) }
    },
    /** For administrators only, since it reveals which secrets are set. Skips Switchboard's own secrets and bindings. */
    formatGrantAdvice(id: string, tool: ToolName): string {
      if (isGranted(id, tool)) return formatNotSet(id)
      const notGranted = formatNotGranted(id, tool)
      if (grants.has(id) || checkSecretName(id) !== undefined) return notGranted
      const pattern = tool.tool === '*' ? `"${tool.toolkit}.*"` : `${tool.toolkit}.${tool.tool}`
      const advice = `'switchboard policies set ${pattern} --secret ${id}' allows it`
      return `${notGranted}: ${advice}${readVariable(id) ? '' : `. ${formatNotSet(id)}`}`
    },
  }
}

function formatNotSet(id: string): string {
  return `The secret '${id}' is not set: 'npx wrangler secret put ${id}' sets it, or on your own machine a line '${id}=…' in .dev.vars`
}

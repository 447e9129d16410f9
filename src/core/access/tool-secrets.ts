import type { CheckSecretName } from './policy.ts'
import { matchesTool, type ToolName } from '../tool/tool-id.ts'

export type ToolSecrets = ReturnType<typeof createToolSecrets>

/** TOOL_SECRETS, the `grants`, decides alone on the secrets it names, and policies (`mayHave`) on others. */
export function createToolSecrets(
  grants: ReadonlyMap<string, readonly string[]>,
  readVariable: (name: string) => string | undefined,
  mayHave: (id: string, tool: ToolName) => boolean = () => false,
  judge: CheckSecretName = () => undefined,
) {
  function isGranted(id: string, tool: ToolName): boolean {
    const fixed = grants.get(id)
    if (fixed) return fixed.some((pattern) => matchesTool(pattern, tool))
    return mayHave(id, tool) && judge(id) === undefined
  }
  function notGranted(id: string, { toolkit, tool }: ToolName): string {
    const who = grants.has(id) ? 'TOOL_SECRETS does not let' : 'Neither TOOL_SECRETS nor a policy lets'
    return `${who} '${toolkit}.${tool}' have the secret '${id}'`
  }
  return {
    isGranted,
    secretFor(id: string, tool: ToolName): { readonly value: string } | { readonly missing: string } {
      if (!isGranted(id, tool)) return { missing: notGranted(id, tool) }
      const value = readVariable(id)
      return value ? { value } : { missing: notSet(id) }
    },
    /** For administrators alone, since it says which secrets are set. Switchboard's own, and bindings, are not looked at. */
    howToGive(id: string, tool: ToolName): string {
      if (isGranted(id, tool)) return notSet(id)
      const why = notGranted(id, tool)
      if (grants.has(id) || judge(id) !== undefined) return why
      const pattern = tool.tool === '*' ? `"${tool.toolkit}.*"` : `${tool.toolkit}.${tool.tool}`
      const allow = `'switchboard policies set ${pattern} --secret ${id}' allows it`
      return `${why}: ${allow}${readVariable(id) ? '' : `. ${notSet(id)}`}`
    },
  }
}

function notSet(id: string): string {
  return `The secret '${id}' is not set: 'npx wrangler secret put ${id}' sets it, or on your own machine a line '${id}=…' in .dev.vars`
}

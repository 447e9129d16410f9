import type { JudgeSecret } from './policy.ts'
import { patternCovers, type ToolName } from '../tool/tool-id.ts'

export type ToolSecrets = ReturnType<typeof createToolSecrets>

/** TOOL_SECRETS, the `grants`, decides alone on the secrets it names, and policies (`mayHave`) on others. */
export function createToolSecrets(
  grants: ReadonlyMap<string, readonly string[]>,
  valueOf: (name: string) => string | undefined,
  mayHave: (id: string, tool: ToolName) => boolean = () => false,
  judge: JudgeSecret = () => undefined,
) {
  function isGranted(id: string, tool: ToolName): boolean {
    const fixed = grants.get(id)
    if (fixed) return fixed.some((pattern) => patternCovers(pattern, tool))
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
      const value = valueOf(id)
      return value ? { value } : { missing: notSet(id) }
    },
    /** For administrators alone, since it says which secrets are set. */
    howToGive(id: string, tool: ToolName): string {
      const name = `${tool.toolkit}.${tool.tool}`
      const isForPolicies = !grants.has(id) && judge(id) === undefined
      const how = isForPolicies ? `: 'switchboard policies set ${name} --secret ${id}' allows it` : ''
      const steps = [isGranted(id, tool) ? [] : notGranted(id, tool) + how, valueOf(id) ? [] : notSet(id)]
      return steps.flat().join('. ')
    },
  }
}

function notSet(id: string): string {
  return `The secret '${id}' is not set: 'npx wrangler secret put ${id}' sets it, or on your own machine a line '${id}=…' in .dev.vars`
}

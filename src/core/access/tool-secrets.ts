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
  return {
    isGranted,
    secretFor(id: string, tool: ToolName): { readonly value: string } | { readonly missing: string } {
      if (!isGranted(id, tool)) {
        const who = grants.has(id) ? 'TOOL_SECRETS does not let' : 'Neither TOOL_SECRETS nor a policy lets'
        return { missing: `${who} '${tool.toolkit}.${tool.tool}' have the secret '${id}'` }
      }
      const value = valueOf(id)
      if (value) return { value }
      const how = `'npx wrangler secret put ${id}' sets it, or on your own machine a line '${id}=…' in .dev.vars`
      return { missing: `The secret '${id}' is not set: ${how}` }
    },
  }
}

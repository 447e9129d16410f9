import { patternCovers } from '../tool/tool-id.ts'
import type { ToolName } from '../tool/tool-id.ts'

/** The deployment's secrets that tools may have: a value by name, and for each the tools that may. */
export interface ToolSecrets {
  /** Whether a tool of this name may have the secret, be it set or not. */
  isGranted(id: string, tool: ToolName): boolean
  /** The value, or why this tool cannot have it. An empty value counts as missing. */
  secretFor(id: string, tool: ToolName): { readonly value: string } | { readonly missing: string }
}

/** `grants` is TOOL_SECRETS: secret name to tool patterns. A secret that it does not name is nobody's. */
export function createToolSecrets(
  grants: ReadonlyMap<string, readonly string[]>,
  valueOf: (name: string) => string | undefined,
): ToolSecrets {
  const isGranted = (id: string, tool: ToolName) =>
    grants.get(id)?.some((pattern) => patternCovers(pattern, tool)) ?? false
  return {
    isGranted,
    secretFor(id, tool) {
      if (!isGranted(id, tool)) {
        return { missing: `TOOL_SECRETS does not let '${tool.toolkit}.${tool.tool}' have the secret '${id}'` }
      }
      const value = valueOf(id)
      if (!value)
        return {
          missing: `The secret '${id}' is not set: 'npx wrangler secret put ${id}' sets it, or on your own machine a line '${id}=…' in .dev.vars`,
        }
      return { value }
    },
  }
}

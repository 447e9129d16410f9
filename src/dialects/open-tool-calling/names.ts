import { withSuffix } from '../../core/tool/name-suffix.ts'
import { isNamePart, parseToolId, type ToolName } from '../../core/tool/tool-id.ts'

/**
 * The name that a tool has here, of what its document calls itself: a "human-readable name" (section 4.1) may hold what no id
 * can. Then it is the fully qualified name's, where that is made like an id, else it is made of the readable one.
 */
export function nameHere({ toolkit, tool }: ToolName, qualified: string): ToolName {
  const named = parseToolId(qualified)
  return {
    toolkit: isNamePart(toolkit) ? toolkit : (named?.toolkit ?? madeName(toolkit)),
    tool: isNamePart(tool) ? tool : (named?.tool ?? madeName(tool)),
  }
}

/** The names that somebody may mean who calls a tool by its readable name, the likeliest first. */
export function possibleNames(readable: string): readonly string[] {
  if (isNamePart(readable)) return [readable]
  const joined = readable.replaceAll(/[^A-Za-z0-9_-]+/g, '')
  return isNamePart(joined) ? [madeName(readable), joined] : [madeName(readable)]
}

function madeName(readable: string): string {
  const plain = readable.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '')
  return isNamePart(plain) ? plain : withSuffix(plain || 'tool', readable)
}

import { isNamePart, parseToolId, type ToolName, appendHash } from '../../core/tool/tool-id.ts'
import { trim } from '../../core/tool/trim.ts'

/** A "human-readable name" (section 4.1) may hold characters that no id can; the qualified name then counts. */
export function toLocalName({ toolkit, tool }: ToolName, qualified: string): ToolName {
  const named = parseToolId(qualified)
  return {
    toolkit: isNamePart(toolkit) ? toolkit : (named?.toolkit ?? sanitizedName(toolkit)),
    tool: isNamePart(tool) ? tool : (named?.tool ?? sanitizedName(tool)),
  }
}

export function listNameCandidates(readable: string): readonly string[] {
  if (isNamePart(readable)) return [readable]
  const joined = readable.replaceAll(/[^A-Za-z0-9_-]+/g, '')
  return isNamePart(joined) ? [sanitizedName(readable), joined] : [sanitizedName(readable)]
}

function sanitizedName(readable: string): string {
  const plain = trim(readable.replaceAll(/[^A-Za-z0-9_-]+/g, '_'), '_')
  return isNamePart(plain) ? plain : appendHash(plain || 'tool', readable)
}

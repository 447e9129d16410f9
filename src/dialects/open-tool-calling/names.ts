import { isNamePart, parseToolId, type ToolName, appendHash } from '../../core/tool/tool-id.ts'
import { trim } from '../../core/tool/trim.ts'

/** Uses the qualified name if a "human-readable name" (section 4.1) has characters that ids do not allow. */
export function toLocalName({ toolkit, tool }: ToolName, qualified: string): ToolName {
  const qualifiedName = parseToolId(qualified)
  return {
    toolkit: isNamePart(toolkit) ? toolkit : (qualifiedName?.toolkit ?? sanitizeReadableName(toolkit)),
    tool: isNamePart(tool) ? tool : (qualifiedName?.tool ?? sanitizeReadableName(tool)),
  }
}

export function listNameCandidates(readable: string): readonly string[] {
  if (isNamePart(readable)) return [readable]
  const joinedName = readable.replaceAll(/[^A-Za-z0-9_-]+/g, '')
  return isNamePart(joinedName) ? [sanitizeReadableName(readable), joinedName] : [sanitizeReadableName(readable)]
}

function sanitizeReadableName(readable: string): string {
  const sanitizedName = trim(readable.replaceAll(/[^A-Za-z0-9_-]+/g, '_'), '_')
  return isNamePart(sanitizedName) ? sanitizedName : appendHash(sanitizedName || 'tool', readable)
}

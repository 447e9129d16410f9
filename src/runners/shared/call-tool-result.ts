import { type Content, contentText } from '../../core/tool/content.ts'
import { isObject } from '../../core/tool/json.ts'

/** What a tool said in MCP's words, as a value with its content or as the tool's own failure. */
type ReadResult =
  | { readonly ok: true; readonly value: unknown; readonly content: readonly Content[] }
  | { readonly ok: false; readonly message: string }

/**
 * Reads an MCP CallToolResult: `structuredContent` is the value, and the content is for those who can look at it; content
 * alone is its own value, as text. What `isError` says is the tool's failure, in its own words. `subject` gave the result.
 */
export function readCallToolResult(
  blocks: readonly unknown[],
  structuredContent: unknown,
  isError: boolean,
  subject: string,
): ReadResult {
  const content: Content[] = []
  for (const [index, block] of blocks.entries()) {
    const read = readBlock(block)
    if (typeof read === 'string') {
      return { ok: false, message: `${subject} answered with content that is none: [${index}] ${read}` }
    }
    content.push(read)
  }
  const words = content.map(contentText).join('\n')
  if (isError) return { ok: false, message: words || 'The tool failed and did not say why' }
  const otherwise = content.length === 0 ? null : words
  return { ok: true, value: structuredContent === undefined ? otherwise : structuredContent, content }
}

/** A block of content, or what is wrong with it. */
function readBlock(block: unknown): Content | string {
  if (!isObject(block)) return 'must be an object'
  const { type, text, data, mimeType, uri, name, resource } = block
  const annotations = annotationsOf(block.annotations)
  switch (type) {
    case 'text':
      return typeof text === 'string' ? { type, text, ...annotations } : "'text' must be a string"
    case 'image':
    case 'audio': {
      if (typeof data !== 'string') return "'data' must be a string"
      const media = typeof mimeType === 'string' ? mimeType : 'application/octet-stream'
      return { type, data, mimeType: media, ...annotations }
    }
    case 'resource_link':
      if (typeof uri !== 'string' || typeof name !== 'string') return "'uri' and 'name' must be strings"
      return { type, uri, name, ...mediaOf(mimeType), ...annotations }
    case 'resource': {
      if (!isObject(resource) || typeof resource.uri !== 'string') return "'resource' must be an object with a 'uri'"
      const about = { uri: resource.uri, ...mediaOf(resource.mimeType) }
      if (typeof resource.text === 'string')
        return { type, resource: { ...about, text: resource.text }, ...annotations }
      if (typeof resource.blob === 'string')
        return { type, resource: { ...about, blob: resource.blob }, ...annotations }
      return "'resource' must have a 'text' or a 'blob'"
    }
    default:
      return "'type' must be text, image, audio, resource or resource_link"
  }
}

function mediaOf(mimeType: unknown): { readonly mimeType?: string } {
  return typeof mimeType === 'string' ? { mimeType } : {}
}

function annotationsOf(given: unknown): Pick<Content, 'annotations'> {
  if (!isObject(given)) return {}
  const { audience, priority } = given
  const roles = (['user', 'assistant'] as const).filter((role) => Array.isArray(audience) && audience.includes(role))
  return {
    annotations: {
      ...(roles.length > 0 ? { audience: roles } : {}),
      ...(typeof priority === 'number' && Number.isFinite(priority) ? { priority } : {}),
    },
  }
}

import { type Content, contentText } from '../../core/tool/content.ts'
import { isObject } from '../../core/tool/json.ts'
import type { RunResult, Usage } from '../../core/call/runner.ts'

/**
 * Reads a plugin's CallToolResult, `{content: [{type, …}], isError?}`, as its schema and as plugins in use have it:
 * `structuredContent` is the value where there is one, and the content as text where there is none. `isError` makes it the
 * tool's failure, in its own words.
 */
export function decodeResult(text: string, usage: Usage): RunResult {
  let result: unknown
  try {
    result = JSON.parse(text)
  } catch {
    return failed('The plugin answered with something that is no JSON')
  }
  if (!isObject(result) || !Array.isArray(result.content)) {
    return failed("The plugin answered with something that is no CallToolResult: 'content' must be an array")
  }
  const blocks: readonly unknown[] = result.content
  const content: Content[] = []
  for (const [index, block] of blocks.entries()) {
    const decoded = decodeBlock(block)
    if (typeof decoded === 'string')
      return failed(`The plugin answered with content that is none: [${index}] ${decoded}`)
    content.push(decoded)
  }
  const words = content.map(contentText).join('\n')
  if (result.isError === true) return failed(words || 'The tool failed and did not say why')
  const value: unknown = result.structuredContent ?? (content.length === 0 ? null : words)
  return { ok: true, value, content, usage }
}

/** A block of content, or what is wrong with it. */
function decodeBlock(block: unknown): Content | string {
  if (!isObject(block)) return 'must be an object'
  const { type, text, data, mimeType } = block
  const more = annotationsOf(block.annotations)
  switch (type) {
    case 'text':
      return typeof text === 'string' ? { type, text, ...more } : "'text' must be a string"
    case 'image':
    case 'audio':
      if (typeof data !== 'string') return "'data' must be a string"
      return { type, data, mimeType: typeof mimeType === 'string' ? mimeType : 'application/octet-stream', ...more }
    case 'resource': {
      const { resource } = block
      if (!isObject(resource) || typeof resource.uri !== 'string') return "'resource' must be an object with a 'uri'"
      const about = {
        uri: resource.uri,
        ...(typeof resource.mimeType === 'string' ? { mimeType: resource.mimeType } : {}),
      }
      if (typeof resource.text === 'string') return { type, resource: { ...about, text: resource.text }, ...more }
      if (typeof resource.blob === 'string') return { type, resource: { ...about, blob: resource.blob }, ...more }
      return "'resource' must have a 'text' or a 'blob'"
    }
    default:
      return `'type' must be text, image, audio or resource`
  }
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

function failed(message: string): RunResult {
  return { ok: false, failure: { message } }
}

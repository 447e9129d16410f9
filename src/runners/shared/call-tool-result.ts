import { type Content, contentText } from '../../core/tool/content.ts'
import { isObject } from '../../core/tool/json.ts'
import type { RunResult } from '../../core/call/runner.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'
import { failureMeta } from './server-failure.ts'

type ReadResult =
  | { readonly ok: true; readonly value: unknown; readonly content: readonly Content[] }
  | { readonly ok: false; readonly message: string; readonly content?: readonly Content[] }

interface CallToolResult {
  readonly content: readonly unknown[]
  readonly structuredContent?: unknown
  readonly isError?: unknown
  readonly _meta?: unknown
}

const FIELDS = ['content', 'structuredContent', 'isError', '_meta']
const TYPES: readonly unknown[] = ['text', 'image', 'audio', 'resource', 'resource_link']

export function isContentType(type: unknown): boolean {
  return typeof type !== 'string' || TYPES.includes(type)
}

/** If the schema has `content` anywhere, the tool's own value may look like a CallToolResult. */
export function isCallToolResult(value: unknown, output: JsonSchema | null): value is CallToolResult {
  if (!isObject(value) || !Array.isArray(value.content) || !Object.keys(value).every((key) => FIELDS.includes(key)))
    return false
  const hasBlocks = value.content.length > 0 || typeof value.isError === 'boolean'
  if (!hasBlocks || !value.content.every((block) => isObject(block) && TYPES.includes(block.type))) return false
  return !JSON.stringify(output).includes('"content"')
}

export function resultInSandbox(result: CallToolResult, subject: string): RunResult {
  const { content, structuredContent, _meta } = result
  const isError = result.isError ?? false
  if (typeof isError !== 'boolean') {
    const message = `${subject} answered with something that is not a CallToolResult: 'isError' must be a boolean`
    return { ok: false, failure: { message } }
  }
  const read = readCallToolResult(content, structuredContent ?? undefined, isError, subject)
  if (read.ok) return read
  const { message, content: visibleContent } = read
  return {
    ok: false,
    failure: { message, ...(visibleContent ? { content: visibleContent } : {}), ...failureMeta(_meta) },
  }
}

/** Reads MCP's or the plugin schema's. Without `structuredContent`, text alone is the value. `subject` is for messages. */
export function readCallToolResult(
  blocks: readonly unknown[],
  structuredContent: unknown,
  isError: boolean,
  subject: string,
): ReadResult {
  const content: Content[] = []
  for (const [index, block] of blocks.entries()) {
    const read = readBlock(block)
    if (typeof read === 'string')
      return { ok: false, message: `${subject} answered with content that is none: [${index}] ${read}` }
    content.push(read)
  }
  const words = content.map(contentText).join('\n')
  if (isError) {
    const details = structuredContent === undefined ? '' : JSON.stringify(structuredContent)
    if (details !== words && details !== '') content.push({ type: 'text', text: details })
    const message = content.map(contentText).join('\n') || 'The tool failed and did not say why'
    return content.length === 0 ? { ok: false, message } : { ok: false, message, content }
  }
  const isText = content.length > 0 && content.every(({ type }) => type === 'text')
  return { ok: true, value: structuredContent === undefined ? (isText ? words : null) : structuredContent, content }
}

const MIXED = "must have either 'text' or 'data', as its type says"

function readBlock(block: unknown): Content | string {
  if (!isObject(block)) return 'must be an object'
  const annotations = readAnnotations(block.annotations ?? undefined)
  if (typeof annotations === 'string') return annotations
  const { type, uri, name } = block
  const text = block.text ?? ''
  const data = block.data ?? ''
  if (typeof text !== 'string') return "'text' must be a string"
  if (typeof data !== 'string') return "'data' must be a string"
  if (!isBase64(data)) return "'data' must be base64"
  const media = readMediaType(block.mimeType ?? undefined)
  if (typeof media === 'string') return media
  switch (type) {
    case 'text':
      if (data !== '') return MIXED
      if ((block.text ?? block.annotations ?? undefined) === undefined) return "must have a 'text'"
      return { type, text, ...media, ...annotations }
    case 'image':
    case 'audio':
      if (text !== '') return MIXED
      return { type, data, ...media, ...annotations }
    case 'resource_link':
      if (typeof uri !== 'string' || typeof name !== 'string') return "'uri' and 'name' must be strings"
      return { type, uri, name, ...media, ...annotations }
    case 'resource': {
      if (text !== '' && data !== '') return MIXED
      if ((block.resource ?? block.text ?? block.data ?? undefined) === undefined) return "must have a 'text' or 'data'"
      const resource = readResource(block.resource ?? undefined, data === '' ? { text } : { blob: data }, media)
      return typeof resource === 'string' ? resource : { type, resource, ...annotations }
    }
    default:
      return "'type' must be text, image, audio, resource or resource_link"
  }
}

type Resource = Extract<Content, { readonly type: 'resource' }>['resource']

/** The contents are in `resource` (MCP), or beside the type (plugin schema). */
function readResource(
  resource: unknown,
  beside: { readonly text: string } | { readonly blob: string },
  media: { readonly mimeType?: string },
): Resource | string {
  if (resource === undefined) return { ...media, ...beside }
  if (!isObject(resource) || typeof resource.uri !== 'string') return "'resource' must be an object with a 'uri'"
  const mediaType = readMediaType(resource.mimeType ?? media.mimeType)
  if (typeof mediaType === 'string') return mediaType
  const about = { uri: resource.uri, ...mediaType }
  if (typeof resource.text === 'string') return { ...about, text: resource.text }
  if (typeof resource.blob !== 'string') return "'resource' must have a 'text' or a 'blob'"
  return isBase64(resource.blob) ? { ...about, blob: resource.blob } : "'blob' must be base64"
}

function readMediaType(mimeType: unknown): { readonly mimeType?: string } | string {
  if (mimeType === undefined) return {}
  return typeof mimeType === 'string' ? { mimeType } : "'mimeType' must be a string"
}

/** Base64 of RFC 4648, section 4 or 5, with line breaks as in MIME. */
function isBase64(text: string): boolean {
  return !/[^\w+/=\s-]/.test(text)
}

function readAnnotations(annotations: unknown): Pick<Content, 'annotations'> | string {
  if (annotations === undefined) return {}
  if (!isObject(annotations)) return "'annotations' must be an object"
  const audience = annotations.audience ?? undefined
  const priority = annotations.priority ?? undefined
  if (audience !== undefined && !isAudience(audience))
    return "'annotations.audience' must be an array of 'user' and 'assistant'"
  if (priority !== undefined && !(typeof priority === 'number' && priority >= 0 && priority <= 1))
    return "'annotations.priority' must be a number from 0 to 1"
  return {
    annotations: { ...(audience === undefined ? {} : { audience }), ...(priority === undefined ? {} : { priority }) },
  }
}

function isAudience(value: unknown): value is readonly ('user' | 'assistant')[] {
  return Array.isArray(value) && value.every((role) => role === 'user' || role === 'assistant')
}

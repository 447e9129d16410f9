import type { CallOutcome } from '../../core/call/call-request.ts'
import { malformedRequestFailure } from '../../core/call/call-options.ts'
import type { Failure } from '../../core/failure/failure.ts'
import { toFailureMeta } from '../../core/failure/failure-meta.ts'
import type { Artifact, Content } from '../../core/tool/content.ts'
import { isObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { MAX_OWN_NAME } from '../../core/tool/tool-id.ts'
import { formatPluginFailure } from './failure.ts'

const CONTEXT_KEY = 'dev.switchboard/context'
const SELECT_KEY = 'dev.switchboard/select'
/** Requests the value, or the details of a failure, as JSON too, because the schema only has text. */
export const STRUCTURED_KEY = 'dev.switchboard/structured'
const META_FIELDS = json.looseObject({
  [CONTEXT_KEY]: json.nullish(json.anyObject),
  [SELECT_KEY]: json.nullish(json.string()),
  [STRUCTURED_KEY]: json.nullish(json.boolean),
})
const NO_META: json.InferOutput<typeof META_FIELDS> = {}
const META = (value: unknown, report: json.ReadContext) => (isObject(value) ? META_FIELDS(value, report) : NO_META)

const NAME = json.string({ max: MAX_OWN_NAME })
const PARAMS = json.looseObject({ name: NAME, arguments: json.nullish(json.anyObject, {}), _meta: META })
export const REQUEST = json.looseObject({ method: json.nullish(json.string({ max: 256 })), params: PARAMS })

/** Hosts pass on `_meta` from their own callers, so only the context and the selection are read. */
export function decodeCall(body: unknown) {
  const read = json.parseValue(REQUEST, body)
  if (!read.ok) return malformedRequestFailure(read.problems)
  const { method, params } = read.value
  const { name, arguments: input, _meta } = params
  const { [CONTEXT_KEY]: values, [SELECT_KEY]: select, [STRUCTURED_KEY]: structured } = _meta
  return { name, input, method, values, select, structured }
}

export function encodeOutcome({ result }: CallOutcome, structured = false) {
  if (!result.ok) {
    const _meta = structured ? toFailureMeta(result.failure) : undefined
    return { ...encodeFailure(result.failure), ...(_meta ? { _meta } : {}) }
  }
  const { value = null, content, artifact, elsewhere } = result
  const blocks = (content ?? []).map(encodeContent)
  const hasNoValue = elsewhere !== undefined || (value === null && (content !== undefined || artifact !== undefined))
  if (blocks.length === 0 && !hasNoValue)
    blocks.push(toTextBlock(typeof value === 'string' ? value : JSON.stringify(value)))
  return {
    content: [...blocks, ...[artifact, elsewhere].flatMap((item) => (item ? [encodeArtifact(item)] : []))],
    ...(structured && !hasNoValue ? { structuredContent: value } : {}),
  }
}

export function encodeFailure(failure: Failure) {
  const content = failure.type === 'tool-failed' ? failure.content : undefined
  if (content) return { content: content.map(encodeContent), isError: true }
  return { content: [toTextBlock(formatPluginFailure(failure))], isError: true }
}

function encodeContent(block: Content): JsonObject {
  const annotations = encodeAnnotations(block)
  return { ...encodeBlock(block, 'annotations' in annotations), ...annotations }
}

function encodeBlock(block: Content, hasAnnotations: boolean): JsonObject {
  switch (block.type) {
    case 'text': {
      const { text } = block
      return { type: 'text', ...(text === '' && hasAnnotations ? {} : { text }), ...readMediaType(block) }
    }
    case 'image':
      return { type: 'image', ...(block.data === '' ? {} : { data: block.data }), ...readMediaType(block) }
    case 'audio':
      return { type: 'resource', data: block.data, ...readMediaType(block) }
    case 'resource': {
      const { resource } = block
      const content = 'text' in resource ? { text: resource.text } : { data: resource.blob }
      const resourceField = resource.uri === undefined ? {} : { resource: { ...resource } }
      return { type: 'resource', ...content, ...readMediaType(resource), ...resourceField }
    }
    case 'resource_link': {
      const type = block.mimeType === undefined ? '' : ` (${block.mimeType})`
      return toTextBlock(`[Resource '${block.name}'${type}: ${block.uri}]`)
    }
  }
}

function readMediaType({ mimeType }: { readonly mimeType?: string }): { readonly mimeType?: string } {
  return mimeType === undefined ? {} : { mimeType }
}

/** The schema requires both fields, and a default would look like the tool's own value. */
function encodeAnnotations({ annotations = {} }: Content): { readonly annotations?: Json } {
  const { audience = [], priority } = annotations
  return audience.length === 0 || priority === undefined ? {} : { annotations: { audience: [...audience], priority } }
}

function encodeArtifact({ url, content_type, size, meta }: Artifact): JsonObject {
  return toTextBlock(`[${meta.description} (${content_type}, ${size} bytes): ${url}]`)
}

function toTextBlock(text: string): JsonObject {
  return { type: 'text', text }
}

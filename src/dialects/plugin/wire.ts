import type { Call, Outcome } from '../../core/call/call.ts'
import { malformed } from '../../core/call/call-fields.ts'
import type { Failing, Failure } from '../../core/call/failure.ts'
import type { Artifact, Content } from '../../core/tool/content.ts'
import type { Json, JsonObject } from '../../core/tool/json.ts'
import { anyObject, anything, check, nullish, object, string } from '../../core/tool/json-reader.ts'
import { textOf } from './failure.ts'

/** A call by the name of a tool: which tool that is depends on where the call is made. */
export interface NamedCall {
  readonly name: string
  readonly input: Call['input']
}

/** The schema's CallToolResult. */
export interface CallToolResult {
  readonly content: readonly JsonObject[]
  readonly isError?: boolean
}

const REQUEST = object(
  {
    method: nullish(string()),
    // Arguments under a misspelled name would be a call without arguments
    params: object({ name: string(), arguments: nullish(anyObject, {}), _meta: anything }),
  },
  { unknown: 'ignore' },
)

/**
 * Reads a CallToolRequest: `{method?, params: {name, arguments?}}`. The method says nothing that the route does not, and
 * `_meta`, which hosts pass on from their own callers, is not read. What is no such request gives a failure that names the
 * field.
 */
export function decodeCall(body: unknown): NamedCall | Failing {
  const read = check(REQUEST, body)
  if (!read.ok) return malformed(read.problems)
  const { name, arguments: input } = read.value.params
  return { name, input }
}

/** A CallToolResult: the content a tool gave to look at, else its value, a text as it is and anything else as JSON. */
export function encodeOutcome({ result }: Outcome): CallToolResult {
  if (!result.ok) return encodeFailure(result.failure)
  const { value, content = [], artifact } = result
  const blocks = content.map(encodeContent)
  if (blocks.length === 0) blocks.push(text(typeof value === 'string' ? value : JSON.stringify(value ?? null)))
  return { content: artifact ? [...blocks, encodeArtifact(artifact)] : blocks }
}

/** A CallToolResult that says what went wrong. */
export function encodeFailure(failure: Failure): CallToolResult {
  return { content: [text(textOf(failure))], isError: true }
}

function encodeContent(block: Content): JsonObject {
  return { ...shown(block), ...encodeAnnotations(block) }
}

/** The schema has text, image and resource; of every other kind a text tells what there is. */
function shown(block: Content): JsonObject {
  switch (block.type) {
    case 'text':
      return text(block.text)
    case 'image':
      return { type: 'image', data: block.data, mimeType: block.mimeType }
    case 'resource':
      return { type: 'resource', mimeType: block.resource.mimeType, resource: { ...block.resource } }
    case 'audio': {
      const { mimeType, data } = block
      return text(`[Audio of type ${mimeType}, ${data.length} characters of Base64, which cannot be given here]`)
    }
    case 'resource_link': {
      const type = block.mimeType === undefined ? '' : ` (${block.mimeType})`
      return text(`[Resource '${block.name}'${type}: ${block.uri}]`)
    }
  }
}

/** The schema wants both fields: content without an audience is for both, and one without a priority is of middling one. */
function encodeAnnotations({ annotations }: Content): { readonly annotations?: Json } {
  if (annotations === undefined) return {}
  const { audience = ['user', 'assistant'], priority = 0.5 } = annotations
  return { annotations: { audience: [...audience], priority } }
}

function encodeArtifact({ url, content_type, size, meta }: Artifact): JsonObject {
  return text(`[${meta.description} (${content_type}, ${size} bytes): ${url}]`)
}

function text(words: string): JsonObject {
  return { type: 'text', text: words }
}

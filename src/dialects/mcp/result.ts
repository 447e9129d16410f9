import type { Failure } from '../../core/failure/failure.ts'
import { valueOf } from '../../core/call/output.ts'
import type { Success } from '../../core/call/runner.ts'
import type { Artifact, Content } from '../../core/tool/content.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'
import { ANSWERS, metaOf, textOf } from './failure.ts'
import type { McpError } from './json-rpc.ts'
import type { Revision } from './revisions/revision.ts'

/** `any` allows everything and is not listed; `value` is no object, which only revisions from 2026-07-28 have. */
type OutputKind = 'none' | 'any' | 'object' | 'value'

export function outputKind(output: JsonSchema | null): OutputKind {
  if (output === null) return 'none'
  if (output === true) return 'any'
  if (output === false) return 'value'
  if (output.type === 'object') return 'object'
  for (const _ in output) return 'value'
  return 'any'
}

/** Clients refuse a result without `structuredContent` that has a schema, so a stored artifact may be an error. */
export function encodeSuccess(success: Success, output: JsonSchema | null, revision: Revision): string {
  const { value, content, artifact, elsewhere } = success
  const held = valueOf(success)
  if (!held.ok) return encodeErrorContent(contentOf(held.failure) ?? [], revision)
  const text = JSON.stringify(value) ?? 'null'
  const shown = content || artifact || elsewhere
  const blocks = [
    ...(content ?? []).map(asBlock),
    ...(artifact ? [linkTo(artifact)] : []),
    ...(elsewhere ? [{ type: 'text', text: `The output lies at ${elsewhere.url}` } as const, linkTo(elsewhere)] : []),
  ]
  const said = shown
    ? JSON.stringify(blocks)
    : `[{"type":"text","text":${typeof value === 'string' ? text : JSON.stringify(text)}}]`
  const structured =
    shown && value === null ? undefined : revision.structured(value, text, success.selected ? {} : output)
  return revision.result(
    structured === undefined ? `"content":${said}` : `"content":${said},"structuredContent":${structured}`,
  )
}

/** MCP's text has no type, its image must have one, and its resource must have a URI. */
function asBlock(block: Content, index: number): Content {
  switch (block.type) {
    case 'text': {
      const { mimeType: _, ...rest } = block
      return rest
    }
    case 'image':
    case 'audio':
      return { mimeType: 'application/octet-stream', ...block }
    case 'resource':
      return { ...block, resource: { uri: `resource:${index}`, ...block.resource } }
    case 'resource_link':
      return block
  }
}

function linkTo({ url, content_type, size, meta }: Artifact): Content {
  return { type: 'resource_link', uri: url, name: meta.description, mimeType: content_type, size }
}

function contentOf(failure: Failure): readonly Content[] | undefined {
  if (failure.type === 'tool-failed') return failure.content
  const lies = failure.type === 'output-elsewhere' || failure.type === 'select-failed' ? failure.artifact : undefined
  return lies && [{ type: 'text', text: textOf(failure) }, linkTo(lies)]
}

function encodeErrorContent(content: readonly Content[], revision: Revision, meta?: JsonObject): string {
  return revision.result(`"content":${JSON.stringify(content.map(asBlock))},"isError":true`, meta)
}

export function encodeErrorResult(text: string, revision: Revision, meta?: JsonObject): string {
  return revision.result(`"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true`, meta)
}

export function encodeFailure(failure: Failure, revision: Revision): string | McpError {
  const answer = ANSWERS[failure.type]
  if (answer === 'result') {
    const content = contentOf(failure)
    if (!content) return encodeErrorResult(textOf(failure), revision, metaOf(failure))
    return encodeErrorContent(content, revision, metaOf(failure))
  }
  return { code: answer.code, message: textOf(failure), status: revision.statuses[failure.type] ?? answer.status }
}

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import { type Content, contentText } from '../../../core/tool/content.ts'
import type { RunResult } from '../../../core/call/runner.ts'
import type { Endpoint } from '../endpoint.ts'
import { failed } from '../failed-call.ts'

/**
 * A CallToolResult as a result of ours: `structuredContent` is the value, and the content is for those who can look at
 * it; content alone is its own value, as text. What `isError` says is the tool's failure, in its own words.
 */
export function decodeResult(result: CallToolResult, endpoint: Endpoint): RunResult {
  const content = result.content.map(decodeBlock)
  const text = content.length === 0 ? null : content.map(contentText).join('\n')
  if (result.isError === true) return failed(text ?? 'The tool failed and did not say why', undefined, endpoint).result
  const value: unknown = result.structuredContent
  return { ok: true, value: value === undefined ? text : value, content }
}

function decodeBlock(block: ContentBlock): Content {
  const annotations = annotationsOf(block)
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, ...annotations }
    case 'image':
    case 'audio':
      return { type: block.type, data: block.data, mimeType: block.mimeType, ...annotations }
    case 'resource_link': {
      const { uri, name } = block
      return { type: 'resource_link', uri, name, ...mimeType(block), ...annotations }
    }
    case 'resource': {
      const { resource } = block
      const said = 'text' in resource ? { text: resource.text } : { blob: resource.blob }
      return { type: 'resource', resource: { uri: resource.uri, ...mimeType(resource), ...said }, ...annotations }
    }
  }
}

function annotationsOf({ annotations }: ContentBlock): Pick<Content, 'annotations'> {
  if (!annotations) return {}
  const { audience, priority } = annotations
  return {
    annotations: { ...(audience ? { audience } : {}), ...(priority === undefined ? {} : { priority }) },
  }
}

function mimeType({ mimeType }: { readonly mimeType?: string | undefined }): { readonly mimeType?: string } {
  return mimeType === undefined ? {} : { mimeType }
}

import type { Content } from '../../core/tool/content.ts'

/** In MCP, text has no MIME type, images must have one, and resources must have a URI. */
export function toContentBlock(block: Content, index: number): Content {
  switch (block.type) {
    case 'text': {
      const { mimeType: _, ...textBlock } = block
      return textBlock
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

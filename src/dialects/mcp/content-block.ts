import type { Content } from '../../core/tool/content.ts'

/** MCP's text has no type, its image must have one, and its resource must have a URI. */
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

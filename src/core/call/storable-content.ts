import type { Artifact, Content } from '../tool/content.ts'
import type { StorableContent } from './artifact-store.ts'

export const OCTET_STREAM = 'application/octet-stream'

export function toStorableJson(value: unknown) {
  if (typeof value === 'string') return { content: { text: value }, contentType: 'text/plain' }
  return { content: { text: JSON.stringify(value) }, contentType: 'application/json' }
}

/** Returns undefined for a link, which has nothing to store. */
export function toStorable(block: Content): StorableContent | undefined {
  switch (block.type) {
    case 'text':
      return { content: { text: block.text }, contentType: mediaType(block.mimeType, 'text/plain') }
    case 'image':
    case 'audio':
      return { content: { base64: block.data }, contentType: mediaType(block.mimeType, OCTET_STREAM) }
    case 'resource': {
      const { resource } = block
      return 'text' in resource
        ? { content: { text: resource.text }, contentType: mediaType(resource.mimeType, 'text/plain') }
        : { content: { base64: resource.blob }, contentType: mediaType(resource.mimeType, OCTET_STREAM) }
    }
    case 'resource_link':
      return undefined
  }
}

/** Returns a valid media type, since a malformed one would break the `Content-Type` header. */
export function mediaType(declared = '', fallback: string): string {
  return /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}/.exec(declared)?.[0] ?? fallback
}

export function describeBlock(block: Content): string {
  const uri = block.type === 'resource' ? block.resource.uri : undefined
  return uri !== undefined && uri.length <= 200 ? uri : `What the tool gave: ${block.type}`
}

export function toResourceLink({ url, content_type, size, meta }: Artifact): Content {
  return { type: 'resource_link', uri: url, name: meta.description, mimeType: content_type, size }
}

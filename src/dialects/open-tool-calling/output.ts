import type { Success } from '../../core/call/runner.ts'
import type { Artifact, Content } from '../../core/tool/content.ts'
import type { JsonObject } from '../../core/tool/json.ts'

/**
 * What a successful call gave, as an output (section 4.3): an artifact, else a value. Nothing at all gives undefined: the
 * RFC's schema allows no null there. Content without a value is a value that holds it; a single block of bytes is the artifact
 * of a tool that gives such, which says its bytes itself.
 */
export function encodeOutput({ value, content, artifact }: Success, isForArtifacts: boolean): JsonObject | undefined {
  if (artifact) return { artifact: { ...artifact, meta: { ...artifact.meta } } }
  const hasValue = value !== null && value !== undefined
  if (!content || content.length === 0 || hasValue) {
    // A value came out of a validator for JSON, or out of a tool's hands through one
    const output: object = { value }
    return hasValue ? { ...output } : undefined
  }
  const [first, ...others] = content
  const own = isForArtifacts && first && others.length === 0 ? artifactOf(first) : undefined
  return own
    ? { artifact: { ...own, meta: { ...own.meta } } }
    : { value: { content: content.map((block) => ({ ...block })) } }
}

/** A block of bytes as an artifact whose URL holds them (RFC 2397); undefined for what is no bytes. */
function artifactOf(block: Content): Artifact | undefined {
  switch (block.type) {
    case 'image':
    case 'audio':
      return dataArtifact(block.data, block.mimeType, `What the tool gave: ${block.type}`)
    case 'resource': {
      const { resource } = block
      if (!('blob' in resource)) return undefined
      return dataArtifact(resource.blob, resource.mimeType ?? 'application/octet-stream', resource.uri)
    }
    case 'resource_link':
    case 'text':
      return undefined
  }
}

function dataArtifact(base64: string, declared: string, description: string): Artifact {
  // What would not stay whole in a URL is no media type either
  const content_type = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+/.exec(declared)?.[0] ?? 'application/octet-stream'
  const padding = /={0,2}$/.exec(base64)?.[0].length ?? 0
  const size = Math.floor((base64.length * 3) / 4) - padding
  return { url: `data:${content_type};base64,${base64}`, content_type, size, meta: { description } }
}

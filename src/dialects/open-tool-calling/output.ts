import { bytesGiven } from '../../core/call/artifact-output.ts'
import type { Success } from '../../core/call/runner.ts'
import { type Artifact, type Content, heldValue } from '../../core/tool/content.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'

/**
 * What a successful call gave, as an output (section 4.3): an artifact, else a value. Nothing at all gives undefined: the
 * RFC's schema allows no null there. Content without a value is a value that holds it; but bytes of a `tool` that declares
 * artifacts are one, whose URL holds them where they are kept nowhere.
 */
export function encodeOutput(success: Success, tool: Pick<ToolRecord, 'metadata'> = {}): JsonObject | undefined {
  const { elsewhere, artifact = elsewhere ?? heldArtifact(bytesGiven(tool, success)) } = success
  if (artifact) return { artifact: { ...artifact, meta: { ...artifact.meta } } }
  const value = heldValue(success)
  if (value === null) return undefined
  // A value came out of a validator for JSON, or out of a tool's hands through one
  const output: object = { value }
  return { ...output }
}

/** A block of bytes as an artifact whose URL holds them (RFC 2397); undefined for what is no bytes. */
function heldArtifact(block: Content | undefined): Artifact | undefined {
  switch (block?.type) {
    case 'image':
    case 'audio':
      return dataArtifact(block.data, block.mimeType, `What the tool gave: ${block.type}`)
    case 'resource': {
      const { resource } = block
      return 'blob' in resource ? dataArtifact(resource.blob, resource.mimeType, resource.uri) : undefined
    }
    default:
      return undefined
  }
}

function dataArtifact(base64: string, declared = '', description = 'What the tool gave: a file'): Artifact {
  // What would not stay whole in a URL is no media type either
  const content_type = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+/.exec(declared)?.[0] ?? 'application/octet-stream'
  const padding = /={0,2}$/.exec(base64)?.[0].length ?? 0
  const size = Math.floor((base64.length * 3) / 4) - padding
  return { url: `data:${content_type};base64,${base64}`, content_type, size, meta: { description } }
}

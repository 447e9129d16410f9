import { bytesGiven } from '../../core/call/artifact-output.ts'
import type { Success } from '../../core/call/runner.ts'
import { type Artifact, type Content, heldValue } from '../../core/tool/content.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'

/**
 * The output of a successful call (section 4.3). No output is undefined, since the RFC's schema allows no null there.
 * Bytes of a tool that declares artifacts become one, in a `data:` URL where they are stored nowhere.
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

/** In a `data:` URL (RFC 2397). */
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
  // Any further part would not stay whole in a URL
  const content_type = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+/.exec(declared)?.[0] ?? 'application/octet-stream'
  const padding = /={0,2}$/.exec(base64)?.[0].length ?? 0
  const size = Math.floor((base64.length * 3) / 4) - padding
  return { url: `data:${content_type};base64,${base64}`, content_type, size, meta: { description } }
}

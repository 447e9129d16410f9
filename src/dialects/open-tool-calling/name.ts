import type { ToolName } from '../../core/tool/tool-id.ts'

const MAX_NAME = 64

/**
 * What models see of a tool whose document does not say it: `Toolkit_Name`. Past 64 characters it is cut, and a digest of
 * the whole (FNV-1a, 32 bits) tells it from others cut likewise.
 */
export function exposedName({ toolkit, tool }: ToolName): string {
  const whole = `${toolkit}_${tool}`
  if (whole.length <= MAX_NAME) return whole
  let digest = 0x811c9dc5
  for (let index = 0; index < whole.length; index++) {
    digest = Math.imul(digest ^ whole.charCodeAt(index), 0x01000193) >>> 0
  }
  const suffix = `_${digest.toString(16).padStart(8, '0')}`
  return whole.slice(0, MAX_NAME - suffix.length) + suffix
}

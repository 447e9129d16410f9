import { MAX_NAME, withSuffix } from '../../core/tool/name-suffix.ts'
import type { ToolName } from '../../core/tool/tool-id.ts'

/**
 * What models see of a tool whose document does not say it: `Toolkit_Name`. Past 64 characters it is cut, and a digest of
 * the whole (FNV-1a, 32 bits) tells it from others cut likewise.
 */
export function exposedName({ toolkit, tool }: ToolName): string {
  const whole = `${toolkit}_${tool}`
  return whole.length <= MAX_NAME ? whole : withSuffix(whole, whole)
}

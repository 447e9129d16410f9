import { isOwnName } from './tool-id.ts'
import type { ToolRecord } from './tool.ts'

/** A tool's names in a dialect without tool ids: its document's unique `id` (Open Tool Calling RFC, 4.1), and its name there. */
export function sourceNames({ metadata, called, source }: ToolRecord) {
  const id = metadata?.['identifier']
  const name = called !== undefined && isOwnName(called) && source.dialect !== 'machine-context' ? called : undefined
  return { identifier: typeof id === 'string' ? id : undefined, name }
}

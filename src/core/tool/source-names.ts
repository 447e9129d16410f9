import { isOwnName } from './tool-id.ts'
import type { ToolRecord } from './tool.ts'

/** Returns a tool's names for dialects without ids: its document's unique `id` (Open Tool Calling RFC, 4.1) and its name. */
export function sourceNames({ metadata, sourceName, source }: ToolRecord) {
  const id = metadata?.['identifier']
  const name =
    sourceName !== undefined && isOwnName(sourceName) && source.dialect !== 'machine-context' ? sourceName : undefined
  return { identifier: typeof id === 'string' ? id : undefined, name }
}

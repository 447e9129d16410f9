import { isOwnName } from './tool-id.ts'
import type { ToolRecord } from './tool.ts'

/** What its document calls the tool by where tools have no ids: a unique `id` (Open Tool Calling RFC, 4.1), and its name. */
export function sourceNames({ metadata, called, source }: ToolRecord) {
  const id = metadata?.['identifier']
  const name = called !== undefined && isOwnName(called) && source.dialect !== 'machine-context' ? called : undefined
  return { identifier: typeof id === 'string' ? id : undefined, name }
}

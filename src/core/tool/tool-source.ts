import type { ToolName } from './tool-id.ts'
import type { ToolDocument, ToolRecord } from './tool.ts'

/** Reads tools. `document` and `record` may be seconds old; what is current never is. */
export interface ToolSource {
  document(name: ToolName): Promise<ToolDocument | undefined>
  current(name: ToolName): Promise<ToolDocument | undefined>
  record(digest: string): Promise<ToolRecord | undefined>
  /** The tool that is exposed under a name, ignoring case. */
  named(name: string): Promise<ToolName | undefined>
  /** What `current` gives; of a name that is unknown, the names near it, nearest first and at most 20. */
  currentOrNearest(name: ToolName): Promise<ToolDocument | readonly ToolName[]>
}

import type { ToolName } from './tool-id.ts'
import type { ToolDocument, ToolRecord } from './tool.ts'

export interface DocumentAddress {
  /** As first published; another that differs in case alone is not it. */
  readonly id: string
  readonly toolkit: string
  readonly tools: Readonly<Record<string, string>>
}

/** `document` and `record` may be seconds old; `current` never is. */
export interface ToolSource {
  document(name: ToolName): Promise<ToolDocument | undefined>
  current(name: ToolName): Promise<ToolDocument | undefined>
  record(digest: string): Promise<ToolRecord | undefined>
  named(name: string): Promise<ToolName | undefined>
  addressed(dialect: string, id: string, tool?: string): Promise<DocumentAddress | undefined>
  whole(record: ToolRecord): Promise<ToolRecord>
  holds(toolkit: string): Promise<boolean>
  /** A name may differ in `-` and `_`, as OXP writes older ones. For an unknown name, at most 20 ids near it. */
  currentOrNearest(name: ToolName): Promise<ToolDocument | readonly string[]>
  nearest(name: ToolName): Promise<readonly string[]>
}

import type { ToolName } from './tool-id.ts'
import type { ToolDocument, ToolRecord } from './tool.ts'

export interface DocumentAddress {
  /** As first published; another that differs in case alone is not it. */
  readonly id: string
  readonly toolkit: string
  /** The tools of all its versions, by the document's names for them. */
  readonly tools: Readonly<Record<string, string>>
}

/** `document` and `record` may be seconds old; `current` never is. */
export interface ToolSource {
  document(name: ToolName): Promise<ToolDocument | undefined>
  current(name: ToolName): Promise<ToolDocument | undefined>
  record(digest: string): Promise<ToolRecord | undefined>
  /** The tool with this exposed name, ignoring case. */
  named(name: string): Promise<ToolName | undefined>
  /** The document of this id that defines `tool`, if any version does. */
  addressed(dialect: string, id: string, tool?: string): Promise<DocumentAddress | undefined>
  /** With the document it was published in, wherever that is stored. */
  whole(record: ToolRecord): Promise<ToolRecord>
  holds(toolkit: string): Promise<boolean>
  /** A name may differ in `-` and `_`, as OXP writes older ones. For an unknown name, at most 20 near ones. */
  currentOrNearest(name: ToolName): Promise<ToolDocument | readonly ToolName[]>
  /** At most 20 names near this one, nearest first, whether or not the tool exists. */
  nearest(name: ToolName): Promise<readonly ToolName[]>
}

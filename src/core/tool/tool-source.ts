import type { ToolName } from './tool-id.ts'
import type { ToolDocument, ToolRecord } from './tool.ts'

/** Where a document's tools are, by the document's own id. */
export interface DocumentAddress {
  /** As it was first published: another that differs from it in case alone is none. */
  readonly id: string
  readonly toolkit: string
  /** The tools of all its versions, by what it calls them. */
  readonly tools: Readonly<Record<string, string>>
}

/** Reads tools. `document` and `record` may be seconds old; what is current never is. */
export interface ToolSource {
  document(name: ToolName): Promise<ToolDocument | undefined>
  current(name: ToolName): Promise<ToolDocument | undefined>
  record(digest: string): Promise<ToolRecord | undefined>
  /** The tool that is exposed under a name, ignoring case. */
  named(name: string): Promise<ToolName | undefined>
  /** The document of this id in a dialect, and one in which `tool` stands, if any version has that. */
  addressed(dialect: string, id: string, tool?: string): Promise<DocumentAddress | undefined>
  /** The record with the document it was published in, wherever that lies. */
  whole(record: ToolRecord): Promise<ToolRecord>
  /** Whether a toolkit of this very name has tools. */
  holds(toolkit: string): Promise<boolean>
  /**
   * What `current` gives, or the tool whose name differs in `-` and `_` alone: names have no `-` any more, and OXP writes those
   * that do with `_`. Of a name that is unknown, the names near it, nearest first and at most 20.
   */
  currentOrNearest(name: ToolName): Promise<ToolDocument | readonly ToolName[]>
  /** The names near one, whether or not there is such a tool, nearest first and at most 20. */
  nearest(name: ToolName): Promise<readonly ToolName[]>
}

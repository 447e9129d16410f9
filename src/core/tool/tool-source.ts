import type { ToolName } from './tool-id.ts'
import type { ToolEntry, ToolRecord } from './tool.ts'

export interface DocumentAddress {
  /** As first published. An id that differs only in case does not match. */
  readonly id: string
  readonly toolkit: string
  readonly tools: Readonly<Record<string, string>>
}

/** The results of `loadTool` and `loadRecord` may be seconds old, those of `loadCurrent` never. */
export interface ToolSource {
  loadTool(name: ToolName): Promise<ToolEntry | undefined>
  loadCurrent(name: ToolName): Promise<ToolEntry | undefined>
  loadRecord(digest: string): Promise<ToolRecord | undefined>
  findByName(name: string): Promise<ToolName | undefined>
  findDocumentAddress(dialect: string, id: string, tool?: string): Promise<DocumentAddress | undefined>
  attachDocument(record: ToolRecord): Promise<ToolRecord>
  hasToolkit(toolkit: string): Promise<boolean>
  /** The name may differ in `-` and `_`, as OXP writes older names. For an unknown name, returns at most 20 similar ids. */
  loadCurrentOrSuggest(
    name: ToolName,
  ): Promise<
    | { readonly entry: ToolEntry; readonly suggestions?: never }
    | { readonly entry?: never; readonly suggestions: readonly string[] }
  >
  suggestIds(name: ToolName): Promise<readonly string[]>
}

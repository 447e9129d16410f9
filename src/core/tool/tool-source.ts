import type { ToolName } from './tool-id.ts'
import type { ToolEntry, ToolRecord } from './tool.ts'

export interface DocumentAddress {
  /** As first published; another that differs in case alone is not it. */
  readonly id: string
  readonly toolkit: string
  readonly tools: Readonly<Record<string, string>>
}

/** `loadTool` and `loadRecord` may be seconds old; `loadCurrent` never is. */
export interface ToolSource {
  loadTool(name: ToolName): Promise<ToolEntry | undefined>
  loadCurrent(name: ToolName): Promise<ToolEntry | undefined>
  loadRecord(digest: string): Promise<ToolRecord | undefined>
  findByName(name: string): Promise<ToolName | undefined>
  findDocumentAddress(dialect: string, id: string, tool?: string): Promise<DocumentAddress | undefined>
  attachDocument(record: ToolRecord): Promise<ToolRecord>
  hasToolkit(toolkit: string): Promise<boolean>
  /** A name may differ in `-` and `_`, as OXP writes older ones. For an unknown name, at most 20 ids near it. */
  loadCurrentOrSuggest(
    name: ToolName,
  ): Promise<
    | { readonly entry: ToolEntry; readonly suggestions?: never }
    | { readonly entry?: never; readonly suggestions: readonly string[] }
  >
  suggestIds(name: ToolName): Promise<readonly string[]>
}

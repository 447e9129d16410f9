import type { Principal } from '../../access/principal.ts'
import type { JsonObject } from '../../tool/json.ts'
import type { ImportKind } from '../../tool/remote-dialect.ts'
import type { TextChange } from '../text-changes.ts'

export const SEVERITIES = ['breaking', 'additive'] as const
export const MAX_FINDINGS = 200
export const MAX_SOURCE_TOOLS = 5_000
/** With more, new tools cannot be distinguished from tools that were not selected. */
export const MAX_KNOWN_TOOLS = 2_000

/** The source of the last import of a toolkit's tools. */
export interface ImportSource {
  readonly toolkit: string
  readonly kind: ImportKind
  readonly url: string
  readonly options: JsonObject
  /** Tools that were imported, by their names before `-` becomes `_`. */
  readonly tools: readonly string[]
  /** All tools that the source listed at that time. */
  readonly known: readonly string[]
  readonly description?: string | undefined
  /** The id of the principal that imported it. The next two fields are its rights then. */
  readonly importer: string
  readonly isTrusted: boolean
  readonly maySendSecrets: boolean
}

/** How a tool of a source differs from the active version here. Without `tool`, it is about the whole source. */
export interface Difference {
  readonly tool?: string
  readonly kind: 'changed' | 'new' | 'gone' | 'credential' | 'unreachable'
  readonly severity: (typeof SEVERITIES)[number]
  readonly changes: readonly TextChange[]
}

export interface Finding extends Difference {
  readonly toolkit: string
  /** Milliseconds since 1970. */
  readonly since: number
  readonly seen: number
}

/** `partial`: not all tools were compared, so no finding ends. `unreachable` is a finding only after a day. */
export interface Comparison {
  readonly toolkit: string
  readonly state: 'complete' | 'partial' | 'credential' | 'unreachable'
  readonly differences: readonly Difference[]
  /** Whether new findings are posted to a webhook. */
  readonly isAnnounced: boolean
}

export interface FindingQuery {
  readonly toolkit?: string | undefined
  readonly severity?: Finding['severity'] | undefined
  readonly after?: string | undefined
  readonly limit: number
}

export type SourceChoice = { readonly toolkit: string } | { readonly limit: number }

export interface FindingStore {
  /** Stores the source after an import, and removes the findings of its tools. */
  remember(source: ImportSource): Promise<void>
  forget(toolkit: string): Promise<void>
  /** Returns the source of one toolkit, or those compared the longest ago. */
  takeSources(choice: SourceChoice): Promise<readonly ImportSource[]>
  store(comparison: Comparison): Promise<void>
  /** Returns messages about new findings. `sentIds` are the ids of messages that were received. */
  takeMessages(
    sentIds: readonly string[],
    limit: number,
  ): Promise<readonly { readonly id: string; readonly body: string }[]>
  /** Lists only findings of toolkits that the principal may change. */
  list(
    query: FindingQuery,
    principal: Principal,
  ): Promise<{ readonly items: readonly Finding[]; readonly next?: string }>
}

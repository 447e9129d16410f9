import type { Budget } from './budget.ts'
import type { DecodeOptions, DecodeResult } from './codec.ts'
import type { JsonObject } from './json.ts'
import { transform, looseObject, type Reader, string } from './json-reader.ts'
import type { Signal } from './platform.ts'
import type { ParseResult } from './problem.ts'

export const REMOTE_PROTOCOLS = ['mcp', 'oxp', 'open-tool-calling', 'machine-context', 'plugin'] as const
export type RemoteProtocol = (typeof REMOTE_PROTOCOLS)[number]

export const IMPORT_KINDS = ['openapi', ...REMOTE_PROTOCOLS] as const
export type ImportKind = (typeof IMPORT_KINDS)[number]

/** Reads another server's list for an import. */
export interface ListedDialect {
  readonly protocol: RemoteProtocol
  /** The dialect of the listed documents. Unlike published documents, they are not returned verbatim. */
  readonly source: string
  readonly nameReader: Reader<RemoteName>
  /** `tool` is the tool's name here. Its requirements are up to the other server. */
  decode(document: JsonObject, tool: string, options: Pick<DecodeOptions, 'budget'>): ParseResult<DecodeResult>
}

interface RemoteName {
  /** Undefined if names belong to the whole server. */
  readonly toolkit?: string
  readonly tool: string
  /** The name in calls to that server. */
  readonly remoteName: string
}

export interface ListRequest {
  readonly toolkit: string | undefined
  readonly timeoutMs: number
  readonly signal: Signal
  readonly budget: Budget
  readonly wantsSkills?: boolean | undefined
}

export interface ServerList {
  readonly tools: readonly unknown[]
  readonly version?: string | undefined
  readonly description?: string | undefined
  readonly skills?: readonly ListedSkill[]
}

/** `files` is undefined if they were not read. */
export type ListedSkill = { readonly name: string; readonly files: object | undefined }

export const REMOTE_NAME = string({ min: 1, max: 256 })

/** For dialects whose tool names belong to the whole server. */
export const nameOnlyReader: Reader<RemoteName> = transform(looseObject({ name: REMOTE_NAME }), ({ name }) => ({
  tool: name,
  remoteName: name,
}))

/** The caller's side of a dialect: JSON over HTTP. Pure, like codecs. */
export interface RemoteDialect extends ListedDialect {
  readonly title: string
  /** Appended to the server's URL. */
  readonly paths: { readonly list: string; readonly call: string }
  readonly listsByToolkit?: true
  /** Returns undefined if the document is not a list of the dialect. */
  readTools(document: unknown): { readonly tools: readonly unknown[]; readonly next?: unknown } | undefined
  writeCall(call: RemoteCall): object
  /** Returns undefined if the document is not a response of the dialect. `definition` is the tool's definition as listed. */
  readAnswer(document: Readonly<Record<string, unknown>>, definition: unknown): RemoteAnswer | undefined
}

interface RemoteCall {
  readonly tool: string
  readonly input: JsonObject
  readonly userId: string | undefined
  readonly method: string | undefined
  /** Absent if the call may be repeated. */
  readonly callId: string | undefined
  readonly traceId: string | undefined
  /** Unique for each request. */
  readonly messageId: string
  readonly sentAt: Date
}

/** The server's response, which readers must check. */
export type RemoteAnswer =
  | { readonly value: unknown }
  | { readonly result: Readonly<Record<string, unknown>> }
  | {
      readonly message: unknown
      /** Contains the fields of a tool's error (OXP 1.0, "Tool error"). */
      readonly error?: unknown
      /** Added to the message if a person cannot be sent to a link. */
      readonly more?: string
      readonly missing?: unknown
    }

/** Parses `Toolkit.Tool` or `Toolkit.Tool@1.0.0`, with the server's own names. */
export function parseRemoteTool(text: string) {
  const [, toolkit, tool, version] = /^([^@]+)\.([^.@]+)(?:@([^@]+))?$/.exec(text) ?? []
  return toolkit === undefined || tool === undefined ? undefined : { toolkit, tool, version }
}

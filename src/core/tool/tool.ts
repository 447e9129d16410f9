import type { Json, JsonObject } from './json.ts'
import type { Problem } from './problem.ts'
import type { ToolName } from './tool-id.ts'
import type { VersionStatus } from './version.ts'

/** A JSON Schema 2020-12 document; `{}` (or true) allows anything, and false nothing. */
export type JsonSchema = JsonObject | boolean

/** What a call needs that is no input (OXP 1.0, "Requirements"). */
export interface Requirements {
  readonly authorization: readonly AuthorizationRequirement[]
  readonly secrets: readonly { readonly id: string }[]
  readonly user_id: boolean
}

/** A person's consent at the provider `id`, for these OAuth 2.0 scopes. */
export interface AuthorizationRequirement {
  readonly id: string
  readonly oauth2?: { readonly scopes: readonly string[] }
}

/**
 * Whether an authorization is a token that the caller brings, whoever issued it (Open Tool Calling RFC, `"token"`): there is no
 * provider to ask for it.
 */
export function isToken({ id, oauth2 }: AuthorizationRequirement): boolean {
  return id === 'token' && oauth2 === undefined
}

/** Whether `text` may be what requirements call a provider or a secret. */
export function isRequirementId(text: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(text)
}

/** What runs when a tool is called. `kind` chooses the runner; the rest is that runner's own to check and to read. */
export interface Implementation {
  readonly kind: string
  readonly [key: string]: Json | undefined
}

/** One kind of implementation, as far as publication is concerned. */
export interface ImplementationKind {
  readonly kind: string
  /** What is wrong with an implementation, judged when it is published. Paths start at the implementation. */
  check(implementation: Implementation, definition: Definition): readonly Problem[]
  /** What is wrong with one that `check` passed, and shows only when it is loaded, though not run. */
  load?(implementation: Implementation): Promise<readonly Problem[]>
}

/** What a dialect's document says of one tool: everything of a record but what publication adds. */
export interface Definition extends ToolName {
  readonly version: string
  /** What models see: 1 to 64 of `[A-Za-z0-9_-]`. */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly input: JsonObject
  /** `{}` is any JSON value, null is no output at all. */
  readonly output: JsonSchema | null
  readonly requirements: Requirements
  /** 0 to 10, as the Machine Context Protocol counts; absent: derived from the requirements. */
  readonly securityLevel?: number
  /** Whether each call needs a person's approval, also below the level from which all do. */
  readonly requiresApproval?: true
  readonly annotations?: JsonObject
  readonly icons?: Json
  readonly _meta?: JsonObject
  readonly metadata?: JsonObject
  readonly examples?: Json
  readonly tags: readonly string[]
}

/** One published version of a tool. It never changes. */
export interface ToolRecord extends Definition {
  /** `Toolkit.Name@x.y.z` */
  readonly id: string
  readonly securityLevel: number
  /** What its document calls it, where that is not its name. */
  readonly called?: string
  /**
   * The dialect it was published in, and the document, verbatim. A document that makes several tools, or has an id of its
   * own, is stored once, under its `hash`: whoever reads records gets it with them where it is asked for.
   */
  readonly source: { readonly dialect: string; readonly document?: Json; readonly hash?: string }
  /** SHA-256 (hex) over the canonical JSON of everything a model or caller can see and of the implementation. */
  readonly digest: string
  /** Absent: the tool is registered and listed, and cannot be called here. */
  readonly implementation?: Implementation
}

/** Who published a version, and whether that makes it one that credentials may be given to. */
export interface Publisher {
  /** The principal's id; `bundle` for a bundled tool; null for what is older than the knowledge of it. */
  readonly principal: string | null
  /** Whether the principal was trusted with the tool when it published it, unless an administrator said otherwise since. */
  readonly trusted: boolean
}

/** A version of a tool as it stands now. */
export interface VersionEntry extends VersionStatus {
  readonly digest: string
  readonly publisher: Publisher
}

/** All that is known of a tool's versions, and the record that answers to its bare name. */
export interface ToolDocument extends ToolName {
  readonly versions: readonly VersionEntry[]
  readonly newest?: ToolRecord
  /** Whether the document it was published in has left it out since: it answers to no bare name, and to no `latest`. */
  readonly isLeftOut?: true
  /** Whether its toolkit was deleted: administrators alone know of it. */
  readonly isDeleted?: true
}

/** What people are shown in place of a tool's name: its title, then its annotations' (MCP, `Tool`). An empty text is none. */
export function titleOf({ title, annotations }: Pick<Definition, 'title' | 'annotations'>): string | undefined {
  const shown = [title, annotations?.title].find((text) => typeof text === 'string' && text !== '')
  return typeof shown === 'string' ? shown : undefined
}

export const NO_REQUIREMENTS: Requirements = { authorization: [], secrets: [], user_id: false }

/** 4 when secrets, authorization or a user id are required, else 0: what a dialect without security levels means. */
export function derivedSecurityLevel(requirements: Requirements): number {
  const asks = requirements.authorization.length > 0 || requirements.secrets.length > 0 || requirements.user_id
  return asks ? 4 : 0
}

/** Whether a person must approve each call of a tool, whoever makes it. */
export function needsApproval({
  securityLevel,
  requiresApproval,
}: Pick<ToolRecord, 'securityLevel' | 'requiresApproval'>): boolean {
  return securityLevel >= 8 || requiresApproval === true
}

/** Whether a tool says that it may be called twice. */
export function isIdempotent({ annotations }: Pick<Definition, 'annotations'>): boolean {
  return annotations?.['idempotentHint'] === true || annotations?.['readOnlyHint'] === true
}

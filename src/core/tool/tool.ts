import type { Json, JsonObject } from './json.ts'
import type { Problem } from './problem.ts'
import type { ToolName } from './tool-id.ts'
import type { VersionStatus } from './version.ts'

export type JsonSchema = JsonObject | boolean

export interface Requirements {
  readonly authorization: readonly AuthorizationRequirement[]
  readonly secrets: readonly { readonly id: string }[]
  readonly user_id: boolean
}

/** Consent at the provider `id` to these OAuth 2.0 scopes. */
export interface AuthorizationRequirement {
  readonly id: string
  readonly oauth2?: { readonly scopes: readonly string[] }
}

/** Checks for a token that the caller must send (Open Tool Calling RFC, `"token"`), because no provider issues it. */
export function isCallerToken({ id, oauth2 }: AuthorizationRequirement): boolean {
  return id === 'token' && oauth2 === undefined
}

export function isRequirementId(text: string): boolean {
  return /^[\x21-\x7e]{1,128}$/.test(text)
}

export interface Implementation {
  readonly kind: string
  readonly [key: string]: Json | undefined
}

export interface ImplementationKind {
  readonly kind: string
  /** Checks an implementation at publication. Paths start at the implementation. */
  check(implementation: Implementation, definition: Definition): readonly Problem[]
  load?(implementation: Implementation): Promise<readonly Problem[]>
  /** Says why this deployment refuses every request of the implementation. Another deployment or setting may allow them. */
  unreachable?(implementation: Implementation): string | undefined
}

export const TASK_SUPPORT = ['optional', 'required'] as const
export type TaskSupport = (typeof TASK_SUPPORT)[number]

export interface Definition extends ToolName {
  readonly version: string
  /** 1 to 64 of `[A-Za-z0-9_-]`, for models. */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly input: JsonObject
  readonly output: JsonSchema | null
  readonly requirements: Requirements
  /** 0 to 10 (Machine Context Protocol); if absent, derived from the requirements. */
  readonly securityLevel?: number
  readonly requiresApproval?: true
  readonly annotations?: JsonObject
  /** MCP, `Tool.execution`. If absent, a slow call, or one that waits for a person, can still become a task. */
  readonly taskSupport?: TaskSupport
  readonly icons?: Json
  readonly _meta?: JsonObject
  readonly metadata?: JsonObject
  readonly examples?: Json
  readonly tags: readonly string[]
}

export interface ToolRecord extends Definition {
  readonly id: string
  readonly securityLevel: number
  readonly sourceName?: string
  /** Added when a record is read and never stored in it, because it can change and versions cannot. */
  readonly toolkitDescription?: string
  /** The verbatim document. If it has several tools or its own id, it is stored once under `hash`. */
  readonly source: { readonly dialect: string; readonly document?: Json; readonly hash?: string }
  /** SHA-256 (hex) over the canonical JSON of the implementation and everything a model or caller can see. */
  readonly digest: string
  /** If absent, the tool is listed but cannot be called here. */
  readonly implementation?: Implementation
}

export interface Publisher {
  /** A principal's id; `bundle` for a bundled tool; null for versions older than this field. */
  readonly principal: string | null
  /** Whether the version may get credentials: its publisher was trusted, or an administrator has trusted it since. */
  readonly trusted: boolean
}

export interface VersionEntry extends VersionStatus {
  readonly digest: string
  readonly publisher: Publisher
}

export interface ToolEntry extends ToolName {
  readonly versions: readonly VersionEntry[]
  readonly newest?: ToolRecord
  readonly toolkitDescription?: string
  /** The document no longer contains the tool: neither its bare name nor `latest` resolves to it. */
  readonly isRemovedFromDocument?: true
  readonly isDeleted?: true
}

/** Returns the title, or else the title in the annotations (MCP, `Tool`). Ignores empty titles. */
export function getDisplayTitle({ title, annotations }: Pick<Definition, 'title' | 'annotations'>): string | undefined {
  const displayTitle = [title, annotations?.title].find((text) => typeof text === 'string' && text !== '')
  return typeof displayTitle === 'string' ? displayTitle : undefined
}

/** Converts a schema to an object: true and false are schemas too. */
export function toObjectSchema(schema: JsonSchema): JsonObject {
  return schema === true ? {} : schema === false ? { not: {} } : schema
}

export const NO_REQUIREMENTS: Requirements = { authorization: [], secrets: [], user_id: false }

/** Leaves out kinds without requirements. */
export function omitEmptyRequirements<A>(
  authorization: readonly A[],
  {
    secrets,
    user_id,
    tokens = [],
  }: Pick<Requirements, 'secrets' | 'user_id'> & { readonly tokens?: Requirements['secrets'] },
) {
  return {
    ...(authorization.length > 0 ? { authorization } : {}),
    ...(tokens.length > 0 ? { tokens: tokens.map(({ id }) => ({ id })) } : {}),
    ...(secrets.length > 0 ? { secrets: secrets.map(({ id }) => ({ id })) } : {}),
    ...(user_id ? { user_id } : {}),
  }
}

export function deriveSecurityLevel(requirements: Requirements): number {
  const requiresCredentials =
    requirements.authorization.length > 0 || requirements.secrets.length > 0 || requirements.user_id
  return requiresCredentials ? 4 : 0
}

export function needsApproval(tool: Pick<ToolRecord, 'securityLevel' | 'requiresApproval'>): boolean {
  return tool.securityLevel >= 8 || tool.requiresApproval === true
}

export function isIdempotent({ annotations }: Pick<Definition, 'annotations'>): boolean {
  return annotations?.['idempotentHint'] === true || annotations?.['readOnlyHint'] === true
}

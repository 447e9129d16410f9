import type { Json, JsonObject } from '../tool/json.ts'

/**
 * Everything that a tool receives for one call, as shown to the person who approves it, and as hashed. These are types, since
 * interfaces are not assignable to JSON.
 */
export type InvocationSnapshot = {
  readonly principal: string
  readonly tool: string
  readonly digest: string
  readonly input: JsonObject
  readonly user?: string
  readonly user_info?: JsonObject
  readonly method?: string
  readonly answers?: { readonly responses: JsonObject; readonly state?: Json }
  readonly credentials: readonly CredentialSnapshot[]
  readonly files: readonly FileSnapshot[]
}

/** Tokens that the deployment renews and secrets that its operator may replace are identified by source, not by value. */
export type CredentialSnapshot = { readonly id: string; readonly kind: 'token' | 'secret' } & (
  | { readonly from: 'caller'; readonly hash: string }
  | { readonly from: 'deployment' }
  | { readonly from: 'grant'; readonly account: string }
)

export type FileSnapshot = {
  /** As the input names it. */
  readonly handle: string
  readonly filename?: string
  readonly content_type: string
  readonly size: number
  readonly sha256: string
}

import type { Json, JsonObject } from '../tool/json.ts'

/**
 * All that a tool is given for one call, as a person is shown it before they approve it, and as it is hashed. Types, since
 * interfaces are not taken for JSON.
 */
export type ShownInvocation = {
  readonly principal: string
  readonly tool: string
  readonly digest: string
  readonly input: JsonObject
  readonly user?: string
  readonly user_info?: JsonObject
  readonly method?: string
  readonly answers?: { readonly responses: JsonObject; readonly state?: Json }
  readonly credentials: readonly ShownCredential[]
  readonly files: readonly ShownFile[]
}

/** Tokens that the deployment renews, and secrets that its operator may replace, are known by whose they are. */
export type ShownCredential = { readonly id: string; readonly kind: 'token' | 'secret' } & (
  | { readonly from: 'caller'; readonly hash: string }
  | { readonly from: 'deployment' }
  | { readonly from: 'grant'; readonly account: string }
)

export type ShownFile = {
  /** As the input names it. */
  readonly handle: string
  readonly filename?: string
  readonly content_type: string
  readonly size: number
  readonly sha256: string
}

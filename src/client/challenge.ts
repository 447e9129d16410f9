/** What a person must do before a call can go on: consent to access, or approve this very call. */
export interface Challenge {
  /** The provider's id; `approval` where it is the call that is to be approved. */
  readonly id: string
  /** The page to show to the person. */
  readonly url: string
  /** Where can be seen what became of it; absent where the call names no user. */
  readonly checkUrl?: string
  /** What is asked for, in the provider's words. */
  readonly scopes?: readonly string[]
  /** Who is asked. */
  readonly user?: string
  /** When the link ends, as an ISO 8601 time. */
  readonly expiresAt?: string
}

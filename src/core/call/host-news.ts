/** What an isolate learned of a host that a toolkit's tools ask, since it told last. */
export interface HostNews {
  readonly toolkit: string
  /** `host` or `host:port`. */
  readonly host: string
  /** How often it was found not to answer, and so is not asked for a while. */
  readonly opened: number
  /** Requests that were not sent: as it does not answer, and as too many waited for it. */
  readonly failing: number
  readonly busy: number
  /** When it was last as it is now, in milliseconds since 1970. */
  readonly at: number
  /** Until when it is not asked; absent where it answers. */
  readonly openUntil?: number
}

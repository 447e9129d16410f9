/** How far a tool says that it is. */
export interface Progress {
  readonly progress: number
  /** The value of `progress` at the end, where the tool knows. */
  readonly total?: number
  readonly message?: string
}

/** The most characters of a message that goes with progress. */
const MAX_MESSAGE = 1_000

/** So many reports are told one by one; of ten times as many every tenth, of a hundred times as many every hundredth, and so on. */
const MAX_EACH = 1_000

/**
 * Makes what passes a tool's progress on to its caller. "The progress value MUST increase with each notification" (MCP,
 * "Progress"), so what does not is dropped; so is whatever comes when the run is over, since a tool may keep the function.
 * Messages are given without credentials, as `hide` takes them out, and no longer than a line; and of a tool that reports on and
 * on ever fewer are, since somebody's page may show each.
 */
export function createProgress(tell: (progress: Progress) => void, hide: (text: string) => string) {
  let last = -Infinity
  let count = 0
  let every = 1
  return {
    report(progress: number, total?: number, message?: string): void {
      if (!Number.isFinite(progress) || progress <= last) return
      last = progress
      if (++count > MAX_EACH * every) every *= 10
      if (count % every !== 0) return
      tell({
        progress,
        ...(total === undefined || !Number.isFinite(total) ? {} : { total }),
        // Redacted before it is cut, since half a secret would not be recognised
        ...(message === undefined ? {} : { message: hide(message).slice(0, MAX_MESSAGE) }),
      })
    },
    end(): void {
      last = Infinity
    },
  }
}

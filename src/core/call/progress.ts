export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

const MAX_MESSAGE = 1_000

const MAX_EACH = 1_000

/** Drops progress that does not increase (MCP, "Progress"), and all after the end: a tool may keep the function. */
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

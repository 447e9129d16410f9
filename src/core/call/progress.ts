export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

const MAX_MESSAGE = 1_000
/** In characters: to look for credentials in megabytes at each report would hold everybody. */
const MAX_READ = 64 * 1024

const MAX_EACH = 1_000

/** Drops progress that does not increase (MCP, "Progress"), and all after the end: a tool may keep the function. */
export function createProgressReporter(tell: (progress: Progress) => void, hide: (text: string) => string) {
  let last = -Infinity
  let count = 0
  let every = 1
  /** Redacted before it is cut, since half a secret would not be recognized: one may stand at the end of what was read. */
  function toShownMessage(message: string): string | undefined {
    const read = message.slice(0, MAX_READ)
    const hidden = hide(read)
    return read.length < message.length && hidden.length < MAX_READ / 2 ? undefined : hidden.slice(0, MAX_MESSAGE)
  }
  return {
    report(progress: number, total?: number, message?: string): void {
      if (!Number.isFinite(progress) || progress <= last) return
      last = progress
      if (++count > MAX_EACH * every) every *= 10
      if (count % every !== 0) return
      const text = message === undefined ? undefined : toShownMessage(message)
      tell({
        progress,
        ...(total === undefined || !Number.isFinite(total) ? {} : { total }),
        ...(text === undefined ? {} : { message: text }),
      })
    },
    end(): void {
      last = Infinity
    },
  }
}

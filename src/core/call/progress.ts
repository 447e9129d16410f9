export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

const MAX_MESSAGE = 1_000
/** In characters, since searching megabytes for credentials on every report would delay all requests. */
const MAX_READ = 64 * 1024

const MAX_EACH = 1_000

/** Drops progress that does not increase (MCP, "Progress") or comes after the end, since a tool may keep the function. */
export function createProgressReporter(tell: (progress: Progress) => void, hide: (text: string) => string) {
  let last = -Infinity
  let count = 0
  let every = 1
  /** Redacts before cutting, since half a secret would not be recognized, as at the end of the part that was read. */
  function toShownMessage(message: string): string | undefined {
    const read = message.slice(0, MAX_READ)
    const redactedProgress = hide(read)
    return read.length < message.length && redactedProgress.length < MAX_READ / 2
      ? undefined
      : redactedProgress.slice(0, MAX_MESSAGE)
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

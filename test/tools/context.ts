import type { ToolContext } from '../../src/core/tool/define-tool.ts'
import type { InputResponses } from '../../src/core/tool/content.ts'

/** A request that a tool made. */
export interface Made {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: string
}

/** A context made by hand for a tool's handler. It notes what the tool requests, reports and logs, and `answer` is its network. */
export function contextFor(
  given: {
    readonly secrets?: Readonly<Record<string, string>>
    readonly tokens?: Readonly<Record<string, string>>
    readonly userId?: string
    readonly answers?: InputResponses
    readonly answer?: (request: Made) => Response
  } = {},
) {
  const made: Made[] = []
  const logged: string[] = []
  const reported: unknown[][] = []
  const context: ToolContext = {
    secrets: given.secrets ?? {},
    token(provider) {
      const token = given.tokens?.[provider]
      if (token === undefined) throw new Error(`No token for '${provider}'`)
      return token
    },
    userId: given.userId,
    signal: new AbortController().signal,
    async fetch(input, init) {
      const request = new Request(String(input), init as RequestInit)
      const { method, headers } = request
      const seen = { url: new URL(request.url), method, headers, body: await request.text() }
      made.push(seen)
      if (!given.answer) throw new TypeError('This tool has no network in this test')
      return given.answer(seen)
    },
    log: (message) => void logged.push(message),
    progress: (...said) => void reported.push(said),
    answers: given.answers,
  }
  return { context, made, logged, reported }
}

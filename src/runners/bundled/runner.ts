import { type Asked, type BundledTool, more, type Shown, type ToolContext } from '../../core/tool/bundled-tool.ts'
import { isObject } from '../../core/tool/json.ts'
import type { Fetch } from '../../core/tool/platform.ts'
import { DEFAULT_TIMEOUT_MS, type RunContext, type Runner, type RunResult } from '../../core/call/runner.ts'
import type { ToolFailure } from '../../core/tool/tool-failure.ts'
import { redacting, sensitiveValues } from '../../outbound/redaction.ts'
import { createRenewingTokens } from '../../outbound/renewing-fetch.ts'

/** A tool of the bundle with the digest of the record it was built for. */
export interface Carried {
  readonly digest: string
  readonly tool: Pick<BundledTool, 'handler' | 'timeoutMs'>
}

export interface BundledRunnerOptions {
  /** By id. */
  readonly carried: ReadonlyMap<string, Carried>
  readonly fetch: Fetch
  /** Writes a line of a tool's, redacted, to the log. */
  readonly log: (callId: string, message: string) => void
}

/** The longest line a tool can log, in characters. */
const MAX_LINE = 1_000

/** Runs the functions under `tools/`, in process, with no more than each declared. */
export function createBundledRunner(options: BundledRunnerOptions): Runner {
  const { carried } = options
  return {
    kind: 'bundled',
    check: () => [{ path: '/kind', message: "'bundled' tools come with a deployment and cannot be published" }],
    prepare(record) {
      const found = carried.get(record.id)
      if (!found || found.digest !== record.digest) return { ok: false, reason: 'This deployment does not carry it' }
      const { tool } = found
      return {
        ok: true,
        timeoutMs: tool.timeoutMs ?? DEFAULT_TIMEOUT_MS,
        run(input, context) {
          const result = tool.handler(input, toolContext(context, options))
          return result instanceof Promise ? result.then(asResult) : asResult(result)
        },
      }
    },
  }
}

function asResult(result: unknown): RunResult {
  if (typeof result !== 'object' || result === null) return { ok: true, value: result }
  if (isMore(result)) {
    const said = result[more]
    return 'asks' in said ? { ok: false, asks: said.asks } : { ok: true, ...said }
  }
  return isFailed(result) ? { ok: false, failure: result.failed } : { ok: true, value: result }
}

function isMore(result: object): result is Shown<unknown> | Asked {
  return more in result
}

function isFailed(result: unknown): result is { readonly failed: ToolFailure } {
  return isObject(result) && isObject(result.failed) && typeof result.failed.message === 'string'
}

function toolContext(context: RunContext, { fetch, log }: BundledRunnerOptions): ToolContext {
  const renewing = context.renew && createRenewingTokens(context.tokens, context.renew, fetch)
  // Made anew for each text, since tokens may have been renewed in between
  const redact = (text: string) =>
    redacting(() => [...sensitiveValues(context), ...(renewing?.all.map(({ token }) => token) ?? [])])(text)
  return {
    get secrets() {
      return Object.fromEntries([...context.secrets].map(([id, { value }]) => [id, value]))
    },
    token(provider) {
      const token = context.tokens.get(provider)
      if (!token) throw new Error(`Cannot give a token for '${provider}': the tool does not declare it`)
      return renewing?.current.get(provider) ?? token.value
    },
    userId: context.userId,
    userInfo: context.userInfo,
    get signal() {
      return context.signal
    },
    fetch: renewing?.fetch ?? fetch,
    log(message) {
      const line = redact(message).slice(0, MAX_LINE)
      log(context.callId, line)
      context.log?.(line)
    },
    progress(progress, total, message) {
      const { progress: report } = context
      report?.(progress, total, message === undefined ? undefined : redact(message))
    },
    answers: context.answers,
  }
}

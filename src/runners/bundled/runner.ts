import { type InputRequired, type BundledTool, extras, type OutputWithContent } from '../../core/tool/define-tool.ts'
import type { ToolContext } from '../../core/tool/define-tool.ts'
import { isObject } from '../../core/tool/json.ts'
import type { Fetch } from '../../core/tool/platform.ts'
import { type Invocation, sensitiveValues } from '../../core/call/invocation.ts'
import { DEFAULT_TIMEOUT_MS, type RunContext, type Runner, type RunResult } from '../../core/call/runner.ts'
import type { ToolFailure } from '../../core/tool/content.ts'
import { createLazyRedact } from '../../outbound/redaction.ts'
import { createRenewingTokens } from '../../outbound/renewing-fetch.ts'
import type { ToolInitiator } from '../../outbound/traffic-control.ts'

export interface BundledHandler {
  readonly digest: string
  readonly tool: Pick<BundledTool, 'handler' | 'hosts' | 'timeoutMs' | 'isDemo' | 'page'>
}

interface BundledRunnerOptions {
  readonly bundledHandlers: ReadonlyMap<string, BundledHandler>
  readonly fetchFor: (tool: Omit<ToolInitiator, 'signal'>) => Fetch
  readonly log: (callId: string, message: string) => void
}

const MAX_LINE = 1_000

export function createBundledRunner({ bundledHandlers, fetchFor, log }: BundledRunnerOptions): Runner {
  return {
    kind: 'bundled',
    check: () => [{ path: '/kind', message: "'bundled' tools come with a deployment and cannot be published" }],
    prepare(record) {
      const handler = bundledHandlers.get(record.id)
      if (!handler || handler.digest !== record.digest)
        return { ok: false, reason: 'This deployment does not carry it' }
      const { tool } = handler
      const { timeoutMs = DEFAULT_TIMEOUT_MS } = tool
      // The consent page shows where a person's access is sent, so without declared hosts it is sent nowhere
      const hosts = tool.hosts ?? (record.requirements.authorization.length > 0 ? [] : undefined)
      const initiator = { toolkit: record.toolkit, timeoutMs, hosts }
      const { page } = tool
      return {
        ok: true,
        timeoutMs,
        ...(hosts ? { hosts } : {}),
        ...(page ? { read: () => toPageResult(page) } : {}),
        run(invocation, context) {
          const fetch: Fetch = (url, init) => fetchFor({ ...initiator, caller: context.principal })(url, init)
          const result = tool.handler(invocation.input, toolContext(invocation, context, fetch, log))
          return result instanceof Promise ? result.then(asResult) : asResult(result)
        },
      }
    },
  }
}

function toPageResult({ html: text, ...ui }: NonNullable<BundledTool['page']>): RunResult {
  return { ok: true, value: { contents: [{ mimeType: 'text/html', text, _meta: { ui } }] } }
}

function asResult(result: unknown): RunResult {
  if (typeof result !== 'object' || result === null) return { ok: true, value: result }
  if (hasExtras(result)) {
    const extra = result[extras]
    return 'inputRequests' in extra ? { ok: false, asks: extra.inputRequests } : { ok: true, ...extra }
  }
  return isFailed(result) ? { ok: false, failure: result.failed } : { ok: true, value: result }
}

function hasExtras(result: object): result is OutputWithContent<unknown> | InputRequired {
  return extras in result
}

function isFailed(result: unknown): result is { readonly failed: ToolFailure } {
  return isObject(result) && isObject(result.failed) && typeof result.failed.message === 'string'
}

function withCallSignal(context: RunContext, fetch: Fetch): Fetch {
  return (input, init) => {
    const requestSignal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    const { signal } = context.deadline
    return fetch(input, { ...init, signal: requestSignal ? AbortSignal.any([requestSignal, signal]) : signal })
  }
}

function toolContext(
  invocation: Invocation,
  context: RunContext,
  fetch: Fetch,
  log: BundledRunnerOptions['log'],
): ToolContext {
  const { tokens, userId, userInfo, answers } = invocation
  const renewing = context.renew && createRenewingTokens(tokens, context.renew, fetch)
  const secrets = [...invocation.secrets].map(([id, { value }]) => [id, value] as const)
  return Object.assign(new DeadlineSignal(context), {
    secrets: Object.fromEntries(secrets),
    token(provider: string) {
      const token = tokens.get(provider)
      if (!token) throw new Error(`Cannot give a token for '${provider}': the tool does not declare it`)
      return renewing?.current.get(provider) ?? token.value
    },
    userId,
    userInfo,
    fetch: withCallSignal(context, renewing?.fetch ?? fetch),
    log(message: string) {
      const renewedTokens = (renewing?.usedTokens ?? []).map(({ token }) => token)
      const line = createLazyRedact(() => [...sensitiveValues(invocation), ...renewedTokens])(message).slice(
        0,
        MAX_LINE,
      )
      log(context.callId, line)
      context.log?.(line)
    },
    progress(progress: number, total?: number, message?: string) {
      context.progress?.(progress, total, message)
    },
    answers,
  })
}

/** A getter in an object literal would create a V8 hidden class per call, which only a full garbage collection frees. */
class DeadlineSignal {
  readonly #deadline: RunContext['deadline']

  constructor({ deadline }: RunContext) {
    this.#deadline = deadline
  }

  get signal(): AbortSignal {
    return this.#deadline.signal
  }
}

import { isJsonObject, type JsonObject } from '../tool/json.ts'
import type { Span } from '../tool/platform.ts'
import { isIdempotent, type ToolRecord } from '../tool/tool.ts'
import { type Deadline, type EarlyEnd, endedEarly } from './deadline.ts'
import { type Failing, fail } from '../failure/failure.ts'
import { createProgress, type Progress } from './progress.ts'
import { createRedactor, type Redactor } from './redact.ts'
import { createRenewals } from './renewal.ts'
import { accountOf, type CallerContext, type MetRequirements, type UserTokens } from './requirements.ts'
import type { Runnable, RunContext, RunResult, ToolResult } from './runner.ts'

export interface RunOptions {
  readonly callId: string
  readonly record: ToolRecord
  readonly runnable: Extract<Runnable, { readonly ok: true }>
  readonly input: JsonObject
  readonly userId: string | undefined
  readonly context: CallerContext
  readonly met: MetRequirements
  readonly files?: RunContext['files']
  readonly deadline: Deadline
  readonly caller: RunCaller
  readonly answered?: RunContext['answered']
}

export interface RunCaller extends Pick<RunContext, 'traceparent' | 'method' | 'log' | 'answers' | 'background'> {
  readonly progress?: ((progress: Progress) => void) | undefined
  readonly reachedAt: () => string
}

export interface RunDeps {
  readonly userTokens: UserTokens
  readonly base64: (text: string) => string
  readonly span: Span
  readonly defect: (callId: string, tool: string, message: string, place?: string) => void
}

export interface Ran {
  readonly ok: true
  readonly result: ToolResult
  readonly redactor: Redactor | undefined
}

/** At once where the tool ends at once. */
export function runTool(options: RunOptions, deps: RunDeps): Ran | Failing | Promise<Ran | Failing> {
  const { callId, record, runnable, input, userId, context: given, met, caller } = options
  const renewals =
    met.tokens.size === 0 || userId === undefined
      ? undefined
      : createRenewals(record, met.tokens, {
          userId,
          asked: { hosts: runnable.hosts ?? [], ...accountOf(given), reachedAt: caller.reachedAt },
          userTokens: deps.userTokens,
          defect: (error) => deps.defect(callId, record.id, messageOf(error)),
        })
  const credentials = () => [
    ...[...met.secrets.values(), ...met.tokens.values()].map(({ value }) => value),
    ...(renewals?.given ?? []),
  ]
  const progress = caller.progress && createProgress(caller.progress, hiding(credentials, deps.base64))
  const userInfo = given.values?.user_info
  const context: RunContext = {
    callId,
    secrets: met.secrets,
    tokens: met.tokens,
    renew: renewals?.renew,
    userId,
    userInfo: isJsonObject(userInfo) ? userInfo : undefined,
    traceparent: caller.traceparent,
    method: caller.method,
    progress: progress?.report,
    log: caller.log,
    answers: caller.answers,
    files: options.files,
    background: caller.background,
    answered: options.answered,
    get signal() {
      return options.deadline.signal
    },
  }

  function end(ran: RunResult | EarlyEnd | { readonly thrown: unknown }): Ran | Failing {
    progress?.end()
    const { timeoutMs } = runnable
    if (ran === 'cancelled') return endedEarly(ran, timeoutMs, runsOnceOnly(options))
    const succeeded = typeof ran === 'object' && 'ok' in ran && (ran.ok || 'asks' in ran)
    const refusal = succeeded ? undefined : renewals?.failure()
    if (refusal) return fail(refusal)
    if (ran === 'expired') return endedEarly(ran, timeoutMs, runsOnceOnly(options))
    if ('expired_ms' in ran) return endedEarly('expired', ran.expired_ms, runsOnceOnly(options))
    const redactor = met.secrets.size + met.tokens.size > 0 ? createRedactor(credentials(), deps.base64) : undefined
    if (!('thrown' in ran)) return { ok: true, result: ran, redactor }
    const message = messageOf(ran.thrown)
    const safe = redactor?.text(message) ?? message
    const place = placeOf(ran.thrown)
    deps.defect(callId, record.id, safe, place && (redactor?.text(place) ?? place))
    const failed = `The tool '${record.id}' failed unexpectedly`
    return fail({ type: 'tool-failed', message: failed, developer_message: safe })
  }

  const run = () => runnable.run(input, context)
  let running: RunResult | Promise<RunResult>
  try {
    running = runnable.hosts ? deps.span('run', { tool: record.id, call_id: callId }, run) : run()
  } catch (thrown) {
    return end({ thrown })
  }
  if (!(running instanceof Promise)) return end(running)
  return Promise.resolve(options.deadline.race(running)).then(end, (thrown: unknown) => end({ thrown }))
}

function hiding(credentials: () => readonly string[], base64: RunDeps['base64']): (text: string) => string {
  let known = 0
  let redactor: Redactor | undefined
  return (text) => {
    const all = credentials()
    if (all.length !== known) redactor = createRedactor(all, base64)
    known = all.length
    return redactor?.text(text) ?? text
  }
}

function runsOnceOnly({ runnable, record }: Pick<RunOptions, 'runnable' | 'record'>): boolean {
  return runnable.isRepeatable !== true && !isIdempotent(record)
}

function placeOf(error: unknown): string | undefined {
  return error instanceof Error ? /^\s*at (.{1,300})$/m.exec(error.stack ?? '')?.[1] : undefined
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

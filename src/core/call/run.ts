import { type Principal, shareOwner } from '../access/principal.ts'
import type { Validate } from '../schema/validator.ts'
import { contentText } from '../tool/content.ts'
import { jsonSize } from '../tool/json.ts'
import type { Meter } from '../tool/budget.ts'
import type { Signal, Span } from '../tool/platform.ts'
import { isIdempotent, type ToolRecord } from '../tool/tool.ts'
import { type Deadline, type EarlyEnd, endedEarly } from './deadline.ts'
import { type Failing, fail, type Result } from '../failure/failure.ts'
import { createProgress, type Progress } from './progress.ts'
import { createRedactor, type Redactor } from './redact.ts'
import { createRenewals } from './renewal.ts'
import { type Invocation, sensitiveValues } from './invocation.ts'
import type { UserTokens } from './requirements.ts'
import type { Runnable, RunContext, RunResult, Success, ToolResult } from './runner.ts'

export interface RunOptions extends Pick<RunContext, 'traceId' | 'onceId'> {
  readonly callId: string
  readonly record: ToolRecord
  readonly runnable: Extract<Runnable, { readonly ok: true }>
  readonly invocation: Invocation
  readonly deadline: () => Deadline
  readonly caller: RunCaller
  readonly answered?: RunContext['answered']
  readonly atEnd?: RunContext['atEnd']
}

export interface RunCaller extends Pick<RunContext, 'traceparent' | 'log' | 'background' | 'meter'> {
  readonly progress?: ((progress: Progress) => void) | undefined
  readonly principal: Principal
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

export function runTool(options: RunOptions, deps: RunDeps): Ran | Failing | Promise<Ran | Failing> {
  const { callId, record, runnable, invocation, caller } = options
  const { userId, secrets, tokens } = invocation
  const renewals =
    tokens.size === 0 || userId === undefined
      ? undefined
      : createRenewals(record, tokens, {
          userId,
          hosts: runnable.hosts ?? [],
          reachedAt: caller.reachedAt,
          chargedTo: shareOwner(caller.principal),
          userTokens: deps.userTokens,
          defect: (error) => deps.defect(callId, record.id, messageOf(error)),
        })
  const credentials = () => [...sensitiveValues(invocation), ...(renewals?.given ?? [])]
  const progress = caller.progress && createProgress(caller.progress, hiding(credentials, deps.base64))
  const context: RunContext = withSignal(() => options.deadline().signal, {
    callId,
    traceId: options.traceId,
    onceId: options.onceId,
    principal: caller.principal.id,
    renew: renewals?.renew,
    traceparent: caller.traceparent,
    progress: progress?.report,
    log: caller.log,
    background: caller.background,
    answered: options.answered,
    atEnd: options.atEnd,
    meter: caller.meter,
  })

  function end(ran: RunResult | EarlyEnd | { readonly thrown: unknown }): Ran | Failing {
    progress?.end()
    const { timeoutMs } = runnable
    if (ran === 'cancelled') return endedEarly(ran, timeoutMs, runsOnceOnly(options))
    const succeeded = typeof ran === 'object' && 'ok' in ran && (ran.ok || 'asks' in ran)
    const refusal = succeeded ? undefined : renewals?.failure()
    if (refusal) return fail(refusal)
    if (ran === 'expired') return endedEarly(ran, timeoutMs, runsOnceOnly(options))
    if ('expired_ms' in ran) return endedEarly('expired', ran.expired_ms, runsOnceOnly(options))
    const redactor = secrets.size + tokens.size > 0 ? createRedactor(credentials(), deps.base64) : undefined
    if (!('thrown' in ran)) return { ok: true, result: ran, redactor }
    const message = messageOf(ran.thrown)
    const safe = redactor?.text(message) ?? message
    const place = placeOf(ran.thrown)
    deps.defect(callId, record.id, safe, place && (redactor?.text(place) ?? place))
    const failed = `The tool '${record.id}' failed unexpectedly`
    return fail({ type: 'tool-failed', message: failed, developer_message: safe })
  }

  const run = () => runnable.run(invocation, context)
  let running: RunResult | Promise<RunResult>
  try {
    running = runnable.hosts ? deps.span('run', { tool: record.id, call_id: callId }, run) : run()
  } catch (thrown) {
    return end({ thrown })
  }
  if (!(running instanceof Promise)) return end(running)
  return Promise.resolve(options.deadline().race(running)).then(end, (thrown: unknown) => end({ thrown }))
}

class LazySignal {
  readonly #signalOf: () => Signal

  constructor(signalOf: () => Signal) {
    this.#signalOf = signalOf
  }

  get signal(): Signal {
    return this.#signalOf()
  }
}

/** Few tools look at their signal, and making one costs. As a getter of a literal it would cost a microsecond a call. */
export function withSignal<T extends object>(signalOf: () => Signal, fields: T): T & { readonly signal: Signal } {
  return Object.assign(new LazySignal(signalOf), fields)
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
  return error instanceof Error ? /^ {4}at (.{1,300})$/m.exec(error.stack ?? '')?.[1] : undefined
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export const NOT_JUDGED: Validate = () => []

/** In bytes of JSON. A model reads all that stands in an answer. */
export const INLINE_FOR_MODELS = 262_144

const MAX_OUTPUT_DEPTH = 500

export function checkOutput(
  result: ToolResult,
  validateOutput: Validate,
  redactor: Redactor | undefined,
  meter: Meter,
): Success | Failing {
  if ('asks' in result) {
    const { requests } = result.asks
    // Its state goes back to the tool, and is sealed on the way
    return fail({ ...result.asks, type: 'input-required', requests: redactor ? redactor.value(requests) : requests })
  }
  if ('missing' in result) return fail(redactor ? redactor.fields(result.missing) : result.missing)
  if (!result.ok) {
    const { failure } = result
    return fail({ ...(redactor ? redactor.fields(failure) : failure), type: 'tool-failed' })
  }
  const value = result.value === undefined ? null : result.value
  const unsayable = whyUnsayable(value, MAX_OUTPUT_DEPTH)
  if (unsayable !== undefined) return fail({ type: 'output-invalid', problems: [{ path: '', message: unsayable }] })
  const problems = validateOutput(value, meter)
  if (problems.length > 0) {
    // Paths hold property names, which the tool chose
    const safe = problems.map(({ path, message }) => ({ path: redactor?.text(path) ?? path, message }))
    return fail({ type: 'output-invalid', problems: safe })
  }
  const { content, artifact, usage } = result
  const safe = redactor ? redactor.value(value) : value
  if (!content && !artifact && !usage) return { ok: true, value: safe }
  const shown = { ...(content && { content }), ...(artifact && { artifact }) }
  return { ok: true, value: safe, ...(redactor ? redactor.fields(shown) : shown), ...(usage && { usage }) }
}

/** JSON writes infinite numbers as null, and validating, redacting and serialising recurse, so depth is bounded. */
function whyUnsayable(value: unknown, levels: number): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'Must not hold a number that is not finite'
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return `Must not nest deeper than ${MAX_OUTPUT_DEPTH} levels`
  if (Array.isArray(value)) {
    for (const each of value) {
      const reason = whyUnsayable(each, levels - 1)
      if (reason !== undefined) return reason
    }
    return undefined
  }
  // Listing what an object holds takes several times as long
  for (const key in value) {
    const reason = whyUnsayable(Reflect.get(value, key), levels - 1)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** Bytes of JSON that a character takes at most. */
const WIDEST = 6

export function fits({ value, content, artifact }: Success, most: number): boolean {
  const isShort = typeof value === 'string' ? WIDEST * (value.length + 1) <= most : typeof value !== 'object'
  if (isShort && !content && !artifact) return true
  let left = most - jsonSize(value, most)
  if (content && left >= 0) left -= jsonSize(content, left)
  if (artifact && left >= 0) left -= jsonSize(artifact, left)
  return left >= 0
}

export function heldValue({ value, content = [], artifact }: Pick<Success, 'value' | 'content' | 'artifact'>): unknown {
  if (value !== null && value !== undefined) return value
  if (artifact) return content.length === 0 ? { artifact } : { artifact, content }
  if (content.length === 0) return null
  return content.every(({ type }) => type === 'text') ? content.map(contentText).join('\n') : { content }
}

export function valueOf(success: Success): Result<unknown> {
  const { value, elsewhere } = success
  if (elsewhere && value === undefined) return fail({ type: 'output-elsewhere', artifact: elsewhere })
  return { ok: true, value: heldValue(success) }
}

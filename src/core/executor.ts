import { covers, denial, mayActFor, maySee, type Principal } from './access.ts'
import { type Failing, type Failure, fail } from './failure.ts'
import type { JsonObject } from './json.ts'
import type { Signal } from './platform.ts'
import { pointerSteps, type Problem } from './problem.ts'
import { createRedactor } from './redact.ts'
import { type CallerContext, type Grants, meetRequirements, type Met } from './requirements.ts'
import type { Background, CallableTool, Resolver } from './resolver.ts'
import type { RunContext, RunResult } from './runner.ts'
import type { ToolSecrets } from './secrets.ts'
import { parseToolId } from './tool-id.ts'
import type { ToolRecord } from './tool.ts'
import type { Validate } from './validation.ts'

/** Levels of objects and lists in a tool's output. */
const MAX_OUTPUT_DEPTH = 500
const MAX_SUGGESTIONS = 3

/** A call in no dialect's words. */
export interface Call {
  /** The tool's id as the caller wrote it. */
  readonly asked: string
  readonly callId?: string
  readonly traceId?: string
  readonly traceparent?: string
  readonly input: JsonObject
  readonly context: CallerContext
  /** A URL of this deployment as the caller reached it: links to it start with its origin. */
  readonly reachedAt: () => string
}

/** What a call came to. */
export interface Outcome {
  readonly callId: string
  readonly durationMs: number
  readonly result: { readonly ok: true; readonly value: unknown } | Failing
}

/** What is written down of a call: never inputs, outputs or secrets. */
export interface CallRecord {
  readonly call_id: string
  readonly trace_id?: string
  readonly traceparent?: string
  readonly principal: string
  readonly user_id?: string
  readonly tool: string
  readonly digest?: string
  readonly outcome: 'success' | Failure['type']
  readonly duration_ms: number
}

/** A call's time limit. Its timer and its signal come to be only when something asks for them. */
export interface Deadline {
  readonly signal: Signal
  /** Gives the work's result, or 'expired' or 'cancelled' when that comes first. */
  race<T>(work: Promise<T>): Promise<T | 'expired' | 'cancelled'>
}

export interface ExecutorDeps {
  readonly resolver: Resolver
  readonly toolSecrets: ToolSecrets
  readonly grants: Grants
  readonly now: () => number
  readonly newId: () => string
  readonly startDeadline: (timeoutMs: number, caller: () => Signal | undefined) => Deadline
  readonly base64: (text: string) => string
  readonly record: (record: CallRecord, background: Background) => void
  /** Told of a defect: an error that a tool threw, its text redacted, or one of ours. */
  readonly defect: (callId: string, tool: string, message: string) => void
}

export interface Executor {
  /** Never throws: whatever happens is an outcome. `caller` gives the signal that aborts when the caller goes away. */
  call(call: Call, principal: Principal, background: Background, caller: () => Signal | undefined): Promise<Outcome>
}

/** Executes calls: resolve, authorise, requirements, input, run, output, record (DESIGN, "Calls"). */
export function createExecutor(deps: ExecutorDeps): Executor {
  const { resolver, now, newId, record } = deps

  return {
    async call(call, principal, background, caller) {
      const callId = call.callId ?? newId()
      const started = now()
      let tool: ToolRecord | undefined
      let userId: string | undefined
      let result: Outcome['result']
      try {
        const hidden = hiddenFrom(principal, call.asked)
        const found = hidden ?? resolver.resolve(call.asked, background)
        const resolved = found instanceof Promise ? await found : found
        if (!resolved.ok) result = await visibleTo(principal, resolved, resolver, background)
        else {
          tool = resolved.tool.record
          userId = call.context.userId ?? onlyUser(principal)
          const context = userId === undefined ? call.context : { ...call.context, userId }
          result =
            denial(principal, tool) ??
            notForUser(principal, userId) ??
            (await execute(resolved.tool, { ...call, context, callId }, caller, deps))
        }
      } catch (error) {
        // Storage that cannot be reached, or a defect of ours: it is written down like any other call
        deps.defect(callId, tool?.id ?? call.asked.slice(0, 200), messageOf(error))
        result = fail({ type: 'internal', reference: callId })
      }
      const durationMs = now() - started
      const line: CallRecord = {
        call_id: callId,
        ...(call.traceId === undefined ? {} : { trace_id: call.traceId }),
        ...(call.traceparent === undefined ? {} : { traceparent: call.traceparent }),
        principal: principal.id,
        ...(userId === undefined ? {} : { user_id: userId }),
        tool: tool?.id ?? call.asked.slice(0, 200),
        ...(tool ? { digest: tool.digest } : {}),
        outcome: result.ok ? 'success' : result.failure.type,
        duration_ms: durationMs,
      }
      record(line, background)
      return { callId, durationMs, result }
    },
  }
}

async function execute(
  tool: CallableTool,
  call: Call & { readonly callId: string },
  caller: () => Signal | undefined,
  deps: ExecutorDeps,
): Promise<Outcome['result']> {
  const { record, prepared } = tool
  if (!prepared.ok) return fail({ type: 'tool-not-executable', id: record.id, reason: prepared.reason })
  const required = meetRequirements(record, call.context, call.reachedAt, deps)
  const met = required instanceof Promise ? await required : required
  if (!met.ok) return met
  const checked = checkInput(tool.validateInput, call.input, record)
  if (!checked.ok) return checked

  const deadline = deps.startDeadline(prepared.timeoutMs, caller)
  const redactor =
    met.secrets.size + met.tokens.size === 0 ? undefined : createRedactor([...valuesOf(met)], deps.base64)
  let ran: RunResult | 'expired' | 'cancelled'
  try {
    const running = prepared.run(checked.input, contextOf(call, met, deadline))
    ran = running instanceof Promise ? await deadline.race(running) : running
  } catch (error) {
    const message = messageOf(error)
    const safe = redactor?.text(message) ?? message
    deps.defect(call.callId, record.id, safe)
    return fail({
      type: 'tool-failed',
      message: `The tool '${record.id}' failed unexpectedly`,
      developer_message: safe,
    })
  }
  if (ran === 'expired') return fail({ type: 'tool-timed-out', timeout_ms: prepared.timeoutMs })
  if (ran === 'cancelled') return fail({ type: 'cancelled' })
  if (!ran.ok) {
    const failure: Failure = { type: 'tool-failed', ...ran.failure }
    if (!redactor) return fail(failure)
    const { message, developer_message, additional_prompt_content } = failure
    return fail({
      ...failure,
      message: redactor.text(message),
      ...(developer_message === undefined ? {} : { developer_message: redactor.text(developer_message) }),
      ...(additional_prompt_content === undefined
        ? {}
        : { additional_prompt_content: redactor.text(additional_prompt_content) }),
    })
  }
  // No output at all is null on every wire
  const value = ran.value === undefined ? null : ran.value
  const unsayable = whyUnsayable(value, MAX_OUTPUT_DEPTH)
  if (unsayable !== undefined) return fail({ type: 'output-invalid', problems: [{ path: '', message: unsayable }] })
  const problems = tool.validateOutput(value)
  if (problems.length > 0) {
    // Paths hold names of properties, which the tool chose
    const safe = problems.map(({ path, message }) => ({ path: redactor?.text(path) ?? path, message }))
    return fail({ type: 'output-invalid', problems: safe })
  }
  return { ok: true, value: redactor ? redactor.value(value) : value }
}

/**
 * Why a value cannot be answered with: JSON has no infinite numbers, and would say null instead; and to validate, redact
 * and serialise takes recursion, which ends somewhere.
 */
function whyUnsayable(value: unknown, levels: number): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'Must not hold a number that is not finite'
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return `Must not nest deeper than ${MAX_OUTPUT_DEPTH} levels`
  for (const each of Object.values(value)) {
    const reason = whyUnsayable(each, levels - 1)
    if (reason !== undefined) return reason
  }
  return undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What a call may use; its signal comes to be when the tool first looks at it. */
function contextOf(call: Call & { readonly callId: string }, met: Met, deadline: Deadline): RunContext {
  return {
    callId: call.callId,
    secrets: met.secrets,
    tokens: met.tokens,
    ...(call.context.userId === undefined ? {} : { userId: call.context.userId }),
    ...(call.traceparent === undefined ? {} : { traceparent: call.traceparent }),
    get signal() {
      return deadline.signal
    },
  }
}

/**
 * Validates an input. `null` for an optional parameter whose schema does not allow it counts as absent: models send it.
 */
function checkInput(
  validate: Validate,
  input: JsonObject,
  record: ToolRecord,
): { readonly ok: true; readonly input: JsonObject } | Failing {
  const problems = validate(input)
  if (problems.length === 0) return { ok: true, input }
  const required = Array.isArray(record.input.required) ? record.input.required : []
  const absent = new Set(
    problems
      .map(({ path }) => pointerSteps(path)?.[0])
      .filter((name) => name !== undefined && input[name] === null && !required.includes(name)),
  )
  if (absent.size === 0) return fail({ type: 'input-invalid', problems })
  const without = Object.fromEntries(Object.entries(input).filter(([name]) => !absent.has(name)))
  const remaining = validate(without)
  return remaining.length === 0 ? { ok: true, input: without } : fail({ type: 'input-invalid', problems: remaining })
}

/** Refuses a tool the principal's patterns do not cover, before it can be told from one that does not exist. */
function hiddenFrom(principal: Principal, asked: string): Failing | undefined {
  if (principal.tools.includes('*')) return undefined
  const name = parseToolId(asked)
  if (!name || covers(principal, name)) return undefined
  return fail({ type: 'forbidden', reason: `The credential does not cover '${name.toolkit}.${name.tool}'` })
}

/** A failure to resolve, with only such suggestions as the principal may see in lists. */
async function visibleTo(
  principal: Principal,
  failing: Failing,
  resolver: Resolver,
  background: Background,
): Promise<Failing> {
  const { failure } = failing
  if (failure.type !== 'tool-unknown') return failing
  const suggestions: string[] = []
  for (const id of failure.suggestions) {
    if (suggestions.length === MAX_SUGGESTIONS) break
    const name = parseToolId(id)
    if (!name || !covers(principal, name)) continue
    const resolved = principal.kind === 'anonymous' ? await resolver.resolve(id, background) : undefined
    if (!resolved || (resolved.ok && maySee(principal, resolved.tool.record))) suggestions.push(id)
  }
  return fail({ ...failure, suggestions })
}

function notForUser(principal: Principal, userId: string | undefined): Failing | undefined {
  if (userId === undefined || mayActFor(principal, userId)) return undefined
  return fail({ type: 'forbidden', reason: 'The credential may not act for this user' })
}

function onlyUser(principal: Principal): string | undefined {
  return principal.users !== 'any' && principal.users.length === 1 ? principal.users[0] : undefined
}

function* valuesOf({ secrets, tokens }: Met): Iterable<string> {
  for (const { value } of secrets.values()) yield value
  for (const { value } of tokens.values()) yield value
}

/** The problems of an input by parameter: the first step of each path, and what is wrong there. */
export function problemsByParameter(problems: readonly Problem[]): Record<string, string> {
  const byParameter = new Map<string, string[]>()
  for (const { path, message } of problems) {
    const [name = '', ...inner] = pointerSteps(path) ?? []
    const where = inner.length > 0 ? `At '${inner.join('.')}': ${message}` : message
    byParameter.set(name, [...(byParameter.get(name) ?? []), where])
  }
  return Object.fromEntries([...byParameter].map(([name, messages]) => [name, messages.join('; ')]))
}

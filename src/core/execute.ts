import type { Call, Caller, Success } from './call.ts'
import { type Failing, type Failure, fail } from './failure.ts'
import type { JsonObject } from './json.ts'
import type { Signal } from './platform.ts'
import { pointerSteps } from './problem.ts'
import { createRedactor } from './redact.ts'
import { type Grants, meetRequirements, type Met } from './requirements.ts'
import type { CallableTool } from './resolver.ts'
import type { RunContext, RunResult } from './runner.ts'
import type { ToolSecrets } from './secrets.ts'
import type { ToolRecord } from './tool.ts'
import type { Validate } from './validation.ts'

/** Levels of objects and lists in a tool's output. */
const MAX_OUTPUT_DEPTH = 500

/** A call's time limit. Its timer and its signal come to be only when something asks for them. */
export interface Deadline {
  readonly signal: Signal
  /** Gives the work's result, or 'expired' or 'cancelled' when that comes first. */
  race<T>(work: Promise<T>): Promise<T | 'expired' | 'cancelled'>
}

export interface ExecuteDeps {
  readonly toolSecrets: ToolSecrets
  readonly grants: Grants
  readonly startDeadline: (timeoutMs: number, caller: () => Signal | undefined) => Deadline
  readonly base64: (text: string) => string
  /** Told of a defect: an error that a tool threw, its text redacted, or one of ours. */
  readonly defect: (callId: string, tool: string, message: string) => void
}

/**
 * Executes a tool that its caller may call: requirements, input, run within the deadline, output. What comes out holds no
 * secret the tool was given.
 */
export async function execute(
  tool: CallableTool,
  call: Call & { readonly callId: string },
  caller: Caller,
  deps: ExecuteDeps,
): Promise<Success | Failing> {
  const { record, prepared } = tool
  if (!prepared.ok) return fail({ type: 'tool-not-executable', id: record.id, reason: prepared.reason })
  const required = meetRequirements(record, call.context, caller.reachedAt, deps)
  const met = required instanceof Promise ? await required : required
  if (!met.ok) return met
  const checked = checkInput(tool.validateInput, call.input, record)
  if (!checked.ok) return checked

  const deadline = deps.startDeadline(prepared.timeoutMs, caller.signal)
  const redactor =
    met.secrets.size + met.tokens.size === 0 ? undefined : createRedactor([...valuesOf(met)], deps.base64)
  let ran: RunResult | 'expired' | 'cancelled'
  try {
    const running = prepared.run(checked.input, contextOf(call, caller, met, deadline))
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
  if ('asks' in ran) return fail({ type: 'input-required', ...ran.asks })
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
  const { content, artifact } = ran
  return {
    ok: true,
    value: redactor ? redactor.value(value) : value,
    ...(content ? { content: redactor ? redactor.value(content) : content } : {}),
    ...(artifact ? { artifact: redactor ? redactor.value(artifact) : artifact } : {}),
  }
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

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What a call may use; its signal comes to be when the tool first looks at it. */
function contextOf(call: Call & { readonly callId: string }, caller: Caller, met: Met, deadline: Deadline): RunContext {
  return {
    callId: call.callId,
    secrets: met.secrets,
    tokens: met.tokens,
    ...(call.context.userId === undefined ? {} : { userId: call.context.userId }),
    ...(caller.traceparent === undefined ? {} : { traceparent: caller.traceparent }),
    ...(caller.progress ? { progress: caller.progress } : {}),
    ...(caller.log ? { log: caller.log } : {}),
    ...(caller.answers ? { answers: caller.answers } : {}),
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

function* valuesOf({ secrets, tokens }: Met): Iterable<string> {
  for (const { value } of secrets.values()) yield value
  for (const { value } of tokens.values()) yield value
}

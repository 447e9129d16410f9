import { needsApproval } from '../access/principal.ts'
import type { Approvals } from '../consent/approvals.ts'
import type { Call, Caller, Success } from './call.ts'
import { type Failing, fail } from './failure.ts'
import type { JsonObject } from '../tool/json.ts'
import { concluded } from './output.ts'
import type { Signal } from '../tool/platform.ts'
import { pointerSteps } from '../tool/problem.ts'
import { createRedactor } from './redact.ts'
import { createRenewals, type Renewals } from './renewal.ts'
import { type RequiredToken, type UserTokens, meetRequirements, type Met } from './requirements.ts'
import type { CallableTool } from './resolve.ts'
import type { RunContext, RunResult } from './runner.ts'
import type { ToolSecrets } from '../access/tool-secrets.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { Validate } from '../schema/validation.ts'

/** A call's time limit. Its timer and its signal come to be only when something asks for them. */
export interface Deadline {
  readonly signal: Signal
  /** Gives the work's result, or 'expired' or 'cancelled' when that comes first. */
  race<T>(work: Promise<T>): Promise<T | 'expired' | 'cancelled'>
}

export interface ExecuteDeps {
  readonly toolSecrets: ToolSecrets
  readonly userTokens: UserTokens
  readonly approvals: Approvals
  readonly startDeadline: (timeoutMs: number, caller: () => Signal | undefined) => Deadline
  readonly base64: (text: string) => string
  /** Told of a defect: an error that a tool threw, its text redacted, or one of ours. */
  readonly defect: (callId: string, tool: string, message: string) => void
}

const NO_VALUES: readonly string[] = []

/** What has come of a call before its tool runs. */
interface Ready {
  readonly ok: true
  readonly met: Met
  readonly input: JsonObject
}

/**
 * Executes a tool that its caller may call: requirements, input, a person's approval, run within the deadline, output.
 * What comes out holds no secret the tool was given.
 */
export async function execute(
  tool: CallableTool,
  call: Call & { readonly callId: string },
  caller: Caller,
  deps: ExecuteDeps,
): Promise<Success | Failing> {
  const { record, runnable } = tool
  if (!runnable.ok) return fail({ type: 'tool-not-executable', id: record.id, reason: runnable.reason })
  const deadline = deps.startDeadline(runnable.timeoutMs, caller.signal)
  const readying = makeReady(tool, call, caller, deps)
  // Only a provider or a person can keep a call waiting here
  const ready = readying instanceof Promise ? await deadline.race(readying) : readying
  if (typeof ready === 'string') return ended(ready, runnable.timeoutMs)
  if (!ready.ok) return ready
  const { met, input } = ready

  const renewals = renewalsOf(record, call, caller, met, deps)
  const given = met.secrets.size + met.tokens.size === 0 ? NO_VALUES : [...valuesOf(met)]
  let redactor = given.length === 0 ? undefined : createRedactor(given, deps.base64)
  let ran: RunResult | 'expired' | 'cancelled' | { readonly thrown: unknown }
  try {
    const running = runnable.run(input, contextOf(call, caller, met, deadline, renewals))
    ran = running instanceof Promise ? await deadline.race(running) : running
  } catch (error) {
    ran = { thrown: error }
  }
  if (renewals && renewals.given.length > 0) redactor = createRedactor([...given, ...renewals.given], deps.base64)
  if (ran === 'cancelled') return ended(ran, runnable.timeoutMs)
  const succeeded = typeof ran === 'object' && 'ok' in ran && (ran.ok || 'asks' in ran)
  const refused = succeeded ? undefined : renewals?.failure()
  if (refused) return fail(refused)
  if (typeof ran === 'string') return ended(ran, runnable.timeoutMs)
  if ('thrown' in ran) {
    const message = messageOf(ran.thrown)
    const safe = redactor?.text(message) ?? message
    deps.defect(call.callId, record.id, safe)
    return fail({
      type: 'tool-failed',
      message: `The tool '${record.id}' failed unexpectedly`,
      developer_message: safe,
    })
  }
  return concluded(ran, tool.validateOutput, redactor)
}

/** Requirements, input and approval. A person is asked to approve only what can then be run. */
function makeReady(
  tool: CallableTool,
  call: Call,
  caller: Caller,
  deps: ExecuteDeps,
): Ready | Failing | Promise<Ready | Failing> {
  const { record } = tool
  const required = meetRequirements(record, call.context, caller.reachedAt, deps)
  const goOn = (met: Awaited<typeof required>): Ready | Failing | Promise<Ready | Failing> => {
    if (!met.ok) return met
    const checked = checkInput(tool.validateInput, call.input, record)
    if (!checked.ok) return checked
    const ready: Ready = { ok: true, met, input: checked.input }
    return needsApproval(record) ? approved(ready, record, call, caller, deps.approvals) : ready
  }
  return required instanceof Promise ? required.then(goOn) : goOn(required)
}

async function approved(
  ready: Ready,
  tool: ToolRecord,
  call: Call,
  { principal, reachedAt }: Caller,
  approvals: Approvals,
): Promise<Ready | Failing> {
  const { userId } = call.context
  const claimed = await approvals.claim({
    principal: principal.id,
    ...(userId === undefined ? {} : { userId }),
    tool,
    input: ready.input,
    reachedAt,
  })
  if ('approved' in claimed) return ready
  const { challenge, reason } = claimed
  return fail({ type: 'approval-required', id: tool.id, reason, challenge })
}

function ended(how: 'expired' | 'cancelled', timeoutMs: number): Failing {
  return fail(how === 'expired' ? { type: 'tool-timed-out', timeout_ms: timeoutMs } : { type: 'cancelled' })
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Renewals of the tokens that come from the deployment; undefined when none does. */
function renewalsOf(
  record: ToolRecord,
  call: Call & { readonly callId: string },
  { reachedAt }: Caller,
  { tokens }: Met,
  { userTokens, defect }: ExecuteDeps,
): Renewals | undefined {
  const { userId } = call.context
  if (tokens.size === 0 || userId === undefined) return undefined
  if (![...tokens.values()].some(({ from }) => from === 'deployment')) return undefined
  return createRenewals(record, tokens, {
    asking(provider): RequiredToken | undefined {
      const requirement = record.requirements.authorization.find(({ id }) => id === provider)
      return requirement && { userId, requirement, tool: record, reachedAt }
    },
    userTokens,
    defect: (error) => defect(call.callId, record.id, messageOf(error)),
  })
}

/** What a call may use; its signal comes to be when the tool first looks at it. */
function contextOf(
  call: Call & { readonly callId: string },
  caller: Caller,
  met: Met,
  deadline: Deadline,
  renewals: Renewals | undefined,
): RunContext {
  return {
    callId: call.callId,
    secrets: met.secrets,
    tokens: met.tokens,
    ...(renewals ? { renew: renewals.renew } : {}),
    ...(call.context.userId === undefined ? {} : { userId: call.context.userId }),
    ...(caller.traceparent === undefined ? {} : { traceparent: caller.traceparent }),
    ...(caller.progress ? { progress: caller.progress } : {}),
    ...(caller.log ? { log: caller.log } : {}),
    ...(caller.answers ? { answers: caller.answers } : {}),
    background: caller.background,
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

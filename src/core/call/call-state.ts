import { isJsonObject, type Json } from '../tool/json.ts'
import type { CallFacts } from './call-record.ts'
import type { Audience, Caller, CallRequest } from './call-request.ts'
import type { CallableTool } from './callable-tool.ts'
import type { Deadline, StartDeadline } from './deadline.ts'
import { NO_CREDENTIALS, withoutUnnamedToken } from './requirements.ts'
import type { ResolvedTool } from './resolve-tool.ts'
import type { RunOptions } from './run.ts'
import type { OutputSelector } from './select.ts'
import type { StageDeps, StageInput } from './stage.ts'

/** A call in progress, once authorized. Its stages set the fields that are not `readonly`. */
export interface CallState extends StageInput {
  readonly request: CallRequest
  readonly caller: Caller
  readonly tool: CallableTool
  readonly facts: CallFacts
  /** Whether the call has an id under which it runs at most once. */
  readonly runsOnce: boolean
  /** The selection as requested and as parsed, set by `readOptions`. */
  select?: Json | undefined
  selector?: OutputSelector
  /** The default, until `readOptions`. */
  inlineBytes: number
  /** Called when the stages have passed and the tool starts; set by `runUnderCallId`. */
  onBegin?: () => void
}

export interface StateDeps extends Pick<StageDeps, 'fingerprint'> {
  /** The most bytes of JSON in an answer before parts of it become links, unless the call sets another limit. */
  readonly inlineBytes: Readonly<Record<Audience, number>>
  readonly startDeadline: StartDeadline
  readonly now: () => number
}

/** For a caller who may get the outcome by the call's id later, so disconnecting does not end the call. */
const NO_DISCONNECT = () => undefined

/** The minimum time for the stages and the tool, however long the lookup took. */
const MIN_RUN_MS = 1_000

/** Creates the state of an authorized call whose tool can run. */
export function createState(
  callId: string,
  request: CallRequest,
  foundTool: Omit<ResolvedTool, 'ok'> & {
    readonly runnable: RunOptions['runnable']
    readonly userId: string | undefined
  },
  caller: Caller,
  startedAt: number,
  facts: CallFacts,
  deps: StateDeps,
): CallState {
  const { tool, publisher, runnable, userId } = foundTool
  const { context, traceId } = request
  const { timeoutMs } = runnable
  const userInfo = context.values?.user_info
  // An anonymous caller's call id is not a key, since anyone could repeat it
  const runsOnce = request.callId !== undefined && caller.principal.kind !== 'anonymous' && !tool.isIdempotent
  let deadline: Deadline | undefined
  return {
    callId,
    request,
    tool,
    record: tool.record,
    runnable,
    publisher,
    caller,
    facts,
    runsOnce,
    traceId,
    idempotencyKey: runsOnce ? () => deps.fingerprint([caller.principal.id, callId]) : undefined,
    inlineBytes: deps.inlineBytes[caller.audience],
    // A bare name could lead to another publisher's tool, which must not get a token that names no provider
    context: request.bareName ? withoutUnnamedToken(context) : context,
    invocation: {
      input: request.input,
      userId,
      userInfo: isJsonObject(userInfo) ? userInfo : undefined,
      method: request.method,
      answers: request.answers,
      secrets: NO_CREDENTIALS,
      tokens: NO_CREDENTIALS,
      files: undefined,
    },
    // Started on first use: most tools return immediately and need no timer
    deadline() {
      if (deadline) return deadline
      const remainingMs = Math.max(timeoutMs - (deps.now() - startedAt), Math.min(timeoutMs, MIN_RUN_MS))
      const signal = runsOnce && !caller.cancelOnDisconnect ? NO_DISCONNECT : caller.signal
      deadline = deps.startDeadline(remainingMs, signal)
      return deadline
    },
    answered: (status) => void (facts.upstreamStatus = status),
    deferFileRelease: (release) => void (facts.releaseFiles = release),
    deferRelease(release) {
      facts.release?.()
      facts.release = release
    },
  }
}

/** Calls code in a sandbox and reads its untrusted answer. The message and log lines kept from it are cut and redacted. */
import type { RunContext } from '../../core/call/runner.ts'
import { MAY_HAVE_RUN } from '../../core/failure/failure-text.ts'
import { isObject } from '../../core/tool/json.ts'
import { FOREIGN_JSON, type JsonLimits, parseJson } from '../../core/tool/json-text.ts'
import { isIdempotent } from '../../core/tool/tool.ts'
import type { Redact } from '../../outbound/redaction.ts'
import { failureFields } from '../shared/server-failure.ts'
import { END_REASONS, ProcessEnd, SILENCE_MS } from './process-runner.ts'
import type { Sandbox, SandboxCode, SandboxRunnerOptions } from './sandbox.ts'

/** Limits in characters, except for the number of lines. */
const MAX_ANSWER = 4_000_000
const MAX_MESSAGE = 2_000
const MAX_LINE = 1_000
const MAX_LINES = 100
const UNEXPECTED = 'The tool failed unexpectedly'

interface SandboxCallOptions extends Pick<JsonLimits, 'budget'> {
  readonly signal: AbortSignal
  readonly redact?: Redact
  readonly subject: string
  readonly unfinished: string
}

/** Calls code inside a sandbox. `ok` tells whether it answered, even if the tool failed. */
export async function callSandbox(
  sandbox: Sandbox,
  code: SandboxCode,
  args: readonly unknown[],
  options: SandboxCallOptions,
) {
  const { signal, redact = (text) => text, subject, unfinished, ...limits } = options
  const result = await sandbox.call(code, args, signal)
  if (result.state === 'aborted') return respondFailed(unfinished)
  if (result.state === 'failed' && result.error instanceof ProcessEnd)
    return failedBy(result.error.details, subject, code)
  if (result.state === 'failed') return respondFailed(`${subject} cannot run`, redact(firstLine(result.error)))
  return parseAnswer(result.value, limits, redact)
}

/** Reports a timeout for a call that ran long or was the only suspect. Any other call may not be the cause. */
function failedBy(
  { reason, isToBlame, elapsedMs }: ProcessEnd['details'],
  subject: string,
  { egress, tool }: SandboxCode,
) {
  if (reason === 'silent' && (isToBlame || elapsedMs >= SILENCE_MS))
    return { ok: false, timedOutMs: elapsedMs } as const
  const message = `${subject} was ended: ${isToBlame ? 'it' : 'it or a tool beside it'} ${END_REASONS[reason]}`
  // Without network access, it cannot change anything
  const mayHaveRun = egress !== null && !(tool && isIdempotent(tool))
  const advice = mayHaveRun ? { can_retry: false, additional_prompt_content: MAY_HAVE_RUN } : { can_retry: !isToBlame }
  return { ok: false, failure: { message, ...advice } } as const
}

/** Redacts texts before cutting them, because half a secret would not be recognized. */
export function parseAnswer(text: unknown, limits: Pick<JsonLimits, 'budget'>, redact: Redact) {
  if (typeof text !== 'string') return respondFailed('The sandbox answered with something that is not text')
  if (text.length > MAX_ANSWER) return respondFailed(`The output is larger than ${MAX_ANSWER} characters`)
  const parsedOutput = parseJson(text, { ...FOREIGN_JSON, ...limits, what: 'the output' })
  if (!parsedOutput.ok)
    return respondFailed(
      parsedOutput.isJson ? parsedOutput.message : 'The sandbox answered with something that is not JSON',
    )
  const answer = parsedOutput.value
  if (!isObject(answer)) return respondFailed('The sandbox answered with something that is not an answer')
  const { ok, value, message, failure, kind, logs, usage } = answer
  const lines: readonly unknown[] = Array.isArray(logs) ? logs.slice(0, MAX_LINES) : []
  const messageText = redact(String(message)).slice(0, MAX_MESSAGE)
  // An exception's message is about the code, so it is for the developer
  const messages =
    kind === 'exception' ? { message: UNEXPECTED, developer_message: messageText } : { message: messageText }
  return {
    ok: true as const,
    result:
      ok === true
        ? { ok, value }
        : {
            ok: false as const,
            failure: { ...messages, ...failureFields(failure) },
            kind: typeof kind === 'string' ? kind : '',
          },
    logs: lines.map((line) => redact(String(line)).slice(0, MAX_LINE)),
    usage: isObject(usage) ? pickNumbers(usage) : {},
  }
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('at '))
  const line = lines.find((text) => text !== 'Failed to start Worker:') ?? 'It gave no reason'
  return line.replace(/^Uncaught /, '').slice(0, MAX_MESSAGE)
}

function pickNumbers(values: Readonly<Record<string, unknown>>): Record<string, number> {
  const numbers: Record<string, number> = {}
  for (const [name, value] of Object.entries(values)) if (typeof value === 'number') numbers[name] = value
  return numbers
}

export function forwardLogs(lines: readonly string[], context: RunContext, write: SandboxRunnerOptions['log']): void {
  for (const line of lines) {
    write(context.callId, line)
    context.log?.(line)
  }
}

export function respondFailed(message: string, developer_message?: string) {
  return { ok: false, failure: { message, ...(developer_message === undefined ? {} : { developer_message }) } } as const
}

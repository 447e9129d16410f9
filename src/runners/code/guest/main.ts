import { WorkerEntrypoint } from 'cloudflare:workers'
import { logGuest, currentLines } from './globals.ts'
import { toJson } from './json.ts'
import * as tool from './tool.js'

/** Longer than the kept part, which is cut after redaction, because half a secret would not be recognized. */
const MAX_MESSAGE = 8_000
/** In characters. The same limit as in `runner.ts`, where a longer text would be copied whole. */
const MAX_REPORTED = 100_000

interface About {
  readonly callId: string
  readonly tool: string
  readonly called: string
  readonly userId?: string
  readonly userInfo?: object
}

interface Call {
  readonly about: About
  readonly timeoutMs: number
}

type Progress = (progress: number, total?: number, message?: string) => unknown

/** Sends one report at a time, then the newest, because a module that reports in a loop would have thousands in progress. */
function createSender(send: Progress) {
  let newest: Parameters<Progress> | undefined
  let sending: Promise<void> | undefined
  async function sendAll(): Promise<void> {
    while (newest) {
      const next = newest
      newest = undefined
      try {
        await send(...next)
      } catch {
        // The receiver is gone or the report cannot be sent. Neither ends the tool
      }
    }
    sending = undefined
  }
  return {
    // A module may pass any values
    progress: async (progress: unknown, total?: unknown, message?: unknown): Promise<void> => {
      if (typeof progress !== 'number' || !Number.isFinite(progress)) return undefined
      newest = [
        progress,
        typeof total === 'number' ? total : undefined,
        typeof message === 'string' ? message.slice(0, MAX_REPORTED) : undefined,
      ]
      return (sending ??= sendAll())
    },
    waitUntilSent: () => sending,
  }
}

export default class extends WorkerEntrypoint {
  /** Never rejects: errors of the module are in the answer. */
  run(input: unknown, { about, timeoutMs }: Call, progress?: Progress): Promise<string> {
    const logs: string[] = []
    const deadline = new AbortController()
    // Without this timer, workerd would immediately end a call that waits for nothing that workerd tracks
    const timer = setTimeout(() => deadline.abort(new DOMException('The deadline passed', 'TimeoutError')), timeoutMs)
    const sender = createSender(progress ?? (() => undefined))
    return currentLines.run(logs, async () => {
      const { signal } = deadline
      const answer = await runHandler(input, { ...about, signal, log: logGuest, progress: sender.progress, fetch })
      await sender.waitUntilSent()
      clearTimeout(timer)
      return `{${answer},"logs":${JSON.stringify(logs)}}`
    })
  }
}

async function runHandler(input: unknown, context: object): Promise<string> {
  try {
    const { default: handler } = tool
    if (typeof handler !== 'function') throw new Error('The module must export a function as its default')
    const value: unknown = await handler(input, context)
    return `"ok":true,"value":${toJson(value)}`
  } catch (error) {
    const kind = isException(error) ? 'exception' : 'failed'
    const message = JSON.stringify(toMessage(error).slice(0, MAX_MESSAGE))
    return `"ok":false,"kind":"${kind}","message":${message},"failure":${readErrorFields(error)}`
  }
}

const FIELDS = ['developer_message', 'can_retry', 'additional_prompt_content', 'retry_after_ms']

function readErrorFields(error: unknown): string {
  try {
    const fields = FIELDS.map((name) => [name, isObject(error) ? error[name] : undefined])
    return JSON.stringify(Object.fromEntries(fields))
  } catch {
    return '{}'
  }
}

const EXCEPTIONS = [
  TypeError,
  RangeError,
  ReferenceError,
  SyntaxError,
  EvalError,
  URIError,
  AggregateError,
  DOMException,
]
const PROTOTYPES: readonly unknown[] = EXCEPTIONS.map(({ prototype }) => prototype)

/** Checks for built-in error types, which are mistakes in the module. Others, such as an `Error`, are for its caller. */
function isException(error: unknown): boolean {
  try {
    return isObject(error) && PROTOTYPES.includes(Object.getPrototypeOf(error))
  } catch {
    return true
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function toMessage(error: unknown): string {
  try {
    const message: unknown = isObject(error) && 'message' in error ? error.message : error
    return String(message) || 'The tool failed and did not say why'
  } catch {
    return 'The tool failed and did not say why'
  }
}

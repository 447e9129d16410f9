import { isObject } from '../../core/tool/json.ts'

/** What the modules inside a sandbox say a call came to. Nothing in it is to be trusted. */
export interface Answer {
  readonly result:
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly message: string; readonly kind: string }
  readonly logs: readonly string[]
  /** What the call used, by name. */
  readonly usage: Readonly<Record<string, number>>
}

/** The most characters of an answer, of a failure's message, and of a line of the log; and the most lines. */
const MAX_ANSWER = 8_000_000
const MAX_MESSAGE = 2_000
const MAX_LINE = 1_000
const MAX_LINES = 100

/** Reads an answer, which is JSON text. Gives what is wrong with it as text. */
export function readAnswer(given: unknown): Answer | string {
  if (typeof given !== 'string') return 'The sandbox answered with something that is no text'
  if (given.length > MAX_ANSWER) return `The output is larger than ${MAX_ANSWER} characters`
  let answer: unknown
  try {
    answer = JSON.parse(given)
  } catch {
    return 'The sandbox answered with something that is no JSON'
  }
  if (!isObject(answer)) return 'The sandbox answered with something that is no answer'
  const { ok, value, message, kind, logs, usage } = answer
  const lines: readonly unknown[] = Array.isArray(logs) ? logs.slice(0, MAX_LINES) : []
  return {
    result:
      ok === true
        ? { ok, value }
        : { ok: false, message: String(message).slice(0, MAX_MESSAGE), kind: typeof kind === 'string' ? kind : '' },
    logs: lines.map((line) => String(line).slice(0, MAX_LINE)),
    usage: isObject(usage) ? numbersOf(usage) : {},
  }
}

/** What an error that came out of the loader or of the isolate says, in one line and without a stack. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('at '))
  const line = lines.find((each) => each !== 'Failed to start Worker:') ?? 'It gave no reason'
  return line.replace(/^Uncaught /, '').slice(0, MAX_MESSAGE)
}

function numbersOf(values: Readonly<Record<string, unknown>>): Record<string, number> {
  const numbers: Record<string, number> = {}
  for (const [name, value] of Object.entries(values)) if (typeof value === 'number') numbers[name] = value
  return numbers
}

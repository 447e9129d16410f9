import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { SwitchboardError } from '../client/index.ts'
import { CliError } from './cli-error.ts'
import type { JsonRecord } from '../client/json.ts'
import { type Columns, createTable, type SplitText } from './table.ts'
import { toCliTerms } from './api-terms.ts'
import { clean, formatJsonText, formatStyledLine, toSingleLine, type StyledText } from './terminal-text.ts'

export interface TerminalIO {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: Readonly<Record<string, string | undefined>>
}

export type UpdateProgress = (label: string, done?: number, total?: number) => void

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const CLEAR = '\r\x1b[2K'
const FRAME_MS = 80
const NOTICE_MS = 5_000
const BAR_CHARACTERS = 24

export function createTerminal(
  { stdin, stdout, stderr, env }: TerminalIO,
  { json = false, yes = false }: { readonly json?: boolean; readonly yes?: boolean },
  signal: AbortSignal,
) {
  const mayColor = (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb' && !json
  const colored = (stream: NodeJS.WriteStream) => mayColor && stream.isTTY
  const isInteractive =
    !json && stdin.isTTY && stdout.isTTY && stderr.isTTY && ['', '0', 'false'].includes(env['CI'] ?? '')
  const print = (...parts: readonly StyledText[]) => void stdout.write(`${formatStyledLine(parts, colored(stdout))}\n`)

  return {
    json,
    isInteractive,
    emit(value: unknown, printText: () => void): void {
      if (json) stdout.write(`${formatJsonText(value)}\n`)
      else printText()
    },
    print,
    /** Returns a function that prints items as lines. In a terminal, the last column is cut to keep each on one line. */
    table(columns: Columns, split?: SplitText) {
      const formatTable = createTable(columns, stdout.isTTY ? Math.max(40, stdout.columns || 120) : Infinity, split)
      return (items: readonly JsonRecord[]) => formatTable(items).forEach((line) => print(...line))
    },
    write: (text: string) => void stdout.write(`${clean(text)}\n`),
    note,
    /** Shows progress while `work` runs, and hides it before the caller gets the result to print. */
    async withProgress<T>(label: string, work: (update: UpdateProgress) => Promise<T>): Promise<T> {
      const { update, stop } = isInteractive ? createSpinner(stderr, label) : createNotice(label)
      try {
        return await work(update)
      } finally {
        stop()
      }
    },
    async confirm(question: string): Promise<void> {
      if (yes) return
      if (!isInteractive)
        throw new CliError('usage', `Cannot ask without a terminal: ${question}`, 'Confirm with --yes')
      const answer = await ask(`${question} [y/N] `)
      if (!/^y(?:es)?$/i.test(answer)) throw new CliError('failed', 'Nothing has changed')
    },
    /** Reads a line without showing it as it is typed; without a terminal, reads all of the standard input. */
    async readSecret(question: string): Promise<string> {
      if (!stdin.isTTY) return (await text(stdin)).trim()
      return ask(question, new Writable({ write: (_part, _encoding, done) => done() }))
    },
  }

  function note(...parts: readonly StyledText[]): void {
    if (json) return
    stderr.write(`${isInteractive ? CLEAR : ''}${toCliTerms(formatStyledLine(parts, colored(stderr)))}\n`)
  }

  /** Prints a single line, because a spinner needs a terminal. */
  function createNotice(label: string) {
    const timer = setTimeout(() => note(`${label}: still waiting; --timeout ends it sooner`), NOTICE_MS)
    return { update: () => undefined, stop: () => clearTimeout(timer) }
  }

  async function ask(question: string, echo: NodeJS.WritableStream = stderr): Promise<string> {
    // Before the question is shown, because until then the terminal itself echoes input
    const reader = createInterface({ input: stdin, output: echo, terminal: true })
    try {
      if (echo !== stderr) stderr.write(clean(question))
      const interruption = new Promise<string>((_, reject) => {
        const stop = () => reject(new SwitchboardError('cancelled', 'Nothing has changed'))
        reader.once('SIGINT', stop).once('close', stop)
        if (signal.aborted) stop()
        signal.addEventListener('abort', stop, { once: true })
      })
      return (await Promise.race([reader.question(clean(question)), interruption])).trim()
    } finally {
      reader.close()
      if (echo !== stderr) stderr.write('\n')
    }
  }
}

function createSpinner(
  stderr: NodeJS.WriteStream,
  initialLabel: string,
): { readonly update: UpdateProgress; readonly stop: () => void } {
  let frame = 0
  const width = (stderr.columns || 80) - 3
  let line = toSingleLine(initialLabel, width)
  const draw = () => stderr.write(`${CLEAR}${FRAMES[frame++ % FRAMES.length]} ${line}`)
  draw()
  const timer = setInterval(draw, FRAME_MS)
  return {
    update(label, done = 0, total = 0) {
      const filledCells = Math.round(BAR_CHARACTERS * Math.min(1, Math.max(0, done / (total || 1))))
      const bar = `${'█'.repeat(filledCells)}${'░'.repeat(BAR_CHARACTERS - filledCells)} ${done}/${total} `
      line = toSingleLine(`${total > 0 ? bar : ''}${label}`, width)
      // The work may end before the next frame
      draw()
    },
    stop() {
      clearInterval(timer)
      stderr.write(CLEAR)
    },
  }
}

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { run as runCommand } from '../../src/cli/run.ts'
import type { TerminalIO } from '../../src/cli/terminal.ts'
import { isFull } from '../extent.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  // Tests check the contents
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly stdin?: string
  readonly cwd?: string
  /** Text to type once something was printed. */
  readonly typed?: { readonly after: string; readonly text: string }
  /** Called with the output so far. */
  readonly onPrinted?: (printed: string, stop: (signal: NodeJS.Signals) => void) => void
}

/** The command line as installed, until `remove`. In `npm test`, plain runs use this process. */
export interface CommandLine {
  readonly program: string
  /** Runs it as a script does, without a terminal. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>
  /** Runs it in a terminal, which `script` provides; all output is in `stdout`. */
  runAtTerminal(args: readonly string[], options?: RunOptions): Promise<Ran>
  remove(): void
}

export function buildCommandLine(env: Readonly<Record<string, string>>): CommandLine {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-cli-'))
  execFileSync(process.execPath, [join(root, 'src/node/package.ts'), '--outdir', folder], { cwd: root })
  const program = join(folder, 'switchboard.js')
  const { SWITCHBOARD_URL: _, SWITCHBOARD_KEY: __, SWITCHBOARD_PROFILE: ___, ...outer } = process.env
  // Without the logins of the user who runs the tests
  const surrounding = { ...outer, XDG_CONFIG_HOME: folder }
  const start = (
    command: string,
    args: readonly string[],
    { stdin, cwd = folder, onPrinted, typed, ...options }: RunOptions,
  ) =>
    new Promise<Ran>((resolve, reject) => {
      const child = spawn(command, args, { cwd, env: { ...surrounding, ...env, ...options.env } })
      let [stdout, stderr] = ['', '']
      const heard = () => {
        onPrinted?.(stdout + stderr, (signal) => void child.kill(signal))
        if (typed && !child.stdin.writableEnded && (stdout + stderr).includes(typed.after)) child.stdin.end(typed.text)
      }
      child.stdout.on('data', (part) => ((stdout += part), heard()))
      child.stderr.on('data', (part) => ((stderr += part), heard()))
      child.once('error', reject)
      child.once('close', (code) => {
        resolve(ranWith(code, stdout, stderr))
      })
      // A program may end before it has read everything
      child.stdin.on('error', () => undefined)
      if (!typed) child.stdin.end(stdin ?? '')
    })
  return {
    program,
    run(args, options = {}) {
      const { env: own = {}, stdin = '', cwd, typed, onPrinted } = options
      const isPlain = !isFull && !cwd && !typed && !onPrinted
      if (isPlain) return runHere(args, { ...surrounding, ...env, ...own }, stdin)
      return start(process.execPath, [program, ...args], options)
    },
    runAtTerminal(args, options = {}) {
      const quoted = [process.execPath, program, ...args].map((each) => `'${each.replaceAll("'", `'\\''`)}'`)
      const terminal = { CI: undefined, TERM: 'xterm', ...options.env }
      return start('script', ['-qec', quoted.join(' '), '/dev/null'], { ...options, env: terminal })
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function runHere(args: readonly string[], env: TerminalIO['env'], stdin: string): Promise<Ran> {
  const printed = () => {
    let text = ''
    const stream = new Writable({ write: (part, _, done) => ((text += part), done()) })
    return { stream: Object.assign(stream, { isTTY: false }) as unknown as NodeJS.WriteStream, text: () => text }
  }
  const [stdout, stderr] = [printed(), printed()]
  const typed = Object.assign(Readable.from([Buffer.from(stdin)]), { isTTY: false }) as unknown as NodeJS.ReadStream
  const surroundings = { stdin: typed, stdout: stdout.stream, stderr: stderr.stream, env }
  const code = await runCommand(args, surroundings, new AbortController().signal)
  return ranWith(code, stdout.text(), stderr.text())
}

function ranWith(code: number | null, stdout: string, stderr: string): Ran {
  const said = (stdout || stderr).trim()
  return { code, stdout, stderr, json: /^[[{]/.test(said) ? tryJson(said) : undefined }
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import { CommanderError } from 'commander'
import { SwitchboardError } from '../client/index.ts'
import { CliError, EXIT, getExitCode } from './cli-error.ts'
import { createProgram } from './program.ts'
import { openSession } from './context.ts'
import { formatJsonText, inOptions, formatStyledLine, problemLine } from './terminal-text.ts'
import type { TerminalIO } from './terminal.ts'

/** Runs a command line, and gives the status to exit with. What goes wrong is told on `stderr`; it never throws. */
export async function run(args: readonly string[], surroundings: TerminalIO, signal: AbortSignal): Promise<number> {
  const { stdout, stderr } = surroundings
  const program = createProgram(
    (options) => openSession(options, surroundings, signal),
    (text) => void stdout.write(text),
  )
  const isJson = args.includes('--json')
  try {
    // Its own `help` knows the first command of `help keys create` alone
    const isHelp = args[0] === 'help'
    const named = args[1]
    if (isHelp && named !== undefined && !named.startsWith('-') && !findCommand(program, named))
      throw new CliError('usage', `Unknown command '${named}'`, 'switchboard --help lists the commands')
    await program.parseAsync(isHelp ? [...args.slice(1), '--help'] : [...args], { from: 'user' })
    return EXIT.ok
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT.ok
    const error = known(thrown, args)
    if (isJson) stderr.write(`${formatJsonText({ error: describe(error) })}\n`)
    else for (const line of formatLines(error, surroundings)) stderr.write(`${inOptions(line)}\n`)
    return getExitCode(error)
  }
}

function findCommand({ commands }: ReturnType<typeof createProgram>, name: string) {
  return commands.find((each) => each.name() === name || each.aliases().includes(name))
}

const FILE_PROBLEMS = new Map([
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'it may not be read'],
])

const NO_LOGIN =
  'Set SWITCHBOARD_URL and SWITCHBOARD_KEY, or pass --url and --key; switchboard doctor says whether they are right'

function known(thrown: unknown, [first = '']: readonly string[]): SwitchboardError | CliError {
  if (thrown instanceof SwitchboardError || thrown instanceof CliError) return thrown
  if (thrown instanceof CommanderError) {
    const isAlone = thrown.code === 'commander.help'
    const message = isAlone ? 'Which command?' : thrown.message.replace(/^error: /, '')
    const hint = 'switchboard --help lists the commands, switchboard COMMAND --help its options'
    if (/unknown command 'log-?in'/.test(message)) return new CliError('usage', "There is no 'login'", NO_LOGIN)
    const isEarly = first.startsWith('-') && /unknown option/.test(message)
    return new CliError('usage', message, isEarly ? 'Options follow the command, as in switchboard list --json' : hint)
  }
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const why = FILE_PROBLEMS.get(code)
  // Errors of the file system name the file, and nothing in it
  return why === undefined
    ? new CliError('failed', message)
    : new CliError('usage', `Cannot open '${Object(thrown).path ?? 'the file'}': ${why}`)
}

function describe(error: SwitchboardError | CliError): object {
  const { code, message } = error
  return { code, message, ...(error instanceof CliError ? { hint: error.hint } : error.details) }
}

function formatLines(error: SwitchboardError | CliError, { stderr, env }: TerminalIO): readonly string[] {
  const colored = stderr.isTTY && (env['NO_COLOR'] ?? '') === ''
  const first = (message: string) => formatStyledLine([['red', 'Error: '], message], colored)
  if (error instanceof CliError)
    return [first(error.message), ...(error.hint === undefined ? [] : [formatStyledLine([error.hint], false)])]
  const { developerMessage, parameterErrors = {}, challenges = [] } = error.details
  const { problems = [], suggestions = [] } = error.details
  // It names the version that was asked for, where the message has the specification's words
  const isNearby = suggestions.length > 0 && developerMessage !== undefined
  const rest = [
    ...(developerMessage === undefined || error.message.endsWith(developerMessage) || isNearby
      ? []
      : [developerMessage]),
    ...Object.entries(parameterErrors).map(([name, why]) => `  ${name}: ${why}`),
    ...problems.map(problemLine),
    ...(error.code === 'unauthenticated' ? ['  Pass --key, or set SWITCHBOARD_KEY'] : []),
    ...challenges.map(({ id, url }) => `  ${id}: open ${url}`),
    ...(suggestions.length > 0 ? [`  There is ${suggestions.join(', ')}`] : []),
  ]
  return [first(isNearby ? developerMessage : error.message), ...rest.map((line) => formatStyledLine([line], false))]
}

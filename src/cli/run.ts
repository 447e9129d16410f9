import { CommanderError, type CommandUnknownOpts } from 'commander'
import { SwitchboardError } from '../client/index.ts'
import { CliError, EXIT, getExitCode } from './cli-error.ts'
import { findCommand, isKnown } from './command-tree.ts'
import { createProgram } from './program.ts'
import { openSession } from './context.ts'
import { toCliTerms } from './api-terms.ts'
import { formatJsonText, formatStyledLine, formatProblem } from './terminal-text.ts'
import type { TerminalIO } from './terminal.ts'

/**
 * Runs a command line and returns the exit status; it never throws.
 *
 * Commander parses the arguments (`program.ts`). The command's action opens a session from its options and the environment
 * (`context.ts`), sends requests through `switchboard/client`, and prints through the session's terminal (`terminal.ts`):
 * results to `stdout`, notes and progress to `stderr`. With `--json`, results are JSON, and so are errors on `stderr`.
 * Each error becomes a `CliError` or `SwitchboardError` here, which `cli-error.ts` maps to the exit status.
 */
export async function run(args: readonly string[], io: TerminalIO, signal: AbortSignal): Promise<number> {
  const { stdout, stderr } = io
  const program = createProgram(
    (options) => openSession(options, io, signal),
    (text) => void stdout.write(text),
  )
  const isJson = args.includes('--json')
  try {
    // Commander's own `help` reads only the first word of `help keys create`. An unknown command is parsed alone, for its error
    const [first, ...topic] = args
    const helpArgs = isKnown(program, topic) ? [...topic, '--help'] : topic
    await program.parseAsync(first === 'help' ? helpArgs : [...args], { from: 'user' })
    return EXIT.ok
  } catch (cause) {
    // Without a command, Commander prints the help
    if (cause instanceof CommanderError && (cause.exitCode === 0 || cause.code === 'commander.help')) return EXIT.ok
    const error = toKnownError(cause, args)
    if (isJson) stderr.write(`${formatJsonText({ error: describe(error) })}\n`)
    else for (const line of formatLines(error, io, findCommand(program, args))) stderr.write(`${toCliTerms(line)}\n`)
    return getExitCode(error)
  }
}

const FILE_PROBLEMS = new Map([
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'it may not be read'],
])

function toKnownError(cause: unknown, [first = '']: readonly string[]): SwitchboardError | CliError {
  if (cause instanceof SwitchboardError || cause instanceof CliError) return cause
  if (cause instanceof CommanderError) {
    const message = cause.message.replace(/^error: /, '')
    const hint = "'switchboard help' lists the commands, 'switchboard help COMMAND' shows the options of one"
    const isBeforeCommand = first.startsWith('-') && /unknown option/.test(message)
    if (!isBeforeCommand) return new CliError('usage', message, hint)
    const [withoutSuggestion = ''] = message.split('\n')
    return new CliError('usage', withoutSuggestion, 'Options follow the command, as in switchboard list --json')
  }
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const message = cause instanceof Error ? cause.message : String(cause)
  const reason = FILE_PROBLEMS.get(code)
  // File system errors name the file, but show none of its contents
  return reason === undefined
    ? new CliError('failed', message)
    : new CliError('usage', `Cannot open '${Object(cause).path ?? 'the file'}': ${reason}`)
}

function describe(error: SwitchboardError | CliError): object {
  const { code, message } = error
  return { code, message, ...(error instanceof CliError ? { hint: error.hint } : error.details) }
}

function formatLines(
  error: SwitchboardError | CliError,
  { stderr, env }: TerminalIO,
  command: CommandUnknownOpts,
): readonly string[] {
  const colored = stderr.isTTY && (env['NO_COLOR'] ?? '') === ''
  const formatMessage = (message: string) => formatStyledLine([['red', 'Error: '], message], colored)
  if (error instanceof CliError)
    return [formatMessage(error.message), ...(error.hint === undefined ? [] : [formatStyledLine([error.hint], false)])]
  const { developerMessage, parameterErrors = {}, challenges = [], problems = [] } = error.details
  const details = [
    ...(developerMessage === undefined || error.message.includes(developerMessage) ? [] : [developerMessage]),
    ...Object.entries(parameterErrors).map(([name, reason]) => `  ${name}: ${reason}`),
    ...problems.map(({ path, message }) => formatProblem({ path: nameOption(path, command), message })),
    ...(error.code === 'unauthenticated' ? ["  Run 'switchboard login', or set SWITCHBOARD_KEY"] : []),
    ...challenges.map(({ id, url }) => `  ${id}: open ${url}`),
  ]
  const message = error.message.replace(/the query at '(\w+)'/, (_, name: string) => nameOption(`/${name}`, command))
  return [formatMessage(message), ...details.map((line) => formatStyledLine([line], false))]
}

/** Names the option that sets the field at a JSON Pointer: `--expires` sets `/expires_at`. Keeps pointers into files. */
function nameOption(pointer: string, { options, registeredArguments }: CommandUnknownOpts): string {
  const [, field = ''] = /^\/(\w+)$/.exec(pointer) ?? []
  const isInFile = registeredArguments.some((argument) => argument.name() === 'file')
  const name = field.replaceAll('_', '-')
  const matchesName = (long = '') => name !== '' && (`--${name}`.startsWith(long) || long.startsWith(`--${name}`))
  return (isInFile ? undefined : options.find(({ long }) => matchesName(long))?.long) ?? pointer
}

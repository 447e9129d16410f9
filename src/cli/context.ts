import { type Command, Option } from 'commander'
import { connect } from '../client/connection.ts'
import { Switchboard } from '../client/index.ts'
import { CliError } from './cli-error.ts'
import { createTerminal, type TerminalIO } from './terminal.ts'

export interface CommonOptions {
  readonly url?: string
  readonly key?: string
  readonly allowHttp?: boolean
  /** Seconds for each request. */
  readonly timeout?: number
  readonly user?: string
  readonly json?: boolean
  readonly yes?: boolean
}

export type CliSession = Readonly<ReturnType<typeof openSession>>

/** With the options of the command that is run, the common ones among them. */
export type Open = (options: object) => CliSession

export type AddCommands = (program: Command, open: Open) => void

/** The option of commands that call `terminal.confirm`. */
export const YES = new Option('--yes', 'do not ask for confirmation')

export function readNote({ headers }: Response): string | undefined {
  return headers.get('switchboard-note') ?? undefined
}

const LOCAL_URL = 'http://localhost:8787'

export function openSession(options: CommonOptions, io: TerminalIO, signal: AbortSignal) {
  const { env } = io
  const url = options.url ?? (env['SWITCHBOARD_URL'] || LOCAL_URL)
  if (!/^https?:/i.test(url))
    throw new CliError('usage', 'Invalid address', 'Add http:// or https:// to SWITCHBOARD_URL, or to --url')
  const key = options.key ?? (env['SWITCHBOARD_KEY'] || undefined)
  const { allowHttp, timeout } = options
  const timeoutMs = timeout === undefined ? undefined : timeout * 1_000
  const terminal = createTerminal(io, options, signal)
  const onWait = (ms: number, { message }: Error) => terminal.note(`Waiting ${Math.ceil(ms / 1_000)} s: ${message}`)
  const connection = connect({ url, key, allowHttp, timeoutMs, onWait })
  return {
    url: new URL(url),
    hasKey: key !== undefined,
    user: options.user,
    client: new Switchboard({ url, key, allowHttp, timeoutMs, onWait, user: options.user }),
    connection,
    stranger: connect({ url, timeoutMs, attempts: 1 }),
    terminal,
    surroundings: io,
    signal,
  }
}

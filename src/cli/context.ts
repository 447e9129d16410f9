import { type Command, Option } from 'commander'
import { connect, withTimeout } from '../client/connection.ts'
import { Switchboard } from '../client/index.ts'
import { getText } from '../client/json.ts'
import { CliError } from './cli-error.ts'
import { getProfileName, getProfilesFile, readProfiles } from './profiles.ts'
import { createTerminal, type TerminalIO } from './terminal.ts'

export interface CommonOptions {
  readonly url?: string
  readonly key?: string
  readonly allowHttp?: boolean
  /** Timeout of each request, in seconds. */
  readonly timeout?: number
  readonly profile?: string
  /** Whether to ignore profiles and SWITCHBOARD_KEY. */
  readonly ignoresProfile?: boolean
  readonly user?: string
  readonly json?: boolean
  readonly yes?: boolean
}

export type CliSession = Readonly<ReturnType<typeof openSession>>

/** Opens a session with the options of a command, including the common ones. */
export type Open = (options: object) => CliSession

export type AddCommands = (program: Command, open: Open) => void

/** The option of commands that call `terminal.confirm`. */
export const YES = new Option('--yes', 'do not ask for confirmation')

const LOCAL_URL = 'http://localhost:8787'

export function openSession(options: CommonOptions, io: TerminalIO, signal: AbortSignal) {
  const { env } = io
  const terminal = createTerminal(io, options, signal)
  const profile = options.ignoresProfile ? undefined : findProfile(options, io)
  const url = options.url ?? (env['SWITCHBOARD_URL'] || getText(profile, 'origin') || LOCAL_URL)
  if (!/^https?:/i.test(url))
    throw new CliError('usage', `Invalid address '${url}'`, 'Begin it with http:// or https://')
  const login = URL.canParse(url) && new URL(url).origin === getText(profile, 'origin') ? profile : undefined
  const key = options.key ?? (options.ignoresProfile ? undefined : env['SWITCHBOARD_KEY'] || getText(login, 'key'))
  if (options.profile !== undefined && !options.ignoresProfile && (env['SWITCHBOARD_URL'] || env['SWITCHBOARD_KEY']))
    terminal.note(['yellow', `SWITCHBOARD_URL and SWITCHBOARD_KEY win over the profile '${options.profile}'`])
  const { allowHttp = login?.['allowHttp'] === true, timeout } = options
  const timeoutMs = timeout === undefined ? undefined : timeout * 1_000
  const onWait = (ms: number, { message }: Error) => terminal.note(`Waiting ${Math.ceil(ms / 1_000)} s: ${message}`)
  const connectionOptions = { url, key, allowHttp, timeoutMs, onWait, signal }
  return {
    url: new URL(url),
    hasKey: key !== undefined,
    timeoutMs,
    /** Aborts after `timeoutMs`, for waits of any number of requests. */
    waitSignal: withTimeout(signal, timeoutMs),
    user: options.user,
    client: new Switchboard({ ...connectionOptions, user: options.user }),
    connection: connect(connectionOptions),
    stranger: connect({ url, timeoutMs, signal, attempts: 1 }),
    terminal,
    surroundings: io,
    signal,
  }
}

function findProfile(options: CommonOptions, io: TerminalIO) {
  const name = getProfileName(options.profile, io)
  const profile = readProfiles(getProfilesFile(io)).find((each) => each['name'] === name)
  if (profile || name === 'default') return profile
  throw new CliError('usage', `There is no profile '${name}'`, `'switchboard login --profile ${name}' adds it`)
}

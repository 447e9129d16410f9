import { connect, type Connection } from '../client/connection.ts'
import { Switchboard } from '../client/index.ts'
import { createTerminal, type Surroundings, type Terminal } from './terminal.ts'

/** What every command takes. */
export interface CommonOptions {
  readonly url?: string
  readonly key?: string
  readonly user?: string
  readonly json?: boolean
  readonly yes?: boolean
}

/** A deployment, and who asks it from where. */
export interface Session {
  readonly url: URL
  readonly hasKey: boolean
  readonly user: string | undefined
  readonly client: Switchboard
  /** For what the client has no word. */
  readonly connection: Connection
  /** The same without the key. */
  readonly stranger: Connection
  readonly terminal: Terminal
  readonly surroundings: Surroundings
  /** Aborts when the person wants to stop. */
  readonly signal: AbortSignal
}

export type Open = (options: CommonOptions) => Session

/** What a deployment says of an answer beside it. */
export function noteOf({ headers }: Response): string | undefined {
  return headers.get('switchboard-note') ?? undefined
}

const LOCAL = 'http://localhost:8787'

/** Begins a command: its flags come before the environment. */
export function openSession(options: CommonOptions, surroundings: Surroundings, signal: AbortSignal): Session {
  const { env } = surroundings
  const url = options.url ?? (env['SWITCHBOARD_URL'] || LOCAL)
  const key = options.key ?? (env['SWITCHBOARD_KEY'] || undefined)
  const connection = connect({ url, key })
  return {
    url: new URL(url),
    hasKey: key !== undefined,
    user: options.user,
    client: new Switchboard({ url, key, user: options.user }),
    connection,
    stranger: connect({ url, attempts: 1 }),
    terminal: createTerminal(surroundings, options, signal),
    surroundings,
    signal,
  }
}

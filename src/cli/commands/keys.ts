import type { Command } from 'commander'
import { getText, type JsonRecord } from '../../client/json.ts'
import { SCOPES } from '../../core/access/principal.ts'
import { expiry, collectOption, readObject, requireFields, seconds } from '../argument-values.ts'
import { CliError } from '../cli-error.ts'
import { type AddCommands, type CliSession, YES } from '../context.ts'
import { type Columns, timeColumn } from '../table.ts'
import { addListing } from './listings.ts'
import { addRemoval } from './removal.ts'

const COLUMNS: Columns = {
  'Key': 'id',
  'Name': 'name',
  'Scopes': 'scopes',
  'Tools': 'tools',
  'Users': 'users',
  'Toolset': 'toolset',
  'Expires': timeColumn('expires_at'),
  'Last used': timeColumn('last_used_at'),
  'Begins with': 'prefix',
}

export const addKeys: AddCommands = (program, open) => {
  const keys = program.command('keys').description('API keys, for administrators')
  const description = 'list API keys with their last use'
  addListing(keys, open, { name: 'list', description, path: '/keys', columns: COLUMNS })
  const defaults = 'by default it reads and calls all tools below security level 4, for no user'
  keyCommand(keys, 'create', `create an API key, which is shown only once; ${defaults}`)
    .requiredOption('--name <name>', 'its name')
    .action(async (options) => {
      const fields = Object.entries(readFields({ scope: ['tools:read', 'tools:call'], ...options }))
      const body = Object.fromEntries(fields.filter(([, value]) => value !== null))
      const session = open(options)
      showKey(session, await session.connection.sendJson({ method: 'POST', path: '/keys', json: body }))
    })
  keyCommand(keys, 'edit <id>', 'change a key; its other settings stay')
    .option('--name <name>', 'its name')
    .action(async (id, options) => {
      const json = requireFields(readFields(options))
      const { connection, terminal } = open(options)
      const path = `/keys/${encodeURIComponent(id)}`
      const key: JsonRecord = await connection.sendJson({ method: 'PATCH', path, json })
      terminal.emit(key, () => terminal.table(COLUMNS)([key]))
    })
  keys
    .command('rotate <id>')
    .description('rotate a key: it gets a new text, and the previous one expires')
    .option('--overlap <seconds>', 'how long the previous text keeps working (default: a day)', seconds)
    .addOption(YES)
    .action((id, options) => rotate(open(options), id, options.overlap))
  addRemoval(keys, open, '/keys', { verb: 'revoke', argument: 'id', description: 'revoke a key for good' })
}

function keyCommand<const Usage extends string>(keys: Command, usage: Usage, description: string) {
  return keys
    .command(usage)
    .description(description)
    .option('--scope <scope>', `${SCOPES.join(', ')}; can be repeated`, collectOption)
    .option('--tool <pattern>', 'a tool or toolkit that it covers, such as Gmail.*; can be repeated', collectOption)
    .option('--for-user <user>', 'a user that it can act for; can be repeated', collectOption)
    .option('--any-user', 'it can act for any user')
    .option('--expires <time>', "when it expires, such as 2030-01-31T12:00:00Z, or 30d; or 'never'", expiry)
    .option('--toolset <name>', 'the toolset that limits what it sees and calls')
    .option('--no-toolset', 'it has none')
    .option('--lock <hash>', 'the hash of the lock that limits what it sees and calls')
    .option('--no-lock', 'it has none')
    .option('--limits <json>', 'such as {"rate": {"calls": 60, "seconds": 60}, "concurrency": 4}; or none')
    .option('--record-arguments', 'records of its calls include the shapes of arguments')
    .option('--no-record-arguments', 'they do not')
}

function readFields(options: Partial<ReturnType<ReturnType<typeof keyCommand>['opts']>> & { readonly name?: string }) {
  const {
    name,
    scope: scopes,
    tool: tools,
    forUser,
    anyUser,
    expires,
    limits,
    toolset,
    lock,
    recordArguments,
  } = options
  if (anyUser && forUser) throw new CliError('usage', 'Use either --for-user or --any-user')
  return {
    name,
    scopes,
    tools,
    users: anyUser ? 'any' : forUser,
    expires_at: expires === 'never' ? null : expires,
    limits: limits === undefined ? undefined : limits === 'none' ? null : readObject(limits, '--limits'),
    toolset: toolset === false ? null : toolset,
    lock: lock === false ? null : lock,
    record_arguments: recordArguments,
  }
}

async function rotate(session: CliSession, id: string, overlap: number | undefined): Promise<void> {
  const { connection, terminal } = session
  const ends = overlap === 0 ? 'at once' : 'after a while'
  await terminal.confirm(`The current text of the key '${id}' stops working ${ends}. Continue?`)
  const path = `/keys/${encodeURIComponent(id)}/rotate`
  const json = overlap === undefined ? {} : { overlap_seconds: overlap }
  const key: unknown = await connection.sendJson({ method: 'POST', path, json })
  const until = getText(key, 'previous_expires_at')
  showKey(session, key, overlap === 0 ? 'The old key has stopped working' : `The old key works until ${until}`)
}

function showKey({ terminal }: CliSession, key: unknown, note?: string): void {
  terminal.emit(key, () => {
    terminal.note(`The key '${getText(key, 'id') ?? ''}' (${getText(key, 'name') ?? ''}), shown only once:`)
    terminal.print(getText(key, 'key') ?? '')
    if (note !== undefined) terminal.note(note)
  })
}

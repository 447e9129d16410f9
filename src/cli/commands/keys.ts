import { getText } from '../../client/json.ts'
import { expiry, collectOption, readObject, seconds } from '../argument-values.ts'
import { CliError } from '../cli-error.ts'
import { type AddCommands, type CliSession, YES } from '../context.ts'
import { timeColumn } from '../table.ts'
import { addListing } from './listings.ts'

export const addKeys: AddCommands = (program, open) => {
  const keys = program.command('keys').description('API keys, for administrators')
  addListing(keys, open, {
    name: 'list',
    description: 'list API keys with their last use',
    path: '/keys',
    columns: {
      'Key': 'id',
      'Name': 'name',
      'Scopes': 'scopes',
      'Tools': 'tools',
      'Users': 'users',
      'Expires': timeColumn('expires_at'),
      'Last used': timeColumn('last_used_at'),
    },
  })
  keys
    .command('create')
    .description('create an API key; it is shown only once')
    .requiredOption('--name <name>', 'its name')
    .option(
      '--scope <scope>',
      'tools:read, tools:call, tools:publish, users:confirm, records:read, admin; can be repeated (default: tools:read and tools:call)',
      collectOption,
    )
    .option(
      '--tool <pattern>',
      'a tool or toolkit that it covers, such as Gmail.*; can be repeated (default: all below security level 4)',
      collectOption,
    )
    .option('--for-user <user>', 'a user that it can act for; can be repeated (default: none)', collectOption)
    .option('--any-user', 'it can act for any user')
    .option('--expires <time>', 'when it expires, such as 2030-01-31T12:00:00Z, or 30d', expiry)
    .option('--limits <json>', 'such as {"rate": {"calls": 60, "seconds": 60}, "concurrency": 4}')
    .action(async (options) => {
      const { name, scope = ['tools:read', 'tools:call'], tool, forUser, anyUser, expires, limits } = options
      if (anyUser && forUser) throw new CliError('usage', 'Use either --for-user or --any-user')
      const users = anyUser ? 'any' : forUser
      const fields = { name, scopes: scope, tools: tool, users, expires_at: expires }
      const body = { ...fields, limits: limits === undefined ? undefined : readObject(limits, '--limits') }
      const session = open(options)
      const { connection, signal } = session
      showKey(session, await connection.sendJson({ method: 'POST', path: '/keys', json: body, signal }))
    })
  keys
    .command('rotate <id>')
    .description('rotate a key: it gets a new text, and the previous one expires')
    .option('--overlap <seconds>', 'how long the previous text keeps working (default: a day)', seconds)
    .addOption(YES)
    .action((id, options) => rotate(open(options), id, options.overlap))
  keys
    .command('revoke <id>')
    .description('revoke a key, for good')
    .addOption(YES)
    .action((id, options) => revoke(open(options), id))
}

async function rotate(session: CliSession, id: string, overlap: number | undefined): Promise<void> {
  const { connection, terminal, signal } = session
  const ends = overlap === 0 ? 'at once' : 'after a while'
  await terminal.confirm(`The current text of the key '${id}' stops working ${ends}. Continue?`)
  const path = `/keys/${encodeURIComponent(id)}/rotate`
  const json = overlap === undefined ? {} : { overlap_seconds: overlap }
  const key: unknown = await connection.sendJson({ method: 'POST', path, json, signal })
  const until = getText(key, 'previous_expires_at')
  showKey(session, key, overlap === 0 ? 'The old key has stopped working' : `The old key works until ${until}`)
}

async function revoke({ connection, terminal, signal }: CliSession, id: string): Promise<void> {
  await terminal.confirm(`The key '${id}' will stop working. Continue?`)
  const path = `/keys/${encodeURIComponent(id)}`
  await connection.send({ method: 'DELETE', path, signal, read: async () => undefined })
  terminal.emit({ id, revoked: true }, () =>
    terminal.note(`The key '${id}' is revoked; it stops working everywhere within a minute`),
  )
}

function showKey({ terminal }: CliSession, key: unknown, note?: string): void {
  terminal.emit(key, () => {
    terminal.note(`The key '${getText(key, 'id') ?? ''}' (${getText(key, 'name') ?? ''}), shown only once:`)
    terminal.print(getText(key, 'key') ?? '')
    if (note !== undefined) terminal.note(note)
  })
}

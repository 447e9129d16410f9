import type { Command, CommandUnknownOpts } from 'commander'
import { CliError } from '../cli-error.ts'
import { type CommonOptions, type Open, YES } from '../context.ts'
import type { Columns } from '../table.ts'
import { loadRevision } from './revision.ts'

/** A command that removes one of the items listed at a path, such as `keys revoke <id>`. */
export interface Removal {
  readonly verb: keyof typeof PARTICIPLES
  readonly argument: string
  readonly description: string
  /** For accounts: removes one of several, or for one toolkit only. */
  readonly options?: readonly (readonly [flags: string, description: string])[]
  /** Shows the item in these columns before its removal, which fails if it has changed since. */
  readonly columns?: Columns
}

const PARTICIPLES = { cancel: 'cancelled', delete: 'deleted', end: 'ended', remove: 'removed', revoke: 'revoked' }

interface RemovalOptions extends CommonOptions {
  readonly account?: string
  readonly toolkit?: string
}

export function addRemoval(parent: Command, open: Open, path: string, removal: Removal): CommandUnknownOpts {
  const { verb, argument, description, options = [], columns } = removal
  const command = parent.command(verb).argument(`<${argument}>`).description(description).addOption(YES)
  // The id of an agent may start with a dash
  command.allowUnknownOption()
  for (const [flags, text] of options) command.option(flags, text)
  if (path.includes('{user}')) command.requiredOption('--user <user>', 'the user whose it is')
  command.action(async (id, { user = '', account, toolkit, ...others }: RemovalOptions) => {
    // URL parsing would drop these and a segment of the path
    if (/^\.{0,2}$/.test(id)) throw new CliError('usage', `Wanted the ${argument}, got '${id}'`)
    const session = open(others)
    const { connection, terminal, url } = session
    const fullPath = `${path.replace('{user}', encodeURIComponent(user))}/${encodeURIComponent(id)}`
    const { document, headers } = columns ? await loadRevision(session, fullPath) : {}
    if (columns && document && !terminal.json) terminal.table(columns)([document])
    await terminal.confirm(`This will ${description}: '${id}' at ${url.host}. Continue?`)
    const request = {
      method: 'DELETE',
      path: fullPath,
      query: { account, toolkit },
      ...(headers ? { headers } : {}),
    }
    await connection.send({ ...request, read: async () => undefined })
    const result = PARTICIPLES[verb]
    terminal.emit({ [argument]: id, [result]: true }, () => terminal.note(['green', '✓'], ` '${id}' is ${result}`))
  })
  return command
}

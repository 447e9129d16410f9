import { getText, type JsonRecord, listObjects } from '../../client/json.ts'
import { CliError } from '../cli-error.ts'
import { type AddCommands, type CliSession, YES } from '../context.ts'
import { addGroup } from './listings.ts'

export const addPeople: AddCommands = (program, open) => {
  const people = addGroup(program, open, {
    name: 'people',
    description: 'users with accounts, agents, sessions or keys, for administrators',
    path: '/users',
    filters: ['q'],
    columns: { User: 'user_id', Accounts: 'accounts', Agents: 'agents', Sessions: 'sessions', Keys: 'keys' },
  })
  people
    .command('end <user>')
    .description("end a user's sessions and agents, revoke the accounts, and deny open requests")
    .addOption(YES)
    .action((user, options) => end(open(options), user))
}

const KINDS = ['sessions', 'agents', 'accounts', 'authorizations']
const LIST = "'switchboard people' lists users with their ids"

async function end({ connection, terminal }: CliSession, user: string): Promise<void> {
  await terminal.confirm(`'${user}' is signed out everywhere and loses all agents and accounts. Continue?`)
  const path = `/users/${encodeURIComponent(user)}/access`
  const endedAccess: JsonRecord = await connection.sendJson({ method: 'DELETE', path })
  const keys = listObjects(endedAccess, 'keys')
  if (keys.length === 0 && KINDS.every((kind) => endedAccess[kind] === 0))
    throw new CliError('refused', `Nothing to end: '${user}' has no ${KINDS.join(', ')} or keys`, LIST)
  terminal.emit(endedAccess, () => {
    const counts = KINDS.map((kind) => `${String(endedAccess[kind])} ${kind}`)
    terminal.note(`Ended for '${user}': ${counts.join(', ')}`)
    for (const account of listObjects(endedAccess, 'not_revoked'))
      terminal.note(`${getText(account, 'provider')} did not confirm the revocation: revoke the access there too`)
    for (const key of keys)
      terminal.note(`The key '${getText(key, 'name')}' still works: switchboard keys revoke ${getText(key, 'id')}`)
  })
}

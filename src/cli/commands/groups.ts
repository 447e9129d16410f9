import { type Command, Option } from 'commander'
import { getText, type JsonRecord, listObjects } from '../../client/json.ts'
import { collectOption, readObject, requireFields } from '../argument-values.ts'
import { CliError } from '../cli-error.ts'
import type { AddCommands, CliSession, Open } from '../context.ts'
import { firstSentence } from '../../core/tool/first-sentence.ts'
import { type Columns, timeColumn } from '../table.ts'
import type { StyledText } from '../terminal-text.ts'
import { addGroup, type ListCommand } from './listings.ts'
import { addRemoval, type Removal } from './removal.ts'
import { putChange } from './revision.ts'

interface Group extends ListCommand {
  readonly removal: Removal
  readonly addMore?: (group: Command, open: Open) => void
}

const PROVIDER: Columns = {
  'Provider': 'id',
  'Name': 'name',
  'Kind': ({ kind = 'oauth2' }) => kind,
  'Client ID': 'client_id',
  'Source': ({ built_in: isBuiltIn }) => (isBuiltIn === true ? 'variables' : 'added'),
}
const TOOLKIT: Columns = { Toolkit: 'toolkit', Owner: 'owner', Status: 'status', Review: 'review', Tags: 'tags' }

const GROUPS: readonly Group[] = [
  {
    name: 'toolkits',
    description: 'toolkits: their owners, review and deletion',
    path: '/toolkits',
    columns: {
      Toolkit: 'toolkit',
      Tools: 'tools',
      Level: 'security_level',
      Description: (toolkit) => firstSentence(getText(toolkit, 'description') ?? ''),
    },
    removal: { verb: 'delete', argument: 'toolkit', description: 'delete a toolkit, which must be disabled' },
    addMore: addToolkitCommands,
  },
  {
    name: 'accounts',
    description: "a user's accounts at providers, which tools may use",
    path: '/users/{user}/grants',
    columns: {
      Provider: 'provider',
      Account: 'account',
      Since: timeColumn('granted_at'),
      Toolkits: (account) => listObjects(account, 'toolkits').map(({ toolkit }) => toolkit),
    },
    removal: {
      verb: 'revoke',
      argument: 'provider',
      description: "revoke a user's accounts at a provider",
      options: [
        ['--account <account>', 'only this one of several accounts'],
        ['--toolkit <toolkit>', 'only for this toolkit'],
      ],
    },
  },
  {
    name: 'agents',
    description: 'agents that a user connected',
    path: '/users/{user}/agents',
    columns: {
      'Agent': 'id',
      'Name': 'client.name',
      'Scopes': 'scopes',
      'Expires': timeColumn('expires_at'),
      'Last used': timeColumn('used_at'),
      'Toolkits': 'toolkits',
      'Toolset': 'toolset',
    },
    removal: { verb: 'end', argument: 'id', description: 'end the access of an agent' },
  },
  {
    name: 'sessions',
    description: 'sessions in browsers: your own, for administrators those of everybody',
    path: '/sessions',
    filters: ['user_id'],
    columns: {
      Session: 'id',
      Person: (session) => getText(session, 'user_id') ?? session['principal'],
      Began: timeColumn('created_at'),
      Expires: timeColumn('expires_at'),
      Browser: 'browser',
    },
    removal: { verb: 'end', argument: 'id', description: 'end a session' },
  },
  {
    name: 'providers',
    description: 'providers of accounts of people, for administrators',
    path: '/providers',
    columns: PROVIDER,
    removal: { verb: 'remove', argument: 'id', description: 'remove a provider, which no tool can use then' },
    addMore: addProviderCommands,
  },
]

export const addGroups: AddCommands = (program, open) => {
  for (const listing of GROUPS) {
    const group = addGroup(program, open, listing)
    listing.addMore?.(group, open)
    addRemoval(group, open, listing.path, listing.removal)
  }
}

const KINDS = ['api_key', 'bearer', 'basic', 'fields']
const TEST_SIGNS: Readonly<Record<string, StyledText>> = { ok: ['green', '✓'], failed: ['red', '✗'] }

function addProviderCommands(providers: Command, open: Open): void {
  providers
    .command('test <id>')
    .description('test whether a provider answers, and accepts its client ID and secret, or refuses a made-up key')
    .action((id, options) => testProvider(open(options), id))
  providers
    .command('set <id>')
    .description('add a provider, or change it; its other settings stay. google, github and others need no addresses')
    .addOption(new Option('--kind <kind>', 'what people enter of their own, where there is no OAuth').choices(KINDS))
    .option('--client-id <id>', 'the id of the OAuth client that is registered at the provider')
    .option('--client-secret-name <name>', "the Worker secret that holds the client's secret, never the secret itself")
    .option('--issuer <url>', 'the address where the endpoints of the provider are discovered')
    .option('--name <name>', 'the name that people see')
    .option('--tool <pattern>', 'tools that may use it, such as Gmail.*; can be repeated (default: all)', collectOption)
    .option(
      '--more <json>',
      'other settings, such as {"authorization_endpoint": …, "token_endpoint": …} or {"check": …}',
    )
    .action(async (id, options) => {
      const { clientId: client_id, clientSecretName: client_secret_name, tool: tools, kind, issuer, name } = options
      const others = options.more === undefined ? {} : readObject(options.more, '--more')
      const settings = requireFields({ kind, client_id, client_secret_name, issuer, name, tools, ...others })
      const session = open(options)
      const path = `/providers/${encodeURIComponent(id)}`
      const provider = await putChange(session, path, { ...settings, id: undefined, built_in: undefined })
      session.terminal.emit(provider, () => session.terminal.table(PROVIDER)([provider]))
    })
}

async function testProvider({ connection, terminal, signal }: CliSession, id: string): Promise<void> {
  const path = `/providers/${encodeURIComponent(id)}/test`
  const result: JsonRecord = await connection.sendJson({ method: 'POST', path, signal, isRepeatable: true })
  terminal.emit(result, () => {
    for (const { state, message } of listObjects(result, 'steps'))
      terminal.print(TEST_SIGNS[String(state)] ?? ['yellow', '?'], ` ${String(message)}`)
  })
  if (result['ok'] !== true) throw new CliError('failed', `'${id}' does not work as it is set up`)
}

function addToolkitCommands(toolkits: Command, open: Open): void {
  async function send(toolkit: string, method: string, options: object, json?: JsonRecord): Promise<void> {
    const { connection, terminal } = open(options)
    const path = `/toolkits/${encodeURIComponent(toolkit)}`
    const settings: JsonRecord = await connection.sendJson({ method, path, json })
    terminal.emit(settings, () => terminal.table(TOOLKIT)([settings]))
  }
  toolkits
    .command('show <toolkit>')
    .description('show the owner and the settings of a toolkit')
    .action((toolkit, options) => send(toolkit, 'GET', options))
  toolkits
    .command('set <toolkit>')
    .description('change the owner or the settings of a toolkit; the others stay')
    .option('--owner <owner>', "a key's id, 'admin', 'jwt:<subject>', or 'none' for the deployment")
    .option('--review', 'new versions wait until somebody approves them')
    .option('--no-review', 'new versions are active at once')
    .option('--description <text>', 'what the toolkit is for')
    .option('--tag <tag>', 'a tag of all its tools; can be repeated', collectOption)
    .action((toolkit, options) => {
      const { owner, review, description, tag: tags } = options
      const json = requireFields({ owner: owner === 'none' ? null : owner, review, description, tags })
      // An owner can be set before the toolkit has tools
      return send(toolkit, Object.keys(json).join() === 'owner' ? 'PUT' : 'PATCH', options, json)
    })
}

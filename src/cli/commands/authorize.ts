import { spawn } from 'node:child_process'
import { loadChallengeDetails, pollAuthorization } from '../../client/authorization.ts'
import { type Challenge, SwitchboardError } from '../../client/index.ts'
import { isObject, listObjects, getText } from '../../client/json.ts'
import { CliError } from '../cli-error.ts'
import type { AddCommands, CliSession } from '../context.ts'

export const addAuthorize: AddCommands = (program, open) => {
  program
    .command('authorize <tool>')
    .description('connect the accounts that a tool needs, before it is called')
    .option('--user <user>', 'the user who connects the accounts')
    .option('--no-open', 'print the link without opening it')
    .option('--wait', 'wait for the person even without a terminal')
    .option('--no-wait', 'print the link and exit without waiting')
    .action(async (tool, options) => {
      const session = open(options)
      const { connection, terminal, waitSignal, user } = session
      const path = `/tools/${encodeURIComponent(tool)}/readiness`
      const readiness: unknown = await connection.sendJson({ path, query: { user_id: user } })
      const missing = isObject(readiness) ? readiness['missing_requirements'] : undefined
      if (isObject(missing) && missing['user_id'] === true)
        throw new CliError('usage', `'${tool}' acts for a user`, 'Pass --user')
      if (listObjects(missing, 'authorization').length === 0)
        return terminal.emit({ tool, authorized: true }, () => terminal.note(`'${tool}' needs no consent`))
      const challenges = await listChallenges(session, tool)
      const mayWait = options.wait ?? terminal.isInteractive
      if (!mayWait)
        throw new SwitchboardError('authorization_required', `'${tool}' needs somebody's consent`, { challenges })
      for (const challenge of challenges) {
        await showLink(session, challenge, options.open)
        await terminal.withProgress('Waiting until it is done', () =>
          pollAuthorization(connection, challenge, waitSignal),
        )
      }
      terminal.emit({ tool: getText(readiness, 'tool') ?? tool, authorized: true }, () =>
        terminal.note(['green', '✓'], ' It is allowed'),
      )
    })
}

async function listChallenges({ client, connection, signal }: CliSession, tool: string): Promise<readonly Challenge[]> {
  try {
    await client.call(tool)
    return []
  } catch (error) {
    const links = error instanceof SwitchboardError ? error.details.challenges : undefined
    if (!links) throw error
    return Promise.all(links.map((link) => loadChallengeDetails(connection, link, signal)))
  }
}

export async function showLink(session: CliSession, challenge: Challenge, mayOpen: boolean): Promise<void> {
  const { terminal, surroundings } = session
  const { id, url, scopes = [], user } = challenge
  const access = `allow access to '${id}'${scopes.length > 0 ? ` (${scopes.join(', ')})` : ''}`
  terminal.note([
    'bold',
    id === 'approval' ? 'A person must approve this call:' : `${user ?? 'A person'} must ${access}:`,
  ])
  terminal.note(`  ${url}`)
  if (mayOpen && terminal.isInteractive) openPage(url, surroundings.env)
}

/** Runs no shell and opens only web addresses, because the URL comes from a server. */
function openPage(url: string, env: Readonly<Record<string, string | undefined>>): void {
  const { protocol, href } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return
  const [program, args] = OPENERS[process.platform] ?? ['xdg-open', []]
  const child = spawn(program, [...args, href], { stdio: 'ignore', detached: true, env })
  child.on('error', () => undefined)
  child.unref()
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, readonly string[]]>>> = {
  darwin: ['open', []],
  win32: ['rundll32', ['url.dll,FileProtocolHandler']],
}

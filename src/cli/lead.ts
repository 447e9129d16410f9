import { spawn } from 'node:child_process'
import type { Challenge } from '../client/index.ts'
import type { Session } from './session.ts'

/** Shows a person the link of a challenge, and opens it where somebody is at the terminal and wants that. */
export async function lead({ terminal, surroundings }: Session, challenge: Challenge, opens: boolean): Promise<void> {
  const { id, url, scopes = [], user } = challenge
  const what =
    id === 'approval'
      ? 'approve this call'
      : `allow access to '${id}'${scopes.length > 0 ? ` (${scopes.join(', ')})` : ''}`
  terminal.note(['bold', `${user ?? 'A person'} must ${what}:`])
  terminal.note(`  ${url}`)
  if (opens && terminal.isInteractive) open(url, surroundings.env)
}

/** Has the system open a page. Nothing of a shell is used, and nothing is opened that is not the web's. */
function open(url: string, env: Readonly<Record<string, string | undefined>>): void {
  const { protocol, href } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return
  const [program, args] = OPENERS[process.platform] ?? ['xdg-open', []]
  const child = spawn(program, [...args, href], { stdio: 'ignore', detached: true, env })
  // Where there is none, the link stands there
  child.on('error', () => undefined)
  child.unref()
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, readonly string[]]>>> = {
  darwin: ['open', []],
  win32: ['rundll32', ['url.dll,FileProtocolHandler']],
}

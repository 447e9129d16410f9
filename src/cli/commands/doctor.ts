import { isLoopback } from '../../client/connection.ts'
import { SwitchboardError } from '../../client/index.ts'
import { isObject, objectsIn, textIn } from '../../client/json.ts'
import { CliError } from '../cli-error.ts'
import type { AddCommands, CommonOptions, CliSession } from '../context.ts'

interface Finding {
  readonly about: string
  readonly state: 'ok' | 'off' | 'fault'
  readonly message: string
  readonly fix?: string
}

const MAX_TOOLS = 200

export const addDoctor: AddCommands = (program, open) => {
  program
    .command('doctor')
    .description('say what of the deployment is not set up, and how it is')
    .action((options: CommonOptions) => doctor(open(options)))
}

async function doctor(session: CliSession): Promise<void> {
  const { terminal } = session
  const findings: Finding[] = []
  await terminal.during('Looking', async () => {
    for (const look of [health, key, access, administration, providers, tools]) {
      const found = await look(session, findings)
      findings.push(...found)
      if (look === health && found.some(({ state }) => state === 'fault')) break
    }
  })
  const faults = findings.filter(({ state }) => state === 'fault')
  terminal.give({ url: session.url.origin, ok: faults.length === 0, findings }, () => {
    for (const { about, state, message, fix } of findings) {
      terminal.print(STATES[state], ` ${about.padEnd(14)} `, message)
      if (fix !== undefined) terminal.print(['dim', `  ${' '.repeat(15)}${fix}`])
    }
  })
  if (faults.length > 0)
    throw new CliError('failed', `${faults.length} of ${findings.length} are not as they should be`)
}

const STATES = { ok: ['green', '✓'], off: ['yellow', '–'], fault: ['red', '✗'] } as const

async function health({ stranger, url, signal }: CliSession): Promise<Finding[]> {
  const about = 'deployment'
  try {
    const answer: unknown = await stranger.json({ path: '/health', signal })
    return [{ about, state: 'ok', message: `${url.origin} is well, version ${textIn(answer, 'version') ?? 'unknown'}` }]
  } catch (error) {
    const fix = isLoopback(url)
      ? 'npm run dev serves one here; --url or SWITCHBOARD_URL names another'
      : 'See that the address (--url, SWITCHBOARD_URL) is the one that npm run deploy printed'
    return [{ about, state: 'fault', message: messageOf(error), fix }]
  }
}

async function key({ connection, hasKey, signal }: CliSession): Promise<Finding[]> {
  const about = 'key'
  if (!hasKey) return [{ about, state: 'off', message: 'There is none', fix: 'Set SWITCHBOARD_KEY, or pass --key' }]
  try {
    await connection.json({ path: '/tools', query: { limit: 1 }, signal })
    return [{ about, state: 'ok', message: 'It is known, and may read tools' }]
  } catch (error) {
    const fix = 'An administrator makes one: switchboard keys create --name …'
    return [{ about, state: 'fault', message: messageOf(error), fix }]
  }
}

async function access({ stranger, hasKey, url, signal }: CliSession): Promise<Finding[]> {
  const about = 'ACCESS'
  try {
    await stranger.json({ path: '/keys', signal })
    const message = `open: anybody who reaches ${url.host} may do anything, which holds on your own machine alone`
    return [{ about, state: 'ok', message }]
  } catch (error) {
    if (!(error instanceof SwitchboardError)) throw error
    if (/No administrator is set up/.test(error.message)) {
      const fix = 'npx wrangler secret put ADMIN_KEY; on your own machine a line ADMIN_KEY=… in .dev.vars'
      return [{ about: 'ADMIN_KEY', state: 'fault', message: 'It is not set, so nobody can make keys', fix }]
    }
    if (error.code !== 'unauthenticated' && error.code !== 'forbidden')
      return [{ about, state: 'fault', message: messageOf(error) }]
  }
  const reads = await stranger.json({ path: '/tools', query: { limit: 1 }, signal }).then(
    () => true,
    () => false,
  )
  const message = reads ? 'public: anybody lists and calls tools of level 0' : 'keys: nobody gets in without one'
  const found: Finding = { about, state: 'ok', message }
  return hasKey || reads ? [found] : [{ ...found, state: 'off' }]
}

async function administration({ connection, signal }: CliSession): Promise<Finding[]> {
  const about = 'administrator'
  try {
    const keys: unknown = await connection.json({ path: '/keys', signal })
    const count = objectsIn(keys, 'items').length
    if (count > 0) return [{ about, state: 'ok', message: `There are ${count} keys` }]
    const fix = 'switchboard keys create --name … makes one for each agent'
    return [{ about, state: 'off', message: 'There are no keys beside ADMIN_KEY', fix }]
  } catch (error) {
    const fix = 'With ADMIN_KEY as the key, more can be told'
    return [{ about, state: 'off', message: messageOf(error), fix }]
  }
}

async function providers({ connection, signal }: CliSession): Promise<Finding[]> {
  const about = 'providers'
  try {
    const answer: unknown = await connection.json({ path: '/providers', signal })
    const ids = objectsIn(answer, 'items').map((each) => textIn(each, 'id') ?? '')
    if (ids.length > 0) return [{ about, state: 'ok', message: ids.join(', ') }]
    const fix = 'Such as npx wrangler secret put GOOGLE_CLIENT_ID, and GOOGLE_CLIENT_SECRET'
    return [{ about, state: 'off', message: 'None is set up, so no tool can act for a person', fix }]
  } catch {
    return []
  }
}

async function tools({ client, connection, signal, user }: CliSession, before: readonly Finding[]): Promise<Finding[]> {
  if (before.some(({ about, state }) => about === 'key' && state === 'fault')) return []
  const causes = new Map<string, string[]>()
  let checked = 0
  try {
    for await (const tool of client.tools({ limit: MAX_TOOLS, signal })) {
      if (checked++ === MAX_TOOLS) break
      if (!isObject(tool['requirements'])) continue
      const path = `/tools/${encodeURIComponent(tool.id)}/readiness`
      const readiness: unknown = await connection.json({ path, query: { user_id: user }, signal })
      for (const problem of objectsIn(readiness, 'problems')) {
        const words = textIn(problem, 'developer_message') ?? textIn(problem, 'message') ?? ''
        const held = causes.get(words)
        if (held) held.push(tool.id)
        else causes.set(words, [tool.id])
      }
    }
  } catch (error) {
    return [{ about: 'tools', state: 'off', message: messageOf(error) }]
  }
  if (causes.size === 0) return [{ about: 'tools', state: 'ok', message: `Nothing is in the way of ${checked}` }]
  return [...causes].map(([words, ids]) => ({
    about: 'tools',
    state: 'off',
    message: `${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ` and ${ids.length - 3} more` : ''}`,
    fix: words,
  }))
}

function messageOf(error: unknown): string {
  if (!(error instanceof SwitchboardError)) throw error
  if (error.code === 'cancelled') throw error
  return error.message
}

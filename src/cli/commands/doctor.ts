import { type Ask, type Connection, isLoopback } from '../../client/connection.ts'
import { SwitchboardError } from '../../client/index.ts'
import { type JsonRecord, objectsIn, textIn } from '../../client/json.ts'
import { CliError } from '../cli-error.ts'
import type { AddCommands, CliSession } from '../context.ts'
import type { Update } from '../terminal.ts'

interface Finding {
  readonly about: string
  readonly state: 'ok' | 'off' | 'fault'
  readonly message: string
  readonly fix?: string
}

export const addDoctor: AddCommands = (program, open) => {
  program
    .command('doctor')
    .description('check the setup of the deployment, and say how to complete it')
    .action((options) => doctor(open(options)))
}

async function doctor(session: CliSession): Promise<void> {
  const { terminal } = session
  const findings: Finding[] = []
  await terminal.during('Looking', async (update) => {
    for (const look of [health, key, access, setup, tools]) {
      const found = await look(session, update)
      findings.push(...found)
      if (look === health && found.some(({ state }) => state === 'fault')) break
    }
  })
  const faults = findings.filter(({ state }) => state === 'fault')
  terminal.give({ url: session.url.origin, ok: faults.length === 0, findings }, () => {
    const wide = Math.max(0, ...findings.map(({ about }) => about.length))
    for (const { about, state, message, fix } of findings) {
      terminal.print(STATES[state], ` ${about.padEnd(wide)}  `, message)
      if (fix !== undefined) terminal.print(['dim', `${' '.repeat(wide + 4)}${fix}`])
    }
  })
  const [first] = faults
  if (!first) return
  const code = first.about === DEPLOYMENT ? 'unavailable' : 'failed'
  throw new CliError(code, `${faults.length} of ${findings.length} checks failed`)
}

const STATES = { ok: ['green', '✓'], off: ['yellow', '–'], fault: ['red', '✗'] } as const

const DEPLOYMENT = 'deployment'

async function health({ stranger, url, signal }: CliSession): Promise<Finding[]> {
  const about = DEPLOYMENT
  try {
    await stranger.json({ path: '/health', signal })
    const card: unknown = await stranger.json({ path: '/mcp/server-card', signal }).catch(() => undefined)
    return [{ about, state: 'ok', message: `${url.origin} is well, version ${textIn(card, 'version') ?? 'unknown'}` }]
  } catch (error) {
    const fix = isLoopback(url)
      ? 'npm run dev serves one here; --url or SWITCHBOARD_URL names another'
      : 'See that the address (--url, SWITCHBOARD_URL) is the one that npm run deploy printed'
    return [{ about, state: 'fault', message: toMessage(error), fix }]
  }
}

async function key({ connection, stranger, hasKey, signal }: CliSession): Promise<Finding[]> {
  const about = 'key'
  if (!hasKey) return [{ about, state: 'off', message: 'There is none', fix: 'Set SWITCHBOARD_KEY, or pass --key' }]
  try {
    await connection.json({ path: '/tools', query: { limit: 1 }, signal })
    const isAdministrator = await reads(connection, { path: '/keys', signal })
    if (isAdministrator && (await reads(stranger, { path: '/keys', signal })))
      return [{ about, state: 'off', message: 'Keys are not checked with ACCESS=open' }]
    return [{ about, state: 'ok', message: isAdministrator ? ADMINISTRATOR : 'It is valid, and can read tools' }]
  } catch (error) {
    const fix = 'Ask an administrator for one: switchboard keys create --name …'
    const message = isRefused(error) ? 'It is wrong, or cannot read tools' : toMessage(error)
    return [{ about, state: 'fault', message, fix }]
  }
}

const ADMINISTRATOR = "It is an administrator's"

function reads({ json }: Connection, request: Omit<Ask<never>, 'read'>): Promise<boolean> {
  return json(request).then(
    () => true,
    () => false,
  )
}

async function access({ stranger, hasKey, url, signal }: CliSession): Promise<Finding[]> {
  const about = 'ACCESS'
  let isPublic = false
  try {
    // Each refusal is in the audit log, so where the first is refused nothing more is asked
    await stranger.json({ path: '/tools', query: { limit: 1 }, signal })
    isPublic = true
    await stranger.json({ path: '/keys', signal })
    const message = `open: anyone who reaches ${url.host} can do anything; only safe on your own machine`
    return [{ about, state: 'ok', message }]
  } catch (error) {
    if (!(error instanceof SwitchboardError)) throw error
    if (/No administrator is set up/.test(error.message)) {
      const fix = 'npx wrangler secret put ADMIN_KEY; on your own machine a line ADMIN_KEY=… in .dev.vars'
      return [{ about: 'ADMIN_KEY', state: 'fault', message: 'It is not set, so nobody can create keys', fix }]
    }
    if (!isRefused(error)) return [{ about, state: 'fault', message: toMessage(error) }]
  }
  const message = isPublic ? 'public: anyone can list and call tools of level 0' : 'keys: every request needs one'
  const found: Finding = { about, state: 'ok', message }
  return hasKey || isPublic ? [found] : [{ ...found, state: 'off' }]
}

/** An administrator's alone, in the words of the deployment. */
async function setup({ connection, hasKey, signal }: CliSession): Promise<Finding[]> {
  try {
    const answer: unknown = await connection.json({ path: '/setup', signal })
    return objectsIn(answer, 'items').map((each) => {
      const fix = textIn(each, 'fix')
      const state = textIn(each, 'state') === 'ok' ? 'ok' : 'off'
      const [about = '', message = ''] = [textIn(each, 'about'), textIn(each, 'message')]
      return { about, state, message, ...(fix === undefined ? {} : { fix }) }
    })
  } catch (error) {
    const about = 'setup'
    if (!isRefused(error)) return [{ about, state: 'off', message: toMessage(error) }]
    const fix = 'Run doctor with ADMIN_KEY as the key to check the setup too'
    return hasKey ? [{ about, state: 'off', message: "The key is not an administrator's", fix }] : []
  }
}

/** A user of nobody: without one, readiness says also that a user is missing. */
const ANY_USER = 'switchboard-doctor'

async function tools(session: CliSession, update: Update): Promise<Finding[]> {
  const causes = new Map<string, Cause & { readonly ids: string[] }>()
  const all: string[] = []
  try {
    for await (const { id } of session.client.tools({ limit: 1_000, signal: session.signal })) all.push(id)
  } catch (error) {
    return isRefused(error) ? [] : [{ about: 'tools', state: 'off', message: toMessage(error) }]
  }
  const checkReadiness = createReadiness(session)
  for (let at = 0; at < all.length; at += AT_ONCE) {
    update('tools', at, all.length)
    const some = all.slice(at, at + AT_ONCE).map(async (id) => ({ id, found: await findCauses(id, checkReadiness) }))
    for (const { id, found } of await Promise.all(some)) {
      for (const { about, fix } of found) {
        // A remedy that names its tool is the same for other tools but for the name
        const key = `${about} ${fix.replaceAll(id, '').replaceAll(id.split('@', 1)[0] ?? id, '')}`
        const cause = causes.get(key) ?? { about, fix, ids: [] }
        cause.ids.push(id)
        causes.set(key, cause)
      }
    }
  }
  if (all.length === 0)
    return [{ about: 'tools', state: 'off', message: 'There are none', fix: 'Publish or import one' }]
  if (causes.size === 0) return [{ about: 'tools', state: 'ok', message: `All ${all.length} can be called` }]
  return [...causes.values()].map(({ about, fix, ids }) => {
    const more = ids.length > NAMED ? ` and ${ids.length - NAMED} more` : ''
    const message = `${ids.length === 1 ? '1 tool' : `${ids.length} tools`}: ${ids.slice(0, NAMED).join(', ')}${more}`
    return { about, state: 'off', message, fix }
  })
}

const NAMED = 3
const AT_ONCE = 20

interface Cause {
  readonly about: string
  readonly fix: string
}

function createReadiness({ connection, signal, user }: CliSession) {
  let userId: string | undefined = user ?? ANY_USER
  return async (tool: string): Promise<JsonRecord> => {
    const path = `/tools/${encodeURIComponent(tool)}/readiness`
    const ask = (): Promise<JsonRecord> => connection.json({ path, query: { user_id: userId }, signal })
    return ask().catch((error: unknown) => {
      if (!isRefused(error)) throw error
      // Keys act for some users only
      userId = undefined
      return ask()
    })
  }
}

/** By the secret or provider that is missing, and otherwise by the kind of problem. */
async function findCauses(tool: string, checkReadiness: ReturnType<typeof createReadiness>): Promise<readonly Cause[]> {
  let readiness: JsonRecord
  try {
    readiness = await checkReadiness(tool)
  } catch (error) {
    return [{ about: 'readiness', fix: toMessage(error) }]
  }
  return objectsIn(readiness, 'problems').flatMap((problem): readonly Cause[] => {
    const type = textIn(problem, 'type') ?? 'problem'
    const fix = textIn(problem, 'developer_message') ?? textIn(problem, 'message') ?? ''
    if (type === 'approval-required') return []
    if (type !== 'requirements-missing') return [{ about: type, fix }]
    const missing = readiness['missing_requirements']
    const secrets = objectsIn(missing, 'secrets').map(({ id }) => `secret ${String(id)}`)
    const unset = objectsIn(missing, 'authorization').filter(({ needs_setup: isUnset }) => isUnset)
    return [...secrets, ...unset.map(({ id }) => `provider ${String(id)}`)].map((about) => ({ about, fix }))
  })
}

function isRefused(error: unknown): boolean {
  return error instanceof SwitchboardError && (error.code === 'unauthenticated' || error.code === 'forbidden')
}

function toMessage(error: unknown): string {
  if (!(error instanceof SwitchboardError)) throw error
  if (error.code === 'cancelled') throw error
  return error.message
}

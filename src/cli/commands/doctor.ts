import { type Connection, isLoopback } from '../../client/connection.ts'
import { SwitchboardError } from '../../client/index.ts'
import { type JsonRecord, listObjects, getText } from '../../client/json.ts'
import { toCliTerms } from '../api-terms.ts'
import { CliError } from '../cli-error.ts'
import type { AddCommands, CliSession } from '../context.ts'
import type { UpdateProgress } from '../terminal.ts'
import { batchTools, listToolIds, loadReadiness } from './preflight.ts'

interface Finding {
  readonly about: string
  /** `blocked`: tools cannot be called. */
  readonly state: 'ok' | 'off' | 'blocked' | 'fault'
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
  await terminal.withProgress('Looking', async (update) => {
    for (const check of [checkHealth, checkKey, checkAccess, checkSetup, checkTools]) {
      const checkFindings = await check(session, update)
      findings.push(...checkFindings)
      if (check === checkHealth && checkFindings.some(({ state }) => state === 'fault')) break
    }
  })
  const failed = findings.filter(({ state }) => state === 'fault' || state === 'blocked')
  terminal.emit({ url: session.url.origin, ok: failed.length === 0, findings }, () => {
    const width = Math.max(0, ...findings.map(({ about }) => about.length))
    for (const { about, state, message, fix } of findings) {
      terminal.print(STATES[state], ` ${about.padEnd(width)}  `, message)
      if (fix !== undefined) terminal.print(['dim', `${' '.repeat(width + 4)}${fix}`])
    }
  })
  if (failed.length === 0) return
  const fault = failed.find(({ state }) => state === 'fault')
  const code = !fault ? 'incomplete' : fault.about === DEPLOYMENT ? 'unavailable' : 'failed'
  const problem = fault ? `${failed.length} of ${findings.length} checks failed` : 'Some tools cannot be called'
  throw new CliError(code, problem, 'The lines with ✗ say what to do')
}

const FAULT = ['red', '✗'] as const
const STATES = { ok: ['green', '✓'], off: ['yellow', '–'], blocked: FAULT, fault: FAULT } as const

const DEPLOYMENT = 'deployment'

async function checkHealth({ stranger, url }: CliSession): Promise<Finding[]> {
  const about = DEPLOYMENT
  try {
    await stranger.sendJson({ path: '/health' })
    const card: unknown = await stranger.sendJson({ path: '/mcp/server-card' }).catch(() => undefined)
    return [{ about, state: 'ok', message: `${url.origin} is well, version ${getText(card, 'version') ?? 'unknown'}` }]
  } catch (error) {
    const fix = isLoopback(url)
      ? 'npm run dev serves one here; --url or SWITCHBOARD_URL names another'
      : 'See that the address (--url, SWITCHBOARD_URL) is the one that npm run deploy printed'
    return [{ about, state: 'fault', message: toMessage(error), fix }]
  }
}

async function checkKey({ connection, stranger, hasKey }: CliSession): Promise<Finding[]> {
  const about = 'key'
  if (!hasKey)
    return [{ about, state: 'off', message: 'There is none', fix: "Run 'switchboard login', or set SWITCHBOARD_KEY" }]
  try {
    await connection.sendJson({ path: '/tools', query: { limit: 1 } })
    const isAdministrator = await canRead(connection, '/keys')
    if (isAdministrator && (await canRead(stranger, '/keys')))
      return [{ about, state: 'off', message: 'Keys are not checked with ACCESS=open' }]
    return [
      { about, state: 'ok', message: isAdministrator ? "It is an administrator's" : 'It is valid, and can read tools' },
    ]
  } catch (error) {
    const fix = 'Ask an administrator for one: switchboard keys create --name …'
    const message = isRefused(error) ? 'It is wrong, or cannot read tools' : toMessage(error)
    return [{ about, state: 'fault', message, fix }]
  }
}

const canRead = ({ sendJson }: Connection, path: string) =>
  sendJson({ path }).then(
    () => true,
    () => false,
  )

async function checkAccess({ stranger, hasKey, url }: CliSession): Promise<Finding[]> {
  const about = 'ACCESS'
  let isPublic = false
  try {
    // The audit log records each refusal, so no request follows a refused one
    await stranger.sendJson({ path: '/tools', query: { limit: 1 } })
    isPublic = true
    await stranger.sendJson({ path: '/keys' })
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
  const finding: Finding = { about, state: 'ok', message }
  return hasKey || isPublic ? [finding] : [{ ...finding, state: 'off' }]
}

/** Only administrators can read `/setup`. Its messages are shown unchanged. */
async function checkSetup({ connection, hasKey }: CliSession): Promise<Finding[]> {
  try {
    const answer: unknown = await connection.sendJson({ path: '/setup' })
    return listObjects(answer, 'items').map((item) => {
      const fix = getText(item, 'fix')
      const state = getText(item, 'state') === 'ok' ? 'ok' : 'off'
      const [about = '', message = ''] = [getText(item, 'about'), getText(item, 'message')]
      return { about, state, message, ...(fix === undefined ? {} : { fix }) }
    })
  } catch (error) {
    const about = 'setup'
    if (!isRefused(error)) return [{ about, state: 'off', message: toMessage(error) }]
    const fix = 'Run doctor with ADMIN_KEY as the key to check the setup too'
    return hasKey ? [{ about, state: 'off', message: "The key is not an administrator's", fix }] : []
  }
}

/** A user that does not exist. Without one, readiness would also report a missing user. */
const ANY_USER = 'switchboard-doctor'

async function checkTools(session: CliSession, update: UpdateProgress): Promise<Finding[]> {
  let items: readonly JsonRecord[]
  try {
    const requests = batchTools(await listToolIds(session))
    items = await loadReadiness(session, requests, { user_id: session.user ?? ANY_USER }, update).catch(
      (error: unknown) => {
        if (!isRefused(error)) throw error
        // The key may act only for certain users
        return loadReadiness(session, requests, {}, update)
      },
    )
  } catch (error) {
    return isRefused(error) ? [] : [{ about: 'tools', state: 'off', message: toMessage(error) }]
  }
  if (items.length === 0)
    return [{ about: 'tools', state: 'off', message: 'There are none', fix: 'Publish or import one' }]
  const causes = new Map<string, Cause & { readonly ids: string[] }>()
  for (const item of items) {
    const id = getText(item, 'tool') ?? ''
    for (const { about, fix } of listCauses(item)) {
      // Fixes that differ only in the tool's name have the same cause
      const key = `${about} ${fix.replaceAll(id, '').replaceAll(id.split('@', 1)[0] ?? id, '')}`
      const cause = causes.get(key) ?? { about, fix, ids: [] }
      cause.ids.push(id)
      causes.set(key, cause)
    }
  }
  if (causes.size === 0) return [{ about: 'tools', state: 'ok', message: `All ${items.length} can be called` }]
  return [...causes.values()].map(({ about, fix, ids }) => {
    const suffix = ids.length > MAX_NAMED_TOOLS ? ` and ${ids.length - MAX_NAMED_TOOLS} more` : ''
    const message = `${ids.length === 1 ? '1 tool' : `${ids.length} tools`}: ${ids.slice(0, MAX_NAMED_TOOLS).join(', ')}${suffix}`
    return { about, state: 'blocked', message, fix: toCliTerms(fix) }
  })
}

const MAX_NAMED_TOOLS = 3

interface Cause {
  readonly about: string
  readonly fix: string
}

/** Lists one cause for each missing secret or provider; for other problems, one for each type. */
function listCauses(readiness: JsonRecord): readonly Cause[] {
  const missing = readiness['missing_requirements']
  return listObjects(readiness, 'problems').flatMap((problem): readonly Cause[] => {
    const type = getText(problem, 'type') ?? 'problem'
    const fix = getText(problem, 'developer_message') ?? getText(problem, 'message') ?? ''
    if (type === 'approval-required') return []
    if (type !== 'requirements-missing') return [{ about: type, fix }]
    const secrets = listObjects(missing, 'secrets').map(({ id }) => `secret ${String(id)}`)
    const providers = listObjects(missing, 'authorization').filter(({ needs_setup: isUnset }) => isUnset)
    return [...secrets, ...providers.map(({ id }) => `provider ${String(id)}`)].map((about) => ({ about, fix }))
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

import { type JsonRecord, listObjects } from '../../client/json.ts'
import { CliError, type CliErrorCode } from '../cli-error.ts'
import type { AddCommands, CliSession } from '../context.ts'
import { toCliTerms } from '../api-terms.ts'
import type { UpdateProgress } from '../terminal.ts'
import { createLock, isSkill, type LockedTools, parseLock, readLock } from '../tool-lock-file.ts'

export const addPreflight: AddCommands = (program, open) => {
  program
    .command('preflight')
    .description('check whether tools can be called now; the exit code says who must act first')
    .argument('[tool...]', 'ids, with or without a version, or names; by default all tools that you can list')
    .option('--toolkit <toolkit>', 'only this toolkit')
    .option('--toolset <name>', 'only this toolset, and its tools as it shows them')
    .option('--lock <lock>', 'the tools of a lock, unchanged: a file, or the hash of a stored lock')
    .option('--user <user>', 'the user whom the calls are for')
    .action(async (tools, { toolkit, toolset, lock, user, ...options }) => {
      const session = open(options)
      const requests =
        lock !== undefined
          ? batchLock(await loadLock(session, lock))
          : toolset !== undefined && tools.length === 0
            ? [{ toolset }]
            : batchTools(tools.length > 0 ? tools : await listToolIds(session, toolkit))
      await preflight(session, requests, { toolset, user_id: user })
    })
}

async function loadLock({ connection, surroundings }: CliSession, lock: string): Promise<LockedTools> {
  if (!lock.startsWith('sha256:')) return readLock(lock, surroundings)
  return parseLock(await connection.sendJson({ path: `/locks/${encodeURIComponent(lock)}` }), lock)
}

/** In order of precedence for the exit code: needs that callers can do nothing about come first. */
const NEEDS: readonly { readonly need: string; readonly code: CliErrorCode; readonly text: string }[] = [
  { need: 'administrator', code: 'needs_administrator', text: 'an administrator' },
  { need: 'person', code: 'needs_person', text: 'a person' },
  { need: 'upstream', code: 'upstream_unreachable', text: 'an answer from its API' },
]

async function preflight(session: CliSession, requests: readonly JsonRecord[], context: Context): Promise<void> {
  const { terminal } = session
  const items = await terminal.withProgress('Checking', (update) => loadReadiness(session, requests, context, update))
  if (items.length === 0) throw new CliError('refused', 'There is no tool to check')
  const unready = items.filter(({ ready }) => ready !== true)
  terminal.emit({ ready: unready.length === 0, items }, () => items.forEach((item) => printItem(session, item)))
  const problems = unready.flatMap((item) => listObjects(item, 'problems'))
  const first = NEEDS.find(({ need }) => problems.some(({ needs }) => needs === need))
  if (first) throw new CliError(first.code, `${unready.length} of ${items.length} tools cannot be called now`)
}

function printItem({ terminal }: CliSession, item: JsonRecord): void {
  terminal.print(item['ready'] === true ? ['green', '✓'] : ['red', '✗'], ` ${String(item['tool'])}`)
  for (const { needs, message, developer_message: detail } of listObjects(item, 'problems')) {
    const who = NEEDS.find(({ need }) => need === needs)?.text ?? 'somebody'
    terminal.print(['yellow', `  needs ${who}: `], toCliTerms([message, detail].filter(Boolean).join(': ')))
  }
  for (const { url } of listObjects(item['missing_requirements'], 'authorization'))
    if (url !== undefined) terminal.print(`  ${String(url)}`)
}

/** Tools per request, which may read several values from storage for each tool. */
const BATCH_TOOLS = 100

export const batchTools = (ids: readonly string[]) => batch(ids).map((tools) => ({ tools }))
/** A lock that fits in one batch is sent with its skills, because a key may be bound to its hash. */
function batchLock(entries: LockedTools) {
  const skills = [...entries].filter(([name]) => isSkill(name))
  const parts = batch([...entries].filter(([name]) => !isSkill(name)))
  return parts.map((part) => ({ lock: createLock(new Map([...part, ...(parts.length === 1 ? skills : [])])) }))
}

function batch<T>(items: readonly T[]): readonly (readonly T[])[] {
  const starts = Array.from({ length: Math.ceil(items.length / BATCH_TOOLS) }, (_, at) => at * BATCH_TOOLS)
  return starts.map((start) => items.slice(start, start + BATCH_TOOLS))
}

interface Context {
  readonly toolset?: string | undefined
  readonly user_id?: string | undefined
}

/** Loads the readiness of each tool in the requests, in order. */
export async function loadReadiness(
  { connection }: CliSession,
  requests: readonly JsonRecord[],
  { toolset, user_id }: Context,
  update: UpdateProgress,
): Promise<readonly JsonRecord[]> {
  const items: JsonRecord[] = []
  for (const [at, request] of requests.entries()) {
    update('tools', at, requests.length)
    const json = { ...request, ...(user_id === undefined ? {} : { user_id }) }
    const query = { toolset }
    const report = await connection.sendJson({ method: 'POST', path: '/readiness', query, json, isRepeatable: true })
    items.push(...listObjects(report, 'items'))
  }
  return items
}

export async function listToolIds({ client }: CliSession, toolkit?: string): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { id } of client.tools({ limit: 1_000, ...(toolkit === undefined ? {} : { toolkit }) })) ids.push(id)
  return ids
}

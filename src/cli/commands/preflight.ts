import { type JsonRecord, listObjects } from '../../client/json.ts'
import { CliError, type CliErrorCode } from '../cli-error.ts'
import type { AddCommands, CliSession } from '../context.ts'
import { toCliTerms } from '../api-terms.ts'
import type { UpdateProgress } from '../terminal.ts'

export const addPreflight: AddCommands = (program, open) => {
  program
    .command('preflight')
    .description('check whether tools can be called now; the exit code says who must act first')
    .argument('[tool...]', 'ids, with or without a version, or names; by default all tools that you can list')
    .option('--toolkit <toolkit>', 'only this toolkit')
    .option('--user <user>', 'the user whom the calls are for')
    .action(async (tools, { toolkit, user, ...options }) => {
      const session = open(options)
      await preflight(session, tools.length > 0 ? tools : await listToolIds(session, toolkit), user)
    })
}

/** In the order of the exit code: what a caller can do nothing about comes first. */
const NEEDS: readonly { readonly need: string; readonly code: CliErrorCode; readonly text: string }[] = [
  { need: 'administrator', code: 'needs_administrator', text: 'an administrator' },
  { need: 'person', code: 'needs_person', text: 'a person' },
  { need: 'upstream', code: 'upstream_unreachable', text: 'an answer from its API' },
]

async function preflight(session: CliSession, tools: readonly string[], user: string | undefined): Promise<void> {
  if (tools.length === 0) throw new CliError('refused', 'There is no tool to check')
  const { terminal } = session
  const items = await terminal.withProgress('Checking', (update) => loadReadiness(session, tools, user, update))
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

/** As many as one request takes. */
const BATCH_TOOLS = 100

/** The readiness of each tool for a user, in the order of the tools. */
export async function loadReadiness(
  { connection }: CliSession,
  tools: readonly string[],
  user: string | undefined,
  update: UpdateProgress,
): Promise<readonly JsonRecord[]> {
  const items: JsonRecord[] = []
  for (let at = 0; at < tools.length; at += BATCH_TOOLS) {
    update('tools', at, tools.length)
    const json = { tools: tools.slice(at, at + BATCH_TOOLS), ...(user === undefined ? {} : { user_id: user }) }
    const report = await connection.sendJson({ method: 'POST', path: '/readiness', json, isRepeatable: true })
    items.push(...listObjects(report, 'items'))
  }
  return items
}

export async function listToolIds({ client }: CliSession, toolkit?: string): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { id } of client.tools({ limit: 1_000, ...(toolkit === undefined ? {} : { toolkit }) })) ids.push(id)
  return ids
}

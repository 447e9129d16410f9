import { type Command, Option } from 'commander'
import { isObject, type JsonRecord, listObjects, getText } from '../../client/json.ts'
import { IMPORT_KINDS } from '../../core/tool/remote-dialect.ts'
import { collectOption, readObject, readTextFile, requireFields } from '../argument-values.ts'
import { CliError } from '../cli-error.ts'
import { type AddCommands, type CliSession, YES } from '../context.ts'
import { listMessages } from './publish.ts'

type ImportOptions = ReturnType<ReturnType<typeof importCommand>['opts']>

/** Tools per request. Each request reads the source again, and progress is shown after each. */
const BATCH_TOOLS = 200
const IMPORT_MS = 330_000

export const addImport: AddCommands = (program, open) => {
  importCommand(program).action((source, options) => importToolkit(open(options), source, options))
}

function importCommand(program: Command) {
  return program
    .command('import')
    .description(
      'import a toolkit from an OpenAPI description or a server, such as another Switchboard; shows a preview first',
    )
    .argument('<source>', 'a URL, or a file with an OpenAPI description')
    .requiredOption('--toolkit <toolkit>', 'name of the toolkit')
    .addOption(new Option('--from <kind>', 'what it is, if it cannot be detected').choices(IMPORT_KINDS))
    .option('--tool <pattern>', 'which tools, such as repos_*; can be repeated (default: all)', collectOption)
    .option('--version <version>', 'their version')
    .addOption(
      new Option(
        '--credentials <whose>',
        "whose credentials calls use: the deployment's secrets, or each user's own",
      ).choices(['deployment', 'per-user']),
    )
    .option('--more <json>', 'further options, such as {"base_url": …, "credentials": …}')
    .option('--allow-breaking', 'allow breaking changes without a new major version')
    .option('--dry-run', 'preview the import without importing')
    .addOption(YES)
}

async function importToolkit(session: CliSession, source: string, options: ImportOptions): Promise<void> {
  const { terminal } = session
  const extraOptions = options.more === undefined ? {} : readObject(options.more, '--more')
  const { toolkit, version, tool, credentials } = options
  const fields = { toolkit, version, credentials, tools: tool, from: await readSource(source, options.from) }
  const body = { ...extraOptions, ...requireFields(fields) }
  const plan = await terminal.withProgress(`Reading ${source}`, () => postImport(session, body, options, true))
  const plannedTools = listObjects(plan, 'tools')
  const changedTools = plannedTools.filter(({ state }) => state !== 'unchanged')
  if (options.dryRun) return terminal.emit(plan, () => printPlan(session, plan, options))
  if (!terminal.json) printPlan(session, plan, options)
  if (changedTools.length === 0) {
    return terminal.emit({ ids: [], skipped: listObjects(plan, 'skipped') }, () =>
      terminal.note('There is nothing to import'),
    )
  }
  await terminal.confirm(`Import ${changedTools.length} tools into the toolkit '${toolkit}'?`)
  const result = await importTools(
    session,
    body,
    changedTools.map((planned) => /\.([^.@]+)@/.exec(getText(planned, 'id') ?? '')?.[1] ?? ''),
    options,
  )
  const providers = listObjects(plan, 'providers')
  terminal.emit({ ...result, ...(providers.length > 0 ? { providers } : {}) }, () =>
    terminal.note(['green', '✓'], ` Imported ${result.ids.length} ${result.ids.length === 1 ? 'tool' : 'tools'}`),
  )
  if (result.ids.length < changedTools.length)
    throw new CliError(
      'failed',
      `${changedTools.length - result.ids.length} of ${changedTools.length} were not imported`,
    )
}

function importTools(session: CliSession, body: JsonRecord, names: readonly string[], options: ImportOptions) {
  return session.terminal.withProgress('Importing', async (update) => {
    const ids: string[] = []
    const skipped: JsonRecord[] = []
    for (let at = 0; at < names.length; at += BATCH_TOOLS) {
      update('tools', at, names.length)
      const report = await postImport(session, { ...body, tools: names.slice(at, at + BATCH_TOOLS) }, options, false)
      ids.push(...listMessages(report, 'ids'))
      skipped.push(...listObjects(report, 'skipped'))
    }
    return { ids, skipped }
  })
}

function postImport({ connection }: CliSession, json: JsonRecord, options: ImportOptions, isDryRun: boolean) {
  const query = { dry_run: isDryRun ? '1' : undefined, allow: options.allowBreaking ? 'breaking' : undefined }
  const path = '/toolkits/import'
  const request = { method: 'POST', path, query, json, isRepeatable: true }
  return connection.sendJson<unknown>({ ...request, responseTimeoutMs: IMPORT_MS })
}

async function readSource(source: string, kind: string | undefined): Promise<JsonRecord> {
  if (!/^https?:\/\//i.test(source)) return { [kind ?? 'openapi']: await readTextFile(source) }
  const { pathname } = new URL(source)
  const detectedKind = /\/mcp\/?$/.test(pathname) ? 'mcp' : /\.(?:json|ya?ml)$/i.test(pathname) ? 'openapi' : undefined
  const sourceKind = kind ?? detectedKind
  if (sourceKind === undefined)
    throw new CliError('usage', 'Cannot detect the source', `Pass --from ${IMPORT_KINDS.join(', --from ')}`)
  return { [sourceKind]: source }
}

const PROVIDER_STATES: Readonly<Record<string, string>> = {
  existing: 'exists',
  new: 'is added by the import, with this body',
  missing:
    "is missing: an administrator adds it with 'switchboard providers set', or PUT /providers/{id} and this body",
}
const SIGNS: Readonly<Record<string, string>> = { new: '+', unchanged: '=', changed: '~' }

function listNeeds({ requirements }: JsonRecord): string {
  if (!isObject(requirements)) return ''
  const needs = [...listObjects(requirements, 'authorization'), ...listObjects(requirements, 'secrets')]
  return `  needs ${needs.length === 0 ? 'a user' : needs.map(({ id }) => id).join(', ')}`
}

function printPlan({ terminal }: CliSession, plan: unknown, { tool: patterns = [] }: ImportOptions): void {
  if (patterns.length > 0 && [...listObjects(plan, 'tools'), ...listObjects(plan, 'skipped')].length === 0)
    terminal.note(`No tool matches ${patterns.join(', ')}`)
  const tools = listObjects(plan, 'tools')
  const countState = (wantedState: string) => tools.filter(({ state }) => state === wantedState).length
  const breaking = tools.filter((tool) => listMessages(tool, 'breaking').length > 0).length
  terminal.note(
    `${countState('new')} new, ${countState('changed')} changed (${breaking} breaking), ${countState('unchanged')} the same, ${listMessages(plan, 'gone').length} no longer in the source`,
  )
  for (const plannedTool of tools) {
    const { id, state, method, path, security_level: level } = plannedTool
    const operation = method === undefined ? '' : `  ${String(method).toUpperCase()} ${String(path)}`
    const guard = level === undefined ? '' : `  level ${String(level)}`
    const details = `${operation}${guard}${listNeeds(plannedTool)}`
    terminal.print(['green', SIGNS[String(state)] ?? '+'], ` ${String(id)}`, ['dim', details])
    for (const reason of listMessages(plannedTool, 'breaking'))
      terminal.print(['yellow', `  breaks callers: ${reason}`])
  }
  for (const id of listMessages(plan, 'gone')) {
    const command = `switchboard deprecate ${id.split('@')[0]}`
    terminal.print(['yellow', `? ${id}`], `  no longer in the source, and stays as it is; to deprecate it: ${command}`)
  }
  for (const skippedTool of listObjects(plan, 'skipped'))
    terminal.print(['yellow', `- ${getText(skippedTool, 'name') ?? ''}`], `  ${getText(skippedTool, 'reason') ?? ''}`)
  for (const { id, kind, state, body } of listObjects(plan, 'providers')) {
    terminal.note(`provider ${String(id)} (${String(kind)}): ${PROVIDER_STATES[String(state)] ?? ''}`)
    if (body !== undefined) terminal.print(JSON.stringify(body))
  }
  for (const { message, tools, ids } of listObjects(plan, 'warnings')) {
    const examples = Array.isArray(ids) ? ids.join(', ') : ''
    terminal.note(['yellow', String(message)], ` (${tools === 1 ? examples : `${tools} tools, such as ${examples}`})`)
  }
}

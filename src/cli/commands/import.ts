import type { Command } from 'commander'
import { isObject, type JsonRecord, objectsIn, textIn } from '../../client/json.ts'
import { collectOption, readObject, readTextFile } from '../argument-values.ts'
import { CliError } from '../cli-error.ts'
import type { AddCommands, CliSession } from '../context.ts'

type ImportOptions = ReturnType<ReturnType<typeof importCommand>['opts']>

const KINDS = ['openapi', 'mcp', 'oxp', 'open-tool-calling', 'machine-context', 'plugin']
/** Tools of one request: each reads the source again, and progress is shown after each. */
const AT_ONCE = 200
const IMPORT_MS = 300_000

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
    .option('--from <kind>', `${KINDS.join(', ')}; if it cannot be detected`)
    .option('--tool <pattern>', 'which tools, such as repos_*; can be repeated (default: all)', collectOption)
    .option('--version <version>', 'their version')
    .option('--more <json>', 'further options, such as {"base_url": …, "credentials": …}')
    .option('--allow-breaking', 'allow breaking changes without a new major version')
    .option('--dry-run', 'preview the import without importing')
}

async function importToolkit(session: CliSession, source: string, options: ImportOptions): Promise<void> {
  const { terminal } = session
  const more = options.more === undefined ? {} : readObject(options.more, '--more')
  const { toolkit, version, tool } = options
  const said = { toolkit, version, tools: tool, from: await readSource(source, options.from) }
  const body = { ...more, ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) }
  const plan = await terminal.during(`Reading ${source}`, () => send(session, body, options, true))
  const made = objectsIn(plan, 'tools')
  const news = made.filter(({ state }) => state !== 'unchanged')
  if (options.dryRun) return terminal.give(plan, () => printPlan(session, plan, options))
  if (!terminal.json) printPlan(session, plan, options)
  if (news.length === 0) {
    return terminal.give({ ids: [], skipped: objectsIn(plan, 'skipped') }, () =>
      terminal.note('There is nothing to import'),
    )
  }
  await terminal.confirm(`Import ${news.length} tools into the toolkit '${toolkit}'?`)
  const result = await make(
    session,
    body,
    news.map((each) => /\.([^.@]+)@/.exec(textIn(each, 'id') ?? '')?.[1] ?? ''),
    options,
  )
  terminal.give(result, () =>
    terminal.note(['green', '✓'], ` Imported ${result.ids.length} ${result.ids.length === 1 ? 'tool' : 'tools'}`),
  )
  if (result.ids.length < news.length)
    throw new CliError('failed', `${news.length - result.ids.length} of ${news.length} were not imported`)
}

function make(session: CliSession, body: JsonRecord, names: readonly string[], options: ImportOptions) {
  return session.terminal.during('Importing', async (update) => {
    const ids: string[] = []
    const skipped: JsonRecord[] = []
    for (let at = 0; at < names.length; at += AT_ONCE) {
      update('tools', at, names.length)
      const answer = await send(session, { ...body, tools: names.slice(at, at + AT_ONCE) }, options, false)
      const given = isObject(answer) ? answer['ids'] : undefined
      if (Array.isArray(given)) ids.push(...given.map(String))
      skipped.push(...objectsIn(answer, 'skipped'))
    }
    return { ids, skipped }
  })
}

function send({ connection, signal }: CliSession, json: JsonRecord, options: ImportOptions, dry: boolean) {
  const query = { dry_run: dry ? '1' : undefined, allow: options.allowBreaking ? 'breaking' : undefined }
  const path = '/toolkits/import'
  const request = { method: 'POST', path, query, json, signal, repeatable: true }
  return connection.json<unknown>({ ...request, answerWithin: IMPORT_MS })
}

async function readSource(source: string, kind: string | undefined): Promise<JsonRecord> {
  if (kind !== undefined && !KINDS.includes(kind))
    throw new CliError('usage', `Cannot import from '${kind}': wanted ${KINDS.join(', ')}`)
  if (!/^https?:\/\//i.test(source)) return { [kind ?? 'openapi']: await readTextFile(source) }
  const { pathname } = new URL(source)
  const plain = /\/mcp\/?$/.test(pathname) ? 'mcp' : /\.(?:json|ya?ml)$/i.test(pathname) ? 'openapi' : undefined
  const found = kind ?? plain
  if (found === undefined)
    throw new CliError('usage', 'Cannot detect the source', `Pass --from ${KINDS.join(', --from ')}`)
  return { [found]: source }
}

const SIGNS: Readonly<Record<string, string>> = { new: '+', unchanged: '=', changed: '~' }

function listNeeds({ requirements }: JsonRecord): string {
  if (!isObject(requirements)) return ''
  const named = [...objectsIn(requirements, 'authorization'), ...objectsIn(requirements, 'secrets')]
  return `  needs ${named.length === 0 ? 'a user' : named.map(({ id }) => id).join(', ')}`
}

function printPlan({ terminal }: CliSession, plan: unknown, { tool: patterns = [] }: ImportOptions): void {
  if (patterns.length > 0 && [...objectsIn(plan, 'tools'), ...objectsIn(plan, 'skipped')].length === 0)
    terminal.note(`No tool matches ${patterns.join(', ')}`)
  for (const made of objectsIn(plan, 'tools')) {
    const { id, state, method, path, security_level: level } = made
    const place = method === undefined ? '' : `  ${String(method).toUpperCase()} ${String(path)}`
    const guard = level === undefined ? '' : `  level ${String(level)}`
    const more = `${place}${guard}${listNeeds(made)}`
    terminal.print(['green', SIGNS[String(state)] ?? '+'], ` ${String(id)}`, ['dim', more])
  }
  for (const each of objectsIn(plan, 'skipped'))
    terminal.print(['yellow', `- ${textIn(each, 'name') ?? ''}`], `  ${textIn(each, 'reason') ?? ''}`)
  for (const { message, tools, ids } of objectsIn(plan, 'warnings')) {
    const examples = Array.isArray(ids) ? ids.join(', ') : ''
    terminal.note(['yellow', String(message)], ` (${tools === 1 ? examples : `${tools} tools, such as ${examples}`})`)
  }
}

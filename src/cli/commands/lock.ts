import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { JsonRecord } from '../../client/json.ts'
import type { TextChange } from '../../core/publish/text-changes.ts'
import { createToolPatterns } from '../../core/tool/tool-patterns.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import { CliError, throwNotCompared } from '../cli-error.ts'
import type { AddCommands, CliSession } from '../context.ts'
import { listToolsOverMcp } from '../mcp-tools.ts'
import { compareVersionsAsRead, printTextChange } from '../tool-changes.ts'
import { createLock, formatLockFile, isSkill, type LockedTools, lockTools, readLock } from '../tool-lock-file.ts'
import { listItems } from './listings.ts'

type LockOptions = ReturnType<ReturnType<typeof lockCommand>['opts']>

const DEFAULT_FILE = 'tools.lock'
const NO_TOOL = { toolkit: '', tool: '' }

interface ChangedTool {
  readonly name: string
  readonly from: string
  readonly to: string
  /** Absent if the locked version can no longer be read. */
  readonly changes?: readonly TextChange[]
}

/** `tools.lock` has the version of each tool that a model reads, with a digest of everything it reads about the tool. */
export const addLock: AddCommands = (program, open) => {
  lockCommand(program).action(async (patterns, options) => {
    const session = open(options)
    if (options.check !== undefined) return checkLock(session, patterns, options)
    if (options.push !== undefined) return pushLock(session, options.push)
    if (options.update || options.adopt) return updateLock(session, patterns, options)
    const tools = select(await lockServedTools(session, options), patterns)
    if (tools.size === 0) throw new CliError('refused', 'There is no tool to lock')
    session.terminal.write(formatLockFile(tools))
  })
}

function lockCommand(program: Command) {
  return program
    .command('lock')
    .description('write a lock of tools: their versions, and digests of what models read of them')
    .argument('[tool...]', 'names, ids or patterns such as Gmail.*; by default all tools that you can call')
    .option('--toolset <name>', 'the tools as this toolset shows them')
    .addOption(
      new Option('--check [file]', 'compare a lock (default: tools.lock) with the tools of now').preset(DEFAULT_FILE),
    )
    .option('--strict', 'with --check: a tool that the lock lacks is a difference too')
    .addOption(new Option('--update', 'write these tools as they are now to tools.lock').conflicts(['check', 'adopt']))
    .addOption(new Option('--adopt', 'add the tools that tools.lock lacks').conflicts(['check']))
    .addOption(
      new Option(
        '--push [file]',
        'store a lock (default: tools.lock) in the deployment, and show the URLs that keep to it',
      )
        .preset(DEFAULT_FILE)
        .conflicts(['check', 'update', 'adopt']),
    )
}

async function lockServedTools(session: CliSession, { toolset }: LockOptions): Promise<LockedTools> {
  const read = () => Promise.all([listToolsOverMcp(session, toolset), listItems(session, '/skills', { toolset })])
  const [tools, skills] = await session.terminal.withProgress('Reading the tools', read)
  return lockTools(tools, skills.items)
}

/** Selects tools by patterns, or all without patterns. Each pattern must match a tool. */
function select(tools: LockedTools, patterns: readonly string[]): LockedTools {
  if (patterns.length === 0) return tools
  const entries = patterns.flatMap((pattern) => {
    const { covers } = createToolPatterns([pattern])
    const matching = [...tools].filter(([name, { id }]) => name === pattern || covers(parseToolId(id) ?? NO_TOOL))
    if (matching.length === 0) throw new CliError('refused', `No tool matches '${pattern}'`)
    return matching
  })
  return new Map(entries)
}

async function updateLock(session: CliSession, patterns: readonly string[], options: LockOptions): Promise<void> {
  const { terminal, surroundings } = session
  if (options.update && patterns.length === 0) throw new CliError('usage', 'Name the tools to update')
  const mayBeNew = options.adopt && !existsSync(DEFAULT_FILE)
  const before: LockedTools = mayBeNew ? new Map() : await readLock(DEFAULT_FILE, surroundings)
  const servedTools = await lockServedTools(session, options)
  const selectedNames = [...select(new Map([...before, ...servedTools]), patterns).keys()]
  const changedNames = selectedNames.filter((name) =>
    options.adopt ? !before.has(name) : !isSame(before.get(name), servedTools.get(name)),
  )
  const others = [...before].filter(([name]) => !changedNames.includes(name))
  const after = new Map([...others, ...[...servedTools].filter(([name]) => changedNames.includes(name))])
  await writeFile(DEFAULT_FILE, `${formatLockFile(after)}\n`)
  terminal.emit({ file: DEFAULT_FILE, changed: changedNames }, () => {
    for (const name of changedNames) printEntry(session, name, after.get(name)?.id)
    terminal.note(['green', '✓'], ` ${DEFAULT_FILE}: ${changedNames.length} changed of ${after.size} tools`)
  })
}

type Entry = ReturnType<LockedTools['get']>
const isSame = (one: Entry, other: Entry) => one?.id === other?.id && one?.digest === other?.digest

function printEntry({ terminal }: CliSession, name: string, id: string | undefined, note = ''): void {
  terminal.print(id === undefined ? ['red', '-'] : ['green', '+'], ` ${name}`, ['dim', `  ${id ?? 'is gone'}${note}`])
}

async function checkLock(session: CliSession, patterns: readonly string[], options: LockOptions): Promise<void> {
  const { terminal } = session
  const file = options.check ?? DEFAULT_FILE
  const difference = await findDifference(session, file, patterns, options).catch(throwNotCompared)
  const { gone, added, changed } = difference
  const count = gone.length + changed.length + (options.strict ? added.length : 0)
  terminal.emit({ same: count === 0, gone, new: added.map(([name]) => name), changed }, () => {
    for (const name of gone) printEntry(session, name, undefined)
    for (const tool of changed) printChanges(session, tool)
    for (const [name, { id }] of added) printEntry(session, name, id, ' is not in the lock')
  })
  if (count > 0)
    throw new CliError('differs', `${count} ${count === 1 ? 'entry differs' : 'entries differ'} from ${file}`)
  terminal.note(['green', '✓'], ` All entries match ${file}`)
}

async function findDifference(session: CliSession, file: string, patterns: readonly string[], options: LockOptions) {
  const locked = await readLock(file, session.surroundings)
  const served = await lockServedTools(session, options)
  const selected = [...select(new Map([...served, ...locked]), patterns)]
  const changed: ChangedTool[] = []
  for (const [name, { id }] of selected) {
    const now = served.get(name)
    if (!now || !locked.has(name) || isSame(now, locked.get(name))) continue
    const changes = isSkill(name) ? undefined : await compareVersionsAsRead(session, [id, now.id], options.toolset)
    changed.push({ name, from: id, to: now.id, ...(changes ? { changes } : {}) })
  }
  const gone = selected.flatMap(([name]) => (served.has(name) ? [] : [name]))
  return { gone, added: selected.filter(([name]) => !locked.has(name)), changed }
}

async function pushLock({ connection, terminal, surroundings, url }: CliSession, file: string): Promise<void> {
  const json = createLock(await readLock(file, surroundings))
  const { hash }: JsonRecord = await connection.sendJson({ method: 'PUT', path: '/locks', json, isRepeatable: true })
  const urls = ['/mcp', '/connect/mcp'].map((path) => `${url.origin}${path}?lock=${String(hash)}`)
  terminal.emit({ hash, urls }, () => [hash, ...urls].forEach((line) => terminal.print(String(line))))
}

function printChanges(session: CliSession, { name, from, to, changes }: ChangedTool): void {
  const { terminal } = session
  terminal.print(['yellow', '~'], ` ${name}`, ['dim', `  ${from === to ? to : `${from} → ${to}`}`])
  if (!changes && !isSkill(name)) terminal.print('  Its locked version cannot be read any more')
  if (changes?.length === 0) terminal.print('  Its version is the same, and a toolset or a policy shows it otherwise')
  for (const change of changes ?? []) printTextChange(session, { ...change })
}

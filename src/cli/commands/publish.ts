import { watch } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { Command } from 'commander'
import { SwitchboardError } from '../../client/index.ts'
import { isObject, type JsonRecord, objectsIn, parsed, textIn } from '../../client/json.ts'
import { collectOption, parseJsonArgument } from '../argument-values.ts'
import { CliError } from '../cli-error.ts'
import { type AddCommands, type CliSession, readNote } from '../context.ts'
import { problemLine } from '../terminal-text.ts'

type Published = Awaited<ReturnType<typeof publishFile>>
type PublishOptions = ReturnType<ReturnType<typeof publishCommand>['opts']>

export const addPublish: AddCommands = (program, open) => {
  publishCommand(program).action((files, options) => publish(open(options), files, options))
}

function publishCommand(program: Command) {
  return program
    .command('publish <file...>')
    .description('publish tools from files: definitions as JSON in any dialect (one, or a list), or plugins (.wasm)')
    .option('--watch', 'keep running, and publish files as they change')
    .option('--dialect <dialect>', 'the dialect of the definitions, if it cannot be detected')
    .option('--toolkit <toolkit>', 'their toolkit, if they do not name one')
    .option('--version <version>', 'their version, if they do not name one')
    .option('--tag <tag>', 'a tag; can be repeated', collectOption)
    .option('--code <file>', 'a JavaScript module that runs for the one definition')
    .option('--allowed-host <host>', 'a host that the code or plugin can reach; can be repeated', collectOption)
    .option('--config <key:SECRET>', "a plugin's configuration, by a secret's name; can be repeated", collectOption)
    .option('--security-level <level>', 'security level of a plugin (0–10)')
    .option('--allow-breaking', 'allow breaking changes without a new major version')
}

async function publish(session: CliSession, files: readonly string[], options: PublishOptions): Promise<void> {
  if (options.code !== undefined && files.length > 1) throw new CliError('usage', '--code is of one definition')
  if (options.watch) return keepPublishing(session, files, options)
  const published: Published[] = []
  for (const file of files) published.push(await publishFile(session, file, options))
  const { terminal } = session
  terminal.give({ published }, () => published.forEach((each) => tell(session, each)))
  const refused = published.reduce((sum, each) => sum + each.refused.length, 0)
  if (refused > 0) throw new SwitchboardError('invalid', `${refused} could not be published`)
}

async function keepPublishing(session: CliSession, files: readonly string[], options: PublishOptions): Promise<void> {
  const { terminal, signal } = session
  const publishOne = async (file: string) => {
    try {
      const published = await publishFile(session, file, options)
      terminal.give(published, () => tell(session, published))
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const problems = error instanceof SwitchboardError ? (error.details.problems ?? []) : []
      terminal.give({ file, error: { message, problems } }, () => {
        terminal.note(['red', message.includes(file) ? message : `${file}: ${message}`])
        for (const problem of problems) terminal.note(problemLine(problem))
      })
    }
  }
  for (const file of files) await publishOne(file)
  const parts = options.code === undefined ? files : [...files, options.code]
  const waiting = new Map<string, NodeJS.Timeout>()
  // Folders, since editors replace files, and a watch ends with its file
  const watchers = parts.map((part) =>
    watch(dirname(part), (_, name) => {
      if (name !== basename(part)) return
      const file = part === options.code ? (files[0] ?? part) : part
      clearTimeout(waiting.get(file))
      const timer = setTimeout(() => void publishOne(file), 100)
      waiting.set(file, timer)
    }),
  )
  terminal.note(['dim', 'Watching; Ctrl+C stops'])
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  for (const watcher of watchers) watcher.close()
  for (const timer of waiting.values()) clearTimeout(timer)
}

async function publishFile(session: CliSession, file: string, options: PublishOptions) {
  const { connection, terminal, signal } = session
  if ((await stat(file)).isDirectory())
    throw new CliError(
      'usage',
      `Cannot open '${file}': it is a folder`,
      `Pass its files, such as ${join(file, '*.json')}`,
    )
  const request = await (extname(file) === '.wasm' ? pluginRequest : definitionsRequest)(file, options)
  return terminal.during(`Publishing ${file}`, () =>
    connection.ask({
      ...request,
      signal,
      repeatable: true,
      async read(response) {
        const answer = parsed(await response.text())
        if (!isObject(answer)) throw new SwitchboardError('answer_invalid', 'The server is not a Switchboard')
        const isBatch = Array.isArray(answer['results'])
        const results = isBatch ? objectsIn(answer, 'results') : [{ ...answer, status: response.status }]
        const made = results.filter(({ status }) => status === 200 || status === 201)
        const note = readNote(response)
        return {
          file,
          ids: made.flatMap(listIds),
          /** Those of them that were there before, as they are. */
          unchanged: made.filter(({ status }) => status === 200).flatMap(listIds),
          warnings: [...made.flatMap((each) => listWarnings(each, isBatch)), ...(note === undefined ? [] : [note])],
          refused: results.filter((each) => !made.includes(each)),
        }
      },
    }),
  )
}

async function definitionsRequest(file: string, options: PublishOptions) {
  const { dialect, toolkit, version, tag: tags, code, allowedHost, allowBreaking } = options
  const read = parseJsonArgument(await readFile(file, 'utf8'), file)
  const module = code === undefined ? undefined : await readFile(code, 'utf8')
  const implementation = module === undefined ? undefined : { kind: 'code', module, allowed_hosts: allowedHost ?? [] }
  const beside = { toolkit, version, tags, implementation }
  if (Array.isArray(read) && implementation) throw new CliError('usage', '--code is of one definition')
  return {
    method: 'POST',
    path: '/tools',
    query: { dialect, allow: allowBreaking ? 'breaking' : undefined },
    json: Array.isArray(read) ? read.map((each) => wrapped(each, beside)) : wrapped(read, beside),
  }
}

/** The document with what is said beside it, where anything is. */
export function wrapped(document: unknown, said: JsonRecord): unknown {
  const beside = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
  if (Object.keys(beside).length === 0) return document
  return isObject(document) && 'definition' in document
    ? { ...document, ...beside }
    : { definition: document, ...beside }
}

async function pluginRequest(file: string, options: PublishOptions) {
  const { toolkit, version, allowedHost = [], config = [], securityLevel, allowBreaking } = options
  if (toolkit === undefined || version === undefined)
    throw new CliError('usage', `${file} does not say what it is called`, 'Pass --toolkit and --version')
  return {
    method: 'PUT',
    path: `/toolkits/${encodeURIComponent(toolkit)}/plugin`,
    query: {
      version,
      security_level: securityLevel,
      allowed_hosts: allowedHost.length > 0 ? allowedHost.join(',') : undefined,
      config: config.length > 0 ? config.join(',') : undefined,
      allow: allowBreaking ? 'breaking' : undefined,
    },
    body: new Blob([await readFile(file)]),
    headers: { 'content-type': 'application/wasm' },
  }
}

function listIds(result: JsonRecord): readonly string[] {
  const id = textIn(result, 'id')
  return 'ids' in result || id === undefined ? textsIn(result, 'ids') : [id]
}

/** Of a batch, each names its tool. */
function listWarnings(result: JsonRecord, isBatch: boolean): readonly string[] {
  const [id] = listIds(result)
  const tool = id?.split('@')[0]
  return textsIn(result, 'warnings').map((text) =>
    isBatch && tool && !text.includes(tool) ? `${tool}: ${text}` : text,
  )
}

function textsIn(value: JsonRecord, field: string): readonly string[] {
  const held = value[field]
  if (!Array.isArray(held)) return []
  return held.map((each) => (typeof each === 'string' ? each : (textIn(each, 'message') ?? '')))
}

function tell({ terminal }: CliSession, { file, ids, unchanged, warnings, refused }: Published): void {
  for (const id of ids) {
    const isThere = unchanged.includes(id)
    terminal.print([isThere ? 'dim' : 'green', isThere ? '= ' : '+ '], id, ['dim', `  ${file}`])
  }
  for (const warning of warnings) terminal.note(['yellow', `  ${warning}`])
  for (const each of refused) {
    const id = textIn(each, 'id')
    terminal.note(['red', `- ${id ?? file}`], ['dim', id === undefined ? '' : `  ${file}`])
    for (const problem of objectsIn(each, 'errors')) terminal.note(problemLine(problem))
  }
}

import { watch } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { Command } from 'commander'
import { SwitchboardError } from '../../client/index.ts'
import { isObject, type JsonRecord, listObjects, tryParseJson, getText } from '../../client/json.ts'
import { collectOption, parseJsonArgument } from '../argument-values.ts'
import { CliError } from '../cli-error.ts'
import { readNote } from '../../client/connection.ts'
import type { AddCommands, CliSession } from '../context.ts'
import { formatProblem } from '../terminal-text.ts'

type PublishedFile = Awaited<ReturnType<typeof publishFile>>
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
  if (options.watch) return watchFiles(session, files, options)
  const publishedFiles: PublishedFile[] = []
  for (const file of files) publishedFiles.push(await publishFile(session, file, options))
  const { terminal } = session
  terminal.emit({ published: publishedFiles }, () =>
    publishedFiles.forEach((publishedFile) => printPublished(session, publishedFile)),
  )
  const refusedCount = publishedFiles.reduce((sum, each) => sum + each.refused.length, 0)
  if (refusedCount > 0) throw new SwitchboardError('invalid', `${refusedCount} could not be published`)
}

async function watchFiles(session: CliSession, files: readonly string[], options: PublishOptions): Promise<void> {
  const { terminal, signal } = session
  const publishOne = async (file: string) => {
    try {
      const publishedFile = await publishFile(session, file, options)
      terminal.emit(publishedFile, () => printPublished(session, publishedFile))
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const problems = error instanceof SwitchboardError ? (error.details.problems ?? []) : []
      terminal.emit({ file, error: { message, problems } }, () => {
        terminal.note(['red', message.includes(file) ? message : `${file}: ${message}`])
        for (const problem of problems) terminal.note(formatProblem(problem))
      })
    }
  }
  for (const file of files) await publishOne(file)
  const watchedFiles = options.code === undefined ? files : [...files, options.code]
  const timers = new Map<string, NodeJS.Timeout>()
  // Folders are watched, because editors replace files, and a watch ends with its file
  const watchers = watchedFiles.map((part) =>
    watch(dirname(part), (_, name) => {
      if (name !== basename(part)) return
      const file = part === options.code ? (files[0] ?? part) : part
      clearTimeout(timers.get(file))
      const timer = setTimeout(() => void publishOne(file), 100)
      timers.set(file, timer)
    }),
  )
  terminal.note(['dim', 'Watching; Ctrl+C stops'])
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
  for (const watcher of watchers) watcher.close()
  for (const timer of timers.values()) clearTimeout(timer)
}

async function publishFile(session: CliSession, file: string, options: PublishOptions) {
  const { connection, terminal } = session
  if ((await stat(file)).isDirectory())
    throw new CliError(
      'usage',
      `Cannot open '${file}': it is a folder`,
      `Pass its files, such as ${join(file, '*.json')}`,
    )
  const request = await (extname(file) === '.wasm' ? buildPluginRequest : buildDefinitionsRequest)(file, options)
  return terminal.withProgress(`Publishing ${file}`, () =>
    connection.send({
      ...request,
      isRepeatable: true,
      async read(response) {
        const body = tryParseJson(await response.text())
        if (!isObject(body)) throw new SwitchboardError('answer_invalid', 'The server is not a Switchboard')
        const isBatch = Array.isArray(body['results'])
        const results = isBatch ? listObjects(body, 'results') : [{ ...body, status: response.status }]
        const acceptedResults = results.filter(({ status }) => status === 200 || status === 201)
        const note = readNote(response)
        return {
          file,
          ids: acceptedResults.flatMap(listIds),
          /** Members of `ids` that already existed. */
          unchanged: acceptedResults.filter(({ status }) => status === 200).flatMap(listIds),
          warnings: [
            ...acceptedResults.flatMap((each) => listWarnings(each, isBatch)),
            ...(note === undefined ? [] : [note]),
          ],
          refused: results.filter((each) => !acceptedResults.includes(each)),
        }
      },
    }),
  )
}

async function buildDefinitionsRequest(file: string, options: PublishOptions) {
  const { dialect, toolkit, version, tag: tags, code, allowedHost, allowBreaking } = options
  const document = parseJsonArgument(await readFile(file, 'utf8'), file)
  const module = code === undefined ? undefined : await readFile(code, 'utf8')
  const implementation = module === undefined ? undefined : { kind: 'code', module, allowed_hosts: allowedHost ?? [] }
  const wrapperFields = { toolkit, version, tags, implementation }
  if (Array.isArray(document) && implementation) throw new CliError('usage', '--code is of one definition')
  return {
    method: 'POST',
    path: '/tools',
    query: { dialect, allow: allowBreaking ? 'breaking' : undefined },
    json: Array.isArray(document)
      ? document.map((each) => wrapDefinition(each, wrapperFields))
      : wrapDefinition(document, wrapperFields),
  }
}

/** Adds the fields that are set beside the document, or returns it unchanged if none are. */
export function wrapDefinition(document: unknown, fields: JsonRecord): unknown {
  const givenFields = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  if (Object.keys(givenFields).length === 0) return document
  return isObject(document) && 'definition' in document
    ? { ...document, ...givenFields }
    : { definition: document, ...givenFields }
}

async function buildPluginRequest(file: string, options: PublishOptions) {
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
  const id = getText(result, 'id')
  return 'ids' in result || id === undefined ? listMessages(result, 'ids') : [id]
}

/** Lists warnings; in a batch, each names its tool. */
function listWarnings(result: JsonRecord, isBatch: boolean): readonly string[] {
  const [id] = listIds(result)
  const tool = id?.split('@')[0]
  return listMessages(result, 'warnings').map((text) =>
    isBatch && tool && !text.includes(tool) ? `${tool}: ${text}` : text,
  )
}

/** Lists the strings in a list, and the messages of the objects in it. */
export function listMessages(value: unknown, field: string): readonly string[] {
  const values = isObject(value) ? value[field] : undefined
  if (!Array.isArray(values)) return []
  return values.map((each) => (typeof each === 'string' ? each : (getText(each, 'message') ?? '')))
}

function printPublished({ terminal }: CliSession, { file, ids, unchanged, warnings, refused }: PublishedFile): void {
  for (const id of ids) {
    const isUnchanged = unchanged.includes(id)
    terminal.print([isUnchanged ? 'dim' : 'green', isUnchanged ? '= ' : '+ '], id, ['dim', `  ${file}`])
  }
  for (const warning of warnings) terminal.note(['yellow', `  ${warning}`])
  for (const each of refused) {
    const id = getText(each, 'id')
    terminal.note(['red', `- ${id ?? file}`], ['dim', id === undefined ? '' : `  ${file}`])
    for (const problem of listObjects(each, 'errors')) terminal.note(formatProblem(problem))
  }
}

import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, openAsBlob } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isObject, type JsonRecord, tryParseJson } from '../../client/json.ts'
import { CliError } from '../cli-error.ts'
import { type AddCommands, type CliSession, YES } from '../context.ts'

export const addArchive: AddCommands = (program, open) => {
  program
    .command('backup <file>')
    .description('back up the registry to a file, without secrets, keys or connected accounts')
    .option('--toolkit <toolkit>', 'only this toolkit')
    .addOption(YES)
    .action((file, options) => backup(open(options), file, options.toolkit))
  program
    .command('restore <file>')
    .description('restore a backup; existing entries stay as they are')
    .option('--trust', 'accept a backup of another deployment, with its owners and trust')
    .addOption(YES)
    .action((file, options) => restore(open(options), file, options.trust === true))
}

const JSON_LINES = 'application/jsonl'

async function backup(session: CliSession, file: string, toolkit: string | undefined): Promise<void> {
  const { connection, terminal } = session
  if (existsSync(file)) await terminal.confirm(`${file} already exists. Overwrite it?`)
  // Renamed once it is complete. The name is random, so that other users of the machine cannot plant a link there
  const partialFile = `${file}.${randomUUID()}.part`
  let bytes = 0
  try {
    const lines = await terminal.withProgress('Reading the registry', async (update) => {
      await connection.send({
        path: '/export',
        query: { toolkit },
        async read(response) {
          bytes = 0
          await rm(partialFile, { force: true })
          const chunks = response.body ?? []
          async function* countBytes() {
            for await (const chunk of chunks) {
              bytes += chunk.byteLength
              update(`${Math.round(bytes / 1_024)} kB`)
              yield chunk
            }
          }
          await pipeline(Readable.from(countBytes()), createWriteStream(partialFile, { mode: 0o600, flags: 'wx' }))
        },
      })
      return checkBackup(partialFile)
    })
    await rename(partialFile, file)
    terminal.emit({ file, lines, bytes }, () =>
      terminal.note(['green', '✓'], ` Saved ${lines} entries (${Math.ceil(bytes / 1e6)} MB) to ${file}`),
    )
  } finally {
    await rm(partialFile, { force: true })
  }
}

async function checkBackup(file: string): Promise<number> {
  let lines = 0
  let first: string | undefined
  let last = ''
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (line === '') continue
    first ??= line.slice(0, 4_096)
    last = line
    lines++
  }
  const header = tryParseJson(first ?? '')
  if (!isObject(header) || header['kind'] !== 'archive')
    throw new CliError('refused', `${file} is not a backup of a Switchboard`)
  const footer = tryParseJson(last)
  if (!isObject(footer) || footer['kind'] !== 'end' || footer['lines'] !== lines - 1)
    throw new CliError('refused', `${file} is incomplete: its last line is missing`)
  return lines
}

const COUNTS = ['created', 'unchanged', 'changed', 'skipped', 'refused'] as const

async function restore(session: CliSession, file: string, isTrusted: boolean): Promise<void> {
  const { connection, terminal, url } = session
  const { size } = await stat(file)
  const lines = await checkBackup(file)
  await terminal.confirm(
    `This restores ${file} (${Math.ceil(size / 1_024)} kB) into ${url.origin}, which cannot be undone. Continue?`,
  )
  const entries: JsonRecord[] = []
  const body = await openAsBlob(file, { type: JSON_LINES })
  const summary = await terminal.withProgress('Restoring', (update) =>
    connection.send({
      method: 'POST',
      path: '/import',
      query: { trust: isTrusted ? '1' : undefined },
      body,
      headers: { 'content-type': JSON_LINES },
      async read(response) {
        let summary: JsonRecord | undefined
        const input = Readable.from(response.body ?? [])
        for await (const line of createInterface({ input, crlfDelay: Infinity })) {
          const report = tryParseJson(line)
          if (!isObject(report)) continue
          const { progress } = report
          if (isObject(progress)) update('lines', Number(progress['line']), lines)
          else if (report['done'] === true) summary = report
          else entries.push(report)
        }
        return summary
      },
    }),
  )
  const hint = 'Restore again: entries that were restored stay, and the rest follows'
  if (!summary) throw new CliError('failed', 'The restore was interrupted', hint)
  const counts = Object.fromEntries(COUNTS.map((name) => [name, Number(summary[name] ?? 0)]))
  terminal.emit({ file, ...counts, told: entries }, () => {
    for (const { line, outcome, about, message } of entries) {
      const what = `line ${String(line)} ${String(outcome)}`
      terminal.note(['yellow', what], ` ${String(about ?? '')}: ${String(message)}`)
    }
    terminal.print(`Versions, policies and toolkits: ${COUNTS.map((name) => `${counts[name]} ${name}`).join(', ')}`)
  })
  if (Number(counts['refused']) > 0) throw new CliError('failed', `${counts['refused']} were refused`)
}

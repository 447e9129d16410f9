import { formatJson, getText, type JsonRecord, listObjects } from '../../client/json.ts'
import { readInputFile, readObject } from '../argument-values.ts'
import { CliError } from '../cli-error.ts'
import { type AddCommands, type CliSession, YES } from '../context.ts'
import type { Columns } from '../table.ts'
import { addGroup } from './listings.ts'
import { addRemoval } from './removal.ts'
import { findRevision, loadRevision } from './revision.ts'

const COLUMNS: Columns = {
  Toolset: 'name',
  Revision: 'revision',
  Owner: 'owner',
  Tokens: 'tokens',
  Digest: 'digest',
  Status: ({ enabled, pending }) => [
    ...(enabled === false ? ['disabled'] : []),
    ...(pending ? ['a change waits'] : []),
  ],
}

/** Fields that a deployment adds to a toolset's definition. */
const ADDED_FIELDS = [
  'name',
  'owner',
  'revision',
  'digest',
  'changed_at',
  'changed_by',
  'pending',
  'tokens',
  'warnings',
]

export const addToolsets: AddCommands = (program, open) => {
  const description = 'toolsets: named choices of tools, as models see them'
  const toolsets = addGroup(program, open, { name: 'toolsets', description, path: '/toolsets', columns: COLUMNS })
  toolsets
    .command('show <name>')
    .description('show a toolset as JSON, with a change that waits for approval')
    .action(async (name, options) => {
      const session = open(options)
      const { document } = await loadRevision(session, toPath(name))
      session.terminal.emit(document, () => session.terminal.write(formatJson(document, 2) ?? ''))
    })
  toolsets
    .command('put <name> <file>')
    .description("create or replace a toolset from a file of JSON ('-' for the standard input)")
    .action(async (name, file, options) => {
      const session = open(options)
      const document = readObject(await readInputFile(file, session.surroundings), file)
      const json = Object.fromEntries(Object.entries(document).filter(([field]) => !ADDED_FIELDS.includes(field)))
      const { headers } = await findRevision(session, toPath(name))
      await send(session, { method: 'PUT', path: toPath(name), json, headers })
    })
  toolsets
    .command('approve <name>')
    .description('approve the change of a toolset that waits for approval, after it is shown')
    .addOption(YES)
    .action(async (name, options) => {
      const session = open(options)
      const { document } = await loadRevision(session, toPath(name))
      const digest = getText(document['pending'], 'digest')
      if (digest === undefined) throw new CliError('refused', `No change of the toolset '${name}' waits for approval`)
      if (!session.terminal.json) session.terminal.write(formatJson(document['pending'], 2) ?? '')
      await session.terminal.confirm(`Approve this change of the toolset '${name}'?`)
      await send(session, { method: 'POST', path: `${toPath(name)}/approve`, headers: { 'if-match': `"${digest}"` } })
    })
  const removal = { verb: 'remove', argument: 'name', description: 'remove a toolset', columns: COLUMNS } as const
  addRemoval(toolsets, open, '/toolsets', removal).alias('rm')
}

const toPath = (name: string) => `/toolsets/${encodeURIComponent(name)}`

async function send(
  { connection, terminal }: CliSession,
  request: Parameters<typeof connection.sendJson<JsonRecord>>[0],
) {
  const toolset = await connection.sendJson(request)
  terminal.emit(toolset, () => {
    terminal.table(COLUMNS)([toolset])
    for (const { path, message } of listObjects(toolset, 'warnings'))
      terminal.note(['yellow', `${String(path)}: ${String(message)}`])
    if (toolset['pending'])
      terminal.note(`The change waits for approval: switchboard toolsets approve ${String(toolset['name'])}`)
  })
}

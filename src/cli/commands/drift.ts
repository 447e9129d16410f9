import { type JsonRecord, listObjects } from '../../client/json.ts'
import { CliError, throwNotCompared } from '../cli-error.ts'
import type { AddCommands, CliSession } from '../context.ts'
import { printTextChange } from '../tool-changes.ts'
import { listItems } from './listings.ts'

const COMPARE_MS = 330_000

export const addDrift: AddCommands = (program, open) => {
  program
    .command('drift')
    .description(
      'list how imported tools differ from their sources; exits with 1 if they do, with 2 if that is unknown',
    )
    .argument('[toolkit]', 'compare this toolkit now (default: list the findings of all toolkits)')
    .action((toolkit: string | undefined, options) => showDrift(open(options), toolkit))
}

async function showDrift(session: CliSession, toolkit: string | undefined): Promise<void> {
  const { terminal } = session
  const items = await loadFindings(session, toolkit).catch(throwNotCompared)
  terminal.emit({ items }, () => {
    for (const { severity, toolkit, tool, kind, changes } of items) {
      const id = tool === undefined ? String(toolkit) : `${String(toolkit)}.${String(tool)}`
      terminal.print([severity === 'breaking' ? 'red' : 'yellow', `${String(kind)}`], ` ${id}  `, [
        'dim',
        String(severity),
      ])
      for (const change of listObjects({ changes }, 'changes')) printTextChange(session, change)
    }
    if (items.length === 0) terminal.note('No findings')
  })
  if (items.length > 0) throw new CliError('failed', items.length === 1 ? '1 finding' : `${items.length} findings`)
}

async function loadFindings(session: CliSession, toolkit: string | undefined): Promise<readonly JsonRecord[]> {
  if (toolkit === undefined) return (await listItems(session, '/findings', {})).items
  const path = `/toolkits/${encodeURIComponent(toolkit)}/compare`
  const request = { method: 'POST', path, isRepeatable: true, responseTimeoutMs: COMPARE_MS }
  return session.terminal.withProgress(`Comparing ${toolkit}`, async () =>
    listObjects(await session.connection.sendJson(request), 'items'),
  )
}

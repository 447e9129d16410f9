import { getText, type JsonRecord, listObjects } from '../../client/json.ts'
import { STATUS_COMMANDS } from '../api-terms.ts'
import { CliError } from '../cli-error.ts'
import type { AddCommands, CliSession } from '../context.ts'

interface StatusOptions {
  readonly message?: string
  readonly successor?: string
  readonly yanked?: boolean
}

type Status = keyof typeof STATUS_COMMANDS

const DESCRIPTIONS: readonly (readonly [status: Status, description: string])[] = [
  ['disabled', 'disable a tool, one version of it, or a whole toolkit'],
  ['active', 'enable a tool, one version of it, or a whole toolkit; approve a pending version'],
  [
    'deprecated',
    'deprecate a tool, one version of it, or a whole toolkit: it is not listed, and called by exact version, or by name if no version is active',
  ],
  ['yanked', 'yank a version or a whole toolkit: it is called by exact version only'],
]

export const addStatus: AddCommands = (program, open) => {
  for (const [status, description] of DESCRIPTIONS) {
    const allVersions = status === 'yanked' ? '' : ' Gmail.Send (all its versions),'
    const command = program
      .command(STATUS_COMMANDS[status])
      .description(description)
      .argument('<tool>', `such as Gmail.Send@1.2.0,${allVersions} or the toolkit's name`)
    if (status === 'active') command.option('--yanked', 'also enable yanked versions')
    else command.option('--message <text>', 'the reason, shown on its page and in its readiness')
    if (status === 'deprecated')
      command.option('--successor <tool>', 'the tool to call instead, such as Gmail.Send@2.0.0')
    command.action((tool, options: StatusOptions) => setStatus(open(options), tool, status, options))
  }
}

async function setStatus(session: CliSession, target: string, status: Status, options: StatusOptions): Promise<void> {
  const { connection, terminal } = session
  const isToolkit = !target.includes('.')
  const isTool = !isToolkit && !target.includes('@')
  if (isTool && status === 'yanked') throw new CliError('usage', `Say which version of '${target}' to yank`)
  const { message, successor, yanked = false } = options
  const path = `/${isToolkit ? 'toolkits' : 'tools'}/${encodeURIComponent(target)}`
  const isEnabledToolkit = isToolkit && status === 'active'
  // Only administrators can read a toolkit, so others cannot tell that it is yanked
  const toolkit = isEnabledToolkit && (await connection.sendJson<JsonRecord>({ path }).catch(() => undefined))
  const history = isTool && (await connection.sendJson<unknown>({ path: `${path}/versions` }))
  const versions = toolkit ? [toolkit] : listObjects(history, 'items')
  const isYanked = versions.length > 0 && versions.every((version) => version['status'] === 'yanked')
  if (status === 'active' && isYanked && !yanked)
    throw new CliError('refused', `'${target}' is yanked`, `'switchboard enable ${target} --yanked' brings it back`)
  // All versions change, because if only the newest were disabled, the next would be served. A successor is left unchanged
  const ids = versions
    .filter((version) => getText(version, 'id')?.toLowerCase() !== successor?.toLowerCase())
    .filter((version) => needsChange(status, version['status'], yanked))
    .map((version) => getText(version, 'id') ?? '')
  const changedVersions: JsonRecord[] = []
  for (const id of isTool ? ids : [target]) {
    const versionPath = isTool ? `/tools/${encodeURIComponent(id)}` : path
    const json = { status, message, successor }
    const change: unknown = await connection.sendJson({
      method: 'PATCH',
      path: versionPath,
      json,
      isRepeatable: true,
    })
    // The toolkit may still have a stricter status
    const note = status === 'active' ? getText(change, 'message') : undefined
    changedVersions.push({ id, status: getText(change, 'status'), note })
  }
  terminal.emit({ changed: changedVersions }, () => {
    for (const { id, status: newStatus, note } of changedVersions) {
      terminal.print(['green', '✓'], ` ${String(id)} is ${String(newStatus)}`)
      if (note !== undefined) terminal.note(['yellow', String(note)])
    }
    if (changedVersions.length === 0) terminal.note(`No version of '${target}' had to be changed`)
  })
}

/** Enabling skips pending versions, and deprecating does not make a version callable. */
function needsChange(status: Status, current: unknown, includesYanked: boolean): boolean {
  if (status === 'active') return current === 'disabled' || (includesYanked && current === 'yanked')
  if (status === 'deprecated') return current === 'active'
  return current !== status && current !== 'pending'
}

import { type JsonRecord, listObjects, getText } from '../../client/json.ts'
import { CliError } from '../cli-error.ts'
import type { AddCommands, CliSession } from '../context.ts'

interface StatusOptions {
  readonly message?: string
  readonly successor?: string
}

type Status = 'disabled' | 'active' | 'deprecated' | 'yanked'
type Version = readonly [id: string, status: string | undefined]

const COMMANDS: readonly (readonly [name: string, status: Status, description: string])[] = [
  ['disable', 'disabled', 'disable a tool, one version of it, or a whole toolkit'],
  ['enable', 'active', 'enable a tool, one version of it, or a whole toolkit; approve a pending version'],
  [
    'deprecate',
    'deprecated',
    'deprecate a tool, one version of it, or a whole toolkit: it is not listed, and called by exact version, or by name if no version is active',
  ],
  ['yank', 'yanked', 'yank a version or a whole toolkit: it is called by exact version only'],
]

export const addStatus: AddCommands = (program, open) => {
  for (const [name, status, description] of COMMANDS) {
    const command = program
      .command(name)
      .description(description)
      .argument(
        '<tool>',
        `such as Gmail.Send@1.2.0,${status === 'yanked' ? '' : ' Gmail.Send (all its versions),'} or the toolkit's name`,
      )
    if (status !== 'active') command.option('--message <text>', 'the reason, shown on its page and in its readiness')
    if (status === 'deprecated')
      command.option('--successor <tool>', 'the tool to call instead, such as Gmail.Send@2.0.0')
    command.action((tool, options: StatusOptions) => setStatus(open(options), tool, status, options))
  }
}

async function setStatus(session: CliSession, target: string, status: Status, options: StatusOptions): Promise<void> {
  const { connection, terminal, signal } = session
  const isToolkit = !target.includes('.')
  const isTool = !isToolkit && !target.includes('@')
  if (isTool && status === 'yanked') throw new CliError('usage', `Say which version of '${target}' to yank`)
  const { message, successor } = options
  const versions = isTool ? await listVersions(session, target) : []
  const [[firstId] = [target]] = versions
  if (status === 'active' && isTool && versions.every(([, versionStatus]) => versionStatus === 'yanked')) {
    const hint = `Bring one back with switchboard enable ${firstId}`
    throw new CliError('refused', `Every version of '${target}' is yanked`, hint)
  }
  // The version that succeeds the others stays
  const others = versions.filter(([id]) => id.toLowerCase() !== successor?.toLowerCase())
  const changedVersions: JsonRecord[] = []
  for (const id of isTool ? others.filter(createChangeFilter(status)).map(([otherId]) => otherId) : [target]) {
    const path = `/${isToolkit ? 'toolkits' : 'tools'}/${encodeURIComponent(id)}`
    const json = { status, message, successor }
    const answer: unknown = await connection.sendJson({ method: 'PATCH', path, json, signal, isRepeatable: true })
    // The toolkit may still have a stricter status
    const note = status === 'active' ? getText(answer, 'message') : undefined
    changedVersions.push({ id, status, ...(note === undefined ? {} : { note }) })
  }
  terminal.emit({ changed: changedVersions }, () => {
    for (const { id, note } of changedVersions) {
      terminal.print(['green', '✓'], ` ${String(id)} is ${status}`)
      if (note !== undefined) terminal.note(['yellow', String(note)])
    }
    if (changedVersions.length === 0) terminal.note(`No version of '${target}' had to be changed`)
  })
}

/** Each is changed, because disabling only the newest version would serve the next one. */
async function listVersions({ connection, signal }: CliSession, tool: string): Promise<readonly Version[]> {
  const path = `/tools/${encodeURIComponent(tool)}/versions`
  const history: unknown = await connection.sendJson({ path, signal })
  return listObjects(history, 'items').map((each) => [getText(each, 'id') ?? '', getText(each, 'status')])
}

/** Enabling leaves pending and yanked versions alone, and deprecating makes no version callable. */
function createChangeFilter(status: Status) {
  const requiredStatus = { active: 'disabled', deprecated: 'active' }[String(status)]
  return ([, versionStatus]: Version) =>
    requiredStatus === undefined
      ? versionStatus !== status && versionStatus !== 'pending'
      : versionStatus === requiredStatus
}

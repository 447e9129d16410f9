import { type JsonRecord, objectsIn, textIn } from '../../client/json.ts'
import { CliError } from '../cli-error.ts'
import type { AddCommands, CliSession, CommonOptions } from '../context.ts'

interface StatusOptions extends CommonOptions {
  readonly message?: string
}

type Status = 'disabled' | 'active' | 'yanked'

const COMMANDS: readonly (readonly [name: string, status: Status, description: string])[] = [
  ['disable', 'disabled', 'disable a tool, one version of it, or a whole toolkit'],
  ['enable', 'active', 'enable a tool, one version of it, or a whole toolkit; approve a pending version'],
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
    if (status !== 'active') command.option('--message <text>', 'the reason, shown to callers')
    command.action((tool: string, options: StatusOptions) => setStatus(open(options), tool, status, options.message))
  }
}

async function setStatus(session: CliSession, target: string, status: Status, message?: string): Promise<void> {
  const { connection, terminal, signal } = session
  const isToolkit = !target.includes('.')
  const isTool = !isToolkit && !target.includes('@')
  if (isTool && status === 'yanked') throw new CliError('usage', `Say which version of '${target}' to yank`)
  const changed: JsonRecord[] = []
  for (const id of isTool ? await versionsOf(session, target, status) : [target]) {
    const path = `/${isToolkit ? 'toolkits' : 'tools'}/${encodeURIComponent(id)}`
    await connection.json({ method: 'PATCH', path, json: { status, message }, signal, repeatable: true })
    changed.push({ id, status })
  }
  terminal.give({ changed }, () => {
    for (const { id } of changed) terminal.print(['green', '✓'], ` ${String(id)} is ${status}`)
    if (changed.length === 0) terminal.note(`No version of '${target}' had to be changed`)
  })
}

/** One by one, since a tool is served in its next version where only the newest is disabled. */
async function versionsOf({ connection, signal }: CliSession, tool: string, status: Status) {
  const path = `/tools/${encodeURIComponent(tool)}/versions`
  const history: unknown = await connection.json({ path, signal })
  const all = objectsIn(history, 'items').map((each) => [textIn(each, 'id') ?? '', textIn(each, 'status')] as const)
  // Versions that wait for a review, or were yanked, are not enabled by the way
  const has = (held: string | undefined) =>
    status === 'active' ? held === 'disabled' : held !== status && held !== 'pending'
  return all.filter(([, held]) => has(held)).map(([id]) => id)
}

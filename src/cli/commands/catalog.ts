import type { Filter, ToolDefinition } from '../../client/index.ts'
import { formatJson, isObject, objectsIn, textIn } from '../../client/json.ts'
import { type AddCommands, type CliSession, readNote } from '../context.ts'
import type { Columns } from '../table.ts'
import { parseIntegerOption } from '../argument-values.ts'
import { inOptions } from '../terminal-text.ts'
import { readItems } from './listings.ts'

export const addList: AddCommands = (program, open) => {
  program
    .command('list')
    .description('list tools')
    .option('--toolkit <toolkit>', 'only this toolkit')
    .option('--tag <tag>', 'only tools with this tag')
    .option('--status <status>', 'all versions that are active, deprecated, yanked, disabled or pending')
    .option('--all-versions', 'include older versions')
    .option('--limit <count>', 'maximum number of results', parseIntegerOption)
    .action(async (options) => {
      const { toolkit, tag, status, allVersions, limit = Infinity } = options
      const session = open(options)
      const { terminal } = session
      // OXP's definitions, which have no titles, are for programs
      const format = terminal.json ? undefined : 'summary'
      const query = { toolkit, tag, status, format, versions: allVersions ? 'all' : undefined }
      const { items } = await readItems(session, '/tools', query, limit)
      const note = items.length === 0 ? await whyNone(session, { toolkit, tag }) : undefined
      terminal.give({ items, ...(note === undefined ? {} : { note }) }, () => {
        terminal.table(COLUMNS)(items)
        if (items.length === 0) terminal.note(note ?? 'None found')
      })
    })
}

export const addSearch: AddCommands = (program, open) => {
  program
    .command('search')
    .description('search tools, best match first')
    .argument('<question...>', 'the task, in your own words')
    .option('--toolkit <toolkit>', 'only this toolkit')
    .option('--tag <tag>', 'only tools with this tag')
    .option('--limit <count>', 'maximum number of results (10)', parseIntegerOption)
    .action(async (words, options) => {
      const { toolkit, tag, limit } = options
      const session = open(options)
      const { client, terminal, signal } = session
      const found = await client.search(words.join(' '), {
        toolkit,
        tag,
        ...(limit === undefined ? {} : { limit }),
        signal,
      })
      const note = found.items.length === 0 ? await whyNone(session, { toolkit, tag }) : undefined
      terminal.give({ ...found, ...(note === undefined ? {} : { note }) }, () => {
        terminal.table(COLUMNS)(found.items)
        if (note !== undefined) terminal.note(note)
        const { total = 0, unmatched = [] } = found
        terminal.note(['dim', `${found.items.length} of ${total}`])
        if (unmatched.length > 0) terminal.note(['dim', `No tool matches ${unmatched.join(', ')}`])
      })
    })
}

export const addShow: AddCommands = (program, open) => {
  program
    .command('show')
    .description('show a tool: description, parameters and output')
    .argument('<tool>', 'its id, with or without a version, or its name')
    .option('--format <format>', 'its definition in a dialect or export, such as mcp, openai or machine-context')
    .option('--versions', 'its versions and their changes')
    .option('--user <user>', 'whether it is ready to call for this user')
    .action(async (tool, options) => {
      const { format, versions, user } = options
      const session = open(options)
      const { connection, client, terminal, signal } = session
      const path = `/tools/${encodeURIComponent(tool)}`
      if (format !== undefined) {
        const document: unknown = await connection.json({ path, query: { format }, signal })
        return terminal.give(document, () => terminal.write(formatJson(document, 2) ?? ''))
      }
      if (versions) {
        const history: unknown = await connection.json({ path: `${path}/versions`, signal })
        return terminal.give(history, () => terminal.table(VERSIONS)(objectsIn(history, 'items')))
      }
      const definition = await client.show(tool, { signal })
      const readiness: unknown = await connection.json({ path: `${path}/readiness`, query: { user_id: user }, signal })
      terminal.give({ ...definition, readiness }, () => {
        printDefinition(session, definition, textIn(readiness, 'title'))
        printReadiness(session, readiness)
      })
    })
}

const COLUMNS: Columns = {
  Tool: 'id',
  Description: ({ title, description }) =>
    [...new Set([title, firstSentence(String(description ?? ''))])].filter(Boolean).join(': '),
}

function firstSentence(text: string): string {
  const end = text.search(/[.!?](?:\s|$)|\n\n/)
  return end === -1 ? text : text.slice(0, end + 1).trim()
}

function whyNone({ connection, signal }: CliSession, filter: Pick<Filter, 'toolkit' | 'tag'>) {
  return connection.ask({
    path: '/tools',
    query: { ...filter, limit: 1 },
    signal,
    read: async (response) => readNote(response),
  })
}

const VERSIONS: Columns = {
  Version: 'id',
  Status: ({ status, message }) => [status, message].filter((text) => text !== undefined).join(': '),
  Changes: ({ changes }) =>
    objectsIn({ changes }, 'changes').map(
      ({ what, level }) => `${level === 'major' ? 'Breaking: ' : ''}${String(what)}`,
    ),
}

function printDefinition({ terminal }: CliSession, definition: ToolDefinition, title: string | undefined): void {
  const { id, description, input_schema, output_schema } = definition
  terminal.print(['bold', id], title === undefined || title === description ? '' : `  ${title}`)
  terminal.print(description)
  const { properties, required } = input_schema.parameters
  const names = Object.entries(isObject(properties) ? properties : {})
  terminal.print('')
  terminal.print(['bold', names.length === 0 ? 'No parameters' : 'Parameters'])
  for (const [name, schema] of names) {
    const isRequired = Array.isArray(required) && required.includes(name)
    const about = textIn(schema, 'description') ?? ''
    terminal.print(
      `  ${name}`,
      ['dim', ` ${describeType(schema)}${isRequired ? ', required' : ''}`],
      about === '' ? '' : `  ${about}`,
    )
  }
  terminal.print(['bold', output_schema === null ? 'No output' : `Output: ${describeType(output_schema)}`])
}

function describeType(schema: unknown): string {
  const type = isObject(schema) ? schema['type'] : undefined
  const alternatives = [...objectsIn(schema, 'anyOf'), ...objectsIn(schema, 'oneOf')].map(describeType)
  if (type === undefined && alternatives.length > 0) return [...new Set(alternatives)].join(' or ')
  if (Array.isArray(type)) return type.join(' or ')
  return typeof type === 'string' ? type : 'anything'
}

function printReadiness({ terminal }: CliSession, readiness: unknown): void {
  const { ready, status } = isObject(readiness) ? readiness : {}
  terminal.print('')
  terminal.print(ready === true ? ['green', 'Ready'] : ['yellow', 'Not ready'])
  const successor = textIn(status, 'successor')
  const reason = [textIn(status, 'message'), successor && `use ${successor}`].filter(Boolean).join('; ')
  if (reason !== '') terminal.print(`  ${textIn(status, 'state') ?? ''}: ${reason}`)
  for (const problem of objectsIn(readiness, 'problems')) {
    const detail = textIn(problem, 'developer_message')
    const said = `  ${textIn(problem, 'message') ?? ''}${detail === undefined ? '' : `: ${detail}`}`
    terminal.print(inOptions(said))
  }
}

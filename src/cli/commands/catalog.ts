import { Option } from 'commander'
import type { Filter, ToolDefinition } from '../../client/index.ts'
import { formatJson, isObject, type JsonRecord, listObjects, getText } from '../../client/json.ts'
import { readNote } from '../../client/connection.ts'
import type { AddCommands, CliSession } from '../context.ts'
import { createMatchSplitter } from '../../core/search/matches.ts'
import { firstSentence } from '../../core/tool/first-sentence.ts'
import type { Columns } from '../table.ts'
import { parseIntegerOption } from '../argument-values.ts'
import { STATUS_COMMANDS, toCliTerms } from '../api-terms.ts'
import { addTokens } from '../tool-tokens.ts'
import { listItems } from './listings.ts'

const STATUSES = [...Object.keys(STATUS_COMMANDS), 'pending']

export const addList: AddCommands = (program, open) => {
  program
    .command('list')
    .description('list tools')
    .option('--toolkit <toolkit>', 'only this toolkit')
    .option('--tag <tag>', 'only tools with this tag')
    .addOption(new Option('--status <status>', 'all versions of this status').choices(STATUSES))
    .option('--all-versions', 'include older versions')
    .option('--limit <count>', 'maximum number of results', parseIntegerOption)
    .option('--tokens', 'how many tokens (o200k_base) each definition costs a model over MCP')
    .action(async (options) => {
      const { toolkit, tag, status, allVersions, limit = Infinity } = options
      const session = open(options)
      const { terminal } = session
      // OXP definitions have no titles, so only programs get them
      const format = terminal.json ? undefined : 'summary'
      const query = { toolkit, tag, status, format, versions: allVersions ? 'all' : undefined }
      const { items: tools } = await listItems(session, '/tools', query, limit)
      const { items, ...tokens } = options.tokens ? await addTokens(session, tools) : { items: tools }
      const note = items.length === 0 ? await loadEmptyNote(session, { toolkit, tag }) : undefined
      terminal.emit({ items, ...tokens, ...(note === undefined ? {} : { note }) }, () => {
        terminal.table(options.tokens ? TOKEN_COLUMNS : COLUMNS)(items)
        if (items.length === 0) terminal.note(note ?? 'None found')
        else if ('tokens' in tokens) terminal.print(`${tokens.tokens} tokens`)
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
    .option('--all', 'weaker matches too, and the same tool of each toolkit')
    .action(async (words, options) => {
      const { toolkit, tag, limit, all } = options
      const session = open(options)
      const { client, terminal } = session
      const question = words.join(' ')
      const page = await client.search(question, {
        toolkit,
        tag,
        results: all ? 'all' : 'relevant',
        ...(limit === undefined ? {} : { limit }),
      })
      const note = page.items.length === 0 ? await loadEmptyNote(session, { toolkit, tag }) : undefined
      terminal.emit({ ...page, ...(note === undefined ? {} : { note }) }, () => {
        const { items, total = 0, unmatched = [], same_as = {} } = page
        const columns = all
          ? COLUMNS
          : { ...COLUMNS, Description: (item: JsonRecord) => describeWithOthers(item, same_as) }
        terminal.table(columns, createMatchSplitter(question))(items)
        if (note !== undefined) terminal.note(note)
        const hint = all || items.length === total ? '' : ': --all finds weaker matches too'
        terminal.note(['dim', `${items.length} of ${total}${hint}`])
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
      const { connection, client, terminal } = session
      const path = `/tools/${encodeURIComponent(tool)}`
      if (format !== undefined) {
        const document: unknown = await connection.sendJson({ path, query: { format } })
        return terminal.emit(document, () => terminal.write(formatJson(document, 2) ?? ''))
      }
      if (versions) {
        const history: unknown = await connection.sendJson({ path: `${path}/versions` })
        return terminal.emit(history, () => terminal.table(VERSIONS)(listObjects(history, 'items')))
      }
      const definition = await client.show(tool)
      const readiness: unknown = await connection.sendJson({
        path: `${path}/readiness`,
        query: { user_id: user },
      })
      terminal.emit({ ...definition, readiness }, () => {
        printDefinition(session, definition, getText(readiness, 'title'))
        printReadiness(session, readiness)
      })
    })
}

const describe = ({ title, description }: JsonRecord) =>
  [...new Set([title, firstSentence(String(description ?? ''))])].filter(Boolean).join(': ')

const COLUMNS = { Tool: 'id', Description: describe }
const TOKEN_COLUMNS = { Tool: 'id', Tokens: 'tokens', Description: describe }

function describeWithOthers(item: JsonRecord, sameAs: Readonly<Record<string, string>>): string {
  const others = Object.keys(sameAs).filter((id) => sameAs[id] === item['id'])
  if (others.length === 0) return describe(item)
  return `${describe(item)} (also in ${others.map((id) => id.split('.')[0]).join(', ')})`
}

function loadEmptyNote({ connection }: CliSession, filter: Pick<Filter, 'toolkit' | 'tag'>) {
  return connection.send({
    path: '/tools',
    query: { ...filter, limit: 1 },
    read: async (response) => readNote(response),
  })
}

const VERSIONS: Columns = {
  Version: 'id',
  Status: ({ status, message }) => [status, message].filter((text) => text !== undefined).join(': '),
  Changes: ({ changes }) =>
    listObjects({ changes }, 'changes').map(
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
    const summary = getText(schema, 'description') ?? ''
    terminal.print(
      `  ${name}`,
      ['dim', ` ${describeType(schema)}${isRequired ? ', required' : ''}`],
      summary === '' ? '' : `  ${summary}`,
    )
  }
  terminal.print(['bold', output_schema === null ? 'No output' : `Output: ${describeType(output_schema)}`])
}

function describeType(schema: unknown): string {
  const type = isObject(schema) ? schema['type'] : undefined
  const alternatives = [...listObjects(schema, 'anyOf'), ...listObjects(schema, 'oneOf')].map(describeType)
  if (type === undefined && alternatives.length > 0) return [...new Set(alternatives)].join(' or ')
  if (Array.isArray(type)) return type.join(' or ')
  return typeof type === 'string' ? type : 'anything'
}

function printReadiness({ terminal }: CliSession, readiness: unknown): void {
  const { ready, status } = isObject(readiness) ? readiness : {}
  terminal.print('')
  terminal.print(ready === true ? ['green', 'Ready'] : ['yellow', 'Not ready'])
  const successor = getText(status, 'successor')
  const reason = [getText(status, 'message'), successor && `use ${successor}`].filter(Boolean).join('; ')
  if (reason !== '') terminal.print(`  ${getText(status, 'state') ?? ''}: ${reason}`)
  for (const problem of listObjects(readiness, 'problems')) {
    const detail = getText(problem, 'developer_message')
    const line = `  ${getText(problem, 'message') ?? ''}${detail === undefined ? '' : `: ${detail}`}`
    terminal.print(toCliTerms(line))
  }
}

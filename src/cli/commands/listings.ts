import { type Command, Option } from 'commander'
import { sleep } from '../../client/connection.ts'
import { formatJson, type JsonRecord, listObjects, getText } from '../../client/json.ts'
import { parseTimeOption, parseIntegerOption } from '../argument-values.ts'
import { addAsyncCalls } from './call.ts'
import type { AddCommands, CliSession, CommonOptions, Open } from '../context.ts'
import { type Columns, timeColumn } from '../table.ts'

type Query = Readonly<Record<string, string | undefined>>

/** A command that shows the items of a route. */
export interface ListCommand {
  readonly name: string
  readonly description: string
  /** `{user}` is replaced by the option of that name. */
  readonly path: string
  readonly filters?: readonly (keyof typeof FILTERS)[]
  readonly columns: Columns | ((query: Query, formatCaller: (caller: unknown) => unknown) => Columns)
  /** Whether it is a log: pages have the newest items first, but they are printed last and can be followed. */
  readonly log?: true
  /** Whether the parent command runs it by default. */
  readonly isDefault?: boolean
}

/** Options by query parameter. */
const FILTERS = {
  tool: new Option('--tool <tool>', 'a tool, one of its versions, or a pattern such as Gmail.*'),
  q: new Option('--search <text>', 'only users whose id contains this'),
  user_id: new Option('--user <user>', 'only for this user'),
  principal: new Option('--caller <id>', 'a key, person or agent, as in --json: key:<id>, person:<id>, agent:<id>'),
  outcome: new Option(
    '--outcome <outcome>',
    "success, failure, waiting (for a person), or one kind, such as 'input-invalid'",
  ),
  act: new Option('--action <action>', "an action such as key.create, or 'refusal'"),
  since: new Option('--since <time>', 'from a time, or a time ago: 30m, 12h, 7d').argParser(parseTimeOption),
  until: new Option('--until <time>', 'until a time, as for --since').argParser(parseTimeOption),
  by: new Option(
    '--by <fields>',
    'tool, toolkit, user_id, caller, outcome, dialect, hour or day; several with commas',
  ).argParser((fields) => fields.replace(/\bcaller\b/, 'principal')),
}

const CALLER: Columns[string] = ({ principal_name: name, principal }) => name ?? principal

const CALLS: ListCommand = {
  name: 'calls',
  description: 'calls, with caller, tool and outcome',
  path: '/calls',
  filters: ['tool', 'user_id', 'principal', 'outcome', 'since', 'until'],
  columns: {
    Time: timeColumn('at'),
    Tool: 'tool',
    Caller: CALLER,
    User: 'user_id',
    ms: 'duration_ms',
    Outcome: 'outcome',
  },
  log: true,
}

const LISTINGS: readonly ListCommand[] = [
  {
    name: 'usage',
    description: 'count calls and errors, with latencies, of the last day',
    path: '/usage',
    filters: ['by', 'tool', 'user_id', 'principal', 'outcome', 'since', 'until'],
    columns: ({ by = 'tool' }, formatCaller) => ({
      ...Object.fromEntries(by.split(',').map((field) => [formatHeading(field), toGroupColumn(field, formatCaller)])),
      'Calls': 'calls',
      'Errors': 'failures',
      'p50 ms': 'p50_ms',
      'p95 ms': 'p95_ms',
      'Waiting': 'waiting',
    }),
  },
  {
    name: 'audit',
    description: 'list the audit log: changes by administrators and refused requests',
    path: '/audit',
    filters: ['act', 'principal', 'outcome', 'since', 'until'],
    columns: {
      Time: timeColumn('at'),
      Action: 'act',
      Caller: CALLER,
      Outcome: 'outcome',
      Request: ({ method, path }) => `${String(method)} ${String(path)}`,
      Details: 'about',
    },
    log: true,
  },
]

export const addListings: AddCommands = (program, open) => {
  const calls = addGroup(program, open, CALLS).alias('logs')
  addAsyncCalls(calls, open)
  calls
    .command('show')
    .description('show a call, and its input and answer if they were recorded for you')
    .argument('<id>', "its call id, as 'calls --json' prints it")
    .action(async (id, options: CommonOptions) => {
      const { connection, terminal, signal } = open(options)
      const call: JsonRecord = await connection.sendJson({ path: `/calls/${encodeURIComponent(id)}`, signal })
      terminal.emit(call, () => terminal.write(formatJson(call, 2) ?? ''))
    })
  LISTINGS.forEach((each) => addListing(program, open, each))
}

/** Adds a group of commands that lists by default. */
export function addGroup(program: Command, open: Open, listing: ListCommand): Command {
  const { name, description } = listing
  const group: Command = program.command(name).description(description)
  addListing(group, open, { ...listing, name: 'list', description: `list ${name} (default)`, isDefault: true })
  return group
}

interface ListOptions extends CommonOptions {
  readonly limit?: number
  readonly follow?: boolean
}

export function addListing(parent: Command, open: Open, listing: ListCommand): void {
  const { name, description, filters = [], path, log, isDefault = false } = listing
  const command = parent.command(name, { isDefault }).description(description)
  for (const filter of filters) command.addOption(FILTERS[filter])
  if (path.includes('{user}')) command.requiredOption('--user <user>', 'the user whose they are')
  if (log) {
    command.option('--limit <count>', 'number of the newest entries (default: 20)', parseIntegerOption)
    command.option('--follow', 'keep running and show new entries')
  }
  command.action((options: ListOptions) => show(open(options), listing, options))
}

async function show(session: CliSession, listing: ListCommand, options: ListOptions): Promise<void> {
  const { terminal } = session
  const path = listing.path.replace('{user}', encodeURIComponent(options.user ?? ''))
  const optionValues = new Map(Object.entries(options))
  const query: Query = Object.fromEntries(
    (listing.filters ?? []).map((name) => [name, optionValues.get(FILTERS[name].attributeName())]),
  )
  const answer = await listItems(session, path, query, listing.log && (options.limit ?? 20))
  const { columns } = listing
  const printTable = terminal.table(
    typeof columns === 'function' ? columns(query, await createCallerFormatter(session, query)) : columns,
  )
  if (!options.follow) {
    return terminal.emit(answer, () => {
      printTable(listing.log ? answer.items.toReversed() : answer.items)
      if (answer.items.length === 0) terminal.note('None found')
      const since = getText(answer, 'since')
      if (since !== undefined) terminal.note(`Whole hours from ${new Date(since).toLocaleString('sv-SE')}`)
    })
  }
  const give = (items: readonly JsonRecord[]) => {
    if (terminal.json) for (const item of items) terminal.emit(item, () => undefined)
    else printTable(items)
  }
  give(answer.items.toReversed())
  await follow(session, path, query, answer.items, give)
}

const MAX_PAGE_ITEMS = 1_000

export async function listItems({ connection }: CliSession, path: string, query: Query, limit?: number) {
  const items: JsonRecord[] = []
  let cursor: string | undefined
  for (;;) {
    const page = { limit: limit && Math.min(limit - items.length, MAX_PAGE_ITEMS), cursor }
    const answer: JsonRecord = await connection.sendJson({ path, query: { ...query, ...page } })
    items.push(...listObjects(answer, 'items'))
    const { next_cursor: next, ...rest } = answer
    if (typeof next !== 'string' || (limit !== undefined && items.length >= limit)) return { ...rest, items }
    cursor = next
  }
}

const POLL_INTERVAL_MS = 2_000
/** Records arrive in the deployment's list in batches, and not in chronological order. */
const MAX_RECORD_DELAY_MS = 30_000

async function follow(
  session: CliSession,
  path: string,
  query: Query,
  printedItems: readonly JsonRecord[],
  give: (items: readonly JsonRecord[]) => void,
): Promise<void> {
  const { signal } = session
  const parseTime = (item: JsonRecord | undefined) => Date.parse(getText(item, 'at') ?? '')
  // Calls older than the oldest shown are not new
  const floor = parseTime(printedItems.at(-1)) || 0
  let newest = parseTime(printedItems[0]) || Date.now()
  let printedLines = new Set(printedItems.map((item) => JSON.stringify(item)))
  for (;;) {
    await sleep(POLL_INTERVAL_MS, signal).catch(() => undefined)
    if (signal.aborted) return
    const since = new Date(Math.max(floor, newest - MAX_RECORD_DELAY_MS)).toISOString()
    const { items } = await listItems(session, path, { ...query, since }, Infinity)
    give(items.filter((item) => !printedLines.has(JSON.stringify(item))).toReversed())
    printedLines = new Set(items.map((item) => JSON.stringify(item)))
    newest = Math.max(newest, parseTime(items[0]) || 0)
  }
}

/** `/usage` has only the ids of callers; `/calls` has their names too. */
async function createCallerFormatter(session: CliSession, { by = '', ...query }: Query) {
  const isAsked = by.includes('principal') && !session.terminal.json
  const { items } = isAsked ? await listItems(session, '/calls', query, MAX_PAGE_ITEMS) : { items: [] }
  const names = new Map(items.map((call) => [call['principal'], call['principal_name']]))
  return (caller: unknown) => names.get(caller) ?? caller
}

/** Calls of unknown tools, or of tools that the caller's key does not cover, are counted under an empty name. */
function toGroupColumn(field: string, formatCaller: (caller: unknown) => unknown): Columns[string] {
  if (field === 'principal') return ({ group }) => formatCaller(getText(group, field))
  if (field !== 'tool' && field !== 'toolkit') return `group.${field}`
  return ({ group }) => getText(group, field) || '(unknown or not allowed)'
}

function formatHeading(field: string): string {
  const words = field === 'principal' ? 'caller' : field.replace(/_id$/, '')
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

import type { Connection } from './connection.ts'
import { isObject } from './json.ts'
import { SwitchboardError } from './switchboard-error.ts'

/** A tool as OXP 1.0 defines it. What further fields there are is kept. */
export interface ToolDefinition {
  /** `Toolkit.Tool@1.2.3` */
  readonly id: string
  /** What models know it by. */
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly version: string
  /** Also where it was published as the JSON Schema by itself. */
  readonly input_schema: { readonly parameters: Readonly<Record<string, unknown>> }
  /** Null where the tool gives nothing. */
  readonly output_schema: Readonly<Record<string, unknown>> | null
  readonly [field: string]: unknown
}

/** Which tools are wanted. */
export interface Filter {
  readonly toolkit?: string | undefined
  readonly tag?: string | undefined
  /** `all` for older versions too. */
  readonly versions?: 'newest' | 'all' | undefined
  /** How many a page has: 100 unless this says otherwise, and at most 1,000. */
  readonly limit?: number | undefined
  /** The `next_cursor` of the page before. */
  readonly cursor?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** A search is filtered as a list is. */
export type SearchOptions = Filter

/** A page of tools. */
export interface ToolPage {
  readonly items: readonly ToolDefinition[]
  /** Of a search: how many tools it finds. */
  readonly total?: number
  /** Of a search: the words that no tool has. */
  readonly unmatched?: readonly string[]
  /** What to give as `cursor` for the next page; absent on the last. */
  readonly next_cursor?: string
}

/** One page of the tools that a filter lets through, or that answer a question, the best first. */
export async function toolPage(
  connection: Connection,
  { signal, ...query }: Filter & { readonly q?: string },
): Promise<ToolPage> {
  const page: ToolPage = await connection.json({ path: '/tools', query, signal })
  if (!Array.isArray(page.items)) throw new SwitchboardError('answer_invalid', 'What answered is no Switchboard')
  return { ...page, items: page.items.map(asSpecified) }
}

/** A tool's definition, by its id or name. */
export async function toolNamed(connection: Connection, tool: string, signal?: AbortSignal): Promise<ToolDefinition> {
  return asSpecified(await connection.json({ path: `/tools/${encodeURIComponent(tool)}`, signal }))
}

/** OXP is also written with the JSON Schema in place of `{parameters}`, and is given back as it was written. */
function asSpecified(definition: ToolDefinition): ToolDefinition {
  const { input_schema: given } = definition
  return !isObject(given) || isObject(given.parameters)
    ? definition
    : { ...definition, input_schema: { parameters: given } }
}

/** All pages, one after the other, as they are wanted. */
export async function* allTools(
  connection: Connection,
  filter: Filter,
): AsyncGenerator<ToolDefinition, void, undefined> {
  let cursor = filter.cursor
  do {
    const page = await toolPage(connection, { ...filter, cursor })
    yield* page.items
    cursor = page.next_cursor
  } while (cursor !== undefined)
}

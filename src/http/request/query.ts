import { malformedRequestFailure } from '../../core/call/call-options.ts'
import { ok, type Result } from '../../core/failure/failure.ts'
import * as json from '../../core/tool/json-reader.ts'

export interface Query<T> {
  readonly reader: json.Reader<T>
  readonly names: readonly string[]
  readonly others?: 'ignored' | undefined
  readonly lists: ReadonlySet<string>
  readonly none: Result<T>
}

export type QueryValues<Q extends Query<unknown>> = Q extends Query<infer T> ? T : never

const MEANT = {
  search: 'q',
  query: 'q',
  filter: 'q',
  page_size: 'limit',
  per_page: 'limit',
  count: 'limit',
  page: 'cursor',
  offset: 'cursor',
  after: 'cursor',
  from: 'since',
  to: 'until',
  user: 'user_id',
}

export function query<T extends object>(
  parameters: { readonly [K in keyof T]: json.Reader<T[K]> },
  { others }: { readonly others?: 'ignored' } = {},
): Query<json.ObjectValue<T>> {
  const all = Object.entries<json.Reader<unknown>>(parameters)
  const lists = new Set(all.flatMap(([name, each]) => (json.toJsonSchema(each).type === 'array' ? [name] : [])))
  const readers: { -readonly [K in keyof T]: json.Reader<T[K]> } = { ...parameters }
  for (const name in readers) if (!lists.has(name)) readers[name] = once(readers[name])
  const unknown = others === 'ignored' ? ({ unknown: 'ignore' } as const) : {}
  const reader = json.object<T>(readers, { ...unknown, called: 'parameter', meant: MEANT })
  return { reader, names: Object.keys(parameters), others, lists, none: read(reader, {}) }
}

export const NO_QUERY = query({})

export const ANY_QUERY = query({}, { others: 'ignored' })

export function readQuery<T>({ reader, lists, none }: Query<T>, url: string): Result<T> {
  const at = url.indexOf('?')
  if (at === -1) return none
  const said = Map.groupBy(new URLSearchParams(url.slice(at + 1)), ([name]) => name)
  const values = [...said].map(([name, each]) => {
    const texts = each.map(([, text]) => text)
    return [name, lists.has(name) || texts.length > 1 ? texts : texts[0]]
  })
  return read(reader, Object.fromEntries(values))
}

function read<T>(reader: json.Reader<T>, said: Readonly<Record<string, unknown>>): Result<T> {
  const checked = json.parseValue(reader, said)
  return checked.ok ? ok(checked.value) : malformedRequestFailure(checked.problems, 'the query')
}

/** Which of two values counts would depend on the reader. */
function once<T>(reader: json.Reader<T>): json.Reader<T> {
  return json.withSchemaFrom(reader, (value: unknown, report: json.ReadContext) =>
    Array.isArray(value)
      ? json.addProblem(report, `Must be said once, got ${value.length} times`)
      : reader(value, report),
  )
}

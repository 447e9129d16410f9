import { integerStringReader, malformedRequestFailure } from '../../core/call/call-options.ts'
import { ok, type Result } from '../../core/failure/failure.ts'
import * as json from '../../core/tool/json-reader.ts'

export interface Query<T> {
  readonly reader: json.Reader<T>
  readonly names: readonly string[]
  readonly unknown?: 'ignore' | undefined
  readonly listNames: ReadonlySet<string>
  readonly emptyResult: Result<T>
}

export type QueryValues<Q extends Query<unknown>> = Q extends Query<infer T> ? T : never

const WAIT_SECONDS = integerStringReader(0, 59)
/** How long to wait for a change before responding, parsed to milliseconds. */
export const WAIT = {
  wait: json.optional(
    json.transform(WAIT_SECONDS, (seconds) => seconds * 1_000),
    0,
  ),
}

const COMMON_MISNOMERS = {
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

export function defineQuery<T extends object>(
  parameters: { readonly [K in keyof T]: json.Reader<T[K]> },
  { unknown }: { readonly unknown?: 'ignore' } = {},
): Query<json.ObjectValue<T>> {
  const entries = Object.entries<json.Reader<unknown>>(parameters)
  const listNames = new Set(
    entries.flatMap(([name, reader]) => (json.toJsonSchema(reader).type === 'array' ? [name] : [])),
  )
  const readers: { -readonly [K in keyof T]: json.Reader<T[K]> } = { ...parameters }
  for (const name in readers) if (!listNames.has(name)) readers[name] = singleValue(readers[name])
  const reader = json.object<T>(readers, {
    ...(unknown && { unknown }),
    fieldNoun: 'parameter',
    misnomers: COMMON_MISNOMERS,
  })
  return { reader, names: Object.keys(parameters), unknown, listNames, emptyResult: checkValues(reader, {}) }
}

export const NO_QUERY = defineQuery({})

export const ANY_QUERY = defineQuery({}, { unknown: 'ignore' })

/** The authorizer reads these on every request for tools. */
export const VIEW_PARAMETERS = ['toolset', 'lock'] as const
export type ViewParameter = (typeof VIEW_PARAMETERS)[number]
const isViewParameter = (name: string) => VIEW_PARAMETERS.some((parameter) => parameter === name)

export function readQuery<T>({ reader, listNames, emptyResult }: Query<T>, url: string): Result<T> {
  const queryStart = url.indexOf('?')
  if (queryStart === -1) return emptyResult
  const parameters = Map.groupBy(new URLSearchParams(url.slice(queryStart + 1)), ([name]) => name)
  const values = [...parameters].flatMap(([name, pairs]) => {
    if (isViewParameter(name)) return []
    const texts = pairs.map(([, text]) => text)
    return [[name, listNames.has(name) || texts.length > 1 ? texts : texts[0]]]
  })
  return checkValues(reader, Object.fromEntries(values))
}

function checkValues<T>(reader: json.Reader<T>, values: Readonly<Record<string, unknown>>): Result<T> {
  const result = json.parseValue(reader, values)
  return result.ok ? ok(result.value) : malformedRequestFailure(result.problems, 'the query')
}

/** Rejects repeated parameters, because parsers differ in the value that they use. */
function singleValue<T>(reader: json.Reader<T>): json.Reader<T> {
  return json.withSchemaFrom(reader, (value: unknown, report: json.ReadContext) =>
    Array.isArray(value)
      ? json.addProblem(report, `Must be said once, got ${value.length} times`)
      : reader(value, report),
  )
}

import { malformed } from '../../core/call/call-fields.ts'
import { ok, type Result } from '../../core/failure/failure.ts'
import {
  check,
  object,
  type ObjectOf,
  type Reader,
  type Report,
  statingAs,
  wrong,
} from '../../core/tool/json-reader.ts'

/** What a route reads of its query: declared once, for whatever reads it and whatever describes it. */
export interface Query<T> {
  readonly reader: Reader<T>
  readonly names: readonly string[]
  /** What becomes of parameters that are not declared; they are refused where it is not said. */
  readonly others?: 'ignored' | undefined
  /** Parameters that may be said several times: their readers are given an array. */
  readonly lists: ReadonlySet<string>
  /** What a request without a query says. */
  readonly none: Result<T>
}

/** What a query of this type says. */
export type ReadOf<Q extends Query<unknown>> = Q extends Query<infer T> ? T : never

interface QueryRules {
  /** Parameters that may be said several times. */
  readonly lists?: readonly string[]
  /** Whether parameters that are not declared are passed over, rather than refused. `src/DECISIONS.md` says for which routes. */
  readonly others?: 'ignored'
}

/** What people try who have not read the documentation, where nothing is called nearly so. */
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

/** Declares the query parameters of a route, each with what reads its text. */
export function query<T extends object>(
  parameters: { readonly [K in keyof T]: Reader<T[K]> },
  { lists = [], others }: QueryRules = {},
): Query<ObjectOf<T>> {
  const several = new Set(lists)
  const readers: { -readonly [K in keyof T]: Reader<T[K]> } = { ...parameters }
  for (const name in readers) if (!several.has(name)) readers[name] = once(readers[name])
  const unknown = others === 'ignored' ? ({ unknown: 'ignore' } as const) : {}
  const reader = object<T>(readers, { ...unknown, called: 'parameter', meant: MEANT })
  return { reader, names: Object.keys(parameters), others, lists: several, none: read(reader, {}) }
}

/** The query of a route that reads none. */
export const NO_QUERY = query({})

/** The query of a route whose answer is the same whatever it says, or whose protocol has it pass over what it does not know. */
export const ANY_QUERY = query({}, { others: 'ignored' })

/** Reads the query of a URL as a route declares it. Fails with `request-malformed`, which names everything that is wrong. */
export function readQuery<T>({ reader, lists, none }: Query<T>, url: string): Result<T> {
  const at = url.indexOf('?')
  if (at === -1) return none
  const said = new Map<string, string | readonly string[]>()
  const parameters = new URLSearchParams(url.slice(at + 1))
  for (const name of parameters.keys()) {
    if (said.has(name)) continue
    const values = parameters.getAll(name)
    const [first = ''] = values
    said.set(name, lists.has(name) || values.length > 1 ? values : first)
  }
  return read(reader, Object.fromEntries(said))
}

function read<T>(reader: Reader<T>, said: Readonly<Record<string, unknown>>): Result<T> {
  const checked = check(reader, said)
  return checked.ok ? ok(checked.value) : malformed(checked.problems, 'the query')
}

/** Of what is said twice, one would be passed over, and which one depends on who reads. */
function once<T>(reader: Reader<T>): Reader<T> {
  return statingAs(reader, (value: unknown, report: Report) =>
    Array.isArray(value) ? wrong(report, `Must be said once, got ${value.length} times`) : reader(value, report),
  )
}

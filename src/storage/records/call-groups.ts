import { parseTrusted } from '../../core/tool/json-text.ts'
import type { CallRecord } from '../../core/call/call-record.ts'
import { DAY_MS, HOUR_MS } from '../../core/tool/time.ts'
import { bucketOf } from './durations.ts'

export type SharedFields = Pick<
  CallRecord,
  'principal' | 'principal_name' | 'user_id' | 'tool' | 'digest' | 'dialect' | 'outcome'
>

/** The many calls of a second are mostly few callers' of few tools, so grouping saves rows, and most of each record. */
export interface CallGroup {
  /** Since 1970. */
  readonly day: number
  readonly shared: SharedFields
  readonly rows: readonly CallRow[]
  readonly figures: readonly Figure[]
}

/** As many calls as one row has room for. `first` is the place within the batch. */
export interface CallRow {
  readonly first: number
  readonly calls: number
  readonly at: number
  readonly last: number
  readonly lines: string
}

export type Figure = readonly [hour: number, bucket: number, calls: number, ms: number]

/** Characters of lines a row, with room to SQLite's limit. */
const MAX_TEXT = 250_000

/** Callers read records, and not the log. */
export interface LoggedCall extends CallRecord {
  readonly for_operator?: string
}

/** Calls of a day that have everything `shared` in common: one in each list for each of them. */
interface Alike {
  readonly day: number
  readonly shared: SharedFields
  readonly places: number[]
  readonly at: number[]
  readonly durations: number[]
  readonly ids: string[]
  /** As JSON, by place: few calls have more. */
  readonly more: Map<number, string>
}

/** Kept as numbers and ids: as objects they would outlive the young generation, and be out of the cache when written. */
export class GatheredCalls {
  readonly #groups = new Map<string, Alike>()
  #last: Alike | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  add(call: LoggedCall): void {
    const last = this.#last
    const day = Math.floor(call.at / DAY_MS)
    const group = last?.day === day && isShared(last.shared, call) ? last : this.#groupOf(day, call)
    this.#last = group
    const more = moreOf(call)
    if (more !== undefined) group.more.set(this.#size, more)
    group.places.push(this.#size)
    group.at.push(call.at)
    group.durations.push(call.duration_ms)
    group.ids.push(call.call_id)
    this.#size += 1
  }

  #groupOf(day: number, { principal, principal_name, user_id, tool, digest, dialect, outcome }: CallRecord): Alike {
    const shared = { principal, principal_name, user_id, tool, digest, dialect, outcome }
    const key = `${day} ${JSON.stringify(shared)}`
    const known = this.#groups.get(key)
    if (known) return known
    const made = { day, shared, places: [], at: [], durations: [], ids: [], more: new Map<number, string>() }
    this.#groups.set(key, made)
    return made
  }

  /** All are counted in figures; rows are of those alone that are to be `kept`. */
  groups(kept: 'all' | 'failures'): CallGroup[] {
    return [...this.#groups.values()].map((group) => {
      const { day, shared } = group
      const hasRows = kept === 'all' || shared.outcome !== 'success'
      return { day, shared, rows: hasRows ? rowsOf(group) : [], figures: figuresOf(group) }
    })
  }

  /** A JSON text each, in their order. */
  lines(event: string): string[] {
    const lines = Array.from({ length: this.#size }, () => '')
    for (const { shared, places, at, durations, ids, more } of this.#groups.values()) {
      const begun = JSON.stringify({ event, ...shared }).slice(0, -1)
      places.forEach((place, index) => {
        const rest = more.get(place)?.replace('{', ',') ?? '}'
        const id = JSON.stringify(ids[index])
        lines[place] = `${begun},"at":${at[index]},"call_id":${id},"duration_ms":${durations[index]}${rest}`
      })
    }
    return lines
  }
}

/** Each call is compared to the one before it: by named fields, since reading them by name costs more than the rest. */
function isShared(shared: SharedFields, call: CallRecord): boolean {
  return (
    shared.principal === call.principal &&
    shared.tool === call.tool &&
    shared.outcome === call.outcome &&
    shared.user_id === call.user_id &&
    shared.dialect === call.dialect &&
    shared.digest === call.digest &&
    shared.principal_name === call.principal_name
  )
}

function moreOf({ trace_id, traceparent, upstream_status, arguments: input, for_operator }: LoggedCall) {
  if ((trace_id ?? traceparent ?? upstream_status ?? input ?? for_operator) === undefined) return undefined
  return JSON.stringify({ trace_id, traceparent, upstream_status, arguments: input, for_operator })
}

function rowsOf({ places, at, durations, ids, more }: Alike): CallRow[] {
  const lines = places.map((place, index) => {
    const rest = more.get(place)
    return `[${place},${at[index]},${durations[index]},${JSON.stringify(ids[index])}${rest ? `,${rest}` : ''}]`
  })
  const between = (from: number, to: number): CallRow[] => {
    const text = lines.slice(from, to).join('\n')
    const calls = to - from
    const middle = from + Math.ceil(calls / 2)
    if (text.length > MAX_TEXT && calls > 1) return [...between(from, middle), ...between(middle, to)]
    const times = at.slice(from, to)
    return [{ first: places[from] ?? 0, calls, at: Math.min(...times), last: Math.max(...times), lines: text }]
  }
  return between(0, lines.length)
}

export interface PlacedRecord {
  readonly place: number
  readonly record: CallRecord
}

export function readLine(line: string, shared: SharedFields): PlacedRecord {
  const [place, at, duration_ms, call_id, more = {}] = parseTrusted(line)
  const { trace_id, traceparent, upstream_status, arguments: input } = more
  const ran = { upstream_status, duration_ms, arguments: input }
  return { place, record: { at, call_id, trace_id, traceparent, ...shared, ...ran } }
}

function figuresOf({ at, durations }: Alike): Figure[] {
  const figures = new Map<number, [hour: number, bucket: number, calls: number, ms: number]>()
  durations.forEach((ms, index) => {
    const begun = at[index] ?? 0
    const hour = begun - (begun % HOUR_MS)
    const bucket = bucketOf(ms)
    // There are fewer buckets than an hour has milliseconds
    const known = figures.get(hour + bucket)
    if (known) {
      known[2] += 1
      known[3] += ms
    } else figures.set(hour + bucket, [hour, bucket, 1, ms])
  })
  return [...figures.values()]
}

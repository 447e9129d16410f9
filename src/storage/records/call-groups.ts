import type { CallRecord } from '../../core/call/call-record.ts'
import { HOUR_MS } from '../../core/tool/time.ts'
import { bucketOf } from './durations.ts'

const SHARED = ['principal', 'principal_name', 'user_id', 'tool', 'digest', 'dialect', 'outcome'] as const

export type SharedFields = Pick<CallRecord, (typeof SHARED)[number]>

/** The many calls of a second are mostly few callers' of few tools, so grouping saves rows, and most of each record. */
export interface CallGroup {
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

type Placed = { readonly place: number; readonly call: CallRecord }

/** All calls are counted in figures; rows are of those alone that are to be `kept`. */
export function groupCalls(calls: readonly CallRecord[], kept: 'all' | 'failures'): readonly CallGroup[] {
  const groups = new Map<string, Placed[]>()
  let group: Placed[] = []
  calls.forEach((call, place) => {
    const [first] = group
    if (!first || SHARED.some((field) => first.call[field] !== call[field])) {
      const key = JSON.stringify(sharedOf(call))
      group = groups.get(key) ?? []
      groups.set(key, group)
    }
    group.push({ place, call })
  })
  return [...groups.values()].flatMap((placed) => {
    const [first] = placed
    if (!first) return []
    const shared = sharedOf(first.call)
    const hasRows = kept === 'all' || shared.outcome !== 'success'
    return { shared, rows: hasRows ? rowsOf(placed) : [], figures: figuresOf(placed) }
  })
}

function sharedOf(call: CallRecord): SharedFields {
  const { principal, principal_name, user_id, tool, digest, dialect, outcome } = call
  return { principal, principal_name, user_id, tool, digest, dialect, outcome }
}

function rowsOf(placed: readonly Placed[]): CallRow[] {
  const rows: CallRow[] = []
  let lines: string[] = []
  let row = { first: 0, calls: 0, at: Infinity, last: -Infinity }
  let room = MAX_TEXT
  const end = () => rows.push({ ...row, lines: lines.join('\n') })
  for (const { place, call } of placed) {
    const line = lineOf(place, call)
    if (line.length > room && lines.length > 0) {
      end()
      lines = []
      room = MAX_TEXT
    }
    if (lines.length === 0) row = { first: place, calls: 0, at: call.at, last: call.at }
    lines.push(line)
    room -= line.length
    row.calls += 1
    row.at = Math.min(row.at, call.at)
    row.last = Math.max(row.last, call.at)
  }
  end()
  return rows
}

function lineOf(place: number, call: CallRecord): string {
  const { at, duration_ms, call_id, trace_id, traceparent, upstream_status, arguments: input } = call
  const own = [place, at, duration_ms, call_id]
  const isShort = (trace_id ?? traceparent ?? upstream_status ?? input) === undefined
  return JSON.stringify(isShort ? own : [...own, { trace_id, traceparent, upstream_status, arguments: input }])
}

export interface PlacedRecord {
  readonly place: number
  readonly record: CallRecord
}

/** Reads a line of a row, which `lineOf` wrote. */
export function readLine(line: string, shared: SharedFields): PlacedRecord {
  const [place, at, duration_ms, call_id, more = {}] = JSON.parse(line)
  const { trace_id, traceparent, upstream_status, arguments: input } = more
  const { principal, principal_name, user_id, tool, digest, dialect, outcome } = shared
  const caller = { principal, principal_name, user_id }
  const run = { tool, digest, dialect, upstream_status, outcome, duration_ms, arguments: input }
  return { place, record: { at, call_id, trace_id, traceparent, ...caller, ...run } }
}

/** One for each hour and bucket of durations. */
function figuresOf(placed: readonly Placed[]): Figure[] {
  const figures = new Map<string, [hour: number, bucket: number, calls: number, ms: number]>()
  for (const { call } of placed) {
    const hour = call.at - (call.at % HOUR_MS)
    const bucket = bucketOf(call.duration_ms)
    const key = `${hour} ${bucket}`
    const known = figures.get(key)
    if (known) {
      known[2] += 1
      known[3] += call.duration_ms
    } else figures.set(key, [hour, bucket, 1, call.duration_ms])
  }
  return [...figures.values()]
}

import { parseTrusted } from '../../core/tool/json-text.ts'
import type { CallRecord } from '../../core/call/call-record.ts'
import { DAY_MS, HOUR_MS } from '../../core/tool/time.ts'
import { toBucket } from './durations.ts'

export type SharedFields = Pick<
  CallRecord,
  'principal' | 'principal_name' | 'user_id' | 'tool' | 'digest' | 'dialect' | 'outcome'
>

/** Most calls of a second are by few callers and of few tools, so grouping saves rows and most of each record. */
export interface CallGroup {
  /** Days since 1970. */
  readonly day: number
  readonly shared: SharedFields
  readonly rows: readonly CallRow[]
  readonly figures: readonly Figure[]
}

/** As many calls as fit in one row, one line per call. */
interface CallRow {
  /** The place of the first call in its batch. */
  readonly firstPlace: number
  readonly calls: number
  /** The times of the earliest and the latest call. */
  readonly firstAt: number
  readonly lastAt: number
  readonly lines: string
}

type Figure = readonly [hour: number, bucket: number, calls: number, ms: number]

/** Characters of the lines in a row, well below SQLite's limit. */
const MAX_TEXT = 250_000

interface PlacedCall {
  readonly place: number
  readonly call: CallRecord
}

/** Groups calls. All are counted in figures, but only those with a recorded outcome have rows. */
export function groupCalls(calls: readonly CallRecord[], recordedOutcomes: 'all' | 'failures'): CallGroup[] {
  const placedCalls = calls.map((call, place) => ({ place, call }))
  const groups = Map.groupBy(placedCalls, ({ call }) => `${toDay(call)} ${JSON.stringify(sharedFields(call))}`)
  return [...groups.values()].flatMap((alike) => {
    const [firstCall] = alike
    if (!firstCall) return []
    const shared = sharedFields(firstCall.call)
    const hasRows = recordedOutcomes === 'all' || shared.outcome !== 'success'
    return { day: toDay(firstCall.call), shared, rows: hasRows ? buildRows(alike) : [], figures: countFigures(alike) }
  })
}

function toDay({ at }: CallRecord): number {
  return Math.floor(at / DAY_MS)
}

export function sharedFields(call: CallRecord): SharedFields {
  const { principal, principal_name, user_id, tool, digest, dialect, outcome } = call
  return { principal, principal_name, user_id, tool, digest, dialect, outcome }
}

/** Returns the optional fields, which end a line. Few calls have any. */
function otherFields({ trace_id, traceparent, upstream_status, arguments: input }: CallRecord) {
  if ((trace_id ?? traceparent ?? upstream_status ?? input) === undefined) return []
  return [{ trace_id, traceparent, upstream_status, arguments: input }]
}

function buildRows(calls: readonly PlacedCall[]): CallRow[] {
  const lines = calls
    .map(({ place, call }) => JSON.stringify([place, call.at, call.duration_ms, call.call_id, ...otherFields(call)]))
    .join('\n')
  if (lines.length > MAX_TEXT && calls.length > 1) {
    const middle = Math.ceil(calls.length / 2)
    return [...buildRows(calls.slice(0, middle)), ...buildRows(calls.slice(middle))]
  }
  const times = calls.map(({ call }) => call.at)
  const firstPlace = calls[0]?.place ?? 0
  return [{ firstPlace, calls: calls.length, firstAt: Math.min(...times), lastAt: Math.max(...times), lines }]
}

/** Parses a line of a row. `place` is the call's place in its batch. */
export function readLine(line: string, shared: SharedFields): { readonly place: number; readonly record: CallRecord } {
  const [place, at, duration_ms, call_id, more = {}] = parseTrusted(line)
  const { trace_id, traceparent, upstream_status, arguments: input } = more
  const fields = { upstream_status, duration_ms, arguments: input }
  return { place, record: { at, call_id, trace_id, traceparent, ...shared, ...fields } }
}

function countFigures(calls: readonly PlacedCall[]): Figure[] {
  const figures = new Map<string, Figure>()
  for (const { call } of calls) {
    const hour = call.at - (call.at % HOUR_MS)
    const bucket = toBucket(call.duration_ms)
    const key = `${hour} ${bucket}`
    const [, , count, ms] = figures.get(key) ?? [hour, bucket, 0, 0]
    figures.set(key, [hour, bucket, count + 1, ms + call.duration_ms])
  }
  return [...figures.values()]
}

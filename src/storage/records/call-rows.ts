import type { CallRecord } from '../../core/call/record.ts'
import type { CallFilter } from '../../core/call/records.ts'
import { field } from '../rows.ts'
import type { CallGroup } from './call-groups.ts'
import { conditionOf } from './condition.ts'

/** Ids reserved for each batch, so that an id tells the batch; no batch is larger. */
export const SPAN = 1_024
/** Characters of records a row, with room to SQLite's limit. */
const MAX_TEXT = 250_000

/** Ids grow in the order of arrival; the record is JSON. */
export interface NumberedRecord {
  readonly id: number
  readonly record: string
}

/**
 * At most `SPAN` calls, one row a group; `record` has a line a call, which begins with its id. One statement costs less
 * than many.
 */
export function storeCalls(sql: SqlStorage, groups: readonly CallGroup[], textOf: (place: number) => string): void {
  const last = field<number | null>(sql, 'SELECT max(id) FROM call') ?? 0
  const first = (Math.floor(last / SPAN) + 1) * SPAN
  const rows = groups.flatMap((group) => {
    const { principal, user, parts, outcome, dialect, calls } = group
    return piecesOf(calls, ({ place }) => textOf(place).length).map((piece) => {
      const times = piece.map(({ call }) => call.at)
      const lines = piece.map(({ place }) => `${first + place} ${textOf(place)}`)
      const id = first + (piece[0]?.place ?? 0)
      const [from, until] = [Math.min(...times), Math.max(...times)]
      return [id, from, until, principal, user ?? null, ...parts, outcome, dialect, lines.join('\n')]
    })
  })
  sql.exec(
    `INSERT INTO call (id, at, last, principal, user_id, toolkit, tool, version, outcome, dialect, record)
     SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8,
       value ->> 9, value ->> 10
     FROM json_each(?)`,
    JSON.stringify(rows),
  )
}

function piecesOf<Item>(items: readonly Item[], lengthOf: (item: Item) => number): Item[][] {
  const pieces: Item[][] = []
  let room = 0
  for (const item of items) {
    const length = lengthOf(item)
    if (length > room || pieces.length === 0) {
      pieces.push([])
      room = MAX_TEXT
    }
    pieces.at(-1)?.push(item)
    room -= length
  }
  return pieces
}

export function findCalls(
  sql: SqlStorage,
  filter: CallFilter,
  { before = Number.MAX_SAFE_INTEGER, limit }: { readonly before?: number | undefined; readonly limit: number },
): NumberedRecord[] {
  const { text, values } = conditionOf(sql, filter, 'calls')
  const query = `SELECT ${COLUMNS} FROM call WHERE id < ? AND ${text} ORDER BY id DESC`
  const found: NumberedRecord[] = []
  for (const together of batchesOf(sql.exec<CallRow>(query, before, ...values))) {
    const wanted = together.filter(
      ({ id, record, isWhole }) => id < before && (isWhole(filter) || isIn(filter, record)),
    )
    found.push(...wanted.toReversed().slice(0, limit - found.length))
    if (found.length === limit) break
  }
  return found.map(({ id, record }) => ({ id, record }))
}

export function* callsAfter(sql: SqlStorage, id: number): Iterable<readonly NumberedRecord[]> {
  yield* batchesOf(sql.exec<CallRow>(`SELECT ${COLUMNS} FROM call WHERE id > ? ORDER BY id`, id))
}

type CallRow = { readonly id: number; readonly at: number; readonly last: number; readonly record: string }
const COLUMNS = 'id, at, last, record'

interface Unpacked extends NumberedRecord {
  /** Whether all calls of its row are within the filter's times. */
  readonly isWhole: (filter: CallFilter) => boolean
}

function* batchesOf(rows: Iterable<CallRow>): Iterable<Unpacked[]> {
  let together: Unpacked[] = []
  let batch: number | undefined
  const inOrder = (): Unpacked[] => together.toSorted((one, other) => one.id - other.id)
  for (const row of rows) {
    const of = Math.floor(row.id / SPAN)
    if (of !== batch && together.length > 0) {
      yield inOrder()
      together = []
    }
    batch = of
    together.push(...unpacked(row))
  }
  if (together.length > 0) yield inOrder()
}

function unpacked({ at, last, record }: CallRow): Unpacked[] {
  const isWhole = ({ since, until }: CallFilter): boolean => since <= at && last < until
  return record.split('\n').map((line) => {
    const space = line.indexOf(' ')
    return { id: Number(line.slice(0, space)), record: line.slice(space + 1), isWhole }
  })
}

function isIn({ since, until }: CallFilter, record: string): boolean {
  const { at }: CallRecord = JSON.parse(record)
  return since <= at && at < until
}

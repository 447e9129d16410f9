import { parseTrusted } from '../../core/tool/json-text.ts'
import type { CallFilter } from '../../core/call/recorded-calls.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import { readField } from '../rows.ts'
import { type CallGroup, type IndexedRecord, readLine, type SharedFields } from './call-groups.ts'
import { buildCondition } from './condition.ts'
import { insertAll } from './tables.ts'

/** Ids reserved for each batch, so that an id tells the batch; no batch is larger. */
export const SPAN = 1_024

/** Ids grow in the order of arrival; the record is JSON. */
export type NumberedRecord = {
  readonly id: number
  readonly record: string
}

/** `record` begins with what a row's calls have in common, and has a line for each. */
export function storeCalls(sql: SqlStorage, groups: readonly CallGroup[]): void {
  const lastId = readField<number | null>(sql, 'SELECT max(id) FROM call') ?? 0
  const firstId = (Math.floor(lastId / SPAN) + 1) * SPAN
  const rows = groups.flatMap((group) => {
    const { principal, user_id: user, outcome, dialect } = group.shared
    const parts = splitToolId(group.shared)
    return group.rows.map(({ first: place, at, last: until, lines }) => {
      const text = `${JSON.stringify(group.shared)}\n${lines}`
      return [firstId + place, at, until, principal, user, ...parts, outcome, dialect, text]
    })
  })
  const columns = 'id, at, last, principal, user_id, toolkit, tool, version, outcome, dialect, record'
  insertAll(sql, `call (${columns})`, rows)
}

/** Without a version where none was available; empty where there is no such tool. */
export function splitToolId({ tool: id, digest, outcome }: SharedFields): readonly [string, string, version: string] {
  if (digest !== undefined) {
    const [tool = '', version = ''] = id.split('@', 2)
    return [tool.split('.', 1)[0] ?? '', tool, version]
  }
  const isThere = outcome === 'version-unavailable' || outcome === 'tool-disabled'
  const toolName = isThere ? parseToolId(id) : undefined
  return toolName ? [toolName.toolkit, `${toolName.toolkit}.${toolName.tool}`, ''] : ['', '', '']
}

export function findCalls(sql: SqlStorage, filter: CallFilter, limit: number, before: number): NumberedRecord[] {
  const { text, values } = buildCondition(sql, filter, 'calls')
  const query = `SELECT id, record FROM call WHERE id < ? AND ${text} ORDER BY id DESC`
  const records: NumberedRecord[] = []
  for (const together of groupBatches(sql.exec<NumberedRecord>(query, before, ...values))) {
    // Not all calls of a row need be within the times
    const isWanted = ({ place: id, record: { at } }: IndexedRecord) =>
      id < before && filter.since <= at && at < filter.until
    records.push(...together.filter(isWanted).toReversed().map(numbered))
    if (records.length >= limit) break
  }
  return records.slice(0, limit)
}

export function* callsAfter(sql: SqlStorage, id: number): Iterable<readonly NumberedRecord[]> {
  const rows = sql.exec<NumberedRecord>('SELECT id, record FROM call WHERE id > ? ORDER BY id', id)
  for (const together of groupBatches(rows)) yield together.map(numbered)
}

function numbered({ place: id, record }: IndexedRecord): NumberedRecord {
  return { id, record: JSON.stringify(record) }
}

/** Each call's place is then its id. */
function* groupBatches(rows: Iterable<NumberedRecord>): Iterable<IndexedRecord[]> {
  let together: IndexedRecord[] = []
  let batch: number | undefined
  const inOrder = (): IndexedRecord[] => together.toSorted((one, other) => one.place - other.place)
  for (const { id, record } of rows) {
    const of = Math.floor(id / SPAN)
    if (of !== batch && together.length > 0) {
      yield inOrder()
      together = []
    }
    batch = of
    const [first = '', ...lines] = record.split('\n')
    const shared: SharedFields = parseTrusted(first)
    for (const line of lines) {
      const read = readLine(line, shared)
      together.push({ ...read, place: of * SPAN + read.place })
    }
  }
  if (together.length > 0) yield inOrder()
}

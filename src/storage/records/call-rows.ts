import { parseTrusted } from '../../core/tool/json-text.ts'
import type { CallRecord } from '../../core/call/call-record.ts'
import type { CallFilter } from '../../core/call/recorded-calls.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import { readField } from '../rows.ts'
import { type CallGroup, readLine, type SharedFields } from './call-groups.ts'
import { buildCondition } from './condition.ts'
import { insertAll } from './tables.ts'

/** The ids reserved for each batch, which is never larger. An id therefore identifies its batch. */
export const SPAN = 1_024

/** Ids grow in the order of arrival; the record is JSON. */
export type NumberedRecord = {
  readonly id: number
  readonly record: string
}

/** Stores calls. A row's `record` begins with the fields that its calls share, and has a line per call. */
export function storeCalls(sql: SqlStorage, groups: readonly CallGroup[]): void {
  const lastId = readField<number | null>(sql, 'SELECT max(id) FROM call') ?? 0
  const firstId = (Math.floor(lastId / SPAN) + 1) * SPAN
  const rows = groups.flatMap((group) => {
    const { principal, user_id: user, outcome, dialect } = group.shared
    const parts = splitToolId(group.shared)
    return group.rows.map(({ firstPlace, firstAt, lastAt, lines }) => {
      const text = `${JSON.stringify(group.shared)}\n${lines}`
      return [firstId + firstPlace, firstAt, lastAt, principal, user, ...parts, outcome, dialect, text]
    })
  })
  const columns = 'id, at, last, principal, user_id, toolkit, tool, version, outcome, dialect, record'
  insertAll(sql, `call (${columns})`, rows)
}

/** Splits an id into toolkit, tool and version. The version is empty if none was available, and all if there is no tool. */
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
  for (const batch of readBatches(sql.exec<NumberedRecord>(query, before, ...values))) {
    // Some calls of a row may not match the filter
    const matches = batch.filter(
      ({ id, record: { at, call_id } }) =>
        id < before && filter.since <= at && at < filter.until && call_id === (filter.call_id ?? call_id),
    )
    records.push(...matches.toReversed().map(toNumberedRecord))
    if (records.length >= limit) break
  }
  return records.slice(0, limit)
}

export function* callsAfter(sql: SqlStorage, id: number): Iterable<readonly NumberedRecord[]> {
  const rows = sql.exec<NumberedRecord>('SELECT id, record FROM call WHERE id > ? ORDER BY id', id)
  for (const batch of readBatches(rows)) yield batch.map(toNumberedRecord)
}

interface NumberedCall {
  readonly id: number
  readonly record: CallRecord
}

function toNumberedRecord({ id, record }: NumberedCall): NumberedRecord {
  return { id, record: JSON.stringify(record) }
}

/** Yields the calls of each batch, sorted by id. The rows of a batch follow each other. */
function* readBatches(rows: Iterable<NumberedRecord>): Iterable<NumberedCall[]> {
  let calls: NumberedCall[] = []
  let currentBatch: number | undefined
  const inOrder = () => calls.toSorted((one, other) => one.id - other.id)
  for (const { id, record: text } of rows) {
    const batch = Math.floor(id / SPAN)
    if (batch !== currentBatch && calls.length > 0) {
      yield inOrder()
      calls = []
    }
    currentBatch = batch
    const [sharedText = '', ...lines] = text.split('\n')
    const shared: SharedFields = parseTrusted(sharedText)
    for (const line of lines) {
      const { place, record } = readLine(line, shared)
      calls.push({ id: batch * SPAN + place, record })
    }
  }
  if (calls.length > 0) yield inOrder()
}

import { parseTrusted } from '../../core/tool/json-text.ts'
import type { RecordFilter } from '../../core/access/audit-entry.ts'
import type { CallMetrics, RecordPage, RecordReader, Usage } from '../../core/call/recorded-calls.ts'
import { DAY_MS } from '../../core/tool/time.ts'
import type { Sealer } from '../sealing/deployment-keys.ts'
import { createReliableStub } from '../reachable-stub.ts'
import type { NumberedRecord } from './call-rows.ts'
import { formatDay, daysBetween } from './days.ts'
import { estimateQuantile, countWithin } from './durations.ts'
import type { DayRows, FigureRow } from './figures.ts'
import type { Records } from './records-object.ts'

const REACH = { what: 'records', waitMs: 10_000 }
const MAX_GROUPS = 10_000
const PLACE_LENGTH = 32
const STEPS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

type RecordsStub = (day: string) => DurableObjectStub<Records>

export function recordsStub(namespace: DurableObjectNamespace<Records>): RecordsStub {
  return (day) => createReliableStub(() => namespace.getByName(day), REACH)
}

export function createRecords(
  getRecordsStub: RecordsStub,
  sealer: Sealer,
  now: () => number,
  { keyring, days: contentDays }: { readonly keyring: Sealer; readonly days: number },
): RecordReader {
  async function page<Item>(
    kind: 'call' | 'act',
    find: (day: string, limit: number, before: number | undefined) => Promise<readonly NumberedRecord[]>,
    filter: RecordFilter,
    limit: number,
    cursor?: string,
  ): Promise<RecordPage<Item> | undefined> {
    const { since: _, until: __, ...rest } = filter
    const associatedData = JSON.stringify([kind, rest])
    const openedCursor = cursor === undefined ? undefined : await sealer.unseal(cursor, associatedData)
    if (cursor !== undefined && !openedCursor) return undefined
    const [from, id] = openedCursor ? openedCursor.text.trim().split(' ', 2) : []
    const items: Item[] = []
    for (const day of daysBetween(filter.since, filter.until)) {
      if (from !== undefined && day > from) continue
      const before = day === from ? Number(id) : undefined
      const dayRecords = await find(day, limit + 1 - items.length, before)
      for (const { id: number, record } of dayRecords) {
        if (items.length < limit) items.push(parseTrusted(record))
        else {
          const place = `${day} ${number + 1}`.padEnd(PLACE_LENGTH)
          return { items, nextCursor: await sealer.seal(place, associatedData, { deterministic: true }) }
        }
      }
    }
    return { items }
  }

  return {
    calls: (filter, ...pageRange) =>
      page('call', (day, ...range) => getRecordsStub(day).calls(filter, ...range), filter, ...pageRange),

    async findCall(filter) {
      for (const day of daysBetween(filter.since, filter.until)) {
        const [row] = await getRecordsStub(day).calls(filter, 1)
        if (row) return parseTrusted(row.record)
      }
      return undefined
    },

    async findContent(owner, call) {
      // The current setting applies, not the one from when the call was recorded
      if (call.at <= now() - contentDays * DAY_MS) return undefined
      const sealedContent = await getRecordsStub(formatDay(call.at)).content(owner, call.call_id, call.at)
      if (sealedContent === undefined) return undefined
      return (await import('./seal-content.ts')).unsealContent(keyring, sealedContent, owner, call)
    },

    auditEvents: (filter, ...pageRange) =>
      page('act', (day, ...range) => getRecordsStub(day).acts(filter, ...range), filter, ...pageRange),

    async usage(filter, by) {
      const days = daysBetween(filter.since, filter.until)
      const dayFigures = await Promise.all(days.map((day) => getRecordsStub(day).figures(filter, by)))
      const groups = new Map<string, Group>()
      for (const { rows } of dayFigures) {
        if (!rows) return undefined
        for (const row of rows) add(groups, row)
      }
      if (groups.size > MAX_GROUPS) return undefined
      const rankedGroups = [...groups].sort(
        ([one, { calls }], [other, { calls: more }]) => more - calls || (one < other ? -1 : 1),
      )
      const items = rankedGroups.map(([text, group]) => toUsage(parseTrusted(text), group))
      return { items, lost: dayFigures.reduce((sum, { lost }) => sum + lost, 0) }
    },

    async metrics() {
      const day = formatDay(now())
      const { calls, durations, lost } = await getRecordsStub(day).counted()
      return { since: Date.parse(day), calls, durations: buildHistograms(durations), lost }
    },
  }
}

interface Group {
  calls: number
  failed: number
  waiting: number
  ms: number
  readonly durations: Map<number, number>
}

function add(groups: Map<string, Group>, { group: name, failed, waiting, bucket, calls, ms }: FigureRow): void {
  const group = groups.get(name) ?? { calls: 0, failed: 0, waiting: 0, ms: 0, durations: new Map<number, number>() }
  groups.set(name, group)
  group.calls += calls
  group.failed += failed * calls
  group.waiting += waiting * calls
  group.ms += ms
  group.durations.set(bucket, (group.durations.get(bucket) ?? 0) + calls)
}

function toUsage(group: Usage['group'], { calls, failed, waiting, ms, durations }: Group): Usage {
  return {
    group,
    calls,
    failures: failed,
    waiting,
    mean_ms: Math.round((ms / calls) * 10) / 10,
    p50_ms: estimateQuantile(durations, 0.5),
    p95_ms: estimateQuantile(durations, 0.95),
    p99_ms: estimateQuantile(durations, 0.99),
  }
}

function buildHistograms(rows: DayRows['durations']): CallMetrics['durations'] {
  return [...Map.groupBy(rows, ({ toolkit }) => toolkit)].map(([toolkit, toolkitRows]) => {
    const durations = new Map(toolkitRows.map(({ bucket, calls }) => [bucket, calls]))
    return {
      toolkit,
      seconds: toolkitRows.reduce((sum, { ms }) => sum + ms, 0) / 1_000,
      calls: toolkitRows.reduce((sum, { calls }) => sum + calls, 0),
      atMost: STEPS.map((seconds) => ({ seconds, calls: countWithin(durations, seconds * 1_000) })),
    }
  })
}

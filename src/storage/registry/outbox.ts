import { HEAD_KEY, KV_KINDS, kvKey, type KvKind, parseKvKey } from '../keys.ts'
import { column, field } from '../rows.ts'
import { readBlob } from './blobs.ts'
import { addressText, textByHash } from './documents.ts'
import { givenText } from './given.ts'
import { keyOfName } from './names.ts'
import { pageText, settlePages, type WriteLine } from './pages.ts'
import { documentText, recordTextByDigest } from './versions.ts'

/** KV takes one write a second to a key. */
const MIN_INTERVAL_MS = 1_100
const MAX_BACKOFF_MS = 60_000
/** A reader holds a head, which names pages, for about a minute. */
const RETIRE_AFTER_MS = 10 * 60_000
const AT_ONCE = 25
const PER_RUN = 400

/** How the keys of one kind are written. */
interface KeysOfKind {
  readonly value: (sql: SqlStorage, of: string, writeLine: WriteLine) => string | ArrayBuffer | undefined
  /** What others name lands first, so that nothing is named before it is there. */
  readonly rank: 0 | 1 | 2
  /** Whether it is deleted from KV once the tables have nothing for it; else it stays what it was. */
  readonly isDeleted?: true
}

const KINDS: Readonly<Record<KvKind, KeysOfKind>> = {
  page: { rank: 0, value: pageText },
  blob: { rank: 0, value: readBlob },
  document: { rank: 0, value: textByHash },
  record: { rank: 1, value: recordTextByDigest },
  address: { rank: 2, value: addressText },
  tool: { rank: 2, value: documentText },
  name: { rank: 2, value: keyOfName },
  apiKey: { rank: 2, value: (sql, hash) => givenText(sql, 'apiKey', hash), isDeleted: true },
  provider: { rank: 2, value: (sql, id) => givenText(sql, 'provider', id), isDeleted: true },
}
const WHENS = KV_KINDS.map((kind) => `WHEN target LIKE '${kvKey(kind, '')}%' THEN ${KINDS[kind].rank}`)
/** A target's rank, in SQL. */
const RANK = `CASE ${WHENS.join(' ')} END`

/** A key that waits to be written. */
type Due = { readonly target: string; readonly revision: number; readonly rank: number }

/**
 * Publishes to KV what the tables say. `outbox` names the keys to write and survives a crash; what is written is the
 * state at the time of writing, and a run writes a key once, so many changes of one key cost one write. Pages and
 * records land before the documents that name them, and the catalogue's head last: it is the one the run began with, so
 * that all it names has landed, however much is published meanwhile.
 */
export function createOutbox(storage: DurableObjectStorage, kv: KVNamespace, writeLine: WriteLine) {
  const { sql } = storage
  /** No run begins before this: the last one wrote keys, or KV refused it. */
  let earliest = 0
  let failures = 0

  /** Sees to it that the outbox will be emptied, however far away the alarm of the next sweep is. */
  async function schedule(): Promise<void> {
    if (isIdle()) return
    const at = Math.max(Date.now(), earliest)
    const set = await storage.getAlarm()
    if (set === null || set > at) await storage.setAlarm(at)
  }

  /** Writes what is due. What KV refuses is tried again, later each time, until it lands. */
  async function run(): Promise<void> {
    try {
      // While a head waits, the one in KV may name what was retired
      if (await writeDue()) await sweep()
      failures = 0
      earliest = Date.now() + MIN_INTERVAL_MS
    } catch (error) {
      failures += 1
      const delay = Math.min(MAX_BACKOFF_MS, MIN_INTERVAL_MS * 2 ** (failures - 1))
      earliest = Date.now() + delay
      console.warn(JSON.stringify({ event: 'outbox-retry', failures, delay_ms: delay, error: String(error) }))
    }
    const next = failures > 0 || !isIdle() ? earliest : nextSweep()
    if (next !== undefined) await storage.setAlarm(next)
  }

  /** Whether the head in KV is the current one by then. */
  async function writeDue(): Promise<boolean> {
    const head = await settlePages(sql, writeLine, Date.now())
    const query = `SELECT target, revision, ${RANK} AS rank FROM outbox WHERE target <> ? ORDER BY rank, revision LIMIT ?`
    const due = sql.exec<Due>(query, HEAD_KEY, PER_RUN).toArray()
    const headIsDue = field(sql, 'SELECT 1 FROM outbox WHERE target = ?', HEAD_KEY) !== undefined
    let landed = due.length < PER_RUN
    for (const batch of batches(due)) {
      // Every write is waited for: one that is still under way must not come after its own repetition
      const results = await Promise.allSettled(batch.map(write))
      for (const result of results) {
        if (result.status === 'rejected') throw result.reason
        landed &&= result.value
      }
    }
    if (!headIsDue || !landed) return !headIsDue
    await kv.put(HEAD_KEY, JSON.stringify(head))
    sql.exec('DELETE FROM outbox WHERE target = ? AND revision <= ?', HEAD_KEY, head.revision)
    return true
  }

  /** What is to lie under a key, as the tables have it now; undefined where they have nothing. */
  function value(target: string): string | ArrayBuffer | undefined {
    const key = parseKvKey(target)
    return key && KINDS[key.kind].value(sql, key.of, writeLine)
  }

  /** Whether the key is done with. A page is not, when its leaf was changed since: another page will take its place. */
  async function write({ target, revision }: Due): Promise<boolean> {
    const kind = parseKvKey(target)?.kind
    const current = value(target)
    if (current !== undefined) await kv.put(target, current)
    else if (kind === 'page') return false
    else if (kind && KINDS[kind].isDeleted) await kv.delete(target)
    sql.exec('DELETE FROM outbox WHERE target = ? AND revision = ?', target, revision)
    return true
  }

  async function sweep(): Promise<void> {
    const until = Date.now() - RETIRE_AFTER_MS
    for (const target of column<string>(sql, 'SELECT target FROM retired WHERE at <= ? LIMIT ?', until, PER_RUN)) {
      await kv.delete(target)
      sql.exec('DELETE FROM retired WHERE target = ?', target)
    }
  }

  function nextSweep(): number | undefined {
    const oldest = field<number>(sql, 'SELECT at FROM retired ORDER BY at LIMIT 1')
    return oldest === undefined ? undefined : oldest + RETIRE_AFTER_MS
  }

  function isIdle(): boolean {
    const waiting = 'SELECT 1 FROM outbox UNION ALL SELECT 1 FROM leaf WHERE dirty IS NOT NULL LIMIT 1'
    return field(sql, waiting) === undefined
  }

  return { schedule, run, value }
}

/** What is due, a few keys at once: never a key beside one that it names, which must land before. */
function* batches(due: readonly Due[]): Iterable<readonly Due[]> {
  for (let at = 0; at < due.length;) {
    const batch = due.slice(at, at + AT_ONCE).filter(({ rank }) => rank === due[at]?.rank)
    yield batch
    at += batch.length
  }
}

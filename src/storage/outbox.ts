import { HEAD_KEY, type KvKind, parseKvKey } from './keys.ts'
import { column, field } from './rows.ts'

/**
 * What KV does not have yet: a row for each key that is to be written, with the number of the last change that asked for it,
 * of the first (`since`), and its place in the order.
 */
const TABLE = `CREATE TABLE IF NOT EXISTS outbox (
  target TEXT PRIMARY KEY, revision INTEGER NOT NULL, since INTEGER NOT NULL, turn INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS outbox_turn ON outbox (turn);`

/** Why a key is written. What takes something back goes before what says something else, and that before what is new. */
export type Reason = keyof typeof URGENCY
const URGENCY = { revocation: 0, status: 1, publication: 2 } as const

/** What others name lands first, so that nothing is named before it is there. */
const RANKS: Readonly<Record<KvKind, number>> = {
  page: 0,
  blob: 0,
  document: 0,
  apiKey: 0,
  provider: 0,
  policies: 0,
  record: 1,
  address: 2,
  tool: 2,
  name: 2,
}
const RANKS_OF_ONE_URGENCY = 10
const FIRST_NEW = URGENCY.publication * RANKS_OF_ONE_URGENCY

/** KV takes one write a second to a key. */
const MIN_INTERVAL_MS = 1_100
const MAX_BACKOFF_MS = 10_000
/** An alarm that is due comes sooner than this, however busy the platform is. */
const OVERDUE_MS = 3_000
const AT_ONCE = 25
/** Writes of one run, and how many of them may be urgent: whoever changes one thing over and over holds up nothing else. */
const PER_RUN = 400
const URGENT_PER_RUN = 300

/** How the keys of one kind are written. */
export interface KeysOfKind {
  readonly value: (of: string) => string | ArrayBuffer | undefined
  /** What becomes of a key that the tables have nothing for: it stays what it was in KV, or is deleted there. */
  readonly without?: 'delete'
}

/** What is written around the keys that wait, once all that waited when it began has landed. */
export interface Round {
  /**
   * Writes what comes before, as much as so many writes allow. Gives the number of the last change whose keys are to land
   * before the round ends; undefined while there is more to write before.
   */
  begin(writes: number): Promise<number | undefined>
  end(): Promise<void>
}

export interface OutboxOptions {
  readonly storage: DurableObjectStorage
  readonly kv: KVNamespace
  readonly kinds: Partial<Readonly<Record<KvKind, KeysOfKind>>>
  readonly round?: Round
  /** When the next run is due though nothing waits, in milliseconds since 1970. */
  readonly later?: () => number | undefined
}

/** A key that waits to be written. */
type Due = { readonly target: string; readonly revision: number; readonly turn: number }

/** Makes the table, and gives what waits in one that an earlier version made its place in the order. */
export function createOutboxTable(sql: SqlStorage): void {
  const columns = column<string>(sql, "SELECT name FROM pragma_table_info('outbox')")
  const isEarlier = columns.length > 0 && !columns.includes('turn')
  const waiting = isEarlier
    ? sql.exec<{ target: string; revision: number }>('SELECT * FROM outbox ORDER BY rowid').toArray()
    : []
  if (isEarlier) sql.exec('DROP TABLE outbox')
  sql.exec(TABLE)
  for (const { target, revision } of waiting) enqueue(sql, target, revision)
}

/** Asks for a KV key to be written, for a change of this number. */
export function enqueue(sql: SqlStorage, target: string, revision: number, reason: Reason = 'publication'): void {
  sql.exec(
    `INSERT INTO outbox VALUES (?1, ?2, ?2, ?3)
     ON CONFLICT DO UPDATE SET revision = excluded.revision, turn = min(turn, excluded.turn)`,
    target,
    revision,
    turnOf(target, reason),
  )
}

/** Has a key that waits be written as early as others for this reason. */
export function hasten(sql: SqlStorage, target: string, reason: Reason): void {
  sql.exec('UPDATE outbox SET turn = min(turn, ?) WHERE target = ?', turnOf(target, reason), target)
}

function turnOf(target: string, reason: Reason): number {
  const kind = parseKvKey(target)?.kind
  return URGENCY[reason] * RANKS_OF_ONE_URGENCY + (kind ? RANKS[kind] : 0)
}

/**
 * Publishes to KV what a Durable Object's tables say. Its table `outbox` names the keys to write and survives a crash; what
 * is written is the state at the time of writing, so many changes of one key cost one write.
 */
export function createOutbox({ storage, kv, kinds, round, later }: OutboxOptions) {
  const { sql } = storage
  /** When the last run was over. */
  let last = 0
  let failures = 0
  /** When keys were written, for as long as KV takes no other write to them. */
  const written = new Map<string, number>()

  /** Sees to it that the outbox will be emptied, however far away the alarm of a later run is. */
  async function schedule(): Promise<void> {
    if (isIdle()) return
    const at = Math.max(Date.now(), last + MIN_INTERVAL_MS)
    const set = await storage.getAlarm()
    // One that is long overdue failed before this could run, and is repeated when the platform likes, up to a minute later
    const isOverdue = set !== null && set < Date.now() - OVERDUE_MS
    if (set === null || set > at || isOverdue) await storage.setAlarm(at)
  }

  /**
   * Writes what is due. What KV refuses is tried again, later each time, until it lands, and soon when more is asked for.
   * It never fails: an alarm that does is run again when the platform likes, and cannot be brought forward.
   */
  async function run(): Promise<void> {
    let next: number | undefined
    try {
      const left = await writeDue()
      failures = 0
      if (left === 'more') next = Date.now()
      else next = left === 'some' || !isIdle() ? Date.now() + MIN_INTERVAL_MS : later?.()
    } catch (error) {
      failures += 1
      const most = Math.min(MAX_BACKOFF_MS, MIN_INTERVAL_MS * 2 ** (failures - 1))
      // Between half of it and all, so that objects that failed together do not come again together
      const delay = Math.max(MIN_INTERVAL_MS, Math.round(most * (1 + Math.random()) * 0.5))
      next = Date.now() + delay
      console.warn(JSON.stringify({ event: 'outbox-retry', failures, delay_ms: delay, error: String(error) }))
    }
    last = Date.now()
    if (next !== undefined) await storage.setAlarm(next)
  }

  /** Gives whether there is more to write at once, or some that has to wait a moment. */
  async function writeDue(): Promise<'more' | 'some' | 'none'> {
    const since = Date.now() - MIN_INTERVAL_MS
    for (const [target, at] of written) if (at <= since) written.delete(target)

    const urgent = due('turn < ?', FIRST_NEW, URGENT_PER_RUN)
    await writeAll(urgent.keys)
    const room = PER_RUN - urgent.keys.length
    const upTo = round ? await round.begin(room) : Number.MAX_SAFE_INTEGER
    if (upTo === undefined) return 'more'
    const others = due('since <= ?', upTo, room)
    await writeAll(others.keys)
    if (others.isFull) return 'more'
    if (urgent.hasRecent || others.hasRecent) return 'some'
    await round?.end()
    return 'none'
  }

  /** The first keys that are due of those that a condition holds for, without any that was written a moment ago. */
  function due(condition: 'turn < ?' | 'since <= ?', bound: number, most: number) {
    const query = `SELECT target, revision, turn FROM outbox WHERE target <> ? AND ${condition}
      ORDER BY turn, rowid LIMIT ?`
    const all = sql.exec<Due>(query, HEAD_KEY, bound, most).toArray()
    const keys = all.filter(({ target }) => !written.has(target))
    return { keys, isFull: keys.length > 0 && all.length === most, hasRecent: keys.length < all.length }
  }

  async function writeAll(keys: readonly Due[]): Promise<void> {
    // While KV fails, one key is enough to find that out
    for (const batch of batches(keys, failures > 0 ? 1 : AT_ONCE)) {
      // Every write is waited for: one that is still under way must not come after its own repetition
      const results = await Promise.allSettled(batch.map(write))
      for (const result of results) if (result.status === 'rejected') throw result.reason
    }
  }

  /** What is to lie under a key, as the tables have it now; undefined where they have nothing. */
  function value(target: string): string | ArrayBuffer | undefined {
    const key = parseKvKey(target)
    return key && kinds[key.kind]?.value(key.of)
  }

  async function write({ target, revision }: Due): Promise<void> {
    const kind = parseKvKey(target)?.kind
    const current = value(target)
    if (current !== undefined) await kv.put(target, current)
    else if (kind && kinds[kind]?.without === 'delete') await kv.delete(target)
    written.set(target, Date.now())
    // What was asked for meanwhile waits from then on
    sql.exec('UPDATE outbox SET since = revision WHERE target = ?', target)
    sql.exec('DELETE FROM outbox WHERE target = ? AND revision = ?', target, revision)
  }

  function isIdle(): boolean {
    return field(sql, 'SELECT 1 FROM outbox LIMIT 1') === undefined
  }

  return { schedule, run, value }
}

/** What is due, a few keys at once: never a key beside one that it names, which must land before. */
function* batches(due: readonly Due[], first: number): Iterable<readonly Due[]> {
  for (let at = 0; at < due.length;) {
    const some = due.slice(at, at + (at === 0 ? first : AT_ONCE))
    const batch = some.filter(({ turn }) => turn === some[0]?.turn)
    yield batch
    at += batch.length
  }
}

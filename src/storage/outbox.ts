import { HEAD_KEY, KV_KINDS, type KvKind, parseKvKey } from './keys.ts'
import { field } from './rows.ts'

/**
 * What KV does not have yet: a row for each key that is to be written, with the number of the last change that asked for it,
 * of the first (`since`), and its place in the order.
 */
export const OUTBOX_TABLE = `
CREATE TABLE outbox (target TEXT PRIMARY KEY, revision INTEGER NOT NULL, since INTEGER NOT NULL, turn INTEGER NOT NULL);
CREATE INDEX outbox_turn ON outbox (turn);
`

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
/** A text that is bound to a statement is 2 MB at most. */
const ASKED_AT_ONCE = 5_000
/**
 * Writes of one run, how many of them may be urgent, and how many go on beside a round: whoever changes one thing over and over
 * holds up nothing else.
 */
const PER_RUN = 400
const URGENT_PER_RUN = 300
const OLDEST_PER_RUN = 100

/** How the keys of one kind are written. */
export interface KeysOfKind {
  readonly value: (of: string) => string | ArrayBuffer | undefined
  /** What becomes of a key that the tables have nothing for: it stays what it was in KV, or is deleted there. */
  readonly without?: 'delete'
  /** The keys that what lies under some names, of those that wait: they land before it. */
  readonly needs?: (of: readonly string[]) => readonly string[]
}

/** Keys that are to land as they were asked for up to a change, which may have been asked for again since. */
export interface Needed {
  readonly targets: readonly string[]
  readonly upTo: number
}

/** What is written of keys that have landed, so that they are found, by steps of several runs. */
export interface Round {
  readonly isUnderWay: () => boolean
  /**
   * Goes on, or begins where it is time: about so many writes. `isAllWritten` says that nothing else waits but what was written a
   * moment ago. Gives the keys that are to land before it ends.
   */
  begin(writes: number, isAllWritten: boolean): Promise<Needed>
  /** Ends it where that can be. Gives whether there is more to do at once. */
  end(): Promise<boolean>
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

/** The rows of keys that have not landed yet, as they were asked for up to a change. */
export function waitingOf(sql: SqlStorage, { targets, upTo }: Needed): Due[] {
  const query = `SELECT target, revision, turn FROM json_each(?) CROSS JOIN outbox ON target = value WHERE since <= ?`
  const all: Due[] = []
  for (let at = 0; at < targets.length; at += ASKED_AT_ONCE) {
    all.push(...sql.exec<Due>(query, JSON.stringify(targets.slice(at, at + ASKED_AT_ONCE)), upTo))
  }
  return all
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
      const isMore = await writeDue()
      failures = 0
      if (isMore) next = Date.now()
      else next = isIdle() ? later?.() : Date.now() + MIN_INTERVAL_MS
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

  /** Gives whether there is more to write at once. */
  async function writeDue(): Promise<boolean> {
    const since = Date.now() - MIN_INTERVAL_MS
    for (const [target, at] of written) if (at <= since) written.delete(target)

    const urgent = first('turn < ? ORDER BY turn, rowid', URGENT_PER_RUN, FIRST_NEW)
    await writeAll(urgent)
    const room = PER_RUN - urgent.length
    await writeAll(oldest(round?.isUnderWay() ? Math.min(room, OLDEST_PER_RUN) : room))
    if (!round) return mayWriteMore()
    const needed = await round.begin(room, !mayWriteMore())
    await writeAll(inTurn(waitingOf(sql, needed), room))
    return (await round.end()) || mayWriteMore()
  }

  const mayWriteMore = () => first('TRUE', 1).length > 0

  /** The first keys that wait, under a condition and in an order, without any that was written a moment ago. */
  function first(which: string, most: number, ...bindings: readonly number[]): readonly Due[] {
    const query = `SELECT target, revision, turn FROM outbox WHERE target <> ? AND ${which} LIMIT ?`
    return mayBeWritten(sql.exec<Due>(query, HEAD_KEY, ...bindings, most + written.size).toArray()).slice(0, most)
  }

  /** The keys that have waited longest, and before them what they need. */
  function oldest(most: number): readonly Due[] {
    const keys = first('TRUE ORDER BY since, turn, rowid', most)
    const parsed = keys.flatMap(({ target }) => parseKvKey(target) ?? [])
    const needed = KV_KINDS.flatMap((kind) => {
      const of = parsed.filter((key) => key.kind === kind).map((key) => key.of)
      return (of.length > 0 && kinds[kind]?.needs?.(of)) || []
    })
    const targets = [...new Set([...needed, ...keys.map(({ target }) => target)])]
    return inTurn(waitingOf(sql, { targets, upTo: Number.MAX_SAFE_INTEGER }), most)
  }

  /** The first that may be written of some keys, which land in their turns. */
  function inTurn(keys: readonly Due[], most: number): readonly Due[] {
    return mayBeWritten(keys)
      .toSorted((one, other) => one.turn - other.turn)
      .slice(0, most)
  }

  const mayBeWritten = (keys: readonly Due[]) => keys.filter(({ target }) => !written.has(target))

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

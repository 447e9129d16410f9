import { HEAD_KEY, KV_KINDS, type KvKind, parseKvKey } from './keys.ts'
import { field, rows } from './rows.ts'

/** Withdrawals are written before status changes, and these before publications. */
export type Reason = keyof typeof URGENCY
const URGENCY = { revocation: 0, status: 1, publication: 2 } as const

/** Keys that others refer to are written first. */
const RANKS: Partial<Readonly<Record<KvKind, number>>> = { record: 1, address: 2, tool: 2, name: 2 }
const RANKS_OF_ONE_URGENCY = 10
const IS_URGENT = `turn < ${URGENCY.publication * RANKS_OF_ONE_URGENCY}`

/** `revision` is the last change that queued a key, `since` the first, `turn` its place in the order. */
export const OUTBOX_TABLE = `
CREATE TABLE outbox (target TEXT PRIMARY KEY, revision INTEGER NOT NULL, since INTEGER NOT NULL, turn INTEGER NOT NULL);
CREATE INDEX outbox_since ON outbox (since, turn);
CREATE INDEX outbox_urgent ON outbox (turn) WHERE ${IS_URGENT};
`

/** KV takes one write a second to a key. */
const MIN_INTERVAL_MS = 1_100
const MAX_BACKOFF_MS = 10_000
/** A due alarm runs sooner than this, however busy the platform is. */
const OVERDUE_MS = 3_000
const AT_ONCE = 8
/** A text bound to a statement is 2 MB at most. */
const ASKED_AT_ONCE = 5_000
/** Bounds of one run, so that one key that changes over and over does not hold up the others. */
const PER_RUN = 400
const URGENT_PER_RUN = 300
const OLDEST_PER_RUN = 100

/** Where KV is in this process, as with `npm run serve`, nobody else would be heard before all is written. */
export const giveWay = () => new Promise<void>((done) => setTimeout(done, 0))

export interface KeysOfKind {
  readonly value: (of: string) => string | ArrayBuffer | undefined
  readonly without?: 'delete'
  /** They are written before. */
  readonly needs?: (of: readonly string[]) => readonly string[]
}

export interface QueuedKeys {
  readonly targets: readonly string[]
  readonly upTo: number
}

export interface Round {
  readonly isUnderWay: () => boolean
  /**
   * `isAllWritten`: nothing else is queued but keys just written. Gives the keys that must be written before it ends.
   */
  begin(writes: number, isAllWritten: boolean): Promise<QueuedKeys>
  end(): Promise<boolean>
  /** Before this time the head is not written, in milliseconds since 1970. */
  readonly restsUntil: () => number
}

export interface OutboxOptions {
  readonly storage: DurableObjectStorage
  readonly kv: KVNamespace
  readonly kinds: Partial<Readonly<Record<KvKind, KeysOfKind>>>
  readonly round?: Round
  /** Does some of a longer change, which queues more. Whether more of it is left. */
  readonly proceed?: () => boolean
  /** When the next run is due with an empty outbox, in milliseconds since 1970. */
  readonly later?: () => number | undefined
}

type Due = { readonly target: string; readonly revision: number; readonly turn: number }

export function enqueue(sql: SqlStorage, target: string, revision: number, reason: Reason = 'publication'): void {
  sql.exec(
    `INSERT INTO outbox VALUES (?1, ?2, ?2, ?3)
     ON CONFLICT DO UPDATE SET revision = excluded.revision, turn = min(turn, excluded.turn)`,
    target,
    revision,
    turnOf(target, reason),
  )
}

export function hasten(sql: SqlStorage, target: string, reason: Reason): void {
  sql.exec('UPDATE outbox SET turn = min(turn, ?) WHERE target = ?', turnOf(target, reason), target)
}

export function waitingOf(sql: SqlStorage, { targets, upTo }: QueuedKeys): Due[] {
  const query = `SELECT target, revision, turn FROM json_each(?) CROSS JOIN outbox ON target = value WHERE since <= ?`
  const all: Due[] = []
  for (let at = 0; at < targets.length; at += ASKED_AT_ONCE)
    all.push(...sql.exec<Due>(query, JSON.stringify(targets.slice(at, at + ASKED_AT_ONCE)), upTo))
  return all
}

function turnOf(target: string, reason: Reason): number {
  const kind = parseKvKey(target)?.kind
  return URGENCY[reason] * RANKS_OF_ONE_URGENCY + ((kind && RANKS[kind]) ?? 0)
}

/** The `outbox` table survives a crash; each key is written as it is then, so many changes cost one write. */
export function createOutbox({ storage, kv, kinds, round, proceed, later }: OutboxOptions) {
  const { sql } = storage
  let last = 0
  let failures = 0
  const written = new Map<string, number>()

  async function schedule(): Promise<void> {
    if (isIdle()) return
    const at = Math.max(Date.now(), last + MIN_INTERVAL_MS)
    const set = await storage.getAlarm()
    // A long overdue alarm failed, and the platform repeats it up to a minute later
    const isOverdue = set !== null && set < Date.now() - OVERDUE_MS
    if (set === null || set > at || isOverdue) await storage.setAlarm(at)
  }

  /** Retries failed writes with growing delays. It never throws: the platform would choose the time of the retry. */
  async function run(): Promise<void> {
    let next: number | undefined
    try {
      const isLeft = proceed?.() ?? false
      const isMore = (await writeDue()) || isLeft
      failures = 0
      if (isMore) next = Date.now()
      else if (isIdle()) next = later?.()
      else next = Math.max(Date.now() + MIN_INTERVAL_MS, mayRest() ? (round?.restsUntil() ?? 0) : 0)
    } catch (error) {
      failures += 1
      const most = Math.min(MAX_BACKOFF_MS, MIN_INTERVAL_MS * 2 ** (failures - 1))
      // Random, so that objects that failed together do not retry together
      const delay = Math.max(MIN_INTERVAL_MS, Math.round(most * (1 + Math.random()) * 0.5))
      next = Date.now() + delay
      console.warn(JSON.stringify({ event: 'outbox-retry', failures, delay_ms: delay, error: String(error) }))
    }
    last = Date.now()
    if (next !== undefined) await storage.setAlarm(next)
  }

  async function writeDue(): Promise<boolean> {
    const since = Date.now() - MIN_INTERVAL_MS
    for (const [target, at] of written) if (at <= since) written.delete(target)

    const urgent = first(`${IS_URGENT} ORDER BY turn, rowid`, URGENT_PER_RUN)
    await writeAll(urgent)
    const room = PER_RUN - urgent.length
    await writeAll(oldest(round?.isUnderWay() ? Math.min(room, OLDEST_PER_RUN) : room))
    if (!round) return mayWriteMore()
    const needed = await round.begin(room, !mayWriteMore())
    await writeAll(inTurn(waitingOf(sql, needed), room))
    return (await round.end()) || mayWriteMore()
  }

  const mayWriteMore = () => first('TRUE', 1).length > 0

  function first(which: string, most: number): readonly Due[] {
    const query = `SELECT target, revision, turn FROM outbox WHERE target <> ? AND ${which} LIMIT ?`
    return mayBeWritten(rows<Due>(sql, query, HEAD_KEY, most + written.size)).slice(0, most)
  }

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

  function inTurn(keys: readonly Due[], most: number): readonly Due[] {
    return mayBeWritten(keys)
      .toSorted((one, other) => one.turn - other.turn)
      .slice(0, most)
  }

  const mayBeWritten = (keys: readonly Due[]) => keys.filter(({ target }) => !written.has(target))

  async function writeAll(keys: readonly Due[]): Promise<void> {
    for (const batch of batches(keys, failures > 0 ? 1 : AT_ONCE)) {
      // All writes are awaited: a late one must not overwrite its own retry
      const results = await Promise.allSettled(batch.map(write))
      noteWritten(batch.filter((_, at) => results[at]?.status === 'fulfilled'))
      for (const result of results) if (result.status === 'rejected') throw result.reason
      await giveWay()
    }
  }

  function noteWritten(keys: readonly Due[]): void {
    for (const { target } of keys) written.set(target, Date.now())
    const of = JSON.stringify(keys.map(({ target, revision }) => [target, revision]))
    sql.exec(
      `DELETE FROM outbox WHERE rowid IN (SELECT outbox.rowid FROM json_each(?) CROSS JOIN outbox
         ON target = json_extract(value, '$[0]') AND revision = json_extract(value, '$[1]'))`,
      of,
    )
    // A later change counts as queued from now on
    sql.exec(
      `UPDATE outbox SET since = revision WHERE target IN (SELECT json_extract(value, '$[0]') FROM json_each(?))`,
      of,
    )
  }

  function value(target: string): string | ArrayBuffer | undefined {
    const key = parseKvKey(target)
    return key && kinds[key.kind]?.value(key.of)
  }

  async function write({ target }: Due): Promise<void> {
    const kind = parseKvKey(target)?.kind
    const current = value(target)
    if (current !== undefined) await kv.put(target, current)
    else if (kind && kinds[kind]?.without === 'delete') await kv.delete(target)
  }

  const mayRest = () => field(sql, 'SELECT 1 FROM outbox WHERE target <> ? LIMIT 1', HEAD_KEY) === undefined

  function isIdle(): boolean {
    return field(sql, 'SELECT 1 FROM outbox LIMIT 1') === undefined
  }

  return { schedule, run, value }
}

/** Keys of different turns are never in one batch: those that others refer to must be written before. */
function* batches(due: readonly Due[], first: number): Iterable<readonly Due[]> {
  for (let at = 0; at < due.length;) {
    const some = due.slice(at, at + (at === 0 ? first : AT_ONCE))
    const batch = some.filter(({ turn }) => turn === some[0]?.turn)
    yield batch
    at += batch.length
  }
}

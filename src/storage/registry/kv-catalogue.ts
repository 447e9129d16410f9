import { covers, maySee } from '../../core/access/principal.ts'
import { type Budget, createBudget, UNITS, unitsOf } from '../../core/tool/budget.ts'
import { Unreachable } from '../../core/call/failure.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import type {
  Catalogue,
  LineFormat,
  ListedTool,
  Listing,
  ListQuery,
  ToolkitCounts,
} from '../../core/access/catalogue.ts'
import type { Principal } from '../../core/access/principal.ts'
import { governed, levelled } from '../../core/access/policy.ts'
import { bytesOfText } from '../../core/tool/memory.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import type { Sealer } from '../access/deployment-keys.ts'
import { HEAD_KEY, kvKey } from '../keys.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { CHANGING_TTL_S, IMMUTABLE_TTL_S, parsed } from '../kv-reader.ts'
import { createKvReads } from '../kv-reads.ts'
import { type Head, headNow, type Leaf, leafAt } from './head.ts'
import type { KeptPolicies } from './kv-policies.ts'
import type { PageIndex, WriteLine } from './pages.ts'
import type { RegistryReach } from './registry-stub.ts'
import { beginningsOf } from './seen.ts'

export interface KvCatalogueOptions extends RegistryReach {
  /** Writes a record as the stored lines are written. */
  readonly writeLine: WriteLine
  /** Gives records the documents they were published in. */
  readonly whole: (records: readonly ToolRecord[]) => Promise<readonly ToolRecord[]>
  /** What raises the levels of tools, and so hides some from the anonymous. */
  readonly policies: KeptPolicies
  /** Seals the places of searches and of lists of all versions, which may be of tools that the caller may not know of. */
  readonly sealer: Sealer
  /** The catalogue of the tools that the deployment carries, for while nothing else can be read. */
  readonly carried?: () => Promise<{ readonly head: Head; readonly pages: ReadonlyMap<string, string> }>
  /** Lets other requests have the thread. */
  readonly giveWay: () => Promise<void>
}

/** The head is read again after this long. */
const FRESH_MS = 5_000
/** As long as that may take, until another request looks too. */
const LOOK_MS = 1_000
const KV_BULK = 100
/** KV answers a bulk read with 25 MB at most, and an isolate has 128 MB: a list of giants ends early, with a cursor. */
const LEAVES_AT_ONCE = 8
const MAX_LISTED = 8_000_000
/** As long as a place can be, so that a sealed one does not tell how long it is: a tool's id and a version; two numbers. */
const PLACE_LENGTH = { all: 200, ranked: 24 }
/** How often the registry is asked for its head when pages go faster than they are read. */
const MAX_TRIES = 3
/** A list ends early, with a cursor, when so much work was done for it. */
const MAX_UNITS = 1_000_000
/** So much is done before others get the thread. One line more may take a budget of its own. */
const STRETCH = 30_000

interface Page {
  readonly index: PageIndex
  readonly lines: readonly string[]
}

/**
 * The catalogue, read from content-addressed pages in KV. What KV does not have yet, the registry is asked for. Pages are
 * cut into lines and never parsed, save for a format other than the stored one, whose lines are then kept.
 */
export function createKvCatalogue(options: KvCatalogueOptions) {
  const { kv, registry, writeLine, whole, now, sealer, giveWay, memory, policies } = options
  const reads = createKvReads(kv, now)
  const texts = memory.part<string>(bytesOfText)
  const formatted = memory.part<readonly string[]>((lines) => lines.reduce((sum, line) => sum + bytesOfText(line), 1))
  /** `goodFor` is the revision up to which it is as good as can be had. */
  let kept: { readonly head: Head; readonly at: number; readonly goodFor: number } | undefined
  let wanted = 0

  async function head(): Promise<Head> {
    const before = kept
    if (before && before.goodFor >= wanted) {
      if (now() - before.at < FRESH_MS) return before.head
      // One request looks, and the others go on with what there is
      kept = { ...before, at: now() - FRESH_MS + LOOK_MS }
    }
    // What this isolate has changed KV does not have yet
    const isBehind = before !== undefined && before.goodFor < wanted
    const read = isBehind ? undefined : parsed<Head>(await reads.text(HEAD_KEY, CHANGING_TTL_S))
    if (read && read.revision >= wanted) return keep(read)
    try {
      return keep(await current(later(read, kept?.head)))
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      const older = later(read ?? parsed<Head>(await reads.text(HEAD_KEY, CHANGING_TTL_S)), kept?.head)
      if (older) return keep(older)
      const carried = await options.carried?.()
      if (!carried) throw error
      for (const [hash, text] of carried.pages) texts.set(hash, text)
      return keep(carried.head)
    }
  }

  /** The head as the registry has it, of which it gives what changed since one that is known. */
  async function current(known: Head | undefined): Promise<Head> {
    return known ? headNow(known, await registry().head(known.revision)) : registry().head()
  }

  function keep(head: Head): Head {
    kept = { head, at: now(), goodFor: Math.max(head.revision, wanted) }
    return head
  }

  /** The texts of pages, in order; undefined when one of them is of a catalogue that is no more. */
  async function pageTexts(hashes: readonly string[]): Promise<readonly string[] | undefined> {
    const missing = hashes.filter((hash) => !texts.has(hash))
    const read = new Map<string, string | null>()
    for (let at = 0; at < missing.length; at += KV_BULK) {
      const keys = missing.slice(at, at + KV_BULK).map((hash) => kvKey('page', hash))
      for (const [key, text] of await reads.texts(keys, IMMUTABLE_TTL_S)) read.set(key, text)
    }
    const all: string[] = []
    for (const hash of hashes) {
      const key = kvKey('page', hash)
      const text = texts.get(hash) ?? read.get(key) ?? (await registry().value(key))
      if (typeof text !== 'string') return undefined
      texts.set(hash, text)
      all.push(text)
    }
    return all
  }

  /** Writes lines of records, `work` counting what that takes. */
  async function write(
    records: readonly ToolRecord[],
    format: Exclude<LineFormat, { name: 'stored' }>,
    nameOf: (index: number) => string,
    work: Budget,
  ): Promise<readonly string[]> {
    const lines: string[] = []
    const all = policies.now()
    let from = work.spent
    for (const [index, published] of records.entries()) {
      const record = governed(published, all.ruleOf(published))
      if (work.spent - from > STRETCH) {
        await giveWay()
        from = work.spent
      }
      const line = format.write(record, nameOf(index), createBudget(UNITS, work))
      work.spend(unitsOf(line))
      lines.push(line)
    }
    return lines
  }

  /**
   * The pages of the leaves, in order: all, or at least one and as many more as `MAX_UNITS` of work go. Where none of a leaf's
   * tools is shown, nothing of it is read further or written.
   */
  async function pagesOf(
    leaves: readonly Leaf[],
    format: LineFormat,
    work: Budget,
    isShown: (tool: PageIndex[number]) => boolean,
  ): Promise<readonly Page[] | undefined> {
    const stored = await pageTexts(leaves.map(({ lines }) => lines))
    if (!stored) return undefined
    const pages = stored.map((text): Page => {
      const [index = '[]', ...lines] = text.split('\n')
      return { index: JSON.parse(index), lines }
    })
    if (!('write' in format)) return pages
    // Taken from the cache now, which may drop them while the others are read
    const { revision } = policies.now()
    const cacheKeys = leaves.map(({ lines, records }) => `${format.name} ${revision} ${lines} ${records}`)
    const known = cacheKeys.map((key, at) => (pages[at]?.index.some(isShown) ? formatted.get(key) : []))
    const unwritten = await pageTexts(leaves.flatMap(({ records }, at) => (known[at] ? [] : [records])))
    if (!unwritten) return undefined
    const texts = unwritten.values()
    const written: Page[] = []
    for (const [at, { index }] of pages.entries()) {
      if (written.length > 0 && work.spent > MAX_UNITS) break
      const text = known[at] ? '' : (texts.next().value ?? '')
      const records = await whole(
        text
          .split('\n')
          .filter(Boolean)
          .map((record): ToolRecord => JSON.parse(record)),
      )
      const lines = known[at] ?? (await write(records, format, (of) => index[of]?.name ?? '', work))
      const isWhole = lines.length === index.length
      if (isWhole) formatted.set(cacheKeys[at] ?? '', lines)
      written.push(isWhole ? { index, lines } : { index: [], lines })
    }
    return written
  }

  async function walk(
    { leaves }: Head,
    query: ListQuery,
    after: string,
    visible: (tool: ListedTool) => boolean,
    mayBegin: (from: string, until: string | undefined) => boolean,
    format: LineFormat,
  ): Promise<Listing | undefined> {
    const prefix = query.toolkit === undefined ? '' : `${query.toolkit.toLowerCase()}.`
    const from = after > prefix ? after : prefix
    const work = createBudget(Infinity)
    const lines: string[] = []
    let characters = 0
    let at = Math.max(0, leafAt(leaves, from))
    let last = after
    const until = leafAt(leaves, `${prefix}\u{10ffff}`) + 1
    const isShown = (tool: PageIndex[number]) => tool.key > after && tool.key.startsWith(prefix) && visible(tool)
    while (at < until) {
      const some: Leaf[] = []
      for (let sum = 0; at < until && some.length < LEAVES_AT_ONCE && sum <= query.limit - lines.length; at += 1) {
        const leaf = leaves[at]
        if (!leaf) break
        if (!mayBegin(leaf.first, leaves[at + 1]?.first)) continue
        some.push(leaf)
        sum += leaf.count
      }
      const pages = await pagesOf(some, format, work, isShown)
      if (!pages) return undefined
      const unread = some[pages.length]
      if (unread) at = leafAt(leaves, unread.first)
      for (const { index, lines: written } of pages) {
        for (const [position, tool] of index.entries()) {
          if (!isShown(tool)) continue
          const line = written[position] ?? 'null'
          // An empty line is of a tool that cannot be written so
          if (line !== '') {
            const isFull = lines.length === query.limit || characters > MAX_LISTED
            if (isFull) return { lines, nextCursor: encodeCursor(last) }
            lines.push(line)
            characters += line.length
          }
          last = tool.key
        }
      }
      const isCut = work.spent > MAX_UNITS && at < until && last !== after
      if (isCut) return { lines, nextCursor: encodeCursor(last) }
    }
    return { lines }
  }

  const catalogue: Catalogue & ToolkitCounts = {
    async etag() {
      await ready()
      const { revision } = policies.now()
      const { etag } = await head()
      return revision === 0 ? etag : `${etag}.${revision}`
    },

    toolkits: (principal) => registry().toolkitCounts(principal),

    async unknown(names, principal) {
      for (const name of names) {
        const tool = parseToolId(name)
        const query = { versions: 'newest', toolkit: tool?.toolkit ?? name, limit: 1 } as const
        const seer = tool ? { ...principal, tools: covers(principal, tool) ? [name] : [] } : principal
        const listing = await catalogue.list(query, seer, { name: 'stored' })
        if (listing && listing.lines.length > 0) continue
        // The registry knows what has just been published, and what is deprecated
        const unknown = await registry().unknown(name, principal)
        if (unknown) return { ...unknown, known: [...unknown.known] }
      }
      return undefined
    },

    async list(query, principal, format) {
      await ready()
      if (query.q !== undefined || query.versions === 'all') return ask(query, principal, format)
      const after = query.cursor === undefined ? '' : decodeCursor(query.cursor)
      if (after === undefined) return undefined
      if (after !== '' && !parseToolId(after)) return undefined
      const all = policies.now()
      const visible = (tool: ListedTool) =>
        maySee(principal, principal.kind === 'anonymous' ? levelled(tool, all.ruleOf(tool)) : tool) &&
        (query.tag === undefined || tool.tags.includes(query.tag)) &&
        (!query.callable || tool.executable)
      const mayBegin = beginnings(principal)
      const listing = await walk(await head(), query, after, visible, mayBegin, format)
      if (listing) return listing
      // A page went while the list was read: the registry knows the head of now, which may go as fast
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const again = await walk(keep(await current(kept?.head)), query, after, visible, mayBegin, format)
        if (again) return again
      }
      // All that the head in KV names is in KV, and stays there for a while
      const landed = parsed<Head>(await kv.get(HEAD_KEY, { cacheTtl: CHANGING_TTL_S }))
      const earlier = landed && (await walk(landed, query, after, visible, mayBegin, format))
      if (!earlier) throw new Unreachable('Cannot read the catalogue: it changes faster than it is read')
      return earlier
    },
  }

  /** Whoever comes by no gate may be the first to ask. */
  async function ready(): Promise<void> {
    if (policies.age() === 'stale') await policies.read()
  }

  async function ask(query: ListQuery, principal: Principal, format: LineFormat): Promise<Listing | undefined> {
    const { status } = query
    const asked = [query.q ?? null, query.versions, ...(status === undefined ? [] : [status])]
    const bound = JSON.stringify([principal.id, ...asked])
    const opened = query.cursor === undefined ? undefined : await sealer.open(query.cursor, bound)
    if (query.cursor !== undefined && !opened) return undefined
    const answer = await registry().query({ ...query, cursor: opened?.text.trimEnd() }, query.limit, principal)
    if (!answer) return undefined
    const records = await whole(answer.found.map(({ record }): ToolRecord => JSON.parse(record)))
    const form = 'write' in format ? format : { name: 'stored line', write: writeLine }
    const nameOf = (at: number) => answer.found[at]?.name || (records[at]?.name ?? '')
    const lines = await write(records, form, nameOf, createBudget(Infinity))
    const { total, unmatched } = answer
    const told = { ...(total === undefined ? {} : { total }), ...(unmatched === undefined ? {} : { unmatched }) }
    if (answer.next === undefined) return { lines, ...told }
    const length = query.versions === 'all' ? PLACE_LENGTH.all : PLACE_LENGTH.ranked
    const nextCursor = await sealer.seal(answer.next.padEnd(length), bound, 'the same each time')
    return { lines, nextCursor, ...told }
  }

  return {
    catalogue,
    /** From now on no head older than this revision is good enough. */
    require(revision: number): void {
      wanted = Math.max(wanted, revision)
    },
  }
}

/** Whether a part of the catalogue, from a key up to another, may hold tools that the principal's patterns cover. */
function beginnings(principal: Principal): (from: string, until: string | undefined) => boolean {
  const begins = beginningsOf(principal)
  if (!begins) return () => true
  return (from, until) => begins.some((begin) => from <= `${begin}\u{10ffff}` && (until === undefined || until > begin))
}

function later(one: Head | undefined, other: Head | undefined): Head | undefined {
  return one && other ? (one.revision > other.revision ? one : other) : (one ?? other)
}

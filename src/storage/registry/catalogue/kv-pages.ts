import type { LineFormat } from '../../../core/catalogue/catalogue.ts'
import { governed } from '../../../core/access/policy.ts'
import { type Budget, createBudget, UNITS, unitsOf } from '../../../core/tool/budget.ts'
import { bytesOfText, type Memory } from '../../../core/cache/memory.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { kvKey } from '../../keys.ts'
import { IMMUTABLE_TTL_S } from '../../kv-reader.ts'
import type { KvReads } from '../../kv-reads.ts'
import type { Leaf } from './head.ts'
import type { KeptPolicies } from './kv-policies.ts'
import type { PageIndex } from './pages.ts'
import type { RegistryReach } from './registry-stub.ts'

export interface KvPagesOptions extends Pick<RegistryReach, 'registry'> {
  readonly reads: KvReads
  readonly memory: Memory
  /** Gives records the documents they were published in. */
  readonly whole: (records: readonly ToolRecord[]) => Promise<readonly ToolRecord[]>
  readonly policies: Pick<KeptPolicies, 'now'>
  /** Lets other requests have the thread. */
  readonly giveWay: () => Promise<void>
}

/** A part of the catalogue: an entry of the index, and a line, for each of its tools. */
export interface Page {
  readonly index: PageIndex
  readonly lines: readonly string[]
}

const KV_BULK = 100
/** A list ends early, with a cursor, when so much work was done for it. */
export const MAX_UNITS = 1_000_000
/** So much is done before others get the thread. One line more may take a budget of its own. */
const STRETCH = 30_000

/** The pages of the catalogue, cut into lines, and lines written in other formats than the stored one, which are kept. */
export function createKvPages({ registry, reads, memory, whole, policies, giveWay }: KvPagesOptions) {
  const texts = memory.part<string>(bytesOfText)
  const formatted = memory.part<readonly string[]>((lines) => lines.reduce((sum, line) => sum + bytesOfText(line), 1))

  /** The texts of pages, in order; undefined when one of them is of a catalogue that is no more. */
  async function textsOf(hashes: readonly string[]): Promise<readonly string[] | undefined> {
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
    const stored = await textsOf(leaves.map(({ lines }) => lines))
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
    const unwritten = await textsOf(leaves.flatMap(({ records }, at) => (known[at] ? [] : [records])))
    if (!unwritten) return undefined
    const recordTexts = unwritten.values()
    const written: Page[] = []
    for (const [at, { index }] of pages.entries()) {
      if (written.length > 0 && work.spent > MAX_UNITS) break
      const text = known[at] ? '' : (recordTexts.next().value ?? '')
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

  return {
    pagesOf,
    write,
    /** Keeps texts of pages that were read elsewhere, by their hashes. */
    keep(pages: ReadonlyMap<string, string>): void {
      for (const [hash, text] of pages) texts.set(hash, text)
    },
  }
}

import { parseTrusted } from '../../../core/tool/json-text.ts'
import type { LineFormat, ListOptions } from '../../../core/catalog/catalog.ts'
import { applyPolicyToRecord } from '../../../core/access/policy.ts'
import {
  createYielder,
  type Budget,
  createBudget,
  type YieldControl,
  DEFAULT_UNITS,
  textUnits,
} from '../../../core/tool/budget.ts'
import { textBytes } from '../../../core/cache/swr-cache.ts'
import type { Json } from '../../../core/tool/json.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { kvKey } from '../../keys.ts'
import { IMMUTABLE_TTL_S } from '../../kv-reader.ts'
import { createKvClient, type KvClient } from '../../kv-client.ts'
import type { PageReference } from '../catalog/manifest.ts'
import type { CachedPolicies } from './kv-policies.ts'
import { type ParsedPage, type IndexedTool, parsePage } from '../catalog/listed-tools.ts'
import type { RegistryReach } from '../registry-stub.ts'

interface KvPagesOptions extends Pick<RegistryReach, 'registry' | 'memory'> {
  readonly reads: KvClient
  readonly attachDocuments: (records: readonly ToolRecord[]) => Promise<readonly ToolRecord[]>
  readonly policies: Pick<CachedPolicies, 'current'>
  readonly yieldControl: YieldControl
}

interface LoadOptions extends ListOptions {
  readonly format: LineFormat
  readonly isShown: (tool: IndexedTool) => boolean
}

type ListedPage = readonly { readonly tool: IndexedTool; readonly line: string }[]

const toListedPage = (index: readonly IndexedTool[], lines: readonly string[]): ListedPage =>
  index.map((tool, at) => ({ tool, line: lines[at] ?? 'null' }))

/** In characters: pages with more are not held while their list waits for memory. */
const MAX_HELD = 65_536
/** A list ends early, with a cursor, after so much work. */
export const MAX_UNITS = 1_000_000

export function createKvPages({ registry, reads, memory, attachDocuments, policies, yieldControl }: KvPagesOptions) {
  const texts = createKvTexts({ kind: 'page', reads, registry, memory })
  const formatted = memory.partition<readonly string[]>((lines) =>
    lines.reduce((sum, line) => sum + textBytes(line), 1),
  )

  async function write(
    records: readonly ToolRecord[],
    format: Exclude<LineFormat, { name: 'stored' }>,
    getName: (index: number) => string,
    work: Budget,
  ): Promise<readonly string[]> {
    const lines: string[] = []
    const all = policies.current()
    const mayGiveWay = createYielder(() => work.spent, yieldControl)
    for (const [index, published] of records.entries()) {
      const record = applyPolicyToRecord(published, all.policyFor(published))
      await mayGiveWay()
      const line = format.write(record, getName(index), createBudget(DEFAULT_UNITS, work))
      work.spend(textUnits(line))
      lines.push(line)
    }
    return lines
  }

  /** Undefined if a page is gone. */
  async function readPages(references: readonly PageReference[]): Promise<readonly ParsedPage[] | undefined> {
    const read = await texts.read(references.map(({ hash }) => hash))
    return read.length < references.length ? undefined : read.map(parsePage)
  }

  /** As many pages as `MAX_UNITS` of work allow, at least one. Those of which no tool is shown are not written. */
  async function loadPages(
    references: readonly PageReference[],
    work: Budget,
    { format, isShown, reserve }: LoadOptions,
  ): Promise<readonly ListedPage[] | 'out-of-memory' | undefined> {
    let read = await readPages(references)
    if (read && reserve) {
      const characters = countShown(read, isShown)
      // While it waits, it does not hold what it waits to hold
      if (characters > MAX_HELD) read = undefined
      if (!(await reserve(characters))) return 'out-of-memory'
      read ??= await readPages(references)
    }
    if (!read) return undefined
    if (!('write' in format)) return read.map(({ index, lines }) => toListedPage(index, lines))
    const { revision } = policies.current()
    const listed: ListedPage[] = []
    for (const [at, { index, records }] of read.entries()) {
      if (listed.length > 0 && work.spent > MAX_UNITS) break
      const key = `${format.name} ${revision} ${references[at]?.hash}`
      const cachedLines = index.some(isShown) ? formatted.get(key) : []
      const lines =
        cachedLines ?? (await write(await attachDocuments(records()), format, (of) => index[of]?.name ?? '', work))
      if (!cachedLines) formatted.set(key, lines)
      listed.push(lines.length === 0 ? [] : toListedPage(index, lines))
    }
    return listed
  }

  return { loadPages, write, seed: texts.seed }
}

/** In characters, as they are stored. */
function countShown(pages: readonly ParsedPage[], isShown: LoadOptions['isShown']): number {
  let sum = 0
  for (const { index, lines } of pages)
    for (const [at, tool] of index.entries()) if (isShown(tool)) sum += lines[at]?.length ?? 0
  return sum
}

/** KV answers a bulk read with 25 MB at most. */
const KV_BULK = 50

interface KvTextsOptions extends Pick<RegistryReach, 'registry' | 'memory'> {
  readonly kind: 'document' | 'page'
  readonly reads: KvClient
  readonly findBundledText?: (hash: string) => string | undefined
}

/** Reads texts by their hash: from the isolate's memory, KV, the bundle or the Registry, in this order. */
function createKvTexts({ kind, reads, registry, memory, findBundledText }: KvTextsOptions) {
  const cache = memory.partition<string>(textBytes)

  return {
    seed: (hash: string, text: string) => cache.set(hash, text),

    /** In the order of the hashes, up to the first that nobody has. */
    async read(hashes: readonly string[]): Promise<readonly string[]> {
      const missing = hashes.filter((hash) => !cache.has(hash)).map((hash) => kvKey(kind, hash))
      const foundTexts = new Map<string, string | null>()
      for (let at = 0; at < missing.length; at += KV_BULK) {
        const some = await reads.texts(missing.slice(at, at + KV_BULK), IMMUTABLE_TTL_S)
        for (const [key, text] of some) foundTexts.set(key, text)
      }
      const texts: string[] = []
      for (const hash of hashes) {
        const key = kvKey(kind, hash)
        const text = cache.get(hash) ?? foundTexts.get(key) ?? findBundledText?.(hash) ?? (await registry().value(key))
        if (typeof text !== 'string') break
        cache.set(hash, text)
        texts.push(text)
      }
      return texts
    },
  }
}

/** Adds documents to records. */
export function createDocumentJoiner({ kv, now, ...options }: RegistryReach & Pick<KvTextsOptions, 'findBundledText'>) {
  const texts = createKvTexts({ ...options, kind: 'document', reads: createKvClient(kv, now) })

  return async function attachDocuments(records: readonly ToolRecord[]): Promise<readonly ToolRecord[]> {
    const hashes = [...new Set(records.flatMap(({ source }) => source.hash ?? []))]
    if (hashes.length === 0) return records
    const read = await texts.read(hashes)
    const missing = hashes[read.length]
    if (missing !== undefined) throw new Error(`Cannot read the document '${missing}' that a record names`)
    const documents = new Map<string | undefined, Json>(read.map((text, at) => [hashes[at], parseTrusted(text)]))
    return records.map((record) => {
      const { hash, ...source } = record.source
      const document = documents.get(hash)
      return document === undefined ? record : { ...record, source: { ...source, document } }
    })
  }
}

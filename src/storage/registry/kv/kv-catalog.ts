import { parseTrusted } from '../../../core/tool/json-text.ts'
import { createBudget, type YieldControl } from '../../../core/tool/budget.ts'
import { UnreachableError } from '../../../core/failure/failure.ts'
import { parseToolId } from '../../../core/tool/tool-id.ts'
import type { Catalog, LineFormat } from '../../../core/catalog/catalog.ts'
import type { Listing, ListOptions, ListQuery, ToolkitCounts } from '../../../core/catalog/catalog.ts'
import { covers, hasScope, maySee, type Principal } from '../../../core/access/principal.ts'
import { raiseLevel } from '../../../core/access/policy.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import type { Sealer } from '../../sealing/deployment-keys.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { createKvClient } from '../../kv-client.ts'
import { findPage, LAST_KEY, type Manifest, type PageReference } from '../catalog/manifest.ts'
import { createKvManifest } from './kv-manifest.ts'
import { createKvPages, MAX_UNITS } from './kv-pages.ts'
import type { CachedPolicies } from './kv-policies.ts'
import type { IndexedTool, WriteLine } from '../catalog/listed-tools.ts'
import type { RegistryReach } from '../registry-stub.ts'
import { listPrefixes } from '../search/visibility.ts'

export interface KvCatalogOptions extends RegistryReach {
  readonly writeLine: WriteLine
  readonly attachDocuments: (records: readonly ToolRecord[]) => Promise<readonly ToolRecord[]>
  /** Policies raise levels, and so hide tools from the anonymous. */
  readonly policies: CachedPolicies
  /** Seals cursors of searches and of all versions, which may name tools hidden from the caller. */
  readonly sealer: Sealer
  /** The catalog of the bundled tools, which has one page. */
  readonly bundledCatalog?: () => { readonly manifest: Manifest; readonly hash: string; readonly text: string }
  readonly yieldControl: YieldControl
}

interface WalkOptions extends ListOptions {
  readonly limit: number
  readonly after: string
  readonly prefix: string
  readonly isShown: (tool: IndexedTool) => boolean
  /** Prefixes of the keys that the principal's patterns may cover; undefined if they cover all. */
  readonly visiblePrefixes: readonly string[] | undefined
  readonly format: LineFormat
}

/** KV answers a bulk read with 25 MB at most, and an isolate has 128 MB: a list of giants ends early, with a cursor. */
const PAGES_AT_ONCE = 8
const MAX_LISTED = 4_000_000
/** Sealed cursors have the length of the longest place: a tool's id and a version, or two numbers. */
const PLACE_LENGTH = { all: 200, ranked: 24 }
const MAX_SUGGESTED = 3
/** Longer names are near none. */
const MAX_UNKNOWN = 200
const OUT_OF_MEMORY: Listing = { lines: [], isOutOfMemory: true }

/** Reads pages from KV, or from the registry while KV lacks them; they are cut into lines and not parsed. */
export function createKvCatalog(options: KvCatalogOptions) {
  const { kv, registry, writeLine, attachDocuments, now, sealer, policies } = options
  const reads = createKvClient(kv, now)
  const pages = createKvPages({ ...options, reads })
  const manifests = createKvManifest({ ...options, reads, loadBundledManifest })

  function loadBundledManifest(): Manifest | undefined {
    const bundled = options.bundledCatalog?.()
    if (bundled) pages.seed(bundled.hash, bundled.text)
    return bundled?.manifest
  }

  /** Undefined if a page that the manifest names is gone. */
  async function walk(manifest: Manifest, options: WalkOptions): Promise<Listing | undefined> {
    const { limit, after, prefix, isShown, visiblePrefixes } = options
    const begin = Math.max(0, findPage(manifest.pages, after > prefix ? after : prefix))
    const end = findPage(manifest.pages, prefix + LAST_KEY) + 1
    const remainingPages = manifest.pages.slice(begin, end).filter(({ first }, at) => {
      const until = manifest.pages[begin + at + 1]?.first ?? LAST_KEY
      return visiblePrefixes?.some((visible) => first <= visible + LAST_KEY && until > visible) ?? true
    })
    const work = createBudget(Infinity)
    const lines: string[] = []
    let characters = 0
    let last = after
    while (remainingPages.length > 0) {
      const read = await pages.loadPages(firstPages(remainingPages, limit - lines.length), work, options)
      if (!read) return undefined
      if (read === 'out-of-memory') return OUT_OF_MEMORY
      remainingPages.splice(0, read.length)
      for (const { tool, line } of read.flat()) {
        if (!isShown(tool)) continue
        // An empty line is a tool that this format cannot express
        if (line !== '') {
          const isFull = lines.length === limit || characters > MAX_LISTED
          if (isFull) return { lines, nextCursor: encodeCursor(last) }
          lines.push(line)
          characters += line.length
        }
        last = tool.key
      }
      const isCut = work.spent > MAX_UNITS && remainingPages.length > 0 && last !== after
      if (isCut) return { lines, nextCursor: encodeCursor(last) }
    }
    return { lines }
  }

  const catalog: Catalog & ToolkitCounts = {
    async etag() {
      await policies.ready()
      const { revision } = policies.current()
      const { etag } = await manifests.read()
      return revision === 0 ? etag : `${etag}.${revision}`
    },

    toolkits: (principal, query) => registry().toolkitCounts(principal, query),

    async findUnknownName(names, principal) {
      for (const name of names) {
        const tool = parseToolId(name)
        const query = { versions: 'newest', toolkit: tool?.toolkit ?? name, limit: 1 } as const
        // For the name of a tool, a principal who may see that tool and no other
        const viewer = tool ? { ...principal, tools: covers(principal, tool, 'tools:read') ? [name] : [] } : principal
        const listing = await catalog.list(query, viewer, { name: 'stored' })
        if (listing && listing.lines.length > 0) continue
        // The registry also knows tools just published, and deprecated ones
        const unknown = await registry().describeUnknown(name, principal)
        if (unknown) return { ...unknown, known: [...unknown.known] }
      }
      return undefined
    },

    async suggestNames(name, principal) {
      const near = hasScope(principal, 'tools:read')
        ? await registry().suggestTools(name.slice(0, MAX_UNKNOWN), principal)
        : []
      const callable = near.filter(({ callable }) => callable).slice(0, MAX_SUGGESTED)
      return callable.map(({ name }) => name)
    },

    async list(query, principal, format, { reserve } = {}) {
      await policies.ready()
      if (query.q !== undefined || query.versions === 'all') {
        const answer = await queryRegistry(query, principal, format)
        const isReserved =
          !answer || !reserve || (await reserve(answer.lines.reduce((sum, { length }) => sum + length, 0)))
        return isReserved ? answer : OUT_OF_MEMORY
      }
      const after = query.cursor === undefined ? '' : decodeCursor(query.cursor)
      if (after === undefined || (after !== '' && !parseToolId(after))) return undefined
      const all = policies.current()
      const prefix = query.toolkit === undefined ? '' : `${query.toolkit.toLowerCase()}.`
      const isShown = (tool: IndexedTool) =>
        tool.key > after &&
        tool.key.startsWith(prefix) &&
        maySee(
          principal,
          principal.kind === 'anonymous' ? raiseLevel(tool, all.policyFor(tool)) : tool,
          'tools:read',
        ) &&
        (query.tag === undefined || tool.tags.includes(query.tag)) &&
        (!query.callable || tool.executable)
      const visiblePrefixes = listPrefixes(principal)
      const walkOptions = { limit: query.limit, after, prefix, isShown, visiblePrefixes, format, reserve }
      for await (const manifest of manifests.candidates()) {
        const listing = await walk(manifest, walkOptions)
        if (listing) return listing
      }
      throw new UnreachableError('Cannot read the catalog: it changes faster than it is read')
    },
  }

  async function queryRegistry(
    query: ListQuery,
    principal: Principal,
    format: LineFormat,
  ): Promise<Listing | undefined> {
    const { status } = query
    const queryFields = [query.q ?? null, query.versions, ...(status === undefined ? [] : [status])]
    const associatedData = JSON.stringify([principal.id, ...queryFields])
    const unsealed = query.cursor === undefined ? undefined : await sealer.unseal(query.cursor, associatedData)
    if (query.cursor !== undefined && !unsealed) return undefined
    const answer = await registry().query({ ...query, cursor: unsealed?.text.trimEnd() }, principal)
    if (!answer) return undefined
    const { found, next, total, unmatched } = answer
    const records = await attachDocuments(found.map(({ record }): ToolRecord => parseTrusted(record)))
    // The format of stored lines has no writer of its own, since lists copy them from pages; a query has no pages
    const form = 'write' in format ? format : { name: 'stored line', write: writeLine }
    const getName = (at: number) => found[at]?.name || (records[at]?.name ?? '')
    const lines = await pages.write(records, form, getName, createBudget(Infinity))
    if (next === undefined) return { lines, total, unmatched }
    const length = query.versions === 'all' ? PLACE_LENGTH.all : PLACE_LENGTH.ranked
    const nextCursor = await sealer.seal(next.padEnd(length), associatedData, { deterministic: true })
    return { lines, nextCursor, total, unmatched }
  }

  return { catalog, require: manifests.require }
}

/** Those to read at once for so many tools, at least one. */
function firstPages(pages: readonly PageReference[], tools: number): readonly PageReference[] {
  let count = 0
  const enough = pages.findIndex((page) => (count += page.count) > tools)
  return pages.slice(0, Math.min(PAGES_AT_ONCE, enough === -1 ? pages.length : enough + 1))
}

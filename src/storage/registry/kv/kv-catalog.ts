import { createBudget } from '../../../core/tool/budget.ts'
import { UnreachableError } from '../../../core/failure/failure.ts'
import { parseToolId } from '../../../core/tool/tool-id.ts'
import type { LineFormat, Listing, ListOptions, ListQuery } from '../../../core/catalog/catalog.ts'
import { maySee, type Principal } from '../../../core/access/principal.ts'
import { raiseLevel } from '../../../core/access/policy.ts'
import type { IndexedTool } from '../catalog/listed-tools.ts'
import { LAST_KEY, type Manifest, type PageReference } from '../catalog/manifest.ts'
import type { RegistryReach } from '../registry-stub.ts'
import { listPrefixes } from '../search/visibility.ts'
import type { BundledTools } from './bundled-tools.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { createKvManifest } from './kv-manifest.ts'
import { createKvPages } from './kv-pages.ts'
import type { CachedPolicies } from './kv-policies.ts'
import type { createLineWriter } from './line-writer.ts'

export interface KvCatalogOptions extends RegistryReach {
  /** Policies raise levels, which hides tools from anonymous callers. */
  readonly policies: CachedPolicies
  readonly bundledTools: Pick<BundledTools, 'getManifest' | 'findPageText'>
  readonly lineWriter: Pick<ReturnType<typeof createLineWriter>, 'writePage'>
}

interface PagesQuery extends ListOptions {
  readonly limit: number
  readonly after: string
  readonly isShown: (tool: IndexedTool) => boolean
  readonly prefix: string
  /** Prefixes of the keys that the principal's patterns may cover; undefined if they cover all. */
  readonly visiblePrefixes: readonly string[] | undefined
  readonly format: LineFormat
}

/** A bulk read from KV returns at most 25 MB, and an isolate has 128 MB, so a list of huge tools ends early, with a cursor. */
const MAX_PAGES_AT_ONCE = 8
const MAX_LISTED_CHARACTERS = 4_000_000
/** After this much work, a list ends early, with a cursor. */
const MAX_UNITS = 1_000_000

/** Lists the newest versions of all tools from a manifest and its pages, whose lines it copies. */
export function createKvCatalog(options: KvCatalogOptions) {
  const { policies, bundledTools, lineWriter } = options
  const manifests = createKvManifest({ ...options, getBundledManifest: bundledTools.getManifest })
  const readPages = createKvPages({ ...options, findBundledText: bundledTools.findPageText })

  /** Returns undefined if the text of a page that the manifest names no longer exists. */
  async function listPages(manifest: Manifest, query: PagesQuery): Promise<Listing | undefined> {
    const { limit, after, isShown, format } = query
    const references = selectPages(manifest, query)
    const work = createBudget(Infinity)
    const lines: string[] = []
    let characters = 0
    let last = after
    const endEarly = () => ({ lines, nextCursor: encodeCursor(last) })
    while (references.length > 0) {
      const pages = await readPages(references.splice(0, countNeeded(references, limit - lines.length)), query)
      if (!pages) return undefined
      if (pages === 'out-of-memory') return { lines: [], isOutOfMemory: true }
      for (const page of pages) {
        if (!page.index.some(isShown)) continue
        if (work.spent > MAX_UNITS && last !== after) return endEarly()
        const pageLines = 'write' in format ? await lineWriter.writePage(page, format, work) : page.lines
        for (const [at, tool] of page.index.entries()) {
          if (!isShown(tool)) continue
          // An empty line is a tool that this format cannot express
          const line = pageLines[at] ?? ''
          if (line !== '') {
            if (lines.length === limit || characters > MAX_LISTED_CHARACTERS) return endEarly()
            lines.push(line)
            characters += line.length
          }
          last = tool.key
        }
      }
    }
    return { lines }
  }

  function formatEtag({ etag }: Manifest): string {
    const { revision } = policies.current()
    return revision === 0 ? etag : `${etag}.${revision}`
  }

  return {
    require: manifests.require,

    /** Returns the catalog's current entity tag. */
    async etag(): Promise<string> {
      await policies.ready()
      return formatEtag(await manifests.read())
    },

    /** Returns undefined if the cursor is not from a list. The policies must be ready. */
    async list(
      query: ListQuery,
      principal: Principal,
      format: LineFormat,
      listOptions: ListOptions,
    ): Promise<Listing | undefined> {
      const after = query.cursor === undefined ? '' : decodeCursor(query.cursor)
      if (after === undefined || (after !== '' && !parseToolId(after))) return undefined
      const policySet = policies.current()
      const prefix = query.toolkit === undefined ? '' : `${query.toolkit.toLowerCase()}.`
      const raisesLevels = principal.kind === 'anonymous'
      const isShown = (tool: IndexedTool) =>
        tool.key > after &&
        tool.key.startsWith(prefix) &&
        maySee(principal, raisesLevels ? raiseLevel(tool, policySet.policyFor(tool)) : tool, 'tools:read') &&
        (query.tag === undefined || tool.tags.includes(query.tag)) &&
        (!query.callable || tool.executable)
      const visiblePrefixes = listPrefixes(principal)
      const { limit } = query
      const pagesQuery = { ...listOptions, limit, after, isShown, prefix, visiblePrefixes, format }
      // The Registry's pages may change again before they are read. KV's are older, but last longer
      const { read, readRegistry, readKv } = manifests
      for (const readManifest of [read, readRegistry, readRegistry, readRegistry, readKv]) {
        const manifest = await readManifest()
        const etag = manifest && formatEtag(manifest)
        const listing = manifest && (await listPages(manifest, pagesQuery))
        if (listing) return { ...listing, etag }
      }
      throw new UnreachableError('Cannot read the catalog: it changes faster than it is read')
    },
  }
}

/** Returns the pages that may have tools of the query. */
function selectPages({ pages }: Manifest, { after, prefix, visiblePrefixes }: PagesQuery): PageReference[] {
  const begin = after > prefix ? after : prefix
  const end = prefix + LAST_KEY
  const visibleKeys = visiblePrefixes?.map((visible) => ({ begin: visible, end: visible + LAST_KEY }))
  return pages.filter(({ first }, at) => {
    const until = pages[at + 1]?.first ?? LAST_KEY
    if (until <= begin || first > end) return false
    return visibleKeys?.some((keys) => first <= keys.end && until > keys.begin) ?? true
  })
}

/** Returns how many pages to read at once for this many tools, at least one. */
function countNeeded(pages: readonly PageReference[], tools: number): number {
  let count = 0
  const enough = pages.slice(0, MAX_PAGES_AT_ONCE).findIndex((page) => (count += page.count) > tools)
  return enough === -1 ? MAX_PAGES_AT_ONCE : enough + 1
}

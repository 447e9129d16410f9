import { parseTrusted } from '../../../core/tool/json-text.ts'
import { createBudget } from '../../../core/tool/budget.ts'
import { parseToolId } from '../../../core/tool/tool-id.ts'
import type { Catalog, LineFormat, Listing, ListOptions, ListQuery } from '../../../core/catalog/catalog.ts'
import type { ToolkitCounts } from '../../../core/catalog/catalog.ts'
import { covers, hasScope, type Principal } from '../../../core/access/principal.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import type { Sealer } from '../../sealing/deployment-keys.ts'
import type { WriteLine } from '../catalog/listed-tools.ts'
import { createKvCatalog, type KvCatalogOptions } from './kv-catalog.ts'
import { createLineWriter, type LineWriterOptions } from './line-writer.ts'

export interface RegistryCatalogOptions extends Omit<KvCatalogOptions, 'lineWriter'>, LineWriterOptions {
  readonly policies: KvCatalogOptions['policies']
  readonly writeLine: WriteLine
  /** Seals cursors of searches and of all versions, which may name tools hidden from the caller. */
  readonly sealer: Sealer
}

/** Cursors are padded to the longest place before sealing: a tool's id and a version, or two numbers. */
const PLACE_LENGTH = { all: 200, newest: 24 }
const MAX_SUGGESTED = 3
/** Longer names have no similar tools. */
const MAX_UNKNOWN = 200

/** Lists the newest versions from KV. Asks the Registry for searches, all versions, suggestions and counts. */
export function createRegistryCatalog(options: RegistryCatalogOptions) {
  const { registry, policies, writeLine, sealer } = options
  const lineWriter = createLineWriter(options)
  const kvCatalog = createKvCatalog({ ...options, lineWriter })

  async function queryRegistry(
    query: ListQuery,
    principal: Principal,
    format: LineFormat,
    { reserve }: ListOptions,
  ): Promise<Listing | undefined> {
    const { q = null, versions, status } = query
    const associatedData = JSON.stringify([principal.id, q, versions, ...(status === undefined ? [] : [status])])
    const unsealed = query.cursor === undefined ? undefined : await sealer.unseal(query.cursor, associatedData)
    if (query.cursor !== undefined && !unsealed) return undefined
    const answer = await registry().query({ ...query, cursor: unsealed?.text.trimEnd() }, principal)
    if (!answer) return undefined
    const { found, next, total, relevant, sameAs, unmatched } = answer
    const records = found.map(({ record }): ToolRecord => parseTrusted(record))
    // Stored lines are written by `writeLine`, because lists copy them from pages and a query has no pages
    const writtenFormat = 'write' in format ? format : { name: 'stored line', write: writeLine }
    const lines = await lineWriter.writeLines(records, writtenFormat, (at) => found[at]?.name, createBudget(Infinity))
    const characters = lines.reduce((sum, { length }) => sum + length, 0)
    if (reserve && !(await reserve(characters))) return { lines: [], isOutOfMemory: true }
    const operations = found.map(({ operation = [] }) => operation)
    const listing = { lines, operations, sameAs, total, relevant, unmatched }
    if (next === undefined) return listing
    const place = next.padEnd(PLACE_LENGTH[versions])
    const nextCursor = await sealer.seal(place, associatedData, { deterministic: true })
    return { ...listing, nextCursor }
  }

  const catalog: Catalog & ToolkitCounts = {
    etag: kvCatalog.etag,

    async list(query, principal, format, listOptions = {}) {
      await policies.ready()
      const isInKv = query.q === undefined && query.versions === 'newest'
      return isInKv
        ? kvCatalog.list(query, principal, format, listOptions)
        : queryRegistry(query, principal, format, listOptions)
    },

    toolkits: (principal, query) => registry().toolkitCounts(principal, query),

    async findUnknownName(names, principal) {
      for (const name of names) {
        const tool = parseToolId(name)
        const query = { versions: 'newest', toolkit: tool?.toolkit ?? name, limit: 1 } as const
        // For the name of a tool, lists as a principal that may see only that tool
        const viewer = tool ? { ...principal, tools: covers(principal, tool, 'tools:read') ? [name] : [] } : principal
        const listing = await catalog.list(query, viewer, { name: 'stored' })
        if (listing && listing.lines.length > 0) continue
        // The Registry also knows deprecated and just published tools
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
  }

  return { catalog, require: kvCatalog.require }
}

/**
 * Lists tools as a caller's toolset and lock define them. The catalog lists the newest version of each tool in the view. If the
 * view chooses another version of a tool, its line is written again. Tools that no longer match the view are omitted.
 */
import { findChosenTool, toViewName, type ToolView } from '../access/tool-view.ts'
import { findEntryProblem, toViewRecord } from '../access/view-record.ts'
import { getListed, type Resolver } from './resolve-tool.ts'
import { includesVersion, isAsLocked, type ViewDeps } from './view-tool.ts'
import { createBudget, DEFAULT_UNITS } from '../tool/budget.ts'
import type { WaitUntil } from '../tool/platform.ts'
import { formatToolId, parseToolId } from '../tool/tool-id.ts'
import { toIdRef } from '../tool/tool-ref.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { Catalog, LineFormat, Listing, OperationTool } from '../catalog/catalog.ts'

export interface ViewCatalogDeps extends Pick<ViewDeps, 'formatLocked' | 'sha256'> {
  readonly list: Catalog['list']
  readonly resolver: Pick<Resolver, 'resolve'>
  /** Writes the line of the format `stored`. */
  readonly writeLine: (record: ToolRecord) => string
  readonly background: WaitUntil
}

type Write = Extract<LineFormat, { write: unknown }>['write']

/** Starts a placeholder (id and name) for a tool whose version the view overrides. No real line starts with it. */
const OTHER_VERSION = '\u0001'
/** Separates the locked digest, the text that it covers, and the line. JSON never contains this character. */
const PART = '\u0002'
/** The number of lines that are finished concurrently. */
const BATCH = 50

/** Works like `catalog.list` for a principal with a view. */
export async function listInView(view: ToolView, deps: ViewCatalogDeps, ...request: Parameters<Catalog['list']>) {
  const [query, principal, format, options] = request
  const write: Write = 'write' in format ? format.write : deps.writeLine
  const viewFormat = { name: `${format.name} ${view.key}`, write: createWrite(view, query.versions, write, deps) }
  const listing = await deps.list(query, principal, viewFormat, options)
  if (!listing) return undefined
  const lines: string[] = []
  for (let at = 0; at < listing.lines.length; at += BATCH) {
    const batch = listing.lines.slice(at, at + BATCH)
    lines.push(...(await Promise.all(batch.map((line) => finishLine(line, view, write, deps)))))
  }
  return toViewListing({ ...listing, lines }, view)
}

function createWrite(
  view: ToolView,
  versions: 'newest' | 'all',
  write: Write,
  { formatLocked }: ViewCatalogDeps,
): Write {
  return (record, exposedName, budget) => {
    const choice = findChosenTool(view, record)
    if (!choice) return ''
    const { entry, lock } = choice
    const range = lock?.version ?? entry?.version
    if (range !== undefined && !includesVersion(range, record.version))
      return versions === 'all' ? '' : `${OTHER_VERSION}${formatToolId(record)} ${exposedName}`
    if (entry && findEntryProblem(record, entry) !== undefined) return ''
    const listedRecord = toViewRecord(record, entry)
    const name = entry?.name === undefined ? exposedName : listedRecord.name
    const line = write(listedRecord, name, budget)
    return lock && line !== '' ? [lock.digest, formatLocked(listedRecord, name), line].join(PART) : line
  }
}

async function finishLine(line: string, view: ToolView, write: Write, deps: ViewCatalogDeps): Promise<string> {
  if (line.startsWith(OTHER_VERSION)) return writeChosenVersion(line.slice(1), view, write, deps)
  const [digest, text, lockedLine] = line.split(PART)
  if (digest === undefined || text === undefined || lockedLine === undefined) return line
  return (await isAsLocked(text, digest, deps.sha256)) ? lockedLine : ''
}

async function writeChosenVersion(text: string, view: ToolView, write: Write, deps: ViewCatalogDeps): Promise<string> {
  const [id = '', exposedName = ''] = text.split(' ')
  const viewId = toViewId(id, view)
  const resolution = await deps.resolver.resolve(toIdRef(viewId), view, deps.background)
  if (!resolution.ok) return ''
  const listedRecord = getListed(resolution)
  return write(listedRecord, viewId === id ? exposedName : listedRecord.name, createBudget(DEFAULT_UNITS))
}

/** Removes the entity tag, which also changes with tools outside the view. */
function toViewListing({ operations, sameAs, lines, ...listing }: Listing, view: ToolView): Listing {
  const toViewTool = ({ id, name }: OperationTool) => ({ id: toViewId(id, view), name })
  return {
    ...listing,
    etag: undefined,
    ...(operations
      ? { lines, operations: operations.map((tools) => tools.map(toViewTool)) }
      : { lines: lines.filter((line) => line !== '') }),
    ...(sameAs && {
      sameAs: Object.fromEntries(Object.entries(sameAs).map((ids) => ids.map((id) => toViewId(id, view)))),
    }),
  }
}

function toViewId(id: string, view: ToolView): string {
  const name = parseToolId(id)
  const entry = name && findChosenTool(view, name)?.entry
  return entry?.name === undefined || !name ? id : formatToolId(toViewName(name, entry), name.range)
}

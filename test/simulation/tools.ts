import { toIdRef } from '../../src/core/tool/tool-ref.ts'
import type { Publication } from '../../src/core/publish/registry.ts'
import { ADMIN } from '../../src/core/access/principal.ts'
import { parseToolId, toolKey } from '../../src/core/tool/tool-id.ts'
import type { ToolEntry, ToolRecord } from '../../src/core/tool/tool.ts'
import type { ToolStatus } from '../../src/core/tool/version.ts'
import { MANIFEST_KEY, kvKey } from '../../src/storage/keys.ts'
import { parsePage } from '../../src/storage/registry/catalog/listed-tools.ts'
import type { Manifest } from '../../src/storage/registry/catalog/manifest.ts'
import type { Publications } from './publications.ts'
import { holds, Violation } from './violation.ts'
import type { Place, World } from './world.ts'

type State = ToolStatus['state']

/** A change of a version's status: requested at `from`, and acknowledged at `until` unless its result is unknown. */
interface Change {
  readonly state: State
  readonly from: number
  until: number
  /** The revision of the catalog when it was acknowledged. */
  revision: number
}

/** How long a reader may use the old value once KV has the new one. */
export const BEHIND_MS = 60_000
/** An unknown name is looked up again after this long. */
const UNKNOWN_MS = 2_000
/** A read waits 2 s for KV, then 10 s for the object; messages may be slow, and a version is read after its tool. */
const LOOKED_UP_MS = 40_000
const TOOL = kvKey('tool', '')
const STATES: readonly [ToolStatus, ...ToolStatus[]] = [
  { state: 'active' },
  { state: 'disabled' },
  { state: 'yanked' },
  { state: 'deprecated' },
]

/** Simulates clients that use tools, and checks everything that they see. */
export function createToolClients(world: World, all: Publications) {
  const { clock, chance, kv, registry, weather } = world
  /** The digest of each acknowledged publication, and when it was acknowledged. */
  const published = new Map<string, { readonly digest: string; readonly at: number }>()
  /** The digest that each version was first seen with. */
  const seen = new Map<string, string>()
  const changes = new Map<string, Change[]>()
  // Recorded rather than thrown, because an error here would count as a refused write
  kv.watch((key, value) => {
    const wrong = key === MANIFEST_KEY ? wrongInManifest(value) : undefined
    if (wrong !== undefined) world.defect(new Violation(`KV's manifest ${wrong}`))
    const named = pagesOf(kv.valueOf(MANIFEST_KEY))
    const missing = key === MANIFEST_KEY ? named.find((page) => kv.valueOf(page) === null) : undefined
    if (missing) world.defect(new Violation(`KV's manifest names '${missing}', which is not there`))
    if (value === null && named.includes(key))
      world.defect(new Violation(`KV's manifest names '${key}', which is deleted`))
    // A new version may be named shortly before it is in KV: readers ask the registry for it
    const isLost = (each: string) => kv.valueOf(each) === null && !waits(each)
    const lost = key.startsWith(TOOL) ? namedBy(value).find(isLost) : undefined
    if (lost) world.defect(new Violation(`KV's '${key}' names '${lost}', which is not there and will not be`))
  })
  /** Checks that a manifest lists each tool on one page, and every tool on pages that have not changed since its revision. */
  function wrongInManifest(value: string | null): string | undefined {
    const { revision, count, pages }: Manifest = JSON.parse(value ?? '')
    const texts = pages.map(({ hash }) => kv.valueOf(kvKey('page', hash)))
    const keys = texts.flatMap((text) => (text === null ? [] : parsePage(text).index.map((tool) => tool.key)))
    if (keys.length !== count || new Set(keys).size !== count) return `counts ${count} tools, and lists ${keys.join()}`
    if (keys.some((key, at) => key < (keys[at - 1] ?? ''))) return `lists out of order: ${keys.join()}`
    type Row = { first: string; until: string | null; changed: number }
    const query = 'SELECT first, lead(first) OVER (ORDER BY first) AS until, changed FROM page'
    for (const { first, until, changed } of registry.sql.exec<Row>(query)) {
      if (changed > revision) continue
      const isIn = (key: string) => key >= first && (until === null || key < until)
      const stored = registry.sql.exec<{ key: string }>('SELECT key FROM tool WHERE listed IS NOT NULL ORDER BY key')
      const missing = [...stored].map(({ key }) => key).filter((key) => isIn(key) && !keys.includes(key))
      if (missing.length > 0) return `of revision ${revision} does not list ${missing.join()}`
    }
    return undefined
  }

  const waits = (key: string) => registry.sql.exec('SELECT 1 FROM outbox WHERE target = ?', key).toArray().length > 0
  const records = all.flatMap((each) => each.records)
  const digests = new Map(records.map(({ id, description, digest }) => [`${id} ${description}`, digest]))

  function saw(id: string, digest: string | undefined): void {
    const before = seen.get(id) ?? digest
    holds(digest !== undefined && before === digest, `'${id}' was '${before}' and is '${digest}'`)
    seen.set(id, digest)
  }

  const keyOf = (id: string) => toolKey(parseToolId(id) ?? { toolkit: '', tool: '' })
  const documents = new Map(all.flatMap(({ document }) => (document ? [[document.hash, document] as const] : [])))
  const hasDigest = (digest: string) =>
    registry.sql.exec('SELECT 1 FROM version WHERE digest = ?', digest).toArray().length > 0
  const revision = () =>
    Number(registry.sql.exec<{ value: string }>("SELECT value FROM meta WHERE name = 'catalogue'").toArray()[0]?.value)

  /** Whether KV has had a change for so long that no reader may still see the old status. */
  function isOver(id: string, { until, revision: made }: Change, at: number, by: 'document' | 'manifest'): boolean {
    const since = at - BEHIND_MS - weather.lag
    if (until > since) return false
    const key = by === 'manifest' ? MANIFEST_KEY : kvKey('tool', keyOf(id))
    const landed = kv.history(key).find(({ at: then, value }) => {
      if (by === 'document') return then >= until
      return value !== null && JSON.parse(value).revision >= made
    })
    return landed !== undefined && landed.at <= since
  }

  /** Whether a request sent at a time may see a version in a state. */
  function mayBe(id: string, state: State, at: number, by: 'document' | 'manifest'): boolean {
    const of = changes.get(id) ?? []
    const isPast = (until: number) => of.some((other) => other.from > until && isOver(id, other, at, by))
    return (state === 'active' && !isPast(-1)) || of.some((each) => each.state === state && !isPast(each.until))
  }

  const anyPublished = () => {
    const [first, ...others] = [...published.keys()]
    return first === undefined ? undefined : chance.oneOf([first, ...others])
  }

  async function publish({ writer }: Place, publication: Publication): Promise<void> {
    const [answer] = await writer.publish([publication], ADMIN)
    for (const { id, digest } of publication.records) {
      if (answer?.ok) {
        saw(id, digest)
        if (!published.has(id)) published.set(id, { digest, at: clock.now() })
      } else {
        holds(answer?.failure.type === 'conflict', `'${id}' is '${answer?.failure.type}'`)
        holds(seen.get(id) !== digest, `'${id}' conflicts with itself`)
      }
    }
  }

  async function change({ writer }: Place, id: string, status: ToolStatus): Promise<void> {
    const asked = parseToolId(id) ?? { toolkit: '', tool: '', range: '' }
    const made: Change = { state: status.state, from: clock.now(), until: Infinity, revision: Infinity }
    changes.set(id, [...(changes.get(id) ?? []), made])
    const answer = await writer.change(asked, asked.range ?? '', { status }, ADMIN)
    holds(answer?.ok === true, `'${id}' was published, and its status cannot be changed`)
    made.until = clock.now()
    made.revision = revision()
  }

  /** Looks up a version as a call does. */
  async function resolve(place: Place, id: string, by: 'document' | 'manifest' = 'document'): Promise<void> {
    const { resolver } = place
    const at = clock.now()
    const known = published.get(id)
    const found = await resolver.resolve(toIdRef(id), (work) => void work.catch(world.unlessFault))
    holds(clock.now() - at <= LOOKED_UP_MS, `'${id}' is looked up for ${clock.now() - at} ms`)
    if (found.ok) {
      saw(id, found.tool.record.digest)
      await ofDocument(place, found.tool.record)
      const state = found.status.state
      return holds(mayBe(id, state, at, 'document'), `'${id}' is called '${state}' long after it was not`)
    }
    const { type } = found.failure
    if (type === 'tool-disabled') {
      return holds(mayBe(id, 'disabled', at, 'document'), `'${id}' is called disabled, and is not`)
    }
    const isNew = !known || known.at > at - UNKNOWN_MS
    holds(by === 'document' && isNew, `'${id}' is '${type}', and was ${known ? 'published' : 'listed'}`)
  }

  /** Checks that a document's tool has its document, and is found by its name there. */
  async function ofDocument({ source }: Place, record: ToolRecord): Promise<void> {
    const document = documents.get(record.source.hash ?? '')
    if (!document) return
    const { source: completed } = await source.attachDocument(record)
    holds(
      JSON.stringify(completed.document) === document.text,
      `'${record.id}' is not of the document it was published in`,
    )
    const { dialect, itself, toolkit } = document
    // Another version may have added tools that KV's address does not have yet
    for (const id of published.keys()) {
      const name = parseToolId(id)
      if (!itself || name?.toolkit !== toolkit) continue
      const address = await source.findDocumentAddress(dialect, itself.id, name.tool)
      holds(address?.tools[name.tool] === name.tool, `'${id}' is not found by its document`)
    }
  }

  /** Lists all tools, and looks up each. */
  async function list(place: Place): Promise<readonly string[]> {
    const at = clock.now()
    const query = { versions: 'newest', limit: 1_000 } as const
    const listing = await place.catalog.list(query, ADMIN, { name: 'stored' })
    const ids: string[] = []
    for (const line of listing?.lines ?? []) {
      const { id, description }: { id: string; description: string } = JSON.parse(line)
      ids.push(id)
      if (digests.has(`${id} ${description}`)) saw(id, digests.get(`${id} ${description}`))
      holds(mayBe(id, 'active', at, 'manifest'), `'${id}' is listed long after it was not active`)
    }
    for (const id of ids) await resolve(place, id, 'manifest')
    return ids
  }

  /** Once all is quiet, checks that everything that was acknowledged exists, and is the same everywhere. */
  async function settled(places: readonly Place[]): Promise<void> {
    // With some seeds no request ever reaches the object, so it has no tables
    const wasReached = registry.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'outbox'").toArray().length > 0
    if (!wasReached) return holds(published.size === 0, 'What was published is nowhere')
    const waiting = registry.sql.exec<{ target: string }>('SELECT target FROM outbox').toArray()
    holds(waiting.length === 0, `KV never gets ${JSON.stringify(waiting)}`)
    for (const [id, { digest }] of published) {
      const text = kv.valueOf(kvKey('tool', keyOf(id)))
      holds(text !== null, `'${id}' was published, and KV never got it`)
      const document: ToolEntry = JSON.parse(text)
      const stored = document.versions.find(({ version }) => version === parseToolId(id)?.range)
      holds(stored?.digest === digest, `'${id}' was published with '${digest}', and is '${stored?.digest}'`)
      holds(mayBe(id, stored.status.state, clock.now(), 'document'), `'${id}' ends '${stored.status.state}'`)
    }
    for (const { records: beside } of all) {
      const there = beside.filter(({ digest }) => hasDigest(digest))
      holds(there.length === 0 || there.length === beside.length, `Of one document, '${there[0]?.id}' alone is there`)
    }
    const stored = registry.sql
      .exec<{ id: string }>(
        `SELECT toolkit || '.' || tool || '@' || listed AS id FROM tool WHERE listed IS NOT NULL ORDER BY key`,
      )
      .toArray()
      .map(({ id }) => id)
    for (const place of places) {
      const ids = await list(place)
      holds(
        JSON.stringify(ids) === JSON.stringify(stored),
        `${JSON.stringify(ids)} are listed of ${JSON.stringify(stored)}`,
      )
      for (const id of published.keys()) await resolve(place, id)
    }
  }

  return {
    publish() {
      const publication = chance.oneOf(all)
      return (place: Place) => publish(place, publication)
    },
    change() {
      const id = anyPublished()
      const status = chance.oneOf(STATES)
      return (place: Place) => (id === undefined ? publish(place, all[0]) : change(place, id, status))
    },
    list: () => list,
    resolve() {
      const id = anyPublished()
      return async (place: Place) => {
        if (id !== undefined) await resolve(place, id)
      }
    },
    settled,
  }
}

function pagesOf(manifest: string | null): string[] {
  const { pages }: Pick<Manifest, 'pages'> = JSON.parse(manifest ?? '{"pages":[]}')
  return pages.map(({ hash }) => kvKey('page', hash))
}

/** Lists the keys that a tool's entry in KV names, which are read with it. */
function namedBy(value: string | null): string[] {
  const { versions, newest }: ToolEntry = JSON.parse(value ?? '{"versions":[]}')
  const others = versions.filter(({ version }) => version !== newest?.version)
  const document = newest?.source.hash
  return [
    ...others.map(({ digest }) => kvKey('record', digest)),
    ...(document === undefined ? [] : [kvKey('document', document)]),
  ]
}

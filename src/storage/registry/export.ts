import type { Policy } from '../../core/access/policy.ts'
import type { ArchiveCursor, ArchivePart } from '../../core/publish/archive/archive-rows.ts'
import { firstRow } from '../rows.ts'
import { type DocumentRow, textByHash } from './documents.ts'
import { keysOf } from './toolkits.ts'

/** Read in about a millisecond, in which nobody else is answered; one version more may have 2 MB. */
const MAX_CHARACTERS = 32_000
const ROWS = 32

type Phase = 'policies' | 'toolkits' | 'unowned' | 'names' | 'versions' | 'given'
/** Policies come first, so that tools are restricted from the moment they are restored. */
const PHASES: readonly Phase[] = ['policies', 'toolkits', 'unowned', 'names', 'versions', 'given']

type VersionRow = {
  key: string
  version: string
  status: string
  held: number
  unreviewed: number
  bundled: number
  publisher: string | null
  trusted: number
  record: string
  toolkit: string
  dialect: string
  hash: string | null
  blob: string | null
  document: string | null
  documentKey: string | null
  documentVersion: string | null
}

/** Versions come in the order of their publication, each after its document and the bytes that it names. */
export function readArchive(sql: SqlStorage, cursor: ArchiveCursor = {}, toolkit?: string): ArchivePart {
  const part = createPart()
  let { after, phase } = placeOf(cursor)
  let written = { source: String(cursor['source'] ?? ''), blob: String(cursor['blob'] ?? '') }
  for (const each of PHASES.slice(PHASES.indexOf(phase))) {
    if (each !== phase) [phase, after] = [each, undefined]
    for (const row of rowsOf(sql, phase, toolkit, after)) {
      if (part.isFull) return part.whole({ phase, after: after ?? '', ...written })
      if (row.kind === 'fact') part.add(row.text)
      else {
        const version = readVersion(sql, row.row)
        if (!version) continue
        const source = sourceOf(version)
        if (version.blob !== null && version.blob !== written.blob) {
          return { ...part.whole({ phase, after: after ?? '', ...written, blob: version.blob }), blob: version.blob }
        }
        if (source !== '' && source !== written.source) part.add(documentLine(sql, version))
        written = { source, blob: version.blob ?? '' }
        part.add(versionLine(version))
      }
      after = row.after
    }
  }
  return part.whole()
}

function placeOf({ phase, after }: ArchiveCursor): { phase: Phase; after: string | number | undefined } {
  return { phase: PHASES.find((each) => each === phase) ?? 'policies', after: after === '' ? undefined : after }
}

function createPart() {
  const texts: string[] = []
  let size = 0
  return {
    get isFull() {
      return size > MAX_CHARACTERS
    },
    add(line: string) {
      texts.push(line, '\n')
      size += line.length
    },
    whole: (next?: ArchiveCursor): ArchivePart => ({
      text: texts.join(''),
      lines: texts.length / 2,
      ...(next ? { next } : {}),
    }),
  }
}

type ArchivedRow = { readonly after: string | number } & (
  { readonly kind: 'fact'; readonly text: string } | { readonly kind: 'version'; readonly row: number }
)

/** Reads a few rows at a time, since nothing is written while they are read. */
function* rowsOf(
  sql: SqlStorage,
  phase: Phase,
  toolkit: string | undefined,
  from: string | number | undefined,
): Generator<ArchivedRow> {
  let after = from
  for (;;) {
    const rows = READERS[phase](sql, after, toolkit === undefined ? ['', '\u{10ffff}'] : keysOf(toolkit))
    yield* rows
    after = rows.at(-1)?.after
    if (after === undefined) return
  }
}

type ToolkitRow = {
  key: string
  name: string
  owner: string | null
  status: string | null
  held: number
  tags: string | null
  review: number
}

const NOT_DELETED = 'NOT IN (SELECT key FROM toolkit WHERE deleted IS NOT NULL)'

type Range = readonly [from: string, to: string]
type ReadRows = (sql: SqlStorage, after: string | number | undefined, range: Range) => readonly ArchivedRow[]

const READERS: Readonly<Record<Phase, ReadRows>> = {
  policies: (sql, after = '', range) =>
    sql
      .exec<{ pattern: string; body: string }>(
        `SELECT pattern, body FROM policy WHERE pattern > ? AND pattern >= ? AND pattern < ? ORDER BY pattern LIMIT ${ROWS}`,
        after,
        ...range,
      )
      .toArray()
      .map(({ pattern: key, body }) => {
        const { pattern, ...policy }: Policy = JSON.parse(body)
        return fact(key, { kind: 'policy', pattern, policy })
      }),
  toolkits: (sql, after = '', range) =>
    sql
      .exec<ToolkitRow>(
        `SELECT key, name, owner, status, held, tags, review FROM toolkit
         WHERE deleted IS NULL AND key > ? AND key || '.' >= ? AND key || '.' < ? ORDER BY key LIMIT ${ROWS}`,
        after,
        ...range,
      )
      .toArray()
      .map(({ key, name, owner, status, held, tags, review }) =>
        fact(key, {
          kind: 'toolkit',
          toolkit: name,
          owner,
          ...(status === null ? {} : { status: JSON.parse(status) }),
          ...(held === 1 ? { held: true } : {}),
          ...(tags === null || tags === '[]' ? {} : { tags: JSON.parse(tags) }),
          ...(review === 1 ? { review: true } : {}),
        }),
      ),
  // One without a row of its own is the deployment's. Each step finds the first tool of the next toolkit
  unowned: (sql, after, [from, until]) =>
    sql
      .exec<{ toolkit: string }>(
        `WITH RECURSIVE first(key) AS (
           SELECT min(key) FROM tool WHERE key >= ?1 AND key < ?2
           UNION ALL SELECT (SELECT min(key) FROM tool
             WHERE key >= substr(first.key, 1, instr(first.key, '.') - 1) || '/' AND key < ?2) FROM first WHERE key IS NOT NULL
         ) SELECT toolkit FROM first CROSS JOIN tool USING (key)
           WHERE lower(toolkit) NOT IN (SELECT key FROM toolkit) LIMIT ${ROWS}`,
        after === undefined ? from : `${after}/`,
        until,
      )
      .toArray()
      .map(({ toolkit }) => fact(toolkit.toLowerCase(), { kind: 'toolkit', toolkit, owner: null })),
  names: (sql, after = '', range) =>
    sql
      .exec<{ name: string; toolkit: string; tool: string }>(
        `SELECT name, toolkit, tool FROM name JOIN tool ON tool.key = name.key
         WHERE name > ? AND tool.key >= ? AND tool.key < ? AND lower(toolkit) ${NOT_DELETED} ORDER BY name LIMIT ${ROWS}`,
        after,
        ...range,
      )
      .toArray()
      .map(({ name, toolkit, tool }) => fact(name, { kind: 'name', name, tool: `${toolkit}.${tool}` })),
  versions: (sql, after = -1, range) =>
    sql
      .exec<{ row: number }>(
        // `+` keeps SQLite from the index of keys: all versions are read in the order of their rows
        `SELECT rowid AS row FROM version WHERE rowid > ? AND ${range[0] === '' ? '+key >= ? AND +key' : 'key >= ? AND key'} < ?
         ORDER BY rowid LIMIT ${ROWS}`,
        after,
        ...range,
      )
      .toArray()
      .map(({ row }) => ({ kind: 'version', row, after: row })),
  given: (sql, after = '', range) =>
    sql
      .exec<{ key: string; given: string; toolkit: string; tool: string }>(
        `SELECT key, given, toolkit, tool FROM tool
         WHERE given IS NOT NULL AND key > ? AND key >= ? AND key < ? AND lower(toolkit) ${NOT_DELETED} ORDER BY key LIMIT ${ROWS}`,
        after,
        ...range,
      )
      .toArray()
      .map(({ key, given, toolkit, tool }) => fact(key, { kind: 'given', name: given, tool: `${toolkit}.${tool}` })),
}

function fact(after: string, line: object): ArchivedRow {
  return { kind: 'fact', after, text: JSON.stringify(line) }
}

function readVersion(sql: SqlStorage, row: number): VersionRow | undefined {
  return firstRow<VersionRow>(
    sql,
    `SELECT version.key AS key, version.version AS version, coalesce(own, status) AS status, held, unreviewed, bundled,
       publisher, trusted, record, json_extract(record, '$.toolkit') AS toolkit,
       json_extract(record, '$.source.dialect') AS dialect, json_extract(record, '$.source.hash') AS hash,
       CASE json_extract(record, '$.implementation.kind') WHEN 'wasm'
         THEN json_extract(record, '$.implementation.blob') END AS blob,
       document_tool.dialect AS document, document_tool.key AS documentKey, document_tool.version AS documentVersion
     FROM version LEFT JOIN document_tool ON document_tool.tool = version.key AND document_tool.version = version.version
     WHERE version.rowid = ? AND lower(json_extract(record, '$.toolkit')) ${NOT_DELETED} LIMIT 1`,
    row,
  )
}

function versionLine({ status, held, unreviewed, bundled, publisher, trusted, record }: VersionRow): string {
  const stands = JSON.stringify({
    kind: 'version',
    status: JSON.parse(status),
    publisher: { principal: publisher, trusted: trusted === 1 },
    ...(held === 1 ? { held: true } : {}),
    ...(unreviewed === 1 ? { unreviewed: true } : {}),
    ...(bundled === 1 ? { bundled: true } : {}),
  })
  return `${stands.slice(0, -1)},"record":${record}}`
}

function sourceOf({ document, documentKey, documentVersion, hash }: VersionRow): string {
  return document === null ? (hash ?? '') : `${document}/${documentKey}@${documentVersion}`
}

function documentLine(sql: SqlStorage, { document, documentKey, documentVersion, toolkit, dialect, hash }: VersionRow) {
  const place = [document, documentKey, documentVersion]
  const query = 'SELECT id, version, toolkit, hash, place FROM document WHERE dialect = ? AND key = ? AND version = ?'
  const row = firstRow<DocumentRow & { readonly place: string | null }>(sql, query, ...place)
  const text = textByHash(sql, hash ?? row?.hash ?? '')
  const about = JSON.stringify({
    kind: 'document',
    dialect: document ?? dialect,
    toolkit: row?.toolkit ?? toolkit,
    ...(row ? { itself: { id: row.id, version: row.version } } : {}),
    ...(row?.place ? { mayHaveName: true } : {}),
    tools: toolsOf(sql, place),
  })
  return `${about.slice(0, -1)},"document":${text ?? 'null'}}`
}

function toolsOf(sql: SqlStorage, place: readonly (string | null)[]): Readonly<Record<string, string>> {
  const query = `SELECT name, tool.tool AS tool FROM document_tool JOIN tool ON tool.key = document_tool.tool
    WHERE dialect = ? AND document_tool.key = ? AND version = ? ORDER BY document_tool.rowid`
  const rows = sql.exec<{ name: string; tool: string }>(query, ...place).toArray()
  return Object.fromEntries(rows.map(({ name, tool }) => [name, tool]))
}

import type { ArchiveCursor, ArchivePart } from '../../../core/publish/archive/archive-rows.ts'
import { firstRow, rows } from '../../rows.ts'
import { textByHash, loadDocumentTools } from '../document-aliases.ts'
import { toolKeyRange } from '../toolkits.ts'
import { IS_TOOLSET } from '../toolsets.ts'

/** Characters per part. Reading one blocks other requests for about a millisecond. The last version may add 2 MB. */
const MAX_CHARACTERS = 32_000
const ROWS = 32
/** Each of these rows may have megabytes. */
const LARGE: readonly string[] = ['locks', 'toolsets', 'skills']

const NOT_DELETED = 'NOT IN (SELECT key FROM toolkit WHERE deleted IS NOT NULL)'

/** Queries for rows after ?1 with keys from ?2 up to ?3. Policies are first, so that restored tools are restricted at once. */
const PHASES = {
  policies: `SELECT pattern AS after, json_object('kind', 'policy', 'pattern', body ->> 'pattern',
      'policy', json_remove(body, '$.pattern')) AS line
    FROM policy WHERE pattern > ?1 AND pattern >= ?2 AND pattern < ?3 ORDER BY pattern`,
  // Each may concern any toolkit. A toolset comes after its lock
  locks: `SELECT hash AS after, json_object('kind', 'lock', 'lock', json(body)) AS line
    FROM lock WHERE ?2 = '' AND ?3 <> '' AND hash > ?1 ORDER BY hash`,
  toolsets: `SELECT name AS after, json_object('kind', 'toolset', 'toolset', json(body)) AS line
    FROM toolset WHERE ?2 = '' AND ?3 <> '' AND name > ?1 AND ${IS_TOOLSET} ORDER BY name`,
  // `json_patch` omits the nulls of its second argument
  toolkits: `SELECT key AS after, json_patch(json_object('kind', 'toolkit', 'toolkit', name, 'owner', owner),
      json_object('status', json(status), 'held', json(iif(held, 'true', NULL)), 'tags', json(nullif(tags, '[]')),
        'review', json(iif(review, 'true', NULL)), 'description', description)) AS line
    FROM toolkit WHERE deleted IS NULL AND key > ?1 AND key || '.' >= ?2 AND key || '.' < ?3 ORDER BY key`,
  // A toolkit without a row is the deployment's. Each step finds the first tool of the next toolkit
  unowned: `WITH RECURSIVE first(key) AS (
      SELECT min(key) FROM tool WHERE key >= max(?1 || '/', ?2) AND key < ?3
      UNION ALL SELECT (SELECT min(key) FROM tool
        WHERE key >= substr(first.key, 1, instr(first.key, '.') - 1) || '/' AND key < ?3) FROM first WHERE key IS NOT NULL
    ) SELECT lower(toolkit) AS after, json_object('kind', 'toolkit', 'toolkit', toolkit, 'owner', NULL) AS line
      FROM first CROSS JOIN tool USING (key) WHERE lower(toolkit) NOT IN (SELECT key FROM toolkit)`,
  skills: `SELECT rowid AS after, json_patch(json_object('kind', 'skill', 'toolkit', toolkit, 'name', name,
      'version', version, 'digest', digest, 'state', state, 'publisher', publisher, 'files', json(files)),
      json_object('held', json(iif(held, 'true', NULL)), 'unreviewed', json(iif(unreviewed, 'true', NULL)))) AS line
    FROM skill WHERE rowid > CAST(?1 AS INTEGER) AND lower(toolkit) || '.' >= ?2 AND lower(toolkit) || '.' < ?3
      AND lower(toolkit) ${NOT_DELETED} ORDER BY rowid`,
  names: `SELECT name AS after, json_object('kind', 'name', 'name', name, 'tool', toolkit || '.' || tool) AS line
    FROM name JOIN tool ON tool.key = name.key
    WHERE name > ?1 AND tool.key >= ?2 AND tool.key < ?3 AND lower(toolkit) ${NOT_DELETED} ORDER BY name`,
  // `+` prevents SQLite from using the index of keys: all versions are read in the order of their rows
  versions: versionsBy('+key'),
  given: `SELECT key AS after, json_object('kind', 'given', 'name', given, 'tool', toolkit || '.' || tool) AS line
    FROM tool WHERE given IS NOT NULL AND key > ?1 AND key >= ?2 AND key < ?3 AND lower(toolkit) ${NOT_DELETED}
    ORDER BY key`,
} as const

function versionsBy(key: 'key' | '+key'): string {
  const condition = `rowid > CAST(?1 AS INTEGER) AND ${key} >= ?2 AND ${key} < ?3`
  return `SELECT rowid AS after, NULL AS line FROM version WHERE ${condition} ORDER BY rowid`
}

type Phase = keyof typeof PHASES
type Place = string | number
/** A version's line is written separately, with its document and bytes. */
type ArchivedRow = { readonly after: Place; readonly line: string | null }

/** Reads a part. Versions come in the order of their publication, each after its document and the bytes that it names. */
export function readArchive(sql: SqlStorage, cursor: ArchiveCursor = {}, toolkit?: string): ArchivePart {
  const lines: string[] = []
  let size = 0
  const add = (line: string) => {
    lines.push(line)
    size += line.length
  }
  const part = (next?: ArchiveCursor): ArchivePart => {
    const text = lines.map((line) => `${line}\n`).join('')
    return { text, lines: lines.length, ...(next ? { next } : {}) }
  }
  const phases = Object.keys(PHASES).filter((name): name is Phase => name in PHASES)
  const firstPhase = phases.find((phase) => phase === cursor['phase']) ?? 'policies'
  let lastWritten = { source: String(cursor['source'] ?? ''), blob: String(cursor['blob'] ?? '') }
  for (const phase of phases.slice(phases.indexOf(firstPhase))) {
    let after = phase === firstPhase ? (cursor['after'] ?? '') : ''
    for (const { after: at, line } of listRows(sql, phase, toolkit, after)) {
      if (size > MAX_CHARACTERS) return part({ phase, after, ...lastWritten })
      const version = line === null ? readVersion(sql, at) : undefined
      if (version) {
        const { source, blob } = version
        if (blob !== '' && blob !== lastWritten.blob) return { ...part({ phase, after, ...lastWritten, blob }), blob }
        if (source !== '' && source !== lastWritten.source) add(documentLine(sql, version))
        lastWritten = { source, blob }
        add(`${version.stands.slice(0, -1)},"record":${version.record}}`)
      } else if (line !== null) add(line)
      after = at
    }
  }
  return part()
}

/** Reads a few rows at a time, because nothing is written while they are read. */
function* listRows(sql: SqlStorage, phase: Phase, toolkit: string | undefined, from: Place): Generator<ArchivedRow> {
  const query = phase === 'versions' && toolkit !== undefined ? versionsBy('key') : PHASES[phase]
  const limit = LARGE.includes(phase) ? 1 : ROWS
  const range = toolkit === undefined ? ['', '\u{10ffff}'] : toolKeyRange(toolkit)
  for (let after: Place | undefined = from; after !== undefined;) {
    const batch: ArchivedRow[] = rows<ArchivedRow>(sql, `${query} LIMIT ${limit}`, after, ...range)
    yield* batch
    after = batch.at(-1)?.after
  }
}

/** `source` is the document's key and version, its hash if it has no id, or empty for a version without a document. */
type VersionRow = Readonly<
  Record<'stands' | 'record' | 'blob' | 'source' | 'dialect' | 'toolkit' | 'version', string>
> &
  Readonly<Record<'hash' | 'key' | 'id', string | null>>

/** Returns undefined if the version's toolkit was deleted. */
function readVersion(sql: SqlStorage, row: Place): VersionRow | undefined {
  return firstRow<VersionRow>(
    sql,
    `SELECT json_patch(
         json_object('kind', 'version', 'status', json(coalesce(own, status)), 'publisher',
           json_object('principal', publisher, 'trusted', json(iif(trusted, 'true', 'false')))),
         json_object('held', json(iif(held, 'true', NULL)), 'unreviewed', json(iif(unreviewed, 'true', NULL)),
           'bundled', json(iif(bundled, 'true', NULL)))
       ) AS stands, record,
       CASE record ->> '$.implementation.kind' WHEN 'wasm' THEN record ->> '$.implementation.blob' ELSE '' END AS blob,
       coalesce(document.dialect || '/' || document.key || '@' || document.version, record ->> '$.source.hash', '') AS source,
       coalesce(document.dialect, record ->> '$.source.dialect') AS dialect,
       coalesce(document.toolkit, record ->> '$.toolkit') AS toolkit,
       coalesce(record ->> '$.source.hash', document.hash) AS hash,
       document.key AS key, id, version.version AS version
     FROM version LEFT JOIN document_tool ON document_tool.tool = version.key AND document_tool.version = version.version
       LEFT JOIN document ON document.dialect = document_tool.dialect AND document.key = document_tool.key
         AND document.version = document_tool.version
     WHERE version.rowid = ? AND lower(record ->> '$.toolkit') ${NOT_DELETED} LIMIT 1`,
    row,
  )
}

function documentLine(sql: SqlStorage, { dialect, toolkit, hash, key, id, version }: VersionRow): string {
  const fields = JSON.stringify({
    kind: 'document',
    dialect,
    toolkit,
    ...(id === null ? {} : { itself: { id, version } }),
    tools: key === null ? {} : loadDocumentTools(sql, dialect, key, version),
  })
  return `${fields.slice(0, -1)},"document":${textByHash(sql, hash ?? '') ?? 'null'}}`
}

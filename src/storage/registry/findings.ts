/*
 * The sources of imports, and how their tools differ from the active ones. Call in a transaction. Archives omit all of this,
 * because comparing a source again returns the same findings.
 */
import type { Principal } from '../../core/access/principal.ts'
import type {
  Comparison,
  Difference,
  FindingQuery,
  ImportSource,
  SourceChoice,
} from '../../core/publish/findings/finding.ts'
import { parseTrusted } from '../../core/tool/json-text.ts'
import { DAY_MS } from '../../core/tool/time.ts'
import { foldDashes } from '../../core/tool/tool-id.ts'
import { column, firstRow, readField, rows } from '../rows.ts'
import { findDeletedDenial, mayChange } from './toolkit-rights.ts'
import { findToolkitSpelling } from './toolkits.ts'

/** Separate from the other tables, because older Registries lack them. `tool` is '' for the whole toolkit. */
const TABLES = `
CREATE TABLE IF NOT EXISTS import_source (
  toolkit TEXT PRIMARY KEY, body TEXT NOT NULL, compared INTEGER NOT NULL DEFAULT 0, failing INTEGER
);
CREATE INDEX IF NOT EXISTS import_source_compared ON import_source (compared);
CREATE TABLE IF NOT EXISTS finding (
  toolkit TEXT NOT NULL, tool TEXT NOT NULL, severity TEXT NOT NULL, body TEXT NOT NULL, since INTEGER NOT NULL,
  seen INTEGER NOT NULL, PRIMARY KEY (toolkit, tool)
);
CREATE TABLE IF NOT EXISTS finding_message (id TEXT PRIMARY KEY, body TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0);`

/** Merges imports from the same source, each of which may have only some of its tools. */
export function rememberSource(sql: SqlStorage, sourceText: string): void {
  sql.exec(TABLES)
  const source: ImportSource = parseTrusted(sourceText)
  const key = source.toolkit.toLowerCase()
  const storedText = readField<string>(sql, 'SELECT body FROM import_source WHERE toolkit = ?', key)
  const stored: ImportSource | undefined = storedText === undefined ? undefined : parseTrusted(storedText)
  const isSame = stored?.kind === source.kind && stored.url === source.url
  const tools = [...new Set([...(isSame ? stored.tools : []), ...source.tools])]
  sql.exec(
    `INSERT INTO import_source (toolkit, body) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET body = excluded.body, failing = NULL`,
    key,
    JSON.stringify({ ...source, tools }),
  )
  if (!isSame) forgetFindings(sql, key)
  const names = ['', ...source.tools, ...source.known].map((tool) => foldDashes(tool).toLowerCase())
  const deletion = 'DELETE FROM finding WHERE toolkit = ? AND tool IN (SELECT value FROM json_each(?))'
  sql.exec(deletion, key, JSON.stringify(names))
}

export function forgetSource(sql: SqlStorage, toolkit: string): void {
  sql.exec(TABLES)
  sql.exec('DELETE FROM import_source WHERE toolkit = ?', toolkit.toLowerCase())
  forgetFindings(sql, toolkit.toLowerCase())
}

function forgetFindings(sql: SqlStorage, key: string): void {
  sql.exec('DELETE FROM finding WHERE toolkit = ?', key)
}

/** Takes sources to compare. They are last in the next turn, even if their comparison fails. */
export function takeSources(sql: SqlStorage, choice: SourceChoice, now: number): string[] {
  sql.exec(TABLES)
  const keys =
    'toolkit' in choice
      ? [choice.toolkit.toLowerCase()]
      : column<string>(sql, 'SELECT toolkit FROM import_source ORDER BY compared, toolkit LIMIT ?', choice.limit)
  return keys.flatMap((key) => {
    sql.exec('UPDATE import_source SET compared = ? WHERE toolkit = ?', now, key)
    if (findDeletedDenial(sql, key) !== undefined) return []
    return column<string>(sql, 'SELECT body FROM import_source WHERE toolkit = ?', key)
  })
}

const UNREAD: Difference = { kind: 'unreachable', severity: 'additive', changes: [] }

/** Stores the findings of a comparison. A finding keeps its `since` unless the tool now differs in another way. */
export function storeComparison(sql: SqlStorage, comparisonText: string, now: number): void {
  sql.exec(TABLES)
  const { toolkit, state, differences, isAnnounced }: Comparison = parseTrusted(comparisonText)
  const key = toolkit.toLowerCase()
  const source = firstRow<{ failing: number | null }>(sql, 'SELECT failing FROM import_source WHERE toolkit = ?', key)
  if (!source) return
  const isRead = state === 'complete' || state === 'partial'
  const failing = isRead ? null : (source.failing ?? now)
  sql.exec('UPDATE import_source SET failing = ? WHERE toolkit = ?', failing, key)
  const isFailing = state === 'credential' || (failing !== null && now - failing >= DAY_MS)
  const currentDifferences = isRead ? differences : isFailing ? [{ ...UNREAD, kind: state }] : []
  const newDifferences: Difference[] = []
  for (const difference of currentDifferences) {
    const { tool = '', severity } = difference
    const query = 'SELECT body FROM finding WHERE toolkit = ? AND tool = ?'
    if (readField(sql, query, key, tool.toLowerCase()) !== JSON.stringify(difference)) newDifferences.push(difference)
    sql.exec(
      `INSERT INTO finding VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET severity = excluded.severity,
        since = CASE WHEN body = excluded.body THEN since ELSE excluded.since END, body = excluded.body, seen = excluded.seen`,
      key,
      tool.toLowerCase(),
      severity,
      JSON.stringify(difference),
      now,
      now,
    )
  }
  if (isAnnounced && newDifferences.length > 0) addMessage(sql, toolkit, newDifferences, now)
  const toolGlobs = { complete: '*', partial: '' }
  if (isRead) sql.exec('DELETE FROM finding WHERE toolkit = ? AND seen < ? AND tool GLOB ?', key, now, toolGlobs[state])
}

/** If there are more new findings, the receiver lists the others. */
const MAX_ANNOUNCED = 50
const MAX_MESSAGES = 1_000
const MAX_ATTEMPTS = 5

/** Queues a message in the form of Standard Webhooks. It omits texts, to stay small. */
function addMessage(sql: SqlStorage, toolkit: string, added: readonly Difference[], now: number): void {
  const findings = added.slice(0, MAX_ANNOUNCED).map(({ changes, ...finding }) => ({
    ...finding,
    changes: changes.map(({ path, what }) => ({ path, what: what.slice(0, 200).toWellFormed() })),
  }))
  const data = { toolkit, total: added.length, findings }
  const body = JSON.stringify({ type: 'findings.created', timestamp: new Date(now).toISOString(), data })
  sql.exec('INSERT INTO finding_message (id, body) VALUES (?, ?)', `msg_${crypto.randomUUID()}`, body)
  const oldest = 'DELETE FROM finding_message WHERE rowid <= (SELECT max(rowid) FROM finding_message) - ?'
  sql.exec(oldest, MAX_MESSAGES)
}

/** Takes messages to send now, each at most MAX_ATTEMPTS times. Those of `sentIds` need not be sent again. */
export function takeMessages(sql: SqlStorage, sentIds: readonly string[], limit: number) {
  sql.exec(TABLES)
  for (const id of sentIds) sql.exec('DELETE FROM finding_message WHERE id = ?', id)
  sql.exec('DELETE FROM finding_message WHERE attempts >= ?', MAX_ATTEMPTS)
  const query = 'SELECT id, body FROM finding_message ORDER BY attempts, rowid LIMIT ?'
  const messages = rows<{ id: string; body: string }>(sql, query, limit)
  for (const { id } of messages) sql.exec('UPDATE finding_message SET attempts = attempts + 1 WHERE id = ?', id)
  return messages
}

type FindingRow = { toolkit: string; tool: string; body: string; since: number; seen: number }

/** Lists findings. `next` is where the next page begins. */
export function listFindings(
  sql: SqlStorage,
  { toolkit, severity, after = '', limit }: FindingQuery,
  principal: Principal,
) {
  sql.exec(TABLES)
  const keys =
    toolkit === undefined ? column<string>(sql, 'SELECT DISTINCT toolkit FROM finding') : [toolkit.toLowerCase()]
  const visibleKeys = keys.filter((key) => isVisible(sql, key, principal))
  const [afterToolkit = '', afterTool = ''] = after.split('.')
  const findingRows = rows<FindingRow>(
    sql,
    `SELECT toolkit, tool, body, since, seen FROM finding WHERE toolkit IN (SELECT value FROM json_each(?1))
      AND (toolkit, tool) > (?2, ?3) AND (?4 IS NULL OR severity = ?4) ORDER BY toolkit, tool LIMIT ?5`,
    JSON.stringify(visibleKeys),
    afterToolkit,
    afterTool,
    severity ?? null,
    limit + 1,
  )
  const page = findingRows.slice(0, limit)
  const last = findingRows.length > limit ? page.at(-1) : undefined
  const items = page.map((row) => ({ ...row, toolkit: findToolkitSpelling(sql, row.toolkit) ?? row.toolkit }))
  return { items, ...(last ? { next: `${last.toolkit}.${last.tool}` } : {}) }
}

function isVisible(sql: SqlStorage, toolkit: string, principal: Principal): boolean {
  return findDeletedDenial(sql, toolkit) === undefined && mayChange(sql, principal, { toolkit, tool: '*' })
}

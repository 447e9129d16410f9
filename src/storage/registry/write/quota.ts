import type { PublishedTotals } from '../../../core/publish/publisher-quota.ts'
import { firstRow, rows } from '../../rows.ts'

export function publishedBy(sql: SqlStorage, principal: string): PublishedTotals {
  const query = 'SELECT documents, bytes FROM publisher WHERE id = ?'
  return firstRow<{ documents: number; bytes: number }>(sql, query, principal) ?? { documents: 0, bytes: 0 }
}

export function publishedByAll(sql: SqlStorage): Record<string, PublishedTotals> {
  const all = rows<{ id: string; documents: number; bytes: number }>(sql, 'SELECT * FROM publisher')
  return Object.fromEntries(all.map(({ id, ...published }) => [id, published]))
}

export function countPublished(sql: SqlStorage, principal: string, bytes: number): void {
  sql.exec(
    `INSERT INTO publisher VALUES (?, 1, ?)
     ON CONFLICT DO UPDATE SET documents = documents + 1, bytes = bytes + excluded.bytes`,
    principal,
    bytes,
  )
}

import { base64url } from 'jose'
import { field } from '../rows.ts'

/** The Access object's tables (SQLite in a Durable Object). `secret` holds the deployment's own, made at random. */
const TABLES = `
CREATE TABLE IF NOT EXISTS secret (name TEXT PRIMARY KEY, value TEXT NOT NULL);
`
const SECRET_BYTES = 32

export function createTables(sql: SqlStorage): void {
  sql.exec(TABLES)
}

/** The secret that the deployment's keys come of: the one that is stored, or else a new one, which then is. */
export function deploymentSecret(sql: SqlStorage): string {
  const random = base64url.encode(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
  sql.exec("INSERT OR IGNORE INTO secret VALUES ('deployment', ?)", random)
  return field<string>(sql, "SELECT value FROM secret WHERE name = 'deployment'") ?? random
}

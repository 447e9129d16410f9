import { column, field } from './rows.ts'

/** The tables of one kind of Durable Object. */
export interface Schema {
  /** Names the object in messages: `the Registry`. */
  readonly of: string
  /** Counts up with each change of the tables that data written before does not fit. */
  readonly version: number
  /** `CREATE` statements. */
  readonly tables: string
}

/**
 * Makes an object's tables where it has none, and notes their version. Throws where they are of another version: nothing here
 * moves data from one to another, and what is misread may be lost. Gives whether they were made.
 */
export function openTables(sql: SqlStorage, { of, version, tables }: Schema): boolean {
  if (!hasTables(sql)) {
    sql.exec(tables)
    sql.exec('CREATE TABLE schema_version (version INTEGER NOT NULL)')
    sql.exec('INSERT INTO schema_version VALUES (?)', version)
    return true
  }
  const stored = tableNames(sql).includes('schema_version')
    ? field<number>(sql, 'SELECT version FROM schema_version')
    : 'none'
  if (stored !== version) {
    throw new Error(
      `Cannot open the storage of ${of}: its schema_version is ${stored}, and this Switchboard reads ${version}. ` +
        'Deploy the Switchboard that wrote it, export what is to be kept, and restore that into a deployment under a new name',
    )
  }
  return false
}

/** Whether an object has stored anything: one that is only asked about stores nothing. */
export function hasTables(sql: SqlStorage): boolean {
  return tableNames(sql).length > 0
}

/** Without the tables of SQLite and of the platform. */
function tableNames(sql: SqlStorage): string[] {
  return column<string>(
    sql,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'",
  )
}

import { column, readField } from './rows.ts'

interface Schema {
  /** Names the object in messages: `the Registry`. */
  readonly object: string
  /** Raised by each incompatible change of the tables. */
  readonly version: number
  readonly tables: string
}

export const CANNOT_OPEN = 'Cannot open the storage of'

/** Returns whether it created the tables. Throws for another version: there are no migrations, and misread data may be lost. */
export function openTables(sql: SqlStorage, { object, version, tables }: Schema): boolean {
  if (!hasTables(sql)) {
    sql.exec(tables)
    sql.exec('CREATE TABLE schema_version (version INTEGER NOT NULL)')
    sql.exec('INSERT INTO schema_version VALUES (?)', version)
    return true
  }
  const storedVersion = tableNames(sql).includes('schema_version')
    ? readField<number>(sql, 'SELECT version FROM schema_version')
    : 'none'
  if (storedVersion !== version) {
    throw new Error(
      `${CANNOT_OPEN} ${object}: its schema_version is ${storedVersion}, and this Switchboard reads ${version}. ` +
        'Deploy the Switchboard that wrote it, export what is to be kept, and restore that into a deployment under a new name',
    )
  }
  return false
}

export function hasTables(sql: SqlStorage): boolean {
  return tableNames(sql).length > 0
}

/** Lists our tables. Names that begin with `sqlite_` are SQLite's, and those with `_` are the platform's. */
function tableNames(sql: SqlStorage): string[] {
  return column<string>(
    sql,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_*'",
  )
}

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { part } from './part.ts'

/** Creates a Durable Object's database with Node's SQLite. Writes are in a transaction until `commit`. */
export function createDatabase() {
  const database = new DatabaseSync(':memory:')
  const statements = new Map<string, { readonly statement: StatementSync; readonly reads: boolean }>()
  let isOpen = false

  function prepared(query: string) {
    const known = statements.get(query)
    if (known) return known
    const statement = database.prepare(query)
    const made = { statement, reads: statement.columns().length > 0 }
    statements.set(query, made)
    return made
  }

  function exec(query: string, ...bindings: SqlStorageValue[]) {
    if (!isOpen) database.exec('BEGIN')
    isOpen = true
    // `prepare` would only take the first of several statements
    if (!statements.has(query) && /;\s*\S/.test(query.replaceAll(/'[^']*'/g, ''))) {
      database.exec(query)
      return cursor([], 0)
    }
    const { statement, reads } = prepared(query)
    const given = bindings.map((value): SQLInputValue => (value instanceof ArrayBuffer ? new Uint8Array(value) : value))
    if (reads) return cursor(statement.all(...given).map(asStored), 0)
    return cursor([], Number(statement.run(...given).changes))
  }

  function end(how: 'COMMIT' | 'ROLLBACK'): void {
    if (isOpen) database.exec(how)
    isOpen = false
  }

  return {
    exec,
    /** Runs a change atomically. */
    atOnce<T>(change: () => T): T {
      exec('SELECT 1')
      database.exec('SAVEPOINT change')
      try {
        const changed = change()
        database.exec('RELEASE change')
        return changed
      } catch (error) {
        database.exec('ROLLBACK TO change; RELEASE change')
        throw error
      }
    },
    commit: () => end('COMMIT'),
    rollBack: () => end('ROLLBACK'),
    close: () => database.close(),
  }
}

export type Database = ReturnType<typeof createDatabase>

/** Creates the SQL interface of one Durable Object instance; `ensure` throws once the instance has ended. */
export function sqlOf(database: Database, ensure: () => void): SqlStorage {
  return part<SqlStorage>({
    exec(query, ...bindings) {
      ensure()
      return database.exec(query, ...bindings)
    },
  })
}

/** Converts a row's bytes to the type that Durable Objects return. */
function asStored(row: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(row)) {
    if (value instanceof Uint8Array) row[name] = Uint8Array.from(value).buffer
  }
  return row
}

function cursor(found: readonly unknown[], rowsWritten: number) {
  // The query determines the type of the rows
  const rows: any[] = found.slice()
  const all: SqlStorageCursor<any> = Object.assign(Object.create(null), {
    toArray: () => rows,
    one: () => rows[0],
    raw: () => rows.map((row) => Object.values(row)).values(),
    rowsWritten,
    [Symbol.iterator]: () => rows.values(),
  })
  return all
}

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { part } from './part.ts'

/** A Durable Object's database, as Node has it. What is written is in a transaction until it is committed. */
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
    // Of several statements, the first alone would be prepared
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
    /** All or nothing of what is done inside. */
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

/** The SQL of one instance of a Durable Object; `ensure` throws once the instance is gone. */
export function sqlOf(database: Database, ensure: () => void): SqlStorage {
  return part<SqlStorage>({
    exec(query, ...bindings) {
      ensure()
      return database.exec(query, ...bindings)
    },
  })
}

/** A row with its bytes as Durable Objects have them. */
function asStored(row: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(row)) {
    if (value instanceof Uint8Array) row[name] = Uint8Array.from(value).buffer
  }
  return row
}

function cursor(found: readonly unknown[], rowsWritten: number) {
  // Of which type the rows are is for the query to say
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

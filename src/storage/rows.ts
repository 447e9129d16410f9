type Row = Record<string, SqlStorageValue>
type Bindings = readonly SqlStorageValue[]

export function rows<R extends Row>(sql: SqlStorage, query: string, ...bindings: Bindings): R[] {
  return sql.exec<R>(query, ...bindings).toArray()
}

export function firstRow<R extends Row>(sql: SqlStorage, query: string, ...bindings: Bindings): R | undefined {
  return rows<R>(sql, query, ...bindings)[0]
}

export function column<Value extends SqlStorageValue>(sql: SqlStorage, query: string, ...bindings: Bindings): Value[] {
  return Array.from(sql.exec(query, ...bindings).raw<[Value]>(), ([value]) => value)
}

export function readField<Value extends SqlStorageValue>(sql: SqlStorage, query: string, ...bindings: Bindings) {
  return column<Value>(sql, query, ...bindings)[0]
}

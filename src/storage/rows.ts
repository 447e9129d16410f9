export function firstRow<Row extends Record<string, SqlStorageValue>>(
  sql: SqlStorage,
  query: string,
  ...bindings: readonly SqlStorageValue[]
): Row | undefined {
  return sql.exec<Row>(query, ...bindings).toArray()[0]
}

export function column<Value extends SqlStorageValue>(
  sql: SqlStorage,
  query: string,
  ...bindings: readonly SqlStorageValue[]
): Value[] {
  return Array.from(sql.exec(query, ...bindings).raw<[Value]>(), ([value]) => value)
}

export function field<Value extends SqlStorageValue>(
  sql: SqlStorage,
  query: string,
  ...bindings: readonly SqlStorageValue[]
): Value | undefined {
  return column<Value>(sql, query, ...bindings)[0]
}

/** The first row that a query gives; undefined when it gives none. */
export function firstRow<Row extends Record<string, SqlStorageValue>>(
  sql: SqlStorage,
  query: string,
  ...bindings: readonly SqlStorageValue[]
): Row | undefined {
  return sql.exec<Row>(query, ...bindings).toArray()[0]
}

/** The first column of every row that a query gives. */
export function column<Value extends SqlStorageValue>(
  sql: SqlStorage,
  query: string,
  ...bindings: readonly SqlStorageValue[]
): Value[] {
  return Array.from(sql.exec(query, ...bindings).raw<[Value]>(), ([value]) => value)
}

/** The first column of the first row that a query gives; undefined when it gives none. */
export function field<Value extends SqlStorageValue>(
  sql: SqlStorage,
  query: string,
  ...bindings: readonly SqlStorageValue[]
): Value | undefined {
  return column<Value>(sql, query, ...bindings)[0]
}

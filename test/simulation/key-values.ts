import { part } from './part.ts'

/** Creates an in-memory version of a Durable Object's synchronous key-value store. */
export function createKeyValues(values = new Map<string, unknown>()) {
  return part<SyncKvStorage>({
    put: (key, value) => void values.set(key, structuredClone(value)),
    delete: (key) => values.delete(key),
    list: <T>({ prefix = '' }: SyncKvListOptions = {}) =>
      [...values].filter(([key]) => key.startsWith(prefix)).map(([key, value]): [string, T] => [key, value as T]),
  })
}

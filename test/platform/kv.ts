interface ReadOptions {
  readonly type?: 'arrayBuffer'
}

/** Creates an in-memory KV, without caches and write limits. */
export function createKv(): KVNamespace {
  const values = new Map<string, string | ArrayBuffer>()

  function read(key: string, type: ReadOptions['type']): string | ArrayBuffer | null {
    const value = values.get(key) ?? null
    if (type !== 'arrayBuffer' || typeof value !== 'string') return value
    return Uint8Array.from(Buffer.from(value)).buffer
  }

  const kv: KVNamespace = Object.assign(Object.create(null), {
    get: async (keys: string | readonly string[], { type }: ReadOptions = {}) =>
      typeof keys === 'string' ? read(keys, type) : new Map(keys.map((key) => [key, read(key, type)])),
    put: async (key: string, value: string | ArrayBuffer) => void values.set(key, value),
    delete: async (key: string) => void values.delete(key),
  })
  return kv
}

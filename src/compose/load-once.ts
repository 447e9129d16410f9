/** Caches the value that `load` returns, not its promise: in workerd, a request cannot wait for the work of another. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loadedValue: T | undefined
  return async () => {
    const value = loadedValue ?? (await load())
    return (loadedValue ??= value)
  }
}

/** Keeps the first value that `load` gives, and not its promise: workerd lets no request wait for the work of another. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: T | undefined
  return async () => {
    const value = loaded ?? (await load())
    return (loaded ??= value)
  }
}

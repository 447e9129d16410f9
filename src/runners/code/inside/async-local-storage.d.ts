/** The part of Node's class that is used here; the Worker's own types do not have it. */
export class AsyncLocalStorage<T> {
  run<R>(store: T, callback: () => R): R
  getStore(): T | undefined
}

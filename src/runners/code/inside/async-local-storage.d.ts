/** Node's class, which the Worker's own types lack. */
export class AsyncLocalStorage<T> {
  run<R>(store: T, callback: () => R): R
  getStore(): T | undefined
}

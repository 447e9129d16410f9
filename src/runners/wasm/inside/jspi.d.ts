/** JavaScript Promise Integration, which the platform's types do not have yet. */
declare namespace WebAssembly {
  /** An import that its caller waits for. */
  const Suspending: new (work: (...given: never[]) => Promise<unknown>) => (...given: unknown[]) => unknown
  /** An export that gives a promise while such an import is waited for. */
  function promising(exported: (...given: unknown[]) => unknown): (...given: unknown[]) => Promise<unknown>
}

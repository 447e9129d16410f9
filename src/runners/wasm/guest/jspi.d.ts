/** JavaScript Promise Integration, which the platform's types do not have yet. */
declare namespace WebAssembly {
  const Suspending: new (work: (...values: never[]) => Promise<unknown>) => (...values: unknown[]) => unknown
  function promising(exported: (...values: unknown[]) => unknown): (...given: unknown[]) => Promise<unknown>
}

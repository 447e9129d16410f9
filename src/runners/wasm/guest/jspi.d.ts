/** JavaScript Promise Integration, which the platform's types do not have yet. */
declare namespace WebAssembly {
  const Suspending: new (work: (...given: never[]) => Promise<unknown>) => (...given: unknown[]) => unknown
  function promising(exported: (...given: unknown[]) => unknown): (...given: unknown[]) => Promise<unknown>
}

import { Unreachable } from '../core/failure/failure.ts'

/** Awaits some work for so many milliseconds; then fails as `Unreachable`, and leaves the work to itself. */
export async function withTimeout<T>(ms: number, who: string, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Unreachable(`${who} did not answer within ${ms} ms`)), ms)
  try {
    return await Promise.race([work(), promise])
  } finally {
    clearTimeout(timer)
  }
}

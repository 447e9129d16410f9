import { Unreachable } from '../core/failure/failure.ts'

/** Fails as `Unreachable` after `ms`; the work goes on by itself. */
export async function withTimeout<T>(ms: number, who: string, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Unreachable(`${who} did not answer within ${ms} ms`)), ms)
  try {
    return await Promise.race([work(), promise])
  } finally {
    clearTimeout(timer)
  }
}

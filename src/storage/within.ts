import { Unreachable } from '../core/failure/failure.ts'

/** What some work gives, if it does within so many milliseconds; after that it fails as `Unreachable`, and the work is left to itself. */
export async function within<T>(ms: number, who: string, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Unreachable(`${who} did not answer within ${ms} ms`)), ms)
  try {
    return await Promise.race([work(), promise])
  } finally {
    clearTimeout(timer)
  }
}

import type { Result } from '../failure/failure.ts'

/** Gives callers texts to hand back later, which nobody can read or change. Fails with `unavailable` without a key. */
export interface Seal {
  seal(text: string, bound: string): Promise<Result<string>>
  /** Undefined for a text that was changed, has expired, or was sealed for another `bound`. */
  unseal(sealed: string, bound: string): Promise<Result<string | undefined>>
}

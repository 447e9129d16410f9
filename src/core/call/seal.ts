import type { Result } from '../failure/failure.ts'

/** Seals texts that callers return later but cannot read or change. Fails with `unavailable` without a key. */
export interface Seal {
  seal(text: string, bound: string): Promise<Result<string>>
  /** Returns undefined if the text was changed, has expired, or was sealed for another `bound`. */
  unseal(sealed: string, bound: string): Promise<Result<string | undefined>>
}

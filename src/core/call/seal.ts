import type { Result } from '../failure/failure.ts'

/** Hands texts to whoever calls, to be given back later: nobody can read or change them, and they expire. Fails with `unavailable` while there is no key to be had. */
export interface Seal {
  /** Seals a text for `bound`: who may give it back, and for what. The sealed text is of URL-safe characters. */
  seal(text: string, bound: string): Promise<Result<string>>
  /** The text; undefined when it was changed, has expired, or was sealed for something else or by somebody else. */
  unseal(sealed: string, bound: string): Promise<Result<string | undefined>>
}

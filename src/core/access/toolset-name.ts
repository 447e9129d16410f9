import { stringMatching } from '../tool/json-reader.ts'

/** Separate from the readers of toolsets, which calls do not need. */
export function isToolsetName(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,62}$/.test(text)
}

export function isLockHash(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text)
}

/** Names never change, since URLs and keys contain them. */
export const toolsetName = stringMatching(
  "a toolset's name: lower-case letters, digits, '-' and '_', at most 63",
  isToolsetName,
)
export const lockHash = stringMatching("a lock's hash: 'sha256:' and 64 hex digits", isLockHash)

/** Apart from the readers of toolsets, which calls do not need. */
export function isToolsetName(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,62}$/.test(text)
}

export function isLockHash(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text)
}

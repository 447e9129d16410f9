import { fnv1a, MAX_NAME, withSuffix } from './tool-id.ts'

/** `unique-tool-id` is `unique_tool_id`, `ünïcode` is `unicode`; other scripts are told apart by a hash. */
export function sanitizedName(text: string): string {
  if (/^[A-Za-z0-9_]{1,64}$/.test(text)) return text
  const latin = text.normalize('NFKD').replaceAll(/\p{Mn}/gu, '')
  const name = latin.replaceAll(/[^A-Za-z0-9_]+/g, '_').replaceAll(/^_+|_+$/g, '')
  if (name === '') return `tool_${fnv1a(text)}`
  const isWhole = !/[\p{L}\p{N}]/u.test(latin.replaceAll(/[A-Za-z0-9]/g, ''))
  return isWhole && name.length <= MAX_NAME ? name : withSuffix(name, text)
}

export function sanitizedNames(texts: readonly string[]): ReadonlyMap<string, string> {
  const made = new Map<string, string>()
  const taken = new Set<string>()
  const rank = (text: string) => Number(sanitizedName(text) !== text)
  const inTurn = [...new Set(texts)].sort((a, b) => rank(a) - rank(b) || (a < b ? 1 : -1))
  for (const text of inTurn) {
    const own = sanitizedName(text)
    const name = taken.has(own.toLowerCase()) ? withSuffix(own, text) : own
    taken.add(name.toLowerCase())
    made.set(text, name)
  }
  return made
}

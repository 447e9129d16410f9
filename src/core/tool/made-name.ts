import { fnv1a, MAX_NAME, withSuffix } from './name-suffix.ts'

/**
 * What a toolkit or a tool is called here whose document calls it something else: of the characters `[A-Za-z0-9_]`, at most
 * 64 of them, and always the same for the same text. `unique-tool-id` is `unique_tool_id`, and `ünïcode` is `unicode`; what
 * other scripts say is told apart by a hash.
 */
export function madeName(text: string): string {
  if (/^[A-Za-z0-9_]{1,64}$/.test(text)) return text
  const latin = text.normalize('NFKD').replaceAll(/\p{Mn}/gu, '')
  const name = latin.replaceAll(/[^A-Za-z0-9_]+/g, '_').replaceAll(/^_+|_+$/g, '')
  if (name === '') return `tool_${fnv1a(text)}`
  const isWhole = !/[\p{L}\p{N}]/u.test(latin.replaceAll(/[A-Za-z0-9]/g, ''))
  return isWhole && name.length <= MAX_NAME ? name : withSuffix(name, text)
}

/** The names of several texts in one place, none of them twice, ignoring case; they do not depend on the texts' order. */
export function madeNames(texts: readonly string[]): ReadonlyMap<string, string> {
  const made = new Map<string, string>()
  const taken = new Set<string>()
  // What is a name already has it before what would be made it, and lower case before upper
  const rank = (text: string) => Number(madeName(text) !== text)
  const inTurn = [...new Set(texts)].sort((a, b) => rank(a) - rank(b) || (a < b ? 1 : -1))
  for (const text of inTurn) {
    const own = madeName(text)
    const name = taken.has(own.toLowerCase()) ? withSuffix(own, text) : own
    taken.add(name.toLowerCase())
    made.set(text, name)
  }
  return made
}

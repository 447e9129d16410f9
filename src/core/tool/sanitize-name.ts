import { type Reader, into, text, unique } from './json-reader.ts'
import { fnv1a, isNamePart, isOwnName, MAX_NAME, MAX_OWN_NAME, withSuffix } from './tool-id.ts'
import { trim } from './trim.ts'

export const OWN_NAME = text(`1 to ${MAX_OWN_NAME} characters that can be seen`, isOwnName)

export const PUBLISHED_NAME = /^[A-Za-z0-9_.-]{1,128}$/

/** The tool that is meant by the name that an MCP server or a plugin gave it. */
export function plainName(published: string): string {
  if (!PUBLISHED_NAME.test(published)) return sanitizedName(published)
  const plain = published.replaceAll('.', '_')
  return isNamePart(plain) ? plain : withSuffix(plain, published)
}

/** Reads the names of one document's tools; a name that no model could call is kept as the title. */
export function toolNames(): Reader<{ readonly tool: string; readonly title?: string }> {
  const taken = new Set<string>()
  return into(unique(OWN_NAME, true), (theirs, { warnings }) => {
    const plain = plainName(theirs)
    const tool = taken.has(plain.toLowerCase()) ? withSuffix(plain, theirs) : plain
    taken.add(theirs.toLowerCase()).add(tool.toLowerCase())
    if (tool !== theirs) warnings.push({ path: '', message: `It is called '${tool}' here` })
    return PUBLISHED_NAME.test(theirs) ? { tool } : { tool, title: theirs }
  })
}

/** `unique-tool-id` is `unique_tool_id`, `ünïcode` is `unicode`; other scripts are told apart by a hash. */
export function sanitizedName(text: string): string {
  if (/^[A-Za-z0-9_]{1,64}$/.test(text)) return text
  const latin = text.normalize('NFKD').replaceAll(/\p{Mn}/gu, '')
  const name = trim(latin.replaceAll(/[^A-Za-z0-9_]+/g, '_'), '_')
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

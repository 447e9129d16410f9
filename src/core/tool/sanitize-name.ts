import { type Reader, transform, stringMatching, unique } from './json-reader.ts'
import { fnv1a, isNamePart, isOwnName, MAX_NAME, MAX_OWN_NAME, appendHash } from './tool-id.ts'
import { trim } from './trim.ts'

export const SOURCE_NAME = stringMatching(`1 to ${MAX_OWN_NAME} characters that can be seen`, isOwnName)

export const PUBLISHED_NAME = /^[A-Za-z0-9_.-]{1,128}$/

/** Converts a name from an MCP server or a plugin to the tool's name here. */
export function toToolName(remoteName: string): string {
  if (!PUBLISHED_NAME.test(remoteName)) return sanitizeName(remoteName)
  const toolName = remoteName.replaceAll('.', '_')
  return isNamePart(toolName) ? toolName : appendHash(toolName, remoteName)
}

/** Reads the names of one document's tools. A name that models cannot call becomes the title. */
export function createToolNameReader(): Reader<{ readonly tool: string; readonly title?: string }> {
  const usedNames = new Set<string>()
  return transform(unique(SOURCE_NAME, true), (remoteName, { warnings }) => {
    const toolName = toToolName(remoteName)
    const tool = usedNames.has(toolName.toLowerCase()) ? appendHash(toolName, remoteName) : toolName
    usedNames.add(remoteName.toLowerCase()).add(tool.toLowerCase())
    if (tool !== remoteName) warnings.push({ path: '', message: `It is called '${tool}' here` })
    return PUBLISHED_NAME.test(remoteName) ? { tool } : { tool, title: remoteName }
  })
}

/** Converts `unique-tool-id` to `unique_tool_id` and `ünïcode` to `unicode`. Names in other scripts get a hash. */
export function sanitizeName(text: string): string {
  if (/^[A-Za-z0-9_]{1,64}$/.test(text)) return text
  const latin = text.normalize('NFKD').replaceAll(/\p{Mn}/gu, '')
  // Splits at single characters: V8 can run out of stack if one match of `+` is megabytes long
  const name = trim(
    latin
      .split(/[^A-Za-z0-9_]/)
      .filter(Boolean)
      .join('_'),
    '_',
  )
  if (name === '') return `tool_${fnv1a(text)}`
  const isComplete = !/[\p{L}\p{N}]/u.test(latin.replaceAll(/[A-Za-z0-9]/g, ''))
  return isComplete && name.length <= MAX_NAME ? name : appendHash(name, text)
}

export function sanitizeNames(texts: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const usedNames = new Set<string>()
  const rank = (text: string) => Number(sanitizeName(text) !== text)
  const ordered = [...new Set(texts)].sort((a, b) => rank(a) - rank(b) || (a < b ? 1 : -1))
  for (const text of ordered) {
    const sanitized = sanitizeName(text)
    const name = usedNames.has(sanitized.toLowerCase()) ? appendHash(sanitized, text) : sanitized
    usedNames.add(name.toLowerCase())
    names.set(text, name)
  }
  return names
}

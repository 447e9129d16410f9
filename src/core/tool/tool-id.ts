import { stringMatching } from './json-reader.ts'

export interface ToolName {
  readonly toolkit: string
  readonly tool: string
}

export interface ToolIdRef extends ToolName {
  readonly range?: string
}

const ID = /^([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{1,64})(?:@([\x20-\x7e]{1,128}))?$/
/** At most 15 digits, which a number holds exactly. */
const NUMBER = '(?:0|[1-9]\\d{0,14})'
const IDENTIFIER = `(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)`
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${IDENTIFIER}(?:\\.${IDENTIFIER})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
)
const MAX_VERSION = 64

export function isNamePart(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text)
}

/** Semantic Versioning 2.0.0: `1.2.3`, `1.2.3-beta.1` or `1.2.3+build.5`. */
export function isVersion(text: string): boolean {
  return text.length <= MAX_VERSION && VERSION.test(text)
}

/** `x.y.z`, "where x, y, and z are integers" (OXP 1.0, "Metadata"). */
export function isSimpleVersion(version: string): boolean {
  return /^(?:0|[1-9]\d{0,14})(?:\.(?:0|[1-9]\d{0,14})){2}$/.test(version)
}

/** Reads `Toolkit.Name`, `Toolkit.Name@1.2.3` or `Toolkit.Name@<range>`; undefined for anything else. */
export function parseToolId(text: string): ToolIdRef | undefined {
  const match = ID.exec(text)
  if (!match) return undefined
  const [, toolkit = '', tool = '', range] = match
  return range === undefined ? { toolkit, tool } : { toolkit, tool, range }
}

export const MAX_OWN_NAME = 160

/** Checks a dialect's own name for something, which need not be valid in an id. */
export function isOwnName(name: string): boolean {
  return name.length <= MAX_OWN_NAME && /^[^\p{Cc}]+$/u.test(name)
}

export function formatToolId(name: ToolName, version?: string): string {
  const base = `${name.toolkit}.${name.tool}`
  return version === undefined ? base : `${base}@${version}`
}

/** Returns the id in lower case, because ids are unique ignoring case. */
export function toolKey(name: ToolName): string {
  return formatToolId(name).toLowerCase()
}

export function isToolPattern(text: string): boolean {
  return text === '*' || /^[A-Za-z0-9_*-]{1,64}\.[A-Za-z0-9_*-]{1,64}$/.test(text)
}

export const toolPattern = stringMatching("a tool pattern such as '*', 'Gmail.*' or 'Gmail.GetEmails'", isToolPattern)

export function matchesTool(pattern: string, name: ToolName): boolean {
  return pattern === '*' || matchesPattern(pattern, formatToolId(name))
}

/** `*` matches any run of characters. Case is ignored. A `-` in a pattern also matches `_`, which replaces it in names. */
export function matchesPattern(pattern: string, text: string): boolean {
  const [one, other] = [pattern.toLowerCase(), text.toLowerCase()]
  return pattern.includes('-') ? compilePattern(foldDashes(one))(foldDashes(other)) : compilePattern(one)(other)
}

/** Takes pattern and text in lower case, with `_` for dashes if these count as `_`. */
export function compilePattern(pattern: string): (text: string) => boolean {
  const [begin = '', ...others] = pattern.split('*')
  const end = others.pop()
  if (end === undefined) return (text) => text === begin
  return (text) => {
    let at = begin.length
    for (const part of others) {
      const index = text.indexOf(part, at)
      if (index === -1) return false
      at = index + part.length
    }
    return text.startsWith(begin) && text.endsWith(end) && at + end.length <= text.length
  }
}

export function foldDashes(text: string): string {
  return text.replaceAll('-', '_')
}

export const MAX_NAME = 64

export function toDerivedName({ toolkit, tool }: ToolName): string {
  const whole = `${toolkit}_${tool}`
  return whole.length <= MAX_NAME ? whole : appendHash(whole, whole)
}

export function appendHash(name: string, of: string): string {
  const suffix = `_${fnv1a(of)}`
  return name.slice(0, MAX_NAME - suffix.length) + suffix
}

/** FNV-1a, 32 bits, as eight hex digits. Not for secrets. */
export function fnv1a(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

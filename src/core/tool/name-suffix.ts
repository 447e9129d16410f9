import { isNamePart, type ToolName } from './tool-id.ts'

/** FNV-1a, 32 bits, as eight hex digits. Not for secrets. */
export function fnv1a(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

/** The most characters that model providers accept in a name. */
export const MAX_NAME = 64

export function joinedName({ toolkit, tool }: ToolName): string {
  const whole = `${toolkit}_${tool}`
  return whole.length <= MAX_NAME ? whole : withSuffix(whole, whole)
}

/** A tool's name in its document, where characters and length may differ from names here. */
export const PUBLISHED_NAME = /^[A-Za-z0-9_.-]{1,128}$/

/** Dots become underscores, and a name that is too long gets a suffix. */
export function plainName(published: string): string {
  const plain = published.replaceAll('.', '_')
  return isNamePart(plain) ? plain : withSuffix(plain, published)
}

/** Always the same suffix for the same `of`; the name is cut where it is too long. */
export function withSuffix(name: string, of: string): string {
  const suffix = `_${fnv1a(of)}`
  return name.slice(0, MAX_NAME - suffix.length) + suffix
}

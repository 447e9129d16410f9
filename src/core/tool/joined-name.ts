import { isNamePart, type ToolName } from './tool-id.ts'

/** FNV-1a, 32 bits, as eight hex digits. Not for secrets. */
export function fnv1a(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

export const MAX_NAME = 64

export function joinedName({ toolkit, tool }: ToolName): string {
  const whole = `${toolkit}_${tool}`
  return whole.length <= MAX_NAME ? whole : withSuffix(whole, whole)
}

export const PUBLISHED_NAME = /^[A-Za-z0-9_.-]{1,128}$/

export function plainName(published: string): string {
  const plain = published.replaceAll('.', '_')
  return isNamePart(plain) ? plain : withSuffix(plain, published)
}

export function withSuffix(name: string, of: string): string {
  const suffix = `_${fnv1a(of)}`
  return name.slice(0, MAX_NAME - suffix.length) + suffix
}

import { isNamePart, type ToolName } from './tool-id.ts'

/** FNV-1a, 32 bits, as eight hex digits: for names that are told apart, not for anything that is secret. */
export function fnv1a(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

/** The most characters that a name may have for models to take it. */
export const MAX_NAME = 64

/** What models see of a tool whose document does not say it: `Toolkit_Tool`, with a suffix in place of what is too long. */
export function joinedName({ toolkit, tool }: ToolName): string {
  const whole = `${toolkit}_${tool}`
  return whole.length <= MAX_NAME ? whole : withSuffix(whole, whole)
}

/** What a document calls a tool, where that has characters or a length that names here have not. */
export const PUBLISHED_NAME = /^[A-Za-z0-9_.-]{1,128}$/

/** The name a tool has here by what its document calls it: dots become underscores, and one too long gets a suffix. */
export function plainName(published: string): string {
  const plain = published.replaceAll('.', '_')
  return isNamePart(plain) ? plain : withSuffix(plain, published)
}

/** A name with a suffix that tells it apart and is always the same for the same `of`, cut where it is too long. */
export function withSuffix(name: string, of: string): string {
  const suffix = `_${fnv1a(of)}`
  return name.slice(0, MAX_NAME - suffix.length) + suffix
}

import { isObject } from './json.ts'

const REDACTED = '[redacted]'

/** Below this length a secret is too likely to be part of ordinary text; it is redacted only where it stands alone. */
const MIN_INNER_LENGTH = 4

/** Replaces secrets wherever they stand. */
export interface Redactor {
  text(text: string): string
  /** A copy of a JSON value with every text, number and property name redacted; the value itself when nothing was. */
  value<T>(value: T): T | unknown
}

/**
 * Makes a redactor of these secrets: as they are, and as they look percent-encoded, JSON-escaped, and in Base64 (for
 * which the platform's encoder is handed in, since core has none).
 */
export function createRedactor(secrets: readonly string[], base64: (text: string) => string): Redactor | undefined {
  const whole = new Set(secrets.filter((secret) => secret.length > 0))
  if (whole.size === 0) return undefined
  const inner = new Set<string>()
  for (const secret of whole) {
    if (secret.length < MIN_INNER_LENGTH) continue
    for (const spelling of [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)]) {
      inner.add(spelling)
    }
    inner.add(base64(secret).replace(/=+$/, ''))
  }
  // Longest first, so that a secret that holds another is replaced as a whole
  const spellings = [...inner].sort((a, b) => b.length - a.length)

  function text(original: string): string {
    if (whole.has(original)) return REDACTED
    let result = original
    for (const spelling of spellings) {
      if (result.includes(spelling)) result = result.replaceAll(spelling, REDACTED)
    }
    return result
  }

  function value(original: unknown): unknown {
    if (typeof original === 'string') return text(original)
    if (typeof original === 'number') return whole.has(String(original)) ? REDACTED : original
    if (Array.isArray(original)) {
      const copy = original.map(value)
      return copy.some((each, index) => each !== original[index]) ? copy : original
    }
    if (!isObject(original)) return original
    const entries = Object.entries(original)
    const copy = entries.map(([key, each]): [string, unknown] => [text(key), value(each)])
    const changed = copy.some(([key, each], index) => key !== entries[index]?.[0] || each !== entries[index]?.[1])
    return changed ? Object.fromEntries(copy) : original
  }

  return { text, value }
}

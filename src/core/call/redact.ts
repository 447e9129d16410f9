import { isObject } from '../tool/json.ts'

const REDACTED = '[redacted]'

/** Below this length a secret is too likely to be part of ordinary text; it is redacted only where it stands alone. */
const MIN_INNER_LENGTH = 4
/** One secret may hold several, as `<account>:<token>:<sender>` does. A part this long is no ordinary word. */
const MIN_PART_LENGTH = 16
const MAX_PARTS = 32

/** Replaces secrets wherever they stand. */
export interface Redactor {
  text(text: string): string
  /** A copy of a JSON value with every text, number and property name redacted; the value itself when nothing was. */
  value<T>(value: T): T
}

/**
 * Makes a redactor of these secrets, and of the long parts of which they consist: as they are, and as they look
 * percent-encoded, JSON-escaped, and in Base64, also in the midst of something encoded as a whole, such as the
 * `user:password` of Basic authentication. The platform's Base64 encoder is handed in, since core has none.
 */
export function createRedactor(secrets: readonly string[], base64: (text: string) => string): Redactor | undefined {
  const whole = new Set(secrets.filter((secret) => secret.length > 0))
  if (whole.size === 0) return undefined
  const inner = new Set<string>()
  for (const secret of whole) {
    for (const text of [secret, ...partsOf(secret)]) {
      for (const spelling of spellingsOf(text, base64)) if (spelling.length >= MIN_INNER_LENGTH) inner.add(spelling)
    }
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

  function value<T>(original: T): T
  function value(original: unknown): unknown {
    if (typeof original === 'string') return text(original)
    if (typeof original === 'number') return whole.has(String(original)) ? REDACTED : original
    if (Array.isArray(original)) {
      const copy = original.map((each: unknown) => value(each))
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

function partsOf(secret: string): readonly string[] {
  return secret
    .split(/[:;,&\s"]+/)
    .filter((part) => part.length >= MIN_PART_LENGTH)
    .slice(0, MAX_PARTS)
}

function* spellingsOf(secret: string, base64: (text: string) => string): Iterable<string> {
  if (secret.length < MIN_INNER_LENGTH) return
  const escaped = JSON.stringify(secret).slice(1, -1)
  const percent = encodeURIComponent(secret.toWellFormed())
  const form = percent.replaceAll('%20', '+').replaceAll(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  yield* [secret, escaped, escaped.replaceAll('/', '\\/')]
  for (const each of [percent, form]) {
    yield* [
      each,
      each.replaceAll(/%../g, (code) => code.toUpperCase()),
      each.replaceAll(/%../g, (code) => code.toLowerCase()),
    ]
  }
  for (const each of encodedAmid(secret, base64)) {
    yield* [each, each.replaceAll('+', '-').replaceAll('/', '_')]
  }
}

/**
 * What a text gives in Base64 wherever it stands in what is encoded: three bytes make four characters, so there are
 * three ways, and the characters at its two ends that also hold bits of its neighbours are left out.
 */
function* encodedAmid(text: string, base64: (text: string) => string): Iterable<string> {
  yield base64(text).replace(/=+$/, '')
  for (const before of [0, 1, 2]) {
    const encoded = base64('x'.repeat(before) + text)
    yield encoded.slice(before === 0 ? 0 : before + 1).replace(/.=+$/, '')
  }
}

/**
 * Integers that a double would change (RFC 8259, section 6) are bigints, which `JSON.stringify` writes digit for digit
 * once this is imported. None is read from a number with a fraction or an exponent, which says how exact it is.
 */
declare global {
  interface BigInt {
    toJSON(): unknown
  }
  interface JSON {
    rawJSON(text: string): unknown
    isRawJSON(value: unknown): boolean
  }
}

// Not in Node.js 20, where the command line may run
if ('rawJSON' in JSON) {
  BigInt.prototype.toJSON = function (this: bigint) {
    return JSON.rawJSON(this.toString())
  }
}

/** 2^53, the least integer that a double may change, has so many digits. */
export const MIN_DIGITS = 16

/** The text as a bigint, if its nearest double would be written differently. */
export function bigInteger(text: string): bigint | undefined {
  if (text.length < MIN_DIGITS || !/^-?\d+$/.test(text)) return undefined
  const double = Number(text)
  return Number.isFinite(double) && String(double) !== text ? BigInt(text) : undefined
}

/** Puts integers in place of the texts of them behind a tag, which nobody else knows. Does not recurse, however deep the value is. */
export function restoreIntegers<T>(value: T, tag: string): T {
  const root = { value }
  const waiting: object[] = [root]
  for (let object = waiting.pop(); object; object = waiting.pop()) {
    for (const key of Object.keys(object)) {
      const item: unknown = Reflect.get(object, key)
      if (typeof item === 'object' && item !== null) waiting.push(item)
      else if (typeof item === 'string' && item.startsWith(tag))
        Reflect.set(object, key, bigInteger(item.slice(tag.length)))
    }
  }
  return root.value
}

/** Where in a value of JSON its first big integer stands, as a JSON Pointer's steps. */
export function findBigInteger(value: unknown): readonly string[] | undefined {
  if (typeof value === 'bigint') return []
  if (typeof value !== 'object') return undefined
  for (const key in value) {
    const steps = findBigInteger(Reflect.get(value, key))
    if (steps) return [key, ...steps]
  }
  return undefined
}

/** For runtimes whose numbers are doubles: each big integer becomes a text of its digits. */
export function withIntegersAsText(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withIntegersAsText)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withIntegersAsText(item)]))
}

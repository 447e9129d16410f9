/**
 * Integers that a double would change (RFC 8259, section 6) are bigints, which `JSON.stringify` writes digit for digit
 * once this file is imported. Numbers with a fraction or an exponent stay doubles, because these state the precision.
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

/** The number of digits of 2^53, the smallest integer that a double may change. */
export const MIN_DIGITS = 16

/** Returns the text as a bigint if the nearest double would be written differently. */
export function bigInteger(text: string): bigint | undefined {
  if (text.length < MIN_DIGITS || !/^-?\d+$/.test(text)) return undefined
  const double = Number(text)
  return Number.isFinite(double) && String(double) !== text ? BigInt(text) : undefined
}

/** Replaces texts that begin with a secret tag by the integers after it. Does not recurse, so the value may be deep. */
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

/** Finds the first big integer in a JSON value, as the steps of a JSON Pointer. */
export function findBigInteger(value: unknown): readonly string[] | undefined {
  if (typeof value === 'bigint') return []
  if (typeof value !== 'object') return undefined
  for (const key in value) {
    const steps = findBigInteger(Reflect.get(value, key))
    if (steps) return [key, ...steps]
  }
  return undefined
}

/** Converts big integers to strings of digits, for runtimes whose numbers are doubles. */
export function withIntegersAsText(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withIntegersAsText)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withIntegersAsText(item)]))
}

import { type Budget, chargeValue } from '../tool/budget.ts'
import { isInteger, isNumber, isObject, getJsonType } from '../tool/json.ts'

type Assertion = (value: unknown, budget: Budget) => boolean

const COUNTED_PER_UNIT = 1_000
const DIVISION = 5

/** JSON Schema 2020-12 Validation section 6, except `pattern` and `required`, for well-formed values of keywords. */
export const ASSERTIONS: ReadonlyMap<string, (operand: unknown) => Assertion> = new Map([
  ['type', (operand) => typeAssertion(Array.isArray(operand) ? operand : [operand])],
  ['enum', (operand) => createEnumAssertion(Array.isArray(operand) ? operand : [])],
  ['const', (operand) => createEnumAssertion([operand])],
  [
    'uniqueItems',
    (operand) => (value, budget) => operand !== true || !Array.isArray(value) || areUnique(value, budget),
  ],
  ['multipleOf', sizeAssertion(toDividend, isMultipleOf)],
  ['minimum', sizeAssertion(toNumber, (value, limit) => value >= limit)],
  ['maximum', sizeAssertion(toNumber, (value, limit) => value <= limit)],
  ['exclusiveMinimum', sizeAssertion(toNumber, (value, limit) => value > limit)],
  ['exclusiveMaximum', sizeAssertion(toNumber, (value, limit) => value < limit)],
  ['minLength', sizeAssertion(countCharacters, (length, limit) => length >= limit)],
  ['maxLength', sizeAssertion(countCharacters, (length, limit) => length <= limit)],
  ['minItems', sizeAssertion(countItems, (length, limit) => length >= limit)],
  ['maxItems', sizeAssertion(countItems, (length, limit) => length <= limit)],
  ['minProperties', sizeAssertion(countProperties, (length, limit) => length >= limit)],
  ['maxProperties', sizeAssertion(countProperties, (length, limit) => length <= limit)],
])

function typeAssertion(types: readonly unknown[]): Assertion {
  return (value) => types.some((type) => (type === 'integer' ? isInteger(value) : type === getJsonType(value)))
}

function createEnumAssertion(values: readonly unknown[]): Assertion {
  const scalars = new Set(values.filter((item) => !isComposite(item)))
  const composites = new Set(values.filter(isComposite).map(comparable))
  return (value, budget) => {
    if (!isComposite(value)) return scalars.has(value)
    if (composites.size === 0) return false
    chargeValue(value, budget)
    return composites.has(comparable(value))
  }
}

function areUnique(items: readonly unknown[], budget: Budget): boolean {
  chargeValue(items, budget)
  budget.spend((items.length * Math.log2(items.length + 1)) / 16)
  // Sorted, because a map of long texts with the same beginning can take quadratic time
  const texts = items.map(comparable).toSorted()
  return texts.every((text, at) => at === 0 || text !== texts[at - 1])
}

function isComposite(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

export function areEqual(one: unknown, other: unknown): boolean {
  return comparable(one) === comparable(other)
}

function comparable(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    isObject(item) && !JSON.isRawJSON(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}

function sizeAssertion(
  measureSize: (value: unknown, budget: Budget) => number | bigint | undefined,
  holds: (size: number | bigint, operand: number | bigint) => boolean,
): (operand: unknown) => Assertion {
  return (operand) => (value, budget) => {
    const measured = measureSize(value, budget)
    return measured === undefined || holds(measured, typeof operand === 'bigint' ? operand : Number(operand))
  }
}

function toNumber(value: unknown): number | bigint | undefined {
  return isNumber(value) ? value : undefined
}

function toDividend(value: unknown, budget: Budget): number | bigint | undefined {
  const dividend = toNumber(value)
  if (dividend !== undefined) budget.spend(DIVISION)
  return dividend
}

function countCharacters(value: unknown, budget: Budget): number | undefined {
  if (typeof value !== 'string') return undefined
  budget.spend(value.length / COUNTED_PER_UNIT)
  let pairs = 0
  for (let at = 0; at < value.length; at++) {
    if ((value.codePointAt(at) ?? 0) <= 0xffff) continue
    pairs++
    at++
  }
  return value.length - pairs
}

function countItems(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined
}

function countProperties(value: unknown, budget: Budget): number | undefined {
  if (!isObject(value)) return undefined
  const { length } = Object.keys(value)
  budget.spend(length / 16)
  return length
}

/** Divides decimals, because 0.3 / 0.1 is not an integer in floating point. */
function isMultipleOf(value: number | bigint, divisor: number | bigint): boolean {
  if (typeof value === 'number' && !Number.isFinite(value)) return false
  const [dividend, divisorDecimal] = [toDecimal(value), toDecimal(divisor)]
  const exponent = Math.min(dividend.exponent, divisorDecimal.exponent)
  const scaled = ({ digits, exponent: ownExponent }: typeof dividend) => digits * 10n ** BigInt(ownExponent - exponent)
  return scaled(dividend) % scaled(divisorDecimal) === 0n
}

function toDecimal(value: number | bigint): { readonly digits: bigint; readonly exponent: number } {
  const [coefficient = '', exponent = '0'] = String(value).split('e')
  const [whole = '', fraction = ''] = coefficient.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

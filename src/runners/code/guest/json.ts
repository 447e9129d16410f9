/** Runs inside the sandbox: writes a module's value as JSON, or throws an Error that names the value that JSON lacks. */
export function toJson(value: unknown): string {
  const text = isPlain(value, MAX_LEVELS) ? stringify(value) : stringify(value, refuseUnsayable)
  return text ?? 'null'
}

const MAX_LEVELS = 500

// Saved before the published module is loaded, because it may replace them
const { stringify, rawJSON } = JSON
const { isArray } = Array
const { getPrototypeOf, prototype } = Object
const { get } = Reflect

/** Checks a value in a fifth of the time that `stringify` takes with a replacer. */
function isPlain(value: unknown, levels: number): boolean {
  if (typeof value === 'number') return value - value === 0
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean' || value === undefined
  if (value === null) return true
  if (levels === 0) return false
  if (isArray(value)) {
    for (const each of value) if (!isPlain(each, levels - 1)) return false
    return true
  }
  if (getPrototypeOf(value) !== prototype) return false
  for (const key in value) if (!isPlain(get(value, key), levels - 1)) return false
  return true
}

function refuseUnsayable(this: unknown, key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return rawJSON(`${value}`)
  const what = unsayable(value)
  if (what === undefined) return value
  const where = key === '' ? 'What the tool returned' : `The '${key}' that the tool returned`
  throw new Error(`${where} is ${what}, which JSON does not have`)
}

function unsayable(value: unknown): string | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      return `a ${typeof value}`
    case 'number':
      return Number.isFinite(value) ? undefined : `the number ${value}`
    case 'object': {
      // Most are lists, for which the checks below take longer
      if (value === null || isArray(value)) return undefined
      const kind = UNSAYABLE.find((each) => value instanceof each)
      return kind && `a ${kind.name}`
    }
    default:
      return undefined
  }
}

const UNSAYABLE = [Map, Set, ArrayBuffer, Promise, Response, Request, ReadableStream]

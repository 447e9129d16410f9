/** Runs inside the sandbox: writes a module's value as JSON, or throws a TypeError that names what JSON lacks. */
export function toJson(value: unknown): string {
  const text = stringify(value, refuseUnsayable)
  return text ?? 'null'
}

// Kept from before the published module was loaded, which may replace it
const { stringify } = JSON
const { isArray } = Array

function refuseUnsayable(this: unknown, key: string, value: unknown): unknown {
  const what = unsayable(value)
  if (what === undefined) return value
  const where = key === '' ? 'What the tool returned' : `The '${key}' that the tool returned`
  throw new TypeError(`${where} is ${what}, which JSON does not have`)
}

function unsayable(value: unknown): string | undefined {
  switch (typeof value) {
    case 'function':
    case 'symbol':
    case 'bigint':
      return `a ${typeof value}`
    case 'number':
      return Number.isFinite(value) ? undefined : `the number ${value}`
    case 'object': {
      // Most are lists, which take longer to be told from the others
      if (value === null || isArray(value)) return undefined
      const kind = UNSAYABLE.find((each) => value instanceof each)
      return kind && `a ${kind.name}`
    }
    default:
      return undefined
  }
}

const UNSAYABLE = [Map, Set, ArrayBuffer, Promise, Response, Request, ReadableStream]

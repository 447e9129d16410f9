/** Runs inside the sandbox: writes a module's value as JSON, or throws a TypeError that names what JSON lacks. */
export function toJson(value: unknown): string {
  const text = stringify(value, refuseUnsayable)
  return text ?? 'null'
}

// Kept from before the published module was loaded, which may replace it
const { stringify } = JSON

function refuseUnsayable(this: unknown, key: string, value: unknown): unknown {
  const where = key === '' ? 'What the tool returned' : `The '${key}' that the tool returned`
  switch (typeof value) {
    case 'function':
    case 'symbol':
    case 'bigint':
      throw new TypeError(`${where} is a ${typeof value}, which JSON does not have`)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${where} is the number ${value}, which JSON does not have`)
      return value
    case 'object': {
      const kind = UNSAYABLE.find((each) => value instanceof each)
      if (kind) throw new TypeError(`${where} is a ${kind.name}, which JSON does not have`)
      return value
    }
    default:
      return value
  }
}

const UNSAYABLE = [Map, Set, ArrayBuffer, Promise, Response, Request, ReadableStream]

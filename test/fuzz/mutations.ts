import fc from 'fast-check'
import { isObject, type Json } from '../../src/core/tool/json.ts'

/** A change: where, how and with what, each modulo the number of choices, so that shrinking keeps it valid. */
type Edit = readonly [where: number, how: number, what: number]

const edits = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { maxLength: 4 })

const LONG = 'x'.repeat(20_000)
/** Texts from an attacker or a broken program. */
const ODD_TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\udc00\ud800',
  '\u202e\u200b\ufeff',
  'Ａ\u0301👩‍👩‍👧‍👦',
  '__proto__',
  'constructor',
  'toString',
  '$ref',
  '#/',
  '#/$defs/a~2',
  '../../..',
  'http://127.0.0.1/',
  'https://user:password@[::1]:99999/?#',
  '{a}{+b*}{',
  '(a+)+$',
  '[',
  'Kit.Tool@^1',
  '1.0.0-beta.1+build',
  '99999999999999999999',
  '2030-02-30T25:00:00Z',
  "' OR 1=1 --",
  '*',
  'x'.repeat(257),
  LONG,
] as const
const ODD_NUMBERS = [0, -0, -1, 0.1, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53) - 2] as const
const DEEP = Array.from({ length: 130 }).reduce<Json>((inner, _, level) => (level % 2 ? [inner] : { a: inner }), {})
const ODD: readonly Json[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  { '': '' },
  ['a', 'a'],
  { $ref: '#' },
  { $ref: '#/$defs/missing' },
  { type: 'object' },
  DEEP,
  Array.from({ length: 500 }, (_, index) => index),
  Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, index])),
  ...ODD_TEXTS,
  ...ODD_NUMBERS,
]
const NOTHING: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 4, stringUnit: 'binary' })
  .map((value): Json => JSON.parse(JSON.stringify(value)))

/** Generates an example with up to four changes, some without effect; now and then an arbitrary value. */
export function values(examples: readonly Json[]): fc.Arbitrary<Json> {
  const changed = fc.tuple(fc.nat(examples.length - 1), edits).map(([index, all]) => {
    const root = { value: copyOf(examples[index] ?? null) }
    for (const edit of all) change(root, edit)
    return root.value ?? null
  })
  return fc.oneof({ weight: 9, arbitrary: changed }, { weight: 1, arbitrary: NOTHING })
}

/** Generates one of the texts with up to four changes; now and then an arbitrary text. */
export function texts(examples: readonly string[]): fc.Arbitrary<string> {
  const changed = fc
    .tuple(fc.nat(examples.length - 1), edits)
    .map(([index, all]) => all.reduce(changeText, examples[index] ?? ''))
  return fc.oneof(
    { weight: 9, arbitrary: changed },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  )
}

/** Generates one of the byte strings with up to four changes; now and then arbitrary bytes. */
export function bytes(examples: readonly Uint8Array[]): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const changed = fc
    .tuple(fc.nat(examples.length - 1), edits)
    .map(([index, all]) => Uint8Array.from(all.reduce(changeBytes, [...(examples[index] ?? [])])))
  const made = fc.uint8Array({ maxLength: 200 }).map((each) => Uint8Array.from(each))
  return fc.oneof({ weight: 9, arbitrary: changed }, { weight: 1, arbitrary: made })
}

type Holder = Json[] | Record<string, Json>
interface Place {
  readonly holder: Holder
  readonly key: string
}

function change(root: { value: Json }, [where, how, what]: Edit): void {
  const all = placesIn(root)
  const { holder, key } = pick(all, where)
  const value = valueAt(holder, key)
  const odd = () => copyOf(pick(ODD, what))
  const other = () => valueAt(pick(all, what).holder, pick(all, what).key)
  switch (how % 11) {
    case 0:
      return remove(holder, key)
    case 1:
    case 2:
      return put(holder, key, odd())
    case 3: {
      remove(holder, key)
      return put(holder, pick(ODD_TEXTS, what), value)
    }
    case 4:
      return put(holder, key, pick([[value], { value }, { [key]: value }, JSON.stringify(value), [value, value]], what))
    case 5:
      return put(holder, key, copyOf(other()))
    case 6:
      return put(isObject(value) || Array.isArray(value) ? (value as Holder) : holder, pick(ODD_TEXTS, what), odd())
    case 7:
      return put(holder, key, typeof value === 'number' ? pick(ODD_NUMBERS, what) : grown(value, what))
    case 8:
      return put(holder, key, typeof value === 'string' ? changeText(value, [what, how >> 4, where]) : odd())
    case 9:
      return put(holder, `${key}2`, copyOf(value))
    default:
      return put(holder, key, isObject(value) ? copyOf({ ...value, ...Object(other()) }) : odd())
  }
}

/** Makes a value longer by repeating its parts. */
function grown(value: Json, what: number): Json {
  if (typeof value === 'string') return value.repeat(1 + (what % 200)).slice(0, 50_000)
  if (Array.isArray(value))
    return Array.from({ length: 1 + (what % 50) }, () => value)
      .flat()
      .slice(0, 300)
  return [value, value]
}

function changeText(text: string, [where, how, what]: Edit): string {
  const at = where % (text.length + 1)
  const length = what % 12
  const rest = text.slice(at + length)
  switch (how % 7) {
    case 0:
      return text.slice(0, at) + rest
    case 1:
      return text.slice(0, at) + pick(ODD_TEXTS, what) + text.slice(at)
    case 2:
      return text.slice(0, at) + String.fromCharCode(what % 0x10000) + rest
    case 3:
      return text.slice(0, at) + String.fromCharCode(0x20 + (what % 0x5f)) + text.slice(at + 1)
    case 4:
      return text.slice(0, at)
    case 5:
      return text.slice(0, at) + text.slice(at, at + length).repeat(3) + text.slice(at)
    default:
      return rest + text.slice(0, at)
  }
}

function changeBytes(all: number[], [where, how, what]: Edit): number[] {
  const at = where % (all.length + 1)
  const byte = what % 256
  switch (how % 6) {
    case 0:
      return [...all.slice(0, at), byte, ...all.slice(at + 1)]
    case 1:
      return [...all.slice(0, at), byte, ...all.slice(at)]
    case 2:
      return [...all.slice(0, at), ...all.slice(at + 1 + (what % 9))]
    case 3:
      return all.slice(0, at)
    case 4:
      // The longest LEB128 numbers, the encoding of lengths and counts
      return [...all.slice(0, at), 0xff, 0xff, 0xff, 0xff, what % 16, ...all.slice(at + 1)]
    default:
      return [...all.slice(0, at), ...all.slice(at, at + (what % 40)), ...all.slice(at)]
  }
}

function placesIn(root: { value: Json }): readonly Place[] {
  const places: Place[] = [{ holder: root, key: 'value' }]
  for (const { holder, key } of places) {
    const value = valueAt(holder, key)
    if (typeof value !== 'object' || value === null || places.length > 2_000) continue
    for (const inner of Object.keys(value)) places.push({ holder: value as Holder, key: inner })
  }
  return places
}

function pick<T>(all: readonly T[], which: number): T {
  return all[which % all.length] as T
}

function valueAt(holder: Holder, key: string): Json {
  return Object.getOwnPropertyDescriptor(holder, key)?.value ?? null
}

function remove(holder: Holder, key: string): void {
  if (Array.isArray(holder)) holder.splice(Number(key) || 0, 1)
  else delete holder[key]
}

/** Sets a member as `JSON.parse` does, which treats `__proto__` like any other key. */
function put(holder: Holder, key: string, value: Json): void {
  if (Array.isArray(holder)) holder.splice(Number(key) || 0, 1, value)
  else Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true })
}

function copyOf(value: Json): Json {
  return JSON.parse(JSON.stringify(value))
}

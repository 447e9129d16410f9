import { canonicalJson } from '../tool/digest.ts'
import { isObject } from '../tool/json.ts'
import { pointerStep } from '../tool/problem.ts'
import type { Change, Level } from './change.ts'
import { mapSubschemas } from './subschemas.ts'

type Schema = Readonly<Record<string, unknown>>

/** Keywords that judge a value, and that only relax the schema when they go. */
const CONSTRAINTS = ['pattern', 'format', 'multipleOf', 'const', 'contentEncoding', 'contentMediaType']
/** Keywords whose changes are too hard to compare: any change may break callers. */
const OPAQUE: ReadonlySet<string> = new Set([
  '$ref',
  '$dynamicRef',
  '$anchor',
  '$dynamicAnchor',
  '$defs',
  'definitions',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  'patternProperties',
  'propertyNames',
  'prefixItems',
  'contains',
  'additionalItems',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contentSchema',
])
const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']
const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains']

/** Every keyword that decides which values are valid. */
const JUDGING: ReadonlySet<string> = new Set([
  ...CONSTRAINTS,
  ...OPAQUE,
  ...LOWER_BOUNDS,
  ...UPPER_BOUNDS,
  'type',
  'enum',
  'required',
  'properties',
  'items',
  'additionalProperties',
  'uniqueItems',
])

/**
 * How a schema of inputs changed: `major` where it may refuse what was accepted, `minor` where it accepts more, `patch`
 * where only the description differs. What is too hard to compare is `major`.
 */
export function compareInput(before: unknown, after: unknown, path: string, name?: string): Change[] {
  const place = name === undefined ? 'The input' : `Parameter '${name}'`
  const from = bare(before)
  const to = bare(after)
  if (same(from, to)) return same(before, after) ? [] : [described(place, path)]
  if (to === false || from === false)
    return [change(path, `${place} is ${to ? 'now' : 'no longer'} accepted`, to ? 'minor' : 'major')]
  return [...inputChanges(objectOf(from), objectOf(to), path, place)]
}

function* inputChanges(from: Schema, to: Schema, path: string, place: string): Generator<Change> {
  const at = (keyword: string) => path + pointerStep(keyword)
  const types = [typesOf(from), typesOf(to)] as const
  if (!same(types[0], types[1])) {
    const narrower = types[0].some((type) => !types[1].includes(type))
    yield change(at('type'), `${place} has ${narrower ? 'another' : 'a wider'} type`, narrower ? 'major' : 'minor')
  }
  yield* enumChanges(from['enum'], to['enum'], at('enum'), place)
  yield* boundChanges(from, to, path, place)
  if ((from['uniqueItems'] ?? false) !== (to['uniqueItems'] ?? false)) {
    const level = to['uniqueItems'] ? 'major' : 'minor'
    yield change(
      at('uniqueItems'),
      `${place} ${to['uniqueItems'] ? 'must now' : 'need no longer'} have unique items`,
      level,
    )
  }
  for (const keyword of [...CONSTRAINTS, ...OPAQUE]) {
    if (same(from[keyword], to[keyword])) continue
    const gone = to[keyword] === undefined && !OPAQUE.has(keyword)
    yield change(at(keyword), `${place} has ${gone ? 'no' : 'another'} '${keyword}'`, gone ? 'minor' : 'major')
  }
  for (const keyword of ['items', 'additionalProperties']) {
    yield* nested(from[keyword] ?? true, to[keyword] ?? true, at(keyword), `${place} has another '${keyword}'`)
  }
  yield* parameterChanges(from, to, path)
}

/** A schema below that has no name of its own: its changes, told as such. */
function nested(from: unknown, to: unknown, path: string, what: string): Change[] {
  const changes = compareInput(from, to, path)
  return changes.map((each) => (each.path === path || each.what.startsWith('The input ') ? { ...each, what } : each))
}

function* parameterChanges(from: Schema, to: Schema, path: string): Generator<Change> {
  const [before, after] = [objectOf(from['properties'] ?? {}), objectOf(to['properties'] ?? {})]
  const [needed, needs] = [namesOf(from['required']), namesOf(to['required'])]
  for (const [name, schema] of Object.entries(before)) {
    const place = `${path}/properties${pointerStep(name)}`
    if (Object.hasOwn(after, name)) yield* compareInput(schema, after[name], place, name)
    else yield change(place, `Parameter '${name}' is removed`, 'major')
  }
  for (const name of needs) {
    if (!needed.has(name))
      yield change(`${path}/properties${pointerStep(name)}`, `Parameter '${name}' is now required`, 'major')
  }
  for (const name of needed) {
    if (needs.has(name) || !Object.hasOwn(after, name)) continue
    yield change(`${path}/properties${pointerStep(name)}`, `Parameter '${name}' is now optional`, 'minor')
  }
  for (const name of Object.keys(after)) {
    if (Object.hasOwn(before, name) || needs.has(name)) continue
    yield change(`${path}/properties${pointerStep(name)}`, `Parameter '${name}' is new`, 'minor')
  }
}

function* enumChanges(from: unknown, to: unknown, path: string, place: string): Generator<Change> {
  if (same(from, to)) return
  if (!Array.isArray(to)) return yield change(path, `${place} accepts any value`, 'minor')
  if (!Array.isArray(from)) return yield change(path, `${place} accepts only some values`, 'major')
  const [before, after] = [new Set(from.map(canonicalJson)), new Set(to.map(canonicalJson))]
  if ([...before].some((value) => !after.has(value))) yield change(path, `${place} accepts fewer values`, 'major')
  else if (after.size > before.size) yield change(path, `${place} accepts more values`, 'minor')
}

function* boundChanges(from: Schema, to: Schema, path: string, place: string): Generator<Change> {
  const bounds = [
    ...LOWER_BOUNDS.map((each) => [each, -Infinity] as const),
    ...UPPER_BOUNDS.map((each) => [each, Infinity] as const),
  ]
  for (const [keyword, none] of bounds) {
    const before = numberOf(from[keyword], none)
    const after = numberOf(to[keyword], none)
    if (before === after) continue
    const tighter = none > 0 ? after < before : after > before
    yield change(
      path + pointerStep(keyword),
      `${place} has a ${tighter ? 'tighter' : 'wider'} '${keyword}'`,
      tighter ? 'major' : 'minor',
    )
  }
}

/**
 * How a schema of outputs changed: callers rely on what was promised, so everything is `major` but a further property,
 * a further guarantee (`minor`) and the description (`patch`). null is no output at all.
 */
export function compareOutput(before: unknown, after: unknown, path: string, name?: string): Change[] {
  const place = name === undefined ? 'The output' : `Output property '${name}'`
  const from = bare(before)
  const to = bare(after)
  if (same(from, to)) return same(before, after) ? [] : [described(place, path)]
  if (!isObject(from) || !isObject(to)) return [change(path, `${place} has another type`, 'major')]
  return [...outputChanges(from, to, path, place)]
}

function* outputChanges(from: Schema, to: Schema, path: string, place: string): Generator<Change> {
  for (const keyword of JUDGING) {
    if (keyword === 'properties' || keyword === 'required' || keyword === 'items') continue
    if (same(from[keyword], to[keyword])) continue
    yield change(path + pointerStep(keyword), `${place} has another '${keyword}'`, 'major')
  }
  if (!same(from['items'], to['items']))
    yield* compareOutput(from['items'] ?? true, to['items'] ?? true, `${path}/items`)
  const [before, after] = [objectOf(from['properties'] ?? {}), objectOf(to['properties'] ?? {})]
  const [given, gives] = [namesOf(from['required']), namesOf(to['required'])]
  for (const [name, schema] of Object.entries(before)) {
    const at = `${path}/properties${pointerStep(name)}`
    if (Object.hasOwn(after, name)) yield* compareOutput(schema, after[name], at, name)
    else yield change(at, `Output property '${name}' is removed`, 'major')
  }
  for (const name of given) {
    if (gives.has(name) || (Object.hasOwn(before, name) && !Object.hasOwn(after, name))) continue
    yield change(`${path}/properties${pointerStep(name)}`, `Output property '${name}' is no longer guaranteed`, 'major')
  }
  for (const name of new Set([...Object.keys(after), ...gives])) {
    if (!Object.hasOwn(before, name) && Object.hasOwn(after, name)) {
      yield change(`${path}/properties${pointerStep(name)}`, `Output property '${name}' is new`, 'minor')
    } else if (gives.has(name) && !given.has(name)) {
      yield change(`${path}/properties${pointerStep(name)}`, `Output property '${name}' is now guaranteed`, 'minor')
    }
  }
}

/** A schema with only what decides which values are valid, and without the order of its lists of names. */
function bare(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const copy: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(mapSubschemas(schema, bare))) {
    if (!JUDGING.has(keyword)) continue
    const unordered = keyword === 'required' || keyword === 'enum' || keyword === 'type'
    copy[keyword] = unordered && Array.isArray(value) ? value.toSorted(byCanonicalJson) : value
  }
  return Object.keys(copy).length === 0 ? true : copy
}

function byCanonicalJson(a: unknown, b: unknown): number {
  return canonicalJson(a) < canonicalJson(b) ? -1 : 1
}

function same(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return a === b
  return canonicalJson(a) === canonicalJson(b)
}

function change(path: string, what: string, level: Level): Change {
  return { path, what, level }
}

function described(place: string, path: string): Change {
  return change(path, `${place} is described differently`, 'patch')
}

function objectOf(schema: unknown): Schema {
  return isObject(schema) ? schema : {}
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

function namesOf(value: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [])
}

const ALL_TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

/** The types a schema accepts; every number is accepted where `number` is, so `integer` comes with it. */
function typesOf(schema: Schema): readonly string[] {
  const type = schema['type']
  if (type === undefined) return ALL_TYPES
  const named = Array.isArray(type) ? type : [type]
  return ALL_TYPES.filter((each) => named.includes(each) || (each === 'integer' && named.includes('number')))
}

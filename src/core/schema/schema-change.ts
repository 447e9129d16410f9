import { canonicalJson } from '../tool/digest.ts'
import { isObject } from '../tool/json.ts'
import { pointerStep } from '../tool/problem.ts'
import { keywordsWhere } from './keywords.ts'
import { mapSubschemas } from './subschemas.ts'

/** A difference between two versions: where (a JSON Pointer into the newer one), what, and what it means to callers. */
export interface Change {
  readonly path: string
  /** A clause about what is so now: `Parameter 'b' is now required`. */
  readonly what: string
  readonly level: Level
}

/** `major` breaks callers, `minor` offers them more, `patch` is neither. */
export type Level = 'major' | 'minor' | 'patch'

type Schema = Readonly<Record<string, unknown>>

const LOWER_BOUNDS = keywordsWhere(({ changes }) => changes === 'lower')
const UPPER_BOUNDS = keywordsWhere(({ changes }) => changes === 'upper')
const CONSTRAINTS = keywordsWhere(({ changes }) => changes === 'constraint')
const OPAQUE = keywordsWhere(({ changes }) => changes === 'opaque')
/** Every keyword that decides which values are valid. */
const JUDGING = keywordsWhere(({ changes }) => changes !== undefined)

/**
 * How a schema of inputs changed: `major` where it may refuse what was accepted, `minor` where it accepts more, `patch`
 * where only the description differs. What is too hard to compare is `major`.
 */
export function compareInput(before: unknown, after: unknown, path: string, name?: string): Change[] {
  const place = name === undefined ? 'The input' : `Parameter '${name}'`
  const from = bare(before)
  const to = bare(after)
  if (same(from, to)) return described(before, after, path, place)
  if (to === false || from === false) {
    return [{ path, what: `${place} is ${to ? 'now' : 'no longer'} accepted`, level: to ? 'minor' : 'major' }]
  }
  return [...inputChanges(objectOf(from), objectOf(to), path, place)]
}

function* inputChanges(from: Schema, to: Schema, path: string, place: string): Generator<Change> {
  const told = (keyword: string, clause: string, level: Level): Change => {
    return { path: path + pointerStep(keyword), what: `${place} ${clause}`, level }
  }
  const types = [typesOf(from), typesOf(to)] as const
  if (types[0].some((type) => !types[1].includes(type))) yield told('type', 'has another type', 'major')
  else if (!same(types[0], types[1])) yield told('type', 'has a wider type', 'minor')
  const enumeration = enumChange(from['enum'], to['enum'])
  if (enumeration) yield told('enum', ...enumeration)
  for (const keyword of [...LOWER_BOUNDS, ...UPPER_BOUNDS]) {
    const sign = LOWER_BOUNDS.has(keyword) ? 1 : -1
    const [before = -Infinity, after = -Infinity] = [from, to].map(({ [keyword]: bound }) =>
      typeof bound === 'number' ? sign * bound : undefined,
    )
    if (after > before) yield told(keyword, `has a tighter '${keyword}'`, 'major')
    if (after < before) yield told(keyword, `has a wider '${keyword}'`, 'minor')
  }
  const unique = [from, to].map(({ uniqueItems }) => uniqueItems ?? false)
  if (unique[0] !== unique[1]) {
    yield unique[1]
      ? told('uniqueItems', 'must now have unique items', 'major')
      : told('uniqueItems', 'need no longer have unique items', 'minor')
  }
  for (const keyword of [...CONSTRAINTS, ...OPAQUE]) {
    if (same(from[keyword], to[keyword])) continue
    const isGone = to[keyword] === undefined && CONSTRAINTS.has(keyword)
    yield told(keyword, `has ${isGone ? 'no' : 'another'} '${keyword}'`, isGone ? 'minor' : 'major')
  }
  for (const keyword of ['items', 'additionalProperties']) {
    const at = path + pointerStep(keyword)
    for (const change of compareInput(from[keyword] ?? true, to[keyword] ?? true, at)) {
      const isNamed = change.path !== at && !change.what.startsWith('The input ')
      yield isNamed ? change : { ...change, what: `${place} has another '${keyword}'` }
    }
  }
  yield* propertyChanges(from, to, path, 'input')
}

function enumChange(from: unknown, to: unknown): [clause: string, level: Level] | undefined {
  if (same(from, to)) return undefined
  if (!Array.isArray(to)) return ['accepts any value', 'minor']
  if (!Array.isArray(from)) return ['accepts only some values', 'major']
  const [before, after] = [new Set(from.map(canonicalJson)), new Set(to.map(canonicalJson))]
  if ([...before].some((value) => !after.has(value))) return ['accepts fewer values', 'major']
  return after.size > before.size ? ['accepts more values', 'minor'] : undefined
}

/**
 * How a schema of outputs changed: callers rely on what was promised, so everything is `major` but a further property,
 * a further guarantee (`minor`) and the description (`patch`). null is no output at all.
 */
export function compareOutput(before: unknown, after: unknown, path: string, name?: string): Change[] {
  const place = name === undefined ? 'The output' : `Output property '${name}'`
  const from = bare(before)
  const to = bare(after)
  if (same(from, to)) return described(before, after, path, place)
  if (!isObject(from) || !isObject(to)) return [{ path, what: `${place} has another type`, level: 'major' }]
  return [...outputChanges(from, to, path, place)]
}

function* outputChanges(from: Schema, to: Schema, path: string, place: string): Generator<Change> {
  for (const keyword of JUDGING) {
    if (['properties', 'required', 'items'].includes(keyword) || same(from[keyword], to[keyword])) continue
    yield { path: path + pointerStep(keyword), what: `${place} has another '${keyword}'`, level: 'major' }
  }
  yield* compareOutput(from['items'] ?? true, to['items'] ?? true, `${path}/items`)
  yield* propertyChanges(from, to, path, 'output')
}

function* propertyChanges(from: Schema, to: Schema, path: string, of: 'input' | 'output'): Generator<Change> {
  const [before, after] = [objectOf(from['properties']), objectOf(to['properties'])]
  const [needed, needs] = [namesOf(from['required']), namesOf(to['required'])]
  for (const name of new Set([...Object.keys(before), ...Object.keys(after), ...needed, ...needs])) {
    const at = `${path}/properties${pointerStep(name)}`
    const place = of === 'input' ? `Parameter '${name}'` : `Output property '${name}'`
    const [was, is] = [Object.hasOwn(before, name), Object.hasOwn(after, name)]
    const isGained = needs.has(name) && !needed.has(name)
    const isLost = needed.has(name) && !needs.has(name)
    if (was && is) yield* (of === 'input' ? compareInput : compareOutput)(before[name], after[name], at, name)
    if (was && !is) yield { path: at, what: `${place} is removed`, level: 'major' }
    if (of === 'input') {
      if (isGained) yield { path: at, what: `${place} is now required`, level: 'major' }
      else if (is && !was) yield { path: at, what: `${place} is new`, level: 'minor' }
      else if (is && isLost) yield { path: at, what: `${place} is now optional`, level: 'minor' }
    } else {
      if (isLost && (is || !was)) yield { path: at, what: `${place} is no longer guaranteed`, level: 'major' }
      if (is && !was) yield { path: at, what: `${place} is new`, level: 'minor' }
      else if (isGained) yield { path: at, what: `${place} is now guaranteed`, level: 'minor' }
    }
  }
}

/** A schema with only what decides which values are valid, and without the order of its lists of names. */
function bare(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const copy: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(mapSubschemas(schema, bare))) {
    if (!JUDGING.has(keyword)) continue
    const isUnordered = keyword === 'required' || keyword === 'enum' || keyword === 'type'
    copy[keyword] = isUnordered && Array.isArray(value) ? value.toSorted(byCanonicalJson) : value
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

/** What is told of two schemas that accept the same values. */
function described(before: unknown, after: unknown, path: string, place: string): Change[] {
  return same(before, after) ? [] : [{ path, what: `${place} is described differently`, level: 'patch' }]
}

function objectOf(value: unknown): Schema {
  return isObject(value) ? value : {}
}

function namesOf(value: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [])
}

const ALL_TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

/** The types a schema accepts; every number is accepted where `number` is, so `integer` comes with it. */
function typesOf({ type }: Schema): readonly string[] {
  if (type === undefined) return ALL_TYPES
  const named: readonly unknown[] = Array.isArray(type) ? type : [type]
  return ALL_TYPES.filter((each) => named.includes(each) || (each === 'integer' && named.includes('number')))
}

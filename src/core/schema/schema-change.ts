import { type Budget, createBudget, unitsOf, weigh } from '../tool/budget.ts'
import { canonicalJson } from '../tool/digest.ts'
import { isObject } from '../tool/json.ts'
import { pointerStep } from '../tool/problem.ts'
import { keywordsWhere, VALIDATING } from './keywords.ts'
import { createMeanings, type Meaning, type Meanings } from './meaning.ts'

/** `path` is a JSON Pointer into the newer version. */
export interface Change {
  readonly path: string
  /** A clause about the newer version: `Parameter 'b' is now required`. */
  readonly what: string
  readonly level: Level
}

/** `major` breaks callers, `minor` offers them more, `patch` is neither. */
export type Level = 'major' | 'minor' | 'patch'

type Schema = Readonly<Record<string, unknown>>

/** Units for comparing two schemas keyword by keyword, beside what they hold. */
const KEYWORDS = 20

const LOWER_BOUNDS = keywordsWhere(({ changes }) => changes === 'lower')
const UPPER_BOUNDS = keywordsWhere(({ changes }) => changes === 'upper')
const CONSTRAINTS = keywordsWhere(({ changes }) => changes === 'constraint')
const OPAQUE = keywordsWhere(({ changes }) => changes === 'opaque')

interface Comparison {
  readonly meanings: Meanings
  readonly budget: Budget
}

/** `major` where the new schema may refuse what was accepted, or is too hard to compare; `minor` where it accepts more. */
export function compareInput(before: unknown, after: unknown, path: string, budget = createBudget()): Change[] {
  return compared(inputChange, 'The input', before, after, path, budget)
}

function compared(
  change: typeof inputChange | typeof outputChange,
  place: string,
  before: unknown,
  after: unknown,
  path: string,
  budget: Budget,
): Change[] {
  const meanings = createMeanings(budget)
  const [from, to] = [meanings.of(before), meanings.of(after)]
  if (from === to) return described(before, after, path, place, budget)
  return counted(change(from, to, path, place, { meanings, budget }), budget)
}

function* inputChange(
  before: Meaning,
  after: Meaning,
  path: string,
  place: string,
  comparison: Comparison,
): Generator<Change> {
  if (before === after) return
  comparison.budget.spend(KEYWORDS + before.units + after.units, path)
  const [from, to] = [before.asked, after.asked]
  if (to === false || from === false) {
    yield { path, what: `${place} is ${to ? 'now' : 'no longer'} accepted`, level: to ? 'minor' : 'major' }
  } else yield* inputChanges(objectOf(from), objectOf(to), path, place, comparison)
}

function* inputChanges(
  from: Schema,
  to: Schema,
  path: string,
  place: string,
  comparison: Comparison,
): Generator<Change> {
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
    if (Array.isArray(from[keyword]) || Array.isArray(to[keyword])) {
      if (!same(from[keyword], to[keyword])) yield told(keyword, `has another '${keyword}'`, 'major')
      continue
    }
    const [before, after] = [from, to].map((schema) => comparison.meanings.numbered(schema[keyword]))
    if (!before || !after) continue
    for (const change of inputChange(before, after, at, 'The input', comparison)) {
      const isNamed = change.path !== at && !change.what.startsWith('The input ')
      yield isNamed ? change : { ...change, what: `${place} has another '${keyword}'` }
    }
  }
  yield* propertyChanges(from, to, path, comparison, 'input')
}

function enumChange(from: unknown, to: unknown): [clause: string, level: Level] | undefined {
  if (same(from, to)) return undefined
  if (!Array.isArray(to)) return ['accepts any value', 'minor']
  if (!Array.isArray(from)) return ['accepts only some values', 'major']
  const [before, after] = [new Set<unknown>(from), new Set<unknown>(to)]
  if ([...before].some((value) => !after.has(value))) return ['accepts fewer values', 'major']
  return after.size > before.size ? ['accepts more values', 'minor'] : undefined
}

/** Everything is `major` but a further property or guarantee (`minor`) and the description (`patch`). null is no output. */
export function compareOutput(before: unknown, after: unknown, path: string, budget = createBudget()): Change[] {
  if (before !== null && after !== null) return compared(outputChange, 'The output', before, after, path, budget)
  return before === after ? [] : [{ path, what: 'The output has another type', level: 'major' }]
}

function* outputChange(
  before: Meaning,
  after: Meaning,
  path: string,
  place: string,
  comparison: Comparison,
): Generator<Change> {
  if (before === after) return
  comparison.budget.spend(KEYWORDS + before.units + after.units, path)
  const [from, to] = [before.asked, after.asked]
  if (!isObject(from) || !isObject(to)) yield { path, what: `${place} has another type`, level: 'major' }
  else yield* outputChanges(from, to, path, place, comparison)
}

function* outputChanges(
  from: Schema,
  to: Schema,
  path: string,
  place: string,
  comparison: Comparison,
): Generator<Change> {
  const isList = Array.isArray(from['items']) || Array.isArray(to['items'])
  for (const keyword of VALIDATING) {
    if (keyword === 'properties' || keyword === 'required' || (keyword === 'items' && !isList)) continue
    if (same(from[keyword], to[keyword])) continue
    yield { path: path + pointerStep(keyword), what: `${place} has another '${keyword}'`, level: 'major' }
  }
  const [before, after] = [from, to].map(({ items }) => comparison.meanings.numbered(items))
  if (before && after && !isList) yield* outputChange(before, after, `${path}/items`, 'The output', comparison)
  yield* propertyChanges(from, to, path, comparison, 'output')
}

function* propertyChanges(
  from: Schema,
  to: Schema,
  path: string,
  comparison: Comparison,
  of: 'input' | 'output',
): Generator<Change> {
  const { meanings, budget } = comparison
  const [before, after] = [objectOf(from['properties']), objectOf(to['properties'])]
  const [needed, needs] = [namesOf(from['required']), namesOf(to['required'])]
  for (const name of new Set([...Object.keys(before), ...Object.keys(after), ...needed, ...needs])) {
    budget.spend(unitsOf(name), path)
    const at = `${path}/properties${pointerStep(name)}`
    const place = of === 'input' ? `Parameter '${name}'` : `Output property '${name}'`
    const [was, is] = [Object.hasOwn(before, name), Object.hasOwn(after, name)]
    const isGained = needs.has(name) && !needed.has(name)
    const isLost = needed.has(name) && !needs.has(name)
    if (was && is) {
      const change = of === 'input' ? inputChange : outputChange
      yield* change(meanings.numbered(before[name]), meanings.numbered(after[name]), at, place, comparison)
    }
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

function same(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined || typeof a !== 'object') return a === b
  return canonicalJson(a) === canonicalJson(b)
}

function described(before: unknown, after: unknown, path: string, place: string, budget: Budget): Change[] {
  weigh(before, budget, path)
  weigh(after, budget, path)
  return same(before, after) ? [] : [{ path, what: `${place} is described differently`, level: 'patch' }]
}

/** A property's name may be as long as a document, and stands in every path below it. */
function counted(changes: Iterable<Change>, budget: Budget): Change[] {
  const all: Change[] = []
  for (const change of changes) {
    budget.spend(unitsOf(change.path) + unitsOf(change.what))
    all.push(change)
  }
  return all
}

function objectOf(value: unknown): Schema {
  return isObject(value) ? value : {}
}

function namesOf(value: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [])
}

const ALL_TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

/** Every number is accepted where `number` is, so `integer` comes with it. */
function typesOf({ type }: Schema): readonly string[] {
  if (type === undefined) return ALL_TYPES
  const named: readonly unknown[] = Array.isArray(type) ? type : [type]
  return ALL_TYPES.filter((each) => named.includes(each) || (each === 'integer' && named.includes('number')))
}

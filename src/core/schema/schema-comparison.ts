import { type Budget, textUnits, chargeValue } from '../tool/budget.ts'
import { canonicalJson } from '../tool/digest.ts'
import { isNumber, isObject } from '../tool/json.ts'
import { encodePointerStep } from '../tool/problem.ts'
import { keywordsWhere, VALIDATING } from './keywords.ts'
import { createCanonicalizer, type CanonicalSchema, type Canonicalizer } from './canonical-schema.ts'

export interface SchemaChange {
  readonly path: string
  readonly what: string
  readonly level: BumpLevel
}

/** `major` breaks callers, `minor` offers them more, `patch` does neither. */
export type BumpLevel = 'major' | 'minor' | 'patch'

type Schema = Readonly<Record<string, unknown>>

const COMPARISON_UNITS = 20

const LOWER_BOUNDS = keywordsWhere(({ changes }) => changes === 'lower')
const UPPER_BOUNDS = keywordsWhere(({ changes }) => changes === 'upper')
const CONSTRAINTS = keywordsWhere(({ changes }) => changes === 'constraint')
const OPAQUE = keywordsWhere(({ changes }) => changes === 'opaque')

interface Comparison {
  readonly direction: 'input' | 'output'
  readonly path: string
  readonly name: string
  readonly canonicalizer: Canonicalizer
  readonly budget: Budget
}

/**
 * Compares schemas. Inputs: `major` if the new schema may refuse accepted values or is too hard to compare; `minor` if it
 * accepts more. Outputs: always `major`, except for a new property or guarantee (`minor`); null means no output.
 */
export function compareSchemas(
  direction: 'input' | 'output',
  before: unknown,
  after: unknown,
  budget: Budget,
): SchemaChange[] {
  const [path, name] = [`/${direction}`, `The ${direction}`]
  if (before === null || after === null)
    return before === after ? [] : [{ path, what: `${name} has another type`, level: 'major' }]
  const canonicalizer = createCanonicalizer(budget)
  const [from, to] = [canonicalizer.canonicalize(before), canonicalizer.canonicalize(after)]
  const schemaChanges: SchemaChange[] = []
  if (from === to) {
    chargeValue(before, budget, path)
    chargeValue(after, budget, path)
    if (!areSame(before, after)) schemaChanges.push({ path, what: `${name} is described differently`, level: 'patch' })
    return schemaChanges
  }
  for (const change of partChanges(from, to, { direction, path, name, canonicalizer, budget })) {
    // A property's name may be as long as a document, and is in every path below it
    budget.spend(textUnits(change.path) + textUnits(change.what))
    schemaChanges.push(change)
  }
  return schemaChanges
}

function* partChanges(
  before: CanonicalSchema,
  after: CanonicalSchema,
  comparison: Comparison,
): Generator<SchemaChange> {
  if (before === after) return
  const { direction, path, name, budget } = comparison
  budget.spend(COMPARISON_UNITS + before.units + after.units, path)
  const [from, to] = [before.keywords, after.keywords]
  if (direction === 'input') {
    if (to === false || from === false) {
      yield { path, what: `${name} is ${to ? 'now' : 'no longer'} accepted`, level: to ? 'minor' : 'major' }
    } else yield* inputChanges(toSchemaObject(from), toSchemaObject(to), comparison)
  } else if (isObject(from) && isObject(to)) yield* outputChanges(from, to, comparison)
  else yield { path, what: `${name} has another type`, level: 'major' }
}

function* inputChanges(from: Schema, to: Schema, comparison: Comparison): Generator<SchemaChange> {
  const { path, name, canonicalizer } = comparison
  const toChange = (keyword: string, clause: string, level: BumpLevel): SchemaChange => {
    return { path: path + encodePointerStep(keyword), what: `${name} ${clause}`, level }
  }
  const types = [listTypes(from), listTypes(to)] as const
  if (types[0].some((type) => !types[1].includes(type))) yield toChange('type', 'has another type', 'major')
  else if (!areSame(types[0], types[1])) yield toChange('type', 'has a wider type', 'minor')
  const enumeration = enumChange(from['enum'], to['enum'])
  if (enumeration) yield toChange('enum', ...enumeration)
  for (const keyword of [...LOWER_BOUNDS, ...UPPER_BOUNDS]) {
    const isLower = LOWER_BOUNDS.has(keyword)
    const [before = -Infinity, after = -Infinity] = [from, to].map(({ [keyword]: bound }) =>
      !isNumber(bound) ? undefined : isLower ? bound : -bound,
    )
    if (after > before) yield toChange(keyword, `has a tighter '${keyword}'`, 'major')
    if (after < before) yield toChange(keyword, `has a wider '${keyword}'`, 'minor')
  }
  const uniqueItems = [from, to].map(({ uniqueItems }) => uniqueItems ?? false)
  if (uniqueItems[0] !== uniqueItems[1]) {
    yield uniqueItems[1]
      ? toChange('uniqueItems', 'must now have unique items', 'major')
      : toChange('uniqueItems', 'need no longer have unique items', 'minor')
  }
  for (const keyword of [...CONSTRAINTS, ...OPAQUE]) {
    if (areSame(from[keyword], to[keyword])) continue
    const isGone = to[keyword] === undefined && CONSTRAINTS.has(keyword)
    yield toChange(keyword, `has ${isGone ? 'no' : 'another'} '${keyword}'`, isGone ? 'minor' : 'major')
  }
  for (const keyword of ['items', 'additionalProperties']) {
    const partPath = path + encodePointerStep(keyword)
    if (Array.isArray(from[keyword]) || Array.isArray(to[keyword])) {
      if (!areSame(from[keyword], to[keyword])) yield toChange(keyword, `has another '${keyword}'`, 'major')
      continue
    }
    const [before, after] = [canonicalizer.findByNumber(from[keyword]), canonicalizer.findByNumber(to[keyword])]
    for (const change of partChanges(before, after, { ...comparison, path: partPath, name: 'The input' })) {
      const isNamed = change.path !== partPath && !change.what.startsWith('The input ')
      yield isNamed ? change : { ...change, what: `${name} has another '${keyword}'` }
    }
  }
  yield* propertyChanges(from, to, comparison)
}

function enumChange(from: unknown, to: unknown): [clause: string, level: BumpLevel] | undefined {
  if (areSame(from, to)) return undefined
  if (!Array.isArray(to)) return ['accepts any value', 'minor']
  if (!Array.isArray(from)) return ['accepts only some values', 'major']
  const [before, after] = [new Set<unknown>(from), new Set<unknown>(to)]
  if ([...before].some((value) => !after.has(value))) return ['accepts fewer values', 'major']
  return after.size > before.size ? ['accepts more values', 'minor'] : undefined
}

function* outputChanges(from: Schema, to: Schema, comparison: Comparison): Generator<SchemaChange> {
  const { path, name, canonicalizer } = comparison
  const isList = Array.isArray(from['items']) || Array.isArray(to['items'])
  for (const keyword of VALIDATING) {
    if (keyword === 'properties' || keyword === 'required' || (keyword === 'items' && !isList)) continue
    if (areSame(from[keyword], to[keyword])) continue
    yield { path: path + encodePointerStep(keyword), what: `${name} has another '${keyword}'`, level: 'major' }
  }
  if (!isList) {
    const items = { ...comparison, path: `${path}/items`, name: 'The output' }
    yield* partChanges(canonicalizer.findByNumber(from['items']), canonicalizer.findByNumber(to['items']), items)
  }
  yield* propertyChanges(from, to, comparison)
}

function* propertyChanges(from: Schema, to: Schema, comparison: Comparison): Generator<SchemaChange> {
  const { path, canonicalizer, budget } = comparison
  const isInput = comparison.direction === 'input'
  const [before, after] = [toSchemaObject(from['properties']), toSchemaObject(to['properties'])]
  const [requiredBefore, requiredAfter] = [toNameSet(from['required']), toNameSet(to['required'])]
  for (const property of new Set([
    ...Object.keys(before),
    ...Object.keys(after),
    ...requiredBefore,
    ...requiredAfter,
  ])) {
    budget.spend(textUnits(property), path)
    const partPath = `${path}/properties${encodePointerStep(property)}`
    const name = isInput ? `Parameter '${property}'` : `Output property '${property}'`
    const [wasDeclared, isDeclared] = [Object.hasOwn(before, property), Object.hasOwn(after, property)]
    const isNowRequired = requiredAfter.has(property) && !requiredBefore.has(property)
    const isNowOptional = requiredBefore.has(property) && !requiredAfter.has(property)
    if (wasDeclared && isDeclared) {
      const [oldSchema, newSchema] = [
        canonicalizer.findByNumber(before[property]),
        canonicalizer.findByNumber(after[property]),
      ]
      yield* partChanges(oldSchema, newSchema, { ...comparison, path: partPath, name })
    }
    if (wasDeclared && !isDeclared) yield { path: partPath, what: `${name} is removed`, level: 'major' }
    if (isInput) {
      if (isNowRequired) yield { path: partPath, what: `${name} is now required`, level: 'major' }
      else if (isDeclared && !wasDeclared) yield { path: partPath, what: `${name} is new`, level: 'minor' }
      else if (isDeclared && isNowOptional) yield { path: partPath, what: `${name} is now optional`, level: 'minor' }
    } else {
      if (isNowOptional && (isDeclared || !wasDeclared))
        yield { path: partPath, what: `${name} is no longer guaranteed`, level: 'major' }
      if (isDeclared && !wasDeclared) yield { path: partPath, what: `${name} is new`, level: 'minor' }
      else if (isNowRequired) yield { path: partPath, what: `${name} is now guaranteed`, level: 'minor' }
    }
  }
}

function areSame(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined || typeof a !== 'object') return a === b
  return canonicalJson(a) === canonicalJson(b)
}

function toSchemaObject(value: unknown): Schema {
  return isObject(value) ? value : {}
}

function toNameSet(value: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [])
}

const ALL_TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

function listTypes({ type }: Schema): readonly string[] {
  if (type === undefined) return ALL_TYPES
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  return ALL_TYPES.filter((name) => types.includes(name) || (name === 'integer' && types.includes('number')))
}

import { type Budget, createBudget, textUnits, chargeValue } from '../tool/budget.ts'
import { isJsonObject, isObject } from '../tool/json.ts'
import type { JsonSchema } from '../tool/tool.ts'
import { ANCHORS, keywordsWhere, REFERENCES, REFERRING } from './keywords.ts'
import { walkSubschemas, type Located, mapSubschemas, toRefPath, subschemas } from './subschemas.ts'

const MEASURES = ['schemas', 'depth', 'nesting', 'characters'] as const
export type ExpansionLimits = Readonly<Record<(typeof MEASURES)[number], number>>

interface ExpandResult {
  readonly schema: JsonSchema
  readonly cut: readonly UnexpandedRef[]
}

export interface UnexpandedRef {
  readonly path: string
  readonly why: 'recursive' | 'too large' | 'unresolved'
}

type Schema = Readonly<Record<string, unknown>>

const EVALUATED = keywordsWhere(({ role }) => role === 'applicator' || role === 'assertion')
const MAX_LEVELS = 100
const MOST: ExpansionLimits = { schemas: 10_000, depth: MAX_LEVELS, nesting: Infinity, characters: Infinity }

/** Puts schemas in place of references to them. Cycles are cut; so are all references where the bounds are exceeded. */
export function expandSchema(schema: JsonSchema, bounds = MOST, budget = createBudget()): ExpandResult {
  if (!isObject(schema) || !hasReferences(schema)) return { schema, cut: [] }
  const whole = write(schema, true, budget)
  const size = whole && measureExpansion(whole.schema, new Map(), budget)
  if (size && MEASURES.every((measure) => size[measure] <= bounds[measure])) return whole
  return write(schema, false, budget) ?? { schema, cut: [] }
}

export function hasReferences(root: unknown): boolean {
  for (const { schema } of walkSubschemas(root, Infinity)) {
    if (isObject(schema) && Object.keys(schema).some((keyword) => REFERRING.has(keyword))) return true
  }
  return false
}

/** Undefined where references lead too deep. Unless it `follows` them, all are cut. */
function write(root: Schema, follows: boolean, budget: Budget): ExpandResult | undefined {
  const places = locateReferences(root, budget)
  const written = new Map<string, unknown>()
  const open: string[] = []
  const cut = new Map<string, UnexpandedRef>()
  let level = 0
  let isTooDeep = false

  function expand(given: unknown, path: string): unknown {
    if (!isObject(given)) return given
    if (level === MAX_LEVELS) isTooDeep = true
    if (isTooDeep) return true
    budget.spend(1 + Object.keys(given).length, path)
    level += 1
    const own = Object.entries(given).filter(([keyword]) => !REFERRING.has(keyword) && !ANCHORS.has(keyword))
    let result: Schema = mapSubschemas(Object.fromEntries(own), (below, _, at) => expand(below, path + at))
    for (const keyword of REFERENCES) {
      if (given[keyword] !== undefined)
        result = beside(result, resolveTarget(given[keyword], path, `${path}/${keyword}`))
    }
    level -= 1
    return result
  }

  function resolveTarget(reference: unknown, from: string, path: string): unknown {
    const place = typeof reference === 'string' ? toRefPath(reference) : undefined
    const target = place === undefined ? undefined : places.get(place)
    budget.spend(textUnits(from) + open.length, path)
    const why = whyCut(target?.path, from)
    if (!target || why) {
      cut.set(path, { path, why: why ?? 'unresolved' })
      return true
    }
    if (!written.has(target.path)) {
      open.push(target.path)
      written.set(target.path, expand(target.schema, target.path))
      open.pop()
    }
    return written.get(target.path)
  }

  function whyCut(target: string | undefined, from: string): UnexpandedRef['why'] | undefined {
    if (target === undefined) return 'unresolved'
    if (open.includes(target) || from === target || from.startsWith(`${target}/`)) return 'recursive'
    return follows ? undefined : 'too large'
  }

  const schema = expand(root, '')
  return isTooDeep || !isJsonObject(schema) ? undefined : { schema, cut: [...cut.values()] }
}

function locateReferences(root: unknown, budget: Budget): ReadonlyMap<string, Located> {
  const places = new Map<string, Located>()
  for (const located of walkSubschemas(root, Infinity)) {
    const { schema, path } = located
    budget.spend(textUnits(path), path)
    places.set(path, located)
    if (!isObject(schema)) continue
    for (const keyword of ANCHORS) {
      if (typeof schema[keyword] === 'string') places.set(`#${schema[keyword]}`, located)
    }
  }
  return places
}

/** Only keywords that judge nothing can join the target's; others need an `allOf`. */
function beside(schema: Schema, target: unknown): Schema {
  if (target === true || (isObject(target) && Object.keys(target).length === 0)) return schema
  if (isObject(target)) {
    const own = Object.entries(schema).filter(([keyword, value]) => keyword !== 'type' || value !== target.type)
    if (own.length === 0) return target
    if (own.every(([keyword]) => !EVALUATED.has(keyword))) return { ...target, ...Object.fromEntries(own) }
  }
  return { ...schema, allOf: [...(Array.isArray(schema.allOf) ? schema.allOf : []), target] }
}

function measureExpansion(schema: unknown, known: Map<object, ExpansionLimits>, budget: Budget): ExpansionLimits {
  if (!isObject(schema)) return { schemas: 1, depth: 1, nesting: 0, characters: 5 }
  const before = known.get(schema)
  if (before) return before
  const bare = mapSubschemas(schema, () => true)
  chargeValue(bare, budget)
  let size: ExpansionLimits = {
    schemas: 1,
    depth: 1,
    nesting: measureNesting(bare),
    characters: JSON.stringify(bare).length,
  }
  for (const { schema: below, path } of subschemas(schema)) {
    const part = measureExpansion(below, known, budget)
    const steps = path.split('/').length - 1
    size = {
      schemas: size.schemas + part.schemas,
      depth: Math.max(size.depth, part.depth + 1),
      nesting: Math.max(size.nesting, part.nesting + steps),
      characters: size.characters + part.characters,
    }
  }
  known.set(schema, size)
  return size
}

function measureNesting(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let deepest = 0
  for (const each of Object.values(value)) deepest = Math.max(deepest, measureNesting(each))
  return deepest + 1
}

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
const MAX_EXPANSION: ExpansionLimits = { schemas: 10_000, depth: MAX_LEVELS, nesting: Infinity, characters: Infinity }

/** Replaces references with their schemas. Cuts cycles, or all references if the limits are exceeded. */
export function expandSchema(schema: JsonSchema, limits = MAX_EXPANSION, budget = createBudget()): ExpandResult {
  if (!isObject(schema) || !hasReferences(schema)) return { schema, cut: [] }
  const expandedSchema = expandReferences(schema, true, budget)
  const size = expandedSchema && measureExpansion(expandedSchema.schema, new Map(), budget)
  if (size && MEASURES.every((measure) => size[measure] <= limits[measure])) return expandedSchema
  return expandReferences(schema, false, budget) ?? { schema, cut: [] }
}

export function hasReferences(root: unknown): boolean {
  for (const { schema } of walkSubschemas(root, Infinity)) {
    if (isObject(schema) && Object.keys(schema).some((keyword) => REFERRING.has(keyword))) return true
  }
  return false
}

/** Returns undefined if references lead too deep. Without `followsReferences`, all are cut. */
function expandReferences(root: Schema, followsReferences: boolean, budget: Budget): ExpandResult | undefined {
  const locatedByPath = locateReferences(root, budget)
  const expandedByPath = new Map<string, unknown>()
  const openPaths: string[] = []
  const cut = new Map<string, UnexpandedRef>()
  let level = 0
  let isTooDeep = false

  function expand(source: unknown, path: string): unknown {
    if (!isObject(source)) return source
    if (level === MAX_LEVELS) isTooDeep = true
    if (isTooDeep) return true
    budget.spend(1 + Object.keys(source).length, path)
    level += 1
    const ownKeywords = Object.entries(source).filter(([keyword]) => !REFERRING.has(keyword) && !ANCHORS.has(keyword))
    let result: Schema = mapSubschemas(Object.fromEntries(ownKeywords), (subschema, _, subpath) =>
      expand(subschema, path + subpath),
    )
    for (const keyword of REFERENCES) {
      if (source[keyword] !== undefined)
        result = joinTarget(result, resolveTarget(source[keyword], path, `${path}/${keyword}`))
    }
    level -= 1
    return result
  }

  function resolveTarget(reference: unknown, from: string, path: string): unknown {
    const refPath = typeof reference === 'string' ? toRefPath(reference) : undefined
    const target = refPath === undefined ? undefined : locatedByPath.get(refPath)
    budget.spend(textUnits(from) + openPaths.length, path)
    const why = findCutReason(target?.path, from)
    if (!target || why) {
      cut.set(path, { path, why: why ?? 'unresolved' })
      return true
    }
    if (!expandedByPath.has(target.path)) {
      openPaths.push(target.path)
      expandedByPath.set(target.path, expand(target.schema, target.path))
      openPaths.pop()
    }
    return expandedByPath.get(target.path)
  }

  function findCutReason(target: string | undefined, from: string): UnexpandedRef['why'] | undefined {
    if (target === undefined) return 'unresolved'
    if (openPaths.includes(target) || from === target || from.startsWith(`${target}/`)) return 'recursive'
    return followsReferences ? undefined : 'too large'
  }

  const schema = expand(root, '')
  return isTooDeep || !isJsonObject(schema) ? undefined : { schema, cut: [...cut.values()] }
}

function locateReferences(root: unknown, budget: Budget): ReadonlyMap<string, Located> {
  const locatedByPath = new Map<string, Located>()
  for (const located of walkSubschemas(root, Infinity)) {
    const { schema, path } = located
    budget.spend(textUnits(path), path)
    locatedByPath.set(path, located)
    if (!isObject(schema)) continue
    for (const keyword of ANCHORS) {
      if (typeof schema[keyword] === 'string') locatedByPath.set(`#${schema[keyword]}`, located)
    }
  }
  return locatedByPath
}

/** Merges a schema with the target of its reference: keywords that validate nothing join the target's, others need `allOf`. */
function joinTarget(schema: Schema, target: unknown): Schema {
  if (target === true || (isObject(target) && Object.keys(target).length === 0)) return schema
  if (isObject(target)) {
    const ownKeywords = Object.entries(schema).filter(([keyword, value]) => keyword !== 'type' || value !== target.type)
    if (ownKeywords.length === 0) return target
    if (ownKeywords.every(([keyword]) => !EVALUATED.has(keyword)))
      return { ...target, ...Object.fromEntries(ownKeywords) }
  }
  return { ...schema, allOf: [...(Array.isArray(schema.allOf) ? schema.allOf : []), target] }
}

function measureExpansion(schema: unknown, measured: Map<object, ExpansionLimits>, budget: Budget): ExpansionLimits {
  if (!isObject(schema)) return { schemas: 1, depth: 1, nesting: 0, characters: 5 }
  const previous = measured.get(schema)
  if (previous) return previous
  const bare = mapSubschemas(schema, () => true)
  chargeValue(bare, budget)
  let size: ExpansionLimits = {
    schemas: 1,
    depth: 1,
    nesting: measureNesting(bare),
    characters: JSON.stringify(bare).length,
  }
  for (const { schema: subschema, path } of subschemas(schema)) {
    const subschemaSize = measureExpansion(subschema, measured, budget)
    const steps = path.split('/').length - 1
    size = {
      schemas: size.schemas + subschemaSize.schemas,
      depth: Math.max(size.depth, subschemaSize.depth + 1),
      nesting: Math.max(size.nesting, subschemaSize.nesting + steps),
      characters: size.characters + subschemaSize.characters,
    }
  }
  measured.set(schema, size)
  return size
}

function measureNesting(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let deepest = 0
  for (const item of Object.values(value)) deepest = Math.max(deepest, measureNesting(item))
  return deepest + 1
}

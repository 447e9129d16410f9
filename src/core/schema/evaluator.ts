import type { Budget } from '../tool/budget.ts'
import { isObject, isStringArray } from '../tool/json.ts'
import { encodePointerStep } from '../tool/problem.ts'
import type { JsonSchema } from '../tool/tool.ts'
import { ASSERTIONS } from './assertions.ts'
import { findKeywordProblem } from './keywords.ts'
import type { PatternMatcher } from './pattern-matcher.ts'
import { createResources, ROOT_SCOPE, type ResourceScope, scopeBelow, enterScope } from './resources.ts'
import { subschemas } from './subschemas.ts'
import { type ValidationError, problemMessage } from './validation-messages.ts'

/** With `nulls`, optional fields that are null where that is not allowed count as absent, and are added to it. */
export type Evaluator = (value: unknown, budget: Budget, nulls?: NullField[]) => readonly ValidationError[]

export interface NullField {
  readonly object: object
  readonly name: string
}

type Place = { readonly above: Place; readonly step: string | number } | undefined

/** Names or indexes of one value that keywords have judged, which `unevaluated...` passes over. */
type Judged = Set<string | number> | undefined

type Check = (value: unknown, place: Place, judged: Judged) => boolean

type Schema = Readonly<Record<string, unknown>>

interface Below {
  readonly scope: ResourceScope
  all(keyword: string): readonly Check[]
  named(keyword: string): ReadonlyMap<string, Check>
}

/** Units for making each part of a schema, and for each evaluation of it. */
const MAKING = 5
const EVALUATION = 0.5
const PARTS_PER_UNIT = 16

/** Evaluation stops reporting there: problems may be many, and their paths long. */
const MAX_FINDINGS = 1_000
const MAX_PLACES = 1_000_000

const OF_SURPLUS_ITEMS = ['items', 'additionalItems', 'unevaluatedItems']
/** Checked together, since one judges only what the others leave. */
const OF_PROPERTIES = ['properties', 'patternProperties', 'additionalProperties']
const OF_ITEMS = ['prefixItems', 'items', 'additionalItems']

/** Generates no code. `$dynamicRef` acts as `$ref`, as in a document of one resource. Throws for an unusable schema. */
export function createEvaluator(
  root: JsonSchema,
  making: Budget,
  createMatcher: (pattern: string) => PatternMatcher,
): Evaluator {
  const resources = createResources<Check>()
  const references: (() => void)[] = []
  let budget = making
  let found: ValidationError[] = []
  let places = 0
  let quiet = 0
  let nulls: NullField[] | undefined

  const check = make(root, '', ROOT_SCOPE)
  for (const resolve of references) resolve()
  return (value, checking, nullFields) => {
    budget = checking
    nulls = nullFields
    found = []
    places = quiet = 0
    check(value, undefined, undefined)
    return found
  }

  function report(place: Place, keyword: string, wanted?: unknown): false {
    if (quiet > 0) return false
    const steps: string[] = []
    for (let each = place; each; each = each.above) steps.push(encodePointerStep(each.step))
    const path = steps.toReversed().join('')
    places += path.length
    found.push({ path, keyword, message: problemMessage(keyword, wanted) })
    if (found.length === MAX_FINDINGS || places > MAX_PLACES) quiet = 1
    return false
  }

  function make(schema: unknown, holder: string, above: ResourceScope): Check {
    making.spend(MAKING)
    const scope = isObject(schema) ? enterScope(schema, above) : above
    const check = isObject(schema) ? buildCheck(schema, scope) : constant(schema, holder)
    resources.keep(isObject(schema) ? schema : {}, scope, check)
    return check
  }

  function constant(schema: unknown, holder: string): Check {
    if (schema === true) return () => true
    if (schema !== false) throw new TypeError('Cannot check values against what is no schema')
    const isItem = OF_SURPLUS_ITEMS.includes(holder)
    return (_, place) => report(isItem ? place?.above : place, holder)
  }

  function buildCheck(schema: Schema, scope: ResourceScope): Check {
    const checks = buildChecks(schema, buildSubchecks(schema, scope))
    const judgesRest = 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema
    return (value, place, judged) => {
      budget.spend(EVALUATION)
      const own: Judged = judgesRest ? new Set() : judged
      const isValid = every(checks, (check) => check(value, place, own))
      if (isValid && own !== judged) join(judged, own)
      return isValid
    }
  }

  function buildSubchecks(schema: Schema, scope: ResourceScope): Below {
    const byKeyword = new Map<string, Check[]>()
    for (const { schema: each, keyword, path } of subschemas(schema)) {
      const checks = byKeyword.get(keyword) ?? []
      byKeyword.set(keyword, checks)
      checks.push(make(each, keyword, scopeBelow(scope, path)))
    }
    const all = (keyword: string) => byKeyword.get(keyword) ?? []
    const named = (keyword: string) => {
      const entries = isObject(schema[keyword]) ? Object.entries(schema[keyword]) : []
      const names = entries.filter(([, each]) => !Array.isArray(each)).map(([name]) => name)
      return new Map(all(keyword).map((check, at) => [names[at] ?? '', check]))
    }
    return { scope, all, named }
  }

  function buildChecks(schema: Schema, below: Below): Check[] {
    const checks: Check[] = []
    const last: Check[] = []
    for (const [keyword, wanted] of Object.entries(schema)) {
      if (wanted === undefined) continue
      if (findKeywordProblem(keyword, wanted) !== undefined) throw new TypeError(`Cannot use a malformed '${keyword}'`)
      const assertion = ASSERTIONS.get(keyword)?.(wanted)
      if (assertion) checks.push((value, place) => assertion(value, budget) || report(place, keyword, wanted))
      const applied = applicator(keyword, schema, below)
      if (applied) (keyword.startsWith('unevaluated') ? last : checks).push(applied)
    }
    if (OF_PROPERTIES.some((keyword) => schema[keyword] !== undefined)) checks.push(propertiesCheck(schema, below))
    if (OF_ITEMS.some((keyword) => schema[keyword] !== undefined)) checks.push(itemsCheck(schema, below))
    return [...checks, ...last]
  }

  function applicator(keyword: string, schema: Schema, { scope, all, named }: Below): Check | undefined {
    const wanted = schema[keyword]
    const [first] = all(keyword)
    switch (keyword) {
      case '$ref':
      case '$dynamicRef':
        return referenceCheck(String(wanted), scope)
      case 'pattern': {
        const matches = createMatcher(String(wanted))
        return (value, place) => typeof value !== 'string' || matches(value, budget) || report(place, keyword, wanted)
      }
      case 'required':
        return (value, place) => !isObject(value) || hasAll(value, wanted, place, keyword)
      case 'dependentRequired':
      case 'dependencies':
      case 'dependentSchemas': {
        const schemas = named(keyword)
        const triggers = Object.entries(isObject(wanted) ? wanted : {})
        return (value, place, judged) => {
          if (!isObject(value)) return true
          budget.spend(triggers.length / PARTS_PER_UNIT)
          return every(triggers, ([name, each]) => {
            if (!Object.hasOwn(value, name)) return true
            const below = schemas.get(name)
            return below ? inPlace(below, value, place, judged) : hasAll(value, each, place, keyword)
          })
        }
      }
      case 'allOf':
        return (value, place, judged) => every(all(keyword), (each) => inPlace(each, value, place, judged))
      case 'anyOf':
      case 'oneOf': {
        const isOne = keyword === 'oneOf'
        return (value, place, judged) => {
          const most = isOne ? 2 : judged ? Infinity : 1
          let count = 0
          for (const each of all(keyword)) if (count < most && holds(each, value, judged)) count += 1
          if (isOne ? count === 1 : count > 0) return true
          return (
            (count === 0 && all(keyword).some((each) => holdsWithoutNulls(each, value, judged))) ||
            report(place, keyword)
          )
        }
      }
      case 'not':
        return first && ((value, place) => !holds(first, value) || report(place, keyword))
      case 'if': {
        const [then, otherwise] = [all('then')[0], all('else')[0]]
        return (value, place, judged) => {
          const branch = first && holds(first, value, judged) ? then : otherwise
          return !branch || inPlace(branch, value, place, judged)
        }
      }
      case 'contains': {
        const [least, most] = [Number(schema['minContains'] ?? 1), Number(schema['maxContains'] ?? Infinity)]
        return (value, place, judged) => {
          if (!first || !Array.isArray(value)) return true
          let count = 0
          for (const [index, each] of value.entries()) {
            if (!holds(first, each)) continue
            judged?.add(index)
            count += 1
          }
          return (count >= least && count <= most) || report(place, keyword)
        }
      }
      case 'propertyNames':
        return (value, place) =>
          every(
            listNames(value),
            (name) => !first || holds(first, name) || report({ above: place, step: name }, keyword),
          )
      case 'unevaluatedProperties':
      case 'unevaluatedItems': {
        const listSteps = (value: unknown): Iterable<string | number> =>
          keyword === 'unevaluatedItems' ? listIndexes(value) : listNames(value)
        return (value, place, judged) =>
          every(
            listSteps(value),
            (step) =>
              !first ||
              judged?.has(step) ||
              isAbsentNull(first, value, step, judged) ||
              part(first, value, step, place, judged),
          )
      }
      default:
        return undefined
    }
  }

  function propertiesCheck({ required }: Schema, { all, named }: Below): Check {
    const isRequired = (name: string) => isStringArray(required) && required.includes(name)
    const properties = named('properties')
    const patterns = [...named('patternProperties')].map(([pattern, check]) => [createMatcher(pattern), check] as const)
    const [additional] = all('additionalProperties')
    return (value, place, judged) =>
      every(listNames(value), (name) => {
        // Absent in JSON, which a bundled tool's output is not yet
        if (Reflect.get(Object(value), name) === undefined) return true
        const own = properties.get(name)
        const checks = own ? [own] : []
        for (const [matches, check] of patterns) if (matches(name, budget)) checks.push(check)
        if (checks.length === 0 && additional) checks.push(additional)
        return every(
          checks,
          (check) =>
            (!isRequired(name) && isAbsentNull(check, value, name, judged)) || part(check, value, name, place, judged),
        )
      })
  }

  function itemsCheck(schema: Schema, { all }: Below): Check {
    const isTuple = Array.isArray(schema['items'])
    const first = all(isTuple ? 'items' : 'prefixItems')
    const [others] = all(isTuple ? 'additionalItems' : 'items')
    return (value, place, judged) =>
      every(listIndexes(value), (index) => {
        const check = first[index] ?? others
        return !check || part(check, value, index, place, judged)
      })
  }

  function referenceCheck(reference: string, scope: ResourceScope): Check {
    let target: Check = () => false
    references.push(() => {
      target = resources.find(reference, scope)
    })
    return (value, place, judged) => inPlace(target, value, place, judged)
  }

  function part(check: Check, value: unknown, step: string | number, place: Place, judged: Judged): boolean {
    judged?.add(step)
    return check(Reflect.get(Object(value), step), { above: place, step }, undefined)
  }

  /** Names and indexes judged by a check count only where the value is valid. */
  function inPlace(check: Check, value: unknown, place: Place, judged: Judged): boolean {
    const own: Judged = judged && new Set()
    const isValid = check(value, place, own)
    if (isValid) join(judged, own)
    return isValid
  }

  function holds(check: Check, value: unknown, judged?: Judged): boolean {
    const outer = nulls
    nulls = undefined
    quiet += 1
    const isValid = inPlace(check, value, undefined, judged)
    quiet -= 1
    nulls = outer
    return isValid
  }

  /** Fields that are null count as absent for this alternative alone. */
  function holdsWithoutNulls(check: Check, value: unknown, judged: Judged): boolean {
    if (!nulls) return false
    const before = nulls.length
    quiet += 1
    const isValid = inPlace(check, value, undefined, judged)
    quiet -= 1
    if (!isValid) nulls.length = before
    return isValid
  }

  function isAbsentNull(check: Check, value: unknown, step: string | number, judged: Judged): boolean {
    if (!nulls || !isObject(value) || value[step] !== null || holds(check, null)) return false
    nulls.push({ object: value, name: String(step) })
    judged?.add(step)
    return true
  }

  function join(judged: Judged, more: Judged): void {
    if (!judged || !more) return
    budget.spend(more.size / PARTS_PER_UNIT)
    for (const each of more) judged.add(each)
  }

  function every<T>(all: Iterable<T>, passes: (each: T) => boolean): boolean {
    let isValid = true
    for (const each of all) {
      if (passes(each)) continue
      isValid = false
      if (quiet > 0) break
    }
    return isValid
  }

  function hasAll(value: Schema, names: unknown, place: Place, keyword: string): boolean {
    if (!isStringArray(names)) return true
    budget.spend(names.length / PARTS_PER_UNIT)
    return every(
      names,
      (name) =>
        (Object.hasOwn(value, name) && value[name] !== undefined) || report({ above: place, step: name }, keyword),
    )
  }

  function listNames(value: unknown): readonly string[] {
    const names = isObject(value) ? Object.keys(value) : []
    budget.spend(names.length / PARTS_PER_UNIT)
    return names
  }

  function listIndexes(value: unknown): Iterable<number> {
    if (!Array.isArray(value)) return []
    budget.spend(value.length / PARTS_PER_UNIT)
    return value.keys()
  }
}

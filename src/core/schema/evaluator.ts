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

/** If `nulls` is passed, optional fields with a null that is not allowed count as absent, and are added to it. */
export type Evaluator = (value: unknown, budget: Budget, nulls?: NullField[]) => readonly ValidationError[]

export interface NullField {
  readonly object: object
  readonly name: string
}

type Place = { readonly above: Place; readonly step: string | number } | undefined

/** Names or indexes of one value that keywords have evaluated, which `unevaluated...` skips. */
type EvaluatedNames = Set<string | number> | undefined

type Check = (value: unknown, place: Place, evaluated: EvaluatedNames) => boolean

type Schema = Readonly<Record<string, unknown>>

interface Subchecks {
  readonly scope: ResourceScope
  listChecks(keyword: string): readonly Check[]
  mapChecks(keyword: string): ReadonlyMap<string, Check>
}

/** Units for compiling each part of a schema, and for each evaluation of it. */
const COMPILE_UNITS = 5
const EVALUATION_UNITS = 0.5
const PARTS_PER_UNIT = 16

/** Evaluation stops reporting at these limits, because there can be many problems, with long paths. */
const MAX_ERRORS = 1_000
const MAX_PATH_CHARACTERS = 1_000_000

const SURPLUS_ITEM_KEYWORDS = ['items', 'additionalItems', 'unevaluatedItems']
/** Checked together, because one of them applies only to what the others leave. */
const PROPERTY_KEYWORDS = ['properties', 'patternProperties', 'additionalProperties']
const ITEM_KEYWORDS = ['prefixItems', 'items', 'additionalItems']

/** Generates no code. `$dynamicRef` acts as `$ref`, as in a document of one resource. Throws for an unusable schema. */
export function createEvaluator(
  root: JsonSchema,
  compileBudget: Budget,
  createMatcher: (pattern: string) => PatternMatcher,
): Evaluator {
  const resources = createResources<Check>()
  const references: (() => void)[] = []
  let budget = compileBudget
  let errors: ValidationError[] = []
  let pathCharacters = 0
  let quietDepth = 0
  let nulls: NullField[] | undefined

  const check = compile(root, '', ROOT_SCOPE)
  for (const resolve of references) resolve()
  return (value, evaluationBudget, nullFields) => {
    budget = evaluationBudget
    nulls = nullFields
    errors = []
    pathCharacters = quietDepth = 0
    check(value, undefined, undefined)
    return errors
  }

  function report(place: Place, keyword: string, operand?: unknown): false {
    if (quietDepth > 0) return false
    const steps: string[] = []
    for (let step = place; step; step = step.above) steps.push(encodePointerStep(step.step))
    const path = steps.toReversed().join('')
    pathCharacters += path.length
    errors.push({ path, keyword, message: problemMessage(keyword, operand) })
    if (errors.length === MAX_ERRORS || pathCharacters > MAX_PATH_CHARACTERS) quietDepth = 1
    return false
  }

  function compile(schema: unknown, parentKeyword: string, above: ResourceScope): Check {
    compileBudget.spend(COMPILE_UNITS)
    const scope = isObject(schema) ? enterScope(schema, above) : above
    const check = isObject(schema) ? buildCheck(schema, scope) : createConstantCheck(schema, parentKeyword)
    resources.set(isObject(schema) ? schema : {}, scope, check)
    return check
  }

  function createConstantCheck(schema: unknown, parentKeyword: string): Check {
    if (schema === true) return () => true
    if (schema !== false) throw new TypeError('Cannot check values against what is no schema')
    const isItem = SURPLUS_ITEM_KEYWORDS.includes(parentKeyword)
    return (_, place) => report(isItem ? place?.above : place, parentKeyword)
  }

  function buildCheck(schema: Schema, scope: ResourceScope): Check {
    const checks = buildChecks(schema, buildSubchecks(schema, scope))
    const tracksEvaluated = 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema
    return (value, place, evaluated) => {
      budget.spend(EVALUATION_UNITS)
      const ownEvaluated: EvaluatedNames = tracksEvaluated ? new Set() : evaluated
      const isValid = every(checks, (check) => check(value, place, ownEvaluated))
      if (isValid && ownEvaluated !== evaluated) addEvaluated(evaluated, ownEvaluated)
      return isValid
    }
  }

  function buildSubchecks(schema: Schema, scope: ResourceScope): Subchecks {
    const byKeyword = new Map<string, Check[]>()
    for (const { schema: subschema, keyword, path } of subschemas(schema)) {
      const checks = byKeyword.get(keyword) ?? []
      byKeyword.set(keyword, checks)
      checks.push(compile(subschema, keyword, scopeBelow(scope, path)))
    }
    const listChecks = (keyword: string) => byKeyword.get(keyword) ?? []
    const mapChecks = (keyword: string) => {
      const entries = isObject(schema[keyword]) ? Object.entries(schema[keyword]) : []
      const names = entries.filter(([, value]) => !Array.isArray(value)).map(([name]) => name)
      return new Map(listChecks(keyword).map((check, at) => [names[at] ?? '', check]))
    }
    return { scope, listChecks, mapChecks }
  }

  function buildChecks(schema: Schema, subchecks: Subchecks): Check[] {
    const checks: Check[] = []
    const unevaluatedChecks: Check[] = []
    for (const [keyword, operand] of Object.entries(schema)) {
      if (operand === undefined) continue
      if (findKeywordProblem(keyword, operand) !== undefined) throw new TypeError(`Cannot use a malformed '${keyword}'`)
      const assertion = ASSERTIONS.get(keyword)?.(operand)
      if (assertion) checks.push((value, place) => assertion(value, budget) || report(place, keyword, operand))
      const applicatorCheck = createApplicator(keyword, schema, subchecks)
      if (applicatorCheck) (keyword.startsWith('unevaluated') ? unevaluatedChecks : checks).push(applicatorCheck)
    }
    if (PROPERTY_KEYWORDS.some((keyword) => schema[keyword] !== undefined))
      checks.push(createPropertiesCheck(schema, subchecks))
    if (ITEM_KEYWORDS.some((keyword) => schema[keyword] !== undefined)) checks.push(createItemsCheck(schema, subchecks))
    return [...checks, ...unevaluatedChecks]
  }

  function createApplicator(
    keyword: string,
    schema: Schema,
    { scope, listChecks, mapChecks }: Subchecks,
  ): Check | undefined {
    const operand = schema[keyword]
    const [firstCheck] = listChecks(keyword)
    switch (keyword) {
      case '$ref':
      case '$dynamicRef':
        return createReferenceCheck(String(operand), scope)
      case 'pattern': {
        const matches = createMatcher(String(operand))
        return (value, place) => typeof value !== 'string' || matches(value, budget) || report(place, keyword, operand)
      }
      case 'required':
        return (value, place) => !isObject(value) || hasAll(value, operand, place, keyword)
      case 'dependentRequired':
      case 'dependencies':
      case 'dependentSchemas': {
        const schemas = mapChecks(keyword)
        const triggers = Object.entries(isObject(operand) ? operand : {})
        return (value, place, evaluated) => {
          if (!isObject(value)) return true
          budget.spend(triggers.length / PARTS_PER_UNIT)
          return every(triggers, ([name, names]) => {
            if (!Object.hasOwn(value, name)) return true
            const dependentCheck = schemas.get(name)
            return dependentCheck
              ? checkInPlace(dependentCheck, value, place, evaluated)
              : hasAll(value, names, place, keyword)
          })
        }
      }
      case 'allOf':
        return (value, place, evaluated) =>
          every(listChecks(keyword), (check) => checkInPlace(check, value, place, evaluated))
      case 'anyOf':
      case 'oneOf': {
        const isOne = keyword === 'oneOf'
        return (value, place, evaluated) => {
          const maxCount = isOne ? 2 : evaluated ? Infinity : 1
          let count = 0
          for (const check of listChecks(keyword))
            if (count < maxCount && isValidQuietly(check, value, evaluated)) count += 1
          if (isOne ? count === 1 : count > 0) return true
          return (
            (count === 0 && listChecks(keyword).some((check) => holdsWithoutNulls(check, value, evaluated))) ||
            report(place, keyword)
          )
        }
      }
      case 'not':
        return firstCheck && ((value, place) => !isValidQuietly(firstCheck, value) || report(place, keyword))
      case 'if': {
        const [thenCheck, elseCheck] = [listChecks('then')[0], listChecks('else')[0]]
        return (value, place, evaluated) => {
          const branch = firstCheck && isValidQuietly(firstCheck, value, evaluated) ? thenCheck : elseCheck
          return !branch || checkInPlace(branch, value, place, evaluated)
        }
      }
      case 'contains': {
        const [min, max] = [Number(schema['minContains'] ?? 1), Number(schema['maxContains'] ?? Infinity)]
        return (value, place, evaluated) => {
          if (!firstCheck || !Array.isArray(value)) return true
          let count = 0
          for (const [index, item] of value.entries()) {
            if (!isValidQuietly(firstCheck, item)) continue
            evaluated?.add(index)
            count += 1
          }
          return (count >= min && count <= max) || report(place, keyword)
        }
      }
      case 'propertyNames':
        return (value, place) =>
          every(
            listNames(value),
            (name) => !firstCheck || isValidQuietly(firstCheck, name) || report({ above: place, step: name }, keyword),
          )
      case 'unevaluatedProperties':
      case 'unevaluatedItems': {
        const listSteps = (value: unknown): Iterable<string | number> =>
          keyword === 'unevaluatedItems' ? listIndexes(value) : listNames(value)
        return (value, place, evaluated) =>
          every(
            listSteps(value),
            (step) =>
              !firstCheck ||
              evaluated?.has(step) ||
              isAbsentNull(firstCheck, value, step, evaluated) ||
              checkPart(firstCheck, value, step, place, evaluated),
          )
      }
      default:
        return undefined
    }
  }

  function createPropertiesCheck({ required }: Schema, { listChecks, mapChecks }: Subchecks): Check {
    const isRequired = (name: string) => isStringArray(required) && required.includes(name)
    const properties = mapChecks('properties')
    const patterns = [...mapChecks('patternProperties')].map(
      ([pattern, check]) => [createMatcher(pattern), check] as const,
    )
    const [additional] = listChecks('additionalProperties')
    return (value, place, evaluated) =>
      every(listNames(value), (name) => {
        // Undefined fields will be absent from a bundled tool's output, which is not JSON yet
        if (Reflect.get(Object(value), name) === undefined) return true
        const propertyCheck = properties.get(name)
        const checks = propertyCheck ? [propertyCheck] : []
        for (const [matches, check] of patterns) if (matches(name, budget)) checks.push(check)
        if (checks.length === 0 && additional) checks.push(additional)
        return every(
          checks,
          (check) =>
            (!isRequired(name) && isAbsentNull(check, value, name, evaluated)) ||
            checkPart(check, value, name, place, evaluated),
        )
      })
  }

  function createItemsCheck(schema: Schema, { listChecks }: Subchecks): Check {
    const isTuple = Array.isArray(schema['items'])
    const prefixChecks = listChecks(isTuple ? 'items' : 'prefixItems')
    const [itemCheck] = listChecks(isTuple ? 'additionalItems' : 'items')
    return (value, place, evaluated) =>
      every(listIndexes(value), (index) => {
        const check = prefixChecks[index] ?? itemCheck
        return !check || checkPart(check, value, index, place, evaluated)
      })
  }

  function createReferenceCheck(reference: string, scope: ResourceScope): Check {
    let target: Check = () => false
    references.push(() => {
      target = resources.find(reference, scope)
    })
    return (value, place, evaluated) => checkInPlace(target, value, place, evaluated)
  }

  function checkPart(
    check: Check,
    value: unknown,
    step: string | number,
    place: Place,
    evaluated: EvaluatedNames,
  ): boolean {
    evaluated?.add(step)
    return check(Reflect.get(Object(value), step), { above: place, step }, undefined)
  }

  /** Names and indexes count as evaluated by a check only if the value is valid. */
  function checkInPlace(check: Check, value: unknown, place: Place, evaluated: EvaluatedNames): boolean {
    const ownEvaluated: EvaluatedNames = evaluated && new Set()
    const isValid = check(value, place, ownEvaluated)
    if (isValid) addEvaluated(evaluated, ownEvaluated)
    return isValid
  }

  function isValidQuietly(check: Check, value: unknown, evaluated?: EvaluatedNames): boolean {
    const outerNulls = nulls
    nulls = undefined
    quietDepth += 1
    const isValid = checkInPlace(check, value, undefined, evaluated)
    quietDepth -= 1
    nulls = outerNulls
    return isValid
  }

  /** Treats null fields as absent, but only for this alternative. */
  function holdsWithoutNulls(check: Check, value: unknown, evaluated: EvaluatedNames): boolean {
    if (!nulls) return false
    const nullCount = nulls.length
    quietDepth += 1
    const isValid = checkInPlace(check, value, undefined, evaluated)
    quietDepth -= 1
    if (!isValid) nulls.length = nullCount
    return isValid
  }

  function isAbsentNull(check: Check, value: unknown, step: string | number, evaluated: EvaluatedNames): boolean {
    if (!nulls || !isObject(value) || value[step] !== null || isValidQuietly(check, null)) return false
    nulls.push({ object: value, name: String(step) })
    evaluated?.add(step)
    return true
  }

  function addEvaluated(evaluated: EvaluatedNames, added: EvaluatedNames): void {
    if (!evaluated || !added) return
    budget.spend(added.size / PARTS_PER_UNIT)
    for (const step of added) evaluated.add(step)
  }

  function every<T>(items: Iterable<T>, passes: (item: T) => boolean): boolean {
    let isValid = true
    for (const item of items) {
      if (passes(item)) continue
      isValid = false
      if (quietDepth > 0) break
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

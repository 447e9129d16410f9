import { afford, type Budget, createBudget, UNITS } from '../tool/budget.ts'
import { isObject } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import type { JsonSchema } from '../tool/tool.ts'
import { type CompiledError, findingsOfErrors } from './compiled-schema.ts'
import { expandSchema } from './expand.ts'
import { createEvaluator, type Evaluator } from './evaluator.ts'
import { isSimplePattern } from './pattern.ts'
import { loadPatternEngine, patternsOf } from './pattern-matcher.ts'
import { everySubschema } from './subschemas.ts'
import { reported } from './wording.ts'

/** Checks a JSON value against one schema: every problem at once (at most 100), none when it is valid. Never throws. */
export type Validate = (value: unknown) => readonly Problem[]

/** A validation function that `compileSchemas` made when building. */
export interface CompiledSchema {
  (value: unknown): boolean
  errors?: readonly CompiledError[] | null
}

/**
 * Whether compiled code checks any value against a schema in time proportional to the value. It counts nothing, so whatever
 * else is asked for must be interpreted: patterns that may backtrack, items that differ, and what leads back to itself,
 * since alternatives there are tried again at each level.
 */
export function isCheckedInLinearTime(schema: JsonSchema): boolean {
  for (const { schema: each } of everySubschema(schema, Infinity)) {
    if (isObject(each) && each['uniqueItems'] === true) return false
  }
  if (!patternsOf(schema).every(isSimplePattern)) return false
  const expanded = afford(() => expandSchema(schema), '')
  return expanded.ok && expanded.value.cut.length === 0
}

/**
 * A validator out of a compiled validation function: the same problems in the same words as `interpretSchema` gives.
 * Costs neither parsing nor code generation at run time, which Workers refuse. The schema is one of those that are checked
 * in linear time.
 */
export function compiledValidate(compiled: CompiledSchema): Validate {
  return (value) => {
    try {
      return tooLarge(value) ?? (compiled(value) ? [] : reported(findingsOfErrors(compiled.errors ?? [])))
    } catch (error) {
      if (error instanceof RangeError) return [{ path: '', message: 'Must nest less deep to be checked' }]
      throw error
    }
  }
}

/**
 * The most parts of a value that is checked by code that counts nothing, and of an input, which is also put in order to be
 * known again. About as many as the interpreter looks at for its budget; each may have several problems.
 */
export const MAX_PARTS = 150_000
const TOO_COSTLY = 'Is too costly to check against its schema'

/** The problem of a value of more than `MAX_PARTS` scalars, lists and objects; undefined for all others. */
export function tooLarge(value: unknown): readonly Problem[] | undefined {
  let left = MAX_PARTS
  const hasMore = (each: unknown): boolean => {
    left -= 1
    if (left < 0) return true
    if (typeof each !== 'object' || each === null) return false
    if (Array.isArray(each)) return each.some(hasMore)
    for (const key in each) if (hasMore(Reflect.get(each, key))) return true
    return false
  }
  return hasMore(value) ? [{ path: '', message: TOO_COSTLY }] : undefined
}

/**
 * For making a validator: more than any schema takes that publication accepts, so that none of those is refused here, also
 * of those that were published under earlier bounds.
 */
const MAKING_UNITS = 2 * UNITS

/** Makes a schema's validator, as `interpretSchema` does, with the engine that its patterns need. */
export async function loadValidator(schema: JsonSchema): Promise<Validate> {
  await loadPatternEngine(schema)
  return interpretSchema(schema)
}

/**
 * Makes a schema's validator without generating code, which Workers refuse during a request. Making it draws on a budget
 * of its own, as does the check of each value; `budgetOf` makes these. The validator never takes long: a value that is too
 * deep for the stack, or too costly to check, has one problem that says so. `format` is an annotation (JSON Schema 2020-12
 * Validation section 7.2.1); references are followed within the document only. A schema that cannot be used at all gives a
 * validator that refuses everything.
 */
export function interpretSchema(schema: JsonSchema, budgetOf: (units: number) => Budget = createBudget): Validate {
  let evaluate: Evaluator
  try {
    evaluate = createEvaluator(schema, budgetOf(MAKING_UNITS))
  } catch {
    return () => [{ path: '', message: 'Cannot be checked, since the schema cannot be used' }]
  }
  return (value) => {
    if (value === undefined) return [{ path: '', message: 'Cannot be checked against its schema' }]
    try {
      const found = afford(() => evaluate(value, budgetOf(UNITS)), TOO_COSTLY)
      return found.ok ? reported(found.value) : found.problems.map(({ message }) => ({ path: '', message }))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return [{ path: '', message: 'Is too deep or too large to check against its schema' }]
    }
  }
}

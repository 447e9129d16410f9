import { withinBudget, type Budget, createBudget, exceedsMaxNodes, DEFAULT_UNITS } from '../tool/budget.ts'
import { findBigInteger } from '../tool/big-integers.ts'
import { isObject } from '../tool/json.ts'
import { encodePointerStep, type Problem } from '../tool/problem.ts'
import type { JsonSchema } from '../tool/tool.ts'
import { expandSchema } from './expand.ts'
import { createEvaluator, type Evaluator, type NullField } from './evaluator.ts'
import { isSimplePattern } from './pattern.ts'
import { createMatchers, loadPatternEngine, type PatternMatcher, collectPatterns } from './pattern-matcher.ts'
import { walkSubschemas } from './subschemas.ts'
import { limitErrors } from './validation-messages.ts'

export type { NullField }

export const TOO_COSTLY: readonly Problem[] = [{ path: '', message: 'Is too costly to check against its schema' }]

/**
 * Gives every problem at once, at most 100. Never throws. Work that the schema can make grow draws on `whole`, too.
 * Optional fields of a value with problems that are null, where that is not allowed, are added to `nulls`.
 */
export type Validate = (value: unknown, whole?: Budget, nulls?: NullField[]) => readonly Problem[]

/** Says only whether a value fits. */
export type CompiledSchema = (value: unknown) => boolean

/** Compiled code counts no work, so patterns that may backtrack, unique items and recursion must be interpreted. */
export function isCheckedInLinearTime(schema: JsonSchema): boolean {
  for (const { schema: each } of walkSubschemas(schema, Infinity)) {
    if (isObject(each) && each['uniqueItems'] === true) return false
  }
  if (!collectPatterns(schema).every(isSimplePattern)) return false
  const expanded = withinBudget(() => expandSchema(schema), '')
  return expanded.ok && expanded.value.cut.length === 0
}

/** For tools that read numbers as doubles, whatever their schemas allow. */
export function refusingBigIntegers(validate: Validate): Validate {
  return (value, whole, nulls) => {
    const steps = findBigInteger(value)
    if (!steps) return validate(value, whole, nulls)
    const path = steps.map(encodePointerStep).join('')
    return [
      { path, message: `Must be from -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}, if it is an integer` },
    ]
  }
}

/** For schemas that are checked in linear time. Only a value that does not fit is interpreted, to tell its problems. */
export function createCompiledValidator(compiled: CompiledSchema, schema: JsonSchema): Validate {
  let interpreted: Validate | undefined
  return (value, whole, nulls) => {
    try {
      if (exceedsMaxNodes(value)) return TOO_COSTLY
      if (compiled(value)) return []
    } catch (error) {
      if (error instanceof RangeError) return [{ path: '', message: 'Must nest less deep to be checked' }]
      throw error
    }
    interpreted ??= interpretSchema(schema, createBudget, () => nativeMatches)
    return interpreted(value, whole, nulls)
  }
}

/** Linear for the patterns of such schemas, and there at once. */
function nativeMatches(pattern: string): PatternMatcher {
  const expression = new RegExp(pattern, 'u')
  return (text) => expression.test(text)
}

const MAKING_UNITS = 2 * DEFAULT_UNITS

export async function loadValidator(schema: JsonSchema, compiled?: CompiledSchema): Promise<Validate> {
  if (compiled) return createCompiledValidator(compiled, schema)
  await loadPatternEngine(schema)
  return interpretSchema(schema)
}

/** Generates no code, which Workers refuse. `format` is an annotation (JSON Schema 2020-12 Validation section 7.2.1). */
export function interpretSchema(
  schema: JsonSchema,
  createUnitBudget: (units: number, whole?: Budget) => Budget = createBudget,
  createPatternMatchers = createMatchers,
): Validate {
  let evaluate: Evaluator
  try {
    const making = createUnitBudget(MAKING_UNITS)
    evaluate = createEvaluator(schema, making, createPatternMatchers(making))
  } catch {
    return () => [{ path: '', message: 'Cannot be checked, since the schema cannot be used' }]
  }
  return (value, whole, nulls) => {
    if (value === undefined) return [{ path: '', message: 'Cannot be checked against its schema' }]
    try {
      const found = withinBudget(() => evaluate(value, createUnitBudget(DEFAULT_UNITS, whole)), '')
      if (!found.ok) return TOO_COSTLY
      if (nulls && found.value.length > 0)
        withinBudget(() => evaluate(value, createUnitBudget(DEFAULT_UNITS, whole), nulls), '')
      return limitErrors(found.value)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return [{ path: '', message: 'Is too deep or too large to check against its schema' }]
    }
  }
}

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
 * Returns all problems, at most 100. Never throws. Work that grows with the schema is charged to `parentBudget` too. If the
 * value has problems, optional fields with a null that is not allowed are added to `nulls`.
 */
export type Validate = (value: unknown, parentBudget?: Budget, nulls?: NullField[]) => readonly Problem[]

/** Checks only whether a value is valid. */
export type CompiledSchema = (value: unknown) => boolean

/** Compiled code has no budget, so patterns that may backtrack, unique items and recursion must be interpreted. */
export function isCheckedInLinearTime(schema: JsonSchema): boolean {
  for (const { schema: subschema } of walkSubschemas(schema, Infinity)) {
    if (isObject(subschema) && subschema['uniqueItems'] === true) return false
  }
  if (!collectPatterns(schema).every(isSimplePattern)) return false
  const expansion = withinBudget(() => expandSchema(schema), '')
  return expansion.ok && expansion.value.cut.length === 0
}

/** Refuses integers that do not fit a double, for tools that read numbers as doubles whatever their schemas allow. */
export function refusingBigIntegers(validate: Validate): Validate {
  return (value, parentBudget, nulls) => {
    const steps = findBigInteger(value)
    if (!steps) return validate(value, parentBudget, nulls)
    const path = steps.map(encodePointerStep).join('')
    return [
      { path, message: `Must be from -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}, if it is an integer` },
    ]
  }
}

/** Validates by a compiled schema in linear time. Interprets the schema only for an invalid value, to find its problems. */
export function createCompiledValidator(compiled: CompiledSchema, schema: JsonSchema): Validate {
  let interpret: Validate | undefined
  return (value, parentBudget, nulls) => {
    try {
      if (exceedsMaxNodes(value)) return TOO_COSTLY
      if (compiled(value)) return []
    } catch (error) {
      if (error instanceof RangeError) return [{ path: '', message: 'Must nest less deep to be checked' }]
      throw error
    }
    interpret ??= interpretSchema(schema, () => nativeMatches)
    return interpret(value, parentBudget, nulls)
  }
}

/** Linear for the patterns of such schemas, and needs no loading. */
function nativeMatches(pattern: string): PatternMatcher {
  const expression = new RegExp(pattern, 'u')
  return (text) => expression.test(text)
}

const COMPILE_UNITS = 2 * DEFAULT_UNITS

export async function loadValidator(schema: JsonSchema, compiled?: CompiledSchema): Promise<Validate> {
  if (compiled) return createCompiledValidator(compiled, schema)
  await loadPatternEngine(schema)
  return interpretSchema(schema)
}

/** Generates no code, which Workers refuse. `format` is an annotation (JSON Schema 2020-12 Validation section 7.2.1). */
export function interpretSchema(schema: JsonSchema, createPatternMatchers = createMatchers): Validate {
  let evaluate: Evaluator
  try {
    const compileBudget = createBudget(COMPILE_UNITS)
    evaluate = createEvaluator(schema, compileBudget, createPatternMatchers(compileBudget))
  } catch {
    return () => [{ path: '', message: 'Cannot be checked, since the schema cannot be used' }]
  }
  return (value, parentBudget, nulls) => {
    if (value === undefined) return [{ path: '', message: 'Cannot be checked against its schema' }]
    try {
      const evaluated = withinBudget(() => evaluate(value, createBudget(DEFAULT_UNITS, parentBudget)), '')
      if (!evaluated.ok) return TOO_COSTLY
      if (nulls && evaluated.value.length > 0)
        withinBudget(() => evaluate(value, createBudget(DEFAULT_UNITS, parentBudget), nulls), '')
      return limitErrors(evaluated.value)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return [{ path: '', message: 'Is too deep or too large to check against its schema' }]
    }
  }
}

import { dereference, validate } from '@cfworker/json-schema'
import { afford, type Budget, createBudget, UNITS } from '../tool/budget.ts'
import { isObject } from '../tool/json.ts'
import type { Problem } from '../tool/problem.ts'
import type { JsonSchema } from '../tool/tool.ts'
import { type CompiledError, findingsOfErrors } from './compiled-schema.ts'
import { expandSchema } from './expand.ts'
import { hasMoreParts, MAX_PARTS, measure, measureLists } from './instance-size.ts'
import { findingsOfUnits, type Lookup } from './interpreted-schema.ts'
import { backtracking } from './pattern.ts'
import { type Prepared, prepareSchema, STEPS_PER_UNIT, type Validation } from './prepared-schema.ts'
import { everySubschema } from './subschemas.ts'
import { type Finding, reported } from './wording.ts'

/** Checks a JSON value against one schema: every problem at once (at most 100), none when it is valid. Never throws. */
export type Validate = (value: unknown) => readonly Problem[]

/** A validation function that `compileSchemas` made when building. */
export interface CompiledSchema {
  (value: unknown): boolean
  errors?: readonly CompiledError[] | null
}

/**
 * Whether compiled code checks any value against a schema in time proportional to the value. It counts nothing, so whatever
 * else is asked for must be interpreted: patterns that backtrack, items that differ, and what leads back to itself, since
 * alternatives there are tried again at each level.
 */
export function isCheckedInLinearTime(schema: JsonSchema): boolean {
  for (const { schema: each } of everySubschema(schema, Infinity)) {
    if (!isObject(each)) continue
    const { pattern, patternProperties, uniqueItems } = each
    if (uniqueItems === true) return false
    const patterns = [pattern, ...(isObject(patternProperties) ? Object.keys(patternProperties) : [])]
    if (patterns.some((text) => typeof text === 'string' && backtracking(text).kind !== 'linear')) return false
  }
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

/** What is wrong with an input of more parts than anything is asked of, whatever checks it; undefined for all others. */
export function tooLarge(value: unknown): readonly Problem[] | undefined {
  return hasMoreParts(value, MAX_PARTS) ? [{ path: '', message: TOO_COSTLY }] : undefined
}

/** The units that the evaluation of a schema costs, and from which width of the value on it costs more. */
const EVALUATION = 0.65
const WIDE = 1_250
/** Characters of a text that are read through for a unit. */
const READ_PER_UNIT = 1_000
const TOO_COSTLY = 'Is too costly to check against its schema'
const NO_LISTS = { heaviest: 0, most: 0 }
/**
 * For making a validator: more than any schema takes that publication accepts, so that none of those is refused here, also
 * of those that were published under earlier bounds.
 */
const MAKING_UNITS = 2 * UNITS

/**
 * Makes a schema's validator without generating code, which Workers refuse during a request. Preparation is done once, and
 * draws on a budget of its own, as does the check of each value; `budgetOf` makes these.
 * The validator never takes long: a value that is too deep for the stack, or too costly to check, has one problem that
 * says so. `format` is an annotation (JSON Schema 2020-12 Validation section 7.2.1); references are followed within the
 * document only. A schema that cannot be used at all gives a validator that refuses everything.
 */
export function interpretSchema(schema: JsonSchema, budgetOf: (units: number) => Budget = createBudget): Validate {
  const validation: Validation = {
    budget: budgetOf(MAKING_UNITS),
    evaluation: EVALUATION,
    names: 0,
    text: 0,
    lists: NO_LISTS,
    unmatched: undefined,
  }
  let prepared: Prepared
  let lookup: Lookup
  try {
    prepared = prepareSchema(schema, validation)
    lookup = dereference(prepared.root)
  } catch {
    return () => [{ path: '', message: 'Cannot be checked, since the schema cannot be used' }]
  }
  return (value) => {
    try {
      const { width, longNames, nameSteps, longest } = measure(value, prepared.names)
      if (longNames.length > 0) return reported(longNames.map((path) => nameTooLong(path, prepared.names.maxLength)))
      validation.budget = budgetOf(UNITS)
      validation.evaluation = EVALUATION * Math.max(1, width / WIDE)
      validation.names = nameSteps / STEPS_PER_UNIT
      validation.text = longest / READ_PER_UNIT
      validation.lists = prepared.comparesItems ? measureLists(value) : NO_LISTS
      validation.unmatched = undefined
      const checked = afford(() => validate(value, prepared.root, '2020-12', lookup, false), TOO_COSTLY)
      if (!checked.ok) return checked.problems
      const { valid, errors } = checked.value
      if (!valid) return reported(findingsOfUnits(errors, prepared, lookup))
      // Below `not` or `anyOf` a limit of ours may have made valid what is not.
      return validation.unmatched === undefined ? [] : [{ path: '', message: validation.unmatched }]
    } catch (error) {
      return [{ path: '', message: refusal(error) }]
    }
  }
}

function nameTooLong(path: string, length: number): Finding {
  const message = `Must have a name of at most ${length} characters to be matched against the patterns`
  return { path, keyword: 'patternProperties', message }
}

function refusal(error: unknown): string {
  if (error instanceof RangeError) return 'Is too deep or too large to check against its schema'
  return 'Cannot be checked against its schema'
}

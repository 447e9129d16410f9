import { dereference, validate } from '@cfworker/json-schema'
import type { Problem } from '../tool/problem.ts'
import type { JsonSchema } from '../tool/tool.ts'
import { type CompiledError, findingsOfErrors } from './compiled-schema.ts'
import { measure } from './instance-size.ts'
import { findingsOfUnits, type Lookup } from './interpreted-schema.ts'
import { type Budget, type Prepared, prepareSchema, STEPS_PER_EVALUATION, TooCostly } from './prepared-schema.ts'
import { type Finding, reported } from './wording.ts'

/** Checks a JSON value against one schema: every problem at once (at most 100), none when it is valid. Never throws. */
export type Validate = (value: unknown) => readonly Problem[]

/** A validation function that `compileSchemas` made when building. */
export interface CompiledSchema {
  (value: unknown): boolean
  errors?: readonly CompiledError[] | null
}

/**
 * A validator out of a compiled validation function: the same problems in the same words as `interpretSchema` gives.
 * Costs neither parsing nor code generation at run time, which Workers refuse, and takes as long as the schema allows.
 */
export function compiledValidate(compiled: CompiledSchema): Validate {
  return (value) => {
    try {
      return compiled(value) ? [] : reported(findingsOfErrors(compiled.errors ?? []))
    } catch (error) {
      if (error instanceof RangeError) return [{ path: '', message: 'Must nest less deep to be checked' }]
      throw error
    }
  }
}

/** Evaluations of a subschema that one validation may take. */
const MAX_EVALUATIONS = 200_000

/** An evaluation can take time in proportion to the widest part of the value, so a wide value gets fewer. */
const MAX_WORK = 1e8

/**
 * Makes a schema's validator without generating code, which Workers refuse during a request. Preparation is done once.
 * The validator never takes long: a value that is too deep for the stack, or too costly to check, has one problem that
 * says so. `format` is an annotation (JSON Schema 2020-12 Validation section 7.2.1); references are followed within the
 * document only. A schema that cannot be used at all gives a validator that refuses everything.
 */
export function interpretSchema(schema: JsonSchema): Validate {
  const budget: Budget = { left: 0, names: 0, unmatched: undefined }
  let prepared: Prepared
  let lookup: Lookup
  try {
    prepared = prepareSchema(schema, budget)
    lookup = dereference(prepared.root)
  } catch {
    return () => [{ path: '', message: 'Cannot be checked, since the schema cannot be used' }]
  }
  return (value) => {
    try {
      const { width, longNames, nameSteps } = measure(value, prepared.names)
      if (longNames.length > 0) return reported(longNames.map((path) => nameTooLong(path, prepared.names.maxLength)))
      budget.left = Math.min(MAX_EVALUATIONS, Math.floor(MAX_WORK / Math.max(1, width)))
      budget.names = nameSteps / STEPS_PER_EVALUATION
      budget.unmatched = undefined
      const { valid, errors } = validate(value, prepared.root, '2020-12', lookup, false)
      if (!valid) return reported(findingsOfUnits(errors, prepared, lookup))
      // Below `not` or `anyOf` a limit of ours may have made valid what is not.
      return budget.unmatched === undefined ? [] : [{ path: '', message: budget.unmatched }]
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
  if (error instanceof TooCostly) return 'Is too costly to check against its schema'
  if (error instanceof RangeError) return 'Is too deep or too large to check against its schema'
  return 'Cannot be checked against its schema'
}

import { tooLarge, type Validate } from '../schema/validator.ts'
import type { JsonObject } from '../tool/json.ts'
import { pointerSteps } from '../tool/problem.ts'
import { fail, ok, type Result } from '../failure/failure.ts'

/**
 * Validates an input. `null` for an optional parameter whose schema does not allow it counts as absent: models send it.
 * Gives the input as the tool is to get it.
 */
export function checkInput(validate: Validate, input: JsonObject, schema: JsonObject): Result<JsonObject> {
  const unfit = tooLarge(input)
  if (unfit) return fail({ type: 'input-invalid', problems: unfit })
  const problems = validate(input)
  if (problems.length === 0) return ok(input)
  const required = Array.isArray(schema.required) ? schema.required : []
  const absent = new Set(
    problems
      .map(({ path }) => pointerSteps(path)?.[0])
      .filter((name) => name !== undefined && input[name] === null && !required.includes(name)),
  )
  if (absent.size === 0) return fail({ type: 'input-invalid', problems })
  const without = Object.fromEntries(Object.entries(input).filter(([name]) => !absent.has(name)))
  const remaining = validate(without)
  return remaining.length === 0 ? ok(without) : fail({ type: 'input-invalid', problems: remaining })
}

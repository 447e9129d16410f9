import { createSearch } from '../call/jmespath/search.ts'
import { fail, ok, type Result } from '../failure/failure.ts'
import type { Json, JsonObject } from '../tool/json.ts'
import * as json from '../tool/json-reader.ts'

const MEANING = "A JMESPath expression over an event's data: events for which it is false or empty are skipped"
/** Arguments of a subscription. */
const ARGUMENTS = json.object({
  filter: json.optional(json.withSchemaDescription(MEANING, json.string({ max: 1_000 }))),
})
export const ARGUMENTS_SCHEMA = json.toJsonSchema(ARGUMENTS)

/** Creates the filter of a subscription. If filtering an event takes too much work, the event passes rather than being lost. */
export function createEventFilter(input: JsonObject): Result<(data: JsonObject) => boolean> {
  const read = json.parseValue(ARGUMENTS, input)
  if (!read.ok) return fail({ type: 'input-invalid', problems: read.problems })
  const { filter } = read.value
  if (filter === undefined) return ok(() => true)
  const expression = createSearch(filter)
  if (!expression.ok) return fail({ type: 'select-invalid', message: expression.message })
  return ok((data) => {
    const result = expression.search(data)
    return !result.ok || isTrue(result.value)
  })
}

/** JMESPath, "Or Expressions". */
function isTrue(value: Json): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return value !== null && value !== false && value !== ''
}

import { fail, ok, type Result } from '../failure/failure.ts'
import type { Json, JsonObject } from '../tool/json.ts'

export type EventFilter = (data: JsonObject) => boolean

/** The filter that a subscription's arguments name. An event for which it takes too much work passes, since it would be lost. */
export async function createEventFilter({ filter }: JsonObject): Promise<Result<EventFilter>> {
  if (typeof filter !== 'string') return ok(() => true)
  const { createSearch } = await import('../call/jmespath/search.ts')
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

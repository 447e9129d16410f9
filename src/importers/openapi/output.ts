import { isObject, type JsonObject } from '../../core/tool/json.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'
import { type Description, follow, type Node, objectAt } from './description.ts'
import { chooseMedia, isRange } from './media-type.ts'
import type { Converted, SchemaConverter } from './schema.ts'

/** What a tool gives back, and how its implementation reads it. */
export interface Returned {
  readonly output: Converted
  /** Whether there is no output at all. */
  readonly isNone: boolean
  /** The implementation's `response`, where it is not its default. */
  readonly response?: JsonObject
  /** What the implementation asks the server for, where it is not the default. */
  readonly accept?: string
  readonly warnings: readonly string[]
}

const BYTES = {
  type: 'object',
  properties: { content_type: { type: 'string' }, data: { type: 'string', contentEncoding: 'base64' } },
  required: ['content_type', 'data'],
}
const NO_CONTENT = ['204', '205']

/**
 * What the responses that count as success, the 2xx, say of a tool's output. Where they say nothing, or only that there
 * is something, the server's content type decides.
 */
export function returned(
  description: Description,
  converter: SchemaConverter,
  operation: Node,
  method: string,
): Returned {
  const warnings: string[] = []
  if (method === 'HEAD') return none()
  const responses = Object.entries(objectAt(operation, 'responses'))
  const successes = responses.filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
  if (successes.length === 0) {
    // A redirect is followed: what it leads to is not described
    return responses.some(([status]) => /^30[12378]$/.test(status)) ? bytes() : anything()
  }
  const contents: Node[] = []
  let withoutContent = 0
  for (const [status, given] of successes) {
    const followed = follow(description, given)
    if (!followed.ok) warnings.push(`the response ${status} cannot be read: ${followed.problem}`)
    const content = followed.ok && isObject(followed.value) ? objectAt(followed.value, 'content') : {}
    if (NO_CONTENT.includes(status)) withoutContent += 1
    else contents.push(content)
  }
  if (contents.length === 0) return none()
  const media = chooseMedia(contents.flatMap((content) => Object.keys(content)))
  if (!media) return anything()
  if (media.kind === 'text') return text(media.type)
  if (media.kind !== 'json') return bytes(isRange(media.type) ? undefined : media.type)

  const schemas: Converted[] = []
  for (const content of contents) {
    const type = chooseMedia(Object.keys(content))
    if (!type) withoutContent += 1
    else if (type.kind === 'json') schemas.push(converter.convert(objectAt(content, type.type).schema ?? {}))
    else return anything()
  }
  const accept = isRange(media.type) || media.type === 'application/json' ? {} : { accept: media.type }
  return { output: either(schemas, withoutContent > 0), isNone: false, ...accept, warnings }

  function none(): Returned {
    return { output: plain({ type: 'null' }), isNone: true, response: { type: 'none' }, warnings }
  }
  function anything(): Returned {
    return { output: plain({}), isNone: false, response: { type: 'auto' }, warnings }
  }
  function text(type: string): Returned {
    const accept = isRange(type) ? {} : { accept: type }
    return { output: plain({ type: 'string' }), isNone: false, response: { type: 'text' }, ...accept, warnings }
  }
  function bytes(type?: string): Returned {
    const accept = type === undefined ? {} : { accept: type }
    return { output: plain(BYTES), isNone: false, response: { type: 'binary' }, ...accept, warnings }
  }
}

/** Any of several outputs; null stands for an empty one. */
function either(schemas: readonly Converted[], orNull: boolean): Converted {
  const unique = [...new Set(schemas)]
  const [first] = unique
  if (!first) return plain({})
  if (unique.length === 1 && !orNull) return first
  return {
    schema: { anyOf: [...unique.map(({ schema }) => schema), ...(orNull ? [{ type: 'null' }] : [])] },
    references: unique.flatMap(({ references }) => references),
    problems: unique.flatMap(({ problems }) => problems),
    warnings: unique.flatMap(({ warnings }) => warnings),
    size: unique.reduce((sum, { size }) => sum + size, 1),
  }
}

function plain(schema: JsonSchema): Converted {
  return { schema, references: [], problems: [], warnings: [], size: 1 }
}

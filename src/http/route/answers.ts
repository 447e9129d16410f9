import type { JsonObject } from '../../core/tool/json.ts'

/** A JSON Schema of an answer. Nothing closes it, since answers may grow. */
export type Schema = JsonObject

/** One answer of a route, as the OpenAPI document has it. */
export interface Answer {
  readonly says: string
  /** Of a JSON answer. */
  readonly schema?: Schema
  /** Whether it comes as server-sent events to who asks for them, where there is something to say before it. */
  readonly streams?: true
  /** The media type, where that is not JSON. */
  readonly type?: string
  /** What the header `Switchboard-Note` of it says, where there is one. */
  readonly note?: string
  /** Whether it has an entity tag for `If-Match`. */
  readonly tagged?: true
}

/** By status: what a route answers beside failures. */
export type Answers = Readonly<Record<number, Answer>>

export const TEXT: Schema = { type: 'string' }
export const ANY: Schema = {}
export const OBJECT: Schema = { type: 'object' }

export function listOf(items: Schema): Schema {
  return { type: 'array', items }
}

export const TEXTS = listOf(TEXT)

/** An object; a name that ends in `?` may be absent. */
export function objectOf(fields: Readonly<Record<string, Schema>>): Schema {
  const named = Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ''), schema] as const)
  const required = Object.keys(fields).filter((name) => !name.endsWith('?'))
  return { type: 'object', properties: Object.fromEntries(named), ...(required.length > 0 ? { required } : {}) }
}

/** A component of the document (`api/openapi/schemas.ts`), by its name. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

export const json = (says: string, schema: Schema): Answer => ({ says, schema })
export const component = (says: string, name: string): Answer => json(says, ref(name))
/** `{"items": […]}` of one component. */
export const items = (says: string, name: string): Answer => json(says, objectOf({ items: listOf(ref(name)) }))
/** Says that an answer has the entity tag of a revision, for `If-Match`. */
export const tagged = (answer: Answer): Answer => ({ ...answer, tagged: true })
export const plain = (says: string, type: string): Answer => ({ says, type })

export const DONE: Answers = { 204: { says: 'Done' } }
export const UNCHANGED: Answer = { says: 'What the request holds is as it is' }
/** What a list of tools answers, in a dialect's shape. */
export function listing(schema: Schema): Answers {
  return {
    200: { ...json('The tools that the caller may see', schema), note: 'Why a filtered list is empty' },
    304: UNCHANGED,
  }
}

/** The note of an answer to a publication. */
export const UNCALLABLE = 'Which of the new tools cannot be called, having no implementation'

import type { JsonObject } from '../../core/tool/json.ts'

export interface ResponseSpec {
  readonly description: string
  readonly schema?: JsonObject
  readonly streams?: true
  readonly type?: string
  readonly note?: string
  readonly hasEtag?: true
}

export type ResponseSpecs = Readonly<Record<number, ResponseSpec>>

export const TEXT: JsonObject = { type: 'string' }
export const ANY: JsonObject = {}
export const OBJECT: JsonObject = { type: 'object' }

export function arraySchema(items: JsonObject): JsonObject {
  return { type: 'array', items }
}

export const TEXTS = arraySchema(TEXT)

/** Creates an object schema. Fields whose names end in `?` are optional. */
export function objectSchema(fields: Readonly<Record<string, JsonObject>>): JsonObject {
  const properties = Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ''), schema] as const)
  const required = Object.keys(fields).filter((name) => !name.endsWith('?'))
  return { type: 'object', properties: Object.fromEntries(properties), ...(required.length > 0 ? { required } : {}) }
}

export function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

export const json = (description: string, schema: JsonObject): ResponseSpec => ({ description, schema })
export const jsonRef = (description: string, name: string): ResponseSpec => json(description, ref(name))
export const itemList = (description: string, name: string): ResponseSpec =>
  json(description, objectSchema({ items: arraySchema(ref(name)) }))
export const pageSchema = (name: string): JsonObject =>
  objectSchema({ 'items': arraySchema(ref(name)), 'next_cursor?': TEXT })
export const withEtag = (response: ResponseSpec): ResponseSpec => ({ ...response, hasEtag: true })
export const mediaTypeOnly = (description: string, type: string): ResponseSpec => ({ description, type })

export const DONE: ResponseSpecs = { 204: { description: 'Done' } }
export const UNCHANGED: ResponseSpec = { description: 'Not modified' }
export function toolListResponses(schema: JsonObject): ResponseSpecs {
  return {
    200: { ...json('The tools that the caller may see', schema), note: 'Why a filtered list is empty' },
    304: UNCHANGED,
  }
}

export const NOT_CALLABLE_NOTE = 'New tools that cannot be called, as they have no implementation'

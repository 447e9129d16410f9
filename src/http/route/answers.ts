import type { JsonObject } from '../../core/tool/json.ts'

export interface DeclaredAnswer {
  readonly says: string
  readonly schema?: JsonObject
  readonly streams?: true
  readonly type?: string
  readonly note?: string
  readonly tagged?: true
}

export type Answers = Readonly<Record<number, DeclaredAnswer>>

export const TEXT: JsonObject = { type: 'string' }
export const ANY: JsonObject = {}
export const OBJECT: JsonObject = { type: 'object' }

export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items }
}

export const TEXTS = listOf(TEXT)

/** A name that ends in `?` may be absent. */
export function objectOf(fields: Readonly<Record<string, JsonObject>>): JsonObject {
  const named = Object.entries(fields).map(([name, schema]) => [name.replace(/\?$/, ''), schema] as const)
  const required = Object.keys(fields).filter((name) => !name.endsWith('?'))
  return { type: 'object', properties: Object.fromEntries(named), ...(required.length > 0 ? { required } : {}) }
}

export function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

export const json = (says: string, schema: JsonObject): DeclaredAnswer => ({ says, schema })
export const component = (says: string, name: string): DeclaredAnswer => json(says, ref(name))
export const items = (says: string, name: string): DeclaredAnswer => json(says, objectOf({ items: listOf(ref(name)) }))
export const tagged = (answer: DeclaredAnswer): DeclaredAnswer => ({ ...answer, tagged: true })
export const plain = (says: string, type: string): DeclaredAnswer => ({ says, type })

export const DONE: Answers = { 204: { says: 'Done' } }
export const UNCHANGED: DeclaredAnswer = { says: 'Not modified' }
export function listing(schema: JsonObject): Answers {
  return {
    200: { ...json('The tools that the caller may see', schema), note: 'Why a filtered list is empty' },
    304: UNCHANGED,
  }
}

export const UNCALLABLE = 'New tools that cannot be called, as they have no implementation'

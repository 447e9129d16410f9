import { isObject } from '../tool/json.ts'
import { pointerStep, type Problem } from '../tool/problem.ts'
import { keywordsWhere } from './keywords.ts'
import { type Located, placeOf, subschemas } from './subschemas.ts'

const REFERENCES = keywordsWhere(({ role }) => role === 'reference')
const ANCHORS = keywordsWhere(({ role }) => role === 'anchor')

/** References must point into the document, and go deeper into the value sooner or later. */
export function* checkReferences(schemas: readonly Located[]): Generator<Problem> {
  const places = new Map<string, number>()
  for (const [index, { schema, path }] of schemas.entries()) {
    places.set(path, index)
    if (!isObject(schema)) continue
    for (const keyword of ANCHORS) {
      const anchor = schema[keyword]
      if (typeof anchor !== 'string') continue
      const same = places.get(`#${anchor}`) ?? index
      if (same !== index) yield { path: path + pointerStep(keyword), message: `Must be the only anchor '${anchor}'` }
      places.set(`#${anchor}`, index)
    }
  }
  const inPlace: number[][] = schemas.map(() => [])
  for (const [index, { schema, path }] of schemas.entries()) {
    if (!isObject(schema)) continue
    for (const each of subschemas(schema)) {
      const below = each.inPlace ? places.get(path + each.path) : undefined
      if (below !== undefined) inPlace[index]?.push(below)
    }
    for (const keyword of REFERENCES) {
      const reference = schema[keyword]
      if (typeof reference !== 'string') continue
      const place = placeOf(reference)
      const target = place === undefined ? undefined : places.get(place)
      if (target !== undefined) inPlace[index]?.push(target)
      else yield { path: path + pointerStep(keyword), message: unresolved(reference) }
    }
  }
  for (const index of endless(inPlace)) {
    yield { path: schemas[index]?.path ?? '', message: 'Must not refer back to itself without going into the value' }
  }
}

function unresolved(reference: string): string {
  const got = JSON.stringify(reference.length > 80 ? `${reference.slice(0, 80)}...` : reference)
  return reference.startsWith('#')
    ? `Must point to a schema of this document, got ${got}`
    : `Must begin with "#", since other documents are never fetched, got ${got}`
}

function* endless(edges: readonly (readonly number[])[]): Generator<number> {
  const state = new Map<number, 'open' | 'done'>()
  for (const root of edges.keys()) {
    const path: { node: number; next: number }[] = [{ node: root, next: 0 }]
    if (state.has(root)) continue
    state.set(root, 'open')
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const to = edges[top.node]?.[top.next++]
      if (to === undefined) {
        state.set(top.node, 'done')
        path.pop()
      } else if (!state.has(to)) {
        state.set(to, 'open')
        path.push({ node: to, next: 0 })
      } else if (state.get(to) === 'open') {
        yield to
      }
    }
  }
}

import type { JsonObject } from '../../src/core/tool/json.ts'

type Definitions = Readonly<Record<string, JsonObject>>

const D1 = { $ref: '#/$defs/d1' }

/** Builds definitions that each contain the next `wide` times: merged or inlined, they grow with every level. */
export function chain(wide: number, deep: number, keyword: 'allOf' | 'anyOf' = 'allOf'): Definitions {
  const definitionOf = (level: number): JsonObject =>
    level === deep
      ? { type: 'object', properties: { [`leaf${level}`]: { type: 'string' } } }
      : { [keyword]: Array.from({ length: wide }, () => ({ $ref: `#/$defs/d${level + 1}` })) }
  return Object.fromEntries(Array.from({ length: deep }, (_, index) => [`d${index + 1}`, definitionOf(index + 1)]))
}

/** Builds an input with a property that is such a chain, or that uses its first definition as `property` does. */
export function chained(wide: number, deep: number, property: JsonObject = D1): JsonObject {
  return { type: 'object', properties: { x: property }, $defs: chain(wide, deep) }
}

/** Builds an input with this many properties that share one definition. */
function repeated(times: number, definition: JsonObject): JsonObject {
  const properties = Object.fromEntries(
    Array.from({ length: times }, (_, index) => [`p${index}`, { $ref: '#/$defs/d' }]),
  )
  return { type: 'object', properties, $defs: { d: definition } }
}

/** Schemas that grow when they are converted to another format: by width, depth, keywords or long texts. */
export const GROWING: Readonly<Record<string, JsonObject>> = {
  '8 wide and 8 deep': chained(8, 8),
  '5 wide and 8 deep': chained(5, 8),
  '40 wide and 5 deep': chained(40, 5),
  '4 wide and 15 deep': chained(4, 15),
  'at the root': { type: 'object', allOf: [D1, D1, D1, D1, D1, D1, D1, D1], $defs: chain(8, 8) },
  'in the items of lists': chained(8, 8, { type: 'array', items: D1 }),
  'in alternatives': chained(8, 8, { anyOf: [D1, { type: 'null' }] }),
  'beside a reference': chained(8, 8, { ...D1, allOf: [D1, D1] }),
  'of one long name': repeated(500, { type: 'object', properties: { ['n'.repeat(3_900)]: { type: 'string', x: 1 } } }),
  'of one long list': repeated(500, { enum: Array.from({ length: 20_000 }, (_, index) => index) }),
}

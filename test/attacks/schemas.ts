import type { JsonObject } from '../../src/core/tool/json.ts'

/** A schema whose definitions each hold the next one `wide` times: merged or put in place, it grows with every level. */
export function chained(wide: number, deep: number, keyword: 'allOf' | 'anyOf' | 'properties' = 'allOf'): JsonObject {
  const next = (level: number): JsonObject => {
    if (level === deep) return { type: 'object', properties: { [`leaf${level}`]: { type: 'string' } } }
    const references = Array.from({ length: wide }, () => ({ $ref: `#/$defs/d${level + 1}` }))
    if (keyword !== 'properties') return { [keyword]: references }
    return { type: 'object', properties: Object.fromEntries(references.map((each, index) => [`p${index}`, each])) }
  }
  const $defs = Object.fromEntries(Array.from({ length: deep }, (_, index) => [`d${index + 1}`, next(index + 1)]))
  return { type: 'object', properties: { x: { $ref: '#/$defs/d1' } }, $defs }
}

/** The same where a tool's input as a whole is the chain. */
export function chainedRoot(wide: number, deep: number): JsonObject {
  const { $defs } = chained(wide, deep)
  return {
    type: 'object',
    allOf: Array.from({ length: wide }, () => ({ $ref: '#/$defs/d1' })),
    ...($defs ? { $defs } : {}),
  }
}

const long = 'n'.repeat(60_000)
/** Schemas that grow when they are written: wider, deeper, with other keywords, and with long names. */
export const GROWING: Readonly<Record<string, JsonObject>> = {
  '8 wide and 8 deep': chained(8, 8),
  '5 wide and 8 deep': chained(5, 8),
  '2 wide and 15 deep': chained(2, 15),
  '40 wide and 5 deep': chained(40, 5),
  '8 wide and 8 deep at the root': chainedRoot(8, 8),
  'in lists': {
    type: 'object',
    properties: { x: { type: 'array', items: { $ref: '#/$defs/d1' } } },
    $defs: chained(8, 8).$defs ?? {},
  },
  'beside a reference': {
    type: 'object',
    properties: { x: { $ref: '#/$defs/d1', ...chained(8, 8).properties } },
    $defs: chained(8, 8).$defs ?? {},
  },
  'one long name at many places': {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, { $ref: '#/$defs/d' }])),
    $defs: { d: { type: 'object', properties: { [long]: { type: 'string', x: 1, y: 2 } } } },
  },
  'one long list at many places': {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, { $ref: '#/$defs/d' }])),
    $defs: { d: { enum: Array.from({ length: 20_000 }, (_, index) => index) } },
  },
}

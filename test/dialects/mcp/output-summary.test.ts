import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import { summarizeSchema } from '../../../src/dialects/mcp/output-summary.ts'

const object = (properties: JsonObject, ...required: readonly string[]): JsonObject => ({
  type: 'object',
  properties,
  required: [...required],
})

describe('the summary of an output', () => {
  it.each([
    [{ type: 'string', minLength: 1 }, 'string'],
    [{}, 'any'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [object({ a: { type: 'integer' }, b: true }, 'a'), '{ a: integer, b?: any }'],
    [{ type: 'array', items: { enum: ['x', 'y', 1] } }, '("x" | "y" | 1)[]'],
    [{ anyOf: [{ const: null }, object({ a: { type: 'number' } })] }, 'null | { a?: number }'],
    [{ $ref: '#/$defs/a', $defs: { a: object({ self: { $ref: '#/$defs/a' } }) } }, '{ self?: { self?: {…} } }'],
    [{ $ref: 'https://example.com/a' }, 'any'],
    [{ enum: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }, '"a" | "b" | "c" | "d" | "e" | "f" | …'],
  ])('summarizes the schema %j', (schema, text) => expect(summarizeSchema(schema, 1_500)).toBe(text))

  it('summarizes a schema to the depth that fits', () => {
    const many = (inner: JsonObject) =>
      object(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`property${at}`, inner])))
    const text = summarizeSchema(many(many(many({ type: 'string' }))), 1_500)
    expect(text.length).toBeLessThanOrEqual(1_501)
    expect(text).toContain('property19?: {…}')
  })

  it('ends for schemas with repeated references', () => {
    const wide = object(
      Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`p${at}`, { $ref: '#/$defs/wide' }])),
    )
    expect(summarizeSchema({ ...wide, $defs: { wide } }, 1_500).length).toBeLessThanOrEqual(1_501)
  })
})

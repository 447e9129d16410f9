import type { JsonSchema } from '../../../src/core/tool/tool.ts'

/** A group of cases, in the form of the JSON Schema test suite. */
export interface Group {
  readonly description: string
  readonly schema: JsonSchema
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

/** One group for each keyword: what is valid, and what is not. */
export const OWN_CASES: readonly Group[] = [
  group('type', { type: 'string' }, ['a'], [1, null]),
  group('several types', { type: ['integer', 'null'] }, [1, null, 1.0], [1.5, 'a']),
  group('enum', { enum: ['a', 1, { b: [2] }] }, ['a', 1, { b: [2] }], ['b', { b: [3] }]),
  group('const', { const: { a: null } }, [{ a: null }], [{}, null]),
  group('minimum', { minimum: 3, exclusiveMaximum: 5 }, [3, 4.9], [2.9, 5]),
  group('maximum', { exclusiveMinimum: 3, maximum: 5 }, [3.1, 5], [3, 5.1]),
  group('multipleOf', { multipleOf: 0.1 }, [0.3, 1], [0.35]),
  group('length', { minLength: 2, maxLength: 3 }, ['ab', '😀😀😀'], ['a', 'abcd']),
  group('pattern', { pattern: '^\\p{L}+$' }, ['é', 5], ['1', '']),
  group('items', { items: { type: 'number' }, minItems: 1, maxItems: 2 }, [[1], [1, 2]], [[], ['a'], [1, 2, 3]]),
  group('prefixItems', { prefixItems: [{ type: 'string' }], items: false }, [[], ['a']], [[1], ['a', 'b']]),
  group('contains', { contains: { const: 1 }, maxContains: 2 }, [[1], [1, 1, 2]], [[], [1, 1, 1]]),
  group(
    'uniqueItems',
    { uniqueItems: true },
    [
      [1, '1'],
      [{ a: 1 }, { a: 2 }],
    ],
    [
      [1, 1],
      [{ a: 1 }, { a: 1 }],
    ],
  ),
  group(
    'properties',
    { properties: { a: { type: 'string' } }, additionalProperties: false },
    [{}, { a: '' }],
    [{ a: 1 }, { b: 1 }],
  ),
  group('patternProperties', { patternProperties: { '^x': { type: 'string' } } }, [{ x: '' }, { y: 1 }], [{ x1: 1 }]),
  group('propertyNames', { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]),
  group('required', { required: ['a', 'constructor'] }, [{ a: 1, constructor: 1 }, []], [{ a: 1 }, {}]),
  group('count of properties', { minProperties: 1, maxProperties: 2 }, [{ a: 1 }], [{}, { a: 1, b: 2, c: 3 }]),
  group('dependentRequired', { dependentRequired: { a: ['b'] } }, [{ a: 1, b: 1 }, {}], [{ a: 1 }]),
  group('dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, [{ a: 1, b: 1 }, {}], [{ a: 1 }]),
  group('allOf', { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1], [0, 3]),
  group('anyOf', { anyOf: [{ type: 'string' }, { minimum: 2 }] }, ['a', 2], [1]),
  group('oneOf', { oneOf: [{ type: 'integer' }, { minimum: 2 }] }, [1, 2.5], [3, 1.5]),
  group('not', { not: { type: 'string' } }, [1], ['a']),
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of that name; nobody awaits a schema
  group('if', { if: { minimum: 5 }, then: { multipleOf: 2 }, else: { multipleOf: 3 } }, [6, 3], [7, 2]),
  group(
    'unevaluatedProperties',
    { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    [{ a: 1 }],
    [{ b: 1 }],
  ),
  group('unevaluatedItems', { prefixItems: [true], unevaluatedItems: false }, [[1]], [[1, 2]]),
  group('boolean schemas', { properties: { a: true, b: false } }, [{ a: 1 }], [{ b: 1 }]),
  group('format is an annotation', { format: 'email' }, ['nobody'], []),
  group('a tree', tree(), [{ value: 1, next: [{ value: 2 }] }], [{ value: 1, next: [{ value: 'a' }] }]),
  group('an anchor', { $ref: '#a', $defs: { a: { $anchor: 'a', type: 'null' } } }, [null], [1]),
]

function tree(): JsonSchema {
  return { type: 'object', properties: { value: { type: 'number' }, next: { type: 'array', items: { $ref: '#' } } } }
}

function group(description: string, schema: JsonSchema, valid: readonly unknown[], invalid: readonly unknown[]): Group {
  const tests = [...valid.map((data) => ({ data, valid: true })), ...invalid.map((data) => ({ data, valid: false }))]
  return { description, schema, tests: tests.map((each) => ({ ...each, description: JSON.stringify(each.data) })) }
}

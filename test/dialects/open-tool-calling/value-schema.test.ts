import { describe, expect, it } from 'vitest'
import { parseValue, type Reader } from '../../../src/core/tool/json-reader.ts'
import type { Problem } from '../../../src/core/tool/problem.ts'
import { buildParametersReader } from '../../../src/dialects/open-tool-calling/value-schema.ts'

/** Returns the parsed value with its warnings, or the problems with their paths. */
function read<T>(reader: Reader<T>, document: unknown) {
  const warnings: Problem[] = []
  const result = parseValue(reader, document, warnings)
  if (!result.ok) return result.problems.map(({ path, message }) => [path, message])
  return warnings.length > 0 ? { value: result.value, warnings } : { value: result.value }
}

describe('parameters', () => {
  it.each<[unknown, unknown]>([
    [{ parameters: [] }, { value: { schema: { type: 'object', properties: {} }, notInferrable: [] } }],
    [
      {
        parameters: [
          { name: 'a', required: true, value_schema: { val_type: 'string' } },
          { name: 'b', required: false, description: 'B', value_schema: { val_type: 'integer' }, inferrable: true },
          { name: 'c', required: true, value_schema: { val_type: 'string' }, inferrable: false },
        ],
      },
      {
        value: {
          schema: {
            type: 'object',
            properties: { a: { type: 'string' }, b: { type: 'integer', description: 'B' }, c: { type: 'string' } },
            required: ['a', 'c'],
          },
          notInferrable: ['c'],
        },
      },
    ],
    [
      { parameters: [{ name: 'a', required: false, value_schema: { val_type: 'string' } }] },
      { value: { schema: { type: 'object', properties: { a: { type: 'string' } } }, notInferrable: [] } },
    ],
    [
      [{ name: 'a', required: false, value_schema: { val_type: 'string' } }],
      { value: { schema: { type: 'object', properties: { a: { type: 'string' } } }, notInferrable: [] } },
    ],
    [[{ name: 'a', required: false }], [['/0/value_schema', 'Is required']]],
    [
      {
        parameters: [
          { name: 'a', required: true, value_schema: { val_type: 'string' } },
          { name: 'a', required: true, value_schema: { val_type: 'string' } },
        ],
      },
      [['/parameters/1/name', "Must be unique, got 'a' again"]],
    ],
    [
      {
        parameters: [
          { name: 7, required: 1, value_schema: { val_type: 'string' }, description: 1, inferrable: 'x', more: 1 },
        ],
      },
      [
        ['/parameters/0/name', 'Must be a string, got 7'],
        ['/parameters/0/required', 'Must be a boolean, got 1'],
        ['/parameters/0/description', 'Must be a string, got 1'],
        ['/parameters/0/inferrable', "Must be a boolean, got 'x'"],
      ],
    ],
    [{ parameters: 1 }, [['/parameters', 'Must be an array, got 1']]],
    [{}, [['/parameters', 'Is required']]],
    [
      { parameters: [], parameter: 1 },
      [['/parameter', "Unknown field 'parameter' (meant 'parameters'?): wanted 'parameters'"]],
    ],
    [
      { parameters: [{ name: 'a', required: true, value_schema: { val_type: 'array', inner_val_type: 'json' } }] },
      {
        value: {
          schema: { type: 'object', properties: { a: { type: 'array', items: {} } }, required: ['a'] },
          notInferrable: [],
        },
      },
    ],
    [
      { parameters: [{ name: 'a', required: true, value_schema: { val_type: 'string', enum: [] } }] },
      {
        value: {
          schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          notInferrable: [],
        },
        warnings: [
          {
            path: '/parameters/0/value_schema/enum',
            message: 'Allows no value: an enum holds at least one string, and is of strings. It is passed over',
          },
        ],
      },
    ],
    [
      { parameters: [{ name: 'a', required: true, value_schema: { val_type: 'integer', enum: ['1'] } }] },
      {
        value: {
          schema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
          notInferrable: [],
        },
        warnings: [
          {
            path: '/parameters/0/value_schema/enum',
            message: 'Allows no value: an enum holds at least one string, and is of strings. It is passed over',
          },
        ],
      },
    ],
    [
      { parameters: [{ name: 'a', required: true, value_schema: { val_type: 'array' } }] },
      [['/parameters/0/value_schema/inner_val_type', "Is required when 'val_type' is 'array'"]],
    ],
    [
      {
        parameters: [
          { name: 'a', required: true, value_schema: { val_type: 'array', inner_val_type: 'string', enum: ['x'] } },
        ],
      },
      {
        value: {
          schema: {
            type: 'object',
            properties: { a: { type: 'array', items: { type: 'string', enum: ['x'] } } },
            required: ['a'],
          },
          notInferrable: [],
        },
      },
    ],
    [
      { parameters: [{ name: 'a', required: true, value_schema: { val_type: 'date' } }] },
      [
        [
          '/parameters/0/value_schema/val_type',
          "Must be one of 'string', 'integer', 'number', 'boolean', 'json', 'array', got 'date'",
        ],
      ],
    ],
  ])('written as %j become an object schema, or are refused with paths and reasons', (input, wanted) => {
    expect(read(buildParametersReader(), input)).toEqual(wanted)
  })
})

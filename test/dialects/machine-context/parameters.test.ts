import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import { parseValue } from '../../../src/core/tool/json-reader.ts'
import type { Problem } from '../../../src/core/tool/problem.ts'
import { encodeParameters, createParametersReader } from '../../../src/dialects/machine-context/parameters.ts'

describe('parameters', () => {
  it.each<[unknown, unknown]>([
    [undefined, { input: { type: 'object' } }],
    [[], { input: { type: 'object', properties: {} } }],
    [
      [{ name: 'a', description: 'A', type: 'string', required: true }],
      { input: { type: 'object', properties: { a: { type: 'string', description: 'A' } }, required: ['a'] } },
    ],
    [
      [
        { name: 'a', description: 'A', type: 'string', required: false },
        { name: 'b', description: 'A', type: 'string', required: true },
      ],
      {
        input: {
          type: 'object',
          properties: { a: { type: 'string', description: 'A' }, b: { type: 'string', description: 'A' } },
          required: ['b'],
        },
      },
    ],
    [
      [{ name: 'a', description: '', type: 'any', required: true }],
      { input: { type: 'object', properties: { a: {} }, required: ['a'] } },
    ],
    [
      [{ name: 'a', description: 'A', type: 'object', properties: { x: { type: 'string' } } }],
      {
        input: {
          type: 'object',
          properties: { a: { type: 'object', description: 'A', properties: { x: { type: 'string' } } } },
        },
        warnings: [{ path: '/0/required', message: 'Is not said, and counts as false' }],
      },
    ],
    [
      [{ name: 'a', description: 'A', type: 'string', required: true, default: 'x', enum: ['x'], format: 'email' }],
      {
        input: {
          type: 'object',
          properties: { a: { type: 'string', description: 'A', default: 'x', enum: ['x'], format: 'email' } },
          required: ['a'],
        },
      },
    ],
    [
      [{ name: 'a', description: 'A', type: 'array', required: true, items: { type: 'integer' } }],
      {
        input: {
          type: 'object',
          properties: { a: { type: 'array', description: 'A', items: { type: 'integer' } } },
          required: ['a'],
        },
      },
    ],
    [7, [['', 'Must be an array, got 7']]],
    [[7], [['/0', 'Must be an object, got 7']]],
    [
      [{ name: '', description: 'A', type: 'string', required: true }],
      [['/0/name', "Must be a string that is not empty, got ''"]],
    ],
    [
      [
        { name: 'a', description: 'A', type: 'string', required: true },
        { name: 'a', description: 'A', type: 'string', required: true },
      ],
      [['/1/name', "Must be unique, got 'a' again"]],
    ],
    [
      [{ name: 'a', description: 'A', type: 'integer', required: true }],
      [['/0/type', "Must be one of 'string', 'number', 'boolean', 'object', 'array', 'any', got 'integer'"]],
    ],
    [
      [{ name: 'a', description: 'A', type: 'string', required: 'yes' }],
      [['/0/required', "Must be a boolean, got 'yes'"]],
    ],
    [
      [{ name: 'a', description: 'A', type: 'string', required: true, minimum: 1 }],
      [
        [
          '/0/minimum',
          "Unknown field 'minimum': wanted 'name', 'description', 'type', 'required', 'default', 'enum', 'format', 'properties', 'items'",
        ],
      ],
    ],
    [
      [{ name: 'a', description: 'A', type: 'string', required: true, items: { $ref: '#/x' } }],
      [['/0/items/$ref', "Must not be used here: schemas of this format stand alone, without '$ref'"]],
    ],
    [
      [
        { name: 'a', description: 'A', type: 'string', required: true },
        { name: 'b/c', description: 'A', type: 'string', required: true, items: { type: 'text' } },
      ],
      [
        [
          '/1/items/type',
          "Must be a type or an array of different types, out of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'",
        ],
      ],
    ],
    [
      [{ name: '__proto__', description: 'A', type: 'string', required: true }],
      [['/0', "Must not be named '__proto__'"]],
    ],
    [[{ name: 'b', description: 'A', type: 'string', required: true, enum: 'x' }], [['/0/enum', 'Must be an array']]],
  ])('written as %j become an object schema, or are refused with paths and reasons', (document, wanted) => {
    const warnings: Problem[] = []
    const read = parseValue(createParametersReader({}), document, warnings)
    if (read.ok) expect({ input: read.value, ...(warnings.length > 0 ? { warnings } : {}) }).toEqual(wanted)
    else expect(read.problems.map(({ path, message }) => [path, message])).toEqual(wanted)
  })
})

describe('a schema written as parameters', () => {
  it.each<[JsonObject, unknown]>([
    [{}, { losses: [] }],
    [{ type: 'object' }, { losses: [] }],
    [{ properties: {} }, { parameters: [], losses: [] }],
    [
      { properties: 7, required: 7 },
      { parameters: [], losses: [] },
    ],
    [
      { type: 'object', additionalProperties: false, 'a/b': 1 },
      {
        losses: [
          { path: '/input/additionalProperties', reason: 'Parameters have no such keyword' },
          { path: '/input/a~1b', reason: 'Parameters have no such keyword' },
        ],
      },
    ],
    [
      {
        properties: { a: { type: 'string', description: 'A' }, b: true, c: { type: 'boolean', description: 7 } },
        required: ['a'],
      },
      {
        parameters: [
          { name: 'a', description: 'A', type: 'string', required: true },
          { name: 'b', description: '', type: 'any', required: false },
          { name: 'c', description: '', type: 'boolean', required: false },
        ],
        losses: [],
      },
    ],
    [
      { properties: { '': {}, a: false } },
      {
        parameters: [],
        losses: [
          { path: '/input/properties/', reason: 'A parameter must have a name' },
          { path: '/input/properties/a', reason: 'A parameter cannot be forbidden' },
        ],
      },
    ],
    [
      { required: ['x', '', 7] },
      {
        parameters: [{ name: 'x', description: '', type: 'any', required: true }],
        losses: [
          { path: '/input/required/0', reason: "A parameter needs a type, so 'x' is written as one of type any" },
          { path: '/input/required/1', reason: "A parameter needs a type, so '' is written as one of type any" },
        ],
      },
    ],
    [
      { required: ['x'.repeat(4_000)] },
      {
        parameters: undefined,
        losses: [{ path: '/input/required/0', reason: 'A parameter cannot have so long a name' }],
      },
    ],
    [
      { properties: { x: {} }, required: ['x'] },
      { parameters: [{ name: 'x', description: '', type: 'any', required: true }], losses: [] },
    ],
    [
      { properties: { a: { type: 'integer', minimum: 1, description: '' } } },
      {
        parameters: [{ name: 'a', description: '', type: 'number', required: false }],
        losses: [
          { path: '/input/properties/a/minimum', reason: 'A parameter has no such keyword' },
          { path: '/input/properties/a/description', reason: 'An empty description counts as none' },
          {
            path: '/input/properties/a/type',
            reason: "A parameter's type is one of string, number, boolean, object, array, so it is written as number",
          },
        ],
      },
    ],
    [
      { properties: { a: { type: ['string', 'null'] } } },
      {
        parameters: [{ name: 'a', description: '', type: 'any', required: false }],
        losses: [
          {
            path: '/input/properties/a/type',
            reason: "A parameter's type is one of string, number, boolean, object, array, so it is written as any",
          },
        ],
      },
    ],
    [
      { properties: { a: { type: 'null' } } },
      {
        parameters: [{ name: 'a', description: '', type: 'any', required: false }],
        losses: [
          {
            path: '/input/properties/a/type',
            reason: "A parameter's type is one of string, number, boolean, object, array, so it is written as any",
          },
        ],
      },
    ],
    [
      { properties: { a: { type: 7 } } },
      {
        parameters: [{ name: 'a', description: '', type: 'any', required: false }],
        losses: [
          {
            path: '/input/properties/a/type',
            reason: "A parameter's type is one of string, number, boolean, object, array, so it is written as any",
          },
        ],
      },
    ],
    [
      {
        properties: {
          a: { type: 'object', default: 1, enum: [1], format: 'x', properties: { b: { type: 'string' } }, items: {} },
        },
      },
      {
        parameters: [
          {
            name: 'a',
            description: '',
            type: 'object',
            required: false,
            default: 1,
            enum: [1],
            format: 'x',
            properties: { b: { type: 'string' } },
            items: {},
          },
        ],
        losses: [],
      },
    ],
    [
      { properties: { a: { items: { $ref: '#' }, properties: { b: { not: { $dynamicRef: '#' } } } } } },
      {
        parameters: [{ name: 'a', description: '', type: 'any', required: false }],
        losses: [
          { path: '/input/properties/a/items', reason: 'A parameter cannot refer to other schemas' },
          { path: '/input/properties/a/properties', reason: 'A parameter cannot refer to other schemas' },
        ],
      },
    ],
    [
      { properties: { a: { default: { $ref: '#' }, format: '$ref' } } },
      {
        parameters: [
          { name: 'a', description: '', type: 'any', required: false, default: { $ref: '#' }, format: '$ref' },
        ],
        losses: [],
      },
    ],
    [
      { properties: { a: { items: { properties: { $ref: {} } } } } },
      {
        parameters: [{ name: 'a', description: '', type: 'any', required: false, items: { properties: { $ref: {} } } }],
        losses: [],
      },
    ],
  ])('%j becomes parameters, and reports what they cannot express', (input, written) => {
    expect(encodeParameters(input)).toEqual(written)
  })
})

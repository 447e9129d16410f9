/* oxlint-disable unicorn/no-thenable -- the keyword of that name; nobody awaits a schema */
import type { JsonSchema } from '../../../src/core/tool/tool.ts'

/** A group of cases, in the form of the JSON Schema test suite. */
export interface Group {
  readonly description: string
  readonly schema: JsonSchema
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

/** Valid and invalid values for each keyword, and cases that validators are known to get wrong. */
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

  // The types that a keyword applies to, and its effect on all others
  group(
    'a number that is whole is an integer',
    { type: 'integer' },
    [1, 1.0, -0, 1e3, 9007199254740992],
    [1.1, '1', true],
  ),
  group('a boolean is no number', { type: 'number' }, [0, 1.5], [true, false, null, '1']),
  group('an array is no object', { type: 'object' }, [{}, { length: 0 }], [[], null, 'a']),
  group('null is no object', { type: 'null' }, [null], [{}, [], 0, '', false]),
  group('keywords of numbers pass over others', { minimum: 5, multipleOf: 2 }, ['a', null, [], {}, true, 6], [4, 7]),
  group('keywords of texts pass over others', { minLength: 3, pattern: '^a' }, [1, null, [], {}, 'abc'], ['ab', 'bcd']),
  group(
    'keywords of arrays pass over others',
    { minItems: 1, uniqueItems: true, items: false },
    ['a', 1, {}],
    [[], [1]],
  ),
  group(
    'keywords of objects pass over others',
    { required: ['a'], minProperties: 1 },
    [[], 'a', 1, null],
    [{}, { b: 1 }],
  ),

  // Equality as in JSON
  group('0 and false are different', { enum: [0] }, [0, -0, 0.0], [false, '', null, [], '0']),
  group('1 and true are different', { const: 1 }, [1, 1.0], [true, '1', [1]]),
  group('false is equal to itself alone', { const: false }, [false], [0, '', null, [false], [0]]),
  group('true is equal to itself alone', { const: [true] }, [[true]], [[1], true]),
  group('an enum of objects', { enum: [{ a: 1, b: [false] }] }, [{ b: [false], a: 1 }], [{ a: 1, b: [0] }, { a: 1 }]),
  group('a const that is an object with no prototype of its own', { const: {} }, [{}], [[], null, { toString: 1 }]),
  group('texts are equal by their code points', { const: '\u00e9' }, ['\u00e9'], ['e\u0301']),
  group('a NUL is a character', { const: 'a\u0000b' }, ['a\u0000b'], ['ab', 'a b']),
  group(
    'unique: numbers and booleans differ',
    { uniqueItems: true },
    [
      [1, true],
      [0, false],
      [[1], [true]],
    ],
    [
      [1, 1.0],
      [[0], [-0]],
    ],
  ),
  group(
    'unique: nested arrays',
    { uniqueItems: true },
    [
      [[1], [2]],
      [
        ['a', 'b'],
        ['b', 'a'],
      ],
    ],
    [
      [
        [1, [2]],
        [1, [2]],
      ],
    ],
  ),
  group(
    'unique: objects, whatever the order of their properties',
    { uniqueItems: true },
    [[{ a: 1 }, { b: 1 }]],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ),
  group(
    'not necessarily unique',
    { uniqueItems: false },
    [
      [1, 1],
      [{}, {}],
    ],
    [],
  ),
  group(
    'unique with prefixItems',
    { prefixItems: [{ type: 'boolean' }, {}], uniqueItems: true },
    [
      [true, 1],
      [false, true],
    ],
    [
      [true, true],
      [1, 2],
    ],
  ),

  // Numbers
  group('bounds that are fractions', { minimum: 1.1, maximum: 3.5 }, [1.1, 3.5, 2], [1.09, 3.51]),
  group('negative bounds', { minimum: -2, exclusiveMaximum: -1 }, [-2, -1.5], [-2.1, -1, 0]),
  group('multiples of an integer', { multipleOf: 2 }, [0, -4, 10, 1e20], [1, 7, 2.5]),
  group('multiples of a small number', { multipleOf: 0.0001 }, [0.0075, 1, 0], [0.00751]),
  group('multiples of a hundredth', { multipleOf: 0.01 }, [4.35, 17.89, 0.07, 1.1], [0.075, 1.005]),
  group('a multiple of something very small', { type: 'number', multipleOf: 1e-8 }, [12391239123, 0.5], []),

  // Texts are counted in code points
  group('minLength in code points', { minLength: 2 }, ['💩💩', 'ab'], ['💩', 'a', '']),
  group('maxLength in code points', { maxLength: 2 }, ['💩💩', '', 'é'], ['💩💩💩', 'abc']),
  group('a length that is written as a fraction', { minLength: 2.0, maxLength: 3.0 }, ['ab', 'abc'], ['a', 'abcd']),
  group('a pattern is not anchored', { pattern: 'b+' }, ['abc', 'b'], ['ac', '']),
  group('a pattern of code points', { pattern: '^.$' }, ['💩', 'a'], ['', 'ab']),
  group('a pattern with a class of digits', { pattern: '^\\d{3}-\\w+$' }, ['123-a_1'], ['12-a', '١٢٣-a']),

  // Arrays
  group(
    'items after prefixItems',
    { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
    [['a'], ['a', 1, 2], []],
    [['a', 'b'], [1]],
  ),
  group('items that nothing is', { items: false }, [[]], [[1], [null]]),
  group('items that everything is', { items: true }, [[], [1, 'a', null]], []),
  group(
    'nested items',
    { items: { items: { type: 'integer' } } },
    [[[1], [], []], ['not an array']],
    [[['a']], [[1], [1.5]]],
  ),
  group(
    'prefixItems alone say nothing of the rest',
    { prefixItems: [{ const: 1 }] },
    [[], [1], [1, 'a', null]],
    [[2], [null, 1]],
  ),
  group('contains with nothing', { contains: false }, ['no array'], [[], [1]]),
  group('contains with anything', { contains: true }, [[1], [null]], [[]]),
  group('minContains of 0', { contains: { const: 1 }, minContains: 0 }, [[], [2], [1]], []),
  group(
    'minContains of 2',
    { contains: { const: 1 }, minContains: 2 },
    [
      [1, 1],
      [1, 2, 1],
    ],
    [[1], [2, 1], []],
  ),
  group(
    'minContains beyond maxContains',
    { contains: { const: 1 }, minContains: 3, maxContains: 1 },
    [],
    [[], [1], [1, 1], [1, 1, 1]],
  ),
  group('counts of contains without contains', { minContains: 1, maxContains: 1 }, [[], [1, 1]], []),
  group(
    'contains beside items',
    { items: { multipleOf: 2 }, contains: { multipleOf: 3 } },
    [[6, 12], [6]],
    [
      [2, 4],
      [3, 9],
      [1, 5],
    ],
  ),
  group('no more items than', { maxItems: 2.0 }, [[], [1, 2]], [[1, 2, 3]]),

  // Objects
  group(
    'additionalProperties beside patterns',
    { properties: { foo: {} }, patternProperties: { '^v': { type: 'number' } }, additionalProperties: false },
    [{ foo: 1 }, { v1: 1 }, 'text', []],
    [{ bar: 1 }, { v1: 'a' }],
  ),
  group(
    'additionalProperties as a schema',
    { properties: { foo: {} }, additionalProperties: { type: 'boolean' } },
    [{ foo: 1 }, { foo: 1, bar: true }],
    [{ bar: 12 }],
  ),
  group(
    'additionalProperties look at no subschema',
    { allOf: [{ properties: { foo: {} } }], additionalProperties: { type: 'boolean' } },
    [{ foo: true }],
    [{ foo: 1 }],
  ),
  group(
    'several patterns that one name matches',
    { patternProperties: { 'a*': { type: 'integer' }, 'aaa*': { maximum: 20 } } },
    [{ a: 21 }, { aaaa: 18 }],
    [{ a: 'x' }, { aaaa: 31 }],
  ),
  group(
    'patterns of names are not anchored, and heed case',
    { patternProperties: { 'X_': { type: 'string' }, '[0-9]{2,}': { type: 'boolean' } } },
    [{ x_1: 3 }, { a31b: true }, { aX_b: 'x' }],
    [{ a31b: null }, { aX_3: 3 }],
  ),
  group(
    'patterns with boolean schemas',
    { patternProperties: { 'f.*': true, 'b.*': false } },
    [{ foo: 1 }, {}],
    [{ bar: 1 }, { foobar: 1 }],
  ),
  group(
    'names of properties that objects have',
    {
      properties: {
        toString: { properties: { length: { type: 'string' } } },
        constructor: { type: 'number' },
        valueOf: { type: 'string' },
      },
    },
    [{}, { toString: 1 }, { constructor: 37 }, []],
    [{ constructor: { length: 37 } }, { toString: { length: 37 } }, { valueOf: 1 }],
  ),
  group(
    'required names of properties that objects have',
    { required: ['toString', 'hasOwnProperty'] },
    [{ toString: 1, hasOwnProperty: 1 }, 'a'],
    [{}, { toString: 1 }],
  ),
  group(
    'names with characters that are escaped',
    {
      properties: {
        'a\nb': { type: 'number' },
        'c"d': { type: 'number' },
        'e\\f': { type: 'number' },
        'g~h/i%j': { type: 'number' },
      },
    },
    [{ 'a\nb': 1, 'c"d': 1 }, { 'g~h/i%j': 0 }],
    [{ 'a\nb': '1' }, { 'c"d': '1' }, { 'e\\f': null }, { 'g~h/i%j': '' }],
  ),
  group('a property that nothing may be', { properties: { a: false } }, [{}, { b: 1 }], [{ a: 1 }, { a: null }]),
  group(
    'a property whose value is null',
    { properties: { a: { type: 'null' } } },
    [{ a: null }],
    [{ a: 0 }, { a: false }],
  ),
  group(
    'names of properties that a pattern bounds',
    { propertyNames: { pattern: '^a+$' } },
    [{}, { a: {}, aa: {} }, [], 1],
    [{ aaA: {} }],
  ),
  group('names of properties: none', { propertyNames: false }, [{}, []], [{ a: 1 }]),
  group(
    'names of properties: of a list',
    { propertyNames: { enum: ['a', 'b'] } },
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ c: 1 }],
  ),
  group('required, of none', { properties: { a: {} }, required: [] }, [{}], []),
  group(
    'dependentRequired of several, and of none',
    { dependentRequired: { q: ['a', 'b'], e: [] } },
    [{ e: 1 }, { q: 1, a: 1, b: 1 }, 'q'],
    [{ q: 1, a: 1 }, { q: 1 }],
  ),
  group(
    'dependentSchemas with boolean schemas',
    { dependentSchemas: { a: true, b: false } },
    [{ a: 1 }, {}, ['b']],
    [{ b: 1 }, { a: 1, b: 2 }],
  ),
  group(
    'dependentSchemas see the whole object',
    { dependentSchemas: { a: { properties: { b: { type: 'integer' } }, maxProperties: 2 } } },
    [{ a: 1, b: 2 }, { b: 'x' }],
    [
      { a: 1, b: 'x' },
      { a: 1, b: 1, c: 1 },
    ],
  ),

  // Schemas of schemas
  group('a schema that is true', true, [1, null, {}], []),
  group('a schema that is false', false, [], [1, null, {}, []]),
  group('an empty schema', {}, [1, null, {}, 'a'], []),
  group(
    'allOf beside other keywords',
    { properties: { b: { type: 'integer' } }, required: ['b'], allOf: [{ required: ['a'] }, { required: ['c'] }] },
    [{ a: 1, b: 1, c: 1 }],
    [
      { a: 1, b: 1 },
      { b: 1, c: 1 },
      { a: 1, b: 'x', c: 1 },
    ],
  ),
  group('allOf with false', { allOf: [true, false] }, [], [1, 'a']),
  group('anyOf with true', { anyOf: [true, false] }, [1, 'a'], []),
  group(
    'anyOf of objects',
    { anyOf: [{ required: ['a'] }, { properties: { b: { type: 'string' } }, required: ['b'] }] },
    [{ a: 1 }, { b: 'x' }, 1],
    [{ b: 2 }, {}],
  ),
  group('oneOf with several that hold', { oneOf: [true, true, false] }, [], [1]),
  group(
    'oneOf of required properties',
    { oneOf: [{ required: ['a', 'b'] }, { required: ['a', 'c'] }] },
    [
      { a: 1, b: 2 },
      { a: 1, c: 2 },
    ],
    [{ a: 1 }, { a: 1, b: 2, c: 3 }],
  ),
  group(
    'allOf, anyOf and oneOf together',
    { allOf: [{ multipleOf: 2 }], anyOf: [{ multipleOf: 3 }], oneOf: [{ multipleOf: 5 }] },
    [30, 60],
    [1, 2, 3, 5, 6, 10, 15],
  ),
  group('not of not', { not: { not: { type: 'null' } } }, [null], [1, 'a']),
  group(
    'not of something that is forbidden',
    { not: { properties: { a: {} }, required: ['a'] } },
    [{ b: 1 }],
    [{ a: 1 }, 1],
  ),
  group(
    'not of nothing and of everything',
    { properties: { a: { not: {} }, b: { not: false } } },
    [{ b: 1 }],
    [{ a: 1 }],
  ),
  group('then without if', { then: { const: 0 } }, [0, 'a'], []),
  group('else without if', { else: { const: 0 } }, [0, 'a'], []),
  group('if and then', { if: { exclusiveMaximum: 0 }, then: { minimum: -10 } }, [-1, -10, 3], [-100]),
  group('if and else', { if: { exclusiveMaximum: 0 }, else: { multipleOf: 2 } }, [-1, 4], [3]),
  group(
    'if with a boolean schema',
    { if: true, then: { const: 'then' }, else: { const: 'else' } },
    ['then'],
    ['else', 1],
  ),

  // References within a document
  group(
    'a reference to the root',
    { properties: { a: { $ref: '#' } }, additionalProperties: false },
    [{ a: {} }, { a: { a: {} } }],
    [{ b: 1 }, { a: { b: 1 } }],
  ),
  group(
    'a reference to a place',
    { properties: { a: { type: 'integer' }, b: { $ref: '#/properties/a' } } },
    [{ b: 3 }],
    [{ b: 'x' }],
  ),
  group(
    'a reference to an item',
    { prefixItems: [{ type: 'integer' }, { $ref: '#/prefixItems/0' }] },
    [[1, 2], [1]],
    [[1, 'x']],
  ),
  group(
    'references with escaped names',
    {
      $defs: { 'a~b': { type: 'integer' }, 'c/d': { type: 'integer' }, 'e%f': { type: 'integer' } },
      properties: { a: { $ref: '#/$defs/a~0b' }, c: { $ref: '#/$defs/c~1d' }, e: { $ref: '#/$defs/e%25f' } },
    },
    [{ a: 1, c: 1, e: 1 }],
    [{ a: 'x' }, { c: 'x' }, { e: 'x' }],
  ),
  group(
    'references to references',
    { $defs: { a: { type: 'integer' }, b: { $ref: '#/$defs/a' }, c: { $ref: '#/$defs/b' } }, $ref: '#/$defs/c' },
    [5],
    ['a'],
  ),
  group(
    'a reference beside other keywords',
    { $defs: { a: { type: 'array' } }, properties: { a: { $ref: '#/$defs/a', maxItems: 2 } } },
    [{ a: [] }, { a: [1, 2] }],
    [{ a: [1, 2, 3] }, { a: 'x' }],
  ),
  group(
    'a reference to a boolean schema',
    { $defs: { yes: true, no: false }, properties: { a: { $ref: '#/$defs/yes' }, b: { $ref: '#/$defs/no' } } },
    [{ a: 1 }, {}],
    [{ b: 1 }],
  ),
  group('a property called $ref', { properties: { $ref: { type: 'string' } } }, [{ $ref: 'a' }], [{ $ref: 2 }]),
  group(
    'definitions under a name of older drafts',
    { definitions: { a: { type: 'string' } }, $ref: '#/definitions/a' },
    ['a'],
    [1],
  ),
  group(
    'an anchor that another schema leads to',
    { $defs: { a: { $anchor: 'here', type: 'string' }, b: { items: { $ref: '#here' } } }, $ref: '#/$defs/b' },
    [['a'], []],
    [[1]],
  ),
  group(
    'two lists that hold each other',
    {
      $defs: {
        tree: { properties: { nodes: { items: { $ref: '#/$defs/node' } } }, required: ['nodes'] },
        node: { properties: { subtree: { $ref: '#/$defs/tree' }, value: { type: 'number' } }, required: ['value'] },
      },
      $ref: '#/$defs/tree',
    },
    [{ nodes: [{ value: 1, subtree: { nodes: [{ value: 1.1 }] } }] }],
    [{ nodes: [{ value: 1, subtree: { nodes: [{ value: 'x' }] } }] }, { nodes: [{}] }],
  ),
  group(
    'a schema in a place where no keyword is',
    { const: { $ref: '#/nowhere' } },
    [{ $ref: '#/nowhere' }],
    [{ a: 1 }],
  ),
  group('a schema in an enum', { enum: [{ $ref: '#/nowhere' }, { type: 'string' }] }, [{ type: 'string' }], ['a', {}]),

  // Unevaluated properties and items
  group(
    'unevaluated properties as a schema',
    { properties: { a: {} }, unevaluatedProperties: { minLength: 3 } },
    [{}, { a: 1, b: 'abc' }],
    [{ b: 'ab' }],
  ),
  group(
    'unevaluated properties through anyOf',
    {
      properties: { a: {} },
      anyOf: [
        { properties: { b: { const: 'b' } }, required: ['b'] },
        { properties: { c: { const: 'c' } }, required: ['c'] },
      ],
      unevaluatedProperties: false,
    },
    [
      { a: 1, b: 'b' },
      { a: 1, b: 'b', c: 'c' },
    ],
    [
      { a: 1, b: 'b', c: 'not c' },
      { b: 'b', d: 1 },
    ],
  ),
  group(
    'unevaluated properties through if',
    {
      if: { properties: { a: { const: 1 } }, required: ['a'] },
      then: { properties: { b: {} } },
      else: { properties: { c: {} } },
      unevaluatedProperties: false,
    },
    [{ a: 1, b: 1 }, { c: 1 }],
    [{ a: 1, c: 1 }, { b: 1 }],
  ),
  group(
    'unevaluated properties through not: none are',
    { properties: { a: {} }, not: { not: { properties: { b: {} }, required: ['b'] } }, unevaluatedProperties: false },
    [],
    [{ a: 1, b: 1 }],
  ),
  group(
    'unevaluated properties through a reference',
    { $ref: '#/$defs/b', properties: { a: {} }, unevaluatedProperties: false, $defs: { b: { properties: { b: {} } } } },
    [{ a: 1, b: 1 }],
    [{ a: 1, c: 1 }],
  ),
  group(
    'unevaluated properties of a cousin',
    { allOf: [{ properties: { a: true } }, { unevaluatedProperties: false }] },
    [{}],
    [{ a: 1 }],
  ),
  group(
    'unevaluated properties through dependentSchemas',
    {
      properties: { a: {} },
      dependentSchemas: { a: { properties: { b: { const: 'b' } } } },
      unevaluatedProperties: false,
    },
    [{ a: 1, b: 'b' }],
    [{ b: 'b' }],
  ),
  group(
    'unevaluated items as a schema',
    { prefixItems: [{ type: 'number' }], unevaluatedItems: { type: 'string' } },
    [[1], [1, 'a']],
    [[1, 2]],
  ),
  group(
    'unevaluated items through allOf',
    { prefixItems: [true], allOf: [{ prefixItems: [true, { type: 'number' }] }], unevaluatedItems: false },
    [['a', 1]],
    [['a', 1, 2]],
  ),
  group('unevaluated items beside items', { items: { type: 'string' }, unevaluatedItems: false }, [['a', 'b']], [[1]]),
  group(
    'unevaluated items through anyOf',
    {
      prefixItems: [{ const: 1 }],
      anyOf: [{ prefixItems: [true, { const: 2 }] }, { prefixItems: [true, true, { const: 3 }] }],
      unevaluatedItems: false,
    },
    [
      [1, 2],
      [1, 2, 3],
    ],
    [[1, 2, 4], [2]],
  ),

  // Annotations restrict nothing
  group(
    'a default that does not fit',
    { properties: { a: { type: 'integer', default: 'x' } } },
    [{}, { a: 1 }],
    [{ a: 'x' }],
  ),
  group(
    'content is an annotation',
    { contentMediaType: 'application/json', contentEncoding: 'base64' },
    ['{:}', '%%%', 1],
    [],
  ),
  group(
    'formats are annotations, unheard-of ones too',
    { properties: { a: { format: 'ipv4' }, b: { format: 'made-up' } } },
    [{ a: '999', b: '' }, { a: 1 }],
    [],
  ),
  group(
    'keywords that nobody knows',
    { 'x-mine': { type: 'string' }, 'readOnly': true, 'deprecated': true, 'examples': [1] },
    [1, null],
    [],
  ),
]

function tree(): JsonSchema {
  return { type: 'object', properties: { value: { type: 'number' }, next: { type: 'array', items: { $ref: '#' } } } }
}

function group(description: string, schema: JsonSchema, valid: readonly unknown[], invalid: readonly unknown[]): Group {
  const tests = [...valid.map((data) => ({ data, valid: true })), ...invalid.map((data) => ({ data, valid: false }))]
  return { description, schema, tests: tests.map((each) => ({ ...each, description: JSON.stringify(each.data) })) }
}

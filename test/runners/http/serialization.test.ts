import { expect, test } from 'vitest'
import { serializeHeader, serializePath, serializeQuery } from '../../../src/runners/http/serialization.ts'
import type { Serialization, ParameterStyle } from '../../../src/runners/http/serialization.ts'

const ARRAY = ['blue', 'black', 'brown']
const OBJECT = { R: 100, G: 200, B: 150 }

function as(style: ParameterStyle, explode: boolean, allowReserved = false): Serialization {
  return { style, explode, allow_reserved: allowReserved }
}

// Label arrays are joined by commas as in OpenAPI 3.1.1 and RFC 6570; earlier texts of the table had dots there.
test.each([
  ['simple', false, 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  ['simple', true, 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ['label', false, '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
  ['label', true, '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
  ['matrix', false, ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
  ['matrix', true, ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
] as const)(
  'the table of OpenAPI 3.1, "ParameterStyle Examples": path %s, explode %s',
  (style, explode, string, array, object) => {
    expect(serializePath('color', 'blue', as(style, explode))).toBe(string)
    expect(serializePath('color', ARRAY, as(style, explode))).toBe(array)
    expect(serializePath('color', OBJECT, as(style, explode))).toBe(object)
  },
)

test('the table of OpenAPI 3.1, "ParameterStyle Examples": path, empty', () => {
  expect(serializePath('color', '', as('matrix', false))).toBe(';color')
  expect(serializePath('color', '', as('matrix', true))).toBe(';color')
  expect(serializePath('color', '', as('label', false))).toBe('.')
})

test.each([
  ['form', false, 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  ['form', true, 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  ['spaceDelimited', false, 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
  ['pipeDelimited', false, 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  ['spaceDelimited', true, 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  ['pipeDelimited', true, 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  [
    'deepObject',
    true,
    'color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown',
    'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150',
  ],
] as const)(
  'the table of OpenAPI 3.1, "ParameterStyle Examples": query %s, explode %s',
  (style, explode, array, object) => {
    expect(serializeQuery('color', 'blue', as(style, explode))).toEqual(['color=blue'])
    expect(serializeQuery('color', '', as(style, explode))).toEqual(['color='])
    expect(serializeQuery('color', ARRAY, as(style, explode)).join('&')).toBe(array)
    expect(serializeQuery('color', OBJECT, as(style, explode)).join('&')).toBe(object)
  },
)

test('the table of OpenAPI 3.1, "ParameterStyle Examples": header', () => {
  expect(serializeHeader('blue', false)).toBe('blue')
  expect(serializeHeader(ARRAY, true)).toBe('blue,black,brown')
  expect(serializeHeader(OBJECT, false)).toBe('R,100,G,200,B,150')
  expect(serializeHeader(OBJECT, true)).toBe('R=100,G=200,B=150')
  expect(serializeHeader('a b/ü', false)).toBe('a b/ü')
})

test.each([
  [true, 'true'],
  [false, 'false'],
  [0, '0'],
  [-1.5, '-1.5'],
  ["it's (a) *test*!", 'it%27s%20%28a%29%20%2Atest%2A%21'],
  ['a/b?c#d', 'a%2Fb%3Fc%23d'],
  ['%2F', '%252F'],
  ['ü€😀', '%C3%BC%E2%82%AC%F0%9F%98%80'],
  ['\ud800', '%EF%BF%BD'],
  ['-._~', '-._~'],
  [{ a: { b: 1 } }, 'a,%7B%22b%22%3A1%7D'],
  [['a,b', 'c'], 'a%2Cb,c'],
])('values: %j is "%s" in a path', (value, expected) => {
  expect(serializePath('x', value, as('simple', false))).toBe(expected)
})

test.each([null, undefined])('values: %s is left out everywhere', (nothing) => {
  expect(serializePath('x', nothing, as('simple', false))).toBeUndefined()
  expect(serializeQuery('x', nothing, as('form', true))).toEqual([])
  expect(serializeHeader(nothing, false)).toBeUndefined()
  expect(serializeQuery('x', ['a', nothing, 'b'], as('form', false))).toEqual(['x=a,b'])
  expect(serializeQuery('x', { a: nothing, b: 1 }, as('form', true))).toEqual(['b=1'])
  expect(serializeQuery('x', { a: nothing, b: { c: nothing, d: 1 } }, as('deepObject', true))).toEqual([
    'x%5Bb%5D%5Bd%5D=1',
  ])
})

test.each(['form', 'spaceDelimited', 'deepObject'] as const)(
  'values: empty lists and objects leave nothing: %s',
  (style) => {
    for (const explode of [true, false]) {
      expect(serializeQuery('x', [], as(style, explode))).toEqual([])
      expect(serializeQuery('x', {}, as(style, explode))).toEqual([])
    }
  },
)

test('values: names are encoded too', () => {
  expect(serializeQuery('a&b=c', 'd', as('form', true))).toEqual(['a%26b%3Dc=d'])
  expect(serializeQuery('x', { 'a&b': 'c' }, as('form', true))).toEqual(['a%26b=c'])
})

test('values: reserved characters may stay, except those that would end the value', () => {
  const value = "a/b:c?d@e!$'()*,;=%2F%zz &+#[]ü"
  expect(serializeQuery('x', value, as('form', true, true))).toEqual([
    "x=a/b:c?d@e!$'()*,;=%2F%25zz%20%26%2B%23%5B%5D%C3%BC",
  ])
})

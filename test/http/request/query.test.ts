import { expect, it } from 'vitest'
import { integer, array, optional, string } from '../../../src/core/tool/json-reader.ts'
import { decodeBase64Text } from '../../../src/http/request/header-text.ts'
import { pathReader, pathSegment } from '../../../src/http/request/path-segment.ts'
import { ANY_QUERY, NO_QUERY, defineQuery, readQuery } from '../../../src/http/request/query.ts'

const URL_OF = 'https://sb.example/tools'
const declared = () =>
  defineQuery({ q: optional(string()), limit: optional(string()), tags: optional(array(string())) })
const read = (search: string, of = declared()) => {
  const result = readQuery(of, URL_OF + search)
  return result.ok ? result.value : 'message' in result.failure && result.failure.message
}

it.each<[string, unknown]>([
  ['', {}],
  ['?', {}],
  ['?q=a+b%20c&limit=3', { q: 'a b c', limit: '3' }],
  ['?tags=a', { tags: ['a'] }],
  ['?tags=a&tags=b', { tags: ['a', 'b'] }],
  ['?q=a&q=b', expect.stringMatching(/^Cannot read the query.*'q'.*Must be said once, got 2 times/)],
  ['?x=1', expect.stringMatching(/query.*parameter/)],
  ['?search=1', expect.stringContaining("'q'")],
])('the query %j is read as %j', (search, value) => {
  expect(read(search)).toEqual(value)
})

it('a query can allow everything or nothing', () => {
  expect(readQuery(ANY_QUERY, `${URL_OF}?x=1&x=2`)).toMatchObject({ ok: true })
  expect(readQuery(NO_QUERY, `${URL_OF}?x=1`)).toMatchObject({ ok: false })
  const { names, unknown: others, emptyResult: none } = declared()
  expect([names, others, none]).toEqual([['q', 'limit', 'tags'], undefined, { ok: true, value: {} }])
  expect(defineQuery({ n: integer(0, 1) }).emptyResult).toMatchObject({
    ok: false,
    failure: { type: 'request-malformed' },
  })
  expect(ANY_QUERY.unknown).toBe('ignore')
  expect(readQuery(defineQuery({}, { unknown: 'ignore' }), `${URL_OF}?x=1`)).toEqual({ ok: true, value: {} })
})

it('a segment of a path is read by its position', () => {
  expect(pathSegment('https://sb.example/a/b%2Fc?d', 2)).toEqual({ ok: true, value: 'b/c' })
  expect(pathSegment('https://sb.example/a', 5)).toEqual({ ok: true, value: '' })
  expect(pathSegment('https://sb.example/%ff', 1)).toMatchObject({
    failure: { message: 'Cannot read the path: its percent-encoding is malformed' },
  })
  expect(pathReader('/a')('https://sb.example/a')).toEqual({ ok: true, value: {} })
})

it('text in a header is decoded from Base64 as UTF-8', () => {
  expect(['w6k=', '/w==', '?'].map(decodeBase64Text)).toEqual(['é', undefined, undefined])
})

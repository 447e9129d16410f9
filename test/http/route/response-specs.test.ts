import { expect, it } from 'vitest'
import * as answers from '../../../src/http/route/response-specs.ts'

it('an answer is declared with what it says and holds', () => {
  const {
    TEXT,
    objectSchema: objectOf,
    arraySchema: listOf,
    ref,
    json,
    jsonRef: component,
    itemList: items,
    withEtag: tagged,
    mediaTypeOnly: plain,
    toolListResponses: listing,
  } = answers
  expect(objectOf({ 'a': TEXT, 'b?': TEXT })).toEqual({
    type: 'object',
    properties: { a: TEXT, b: TEXT },
    required: ['a'],
  })
  expect(objectOf({ 'b?': TEXT })).not.toHaveProperty('required')
  expect(listOf(TEXT)).toEqual({ type: 'array', items: { type: 'string' } })
  const $ref = '#/components/schemas/Key'
  expect(ref('Key')).toEqual({ $ref })
  expect(json('A', TEXT)).toEqual({ says: 'A', schema: TEXT })
  expect(component('A', 'Key')).toEqual({ says: 'A', schema: { $ref } })
  expect(items('A', 'Key').schema).toMatchObject({ properties: { items: { type: 'array', items: { $ref } } } })
  expect(tagged(json('A', TEXT))).toEqual({ says: 'A', schema: TEXT, tagged: true })
  expect(plain('A', 'text/css')).toEqual({ says: 'A', type: 'text/css' })
  expect(listing(TEXT)).toMatchObject({
    200: { says: 'The tools that the caller may see', schema: TEXT, note: 'Why a filtered list is empty' },
    304: { says: 'Not modified' },
  })
})

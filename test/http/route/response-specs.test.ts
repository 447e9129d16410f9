import { expect, it } from 'vitest'
import * as specs from '../../../src/http/route/response-specs.ts'

it('declares responses with a description, a schema or a media type', () => {
  const { TEXT, objectSchema, arraySchema, ref, json, jsonRef, itemList, withEtag, mediaTypeOnly, toolListResponses } =
    specs
  expect(objectSchema({ 'a': TEXT, 'b?': TEXT })).toEqual({
    type: 'object',
    properties: { a: TEXT, b: TEXT },
    required: ['a'],
  })
  expect(objectSchema({ 'b?': TEXT })).not.toHaveProperty('required')
  expect(arraySchema(TEXT)).toEqual({ type: 'array', items: { type: 'string' } })
  const $ref = '#/components/schemas/Key'
  expect(ref('Key')).toEqual({ $ref })
  expect(json('A', TEXT)).toEqual({ description: 'A', schema: TEXT })
  expect(jsonRef('A', 'Key')).toEqual({ description: 'A', schema: { $ref } })
  expect(itemList('A', 'Key').schema).toMatchObject({ properties: { items: { type: 'array', items: { $ref } } } })
  expect(withEtag(json('A', TEXT))).toEqual({ description: 'A', schema: TEXT, hasEtag: true })
  expect(mediaTypeOnly('A', 'text/css')).toEqual({ description: 'A', type: 'text/css' })
  expect(toolListResponses(TEXT)).toMatchObject({
    200: { description: 'The tools that the caller may see', schema: TEXT, note: 'Why a filtered list is empty' },
    304: { description: 'Not modified' },
  })
})

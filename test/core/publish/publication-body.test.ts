import { expect, it } from 'vitest'
import { unwrapBody } from '../../../src/core/publish/publication-body.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'

function read(body: JsonObject) {
  const { wrapper, problems } = unwrapBody({ definition: {}, ...body })
  return { wrapper, problems }
}
const LARGE = 'x'.repeat(256 * 1024)

it('the wrapper of a definition may be empty', () => {
  expect(read({})).toEqual({ wrapper: { decodeOptions: {} }, problems: [] })
  expect(read({ implementation: null })).toEqual({ wrapper: { decodeOptions: {} }, problems: [] })
  // As a value that was set to nothing
  expect(read({ toolkit: undefined, version: undefined, tags: undefined, implementation: undefined })).toEqual({
    wrapper: { decodeOptions: {} },
    problems: [],
  })
})

it('the wrapper of a definition may have a toolkit, a version, tags and an implementation', () => {
  const said = { tags: ['a', 'b'.repeat(64)], implementation: { kind: 'echo', more: [1] } }
  expect(read({ ...said, toolkit: 'Kit', version: '1.2.3' })).toEqual({
    wrapper: { ...said, decodeOptions: { toolkit: 'Kit', version: '1.2.3' } },
    problems: [],
  })
  expect(read({ tags: [] }).wrapper).toEqual({ decodeOptions: {}, tags: [] })
  expect(read({ tags: Array.from({ length: 32 }, () => 't') }).problems).toEqual([])
})

const TOOLKIT = 'Must be 1 to 64 of the characters A-Z, a-z, 0-9, _ and -'
const VERSION = 'Must be a version of the form x.y.z'
const TAGS = 'Must be up to 32 texts of 1 to 64 characters'
const IMPLEMENTATION = "Must be an object with a 'kind'"
const NO_TEXT = 'Contains a lone surrogate (invalid Unicode)'
it.each<[string, JsonObject, string, string]>([
  ['a toolkit that is none', { toolkit: 'a b' }, '/toolkit', `${TOOLKIT}, got 'a b'`],
  ['a toolkit that is no text', { toolkit: 7 }, '/toolkit', `${TOOLKIT}, got 7`],
  ['a toolkit that is null', { toolkit: null }, '/toolkit', `${TOOLKIT}, got null`],
  ['a version that is none', { version: '1' }, '/version', `${VERSION}, such as '1.0.0', got '1'`],
  ['a version that is no text', { version: 1 }, '/version', `${VERSION}, got 1`],
  ['a version in a list', { version: ['1.2.3'] }, '/version', `${VERSION}, got an array of 1`],
  ['a toolkit in a list', { toolkit: ['Kit'] }, '/toolkit', `${TOOLKIT}, got an array of 1`],
  ['a version that is null', { version: null }, '/version', `${VERSION}, got null`],
  ['tags that are no list', { tags: 'mail' }, '/tags', `${TAGS}, got 'mail'`],
  ['tags that are null', { tags: null }, '/tags', `${TAGS}, got null`],
  ['tags that are no texts', { tags: ['a', 1] }, '/tags', `${TAGS}, got an array of 2`],
  ['33 tags', { tags: Array.from({ length: 33 }, () => 't') }, '/tags', `${TAGS}, got an array of 33`],
  ['an empty tag', { tags: ['a', ''] }, '/tags', `${TAGS}, got an array of 2`],
  ['a tag of 65 characters', { tags: ['t'.repeat(65)] }, '/tags', `${TAGS}, got an array of 1`],
  ['a tag that is no text', { tags: ['\ud800'] }, '/tags', NO_TEXT],
  ['an implementation that is none', { implementation: 'http' }, '/implementation', `${IMPLEMENTATION}, got 'http'`],
  ['an implementation of no kind', { implementation: {} }, '/implementation', `${IMPLEMENTATION}, got an object`],
  [
    'an implementation of a kind that is no text',
    { implementation: { kind: 1 } },
    '/implementation',
    `${IMPLEMENTATION}, got an object`,
  ],
  ['an implementation that is false', { implementation: false }, '/implementation', `${IMPLEMENTATION}, got false`],
  ['an implementation that is no text', { implementation: { kind: 'a', b: '\ud800' } }, '/implementation', NO_TEXT],
  [
    'an implementation that is too large',
    { implementation: { kind: 'echo', b: LARGE } },
    '/implementation',
    'Is larger than 262144 bytes, the most an implementation may have',
  ],
  [
    'an unknown field',
    { 'a/b': 1 },
    '/a~1b',
    "Unknown field 'a/b': wanted 'definition', 'implementation', 'implementations', 'toolkit', 'version', 'tags', 'security_level', 'approval'",
  ],
])('the wrapper of a definition may not have %s', (_, body, path, message) => {
  expect(read(body).problems).toEqual([{ path, message }])
})

it('the wrapper of a definition may not have tags that are too large even for an implementation', () => {
  expect(read({ tags: LARGE }).problems).toEqual([
    { path: '/tags', message: `${TAGS}, got a string of 262144 characters` },
    { path: '/tags', message: 'Is larger than 262144 bytes, the most an implementation may have' },
  ])
})

it('the wrapper of a definition leaves out invalid values', () => {
  expect(read({ toolkit: 'a b', version: '1', tags: [''], implementation: {} }).wrapper).toEqual({
    decodeOptions: {},
  })
})

it('the wrapper of a definition has all problems reported, unknown fields first', () => {
  const body = { tags: 7, x: 1, toolkit: '', y: 2, version: '', implementation: { kind: 0, z: '\ud800' } }
  expect(read(body).problems.map(({ path }) => path)).toEqual([
    '/x',
    '/y',
    '/implementation',
    '/toolkit',
    '/version',
    '/tags',
    '/implementation',
  ])
})

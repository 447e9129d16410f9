import { expect, it } from 'vitest'
import { findArtifactContent, checkArtifactOutput, readArtifact } from '../../../src/core/call/artifact-output.ts'
import type { Content } from '../../../src/core/tool/content.ts'

const ARTIFACT = {
  url: 'https://x.test/a.csv',
  content_type: 'text/csv',
  size: 9,
  meta: { description: 'Rows' },
}
const read = (value: unknown) => readArtifact({ ok: true, value })

it("a value that declares an artifact is read as one, with its 'value' as the value", () => {
  expect(read({ artifact: ARTIFACT })).toEqual({ ok: true, value: { ok: true, value: null, artifact: ARTIFACT } })
  const both = { ok: true, value: [1], artifact: ARTIFACT }
  expect(read({ artifact: ARTIFACT, value: [1] })).toEqual({ ok: true, value: both })
  const data = { ...ARTIFACT, url: 'data:text/csv,a' }
  expect(read({ artifact: data })).toMatchObject({ value: { artifact: data } })
})

it.each([null, 7, 'artifact', [], {}, { value: 1 }])('a value that declares no artifact is unchanged: %j', (value) => {
  const result = { ok: true, value } as const
  expect(readArtifact(result)).toEqual({ ok: true, value: result })
})

it('a value is unchanged if its tool already returned an artifact', () => {
  const result = { ok: true, value: { artifact: 1 }, artifact: ARTIFACT } as const
  expect(readArtifact(result)).toEqual({ ok: true, value: result })
})

it.each<[object, string]>([
  [{ url: 'javascript:alert(1)' }, '/artifact/url'],
  [{ url: 'file:///etc/passwd' }, '/artifact/url'],
  [{ size: -1 }, '/artifact/size'],
  [{ size: 1.5 }, '/artifact/size'],
  [{ content_type: '' }, '/artifact/content_type'],
  [{ meta: {} }, '/artifact/meta/description'],
])('a value that declares an artifact is an invalid output with %j', (more, path) => {
  expect(read({ artifact: { ...ARTIFACT, ...more } })).toMatchObject({
    ok: false,
    failure: { type: 'output-invalid', problems: [{ path }] },
  })
})

const image: Content = { type: 'image', data: 'QUJD' }
const blob: Content = { type: 'resource', resource: { blob: 'QUJD' } }
const text: Content = { type: 'text', text: 'a' }
const page: Content = { type: 'resource', resource: { text: 'a' } }
const modes = (...available_modes: string[]) => ({ metadata: { available_modes } })
const gave = (content: readonly Content[], value: unknown = null) => ({ ok: true, value, content }) as const

it('bytes from a tool that declares artifacts are an artifact, without a value', () => {
  const record = modes('artifact', 'value')
  for (const block of [image, blob]) expect(findArtifactContent(record, gave([block]))).toBe(block)
  expect(findArtifactContent(modes('artifact'), gave([image], 7))).toBe(image)
  expect(findArtifactContent(record, gave([image], undefined))).toBe(image)
  for (const content of [[], [text], [page], [image, image]]) {
    expect(findArtifactContent(record, gave(content))).toBeUndefined()
  }
  expect(findArtifactContent(record, gave([image], 7))).toBeUndefined()
  expect(findArtifactContent(modes('value'), gave([image]))).toBeUndefined()
  expect(findArtifactContent({}, gave([image]))).toBeUndefined()
  expect(findArtifactContent(record, { ok: true, value: null })).toBeUndefined()
})

const wantsNumber = (value: unknown) => (typeof value === 'number' ? [] : [{ path: '', message: 'Must be a number' }])
const invalid = { ok: false, failure: { type: 'output-invalid' } }

it('an output is checked against its schema, unless an artifact replaces the value', () => {
  const record = modes('artifact', 'value')
  expect(checkArtifactOutput({ ok: true, value: 'x' }, record, wantsNumber, undefined)).toMatchObject(invalid)
  expect(checkArtifactOutput(gave([image]), record, wantsNumber, undefined)).toMatchObject({
    ok: true,
    value: null,
  })
  expect(checkArtifactOutput({ ok: true, value: { artifact: ARTIFACT } }, record, wantsNumber, undefined)).toEqual({
    ok: true,
    value: null,
    artifact: ARTIFACT,
  })
})

it('an output with an invalid artifact is invalid', () => {
  const record = modes('artifact', 'value')
  expect(checkArtifactOutput({ ok: true, value: { artifact: 1 } }, record, wantsNumber, undefined)).toMatchObject(
    invalid,
  )
})

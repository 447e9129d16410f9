import { describe, expect, it } from 'vitest'
import { readArtifact } from '../../../src/core/call/artifact-output.ts'

const ARTIFACT = {
  url: 'https://x.test/a.csv',
  content_type: 'text/csv',
  size: 9,
  meta: { description: 'Rows' },
}
const read = (value: unknown) => readArtifact({ ok: true, value })

describe('a value that says it is an artifact', () => {
  it('is one, with what lies beside it as the value', () => {
    expect(read({ artifact: ARTIFACT })).toEqual({ ok: true, value: { ok: true, value: null, artifact: ARTIFACT } })
    const both = { ok: true, value: [1], artifact: ARTIFACT }
    expect(read({ artifact: ARTIFACT, value: [1] })).toEqual({ ok: true, value: both })
    const data = { ...ARTIFACT, url: 'data:text/csv,a' }
    expect(read({ artifact: data })).toMatchObject({ value: { artifact: data } })
  })

  it.each([null, 7, 'artifact', [], {}, { value: 1 }])('is none when it says nothing of the kind: %j', (value) => {
    const result = { ok: true, value } as const
    expect(readArtifact(result)).toEqual({ ok: true, value: result })
  })

  it('stays the one that its tool gave as such', () => {
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
  ])('is an invalid output with %j', (more, path) => {
    expect(read({ artifact: { ...ARTIFACT, ...more } })).toMatchObject({
      ok: false,
      failure: { type: 'output-invalid', problems: [{ path }] },
    })
  })
})

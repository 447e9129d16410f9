import { describe, expect, it } from 'vitest'
import type { ArtifactOwner, ArtifactStore, StorableContent } from '../../../src/core/call/artifact-store.ts'
import { offloadOutput } from '../../../src/core/call/large-output.ts'
import { fitsInline, MODEL_INLINE_BYTES, toValueResult } from '../../../src/core/call/output.ts'
import type { ToolSuccess } from '../../../src/core/call/runner.ts'
import type { Validate } from '../../../src/core/schema/validator.ts'
import type { Content } from '../../../src/core/tool/content.ts'
import { recordWith } from './fakes.ts'

const anything: Validate = () => []
const textsOnly: Validate = (value) => (typeof value === 'string' ? [] : [{ path: '', message: 'Must be a string' }])
const OWNER: ArtifactOwner = { callId: 'c', tool: 'A.B@1.0.0', principal: 'p', requestUrl: () => 'https://here/x' }
const LONG = 'x'.repeat(MODEL_INLINE_BYTES)
const BYTES = 'QUJD'.repeat(100_000)
const image = (data: string): Content => ({ type: 'image', data, mimeType: 'image/png' })

interface Way {
  readonly modes?: readonly string[]
  readonly validateOutput?: Validate
  readonly store?: 'none'
}

/** Places an output, and says what was kept for it. */
async function place(success: ToolSuccess, { modes, validateOutput = anything, store }: Way = {}) {
  const kept: StorableContent[] = []
  const artifacts: ArtifactStore = {
    async put(what, owner) {
      expect(owner).toBe(OWNER)
      if (store === 'none') return { ok: false, why: 'no bucket' }
      kept.push(what)
      return { ok: true, url: `https://here/artifacts/${kept.length}`, size: 7, expiresAt: 'tomorrow' }
    },
    open: async () => 'missing',
  }
  const record = { ...recordWith({}), ...(modes ? { metadata: { available_modes: modes } } : {}) }
  const result = offloadOutput(success, {
    record,
    inlineBytes: MODEL_INLINE_BYTES,
    isSmall: fitsInline(success, MODEL_INLINE_BYTES),
    validateOutput,
    owner: OWNER,
    artifacts,
  })
  return { result: await result, kept }
}

const artifact = (number: number, content_type: string, name: string) => ({
  url: `https://here/artifacts/${number}`,
  content_type,
  size: 7,
  meta: { description: `${name}, until tomorrow` },
})
const link = (number: number, mimeType: string, name: string) => ({
  type: 'resource_link',
  uri: `https://here/artifacts/${number}`,
  name: `${name}, until tomorrow`,
  mimeType,
  size: 7,
})
const OUTPUT = 'The output of Example.Tool@1.0.0'
const SHOWN = 'What the tool gave: image'
const tooLarge = (why: string) => ({ ok: false, failure: { type: 'output-too-large', limit: MODEL_INLINE_BYTES, why } })

it.each<ToolSuccess>([
  { ok: true, value: { a: 1 } },
  { ok: true, value: 'x'.repeat(MODEL_INLINE_BYTES - 2) },
  { ok: true, value: null, content: [image('QUJD')], usage: { instructions: 1 } },
  { ok: true, value: null, artifact: artifact(1, 'a/b', 'own') },
])('an output that fits a response is returned unchanged: %#', async (success) => {
  expect(fitsInline(success, MODEL_INLINE_BYTES)).toBe(true)
  const { result, kept } = await place(success)
  expect(result).toBe(success)
  expect(kept).toEqual([])
})

it('a value too large for a response is stored completely, as JSON, and is replaced by a value with its link', async () => {
  const value = { rows: [LONG] }
  expect(fitsInline({ ok: true, value }, MODEL_INLINE_BYTES)).toBe(false)
  const { result, kept } = await place({ ok: true, value, usage: { instructions: 1 } })
  expect(kept).toEqual([{ content: { text: JSON.stringify(value) }, contentType: 'application/json' }])
  const elsewhere = artifact(1, 'application/json', OUTPUT)
  expect(result).toEqual({ ok: true, value: { artifact: elsewhere }, elsewhere, usage: { instructions: 1 } })
  expect(result.ok && toValueResult(result)).toEqual({ ok: true, value: { artifact: elsewhere } })
})

it('a value too large for a response is stored as text if it is a string', async () => {
  const { kept } = await place({ ok: true, value: `${LONG}é` })
  expect(kept).toEqual([{ content: { text: `${LONG}é` }, contentType: 'text/plain' }])
})

it('a value too large for a response is a failure with the link if the schema allows no link', async () => {
  const { result } = await place({ ok: true, value: LONG }, { validateOutput: textsOnly })
  const elsewhere = artifact(1, 'text/plain', OUTPUT)
  expect(result).toEqual({ ok: true, value: undefined, elsewhere })
  expect(result.ok && toValueResult(result)).toEqual({
    ok: false,
    failure: { type: 'output-elsewhere', artifact: elsewhere },
  })
})

it('a value too large for a response leaves its content in place', async () => {
  const content = [image('QUJD')]
  const { result } = await place({ ok: true, value: [LONG], content })
  expect(result).toMatchObject({ content, elsewhere: { url: 'https://here/artifacts/1' } })
})

it('a value too large for a response is an error that says what is missing if nothing can be stored', async () => {
  const { result } = await place({ ok: true, value: [LONG] }, { store: 'none' })
  expect(result).toEqual(tooLarge('no bucket'))
})

it('content too large for a response is the artifact if it is the whole output', async () => {
  const { result, kept } = await place({ ok: true, value: null, content: [image(BYTES)] })
  expect(kept).toEqual([{ content: { base64: BYTES }, contentType: 'image/png' }])
  expect(result).toEqual({ ok: true, value: null, artifact: artifact(1, 'image/png', SHOWN) })
})

it('content too large for a response is stored once, as bytes, if the value repeats it', async () => {
  const content: Content[] = [{ type: 'resource', resource: { uri: 'file:///a.pdf', blob: BYTES } }]
  const { result, kept } = await place({ ok: true, value: { content_type: 'application/pdf', data: BYTES }, content })
  expect(kept).toHaveLength(1)
  const elsewhere = artifact(1, 'application/octet-stream', 'file:///a.pdf')
  expect(result).toEqual({ ok: true, value: { artifact: elsewhere }, elsewhere })
})

it('content too large for a response is replaced by links, and small blocks stay', async () => {
  const text: Content = { type: 'text', text: 'look' }
  const page: Content = { type: 'resource', resource: { text: LONG, mimeType: 'text/html; charset=x' } }
  const given = [text, image(BYTES), page, image('QUJD')]
  const { result, kept } = await place({ ok: true, value: 1, content: given })
  expect(kept.map(({ contentType }) => contentType)).toEqual(['image/png', 'text/html'])
  const links = [link(1, 'image/png', SHOWN), link(2, 'text/html', 'What the tool gave: resource')]
  expect(result).toEqual({ ok: true, value: 1, content: [text, ...links, image('QUJD')] })
})

it('content too large for a response is stored as one artifact if there are many blocks, or none can be stored alone', async () => {
  const many = Array.from({ length: 40 }, () => image(BYTES))
  const { result, kept } = await place({ ok: true, value: 1, content: many })
  expect(kept).toEqual([{ content: { text: JSON.stringify(many) }, contentType: 'application/json' }])
  expect(Object(result).content).toEqual([link(1, 'application/json', 'All that Example.Tool@1.0.0 gave to look at')])
  const endless: Content = { type: 'resource_link', uri: `https://x/${LONG}`, name: 'x' }
  const one = await place({ ok: true, value: null, content: [endless] })
  expect(Object(one.result).content).toMatchObject([{ uri: 'https://here/artifacts/1' }])
  const last = await place({ ok: true, value: 1, content: [image(BYTES), endless] })
  expect(last.kept).toHaveLength(1)
})

it('content too large for a response gets no media type that is unsafe in a header', async () => {
  const odd: Content = { type: 'audio', data: BYTES, mimeType: 'a\r\nx: y' }
  const { kept } = await place({ ok: true, value: null, content: [odd] })
  expect(kept).toMatchObject([{ contentType: 'application/octet-stream' }])
})

it('content too large for a response is an error if nothing can be stored', async () => {
  const { result } = await place({ ok: true, value: null, content: [image(BYTES)] }, { store: 'none' })
  expect(result).toEqual(tooLarge('no bucket'))
  const both = await place({ ok: true, value: 1, content: [image('QUJD'), image(BYTES)] }, { store: 'none' })
  expect(both.result).toEqual(tooLarge('no bucket'))
})

describe('a tool that declares artifacts', () => {
  const modes = ['artifact', 'error']

  it('a tool that declares artifacts returns its bytes as one, and small ones also as content', async () => {
    const given: ToolSuccess = { ok: true, value: null, content: [image('QUJD')] }
    const small = await place(given, { modes })
    const made = artifact(1, 'image/png', SHOWN)
    expect(small.result).toEqual({ ok: true, value: null, content: [image('QUJD')], artifact: made })
    const text: Content = { type: 'text', text: 'a' }
    const [words, beside, several] = await Promise.all([
      place({ ok: true, value: null, content: [text] }, { modes }),
      place({ ok: true, value: 1, content: [image('QUJD')] }, { modes: ['value', ...modes] }),
      place({ ok: true, value: null, content: [text, image('QUJD')] }, { modes }),
    ])
    for (const { kept } of [words, beside, several]) expect(kept).toEqual([])
  })

  it('a tool that declares artifacts returns small bytes unchanged if nothing can be stored', async () => {
    const success: ToolSuccess = { ok: true, value: null, content: [image('QUJD')] }
    const { result } = await place(success, { modes, store: 'none' })
    expect(result).toBe(success)
  })

  it('a tool that declares artifacts gets a large data URL stored', async () => {
    const own = (url: string) => ({ ...artifact(9, 'text/csv', 'Rows'), url })
    const held = await place({ ok: true, value: null, artifact: own(`data:text/csv;base64,${BYTES}`) }, { modes })
    expect(held.kept).toEqual([{ content: { base64: BYTES }, contentType: 'text/csv' }])
    expect(held.result).toMatchObject({ artifact: { url: 'https://here/artifacts/1', content_type: 'text/csv' } })
    const long = await place({ ok: true, value: null, artifact: own(`https://x/${LONG}`) }, { modes })
    expect(long.result).toMatchObject({ ok: false, failure: { type: 'output-too-large' } })
  })

  it('a tool that declares artifacts has less room for content if its artifact is large', async () => {
    const half = 'x'.repeat(MODEL_INLINE_BYTES / 2)
    const own = { ...artifact(9, 'text/csv', 'Rows'), url: `https://x/${half}` }
    const { result } = await place({ ok: true, value: null, artifact: own, content: [image(half)] }, { modes })
    expect(result).toEqual({ ok: true, value: null, artifact: own, content: [link(1, 'image/png', SHOWN)] })
  })

  it('a tool that declares artifacts returns its artifact outside the value if the schema requires a value', async () => {
    const own = artifact(9, 'text/csv', 'Rows')
    const { result } = await place({ ok: true, value: null, artifact: own }, { modes, validateOutput: textsOnly })
    expect(result).toEqual({ ok: true, value: undefined, elsewhere: own })
  })
})

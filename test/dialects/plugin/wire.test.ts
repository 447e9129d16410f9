import { describe, expect, it } from 'vitest'
import type { Content } from '../../../src/core/tool/content.ts'
import { fail, ok } from '../../../src/core/failure/failure.ts'
import { decodeCall, encodeFailure, encodeOutcome } from '../../../src/dialects/plugin/wire.ts'

describe('a CallToolRequest', () => {
  it.each<[unknown, unknown]>([
    [{ params: { name: 'a' } }, { name: 'a', input: {} }],
    [
      { method: 'tools/call', params: { name: 'a', arguments: { x: 1 }, _meta: 1 }, more: 1 },
      { name: 'a', input: { x: 1 }, method: 'tools/call' },
    ],
    [
      { params: { name: 'a', _meta: { 'x': 1, 'dev.switchboard/context': { city: 'Oslo' } } } },
      { name: 'a', input: {}, values: { city: 'Oslo' } },
    ],
    [{ params: { name: 'a', _meta: { 'dev.switchboard/context': null } } }, { name: 'a', input: {} }],
    [
      { params: { name: 'a', _meta: { 'dev.switchboard/context': 1 } } },
      {
        type: 'request-malformed',
        message: "Cannot read the body at 'params._meta.dev.switchboard/context': Must be an object, got 1",
      },
    ],
    [
      { method: null, params: { name: 'a', arguments: null } },
      { name: 'a', input: {} },
    ],
    [{ params: {} }, { type: 'request-malformed', message: "Cannot read the body at 'params.name': Is required" }],
    [
      { params: { name: 1, arguments: [], more: 1 }, method: 1 },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'method': Must be a string of at most 256 characters, got 1; at 'params.name': Must be a string of at most 160 characters, got 1; at 'params.arguments': Must be an object, got an empty array",
      },
    ],
    [{}, { type: 'request-malformed', message: "Cannot read the body at 'params': Is required" }],
    [null, { type: 'request-malformed', message: 'Cannot read the body: Must be an object, got null' }],
  ])('reads the CallToolRequest %j', (body, wanted) => {
    const read = decodeCall(body)
    expect('ok' in read ? read.failure : read).toEqual(wanted)
  })
})

describe('a CallToolResult', () => {
  const outcome = { callId: 'c', durationMs: 5 }
  const text = (words: string) => ({ type: 'text', text: words })

  it('encodes a failure as a CallToolResult with isError', () => {
    const result = { content: [text('The call was canceled')], isError: true }
    expect(encodeFailure({ type: 'cancelled' })).toEqual(result)
    expect(encodeOutcome({ ...outcome, result: fail({ type: 'cancelled' }) })).toEqual(result)
  })

  it('encodes the content, or else the value, and also the artifact', () => {
    const artifact = { url: 'u', content_type: 't', size: 1, meta: { description: 'd' } }
    const link = text('[d (t, 1 bytes): u]')
    expect(encodeOutcome({ ...outcome, result: { ...ok('x'), artifact } }).content).toEqual([text('x'), link])
    expect(encodeOutcome({ ...outcome, result: { ...ok(1), content: [] } }).content).toEqual([text('1')])
    expect(encodeOutcome({ ...outcome, result: { ...ok(1), content: [{ type: 'text', text: 'y' }] } }).content).toEqual(
      [text('y')],
    )
    expect(encodeOutcome({ ...outcome, result: ok(undefined) })).toEqual({ content: [text('null')] })
  })

  it('keeps the annotations of each type of content', () => {
    const annotations = { audience: ['assistant'], priority: 1 } as const
    const content: readonly Content[] = [
      { type: 'image', data: 'AA', mimeType: 'image/png', annotations },
      { type: 'audio', data: 'AAA', mimeType: 'audio/wav', annotations },
      { type: 'resource_link', uri: 'https://here/c', name: 'c', annotations },
      { type: 'resource', resource: { uri: 'file:///a', text: 'A' }, annotations },
    ]
    expect(encodeOutcome({ ...outcome, result: { ...ok(1), content } }).content).toEqual([
      { type: 'image', data: 'AA', mimeType: 'image/png', annotations },
      { type: 'resource', data: 'AAA', mimeType: 'audio/wav', annotations },
      { ...text("[Resource 'c': https://here/c]"), annotations },
      { type: 'resource', text: 'A', resource: { uri: 'file:///a', text: 'A' }, annotations },
    ])
  })

  it("encodes only the schema's types of Content", () => {
    const annotations = { audience: ['user'], priority: 1 } as const
    const content: readonly Content[] = [
      { type: 'text', text: '', annotations },
      { type: 'text', text: '', annotations: { priority: 1 } },
      { type: 'text', text: '' },
      { type: 'text', text: '{}', mimeType: 'application/json' },
      { type: 'image', data: 'AA' },
      { type: 'image', data: '' },
      { type: 'resource', resource: { mimeType: 'text/csv', text: 'a,b' } },
      { type: 'resource', resource: { blob: 'AA' } },
    ]
    expect(encodeOutcome({ ...outcome, result: { ...ok(null), content } }).content).toEqual([
      { type: 'text', annotations },
      { type: 'text', text: '' },
      { type: 'text', text: '' },
      { type: 'text', text: '{}', mimeType: 'application/json' },
      { type: 'image', data: 'AA' },
      { type: 'image' },
      { type: 'resource', text: 'a,b', mimeType: 'text/csv' },
      { type: 'resource', data: 'AA' },
    ])
  })

  it('encodes empty content as empty, and keeps the content of a failure', () => {
    expect(encodeOutcome({ ...outcome, result: { ...ok(null), content: [] } })).toEqual({ content: [] })
    const content: readonly Content[] = [{ type: 'image', data: 'AA', mimeType: 'image/png' }]
    const result = fail({ type: 'tool-failed', message: '[image: image/png]', content })
    expect(encodeOutcome({ ...outcome, result })).toEqual({ content, isError: true })
  })
})

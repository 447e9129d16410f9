import { describe, expect, it } from 'vitest'
import { readCallToolResult } from '../../../src/runners/shared/call-tool-result.ts'

const read = (blocks: readonly unknown[], structured?: unknown, isError = false) =>
  readCallToolResult(blocks, structured, isError, 'The plugin')

describe('a CallToolResult', () => {
  const text = { type: 'text', text: 'one' }

  it.each<[string, unknown, unknown]>([
    ['structured content', { a: 1 }, { a: 1 }],
    ['structured content that is null', null, null],
    ['content alone, as text', undefined, 'one\none'],
  ])('has as its value %s', (_, structured, value) => {
    expect(read([text, text], structured)).toEqual({ ok: true, value, content: [text, text] })
  })

  it('of nothing is null', () => {
    expect(read([])).toEqual({ ok: true, value: null, content: [] })
  })

  it('that is an error is told in its own words', () => {
    expect(read([text], undefined, true)).toEqual({ ok: false, message: 'one' })
    expect(read([], { a: 1 }, true)).toEqual({ ok: false, message: 'The tool failed and did not say why' })
  })

  it.each([
    { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
    { type: 'resource_link', uri: 'file:///a', name: 'a', mimeType: 'text/plain' },
    { type: 'resource', resource: { uri: 'file:///a', text: 'A' } },
    { type: 'resource', resource: { uri: 'file:///a', blob: 'AA==', mimeType: 'image/png' } },
    { ...text, annotations: { audience: ['user'], priority: 0.5 } },
  ])('keeps %j', (block) => {
    expect(read([block])).toMatchObject({ ok: true, content: [block] })
  })

  it('loses what content does not have', () => {
    const annotations = { audience: ['user', 'root', 7], priority: 'high', other: 1 }
    expect(
      read([
        { ...text, extra: 1, annotations },
        { type: 'image', data: 'AA==' },
      ]),
    ).toMatchObject({
      content: [
        { ...text, annotations: { audience: ['user'] } },
        { type: 'image', data: 'AA==', mimeType: 'application/octet-stream' },
      ],
    })
  })

  it.each([
    [7, 'must be an object'],
    [{ type: 'text' }, "'text' must be a string"],
    [{ type: 'image', data: 1 }, "'data' must be a string"],
    [{ type: 'resource_link', uri: 'file:///a' }, "'uri' and 'name' must be strings"],
    [{ type: 'resource', resource: {} }, "'resource' must be an object with a 'uri'"],
    [{ type: 'resource', resource: { uri: 'file:///a' } }, "'resource' must have a 'text' or a 'blob'"],
    [{ type: 'video' }, "'type' must be text, image, audio, resource or resource_link"],
  ])('cannot hold %j', (block, problem) => {
    const message = `The plugin answered with content that is none: [1] ${problem}`
    expect(read([text, block])).toEqual({ ok: false, message })
  })
})

import { describe, expect, it } from 'vitest'
import { fail, ok } from '../../../src/core/failure/failure.ts'
import type { Content } from '../../../src/core/tool/content.ts'
import { plugin } from '../../../src/dialects/plugin/definition.ts'
import { decodeCall, encodeOutcome } from '../../../src/dialects/plugin/wire.ts'
import { readCallToolResult } from '../../../src/runners/shared/call-tool-result.ts'

/** Each row of src/dialects/plugin/DEVIATIONS.md, in its order. */
const GIVEN = { toolkit: 'web', version: '1.0.0' }
const TOOL = { name: 'web.fetch', description: 'Gets a page', inputSchema: {} }
const read = (block: unknown) => readCallToolResult([block], undefined, false, 'The plugin')
const written = (...content: Content[]) =>
  encodeOutcome({ callId: 'c', durationMs: 1, result: { ...ok(null), content } }).content

describe('where we deviate from the plugin schema', () => {
  it('toolkit and version are given next to a list', () => {
    expect(plugin.decode({ tools: [TOOL] }, {})).toMatchObject({
      ok: false,
      problems: [{ path: '/toolkit' }, { path: '/version' }],
    })
    expect(plugin.decode({ tools: [TOOL] }, GIVEN)).toMatchObject({ ok: true })
  })

  it('other characters in a name become an underscore', () => {
    expect(plugin.decode({ tools: [TOOL] }, GIVEN)).toMatchObject({ value: { definitions: [{ tool: 'web_fetch' }] } })
    expect(plugin.decode({ tools: [{ ...TOOL, name: 'get it' }] }, GIVEN)).toMatchObject({
      value: { definitions: [{ tool: 'get_it', title: 'get it' }], sourceNames: ['get it'] },
    })
  })

  it('annotations are kept next to a text or alone', () => {
    const annotations = { audience: ['user'], priority: 1 } as const
    const beside: Content = { type: 'text', text: 'a', annotations }
    expect(read(beside)).toMatchObject({ content: [beside] })
    expect(written(beside, { type: 'text', text: '', annotations })).toEqual([beside, { type: 'text', annotations }])
  })

  it('annotations are read with the fields they have, and written only if both are there', () => {
    expect(read({ type: 'text', text: 'a', annotations: { priority: 1 } })).toMatchObject({
      content: [{ annotations: { priority: 1 } }],
    })
    expect(written({ type: 'text', text: 'a', annotations: { priority: 1 } })).toEqual([{ type: 'text', text: 'a' }])
    expect(written({ type: 'text', text: 'a', annotations: { audience: ['user'] } })).toEqual([
      { type: 'text', text: 'a' },
    ])
    expect(written({ type: 'text', text: 'a', annotations: { audience: [], priority: 1 } })).toEqual([
      { type: 'text', text: 'a' },
    ])
  })

  it('audio becomes a resource, and links and artifacts become texts with the URL', () => {
    const sound: Content = { type: 'audio', data: 'AA', mimeType: 'audio/wav' }
    const link: Content = { type: 'resource_link', uri: 'https://here/c', name: 'c' }
    expect(written(sound, link)).toEqual([
      { type: 'resource', data: 'AA', mimeType: 'audio/wav' },
      { type: 'text', text: "[Resource 'c': https://here/c]" },
    ])
    const artifact = { url: 'https://here/a', content_type: 'text/csv', size: 9, meta: { description: 'All rows' } }
    const { content } = encodeOutcome({ callId: 'c', durationMs: 1, result: { ...ok(null), artifact } })
    expect(content).toEqual([{ type: 'text', text: '[All rows (text/csv, 9 bytes): https://here/a]' }])
    for (const block of [sound, link]) expect(read(block)).toMatchObject({ content: [block] })
  })

  it('a resource with a URI keeps it next to its text', () => {
    const resource = { uri: 'file:///a', text: 'A', mimeType: 'text/plain' }
    expect(written({ type: 'resource', resource })).toEqual([
      { type: 'resource', text: 'A', mimeType: 'text/plain', resource },
    ])
  })

  it('a request has the values that no model may infer in _meta', () => {
    const _meta = { 'dev.switchboard/context': { key: 1 } }
    expect(decodeCall({ params: { name: 'a', _meta } })).toEqual({ name: 'a', input: {}, values: { key: 1 } })
  })

  it('a method is passed on unchanged', () => {
    expect(decodeCall({ method: 'x/y', params: { name: 'a' } })).toEqual({ name: 'a', input: {}, method: 'x/y' })
  })

  it('an offloaded result becomes a text with its type, size and URL', () => {
    const elsewhere = { url: 'https://here/a', content_type: 'text/csv', size: 9, meta: { description: 'All rows' } }
    for (const value of [{ artifact: elsewhere }, undefined]) {
      const { content } = encodeOutcome({ callId: 'c', durationMs: 1, result: { ...ok(value), elsewhere } })
      expect(content).toEqual([{ type: 'text', text: '[All rows (text/csv, 9 bytes): https://here/a]' }])
    }
  })

  it('the value and the details of a failure are also given as JSON on request', () => {
    const outcome = { callId: 'c', durationMs: 1 }
    const _meta = { 'dev.switchboard/structured': true }
    expect(decodeCall({ params: { name: 'a', _meta } })).toMatchObject({ structured: true })
    const content = [{ type: 'text', text: '42' }]
    expect(encodeOutcome({ ...outcome, result: ok(42) })).toEqual({ content })
    expect(encodeOutcome({ ...outcome, result: ok(42) }, true)).toEqual({ content, structuredContent: 42 })
    const failing = fail({ type: 'tool-failed', message: 'Busy', can_retry: true })
    expect(encodeOutcome({ ...outcome, result: failing })).not.toHaveProperty('_meta')
    expect(encodeOutcome({ ...outcome, result: failing }, true)).toMatchObject({
      isError: true,
      _meta: { 'dev.switchboard/error': { message: 'Busy', can_retry: true } },
    })
  })
})

import { expect, it } from 'vitest'
import { readCallToolResult } from '../../../src/runners/shared/call-tool-result.ts'

const read = (blocks: readonly unknown[], structured?: unknown, isError = false) =>
  readCallToolResult(blocks, structured, isError, 'The plugin')

const text = { type: 'text', text: 'one' }

it.each<[string, unknown, unknown]>([
  ['structured content', { a: 1 }, { a: 1 }],
  ['structured content that is null', null, null],
  ['content alone, as text', undefined, 'one\none'],
])('a CallToolResult has as its value %s', (_, structured, value) => {
  expect(read([text, text], structured)).toEqual({ ok: true, value, content: [text, text] })
})

it('a CallToolResult without content is null', () => {
  expect(read([])).toEqual({ ok: true, value: null, content: [] })
})

it('a CallToolResult with an error is reported in its own words', () => {
  const image = { type: 'image', data: 'AA==', mimeType: 'image/png' }
  const content = [text, image]
  expect(read(content, undefined, true)).toEqual({ ok: false, message: 'one\n[image: image/png]', content })
  expect(read([], undefined, true)).toEqual({ ok: false, message: 'The tool failed and did not say why' })
  const details = { type: 'text', text: '{"a":1}' }
  expect(read([], { a: 1 }, true)).toEqual({ ok: false, message: details.text, content: [details] })
  expect(read([details], { a: 1 }, true)).toEqual({ ok: false, message: details.text, content: [details] })
})

it.each([
  { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'file:///a', name: 'a', mimeType: 'text/plain' },
  { type: 'resource', resource: { uri: 'file:///a', text: 'A' } },
  { type: 'resource', resource: { uri: 'file:///a', blob: 'AA==', mimeType: 'image/png' } },
  { ...text, annotations: { audience: ['user'], priority: 0.5 } },
])('a CallToolResult keeps %j', (block) => {
  expect(read([block])).toMatchObject({ ok: true, content: [block] })
})

it('a CallToolResult with more than text has only structured content as its value', () => {
  const image = { type: 'image', data: 'AA==' }
  expect(read([text, image])).toEqual({ ok: true, value: null, content: [text, image] })
  expect(read([text, image], { a: 1 })).toMatchObject({ value: { a: 1 } })
})

it('a CallToolResult loses fields that content does not have', () => {
  const annotations = { audience: ['user'], other: 1 }
  expect(read([{ ...text, extra: 1, annotations }])).toMatchObject({
    content: [{ ...text, annotations: { audience: ['user'] } }],
  })
})

it.each<[object, unknown]>([
  [
    { type: 'text', annotations: { audience: ['user'], priority: 1 } },
    { type: 'text', text: '', annotations: { audience: ['user'], priority: 1 } },
  ],
  [
    { ...text, mimeType: 'text/csv' },
    { ...text, mimeType: 'text/csv' },
  ],
  [{ ...text, data: null, mimeType: null, annotations: null }, text],
  [{ type: 'image' }, { type: 'image', data: '' }],
  [
    { type: 'image', data: 'A-_+\r\n/A==' },
    { type: 'image', data: 'A-_+\r\n/A==' },
  ],
  [
    { type: 'resource', text: 'a,b', mimeType: 'text/csv' },
    { type: 'resource', resource: { text: 'a,b', mimeType: 'text/csv' } },
  ],
  [
    { type: 'resource', data: 'AA==', mimeType: 'a/b' },
    { type: 'resource', resource: { blob: 'AA==', mimeType: 'a/b' } },
  ],
])('a CallToolResult accepts %j of the plugin schema, in which only the type is required', (block, read_) => {
  expect(read([block])).toMatchObject({ ok: true, content: [read_] })
})

it.each([
  [7, 'must be an object'],
  [{ type: 'text' }, "must have a 'text'"],
  [{ type: 'text', text: null, annotations: null }, "must have a 'text'"],
  [{ ...text, data: 'AA==' }, "must have either 'text' or 'data', as its type says"],
  [{ type: 'text', data: 'AA==' }, "must have either 'text' or 'data', as its type says"],
  [{ type: 'image', text: 'a' }, "must have either 'text' or 'data', as its type says"],
  [{ type: 'audio', text: 'a', data: 'AA==' }, "must have either 'text' or 'data', as its type says"],
  [{ type: 'resource', text: 'a', data: 'AA==' }, "must have either 'text' or 'data', as its type says"],
  [{ type: 'resource' }, "must have a 'text' or 'data'"],
  [{ type: 'text', text: 7 }, "'text' must be a string"],
  [{ type: 'text', annotations: 7 }, "'annotations' must be an object"],
  [
    { type: 'text', annotations: { audience: ['system'] } },
    "'annotations.audience' must be an array of 'user' and 'assistant'",
  ],
  [{ type: 'text', annotations: { priority: 7 } }, "'annotations.priority' must be a number from 0 to 1"],
  [{ type: 'text', annotations: { priority: 'high' } }, "'annotations.priority' must be a number from 0 to 1"],
  [{ type: 'image', data: 1 }, "'data' must be a string"],
  [{ type: 'image', data: 'data:image/png;base64,AA==' }, "'data' must be base64"],
  [{ type: 'image', data: 'AA==', mimeType: 7 }, "'mimeType' must be a string"],
  [{ type: 'resource', resource: { uri: 'file:///a', blob: 'Ä' } }, "'blob' must be base64"],
  [{ type: 'resource', resource: { uri: 'file:///a', text: 'A', mimeType: [] } }, "'mimeType' must be a string"],
  [{ type: 'resource_link', uri: 'file:///a' }, "'uri' and 'name' must be strings"],
  [{ type: 'resource', resource: {} }, "'resource' must be an object with a 'uri'"],
  [{ type: 'resource', resource: { uri: 'file:///a' } }, "'resource' must have a 'text' or a 'blob'"],
  [{ type: 'video' }, "'type' must be text, image, audio, resource or resource_link"],
])('a CallToolResult cannot contain %j', (block, problem) => {
  const message = `The plugin answered with content that is none: [1] ${problem}`
  expect(read([text, block])).toEqual({ ok: false, message })
})

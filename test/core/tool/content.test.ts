import { expect, it } from 'vitest'
import { type Content, contentText } from '../../../src/core/tool/content.ts'

it.each<[Content, string]>([
  [{ type: 'text', text: 'Hello' }, 'Hello'],
  [{ type: 'text', text: '' }, ''],
  [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }, '[image: image/png]'],
  [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }, '[audio: audio/wav]'],
  [{ type: 'resource_link', uri: 'https://a.example/', name: 'A' }, 'https://a.example/'],
  [{ type: 'resource', resource: { uri: 'file:///a', text: 'inside' } }, 'inside'],
  [{ type: 'resource', resource: { uri: 'file:///a', text: '' } }, ''],
  [{ type: 'image', data: 'AAAA' }, '[image]'],
  [{ type: 'resource', resource: { blob: 'AAAA' } }, '[resource: of bytes]'],
  [{ type: 'resource', resource: { uri: 'file:///a', blob: 'AAAA', mimeType: 'image/png' } }, '[resource: file:///a]'],
])('the block %j has the text %j', (block, text) => {
  expect(contentText(block)).toBe(text)
})

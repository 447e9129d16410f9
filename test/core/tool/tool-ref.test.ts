import { expect, it } from 'vitest'
import {
  formatToolRef,
  parseToolRef,
  toDocumentRef,
  toIdRef,
  toNameRef,
  toRefKey,
} from '../../../src/core/tool/tool-ref.ts'

const LONG = 'x'.repeat(64)

it.each([
  ['get_emails', toNameRef('get_emails')],
  ['get_emails@1.0.0', toNameRef('get_emails', '1.0.0')],
  [`${LONG}@${'1'.repeat(128)}`, toNameRef(LONG, '1'.repeat(128))],
  ['Gmail.GetEmails', toIdRef('Gmail.GetEmails')],
  ['Gmail.GetEmails@^1', { kind: 'id', toolkit: 'Gmail', tool: 'GetEmails', range: '^1' }],
  ['get emails', toNameRef('get emails')],
  ['name:a', toNameRef('name:a')],
  ['document:["a","b","c"]', toNameRef('document:["a","b","c"]')],
  ['', { kind: 'malformed', text: '' }],
  ['a\nb', { kind: 'malformed', text: 'a\nb' }],
  [`document:["a","b","${'c'.repeat(160)}"]`, { kind: 'malformed', text: `document:["a","b","${'c'.repeat(160)}"]` }],
])('the tool reference %j is parsed', (text, ref) => {
  expect(parseToolRef(text)).toEqual(ref)
  expect(formatToolRef(parseToolRef(text))).toBe(text)
})

it('a tool reference to a document is formatted without its dialect', () => {
  expect(formatToolRef(toDocumentRef({ dialect: 'd', id: 'a b', tool: 'do it', range: '^1' }))).toBe('a b.do it@^1')
})

it('each reference has its own key', () => {
  const refs = [
    toIdRef('Kit.Tool'),
    toIdRef('Kit.Tool@1'),
    toNameRef('Tool'),
    toNameRef('Tool', '1'),
    toNameRef('Tool@1'),
    toNameRef('Kit.Tool'),
    toNameRef('a b', '1'),
    toDocumentRef({ dialect: 'd', id: 'Kit', tool: 'Tool' }),
    toDocumentRef({ dialect: 'd', id: 'Kit', tool: 'Tool', range: '1' }),
    toDocumentRef({ dialect: 'e', id: 'Kit', tool: 'Tool' }),
  ]
  expect(new Set(refs.map(toRefKey)).size).toBe(refs.length)
})

import { expect, it } from 'vitest'
import { noteHeader } from '../../../src/http/answer/json-response.ts'

it('is a header whatever is said, and not without end', () => {
  const { 'switchboard-note': note = '' } = noteHeader(`a\r\nset-cookie: b é ${'x'.repeat(2_000)}`)
  expect(note).toMatch(/^a\?\?set-cookie: b \? x+$/)
  expect(note).toHaveLength(1_000)
  expect(new Headers(noteHeader('No tool')).get('Switchboard-Note')).toBe('No tool')
})

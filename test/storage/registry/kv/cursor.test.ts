import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from '../../../../src/storage/registry/kv/cursor.ts'

describe('a cursor', () => {
  it('encodes a position in URL-safe characters', () => {
    const place = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) })
    fc.assert(
      fc.property(place, (text) => {
        fc.pre(text.length >= 1 && text.length <= 200)
        expect(encodeCursor(text)).toMatch(/^[\w-]+$/)
        expect(decodeCursor(encodeCursor(text))).toBe(text)
      }),
    )
  })

  it.each([
    ['', 'is empty'],
    ['x', 'is no Base64url'],
    ['a+b/', 'is Base64'],
    ['%', 'is of other characters'],
    [Buffer.from('kit\n').toString('base64url'), 'holds what is not visible'],
    [Buffer.from('ki\u00fc').toString('base64url'), 'holds what is not ASCII'],
    [Buffer.from([0xff, 0xfe]).toString('base64url'), 'holds no text'],
    [Buffer.from('k'.repeat(201)).toString('base64url'), 'is too long'],
  ])('is rejected: %j %s', (text) => expect(decodeCursor(text)).toBeUndefined())
})

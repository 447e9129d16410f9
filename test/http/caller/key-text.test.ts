import { describe, expect, it } from 'vitest'
import { formatKey } from '../../../src/http/caller/key-text.ts'

describe('the text of a key', () => {
  it('is sb_ and 43 characters of base64url', () => {
    expect(formatKey(new Uint8Array(32).fill(255))).toBe(`sb_${'_'.repeat(42)}8`)
    const random = crypto.getRandomValues(new Uint8Array(32))
    expect(formatKey(random)).toBe(`sb_${Buffer.from(random).toString('base64url')}`)
    expect(formatKey(random)).toHaveLength(46)
  })

  it('cannot be made from fewer bytes', () => {
    expect(() => formatKey(new Uint8Array(16))).toThrow('wanted 32 bytes, got 16')
  })
})

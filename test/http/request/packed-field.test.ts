import { deflateRawSync } from 'node:zlib'
import * as base64url from 'jose/base64url'
import { expect, it } from 'vitest'
import { packText, unpackText } from '../../../src/http/request/packed-field.ts'

it.each(['', 'a', 'é\u202e\ud83d\ude00\r\n', 'text '.repeat(1_000_000)])(
  'a packed text is unpacked unchanged: %.20s',
  async (text) => {
    const packed = await packText(text)
    expect(packed).toMatch(/^[\w-]*$/)
    expect(packed.length).toBeLessThan(50_000)
    expect(await unpackText(packed, 6_000_000)).toBe(text)
  },
)

it('an invalid packed field, or one longer than its limit, has no text', async () => {
  const pack = (bytes: Uint8Array) => base64url.encode(deflateRawSync(bytes))
  expect(await unpackText(pack(new Uint8Array(200_000_000)), 1_000_000)).toBeUndefined()
  expect(await unpackText(pack(new Uint8Array([0xff, 0xfe])), 1_000_000)).toBeUndefined()
  for (const packed of ['AAAA', '*', (await packText('a text')).slice(0, -2)])
    expect(await unpackText(packed, 1_000_000)).toBeUndefined()
})

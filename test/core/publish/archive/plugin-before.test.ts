import { describe, expect, it } from 'vitest'
import { createPluginBefore } from '../../../../src/core/publish/archive/plugin-before.ts'

const HASH = 'a'.repeat(64)
const bytesOf = (base64: string) => (base64 === '!' ? undefined : new Uint8Array(Buffer.from(base64, 'base64')))
const part = (number: number, of: number, text: string, sha256 = HASH) =>
  ({ kind: 'blob', sha256, part: number, parts: of, base64: Buffer.from(text).toString('base64') }) as const

function setUp() {
  const kept: string[] = []
  const plugins = {
    async keep(bytes: Uint8Array, hash: string) {
      kept.push(`${hash.slice(0, 1)} ${Buffer.from(bytes).toString()}`)
      return bytes.length > 5 ? 'It is too long' : undefined
    },
  }
  return { before: createPluginBefore({ plugins, bytesOf }), kept }
}

describe('the bytes of a plugin in a file', () => {
  it('are put together of their parts, and kept once a version names them', async () => {
    const { before, kept } = setUp()
    expect([before.take(part(0, 2, 'ab')), before.take(part(1, 2, 'cd'))]).toEqual([undefined, undefined])
    expect(kept).toEqual([])
    expect(await before.keep('b'.repeat(64))).toBeUndefined()
    expect(await before.keep(HASH)).toEqual({})
    expect(kept).toEqual(['a abcd'])
    before.take(part(0, 1, 'too long'))
    expect(await before.keep(HASH)).toEqual({ refused: 'It is too long' })
  })

  it.each([
    ['begin in the middle', [part(1, 2, 'a')]],
    ['leave one out', [part(0, 3, 'a'), part(2, 3, 'c')]],
    ['come twice', [part(0, 3, 'a'), part(1, 3, 'b'), part(1, 3, 'b')]],
    ['are of another', [part(0, 2, 'a'), part(1, 2, 'b', 'b'.repeat(64))]],
    ['say another number', [part(0, 2, 'a'), part(1, 3, 'b')]],
    ['are more than there are', [part(0, 1, 'a'), part(1, 1, 'b')]],
  ])('are refused whose parts %s', async (_, parts) => {
    const { before, kept } = setUp()
    const said = parts.map((each) => before.take(each))
    expect(said.slice(0, -1)).toEqual(parts.slice(1).map(() => undefined))
    expect(said.at(-1)).toContain('Is not the part of a plugin that comes next')
    expect(await before.keep(HASH)).toBeUndefined()
    expect(kept).toEqual([])
  })

  it('are refused that are no Base64, more than may be kept, or not all there', async () => {
    const { before } = setUp()
    expect(before.take({ ...part(0, 1, ''), base64: '!' })).toBe('Must be Base64')
    const large = { ...part(0, 100, ''), base64: Buffer.alloc(9_000_000).toString('base64') }
    expect(before.take(large)).toBeUndefined()
    expect(before.take({ ...large, part: 1 })).toBe('The plugin is larger than 16777216 bytes')
    before.take(part(0, 2, 'ab'))
    expect(await before.keep(HASH)).toBeUndefined()
  })
})

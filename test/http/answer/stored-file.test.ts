import { describe, expect, it } from 'vitest'
import { headersOf, readRange } from '../../../src/http/answer/stored-file.ts'

describe('a range', () => {
  it.each([
    ['bytes=0-9', { offset: 0, length: 10 }],
    ['bytes=90-', { offset: 90, length: 10 }],
    ['bytes=90-1000', { offset: 90, length: 10 }],
    ['bytes=-5', { offset: 95, length: 5 }],
    ['bytes=-1000', { offset: 0, length: 100 }],
    ['BYTES= 3-3 ', { offset: 3, length: 1 }],
    ['bytes=100-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-3', undefined],
    ['bytes=0-1,5-6', undefined],
    ['bytes=-', undefined],
    ['lines=1-2', undefined],
    ['bytes=a-b', undefined],
    [`bytes=${'9'.repeat(99)}-`, undefined],
    [null, undefined],
  ])('%s of 100 bytes is %j', (header, part) => expect(readRange(header, 100)).toEqual(part))

  it('of nothing cannot be had', () => expect(readRange('bytes=0-', 0)).toBe('unsatisfiable'))
})

describe('the headers of an artifact', () => {
  const of = (contentType: string) => headersOf({ contentType, etag: '"e"' }, 'id', 1_000, 900_500)

  it('keep what is in it from acting, and from being taken for something else', () => {
    expect(of('text/html')).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': 'attachment; filename="id.html"',
      'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'etag': '"e"',
    })
  })

  it('let it be kept until it expires, by whoever asked', () => {
    expect(of('a/b')['cache-control']).toBe('private, max-age=99, immutable')
  })

  it.each([
    ['text/plain; charset=utf-8', 'id.txt'],
    ['application/json', 'id.json'],
    ['image/svg+xml', 'id.svg'],
    ['application/octet-stream', 'id'],
    ['application/x-"; x="', 'id'],
  ])('name a file of %s %s', (type, name) => {
    expect(of(type)['content-disposition']).toBe(`attachment; filename="${name}"`)
  })
})

import { describe, expect, it } from 'vitest'
import { fileResponse, toFileHeaders, readRange } from '../../../src/http/response/stored-file.ts'

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

  it('of an empty file is not satisfiable', () => expect(readRange('bytes=0-', 0)).toBe('unsatisfiable'))
})

describe('the headers of an artifact', () => {
  const of = (contentType: string) => toFileHeaders({ contentType, etag: '"e"' }, 'id', 1_000, 900_500)

  it('prevent its content from running, and from being treated as another type', () => {
    expect(of('text/html')).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': 'attachment; filename="id.html"',
      'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'etag': '"e"',
    })
  })

  it('allow private caching until it expires', () => {
    expect(of('a/b')['cache-control']).toBe('private, max-age=99, immutable')
  })

  it.each([
    ['text/plain; charset=utf-8', 'id.txt'],
    ['application/json', 'id.json'],
    ['image/svg+xml', 'id.svg'],
    ['application/octet-stream', 'id'],
    ['application/x-"; x="', 'id'],
  ])('name a file of the type %s %s', (type, name) => {
    expect(of(type)['content-disposition']).toBe(`attachment; filename="${name}"`)
  })
})

describe('a file', () => {
  const FILE = {
    contentType: 'text/plain',
    etag: '"e"',
    size: 10,
    read: async (part?: { offset: number; length: number }) => {
      const text = part ? '0123456789'.slice(part.offset, part.offset + part.length) : '0123456789'
      return new Response(text).body ?? undefined
    },
  }
  async function sent(headers: Record<string, string>, method = 'GET', file: object = FILE) {
    const request = new Request('https://sb.example/artifacts/id', { method, headers })
    const response = await fileResponse(request, file as never, 'id', 1_000, 900_500)
    if (!response) return undefined
    const told = ['content-length', 'content-range', 'etag'].map((name) => response.headers.get(name))
    return [response.status, await response.text(), ...told]
  }

  it.each<[Record<string, string>, string, unknown[]]>([
    [{}, 'GET', [200, '0123456789', '10', null, '"e"']],
    [{}, 'HEAD', [200, '', '10', null, '"e"']],
    [{ 'if-none-match': '"e"' }, 'GET', [304, '', null, null, '"e"']],
    [{ range: 'bytes=2-4' }, 'GET', [206, '234', '3', 'bytes 2-4/10', '"e"']],
    [{ range: 'bytes=2-4' }, 'HEAD', [200, '', '10', null, '"e"']],
    [{ 'range': 'bytes=2-4', 'if-range': '"e"' }, 'GET', [206, '234', '3', 'bytes 2-4/10', '"e"']],
    [{ 'range': 'bytes=2-4', 'if-range': '"f"' }, 'GET', [200, '0123456789', '10', null, '"e"']],
    [{ range: 'bytes=10-' }, 'GET', [416, '', null, 'bytes */10', '"e"']],
  ])('with %j is sent for %s as %j', async (headers, method, answer) => {
    expect(await sent(headers, method)).toEqual(answer)
  })

  it('whose bytes are gone is missing', async () => {
    expect(await sent({}, 'GET', { ...FILE, read: async () => undefined })).toBeUndefined()
  })

  it('that has expired is no longer cached', () => {
    expect(toFileHeaders(FILE, 'id', 1_000, 2_000_000)).toMatchObject({
      'cache-control': 'private, max-age=0, immutable',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex',
      'accept-ranges': 'bytes',
    })
  })
})

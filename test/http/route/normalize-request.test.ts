import { describe, expect, it } from 'vitest'
import type { FailureResult } from '../../../src/core/failure/failure.ts'
import { createRequestNormalizer } from '../../../src/http/route/normalize-request.ts'

const ADDRESS = 'cf-connecting-ip'
const HERE = { publicUrl: undefined, isSelfHosted: false }

function received(url: string, headers: Record<string, string> = {}, cf?: object): Request {
  return Object.defineProperty(new Request(url, { headers }), 'cf', { value: cf })
}

describe("the address of a request's client", () => {
  const said = (entered: Request | FailureResult) =>
    entered instanceof Request ? entered.headers.get(ADDRESS) : 'refused'
  const claim = { [ADDRESS]: '192.0.2.1' }

  it('is the one that Cloudflare set', () => {
    expect(said(createRequestNormalizer(HERE)(received('https://sb.test/', claim, {})))).toBe('192.0.2.1')
  })

  it('is removed if Cloudflare is not in front', () => {
    expect(said(createRequestNormalizer(HERE)(received('https://sb.test/', claim)))).toBeNull()
    expect(
      said(createRequestNormalizer({ ...HERE, isSelfHosted: true })(received('https://sb.test/', claim, {}))),
    ).toBeNull()
  })
})

describe('a deployment with PUBLIC_URL', () => {
  const at = (
    url: string,
    headers: Record<string, string>,
    more: { isSelfHosted?: boolean; publicUrl?: string } = {},
  ) => {
    const entered = createRequestNormalizer({ ...HERE, publicUrl: 'https://tools.test', ...more })(
      received(url, headers),
    )
    return entered instanceof Request ? entered.url : entered.failure.type
  }

  it('accepts requests to its host in any spelling', () => {
    expect(at('https://tools.test/a?b', {})).toBe('https://tools.test/a?b')
    expect(at('https://tools.test/a?b', { host: 'tools.test' })).toBe('https://tools.test/a?b')
    expect(at('https://tools.test/a?b', { host: 'TOOLS.test:443' })).toBe('https://tools.test/a?b')
    expect(at('http://tools.test:81/a', {}, { publicUrl: 'http://tools.test:81' })).toBe('http://tools.test:81/a')
  })

  it.each([
    ['https://evil.test/', {}],
    ['https://tools.test/', { host: 'evil.test' }],
    ['https://evil.test/', { host: 'tools.test' }],
    ['https://tools.test.evil.test/', {}],
    ['https://tools.test:444/', {}],
    ['https://tools.test/', { host: '' }],
    ['http://tools.test/', {}],
  ])('rejects requests to other hosts: %s %j', (url, headers) => {
    expect(at(url, headers)).toBe('misdirected')
  })

  it('uses the scheme of PUBLIC_URL when self-hosted, and otherwise requires it', () => {
    expect(at('http://tools.test/a%20b?c=%2F', { host: 'tools.test' }, { isSelfHosted: true })).toBe(
      'https://tools.test/a%20b?c=%2F',
    )
    expect(at('http://evil.test/', { host: 'tools.test' }, { isSelfHosted: true })).toBe('misdirected')
  })

  it('keeps method, headers and body of a request', async () => {
    const enter = createRequestNormalizer({ ...HERE, publicUrl: 'https://tools.test', isSelfHosted: true })
    const headers = { 'x-a': 'b', [ADDRESS]: '192.0.2.1' }
    const entered = enter(new Request('http://tools.test/', { method: 'POST', headers, body: 'text' }))
    if (!(entered instanceof Request)) throw new Error('It was refused')
    expect([entered.method, entered.headers.get('x-a'), entered.headers.get(ADDRESS)]).toEqual(['POST', 'b', null])
    expect(await entered.text()).toBe('text')
  })
})

describe('an address', () => {
  const outcome = (path: string) => {
    const entered = createRequestNormalizer(HERE)(received(`https://sb.test${path}`))
    return entered instanceof Request ? 'let in' : entered.failure.type
  }

  it.each<[string, (count: number) => string]>([
    ['parameters', (count) => `/tools?${Array(count).fill('a=1').join('&')}`],
    ['parameters of different names', (count) => `/llms.txt?${Array.from({ length: count }, (_, at) => at).join('&')}`],
    ['parameters without a name', (count) => `/?${'&'.repeat(count - 1)}`],
    ['parameters behind a second question mark', (count) => `/?a?${'&'.repeat(count - 1)}`],
    ['steps', (count) => `${'/a'.repeat(count - 4)}?b`],
    ['steps that are encoded', (count) => '/%2f%2F'.repeat((count - 4) / 3) + 'a'.repeat(64)],
  ])('is rejected with more than 64 %s', (_, make) => {
    expect([outcome(make(64)), outcome(make(65 + 2))]).toEqual(['let in', 'request-malformed'])
  })
})

it('is rejected with a message that names the limit', () => {
  const enter = (url: string) => createRequestNormalizer({ ...HERE, publicUrl: 'https://tools.test' })(received(url))
  const messageOf = (entered: Request | FailureResult) =>
    entered instanceof Request ? undefined : 'message' in entered.failure && entered.failure.message
  expect(messageOf(enter('https://other.test/'))).toBe("This deployment only serves 'https://tools.test' (PUBLIC_URL)")
  const tooMany = 'Cannot read the address: its path or its query has more than 64 parts'
  expect(messageOf(enter(`https://tools.test/${'a/'.repeat(64)}`))).toBe(tooMany)
  expect(messageOf(enter(`https://tools.test/?${'a&'.repeat(64)}`))).toBe(tooMany)
  expect(messageOf(enter(`https://tools.test/?${'a&'.repeat(60)}`))).toBeUndefined()
})

import { expect, it } from 'vitest'
import { createRenewingTokens } from '../../src/outbound/renewing-fetch.ts'
import { invocationWith } from '../runners/http/records.ts'

interface Sent {
  readonly url: string
  readonly method: string
  readonly authorization: string | null
  readonly body: string
}

const API = 'https://api.example/mail'

/** The tokens of one call, a server that takes only `good`, and what was asked of both. */
function world({ good = 'mail-2', renewed = ['mail-2'], from = API } = {}) {
  const sent: Sent[] = []
  const refused: string[] = []
  const tokens = invocationWith({}, { tokens: { mail: 'mail-1', chat: 'chat-1' } }).tokens
  const renewing = createRenewingTokens(
    tokens,
    async (provider, token) => {
      refused.push(`${provider} ${token}`)
      return renewed.shift()
    },
    async (input, init) => {
      const request = new Request(input, init)
      const { url, method, headers } = request
      const authorization = headers.get('authorization')
      sent.push({ url, method, authorization, body: await request.text() })
      const response = new Response(null, { status: authorization?.includes(good) ? 200 : 401 })
      Object.defineProperty(response, 'url', { value: from })
      return response
    },
  )
  return { ...renewing, sent, refused }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

it('a request of a bundled tool with a 401 response is sent once more with the new token, otherwise unchanged', async () => {
  const { fetch, sent, refused, current, usedTokens } = world()
  const answer = await fetch(API, { method: 'POST', headers: { ...bearer('mail-1'), 'x-a': '1' }, body: 'text' })
  expect(answer.status).toBe(200)
  expect(refused).toEqual(['mail mail-1'])
  expect(sent).toEqual(
    ['mail-1', 'mail-2'].map((token) => ({
      url: API,
      method: 'POST',
      authorization: `Bearer ${token}`,
      body: 'text',
    })),
  )
  expect(current.get('mail')).toBe('mail-2')
  expect(usedTokens.map(({ token }) => token)).toEqual(['mail-1', 'chat-1', 'mail-2'])
})

it('a request of a bundled tool with a 401 response is sent once more if it is a Request without a body', async () => {
  const { fetch, sent } = world()
  const request = new Request(API, { method: 'DELETE', headers: bearer('mail-1') })
  expect((await fetch(request)).status).toBe(200)
  expect(sent.map(({ method, authorization }) => [method, authorization])).toEqual([
    ['DELETE', 'Bearer mail-1'],
    ['DELETE', 'Bearer mail-2'],
  ])
})

it.each([
  ['a text', 'a=1'],
  ['bytes', new TextEncoder().encode('a=1')],
  ['a buffer', new TextEncoder().encode('a=1').buffer],
  ['parameters', new URLSearchParams({ a: '1' })],
  ['a blob', new Blob(['a=1'])],
])('a request of a bundled tool with a 401 response is sent with its body again: %s', async (_, body) => {
  const { fetch, sent } = world()
  expect((await fetch(API, { method: 'POST', headers: bearer('mail-1'), body })).status).toBe(200)
  expect(sent.map((each) => each.body)).toEqual(['a=1', 'a=1'])
})

it('a request of a bundled tool with a 401 response is sent with its form again', async () => {
  const { fetch, sent } = world()
  const body = new FormData()
  body.set('field', 'of the form')
  expect((await fetch(API, { method: 'POST', headers: bearer('mail-1'), body })).status).toBe(200)
  for (const each of sent) expect(each.body).toContain('of the form')
  expect(sent).toHaveLength(2)
})

it('a request of a bundled tool with a 401 response is not repeated if its body can be read only once, but the token is renewed', async () => {
  const { fetch, sent, current } = world()
  const body = new Blob(['a=1']).stream()
  const init = { method: 'POST', headers: bearer('mail-1'), body, duplex: 'half' } as RequestInit
  expect((await fetch(API, init)).status).toBe(401)
  const request = new Request(API, { method: 'POST', headers: bearer('mail-1'), body: 'a=1' })
  expect((await fetch(request)).status).toBe(401)
  expect(sent).toHaveLength(2)
  expect(current.get('mail')).toBe('mail-2')
})

it('a request of a bundled tool with a 401 response reports that the new token is refused too, and stays refused', async () => {
  const { fetch, sent, refused } = world({ good: 'none' })
  expect((await fetch(API, { headers: bearer('mail-1') })).status).toBe(401)
  expect(refused).toEqual(['mail mail-1', 'mail mail-2'])
  expect(sent).toHaveLength(2)
})

it('a request of a bundled tool with a 401 response stays refused if there is no new token', async () => {
  const { fetch, sent } = world({ renewed: [] })
  expect((await fetch(API, { headers: bearer('mail-1') })).status).toBe(401)
  expect(sent).toHaveLength(1)
})

it.each([
  ['carries no token', {}],
  ['carries something else', bearer('another')],
])('a request of a bundled tool with a 401 response is not repeated if it %s', async (_, headers) => {
  const { fetch, sent, refused } = world()
  expect((await fetch(API, { headers })).status).toBe(401)
  expect([sent.length, refused]).toEqual([1, []])
})

it('a request of a bundled tool with a 401 response is not repeated if another origin responded, which did not receive the token', async () => {
  const { fetch, refused } = world({ from: 'https://elsewhere.example/' })
  expect((await fetch(API, { headers: bearer('mail-1') })).status).toBe(401)
  expect(refused).toEqual([])
})

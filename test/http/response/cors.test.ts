import { expect, it } from 'vitest'
import { crossOriginHeaders, addCorsHeaders, preflight } from '../../../src/http/response/cors.ts'

const NAMED = new Set(['https://page.example'])
const asked = (headers: Record<string, string>, method = 'POST') =>
  crossOriginHeaders(new Request('https://tools.test/mcp', { method, headers }), NAMED)

it('a page of a listed origin may read the response, without cookies', () => {
  expect(asked({ origin: 'https://page.example' })).toEqual({
    'access-control-allow-origin': 'https://page.example',
    'access-control-expose-headers': 'WWW-Authenticate, Mcp-Session-Id, Retry-After, Switchboard-Note',
  })
})

it.each([{}, { origin: 'null' }, { origin: 'https://page.example.evil.example' }, { origin: 'http://page.example' }])(
  'no other page may read it: %j',
  (headers: Record<string, string>) => expect(asked(headers)).toBeUndefined(),
)

it('the headers that a page requests are repeated only if they are header names', () => {
  const ask = (names: string) =>
    asked({ 'origin': 'https://page.example', 'access-control-request-headers': names }, 'OPTIONS')
  expect(ask('authorization, mcp-protocol-version')).toMatchObject({
    'access-control-allow-headers': 'authorization, mcp-protocol-version',
    'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
    'access-control-max-age': '600',
    'vary': 'Origin, Access-Control-Request-Headers',
  })
  for (const names of ['a;b', 'a:b', '*', 'x'.repeat(3_000)]) {
    expect(ask(names)).not.toHaveProperty('access-control-allow-headers')
  }
})

it('a response varies by origin, and a preflight response has no other headers', async () => {
  const response = addCorsHeaders(new Response('1', { headers: { vary: 'Accept' } }), {
    'access-control-allow-origin': 'a',
  })
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'vary': 'Accept, Origin',
    'access-control-allow-origin': 'a',
  })
  const flight = preflight({ a: 'b' })
  expect([flight.status, flight.headers.get('a'), await flight.text()]).toEqual([204, 'b', ''])
  const without = asked({ origin: 'https://page.example' }, 'OPTIONS')
  expect(without).not.toHaveProperty('access-control-allow-headers')
})

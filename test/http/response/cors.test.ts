import { expect, it } from 'vitest'
import { crossOriginHeaders, addCorsHeaders, preflight } from '../../../src/http/response/cors.ts'

const NAMED = new Set(['https://page.example'])
const asked = (headers: Record<string, string>, method = 'POST') =>
  crossOriginHeaders(new Request('https://tools.test/mcp', { method, headers }), NAMED)

it('a page of an origin that is named may read the answer, without cookies', () => {
  expect(asked({ origin: 'https://page.example' })).toEqual({
    'access-control-allow-origin': 'https://page.example',
    'access-control-expose-headers': 'WWW-Authenticate, Mcp-Session-Id, Retry-After, Switchboard-Note',
  })
})

it.each([{}, { origin: 'null' }, { origin: 'https://page.example.evil.example' }, { origin: 'http://page.example' }])(
  'nobody else may: %j',
  (headers: Record<string, string>) => expect(asked(headers)).toBeUndefined(),
)

it('what a page asks to send is repeated only where it is names of headers', () => {
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

it('an answer says whom it is for, and a preflight has nothing else', async () => {
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

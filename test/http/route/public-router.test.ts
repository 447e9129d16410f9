import { expect, it } from 'vitest'
import { type FailureResult, fail } from '../../../src/core/failure/failure.ts'
import { NO_QUERY } from '../../../src/http/request/query.ts'
import { findOperation } from '../../../src/http/route/operation.ts'
import { createPublicRouter } from '../../../src/http/route/public-router.ts'

const OPEN = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Accept, Authorization, Content-Type, MCP-Protocol-Version, OXP-API-Key',
}

async function ask(answer: () => Response | FailureResult, { path = '/p', method = 'GET', limited = false } = {}) {
  const { router, at } = createPublicRouter({
    limitAnonymous: () => (limited ? fail({ type: 'rate-limited', retry_after_ms: 1 }) : undefined),
    respond: (failure) => Response.json(failure, { status: 418 }),
    caching: 'public, max-age=300',
  })
  at('/p', { query: NO_QUERY, summary: 'A page' }, answer)
  expect(router.routes.map(({ handler }) => findOperation(handler)?.summary)).toContain('A page')
  const response = await router.request(path, { method })
  const { status, headers } = response
  return {
    status,
    cached: headers.get('cache-control'),
    headers: Object.fromEntries(headers),
    text: await response.text(),
  }
}

it('lets pages of any site read its responses, and caches those without their own cache-control', async () => {
  const told = await ask(() => new Response('1'))
  expect(told).toMatchObject({ status: 200, cached: 'public, max-age=300', text: '1', headers: OPEN })
  expect((await ask(() => new Response('1', { headers: { 'cache-control': 'private' } }))).cached).toBe('private')
})

it.each([
  ['it is no such page', () => fail({ type: 'not-found', message: '' }), {}, 'not-found'],
  ['its query is unknown', () => new Response('1'), { path: '/p?x=1' }, 'request-malformed'],
  ['too many ask', () => new Response('1'), { limited: true }, 'rate-limited'],
])('responds with no-store if %s', async (_, answer, how, type) => {
  const { status, cached, text, headers } = await ask(answer, how)
  expect([status, cached, JSON.parse(text).type]).toEqual([418, 'no-store', type])
  expect(headers).toMatchObject(OPEN)
})

it('responds to a preflight, for a day', async () => {
  expect(await ask(() => new Response('1'), { method: 'OPTIONS' })).toMatchObject({
    status: 204,
    headers: { ...OPEN, 'access-control-max-age': '86400' },
  })
})

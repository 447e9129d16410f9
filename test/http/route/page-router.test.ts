import { expect, it, vi } from 'vitest'
import { fail } from '../../../src/core/failure/failure.ts'
import { optional, string } from '../../../src/core/tool/json-reader.ts'
import { defineQuery } from '../../../src/http/request/query.ts'
import { createPageRouter } from '../../../src/http/route/page-router.ts'
import { onPageError } from '../on-page-error.ts'

const FORM = { method: 'POST', body: new URLSearchParams({ name: 'Ann' }) }
const ELSEWHERE = { headers: { 'sec-fetch-site': 'cross-site' } }
const LIMITED = fail({ type: 'rate-limited', retry_after_ms: 1_000 })

function setUp(limited?: typeof LIMITED) {
  const answer = vi.fn(async (_: unknown, sent: unknown) => new Response(JSON.stringify(sent)))
  const { router, get, post } = createPageRouter({ limitAnonymous: () => limited, onPageError })
  get('/page', defineQuery({ name: optional(string()) }, { unknown: 'ignore' }), answer)
  post('/form', 100, async (c, form) => answer(c, Object.fromEntries(form)))
  post('/any', 100, async (c, form) => answer(c, Object.fromEntries(form)), 'empty')
  return { answer, request: (path: string, init: RequestInit = {}) => router.request(path, init) }
}

it('passes a page its query, and a form its fields', async () => {
  const { request } = setUp()
  expect(await (await request('/page?name=Ann&utm_source=mail')).json()).toEqual({ name: 'Ann' })
  expect(await (await request('/form', FORM)).json()).toEqual({ name: 'Ann' })
})

it.each([
  ['a query that is sent twice', '/page?name=a&name=b', {}, 400],
  ['a form of another site', '/form', { ...FORM, ...ELSEWHERE }, 403],
  ['a form of another site that may be unreadable', '/any', { ...FORM, ...ELSEWHERE }, 403],
  ['no form', '/form', { method: 'POST' }, 415],
  ['a form that is too large', '/form', { method: 'POST', body: new URLSearchParams({ name: 'x'.repeat(200) }) }, 413],
])('rejects %s with a page, before the handler is called', async (_, path, init, status) => {
  const { answer, request } = setUp()
  const response = await request(path, init)
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toMatch('text/html')
  expect(answer).not.toHaveBeenCalled()
})

it('reads an unreadable form as an empty one if declared so', async () => {
  const { request } = setUp()
  expect(await (await request('/any', { method: 'POST' })).json()).toEqual({})
})

it.each(['/page', '/form', '/any'])('limits %s by the rate of its address', async (path) => {
  const { answer, request } = setUp(LIMITED)
  expect((await request(path, path === '/page' ? {} : FORM)).status).toBe(429)
  expect(answer).not.toHaveBeenCalled()
})

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Principal } from '../../../src/core/access/principal.ts'
import { setUp } from '../set-up.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2030-01-08T12:00:00Z') }))
afterEach(() => vi.useRealTimers())

const usage = (group: Readonly<Record<string, string>>, calls: number, failures: number) => {
  return { group, calls, failures, waiting: 0, mean_ms: 5, p50_ms: 4, p95_ms: 1_240, p99_ms: 9_000 }
}

it('the page of usage counts calls by toolkit, and links to those calls', async () => {
  const { get, asked } = setUp({
    'GET /usage': ({ url }) => ({
      items: url.includes('by=day')
        ? [{ ...usage({ day: '2030-01-07' }, 2_000, 100), waiting: 7 }]
        : [{ ...usage({ toolkit: 'Mail' }, 1_500, 15), waiting: 7 }, usage({ toolkit: '' }, 500, 85)],
    }),
  })
  const text = await (await get('/console/usage')).text()
  expect(asked.map(({ request }) => new URL(request.url).search)).toEqual([
    '?since=2030-01-01T00%3A00%3A00.000Z&by=toolkit',
    '?since=2030-01-01T00%3A00%3A00.000Z&by=day',
  ])
  const summary = '2,000 calls, 100 failed (5.0 %), 7 waiting for a person; 95 % took 1.2 s or less'
  expect(text).toContain(`aria-label="${summary}"`)
  expect(text).toContain(`<figcaption class="note">${summary}.`)
  expect(text).toContain('href="/console/calls?tool=Mail.*&amp;range=week">Mail</a>')
  expect(text).toMatch(/<th[^>]*>unknown or not allowed<\/th>/)
  for (const cell of ['1,500', '1.0 %', '1.2 s', '9 s']) expect(text).toContain(`>${cell}</td>`)
})

it('the page of usage names callers as their calls do', async () => {
  const { get } = setUp({
    'GET /usage': () => ({
      items: [usage({ principal: 'agent:DD' }, 2, 0), usage({ principal: 'person:ann@acme.com' }, 1, 0)],
    }),
    'GET /calls': () => ({ items: [{ principal: 'agent:DD', principal_name: 'Claude' }] }),
  })
  const text = await (await get('/console/usage?by=principal&range=month')).text()
  expect(text).toContain('href="/console/calls?principal=agent%3ADD&amp;range=month">Claude</a>')
  expect(text).toContain('>ann@acme.com</a>')
})

it('the page of usage shows outcomes in words, and links by their codes', async () => {
  const { get } = setUp({ 'GET /usage': () => ({ items: [usage({ outcome: 'tool-timed-out' }, 2, 2)] }) })
  const text = await (await get('/console/usage?by=outcome')).text()
  expect(text).toContain('href="/console/calls?outcome=tool-timed-out&amp;range=week">Tool timed out</a>')
})

it('the page of usage links to the calls of a user', async () => {
  const { get } = setUp({ 'GET /usage': () => ({ items: [usage({ user_id: 'ann' }, 2, 0)] }) })
  const text = await (await get('/console/usage?by=user_id')).text()
  expect(text).toContain('href="/console/calls?user_id=ann&amp;range=week">ann</a>')
  const calls = setUp({ 'GET /usage': () => ({ items: [] }), 'GET /calls': () => ({ items: [] }) })
  expect(await (await calls.get('/console/calls?user_id=ann')).text()).toContain('name="user_id" value="ann"')
  expect(calls.asked.filter(({ request }) => request.url.includes('user_id=ann'))).toHaveLength(2)
})

it('the page of usage lists days in order, and offers no period shorter than usage is stored for', async () => {
  const { get, asked } = setUp({
    'GET /usage': () => ({ items: [usage({ day: '2030-01-07' }, 9, 0), usage({ day: '2030-01-06' }, 1, 0)] }),
  })
  const text = await (await get('/console/usage?by=day&range=hour')).text()
  expect(text.indexOf('2030-01-06')).toBeLessThan(text.indexOf('2030-01-07'))
  expect(asked[0]?.request.url).toContain('since=2030-01-01')
  expect(text).not.toContain('value="hour"')
})

it('the page of usage says whose calls are counted if the visitor may not read all', async () => {
  const caller: Principal = { id: 'key:1', kind: 'key', scopes: ['tools:call'], tools: ['*'], users: [] }
  const text = await (await setUp({ 'GET /usage': () => ({ items: [] }) }, caller).get('/console/usage')).text()
  expect(text).toContain('Calls made by you or on your behalf')
  expect(text).toContain('No calls in this time range')
})

import { expect, it } from 'vitest'
import { hoursOf } from '../../src/console/calls/chart.tsx'
import { setUp } from './set-up.ts'

const usage = (hour: string, calls: number, failures: number) => {
  return { group: { hour }, calls, failures, mean_ms: 5, p50_ms: 4, p95_ms: 9, p99_ms: 9 }
}
const TIMES = { since: '2030-01-01T10:30:00Z', until: '2030-01-01T13:00:00Z' }

it('every hour of the chart is there, those without a call too', () => {
  const hours = hoursOf({ ...TIMES, items: [usage('2030-01-01T11:00:00.000Z', 3, 1)] })
  expect(hours.map(({ at, calls, failures }) => [at, calls, failures])).toEqual([
    ['2030-01-01 10:00', 0, 0],
    ['2030-01-01 11:00', 3, 1],
    ['2030-01-01 12:00', 0, 0],
  ])
})

it('the page shows calls and their chart, in words too, and keeps the filter', async () => {
  const call = {
    at: '2030-01-01T11:02:03.456Z',
    tool: 'Mail.Send@1.0.0',
    outcome: 'tool-failed',
    duration_ms: 7.6,
    dialect: 'mcp',
    principal: 'key:1',
    principal_name: '<i>',
    call_id: 'c-1',
    trace_id: 't-1',
    upstream_status: 503,
    arguments: { to: ['<ann>'] },
  }
  const { get, asked } = setUp({
    'GET /usage': () => ({ ...TIMES, items: [usage('2030-01-01T11:00:00.000Z', 3, 1)] }),
    'GET /calls': () => ({ items: [call], next_cursor: 'n' }),
  })
  const text = await (await get('/console/calls?tool=Mail.*&cursor=c')).text()
  expect(asked.map(({ request }) => request.url.replace('https://switchboard.test', ''))).toEqual([
    '/usage?tool=Mail.*&by=hour',
    '/calls?tool=Mail.*&cursor=c&limit=50',
  ])
  for (const said of [
    '3 calls in 3 hours, 1 failed',
    '<time datetime="2030-01-01T11:02:03.456Z">2030-01-01 11:02:03 UTC</time>',
    '<span class="failed">tool-failed</span>',
    't-1',
    '503',
    '{&quot;to&quot;:[&quot;&lt;ann&gt;&quot;]}',
    '&lt;i&gt;',
    '<svg',
  ]) {
    expect(text).toContain(said)
  }
  expect(text).toContain('href="/console/calls?tool=Mail.*&amp;cursor=n"')
  expect(text).not.toContain('NaN')
})

it('the chart marks how long calls took in hours that had some alone', async () => {
  const { get } = setUp({
    'GET /usage': () => ({ ...TIMES, items: [usage('2030-01-01T11:00:00.000Z', 3, 1)] }),
    'GET /calls': () => ({ items: [] }),
  })
  const text = await (await get('/console/calls')).text()
  expect(text.match(/<line class="slow"/g)).toHaveLength(1)
  expect(text).toContain('<span>2030-01-01 10:00</span><span>2030-01-01 12:00 UTC</span>')
  expect(text).toContain('href="/docs/calls"')
})

it('whoever may read all calls looks for those of somebody', async () => {
  const reader = { id: 'key:1', kind: 'key', scopes: ['tools:call'], tools: ['*'], users: [] } as const
  const routes = { 'GET /usage': () => ({ ...TIMES, items: [] }), 'GET /calls': () => ({ items: [] }) }
  const text = await (await setUp(routes).get('/console/calls?principal=key:2')).text()
  expect(text).toContain('name="principal" value="key:2"')
  expect(await (await setUp(routes, reader).get('/console/calls')).text()).not.toContain('name="principal"')
})

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { toCallBars, toUsageBars } from '../../src/console/calls/chart.tsx'
import { parseRange } from '../../src/console/calls/range.tsx'
import { setUp } from './set-up.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2030-01-02T12:34:56Z') }))
afterEach(() => vi.useRealTimers())

const usage = (hour: string, calls: number, failures: number, waiting = 0) => {
  return { group: { hour }, calls, failures, waiting, mean_ms: 5, p50_ms: 4, p95_ms: 9, p99_ms: 9 }
}
const HOUR = '2030-01-02T11:00:00.000Z'
const SINCE = '2030-01-01T13%3A00%3A00.000Z'
const CALL = {
  at: '2030-01-02T11:02:03.456Z',
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

it('the chart has a bar for every hour, including those without calls', () => {
  const bars = toUsageBars([usage(HOUR, 3, 1)], parseRange('day'))
  expect(bars).toHaveLength(24)
  expect([bars[0]?.at, bars.at(-1)?.at]).toEqual([Date.parse('2030-01-01T13:00Z'), Date.parse('2030-01-02T12:00Z')])
  expect(bars.filter(({ calls }) => calls > 0)).toEqual([
    { at: Date.parse(HOUR), calls: 3, failures: 1, waiting: 0, p50: 4, p95: 9 },
  ])
})

it('the chart has a bar for each UTC day of a week', () => {
  const day = { ...usage(HOUR, 2, 0), group: { day: '2030-01-02' } }
  expect(toUsageBars([day], parseRange('week')).map(({ calls }) => calls)).toEqual([0, 0, 0, 0, 0, 0, 0, 2])
})

it('the chart has a bar for every five minutes of an hour, counted from its calls', () => {
  const at = (time: string, duration_ms: number, outcome: 'success' | 'internal' | 'consent-required') => {
    return { ...CALL, at: `2030-01-02T${time}.000Z`, dialect: 'mcp' as const, duration_ms, outcome }
  }
  const calls = [at('12:31:00', 10, 'success'), at('12:30:00', 30, 'internal'), at('11:35:00', 7, 'consent-required')]
  const bars = toCallBars(calls, parseRange('hour'))
  expect(bars).toHaveLength(12)
  expect([bars[0], bars.at(-1)]).toEqual([
    { at: Date.parse('2030-01-02T11:35Z'), calls: 1, failures: 0, waiting: 1, p50: 7, p95: 7 },
    { at: Date.parse('2030-01-02T12:30Z'), calls: 2, failures: 1, waiting: 0, p50: 10, p95: 30 },
  ])
})

it('the page shows calls and their chart, also as text, and keeps the filter', async () => {
  const { get, asked } = setUp({
    'GET /usage': (request) =>
      request.url.includes('by=principal')
        ? { items: [{ ...usage(HOUR, 3, 1), group: { principal: 'key:1' } }] }
        : { items: [usage(HOUR, 3, 1)] },
    'GET /calls': () => ({ items: [CALL], next_cursor: 'n' }),
  })
  const text = await (await get('/console/calls?tool=Mail.*&cursor=c')).text()
  expect(asked.map(({ request }) => request.url.replace('https://switchboard.test', '')).sort()).toEqual([
    `/calls?tool=Mail.*&since=${SINCE}&cursor=c&limit=20`,
    `/usage?since=${SINCE}&by=principal`,
    `/usage?tool=Mail.*&since=${SINCE}&by=hour`,
  ])
  for (const said of [
    '3 calls, 1 failed (33.3 %); 95 % took 9 ms or less',
    '<time datetime="2030-01-02T11:02:03.456Z" data-format="ago">2030-01-02 11:02:03 UTC</time>',
    '<span class="outcome failure" title="tool-failed">Tool failed</span>',
    '<a class="whole" href="/console/calls/c-1?at=2030-01-02T11%3A02%3A03.456Z">',
    '<option value="key:1">&lt;i&gt;</option>',
    '<svg',
  ]) {
    expect(text).toContain(said)
  }
  expect(text).toContain('href="/console/calls?tool=Mail.*&amp;cursor=n"')
  expect(text).not.toContain('NaN')
})

it('the chart has axes with whole numbers, and durations only where there were calls', async () => {
  const routes = { 'GET /usage': () => ({ items: [usage(HOUR, 3, 1)] }), 'GET /calls': () => ({ items: [] }) }
  const text = await (await setUp(routes).get('/console/calls')).text()
  expect(text.match(/<line class="slow"/g)).toHaveLength(1)
  for (const ticks of [
    '<span>4</span><span>2</span><span>0</span>',
    '<span>10 ms</span><span>5 ms</span><span>0 ms</span>',
  ]) {
    expect(text).toContain(ticks)
  }
  expect([...text.matchAll(/data-format="(?:day|hour)">([^<]+)</g)].map(([, time]) => time)).toEqual([
    'Jan 1, 13:00',
    '19:00',
    '01:00',
    '07:00',
  ])
  expect(text).toContain('Times are UTC.')
  expect(text).toContain('href="/docs/calls"')
})

it('the chart of an hour is made from its calls if one page has them all', async () => {
  const { get, asked } = setUp({ 'GET /usage': () => ({ items: [] }), 'GET /calls': () => ({ items: [CALL] }) })
  const text = await (await get('/console/calls?range=hour')).text()
  expect(text).not.toContain('<svg')
  const hour = '2030-01-02T11%3A35%3A00.000Z'
  expect(asked.map(({ request }) => request.url)).toContain(`https://switchboard.test/calls?since=${hour}&limit=1000`)
  const many = setUp({ 'GET /calls': () => ({ items: [CALL], next_cursor: 'n' }) })
  expect(await (await many.get('/console/calls?range=hour')).text()).toContain('More than 1,000 calls: choose')
})

it('outcomes and callers can be selected, and a value of an older link stays selected', async () => {
  const reader = { id: 'key:1', kind: 'key', scopes: ['tools:call'], tools: ['*'], users: [] } as const
  const routes = { 'GET /usage': () => ({ items: [] }), 'GET /calls': () => ({ items: [] }) }
  const text = await (await setUp(routes).get('/console/calls?principal=key:2&outcome=older-one')).text()
  expect(text).toContain('<option value="key:2" selected="">key:2</option>')
  expect(text).toContain('<option value="older-one" selected="">older-one</option>')
  expect(text).toContain('<option value="tool-timed-out">')
  expect(await (await setUp(routes, reader).get('/console/calls')).text()).not.toContain('name="principal"')
})

it('calls that wait for a person are shown in gray, separate from failures, in the chart and in the list', async () => {
  const { get, asked } = setUp({
    'GET /usage': () => ({ items: [usage(HOUR, 5, 1, 3)] }),
    'GET /calls': () => ({ items: [{ ...CALL, outcome: 'approval-required' }] }),
  })
  const text = await (await get('/console/calls?outcome=waiting')).text()
  expect(text).toContain('5 calls, 1 failed (20.0 %), 3 waiting for a person; 95 %')
  expect(text).toContain('<span class="outcome waiting" title="approval-required">Waits for approval</span>')
  expect(text).toContain('<option value="waiting" selected="">Waits for a person</option>')
  expect(text.match(/<rect class="\w+"[^>]* height="\d+"/g)?.map((rect) => rect.replace(/" .* height="/, ' '))).toEqual(
    ['<rect class="calls 167"', '<rect class="waiting 133"', '<rect class="failures 33"'],
  )
  expect(asked.some(({ request }) => request.url.includes('/calls?outcome=waiting&'))).toBe(true)
})

it('the page of a call shows its record, why it failed, and a link to call again', async () => {
  const call = { ...CALL, digest: 'd-1', outcome: 'approval-required' }
  const { get, asked } = setUp({ 'GET /calls/c-1': () => call })
  const page = await get('/console/calls/c-1?at=2030-01-02T11:02:03.456Z')
  const text = await page.text()
  expect(asked.map(({ request }) => request.url)).toEqual([
    'https://switchboard.test/calls/c-1?at=2030-01-02T11%3A02%3A03.456Z',
  ])
  expect(page.status).toBe(200)
  for (const said of [
    '>Waits for approval</span> A person must approve the call.',
    '<code>c-1</code>',
    '<code>t-1</code>',
    '<code>d-1</code>',
    '503',
    '{&quot;to&quot;:[&quot;&lt;ann&gt;&quot;]}',
    '<code>for_operator</code> in the <a href="/docs/operate#logs-and-traces">log</a>',
    '<a class="button" href="/console/tools/Mail.Send%401.0.0">Call again</a>',
  ]) {
    expect(text).toContain(said)
  }
  expect(text).not.toContain('<h2>Input</h2>')
})

it('the page of a call shows the recorded input and output, and fills the form to call again', async () => {
  const content = { input: { to: ['<ann>'] }, output: { sent: '<b>' } }
  const call = { ...CALL, digest: 'd-1', outcome: 'success' }
  const { get } = setUp({
    'GET /calls/c-1': () => ({ ...call, content }),
    'GET /calls/c-2': () => ({
      ...call,
      content: { error: 'Not <ann>', too_large: ['input'] },
      outcome: 'tool-failed',
    }),
  })
  const text = await (await get('/console/calls/c-1')).text()
  for (const said of [
    /<h2>Input<\/h2>.*&lt;ann&gt;.*<h2>Result<\/h2>.*&lt;b&gt;/s,
    /href="\/console\/tools\/Mail.Send%401.0.0\?call=c-1&amp;at=2030-01-02T11%3A02%3A03.456Z">\s*Call again/,
  ])
    expect(text).toMatch(said)
  const failed = await (await get('/console/calls/c-2')).text()
  expect(failed).toContain('<p>Not &lt;ann&gt;</p>')
  expect(failed).toContain('Larger than 16 KiB, and not recorded: input.')
  expect(failed).not.toContain('for_operator')
})

it('the page of a call says that it does not exist, or why it cannot be read', async () => {
  const { get } = setUp({})
  const none = await get('/console/calls/c-9?at=2030-01-02T11:02:03.456Z')
  expect([none.status, (await none.text()).includes('There is no such call, or you cannot see it.')]).toEqual([
    404,
    true,
  ])
  const broken = setUp({ 'GET /calls/c-1': () => Response.json({ message: 'Cannot reach it' }, { status: 503 }) })
  const page = await broken.get('/console/calls/c-1')
  expect([page.status, (await page.text()).includes('Cannot reach it')]).toEqual([503, true])
  const unknown = setUp({ 'GET /calls/c-1': () => ({ ...CALL, outcome: 'tool-unknown' }) })
  const text = await (await unknown.get('/console/calls/c-1')).text()
  expect(text).toContain('There is no such tool for this caller.')
  expect(text).not.toContain('Call again')
})

import { expect, it } from 'vitest'
import { setUp } from './set-up.ts'

const ACT = {
  at: '2030-01-01T11:02:03.456Z',
  act: 'tools.publish',
  principal: 'key:1',
  method: 'POST',
  path: '/tools',
  outcome: 'success',
  status: 200,
}

it('acts are told by what they were about, part by part, and what is long is opened', async () => {
  const published = Array.from({ length: 300 }, (_, index) => `Mail.Send${index}@1.0.0`)
  const about = { published, pending: [], name: '<b>', limits: { concurrency: 5 }, users: ['ann', 'bob'] }
  const { get, asked } = setUp({
    'GET /audit': () => ({
      items: [
        { ...ACT, about },
        { ...ACT, outcome: 'forbidden' },
      ],
      next_cursor: 'n',
    }),
  })
  const text = await (await get('/console/audit?act=tools.publish')).text()
  expect(asked[0]?.request.url).toBe('https://switchboard.test/audit?act=tools.publish&limit=50')
  for (const said of [
    '2030-01-01 11:02:03 UTC',
    '<span class="note">name</span> &lt;b&gt;',
    '<span class="note">users</span> ann, bob',
    '<span class="note">pending</span> []',
    '{&quot;concurrency&quot;:5}',
    'Mail.Send299@1.0.0</details>',
    '<span class="failed" title="forbidden">Forbidden</span>',
    'href="/console/audit?act=tools.publish&amp;cursor=n"',
  ]) {
    expect(text).toContain(said)
  }
  const none = setUp({ 'GET /audit': () => ({ items: [] }) })
  expect(await (await none.get('/console/audit')).text()).toContain('No actions match')
})

import { expect, it } from 'vitest'
import { type Routes, setUp } from '../set-up.ts'

const PAGE = '/console/findings'
const TIMES = { since: '2030-01-01T11:02:03Z', seen: '2030-01-02T11:02:03Z' }
const CHANGE = { path: '/description', what: 'Its description differs', level: 'patch' }
const FINDING = { toolkit: 'Mail', tool: 'send', kind: 'changed', severity: 'breaking', ...TIMES }
const COMPARE = 'POST /toolkits/Mail/compare'
const world = (items: readonly object[], more: Routes = {}) =>
  setUp({ 'GET /findings': () => ({ items, next_cursor: 'mail.send' }), ...more })

it('the page of findings shows differences word by word, and links to the tool and its import', async () => {
  const changes = [{ ...CHANGE, before: 'Sends a mail.', after: 'Sends <all> mail.' }]
  const { get, asked } = world([
    { ...FINDING, changes },
    { ...FINDING, tool: 'draft', kind: 'new', severity: 'additive', changes: [] },
    { toolkit: 'Web', kind: 'unreachable', severity: 'additive', changes: [], ...TIMES },
  ])
  const text = await (await get(`${PAGE}?severity=breaking&toolkit=Mail`)).text()
  expect(asked[0]?.request.url).toBe('https://switchboard.test/findings?toolkit=Mail&severity=breaking&limit=5')
  expect(text).toContain('<del>a</del>')
  expect(text).toContain('<ins>&lt;all&gt;</ins>')
  expect(text).toContain('<a href="/console/tools/Mail.send">Mail.send</a>')
  expect(text).toContain('<h2>Mail.draft</h2>')
  expect(text).toContain('href="/console/import?toolkit=Web"')
  expect(text).toContain('The source has not answered for a day.')
  expect(text).toContain(`href="${PAGE}?toolkit=Mail&amp;severity=breaking&amp;cursor=mail.send"`)
  const form = await (await get('/console/import?toolkit=Web')).text()
  expect(/<input[^>]*name="input\/toolkit"[^>]*>/.exec(form)?.[0]).toContain('value="Web"')
})

it('the page of findings compares a toolkit, or says why it could not', async () => {
  const { post, asked } = world([], { [COMPARE]: () => ({ items: [] }) })
  const { status, headers } = await post(`${PAGE}?toolkit=Mail`, { toolkit: 'Mail' })
  expect([status, headers.get('location')]).toEqual([302, `${PAGE}?toolkit=Mail&done=1`])
  expect(asked.map(({ request }) => `${request.method} ${new URL(request.url).pathname}`)).toEqual([COMPARE])
  const refused = world([], { [COMPARE]: () => Response.json({ message: 'It has <no> source' }, { status: 404 }) })
  const page = await refused.post(`${PAGE}?toolkit=Mail`, { toolkit: 'Mail' })
  expect([page.status, (await page.text()).includes('It has &lt;no&gt; source')]).toEqual([404, true])
})

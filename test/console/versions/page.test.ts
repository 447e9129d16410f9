import { describe, expect, it } from 'vitest'
import { type Routes, setUp } from '../set-up.ts'

const ITEM = { id: 'Mail.Send@1.0.0', name: 'Mail_Send', description: '<b>Sends</b>' }
const PATCH = 'PATCH /tools/Mail.Send%401.0.0'
const world = (more: Routes = {}) =>
  setUp({ 'GET /tools': () => ({ items: [ITEM], next_cursor: 'n/x' }), [PATCH]: () => ({}), ...more })
const PAGE = '/console/versions'

describe('the page of versions', () => {
  it('shows those of a status, the disabled where none is said, with what they may become', async () => {
    const { get, asked } = world()
    const text = await (await get(PAGE)).text()
    expect(asked[0]?.request.url).toBe('https://switchboard.test/tools?status=disabled&limit=50')
    expect(text).toContain('&lt;b&gt;Sends&lt;/b&gt;')
    expect([...text.matchAll(/name="to" value="(\w+)"/g)].map(([, to]) => to)).toEqual([
      'active',
      'yanked',
      'deprecated',
    ])
    expect(text).toContain('href="/console/versions?status=disabled&amp;cursor=n%2Fx"')
    await get(`${PAGE}?status=yanked&toolkit=Mail&cursor=n`)
    expect(asked[1]?.request.url).toBe('https://switchboard.test/tools?status=yanked&toolkit=Mail&cursor=n&limit=50')
    await get(`${PAGE}?status=nonsense`)
    expect(asked[2]?.request.url).toContain('status=disabled')
  })

  it('changes one, and leads back to where it was', async () => {
    const { post, asked } = world()
    const fields = { id: ITEM.id, to: 'active', message: 'of another form' }
    const { status, headers } = await post(`${PAGE}?status=yanked&toolkit=Mail`, fields)
    expect([status, headers.get('location')]).toEqual([302, `${PAGE}?status=yanked&toolkit=Mail&done=1`])
    expect(asked.map(({ request, body }) => [request.method, JSON.parse(body)])).toEqual([
      ['PATCH', { status: 'active' }],
    ])
    await post(PAGE, { id: ITEM.id, to: 'deprecated', message: 'Old', successor: ' ' })
    expect(JSON.parse(asked[1]?.body ?? '')).toEqual({ status: 'deprecated', message: 'Old' })
  })

  it('says why one was not changed', async () => {
    const { post } = world({
      [PATCH]: () => Response.json({ message: 'An administrator <disabled> it' }, { status: 403 }),
    })
    const page = await post(PAGE, { id: ITEM.id, to: 'active' })
    expect([page.status, (await page.text()).includes('An administrator &lt;disabled&gt; it')]).toEqual([403, true])
  })

  it('changes nothing for an id that is no name of a thing', async () => {
    const { post, asked } = world()
    expect((await post(PAGE, { id: '..', to: 'active' })).status).toBe(404)
    expect((await post(PAGE, { to: 'active' })).status).toBe(404)
    expect(asked.filter(({ request }) => request.method === 'PATCH').map(({ request }) => request.url)).toEqual([
      'https://switchboard.test/tools/',
    ])
  })

  it('says that there is none, and is for those who publish', async () => {
    const none = world({ 'GET /tools': () => ({ items: [] }) })
    expect(await (await none.get(PAGE)).text()).toContain('None that you may publish is disabled')
    const reader = { id: 'key:1', kind: 'key', scopes: ['tools:read'], tools: ['*'], users: [] } as const
    const { get, asked } = setUp({}, reader)
    expect([(await get(PAGE)).status, asked]).toEqual([403, []])
  })
})

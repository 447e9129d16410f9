import { describe, expect, it } from 'vitest'
import { setUp } from './set-up.ts'

const KEY = { id: 'k1', name: 'Ann', scopes: ['tools:read', 'admin'], tools: ['*'], users: 'any' }
const PROVIDER = { id: 'acme', name: 'Acme', issuer: 'https://login.acme.test', client_id: 'c' }
const POLICY = { pattern: 'Mail.*', security_level: 3 }

/** What somebody takes away while a form stands open that says all of it. */
const CASES = [
  {
    page: '/console/keys',
    filledBy: 'id=k1',
    list: 'GET /keys',
    one: 'GET /keys/k1',
    change: 'PATCH /keys/k1',
    before: KEY,
    after: { ...KEY, scopes: ['tools:read'], tools: ['Mail.*'], users: [] },
    fields: { 'do': 'change', 'input/name': 'Ann B.', 'input/tools': '*', 'instead:input/users': '1' },
    now: 'Mail.*</textarea>',
  },
  {
    page: '/console/providers',
    filledBy: 'id=acme',
    list: 'GET /providers',
    one: 'GET /providers/acme',
    change: 'PUT /providers/acme',
    before: PROVIDER,
    after: { ...PROVIDER, tools: ['Acme.*'] },
    fields: {
      'do': 'give',
      'input/id': 'acme',
      'input/name': 'Acme Inc.',
      'input/issuer': 'https://login.acme.test',
      'input/client_id': 'c',
    },
    now: 'Acme.*</textarea>',
  },
  {
    page: '/console/policies',
    filledBy: 'pattern=Mail.*',
    list: 'GET /policies',
    one: 'GET /policies/Mail.*',
    change: 'PUT /policies/Mail.*',
    before: POLICY,
    after: { ...POLICY, security_level: 9, approval: true },
    fields: { 'do': 'set', 'input/pattern': 'Mail.*', 'input/security_level': '2', 'input/timeout_ms': '1000' },
    now: 'aria-describedby="about-input/approval" value="1" checked',
  },
] as const

describe.each(CASES)('an open form at $page', (each) => {
  const { page, filledBy, list, one, change, before, after, fields, now } = each
  const address = `${page}?${filledBy}`

  /** Routes that answer as those of the deployment do: a change with another tag than there is now is refused. */
  function world(refused?: Response) {
    let isChanged = false
    const there = () => {
      const headers = { etag: isChanged ? '"2"' : '"1"' }
      return Response.json(isChanged ? after : before, { headers })
    }
    const { get, post, asked } = setUp({
      [list]: () => ({ items: [isChanged ? after : before] }),
      [one]: there,
      [change]: (request) => {
        const tag = request.headers.get('if-match')
        if (tag !== null && tag !== there().headers.get('etag')) return new Response('{}', { status: 412 })
        return refused?.clone() ?? there()
      },
    })
    const changes = () =>
      asked.filter(({ request }) => request.method !== 'GET').map(({ request }) => request.headers.get('if-match'))
    return { get, post, changes, changeIt: () => void (isChanged = true) }
  }

  /** The revision that the form on a page was filled with. */
  function filledIn(text: string): Record<string, string> {
    const hidden = text.matchAll(/<input type="hidden" name="(etag)" value="([^"]*)"/g)
    return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, decoded(value)]))
  }
  const decoded = (text: string) => text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))

  it(`an open form at ${page} cannot restore what someone removed, and is filled again`, async () => {
    const { get, post, changes, changeIt } = world()
    const text = await (await get(address)).text()
    expect(text).toContain(`action="${address}"`)
    const filled = filledIn(text)
    expect(filled).toEqual({ etag: '1' })
    changeIt()
    const refused = await post(address, { ...fields, ...filled })
    const anew = await refused.text()
    expect([refused.status, changes()]).toEqual([412, ['"1"']])
    expect(anew).toContain('This was changed by somebody else')
    expect(anew).toContain(now)
    const again = await post(address, { ...fields, ...filledIn(anew) })
    expect([again.status, changes()]).toEqual([302, ['"1"', '"2"']])
  })

  it(`an open form at ${page} is saved if no one changed anything`, async () => {
    const { get, post, changes } = world()
    const filled = filledIn(await (await get(address)).text())
    expect((await post(address, { ...fields, ...filled })).status).toBe(302)
    expect(changes()).toEqual(['"1"'])
  })

  it(`an open form at ${page} keeps its first revision while it is corrected`, async () => {
    const { get, post, changes, changeIt } = world(Response.json({ message: 'Not valid' }, { status: 422 }))
    const filled = filledIn(await (await get(address)).text())
    const corrected = await post(address, { ...fields, ...filled })
    expect(corrected.status).toBe(422)
    changeIt()
    expect((await post(address, { ...fields, ...filledIn(await corrected.text()) })).status).toBe(412)
    expect(changes()).toEqual(['"1"', '"1"'])
  })

  it(`an open form at ${page} with a forged revision changes nothing`, async () => {
    const { post, changes } = world()
    for (const etag of ['*', 'x', '1", "2', '1\r\nx-y: z', '']) {
      expect([etag, (await post(address, { ...fields, etag })).status]).toEqual([etag, 412])
    }
    expect(changes().map((tag) => tag?.slice(0, 3))).toEqual(['"*"', '"x"', '"1%', '"1%', '""'])
  })
})

it('a form saved under another name requires no revision of that name', async () => {
  const { post, asked } = setUp({ 'PUT /policies/Cal.*': () => POLICY })
  const fields = { 'do': 'set', 'input/pattern': 'Cal.*', 'input/security_level': '2', 'etag': '1' }
  expect((await post('/console/policies?pattern=Mail.*', fields)).status).toBe(302)
  expect(asked[0]?.request.headers.get('if-match')).toBe(null)
})

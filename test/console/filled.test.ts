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
    change: 'PUT /policies/Mail.*',
    before: POLICY,
    after: { ...POLICY, security_level: 9, approval: true },
    fields: { 'do': 'set', 'input/pattern': 'Mail.*', 'input/security_level': '2', 'input/timeout_ms': '1000' },
    now: 'aria-describedby="about-input/approval" value="1" checked',
  },
] as const

describe.each(CASES)('a form at $page that stands open', (each) => {
  const { page, filledBy, list, change, before, after, fields, now } = each

  function world(refused?: Response) {
    let isChanged = false
    const there = () => (isChanged ? after : before)
    const { get, post, asked } = setUp({
      [list]: () => ({ items: [there()] }),
      'GET /keys/k1': there,
      [change]: () => refused?.clone() ?? there(),
    })
    const changes = () => asked.filter(({ request }) => request.method !== 'GET')
    return { get, post, changes, changeIt: () => void (isChanged = true) }
  }

  /** How the form on a page was filled. */
  function filledIn(text: string): Record<string, string> {
    const hidden = text.matchAll(/<input type="hidden" name="(filled|filled_of)" value="([^"]*)"/g)
    return Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, decoded(value)]))
  }
  const decoded = (text: string) => text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))

  it('gives nothing again that somebody took away meanwhile, and is filled anew', async () => {
    const { get, post, changes, changeIt } = world()
    const filled = filledIn(await (await get(`${page}?${filledBy}`)).text())
    expect(Object.keys(filled)).toEqual(['filled_of', 'filled'])
    changeIt()
    const refused = await post(page, { ...fields, ...filled })
    const text = await refused.text()
    expect([refused.status, changes()]).toEqual([409, []])
    expect(text).toContain('It was changed since this form was filled')
    expect(text).toContain(now)
    const again = await post(page, { ...fields, ...filledIn(text) })
    expect([again.status, changes().length]).toEqual([302, 1])
  })

  it('is done where nobody changed anything', async () => {
    const { get, post, changes } = world()
    const filled = filledIn(await (await get(`${page}?${filledBy}`)).text())
    expect((await post(page, { ...fields, ...filled })).status).toBe(302)
    expect(changes()).toHaveLength(1)
  })

  it('is held to what it was filled with first, once it comes back to be corrected', async () => {
    const { get, post, changes, changeIt } = world(Response.json({ message: 'Not valid' }, { status: 422 }))
    const filled = filledIn(await (await get(`${page}?${filledBy}`)).text())
    const corrected = await post(page, { ...fields, ...filled })
    expect(corrected.status).toBe(422)
    changeIt()
    expect((await post(page, { ...fields, ...filledIn(await corrected.text()) })).status).toBe(409)
    expect(changes()).toHaveLength(1)
  })
})

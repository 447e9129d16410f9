import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }

let server: RunningServer
beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
})
afterAll(() => server?.stop())

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = ADMIN) =>
  server.json(method, path, body, headers)

/** The acts that a query means, oldest first, once there are so many: records come a second behind. */
async function acts(query: string, count: number): Promise<any[]> {
  const end = Date.now() + 20_000
  for (;;) {
    const { status, body } = await send('GET', `/audit?${query}`)
    expect(status, JSON.stringify(body)).toBe(200)
    if (body.items.length >= count) return body.items.reverse()
    if (Date.now() > end) throw new Error(`GET /audit?${query} gave ${JSON.stringify(body)}`)
    await new Promise((done) => setTimeout(done, 100))
  }
}

const tool = (version: string) => ({
  definition: { name: 'Told', description: 'Is told of', inputSchema: { type: 'object' } },
  toolkit: 'Audited',
  version,
  implementation: { kind: 'code', module: 'export default () => "a module that is nobody’s business"' },
})

it('GET /audit lists administrative actions, who did them, and their outcome', async () => {
  const made = await send('POST', '/keys', { name: 'the publisher', scopes: ['tools:publish'], tools: ['Audited.*'] })
  const publisher = { authorization: `Bearer ${made.body.key}` }
  const principal = `key:${made.body.id}`
  await send('POST', '/tools', tool('1.0.0'), publisher)
  await send('POST', '/tools', [tool('1.0.0'), tool('1.1.0'), { nonsense: true }], publisher)
  await send('PATCH', '/tools/Audited.Told@1.0.0', { status: 'disabled' }, publisher)
  await send('PUT', '/toolkits/Audited', { owner: 'admin' })
  await send('PUT', '/providers/acme', { wrong: 1 })
  await send('DELETE', '/providers/none')
  await send('DELETE', '/users/ann/grants')
  await send('DELETE', '/users/ann/agents')
  await send('DELETE', '/sessions/none')
  await send('PATCH', `/keys/${made.body.id}`, { limits: { concurrency: 3 } })
  await send('DELETE', `/keys/${made.body.id}`)
  const all = await acts('limit=1000', 12)
  const told = all.map(({ act, principal: who, outcome, status }) => [act, who, outcome, status])
  expect(told).toEqual([
    ['key.create', 'admin', 'success', 201],
    ['tools.publish', principal, 'success', 201],
    ['tools.publish', principal, 'success', 200],
    ['tool.change', principal, 'success', 200],
    ['toolkit.give', 'admin', 'success', 200],
    ['provider.put', 'admin', 'definition-invalid', 422],
    ['provider.remove', 'admin', 'not-found', 404],
    ['grant.revoke', 'admin', 'success', 204],
    ['agent.end', 'admin', 'success', 204],
    ['session.end', 'admin', 'not-found', 404],
    ['key.change', 'admin', 'success', 200],
    ['key.remove', 'admin', 'success', 204],
  ])
  expect(all[0].about).toMatchObject({ id: made.body.id, name: 'the publisher', tools: ['Audited.*'] })
  expect(all[1]).toMatchObject({ principal_name: 'the publisher', about: { published: ['Audited.Told@1.0.0'] } })
  expect(all[2].about).toEqual({ published: ['Audited.Told@1.1.0'], unchanged: 1, refused: 1 })
  expect(all[3]).toMatchObject({ path: '/tools/Audited.Told@1.0.0', about: { status: { state: 'disabled' } } })
  expect(all[10].about).toMatchObject({ name: 'the publisher', limits: { concurrency: 3 } })
  expect(all[11].about).toEqual({ name: 'the publisher' })
  const text = JSON.stringify(all)
  for (const secret of [made.body.key, ADMIN_KEY, 'nobody’s business']) expect(text).not.toContain(secret)
  expect(server.printed()).toContain('"event":"act"')
  expect(server.printed()).not.toContain(made.body.key)
})

it('GET /audit lists who was refused', async () => {
  const made = await send('POST', '/keys', { name: 'the reader', scopes: ['tools:read'] })
  const reader = { authorization: `Bearer ${made.body.key}` }
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const accept = 'application/json, text/event-stream'
  // It may list, whatever else MCP is for
  expect((await send('POST', '/mcp', list, { ...reader, accept })).status).toBe(200)
  expect((await send('POST', '/keys', {}, reader)).status).toBe(403)
  expect((await send('GET', '/tools', undefined, { authorization: 'Bearer made-up' })).status).toBe(401)
  const found = await acts('act=refusal', 2)
  expect(
    found.map(({ principal, method, path, outcome, status }) => [principal, method, path, outcome, status]),
  ).toEqual([
    [`key:${made.body.id}`, 'POST', '/keys', 'forbidden', 403],
    [undefined, 'GET', '/tools', 'unauthenticated', 401],
  ])
  expect(JSON.stringify(found)).not.toContain('made-up')
})

it('GET /audit filters by its query, in pages', async () => {
  for (let n = 0; n < 3; n++) await send('DELETE', `/keys/none-${n}`)
  await acts('act=key.remove&outcome=not-found', 3)
  const first = await send('GET', '/audit?act=key.remove&outcome=failure&limit=2')
  const rest = await send('GET', `/audit?act=key.remove&outcome=failure&limit=2&cursor=${first.body.next_cursor}`)
  expect([...first.body.items, ...rest.body.items].map(({ path }: any) => path)).toEqual([
    '/keys/none-2',
    '/keys/none-1',
    '/keys/none-0',
  ])
  expect((await send('GET', `/audit?limit=2&cursor=${first.body.next_cursor}`)).status).toBe(400)
  expect((await send('GET', '/audit?act=DROP TABLE')).status).toBe(400)
})

it('GET /audit is for administrators and callers who may read records', async () => {
  for (const [scopes, status] of [
    [['records:read'], 200],
    [['tools:read', 'tools:call', 'tools:publish'], 403],
  ] as const) {
    const { body } = await send('POST', '/keys', { name: 'k', scopes })
    expect((await send('GET', '/audit', undefined, { authorization: `Bearer ${body.key}` })).status).toBe(status)
  }
})

it('every route that changes something has an audit action, or is listed as having none', async () => {
  // Of the requests below none is in order, and each is written down all the same
  const NO_ACTS =
    /^(?:POST|PUT|PATCH|DELETE) \/(?:artifacts|convert|events|readiness|providers\/:id\/test|tools\/call|oxp|worker|plugin|mcp|connect|machine-context|authorizations|sign-in|sign-out|register|authorize|token|\.well-known)/
  const CHANGES: readonly (readonly [method: string, path: string])[] = [
    ['POST', '/tools'],
    ['PATCH', '/tools/Calculator.Add@1.0.0'],
    ['POST', '/toolkits/import'],
    ['POST', '/import'],
    ['PUT', '/toolkits/Calculator'],
    ['PATCH', '/toolkits/Calculator'],
    ['DELETE', '/toolkits/Calculator'],
    ['POST', '/toolkits/Calculator/compare'],
    ['PUT', '/toolkits/Calculator/plugin'],
    ['DELETE', '/calls/none'],
    ['POST', '/keys'],
    ['PATCH', '/keys/none'],
    ['POST', '/keys/none/rotate'],
    ['DELETE', '/keys/none'],
    ['PUT', '/policies/Calculator.*'],
    ['DELETE', '/policies/Calculator.*'],
    ['PUT', '/toolsets/none'],
    ['POST', '/toolsets/none/approve'],
    ['POST', '/toolsets/none/reject'],
    ['DELETE', '/toolsets/none'],
    ['PUT', '/toolkits/Calculator/skills/none'],
    ['PATCH', '/toolkits/Calculator/skills/none'],
    ['PUT', '/locks'],
    ['DELETE', `/locks/sha256:${'0'.repeat(64)}`],
    ['PUT', '/providers/none'],
    ['DELETE', '/providers/none'],
    ['PUT', '/subscriptions'],
    ['DELETE', '/subscriptions/none'],
    ['POST', '/subscriptions/none/dead-letters/none'],
    ['PUT', '/event-sources/none'],
    ['DELETE', '/event-sources/none'],
    ['POST', '/users/none/connections'],
    ['POST', '/users/none/connections/none/check'],
    ['DELETE', '/users/none/grants'],
    ['DELETE', '/users/none/grants/none'],
    ['DELETE', '/users/none/agents'],
    ['DELETE', '/users/none/agents/none'],
    ['DELETE', '/users/none/access'],
    ['DELETE', '/sessions'],
    ['DELETE', '/sessions/none'],
    ...['/scim/v2/Users', '/scim/v2/Groups'].flatMap((path) => [
      ['POST', path] as const,
      ...['PUT', 'PATCH', 'DELETE'].map((method) => [method, `${path}/none`] as const),
    ]),
    ['POST', '/clients'],
    ['DELETE', '/clients/none'],
  ]
  const since = new Date().toISOString()
  for (const [method, path] of CHANGES) await send(method, path, method === 'DELETE' ? undefined : 5)
  const found = await acts(`since=${since}&limit=1000`, CHANGES.length)
  expect(found.filter(({ act }) => act !== 'refusal').map(({ method, path }) => [method, path])).toEqual(CHANGES)
  // A route that is new must be above, or among those that are known
  const { readFileSync, readdirSync } = await import('node:fs')
  const root = new URL('../../src/', import.meta.url)
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('routes.ts'))
  const declared = files.flatMap((file) => {
    const text = readFileSync(new URL(file, root), 'utf8')
    return [...text.matchAll(/(?:\.|\bon\('|\bat\('|^ +')(post|put|patch|delete)(?:\('| )(\/[^']*)'/gim)].map(
      ([, method = '', path = '']) => [method.toUpperCase(), path] as const,
    )
  })
  expect(declared.length).toBeGreaterThan(CHANGES.length)
  const shapeOf = (path: string) => path.split('/').length
  for (const [method, path] of declared) {
    if (NO_ACTS.test(`${method} ${path}`)) continue
    const isTried = CHANGES.some(
      ([way, tried]) =>
        way === method && shapeOf(tried) === shapeOf(path) && tried.startsWith(path.split(':')[0] ?? path),
    )
    expect(isTried, `${method} ${path}`).toBe(true)
  }
})

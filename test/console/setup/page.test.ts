import { expect, it } from 'vitest'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import { type Routes, setUp } from '../set-up.ts'

const CHECKS = [
  { about: 'API keys', state: 'off', message: 'There are no keys', fix: 'Create one' },
  { about: 'VAULT_KEYS', state: 'ok', message: 'Set' },
  { about: 'sign-in', state: 'off', message: 'Not set', fix: 'Set <SIGN_IN_ISSUER>' },
  { about: 'providers', state: 'ok', message: 'google' },
]

function world(items: readonly object[], visitor: Principal = ADMIN) {
  const routes: Routes = {
    'GET /setup': () => ({ items }),
    'GET /tools': () => ({ items: [] }),
    'GET /toolkits': () => ({ items: [] }),
  }
  return setUp(routes, visitor)
}

it("missing settings are on an administrator's first page, with what to do and where agents connect", async () => {
  const text = await (await world(CHECKS).get('/')).text()
  expect(text).toMatch(/<details class="panel" open="">[^]*2 of 4 done/)
  expect(text).toContain('Set &lt;SIGN_IN_ISSUER&gt;')
  for (const href of ['/console/keys#make', '/docs/sign-in', '/console/connect'])
    expect(text).toContain(`href="${href}"`)
  expect(text).toContain('<pre>https://switchboard.test/mcp</pre>')
})

it('missing settings are collapsed once agents can connect, and gone once everything is set up', async () => {
  const connected = CHECKS.map((check, index) =>
    index === 0 ? { about: 'API keys', state: 'ok', message: '1 key' } : check,
  )
  expect(await (await world(connected).get('/')).text()).toMatch(/<details class="panel">[^]*3 of 4 done/)
  const done = connected.map(({ about, message }) => ({ about, state: 'ok', message }))
  expect(await (await world(done).get('/')).text()).not.toContain('Set up this deployment')
})

it('missing settings are shown to no one else, and on no other page of tools', async () => {
  const reader: Principal = { id: 'key:1', kind: 'key', scopes: ['tools:read'], tools: ['*'], users: [] }
  for (const [path, visitor] of [
    ['/', reader],
    ['/?q=x', ADMIN],
    ['/', { ...ADMIN, id: 'open' }],
  ] as const) {
    const { get, asked } = world(CHECKS, visitor)
    await get(path)
    expect(asked.map(({ request }) => request.url).join()).not.toContain('/setup')
  }
})

it('missing settings have their own page, which also has those that are set', async () => {
  const text = await (await world(CHECKS).get('/console/setup')).text()
  expect(text).toMatch(/<li class="ok"><strong>VAULT_KEYS<\/strong> Set/)
  expect(text).toMatch(/<li class="off"><strong>Sign-in<\/strong> Not set/)
})

import { expect, it } from 'vitest'
import { createSetupRoutes, type SetupRoutesDeps } from '../../../src/api/setup/routes.ts'
import { ADMIN, ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import type { Provider } from '../../../src/core/consent/provider.ts'
import { authorizerFor } from '../../http/authorizer-for.ts'

const KEY = { id: 'k', name: 'ann', scopes: [], tools: [], users: [], created_at: '2030-01-01T00:00:00Z' } as const
const PROVIDER = { id: 'acme', name: 'Acme', client_id: 'c' }

async function checks(
  setup: SetupRoutesDeps['setup'],
  keys: readonly (typeof KEY)[] = [],
  caller: Principal = ADMIN,
  providers: readonly Provider[] = [PROVIDER],
) {
  const router = createSetupRoutes({
    authorize: authorizerFor(caller),
    respond: (failure) => Response.json(failure, { status: 403 }),
    setup,
    keys: { list: async () => keys },
    providers: { list: async () => keys.flatMap(() => providers) },
    findMissingSecret: (provider) =>
      provider.kind === undefined && provider.client_secret_name === 'UNSET' ? 'It is missing' : undefined,
  })
  const response = await router.request('/setup')
  return { status: response.status, items: Object(await response.json()).items }
}

it('GET /setup says what to do for each setting that a new deployment lacks', async () => {
  const { items } = await checks({ vaultKeys: 'none', signIn: 'none' })
  expect(items.map(({ about, state }: { about: string; state: string }) => [about, state])).toEqual([
    ['API keys', 'off'],
    ['VAULT_KEYS', 'off'],
    ['sign-in', 'off'],
    ['providers', 'off'],
  ])
  for (const { fix } of items) expect(fix).toMatch(/\S/)
})

it('GET /setup reports nothing to do if everything is set up', async () => {
  const { items } = await checks({ vaultKeys: 'set', signIn: 'set' }, [KEY])
  expect(items).toMatchObject([
    { state: 'ok', message: '1 key' },
    { state: 'ok' },
    { state: 'ok' },
    { state: 'ok', message: 'acme' },
  ])
  expect(JSON.stringify(items)).not.toContain('fix')
})

it('GET /setup says that people who sign in have no rights if no rule names them', async () => {
  const { items } = await checks({ vaultKeys: 'set', signIn: 'nobody' })
  expect(items[2]).toMatchObject({ state: 'off', fix: expect.stringContaining('SIGN_IN_RULES') })
})

it('GET /setup needs the scope admin', async () => {
  const reader = { ...ADMIN, scopes: ['tools:read', 'records:read'] } as const
  for (const caller of [ANONYMOUS, reader]) {
    expect((await checks({ vaultKeys: 'set', signIn: 'set' }, [], caller)).status).toBe(403)
  }
})

it('GET /setup names the secrets of providers that are missing', async () => {
  const providers = [PROVIDER, { ...PROVIDER, id: 'google', client_secret_name: 'UNSET' }]
  const { items } = await checks({ vaultKeys: 'set', signIn: 'set' }, [KEY], ADMIN, providers)
  expect(items[3]).toMatchObject({
    state: 'off',
    message: 'acme, google: secret UNSET missing',
    fix: expect.stringContaining('wrangler secret put UNSET'),
  })
})

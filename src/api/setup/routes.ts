import type { Hono } from 'hono'
import type { KeyStore } from '../../core/access/api-key.ts'
import type { AllProviders, Provider } from '../../core/consent/provider.ts'
import { ok } from '../../core/failure/failure.ts'
import { json, arraySchema, objectSchema, TEXT } from '../../http/route/response-specs.ts'
import { ADMIN_ROUTE, createRouter, type RouteDeps } from '../../http/route/router.ts'

interface Setup {
  readonly vaultKeys: 'none' | 'development' | 'set'
  readonly signIn: 'none' | 'verifier' | 'nobody' | 'set'
}

export interface SetupRoutesDeps extends RouteDeps {
  readonly setup: Setup
  readonly keys: Pick<KeyStore, 'list'>
  readonly providers: Pick<AllProviders, 'list'>
  readonly findMissingSecret: (provider: Provider) => string | undefined
}

/** `fix` explains how to set up a missing part. */
interface SetupCheck {
  readonly about: 'API keys' | 'VAULT_KEYS' | 'sign-in' | 'providers'
  readonly state: 'ok' | 'off'
  readonly message: string
  readonly fix?: string
}

export interface SetupAnswers {
  'GET /setup': { readonly items: readonly SetupCheck[] }
}

const CHECK = objectSchema({
  'about': { enum: ['API keys', 'VAULT_KEYS', 'sign-in', 'providers'] },
  'state': { enum: ['ok', 'off'] },
  'message': TEXT,
  'fix?': TEXT,
})

/** For `switchboard doctor` and the console, which show these messages unchanged. */
export function createSetupRoutes({ setup, keys, providers, findMissingSecret, ...deps }: SetupRoutesDeps): Hono {
  const { router, on } = createRouter<SetupAnswers>(deps)

  on('GET /setup', 'Check the setup of the deployment', {
    ...ADMIN_ROUTE,
    responses: { 200: json('One check for each part of the deployment', objectSchema({ items: arraySchema(CHECK) })) },
  })(async () => {
    const [allKeys, allProviders] = await Promise.all([keys.list(), providers.list()])
    const items = [
      keysCheck(allKeys.length),
      { about: 'VAULT_KEYS', ...VAULT_KEYS[setup.vaultKeys] },
      { about: 'sign-in', ...SIGN_IN[setup.signIn] },
      providersCheck(allProviders, findMissingSecret),
    ] as const
    return ok({ items })
  })

  return router
}

type CheckResult = Omit<SetupCheck, 'about'>

const VAULT_KEYS: Readonly<Record<Setup['vaultKeys'], CheckResult>> = {
  set: { state: 'ok', message: 'Set: the access that people grant is kept encrypted' },
  development: { state: 'ok', message: 'A key for development, which serves this machine alone' },
  none: {
    state: 'off',
    message: "Not set, so no tool can use a person's account",
    fix: 'Run `npx wrangler secret put VAULT_KEYS` and paste what `openssl rand -base64 32` prints; on your own machine, add a line `VAULT_KEYS=…` to .dev.vars',
  },
}

const SIGN_IN: Readonly<Record<Setup['signIn'], CheckResult>> = {
  set: { state: 'ok', message: 'People sign in with your OpenID provider' },
  verifier: { state: 'ok', message: 'Your service at USER_VERIFIER_URL identifies people' },
  nobody: {
    state: 'off',
    message: 'People can sign in, but SIGN_IN_RULES gives nobody access',
    fix: 'Set SIGN_IN_RULES, such as `[{"domain": "acme.com"}]`',
  },
  none: {
    state: 'off',
    message: 'Not set, so people sign in with an API key',
    fix: 'Set SIGN_IN_ISSUER, SIGN_IN_CLIENT_ID, SIGN_IN_RULES and the secret SIGN_IN_CLIENT_SECRET, as the guide to sign-in says',
  },
}

function keysCheck(count: number): SetupCheck {
  const about = 'API keys'
  if (count > 0) return { about, state: 'ok', message: count === 1 ? '1 key' : `${count} keys` }
  const fix = 'Create one for each agent, in the console or with `switchboard keys create --name …`'
  return { about, state: 'off', message: 'There are no API keys', fix }
}

function providersCheck(
  providers: readonly Provider[],
  findMissingSecret: SetupRoutesDeps['findMissingSecret'],
): SetupCheck {
  const about = 'providers'
  const ids = providers.map(({ id, kind }) => (kind ? `${id} (${kind})` : id)).join(', ')
  const secrets = providers.filter(findMissingSecret).map(({ client_secret_name: name = '' }) => name)
  if (secrets.length > 0) {
    const commands = secrets.map((name) => `\`npx wrangler secret put ${name}\``).join(', ')
    const fix = `Run ${commands}; on your own machine, add it to .dev.vars`
    return { about, state: 'off', message: `${ids}: secret ${secrets.join(', ')} missing`, fix }
  }
  if (providers.length > 0) return { about, state: 'ok', message: ids }
  const fix = 'Add one in the console, or set a pair such as GOOGLE_CLIENT_ID and the secret GOOGLE_CLIENT_SECRET'
  return { about, state: 'off', message: 'None is set up, so no tool can act for a person', fix }
}

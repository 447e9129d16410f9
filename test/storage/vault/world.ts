import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as base64url from 'jose/base64url'
import { createCharge, createVault } from '../../../src/storage/vault/vaults.ts'
import { createServerFinder } from '../../../src/oauth-client/provider-server.ts'
import { createKeyring } from '../../../src/storage/sealing/keyring.ts'
import { createOAuth } from '../../../src/oauth-client/oauth.ts'
import { defineVault, type VaultObject } from '../../../src/storage/vault/vault-object.ts'
import type { FlowStep, SignInMethod } from '../../../src/core/consent/authorization.ts'
import type { OAuthProvider, Provider } from '../../../src/core/consent/provider.ts'
import { fingerprintInvocation } from '../../../src/core/call/invocation.ts'
import type { TokenQuery, TokenResult } from '../../../src/core/call/user-tokens.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { canonicalText } from '../../../src/storage/sealing/fingerprint.ts'
import { sha256 } from '../../../src/storage/sealing/sha256.ts'
import { invocationWith } from '../../runners/http/records.ts'

export const ORIGIN = 'https://sb.example'
export const CALLBACK = `${ORIGIN}/oauth/callback`
export const ISSUER = 'https://mail.example'
export const SECRET = 'the secret of the client'
export const MAIL: OAuthProvider = {
  id: 'mail',
  name: 'Mail',
  issuer: ISSUER,
  client_id: 'c1',
  client_secret_name: 'MAIL',
}
export const MINUTE = 60_000

export const tool = (name: string, given: Partial<ToolRecord> = {}): ToolRecord => ({
  id: `Mail.${name}@1.0.0`,
  toolkit: 'Mail',
  tool: name,
  version: '1.0.0',
  name,
  description: '',
  input: {},
  output: {},
  requirements: { authorization: [], secrets: [], user_id: false },
  securityLevel: 4,
  tags: [],
  source: { dialect: 'oxp', document: {} },
  digest: `digest of ${name}`,
  ...given,
})

/** Returns what a call claims approval for: its tool's whole invocation, as the core identifies it. */
export async function approvable(record: ToolRecord, principal: string, userId: string | undefined, input: JsonObject) {
  const call = { record, caller: { principal: { id: principal } }, invocation: { ...invocationWith(input), userId } }
  const identity = await fingerprintInvocation(call, (value) => sha256(canonicalText(value)))
  return { ...identity, tool: record, isDistinguishableByKey: true, requestedBy: undefined, chargedTo: principal }
}

interface Issued {
  readonly account: string
  readonly kind: 'code' | 'access' | 'refresh'
  readonly scope: string
  live: boolean
}

/** Creates an in-memory provider whose responses tests can change. */
export function fakeProvider() {
  const issued = new Map<string, Issued>()
  const requests: { readonly path: string; readonly form: URLSearchParams; readonly headers: Headers }[] = []
  let count = 0
  const issue = (of: Omit<Issued, 'live'>) => {
    count += 1
    const text = `${of.kind}-token-${count}-${crypto.randomUUID()}`
    issued.set(text, { ...of, live: true })
    return text
  }
  const provider = {
    issued,
    requests,
    rotate: false,
    expiresIn: 3_600 as number | undefined,
    refreshes: true,
    /** Replaces the requested scopes. */
    scope: undefined as string | undefined,
    metadata: {} as Record<string, unknown>,
    /** Responds instead of the provider, unless it returns undefined. */
    bend: async (_path: string, _signal: AbortSignal): Promise<Response | undefined> => undefined,
    /** Runs after the provider has handled a request, before its response. */
    beforeAnswer: async (): Promise<void> => undefined,
    count: (grantType: string) => requests.filter(({ form }) => form.get('grant_type') === grantType).length,
    /** Returns the account of a token while it is valid. */
    whose: (token: string) => (issued.get(token)?.live === true ? issued.get(token)?.account : undefined),
    /** The person allows an authorization request. Returns where the browser is redirected. */
    allow(location: string, account: string): string {
      const asked = new URL(location).searchParams
      const scope = asked.get('scope') ?? ''
      const back = new URL(asked.get('redirect_uri') ?? '')
      back.searchParams.set('code', issue({ account, kind: 'code', scope: `${scope}|${asked.get('code_challenge')}` }))
      back.searchParams.set('state', asked.get('state') ?? '')
      back.searchParams.set('iss', ISSUER)
      return back.href
    },
    deny(location: string, error = 'access_denied'): string {
      const asked = new URL(location).searchParams
      const back = new URL(asked.get('redirect_uri') ?? '')
      for (const [name, value] of Object.entries({ error, state: asked.get('state') ?? '', iss: ISSUER })) {
        back.searchParams.set(name, value)
      }
      return back.href
    },
    async fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
      const request = new Request(input, init)
      init?.signal?.throwIfAborted()
      const { pathname: path } = new URL(request.url)
      const form = new URLSearchParams(
        request.method === 'POST' ? new TextDecoder().decode(await request.arrayBuffer()) : '',
      )
      requests.push({ path, form, headers: request.headers })
      const bent = await provider.bend(path, init?.signal ?? request.signal)
      if (bent) return bent
      if (path === '/.well-known/openid-configuration') {
        return Response.json({
          issuer: ISSUER,
          authorization_endpoint: `${ISSUER}/auth`,
          token_endpoint: `${ISSUER}/token`,
          revocation_endpoint: `${ISSUER}/revoke`,
          scopes_supported: ['openid', 'offline_access', 'mail.read', 'mail.send'],
          authorization_response_iss_parameter_supported: true,
          ...provider.metadata,
        })
      }
      if (path === '/revoke') {
        const token = issued.get(form.get('token') ?? '')
        if (token) token.live = false
        return new Response(null, { status: 200 })
      }
      const answer = await tokens(form)
      await provider.beforeAnswer()
      return answer
    },
  }

  async function tokens(form: URLSearchParams): Promise<Response> {
    const given = form.get('grant_type') === 'refresh_token' ? form.get('refresh_token') : form.get('code')
    const found = issued.get(given ?? '')
    const refused = Response.json({ error: 'invalid_grant' }, { status: 400 })
    if (!found?.live || found.kind === 'access') return refused
    const [scope = '', challenge] = found.scope.split('|')
    if (found.kind === 'code') {
      found.live = false
      const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(form.get('code_verifier') ?? ''))
      if (base64url.encode(new Uint8Array(hash)) !== challenge) return refused
    }
    if (found.kind === 'refresh' && provider.rotate) found.live = false
    const { account } = found
    const isNew = found.kind === 'code' || provider.rotate
    return Response.json({
      token_type: 'Bearer',
      access_token: issue({ account, kind: 'access', scope }),
      ...(provider.refreshes && isNew ? { refresh_token: issue({ account, kind: 'refresh', scope }) } : {}),
      ...(provider.expiresIn === undefined ? {} : { expires_in: provider.expiresIn }),
      scope: provider.scope ?? scope,
    })
  }
  return provider
}

export interface WorldOptions {
  readonly keys?: readonly string[]
  readonly verifierUrl?: string
  readonly signInMethod?: SignInMethod
  readonly secret?: string | undefined
}

/** Creates a clock that moves only when it is set, and controls when signals abort. */
function createClock(start: number) {
  const waiting = new Set<{ readonly at: number; readonly controller: AbortController }>()
  const clock = {
    time: start,
    set(time: number) {
      clock.time = time
      for (const { at, controller } of waiting) {
        if (at <= time) controller.abort(new DOMException('The time is over', 'TimeoutError'))
      }
    },
    timeout(ms: number): AbortSignal {
      const controller = new AbortController()
      waiting.add({ at: clock.time + ms, controller })
      return controller.signal
    },
  }
  return clock
}

/** The provider that people sign in with. */
function companyAt(issuer: string): OAuthProvider {
  return { id: issuer, name: 'Company', issuer, token_endpoint: `${issuer}/token`, client_id: 'c2' }
}

/** Creates vaults of new users, over real Durable Objects, with an in-memory provider. */
export function createWorld(options: WorldOptions = {}) {
  const provider = fakeProvider()
  const providers = new Map<string, Provider>([['mail', MAIL]])
  const run = crypto.randomUUID()
  // A day ahead, so that no alarm fires by itself
  const clock = createClock(Date.now() + 86_400_000)
  const settings = {
    get time() {
      return clock.time
    },
    set time(time) {
      clock.set(time)
    },
    keys: options.keys ?? ['a key of the vault, long enough'],
    secret: 'secret' in options ? options.secret : SECRET,
    canStoreGrants: true,
    companyIssuer: 'https://company.example',
    isTrialUrl: true,
  }
  const instances = new Map<string, VaultObject>()
  const define = () =>
    defineVault(() => {
      const now = () => settings.time
      return {
        charge: (id: string, bytes: number) => createCharge(namespace)(id, bytes),
        keyring: createKeyring(settings.keys, 'vault'),
        oauth: createOAuth({
          fetch: provider.fetch,
          findServer: createServerFinder(provider.fetch, now),
          checkUrl: (url) => (url.startsWith('https:') ? undefined : 'wanted "https:"'),
          readSecret: (name) => (name === 'MAIL' ? settings.secret : undefined),
          company: { provider: companyAt(settings.companyIssuer), secret: 'the secret of the sign-in' },
          timeout: clock.timeout,
        }),
        checkCredential: async () => ({ ok: true }),
        ...(options.verifierUrl === undefined ? {} : { verifierUrl: options.verifierUrl }),
        companyIssuer: settings.companyIssuer,
        signInMethod: options.signInMethod ?? 'none',
        isTrialUrl: () => settings.isTrialUrl,
        now,
      }
    })
  let Vault = define()

  function instanceOf(state: DurableObjectState): VaultObject {
    const id = state.id.toString()
    const instance = instances.get(id) ?? new Vault(state, {})
    instances.set(id, instance)
    return instance
  }

  /** Copies arguments and results of a Durable Object, as the platform does. */
  function stubOf(id: DurableObjectId): unknown {
    const stub = env.Vault.get(id)
    return new Proxy(stub, {
      get: (_, method) =>
        method === 'then'
          ? undefined
          : (...given: unknown[]) =>
              runInDurableObject(stub, async (__, state) => {
                const vault = instanceOf(state)
                return structuredClone(await Reflect.apply(Reflect.get(vault, method), vault, structuredClone(given)))
              }),
    })
  }
  const namespace = new Proxy(env.Vault, {
    get(real, method) {
      if (method === 'get') return (id: DurableObjectId) => stubOf(id)
      const value: unknown = Reflect.get(real, method)
      return typeof value === 'function' ? value.bind(real) : value
    },
  })
  const vault = createVault({
    grantHolders: { note: async () => 0, forget: async () => undefined },
    writeAuditEvent: () => undefined,
    namespace,
    providers: { find: async (id) => providers.get(id) },
    clientVariablesFor: (id) =>
      id === 'google' ? { clientId: 'GOOGLE_CLIENT_ID', clientSecret: 'GOOGLE_CLIENT_SECRET' } : undefined,
    canStoreGrants: () => settings.canStoreGrants && settings.keys.length > 0,
    canBeApproved: () =>
      settings.isTrialUrl || (options.signInMethod ?? 'none') !== 'none' || options.verifierUrl !== undefined,
  })
  return Object.assign(settings, {
    provider,
    providers,
    vault,
    /** Returns a user id that only this world uses. */
    user: (name: string) => `${name} ${run}`,
    principal: (name: string) => `key:${name}:${run}`,
    owner: (user: string) => `user:${JSON.stringify(user)}`,
    /** Restarts all vaults on their storage, as after a deployment. */
    deploy(keys: readonly string[] = settings.keys) {
      settings.keys = keys
      instances.clear()
      Vault = define()
    },
    /** Uses the instance of a vault, with its storage. */
    inVault<T>(owner: string, use: (vault: VaultObject, state: DurableObjectState) => T | Promise<T>): Promise<T> {
      return runInDurableObject(env.Vault.get(env.Vault.idFromName(owner)), (_, state) => use(instanceOf(state), state))
    },
  })
}

export type World = ReturnType<typeof createWorld>

export const HOSTS = ['api.mail.example']
export const requestUrl = () => `${ORIGIN}/tools/call`

export function asking(
  userId: string,
  scopes: readonly string[] = ['mail.read'],
  more: Partial<TokenQuery> = {},
): TokenQuery {
  return {
    userId,
    requirement: { id: 'mail', oauth2: { scopes } },
    tool: tool('Get'),
    hosts: HOSTS,
    chargedTo: 'key:k1',
    requestUrl,
    ...more,
  }
}

/** Returns the challenge of a call, and its authorization. */
export function challenged(granted: TokenResult | Awaited<ReturnType<World['vault']['claim']>>) {
  if (!('challenge' in granted)) throw new Error(`Wanted a challenge, got ${JSON.stringify(granted)}`)
  const { challenge, reason } = granted
  const forOperator = 'forOperator' in granted ? granted.forOperator : undefined
  return { ...challenge, reason, forOperator, authorization: challenge.authorization ?? '' }
}

export function locationOf(step: FlowStep | { readonly ok: true }): string {
  if (!step.ok || !('location' in step)) throw new Error(`Wanted a location, got ${JSON.stringify(step)}`)
  return step.location
}

export const browser = (name = 'b') => name.padEnd(43, '_')

/** Does everything a person does to consent. */
export async function consent(world: World, user: string, account = user, scopes?: readonly string[]): Promise<void> {
  const { authorization } = challenged(await world.vault.tokenFor(asking(user, scopes)))
  const step = await world.vault.start(authorization, { browserCookie: browser(user), callback: CALLBACK })
  const url = world.provider.allow(locationOf(step), account)
  const ended = await world.vault.finish({ url, browserCookie: browser(user), callback: CALLBACK })
  if (!ended.ok) throw new Error(ended.message)
}

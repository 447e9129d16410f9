import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { createDispatcher } from '../../src/dispatcher.ts'
import { type Env, loadConfig } from '../../src/env.ts'
import { build } from '../fixtures/generated/build.ts'

const ORIGIN = 'http://localhost'
const ADMIN_KEY = 'an-administrators-key-1'

/** An isolate of one deployment, with what it asks of storage. */
function isolate() {
  const operations: string[] = []
  const running: Promise<unknown>[] = []
  const counted = <T extends object>(binding: T, name: string): T =>
    new Proxy(binding, {
      get(target, method) {
        const real: unknown = Reflect.get(target, method)
        if (typeof real !== 'function') return real
        return (...given: unknown[]) => {
          operations.push(`${name}.${String(method)} ${String(given[0])}`)
          return Reflect.apply(real, target, given)
        }
      },
    })
  const bindings: Env = {
    ...env,
    REGISTRY: counted(env.REGISTRY, 'KV'),
    Registry: counted(env.Registry, 'Registry'),
    Access: counted(env.Access, 'Access'),
    Connect: counted(env.Connect, 'Connect'),
    Vault: counted(env.Vault, 'Vault'),
    IdempotencyStore: counted(env.IdempotencyStore, 'IdempotencyStore'),
  }
  const app = createDispatcher(
    bindings,
    loadConfig(Object.assign({ ...bindings }, { ACCESS: 'keys', ADMIN_KEY, LOG_CALLS: 'none' })),
    build,
  )
  async function send(path: string, init: RequestInit = {}) {
    const context = createExecutionContext()
    context.waitUntil = (work) => void running.push(work)
    const response = await app.fetch(
      new Request(`${ORIGIN}${path}`, { redirect: 'manual', ...init }),
      bindings,
      context,
    )
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    send(path, { method: 'POST', body: new URLSearchParams(fields), headers: { origin: ORIGIN, ...headers } })
  const rpc = (token: string, method: string, params: object = {}) =>
    send('/connect/mcp', {
      method: 'POST',
      headers: { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  return { operations, send, form, rpc, settled: () => Promise.all(running.splice(0)) }
}

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

it('a code from one isolate is redeemed in another and refreshed in a third, and a warm call looks up no token', async () => {
  const [one, other, third] = [isolate(), isolate(), isolate()]
  const findSession = await one.form('/sign-in/key', { key: ADMIN_KEY })
  const cookie = (findSession.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const redirect_uri = 'http://127.0.0.1:7777/callback'
  const registered = await other.send('/connect/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' }),
  })
  const { client_id }: { client_id: string } = JSON.parse(registered.text)
  const code_verifier = 'v'.repeat(50)
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(code_verifier))
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    code_challenge: base64url(new Uint8Array(hash)),
    code_challenge_method: 'S256',
  })
  const fields = { 'toolkit.Calculator': '1', 'days': '1', 'decision': 'allow' }
  const allowed = await one.form(`/connect/authorize?${query}`, fields, { cookie })
  const code = URL.parse(allowed.headers.get('location') ?? '')?.searchParams.get('code') ?? ''
  expect([allowed.status, code], allowed.text).toEqual([302, expect.stringMatching(/^.{50,}$/)])

  const grant = { grant_type: 'authorization_code', code, client_id, redirect_uri, code_verifier }
  const redeemed = await other.form('/connect/token', grant)
  expect(redeemed.status, redeemed.text).toBe(200)
  const { access_token, refresh_token }: Record<string, string> = JSON.parse(redeemed.text)
  const call = (at: typeof one, token = access_token ?? '') =>
    at.rpc(token, 'tools/call', { name: 'Calculator_Add', arguments: { a: 2, b: 3 } })
  for (const at of [one, other, third]) expect((await call(at)).text).toContain('5')

  await one.settled()
  one.operations.length = 0
  for (let warm = 0; warm < 5; warm++) expect((await call(one)).status).toBe(200)
  await one.settled()
  expect(one.operations.filter((operation) => /^(?:Connect|Access)\./.test(operation))).toEqual([])

  const refreshed = await third.form('/connect/token', {
    grant_type: 'refresh_token',
    refresh_token: refresh_token ?? '',
    client_id,
  })
  expect(refreshed.status, refreshed.text).toBe(200)
  const next: Record<string, string> = JSON.parse(refreshed.text)
  expect((await call(one, next['access_token'])).text).toContain('5')
  for (const each of [one, other, third]) await each.settled()
}, 120_000)

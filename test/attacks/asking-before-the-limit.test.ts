import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Server } from '../e2e/server.ts'
import { ADMIN_KEY, asAdmin, type Headers, keyOf } from './set-up.ts'
import { neverSilent, startWatchedServer } from './watch.ts'

const JWT_SECRET = 'a secret of at least 32 bytes, no less'
const WORKER_SECRET = 'a-secret-of-an-engine-and-its-worker'
/** Low enough to be used up. */
const LIMIT = 20

let server: Server
beforeAll(async () => {
  server = await startWatchedServer({
    vars: { ACCESS: 'keys', ADMIN_KEY, JWT_SECRET, WORKER_SECRET },
    rateLimit: LIMIT,
  })
})
afterAll(() => server?.stop())
afterAll(neverSilent)

const bearer = (credential: string): Headers => ({ authorization: `Bearer ${credential}` })
const madeUpKey = () => `sb_${randomBytes(32).toString('base64url')}`
const jwt = (secret: string, claims: object = {}) =>
  new SignJWT({ sub: 'ann', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(secret))
const badJwt = () => jwt(`another secret, of whoever guesses, ${randomBytes(8).toString('hex')}`)
const workerJwt = () => jwt(WORKER_SECRET, { aud: 'worker' })

/** Routes, with the body that is sent and the accepted caller. */
const ROUTES = [
  ['GET', '/keys', undefined],
  ['POST', '/keys', { name: 'mine', scopes: ['admin'] }],
  ['DELETE', '/keys/x', undefined],
  ['GET', '/providers', undefined],
  ['GET', '/nowhere', undefined],
  ['PATCH', '/health', {}],
  ['GET', '/tools', undefined],
  ['POST', '/tools/call', { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } }],
  ['POST', '/oxp/tools/call', { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } }],
  ['GET', '/worker/tools', undefined],
  ['GET', '/machine-context/tools', undefined],
  ['GET', '/plugin/describe', undefined],
  ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
  ['POST', '/convert?from=oxp&to=mcp', {}],
  ['GET', '/users/ann/grants', undefined],
  ['GET', `/authorizations/${'A'.repeat(64)}`, undefined],
  ['PUT', '/toolkits/Evil', { owner: 'me' }],
] as const

let addresses = 0
/** Headers as Cloudflare's edge sends them, and the one from which Miniflare reads a request's `cf`. */
const newAddress = () => ({ 'cf-connecting-ip': `192.0.2.${++addresses}`, 'mf-cf-blob': '{}' })

describe.each([
  ['API keys', () => Promise.resolve(madeUpKey())],
  ['JWTs', badJwt],
] as const)('a client that guesses %s', (name, guess) => {
  it.each(ROUTES)(
    `a client that guesses ${name} soon gets 429, and its further guesses are not checked: %s %s`,
    async (method, path, body) => {
      const from = newAddress()
      const send = (as: Headers, address: Headers = from) => server.json(method, path, body, { ...as, ...address })
      const answers: number[] = []
      // The counted minute may end once meanwhile
      while (answers.at(-1) !== 429 && answers.length < 4 * LIMIT) {
        answers.push((await send(bearer(await guess()))).status)
      }
      expect(new Set(answers.slice(0, LIMIT))).toEqual(new Set([401]))
      expect(answers.at(-1)).toBe(429)
      const refused = await send(bearer(await guess()))
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
      // This isolate has not seen the right guess before, so it refuses it like a wrong one
      const right = path.startsWith('/worker') ? await workerJwt() : (await keyOf(server, ['*'])).as['authorization']
      const asRight = path.startsWith('/worker') ? bearer(String(right)) : { authorization: String(right) }
      expect((await send(asRight)).status).toBe(429)
      expect((await send(bearer(await jwt(JWT_SECRET)))).status).toBe(429)
      // Only that address is refused, and never the administrator
      expect((await send(asRight, newAddress())).status).not.toBe(429)
      expect([401, 429]).not.toContain((await send(asAdmin)).status)
    },
  )
})

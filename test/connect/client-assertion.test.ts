import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { FetchCapability } from '../../src/core/access/principal.ts'
import { createAssertionVerifier } from '../../src/connect/client-assertion.ts'
import type { ClientKeys, FindDocument } from '../../src/connect/client-document.ts'

const CLIENT = 'https://agent.example/client.json'
const ISSUER = 'https://sb.example/connect'
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const KEYS = 'https://agent.example/keys'
const NOW = 1_000_000
const own = await generateKeyPair('ES256', { extractable: true })
const strangers = await generateKeyPair('ES256')
const jwks = { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'ES256' }] }
const CLAIMS = { iss: CLIENT, sub: CLIENT, aud: ISSUER, jti: 'j1', exp: NOW / 1_000 + 60 }
const DESCRIBED = {
  clientId: CLIENT,
  clientName: 'An agent',
  redirectUris: [],
  grantTypes: [],
  responseTypes: [],
  tokenEndpointAuthMethod: 'private_key_jwt',
}

interface World {
  readonly claims?: object
  readonly key?: CryptoKey | Uint8Array
  readonly alg?: string
  readonly form?: Record<string, string>
  readonly authorization?: string | null
  readonly keys?: ClientKeys | undefined
  readonly hasConnectedAgent?: boolean
  readonly document?: Awaited<ReturnType<FindDocument>>
}

/** Reads one assertion after the other, as they come with a form. */
function reader({ hasConnectedAgent = true, keys = { jwks }, document }: World = {}) {
  const asked: unknown[] = []
  const read = createAssertionVerifier({
    fetchFor: (asker) => async (url, init) => {
      asked.push([asker, String(url), init?.redirect])
      return Response.json(jwks)
    },
    admit: async (client) => (hasConnectedAgent ? new FetchCapability(client) : undefined),
    findDocument: async () => document ?? { ok: true, client: DESCRIBED, keys },
    now: () => NOW,
  })
  return {
    asked,
    async of({ claims = {}, key = own.privateKey, alg = 'ES256', form: more, authorization = null }: World = {}) {
      const jwt = new SignJWT({ ...CLAIMS, ...claims }).setProtectedHeader({ alg, kid: 'k1' })
      const client_assertion = await jwt.sign(key)
      const form = new URLSearchParams({ grant_type: 'x', client_assertion, client_assertion_type: TYPE, ...more })
      return { asserted: await read(form, authorization, ISSUER), form: Object.fromEntries(form) }
    },
  }
}

it.each<[string, World]>([
  ['to the server', {}],
  ['to its token endpoint', { claims: { aud: `${ISSUER}/token` } }],
  ['that names itself', { form: { client_id: CLIENT } }],
  ['a minute after it was over', { claims: { exp: NOW / 1_000 - 59 } }],
  ['for an hour and a minute', { claims: { exp: NOW / 1_000 + 3_660 } }],
])('a client assertion %s is accepted, and replaces the client id', async (_, world) => {
  const { asserted, form } = await reader().of(world)
  const { exp } = { ...CLAIMS, ...world.claims } as typeof CLAIMS
  expect(asserted).toEqual({
    client: { ...DESCRIBED, tokenEndpointAuthMethod: 'none' },
    id: `${CLIENT} j1`,
    until: (exp + 60) * 1_000,
  })
  expect(form).toEqual({ grant_type: 'x', client_id: CLIENT })
})

it.each<[string, World]>([
  ['with a secret', { form: { client_secret: '' } }],
  ['with other credentials', { authorization: 'Basic eDp5' }],
  ['of another type', { form: { client_assertion_type: 'x' } }],
  ['that is none', { form: { client_assertion: 'x' } }],
  ['that is not there', { form: { client_assertion: '' } }],
  ['beside the id of another', { form: { client_id: 'c2' } }],
  ['of a client without a document', { claims: { iss: 'c2', sub: 'c2' }, form: { client_id: 'c2' } }],
  ['without an issuer', { claims: { iss: undefined } }],
  ['of another subject', { claims: { sub: 'https://evil.test/c' } }],
  ['without a subject', { claims: { sub: undefined } }],
  ['for another server', { claims: { aud: 'https://evil.test/connect' } }],
  ['for another of its endpoints', { claims: { aud: `${ISSUER}/register` } }],
  ['that is over', { claims: { exp: NOW / 1_000 - 60 } }],
  ['that counts too long', { claims: { exp: NOW / 1_000 + 3_661 } }],
  ['that counts for ever', { claims: { exp: undefined } }],
  ['without an id', { claims: { jti: undefined } }],
  ['with an empty id', { claims: { jti: '' } }],
  ['under a key of strangers', { key: strangers.privateKey }],
  ['under a shared secret', { key: new Uint8Array(32), alg: 'HS256' }],
  ['that is too long', { claims: { more: 'x'.repeat(16_384) } }],
  ['of a client that nobody let in', { hasConnectedAgent: false }],
  ['of a client without keys', { document: { ok: true, client: DESCRIBED, keys: undefined } }],
  ['of a client without a document that can be read', { document: { ok: false, message: 'x' } }],
])('a client assertion %s is refused, and the form stays unchanged', async (_, world) => {
  const { asserted, form } = await reader(world).of(world)
  expect([asserted, form['grant_type'], 'client_assertion' in form]).toEqual([undefined, 'x', true])
})

it('a client assertion is checked with the keys at the URL in the document, which are read once and only for known clients', async () => {
  const { of, asked } = reader({ keys: { jwksUri: KEYS } })
  for (let n = 0; n < 2; n += 1) expect((await of()).asserted?.id).toBe(`${CLIENT} j1`)
  expect(asked).toEqual([[new FetchCapability(CLIENT), KEYS, 'manual']])
})

import { expect, it } from 'vitest'
import { FetchCapability } from '../../src/core/access/principal.ts'
import { createClientDocuments } from '../../src/connect/client-document.ts'

const URL_OF = 'https://agent.example/client.json'
const DOCUMENT = { client_id: URL_OF, client_name: 'An agent', redirect_uris: ['https://agent.example/a'] }
const JWKS = { keys: [{ kty: 'EC' }] }
const ANN = new FetchCapability('ann')

/** What comes of a document that is answered with, and how it was asked for. */
function world(answer: () => Response | Promise<Response>) {
  const requests: { readonly asker: FetchCapability; readonly url: string; readonly init: RequestInit | undefined }[] =
    []
  const at = { time: 0 }
  const find = createClientDocuments(
    (asker) => async (url, init) => {
      requests.push({ asker, url: String(url), init })
      return answer()
    },
    () => at.time,
  )
  return { find: (url = URL_OF) => find(url, ANN), requests, at }
}
const found = (document: unknown, url?: string) => world(() => Response.json(document)).find(url)

it('a client document is read as JSON, only for authenticated callers, without redirects, and within a deadline', async () => {
  const { find, requests } = world(() => Response.json({ ...DOCUMENT, more: 1 }))
  expect(await find()).toEqual({
    ok: true,
    keys: undefined,
    client: {
      clientId: URL_OF,
      clientName: 'An agent',
      redirectUris: DOCUMENT.redirect_uris,
      grantTypes: ['authorization_code', 'refresh_token'],
      responseTypes: ['code'],
      tokenEndpointAuthMethod: 'none',
    },
  })
  const init = { headers: { accept: 'application/json' }, redirect: 'manual', signal: expect.any(AbortSignal) }
  expect(requests).toEqual([{ asker: ANN, url: URL_OF, init }])
})

it('a client document is read again after five minutes, since it may allow less by then', async () => {
  let allowed = ['https://agent.example/a', 'https://agent.example/b']
  const { find, at } = world(() => Response.json({ ...DOCUMENT, redirect_uris: allowed }))
  const uris = async () => {
    const document = await find()
    return document.ok ? document.client.redirectUris.length : document.message
  }
  expect(await uris()).toBe(2)
  allowed = allowed.slice(1)
  at.time = 300_000 - 1
  expect(await uris()).toBe(2)
  at.time += 1
  expect(await uris()).toBe(1)
})

it('a client document that is refused is read again each time', async () => {
  const { find, requests } = world(() => Response.json({}))
  expect([(await find()).ok, (await find()).ok, requests.length]).toEqual([false, false, 2])
})

it.each([
  'https://agent.example/',
  'https://agent.example',
  'https://agent.example/a/../client.json',
  'https://agent.example/client.json#x',
  'https://ann@agent.example/client.json',
  'https://:x@agent.example/client.json',
  'HTTPS://agent.example/client.json',
  'https://',
  `https://agent.example/${'x'.repeat(1_000)}`,
])('a client document is not requested at %s', async (url) => {
  const { find, requests } = world(() => Response.json({ ...DOCUMENT, client_id: url }))
  const message = 'Its id must be a URL with a path, written in its normal form'
  expect([await find(url), requests]).toEqual([{ ok: false, message }, []])
})

it('a client document may have an address of the maximum length', async () => {
  const url = `https://agent.example/${'x'.repeat(1_000 - 22)}`
  expect(url).toHaveLength(1_000)
  expect(await found({ ...DOCUMENT, client_id: url }, url)).toMatchObject({ ok: true })
})

it.each([
  ['that cannot be read', () => Promise.reject(new Error('Gone')), "Its document at 'agent.example' cannot be read"],
  ['that is no JSON', () => new Response('<html>'), "Its document at 'agent.example' cannot be read"],
  [
    'that is elsewhere',
    () => Response.json(DOCUMENT, { status: 302 }),
    "'agent.example' answered 302 for its document",
  ],
  ['that is none', () => Response.json([]), 'Its document is wrong: Must be an object'],
])('a client document %s is refused', async (_, answer, message) => {
  expect(await world(answer).find()).toEqual({ ok: false, message })
})

it.each([
  [{ client_name: undefined }, /^Its document is wrong: \S*client_name\S*: /],
  [{ client_name: '' }, /client_name/],
  [{ client_name: 'x'.repeat(201) }, /client_name/],
  [{ redirect_uris: [] }, /redirect_uris/],
  [{ redirect_uris: [''] }, /redirect_uris/],
  [{ redirect_uris: Array.from({ length: 51 }, () => 'x') }, /redirect_uris/],
  [{ redirect_uris: ['x'.repeat(2_001)] }, /redirect_uris/],
  [{ grant_types: Array.from({ length: 21 }, () => 'x') }, /grant_types/],
  [{ response_types: 'code' }, /response_types/],
  [{ token_endpoint_auth_methods_supported: [1] }, /token_endpoint_auth_methods_supported/],
  [{ client_id: `${URL_OF}2` }, /^The 'client_id' in its document is another$/],
  [{ client_secret: null }, /^Its document must not have a secret$/],
  [{ grant_types: ['refresh_token'] }, /^Its document does not ask for the grant 'authorization_code'$/],
])('a client document with %j is refused', async (change, message) => {
  expect(await found({ ...DOCUMENT, ...change })).toEqual({ ok: false, message: expect.stringMatching(message) })
})

const REFUSED = {
  ok: false,
  message: "Its document must offer the method 'none' at the token endpoint, or 'private_key_jwt' with keys",
}
it.each<[object, object]>([
  [
    { grant_types: ['authorization_code'], token_endpoint_auth_method: 'none' },
    { keys: undefined, client: { tokenEndpointAuthMethod: 'none' } },
  ],
  [{ token_endpoint_auth_method: 'client_secret_basic' }, REFUSED],
  [{ token_endpoint_auth_method: 'private_key_jwt' }, REFUSED],
  [{ token_endpoint_auth_method: 'private_key_jwt', jwks: JWKS, jwks_uri: 'https://agent.example/keys' }, REFUSED],
  [{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: 'none' } }, REFUSED],
  [{ token_endpoint_auth_method: 'private_key_jwt', jwks: 'none' }, REFUSED],
  [
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [...JWKS.keys, 'x'] } },
    { keys: { jwks: JWKS }, client: { tokenEndpointAuthMethod: 'private_key_jwt' } },
  ],
  [
    { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://agent.example/keys' },
    { keys: { jwksUri: 'https://agent.example/keys' } },
  ],
  [
    { token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'], jwks: JWKS },
    { keys: { jwks: JWKS }, client: { tokenEndpointAuthMethod: 'none' } },
  ],
  [
    { token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_methods_supported: ['none'], jwks: JWKS },
    { keys: { jwks: JWKS }, client: { tokenEndpointAuthMethod: 'none' } },
  ],
  [{ jwks: JWKS }, { keys: undefined }],
  [{ token_endpoint_auth_method: 'none', token_endpoint_auth_methods_supported: ['client_secret_post'] }, REFUSED],
])('a client document with %j determines how the client authenticates', async (change, answer) => {
  expect(await found({ ...DOCUMENT, ...change })).toMatchObject(answer)
})

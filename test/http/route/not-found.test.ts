import { Hono } from 'hono'
import { expect, it } from 'vitest'
import type { Principal } from '../../../src/core/access/principal.ts'
import { type Failure, fail } from '../../../src/core/failure/failure.ts'
import { createAuthorizer } from '../../../src/http/route/authorizer.ts'
import { createNotFoundHandler } from '../../../src/http/route/not-found.ts'
import { authorizerFor } from '../authorizer-for.ts'

const KEY: Principal = { id: 'key:a', kind: 'key', scopes: [], tools: [], users: [] }
const respond = (failure: Failure) => Response.json(failure, { status: 400 })

function appWith(gate = authorizerFor(KEY)) {
  const app = new Hono()
  app.get('/keys/:id', (c) => c.text('one'))
  app.delete('/keys/:id', (c) => c.text('gone'))
  app.post('/calls', (c) => c.text('called'))
  app.delete('/calls', (c) => c.text('all gone'))
  app.all('/own', (c) => c.text('refused in its own words'))
  app.notFound(createNotFoundHandler(app, gate, respond))
  return app
}

it('responds to another method of a known path with the methods that exist', async () => {
  const response = await appWith().request('/keys/a', { method: 'PUT' })
  expect(await response.json()).toEqual({
    type: 'method-not-allowed',
    method: 'PUT',
    allowed: ['DELETE', 'GET', 'HEAD'],
  })
})

it.each(['/', '//evil.example/calls', '//keys//a', '/nowhere', '/keys', '/keys/', '/keys/a/b'])(
  '%s is unknown',
  async (path) => {
    expect(await (await appWith().request(path)).json()).toEqual({ type: 'route-unknown', method: 'GET', path })
  },
)

it('limits wrong credentials at an unknown path', async () => {
  const stranger = fail({ type: 'unauthenticated', reason: 'who?' })
  const limited = fail({ type: 'rate-limited', retry_after_ms: 1 })
  const gate = createAuthorizer(
    { authenticate: async () => stranger },
    (key) => (key === 'stranger 192.0.2.1' ? limited : undefined),
    () => undefined,
  )
  const from = (address: string) => appWith(gate).request('/nowhere', { headers: { 'cf-connecting-ip': address } })
  expect(await (await from('192.0.2.1')).json()).toEqual(limited.failure)
  expect(await (await from('192.0.2.2')).json()).toEqual(stranger.failure)
})

const stranger: Failure = { type: 'unauthenticated', reason: 'who?' }

it.each([
  ['GET', '/.well-known/oauth-protected-resource'],
  ['GET', '/.well-known/oauth-protected-resource/mcp'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/.well-known/oauth-authorization-server/mcp'],
  ['GET', '/.well-known/openid-configuration'],
  ['GET', '/.well-known/openid-configuration/mcp'],
  ['GET', '/mcp/.well-known/openid-configuration'],
  ['POST', '/register'],
  ['GET', '/authorize'],
  ['POST', '/token'],
])('%s %s responds with 404 without a credential, since clients take a 401 there for OAuth', async (method, path) => {
  const response = await appWith(authorizerFor(stranger)).request(path, { method })
  expect(await response.json()).toEqual({ type: 'route-unknown', method, path })
})

it.each(['/registered', '/tokens', '/well-known/x', '/mcp/token/x', '/mcp/tools', '/x/.well-known/y'])(
  '%s needs a credential like every other path',
  async (path) => {
    expect(await (await appWith(authorizerFor(stranger)).request(path)).json()).toEqual(stranger)
  },
)

it.each([
  ['GET', '/keys/a/?x=1', '/keys/a?x=1'],
  ['HEAD', '/keys/a//', '/keys/a'],
  ['POST', '/calls/', '/calls'],
  ['POST', '//calls', '/calls'],
  ['GET', '///keys/a/', '/keys/a'],
  ['GET', '/own/', '/own'],
  ['GET', '/keys/%C3%A9/', '/keys/%C3%A9'],
  ['GET', '/keys/%00/', '/keys/%00'],
  ['GET', '/keys/%0D%0AX-Injected:1/', '/keys/%0D%0AX-Injected:1'],
  ['GET', '//keys/%5Cevil.example/', '/keys/%5Cevil.example'],
])('redirects %s %s to %s, with or without a credential', async (method, path, to) => {
  const response = await appWith(authorizerFor(stranger)).request(path, { method })
  expect([response.status, response.headers.get('location')]).toEqual([308, to])
})

it.each([
  ['DELETE', '/calls/'],
  ['DELETE', '/keys/a/'],
  ['POST', '/keys/a/'],
  ['GET', '/keys/'],
  ['GET', '//evil.example/'],
  ['GET', '/'],
])('does not redirect %s %s', async (method, path) => {
  expect((await appWith().request(path, { method })).status).toBe(400)
})

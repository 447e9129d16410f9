import { type Context, Hono } from 'hono'
import { hasScope, type Principal } from '../../core/access/principal.ts'
import { type ApiKey, decodeNewKey, type KeyStore } from '../../core/access/api-key.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import type { Failure, Result } from '../../core/call/failure.ts'
import { readJson } from '../../http/body.ts'
import { encodeKey, encodeNewKey } from './wire.ts'

export interface KeysFaceDeps {
  readonly keys: KeyStore
  authenticate(request: Request): Result<Principal> | Promise<Result<Principal>>
  /** Called after a key was made or removed, so that this isolate's verdicts follow at once. */
  onChange(change: 'created' | 'removed', id: string): void
  readonly sha256: Sha256
  /** A new key's text, from 32 random bytes (`keyText`). */
  randomKey(): string
  newId(): string
  now(): Date
  /** Words a failure; the face has no table of its own. */
  respond(failure: Failure): Response
}

/** Bytes; a key with a thousand users of 30 characters fits. */
const BODY_LIMIT = 65_536

/**
 * `POST·GET·DELETE /keys[/{id}]`: API keys, for administrators. A body that is wrong is `definition-invalid` with every
 * problem; a caller without the scope `admin` is `forbidden`; an id nobody has is `not-found`.
 */
export function keysFace(deps: KeysFaceDeps): Hono {
  const { keys, respond } = deps
  const app = new Hono()

  // Covers '/keys' too, and nothing of the app that this is mounted in
  app.use('/keys/*', async (c, next) => {
    const caller = await deps.authenticate(c.req.raw)
    if (!caller.ok) return respond(caller.failure)
    if (caller.value.kind === 'anonymous') {
      return respond({ type: 'unauthenticated', reason: 'Managing keys needs a credential' })
    }
    if (!hasScope(caller.value, 'admin')) {
      return respond({ type: 'forbidden', reason: "Managing keys needs the scope 'admin'" })
    }
    await next()
    // Keys, and what they may do, are for no cache
    c.header('Cache-Control', 'no-store')
    return undefined
  })

  app.post('/keys', async (c) => {
    const body = await readJson(c.req.raw, BODY_LIMIT)
    if (!body.ok) return respond(body.failure)
    const decoded = decodeNewKey(body.value, deps.now())
    if (!decoded.ok) return respond({ type: 'definition-invalid', problems: decoded.problems })
    const text = deps.randomKey()
    const key: ApiKey = { id: deps.newId(), created_at: deps.now().toISOString(), ...decoded.value }
    await keys.create(key, await deps.sha256(text))
    deps.onChange('created', key.id)
    return c.json(encodeNewKey(key, text), 201)
  })

  app.get('/keys', async (c) => {
    const all = await keys.list()
    return c.json({ items: all.map(encodeKey) })
  })

  app.get('/keys/:id', async (c) => {
    const id = c.req.param('id')
    const key = (await keys.list()).find((candidate) => candidate.id === id)
    return key ? c.json(encodeKey(key)) : unknown(c)
  })

  app.delete('/keys/:id', async (c) => {
    const id = c.req.param('id')
    const removed = await keys.remove(id)
    // Also when it was removed elsewhere: a verdict may live on here
    deps.onChange('removed', id)
    return removed ? c.body(null, 204) : unknown(c)
  })

  function unknown(c: Context): Response {
    return respond({ type: 'not-found', message: `Cannot find the key '${c.req.param('id')}'` })
  }

  return app
}

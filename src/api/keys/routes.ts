import { type Context, Hono } from 'hono'
import { type ApiKey, decodeNewKey, type KeyStore } from '../../core/access/api-key.ts'
import type { Principal } from '../../core/access/principal.ts'
import type { Published } from '../../core/access/quota.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import { type Failing, fail } from '../../core/call/failure.ts'
import { readJson } from '../../http/body.ts'
import { createPrivateRoute, type Note, type RouteDeps } from '../../http/route.ts'
import { encodeListed, encodeNewKey } from './wire.ts'

export interface KeysFaceDeps extends RouteDeps {
  readonly keys: KeyStore
  /** What each principal has published, by its id; undefined while that cannot be read. */
  published(): Promise<Readonly<Record<string, Published>> | undefined>
  readonly quota: Published
  /** Called after a key was made or removed, so that this isolate's verdicts follow at once. */
  onChange(change: 'created' | 'removed', id: string): void
  readonly sha256: Sha256
  /** A new key's text, from 32 random bytes (`keyText`). */
  randomKey(): string
  newId(): string
  now(): Date
}

/** Bytes; a key with a thousand users of 30 characters fits. */
const BODY_LIMIT = 65_536

/**
 * `POST·GET·DELETE /keys[/{id}]`: API keys, for administrators. A body that is wrong is `definition-invalid` with every
 * problem; a caller without the scope `admin` is `forbidden`; an id nobody has is `not-found`.
 */
export function keysFace(deps: KeysFaceDeps): Hono {
  const { keys } = deps
  const route = createPrivateRoute(deps)
  const face = new Hono()

  face.post('/keys', route('admin', create, 'key.create'))
  face.get('/keys', route('admin', list))
  face.get('/keys/:id', route('admin', show))
  face.delete('/keys/:id', route('admin', remove, 'key.remove'))

  async function create(c: Context, _: Principal, note: Note): Promise<Response | Failing> {
    const body = await readJson(c.req.raw, BODY_LIMIT)
    if (!body.ok) return body
    const decoded = decodeNewKey(body.value, deps.now())
    if (!decoded.ok) return fail({ type: 'definition-invalid', problems: decoded.problems })
    const text = deps.randomKey()
    const key: ApiKey = { id: deps.newId(), created_at: deps.now().toISOString(), ...decoded.value }
    await keys.create(key, await deps.sha256(text))
    deps.onChange('created', key.id)
    const { id, name, scopes, tools, users } = key
    note({ id, name, scopes, tools, users })
    return c.json(encodeNewKey(key, text), 201)
  }

  async function list(c: Context): Promise<Response> {
    const [all, published] = await Promise.all([keys.list(), deps.published()])
    return c.json({ items: all.map((key) => encodeListed(key, published, deps.quota)) })
  }

  async function show(c: Context): Promise<Response | Failing> {
    const id = c.req.param('id') ?? ''
    const [all, published] = await Promise.all([keys.list(), deps.published()])
    const key = all.find((candidate) => candidate.id === id)
    return key ? c.json(encodeListed(key, published, deps.quota)) : unknown(id)
  }

  async function remove(c: Context): Promise<Response | Failing> {
    const id = c.req.param('id') ?? ''
    const removed = await keys.remove(id)
    // Also when it was removed elsewhere: a verdict may live on here
    deps.onChange('removed', id)
    return removed ? c.body(null, 204) : unknown(id)
  }

  return face
}

function unknown(id: string): Failing {
  return fail({ type: 'not-found', message: `Cannot find the key '${id}'` })
}

import { type Context, Hono } from 'hono'
import {
  type ApiKey,
  decodeKeyChange,
  decodeNewKey,
  decodeRotation,
  type KeyStore,
  NEW_KEY,
  ROTATION,
  KEY_CHANGE,
} from '../../core/access/api-key.ts'
import type { Principal } from '../../core/access/principal.ts'
import type { Published } from '../../core/access/quota.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import { type Failing, fail } from '../../core/failure/failure.ts'
import { readJson } from '../../http/request/body.ts'
import { NO_QUERY } from '../../http/request/query.ts'
import { createPrivateRoute, type Note, type RouteDeps } from '../../http/route/route.ts'
import { encodeListed, encodeNewKey, type Known } from './wire.ts'

export interface KeysFaceDeps extends RouteDeps {
  readonly keys: KeyStore
  /** What each principal has published, by its id; undefined while that cannot be read. */
  published(): Promise<Readonly<Record<string, Published>> | undefined>
  readonly quota: Published
  /** Called after a key was made, changed or removed, so that this isolate's verdicts follow at once. */
  onChange(change: 'created' | 'changed' | 'removed', id: string): void
  readonly sha256: Sha256
  /** A new key's text, from 32 random bytes (`keyText`). */
  randomKey(): string
  newId(): string
  now(): Date
}

/** Bytes; a key with a thousand users of 30 characters fits. */
const BODY_LIMIT = 65_536

/**
 * `POST·GET·PATCH·DELETE /keys[/{id}]` and `POST /keys/{id}/rotate`: API keys, for administrators. A body that is wrong is `definition-invalid` with every
 * problem; a caller without the scope `admin` is `forbidden`; an id nobody has is `not-found`.
 */
export function keysFace(deps: KeysFaceDeps): Hono {
  const { keys } = deps
  const route = createPrivateRoute(deps)
  const face = new Hono()

  face.post('/keys', route({ scope: 'admin', act: 'key.create', query: NO_QUERY, body: NEW_KEY }, create))
  face.get('/keys', route({ scope: 'admin', query: NO_QUERY }, list))
  face.get('/keys/:id', route({ scope: 'admin', query: NO_QUERY }, show))
  face.patch('/keys/:id', route({ scope: 'admin', act: 'key.change', query: NO_QUERY, body: KEY_CHANGE }, change))
  face.post('/keys/:id/rotate', route({ scope: 'admin', act: 'key.rotate', query: NO_QUERY, body: ROTATION }, rotate))
  face.delete('/keys/:id', route({ scope: 'admin', act: 'key.remove', query: NO_QUERY }, remove))

  async function create(c: Context, _: Principal, note: Note): Promise<Response | Failing> {
    const body = await readJson(c.req.raw, BODY_LIMIT)
    if (!body.ok) return body
    const decoded = decodeNewKey(body.value, deps.now())
    if (!decoded.ok) return fail({ type: 'definition-invalid', what: 'key', problems: decoded.problems })
    const text = deps.randomKey()
    const key: ApiKey = { id: deps.newId(), created_at: deps.now().toISOString(), ...decoded.value }
    await keys.create(key, await deps.sha256(text))
    deps.onChange('created', key.id)
    const { id, name, scopes, tools, users } = key
    note({ id, name, scopes, tools, users })
    return c.json(encodeNewKey(key, text), 201)
  }

  async function list(c: Context): Promise<Response> {
    const [all, known] = await Promise.all([keys.list(), knownOf()])
    return c.json({ items: all.map((key) => encodeListed(key, known)) })
  }

  async function show(c: Context): Promise<Response | Failing> {
    const [key, known] = await Promise.all([find(c), knownOf()])
    return key ? c.json(encodeListed(key, known)) : unknown(idOf(c))
  }

  async function change(c: Context, _: Principal, note: Note): Promise<Response | Failing> {
    const body = await readJson(c.req.raw, BODY_LIMIT)
    if (!body.ok) return body
    const key = await find(c)
    if (!key) return unknown(idOf(c))
    const decoded = decodeKeyChange(body.value, key, deps.now())
    if (!decoded.ok) return fail({ type: 'definition-invalid', what: 'key', problems: decoded.problems })
    const { name, scopes, tools, users } = decoded.value
    note({ name, scopes, tools, users })
    if (!(await keys.change(decoded.value))) return unknown(key.id)
    deps.onChange('changed', key.id)
    return c.json(encodeListed(decoded.value, await knownOf()))
  }

  async function rotate(c: Context): Promise<Response | Failing> {
    // Who says nothing sends no body, or an empty one
    const saysSomething = c.req.raw.headers.has('content-type')
    const body = saysSomething ? await readJson(c.req.raw, BODY_LIMIT) : ({ ok: true, value: {} } as const)
    if (!body.ok) return body
    const until = decodeRotation(body.value, deps.now())
    if (!until.ok) return fail({ type: 'definition-invalid', what: 'key', problems: until.problems })
    const key = await find(c)
    if (!key) return unknown(idOf(c))
    const text = deps.randomKey()
    if (!(await keys.rotate(key.id, await deps.sha256(text), until.value))) return unknown(key.id)
    deps.onChange('changed', key.id)
    return c.json({ ...encodeNewKey(key, text), previous_expires_at: new Date(until.value).toISOString() })
  }

  const idOf = (c: Context) => c.req.param('id') ?? ''
  const find = (c: Context) => keys.withId(idOf(c))

  /** What is known of keys beside what they are. */
  async function knownOf(): Promise<Known> {
    const [published, lastUses] = await Promise.all([deps.published(), keys.lastUses()])
    return { published, quota: deps.quota, lastUses }
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

import { type Context, Hono } from 'hono'
import { type Failure, fail, ok, type Result } from '../../core/call/failure.ts'
import {
  decodeProvider,
  isProviderId,
  type KnownProvider,
  type Provider,
  type ProviderRules,
  type ProviderStore,
} from '../../core/consent/provider.ts'
import { readJson } from '../../http/body.ts'
import type { Gate } from '../../http/gate.ts'
import { pathSegment } from '../../http/path-segment.ts'
import { encodeProvider } from './wire.ts'

export interface ProvidersFaceDeps {
  readonly gate: Gate
  readonly store: ProviderStore
  readonly rules: Omit<ProviderRules, 'known'>
  /** What is known of a provider before the deployment has a client there. */
  readonly known: (id: string) => KnownProvider | undefined
  /** The well-known providers that the deployment has a client at, by its variables. */
  readonly connected: () => readonly Provider[]
  /** Words a failure; the face has no table of its own. */
  readonly respond: (failure: Failure) => Response
}

/** Bytes; the fields at their longest fit. */
const BODY_LIMIT = 262_144

/**
 * `PUT·GET·DELETE /providers/{id}` and `GET /providers`, for administrators. A body that is wrong is
 * `definition-invalid` with every problem; an id nobody has is `not-found`. No answer holds a secret.
 */
export function providersFace(deps: ProvidersFaceDeps): Hono {
  const { gate, store, rules, known, connected, respond } = deps
  const face = new Hono()

  // Covers '/providers' too, and nothing of the app that this is mounted in
  face.use('/providers/*', async (c, next) => {
    const caller = await gate(c.req.raw, 'admin', (work) => c.executionCtx.waitUntil(work))
    if (!caller.ok) return respond(caller.failure)
    await next()
    c.header('Cache-Control', 'no-store')
    return undefined
  })

  face.get('/providers', async (c) => {
    const given = await store.list()
    const others = connected().filter(({ id }) => !given.some((provider) => provider.id === id))
    const items = [
      ...given.map((provider) => encodeProvider(provider, 'given')),
      ...others.map((provider) => encodeProvider(provider, 'built-in')),
    ]
    return c.json({ items: items.sort((a, b) => (a.id < b.id ? -1 : 1)) })
  })

  face.get('/providers/:id', async (c) => {
    const id = idOf(c)
    if (!id.ok) return respond(id.failure)
    const given = await store.find(id.value)
    if (given) return c.json(encodeProvider(given, 'given'))
    const builtIn = connected().find((provider) => provider.id === id.value)
    return builtIn ? c.json(encodeProvider(builtIn, 'built-in')) : respond(unknown(id.value))
  })

  face.put('/providers/:id', async (c) => {
    const id = idOf(c)
    if (!id.ok) return respond(id.failure)
    const body = await readJson(c.req.raw, BODY_LIMIT)
    if (!body.ok) return respond(body.failure)
    const decoded = decodeProvider(id.value, body.value, { ...rules, known: known(id.value) })
    if (!decoded.ok) return respond({ type: 'definition-invalid', problems: decoded.problems })
    const isNew = await store.put(decoded.value)
    return c.json(encodeProvider(decoded.value, 'given'), isNew ? 201 : 200)
  })

  face.delete('/providers/:id', async (c) => {
    const id = idOf(c)
    if (!id.ok) return respond(id.failure)
    return (await store.remove(id.value)) ? c.body(null, 204) : respond(unknown(id.value))
  })

  return face
}

function idOf(c: Context): Result<string> {
  const id = pathSegment(c.req.url, 2)
  if (!id.ok || isProviderId(id.value)) return id.ok ? ok(id.value) : id
  const message = "A provider's id must be 1 to 128 visible ASCII characters, and not 'approval'"
  return fail({ type: 'request-malformed', message })
}

function unknown(id: string): Failure {
  return { type: 'not-found', message: `Cannot find a provider '${id}' that was given to this deployment` }
}

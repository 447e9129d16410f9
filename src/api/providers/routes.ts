import { type Context, Hono } from 'hono'
import { type Failing, fail, type Result } from '../../core/failure/failure.ts'
import {
  decodeProvider,
  isProviderId,
  type KnownProvider,
  type Provider,
  type ProviderRules,
  type ProviderStore,
  PROVIDER,
} from '../../core/consent/provider.ts'
import { isObject } from '../../core/tool/json.ts'
import type { Reader } from '../../core/tool/json-reader.ts'
import { readJson } from '../../http/request/body.ts'
import { pathSegment } from '../../http/request/path-segment.ts'
import { NO_QUERY } from '../../http/request/query.ts'
import { createPrivateRoute, type RouteDeps } from '../../http/route/route.ts'
import { encodeProvider } from './wire.ts'

export interface ProvidersFaceDeps extends RouteDeps {
  readonly store: ProviderStore
  readonly judgeUrl: ProviderRules['judgeUrl']
  /** Which secrets clients may have, as of now. */
  readonly judgeSecrets: () => Promise<ProviderRules['judgeSecret']>
  /** What is known of a provider before the deployment has a client there. */
  readonly known: (id: string) => KnownProvider | undefined
  /** The well-known providers that the deployment has a client at, by its variables. */
  readonly connected: () => readonly Provider[]
}

/** Bytes; the fields at their longest fit. */
const BODY_LIMIT = 262_144

/**
 * `PUT·GET·DELETE /providers/{id}` and `GET /providers`, for administrators. A body that is wrong is
 * `definition-invalid` with every problem; an id nobody has is `not-found`. No answer holds a secret.
 */
export function providersFace(deps: ProvidersFaceDeps): Hono {
  const { store, judgeUrl, judgeSecrets, known, connected } = deps
  const route = createPrivateRoute(deps)
  const face = new Hono()

  face.get('/providers', route({ scope: 'admin', query: NO_QUERY }, list))
  face.get('/providers/:id', ofProvider(show))
  face.put('/providers/:id', ofProvider(put, 'provider.put', PROVIDER))
  face.delete('/providers/:id', ofProvider(remove, 'provider.remove'))

  function ofProvider(
    handle: (c: Context, id: string) => Promise<Response | Failing>,
    act?: string,
    body?: Reader<unknown>,
  ) {
    const handleOne = async (c: Context) => {
      const id = idOf(c)
      return id.ok ? handle(c, id.value) : id
    }
    return route(
      { scope: 'admin', query: NO_QUERY, ...(act === undefined ? {} : { act }), ...(body ? { body } : {}) },
      handleOne,
    )
  }

  async function list(c: Context): Promise<Response> {
    const given = await store.list()
    const others = connected().filter(({ id }) => !given.some((provider) => provider.id === id))
    const items = [
      ...given.map((provider) => encodeProvider(provider, 'given')),
      ...others.map((provider) => encodeProvider(provider, 'built-in')),
    ]
    return c.json({ items: items.sort((a, b) => (a.id < b.id ? -1 : 1)) })
  }

  async function show(c: Context, id: string): Promise<Response | Failing> {
    const given = await store.find(id)
    if (given) return c.json(encodeProvider(given, 'given'))
    const builtIn = connected().find((provider) => provider.id === id)
    return builtIn ? c.json(encodeProvider(builtIn, 'built-in')) : unknown(id)
  }

  async function put(c: Context, id: string): Promise<Response | Failing> {
    const body = await readJson(c.req.raw, BODY_LIMIT)
    if (!body.ok) return body
    // Who names no secret depends on nobody who knows them
    const namesSecret = isObject(body.value) && 'client_secret_name' in body.value
    const judgeSecret = namesSecret ? await judgeSecrets() : () => undefined
    const decoded = decodeProvider(id, body.value, { judgeUrl, judgeSecret, known: known(id) })
    if (!decoded.ok) return fail({ type: 'definition-invalid', what: 'provider', problems: decoded.problems })
    const isNew = await store.put(decoded.value)
    return c.json(encodeProvider(decoded.value, 'given'), isNew ? 201 : 200)
  }

  async function remove(c: Context, id: string): Promise<Response | Failing> {
    return (await store.remove(id)) ? c.body(null, 204) : unknown(id)
  }

  return face
}

function idOf(c: Context): Result<string> {
  const id = pathSegment(c.req.url, 2)
  if (!id.ok || isProviderId(id.value)) return id
  const message = "A provider's id must be 1 to 128 visible ASCII characters, and not 'approval'"
  return fail({ type: 'request-malformed', message })
}

function unknown(id: string): Failing {
  return fail({ type: 'not-found', message: `Cannot find a provider '${id}' that was given to this deployment` })
}

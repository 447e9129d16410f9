import { type Context, Hono } from 'hono'
import { type Failing, type Failure, fail, ok, type Result } from '../../core/call/failure.ts'
import { HTTP_STATUS } from '../../http/failure-status.ts'
import { jsonText } from '../../http/json-response.ts'
import { isTrustworthy } from '../../http/loopback.ts'
import { pathSegment } from '../../http/path-segment.ts'
import { ANY_QUERY, query, type Query, type ReadOf } from '../../http/query.ts'
import { optional, oneOf, string, text } from '../../core/tool/json-reader.ts'
import { createPublicRoute, preflight, type PublicRouteDeps } from '../../http/public-route.ts'
import type { Deployment } from './wire.ts'

export interface ServersFaceDeps extends PublicRouteDeps {
  readonly deployment: Omit<Deployment, 'origin' | 'needsKey' | 'signsIn'>
  /** Whether whoever sends such a request needs a credential to call anything. */
  readonly needsKey: (request: Request) => boolean
}

/** Loaded when it is first asked for: few requests need it. */
type Wire = typeof import('./wire.ts')

const SERVERS = '/v0.1/servers'
/** The registry's own servers pass over what they do not know, so that clients of later revisions can ask them. */
const SERVERS_QUERY = query(
  {
    search: optional(string()),
    version: optional(string()),
    limit: optional(text('a whole number from 1 to 100', /^(?:[1-9]\d?|100)$/)),
    cursor: optional(text('one that a list gave, and this one has no more pages', /^$/)),
    updated_since: optional(text("a time such as '2026-11-01T00:00:00Z'", isTime)),
    include_deleted: optional(oneOf(['true', 'false'])),
  },
  { others: 'ignored' },
)
const VERSIONS = `${SERVERS}/:name/versions`

/**
 * How clients find a deployment that they know the host of: the MCP registry's API (v0.1) with the deployment as its only
 * server, the server card, and the AI catalog that leads to the card. Anybody may ask, so none of it names a tool.
 */
export function serversFace({ deployment, needsKey, ...deps }: ServersFaceDeps): Hono {
  const open = createPublicRoute({ ...deps, respond: refuse })
  const face = new Hono()
  at(SERVERS, list, SERVERS_QUERY)
  at(VERSIONS, versions, ANY_QUERY)
  at(`${VERSIONS}/:version`, version, ANY_QUERY)
  at('/mcp/server-card', (c, wire) => typed(wire.encodeCard(deploymentAt(c)), wire.CARD_TYPE), ANY_QUERY)
  at(
    '/.well-known/ai-catalog.json',
    (c, wire) => typed(wire.encodeCatalog(deploymentAt(c)), wire.CATALOG_TYPE),
    ANY_QUERY,
  )

  function at<Q>(path: string, give: (c: Context, wire: Wire, query: Q) => Response | Failing, query: Query<Q>): void {
    const handle = open({ query }, async (c: Context, asked) => {
      const answer = give(c, await import('./wire.ts'), asked)
      return answer instanceof Response ? answer : refuse(answer.failure)
    })
    face.get(path, handle)
    face.options(path, preflight)
  }

  function deploymentAt({ req }: Context): Deployment {
    const url = new URL(req.url)
    return { ...deployment, origin: url.origin, needsKey: needsKey(req.raw), signsIn: isTrustworthy(url) }
  }

  function list(c: Context, wire: Wire, asked: ReadOf<typeof SERVERS_QUERY>): Response | Failing {
    const here = deploymentAt(c)
    return c.json(wire.encodeServers(wire.isAskedFor(here, asked) ? [wire.encodeServer(here)] : []))
  }

  function versions(c: Context, wire: Wire): Response | Failing {
    const found = named(c, wire)
    return found.ok ? c.json(wire.encodeServers([wire.encodeServer(found.value)])) : found
  }

  function version(c: Context, wire: Wire): Response | Failing {
    const found = named(c, wire)
    if (!found.ok) return found
    const wanted = pathSegment(c.req.url, 5)
    if (!wanted.ok) return wanted
    if (wire.isVersion(found.value, wanted.value)) return c.json(wire.encodeServer(found.value))
    return fail({
      type: 'not-found',
      message: `Server '${wire.serverName(found.value.origin)}' has no version '${wanted.value.slice(0, 100)}'`,
    })
  }

  function named(c: Context, wire: Wire): Result<Deployment> {
    const name = pathSegment(c.req.url, 3)
    if (!name.ok) return name
    const here = deploymentAt(c)
    if (name.value === wire.serverName(here.origin)) return ok(here)
    return fail({ type: 'not-found', message: `Server '${name.value.slice(0, 200)}' was not found` })
  }

  /** A refusal as the registry's API has it. */
  function refuse(failure: Failure): Response {
    if (failure.type !== 'request-malformed' && failure.type !== 'not-found') return deps.respond(failure)
    return jsonText(JSON.stringify({ error: failure.message }), HTTP_STATUS[failure.type])
  }

  return face
}

function typed(body: object, type: string): Response {
  return jsonText(JSON.stringify(body), 200, { 'content-type': type })
}

/** RFC 3339, section 5.6. */
const DATE_TIME = /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i

function isTime(text: string): boolean {
  return DATE_TIME.test(text) && Date.parse(text) >= -Infinity
}

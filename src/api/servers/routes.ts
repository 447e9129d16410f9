import type { Context, Hono } from 'hono'
import type { Principal } from '../../core/access/principal.ts'
import { type FailureResult, type Failure, fail, ok } from '../../core/failure/failure.ts'
import { HTTP_STATUS } from '../../http/response/failure-status.ts'
import { jsonTextResponse } from '../../http/response/json-response.ts'
import { isSecureOrigin } from '../../http/caller/loopback.ts'
import { pathSegment } from '../../http/request/path-segment.ts'
import { ANY_QUERY, defineQuery, type QueryValues } from '../../http/request/query.ts'
import { optional, enumReader, string, stringMatching } from '../../core/tool/json-reader.ts'
import { time } from '../../core/tool/time.ts'
import { json, OBJECT, mediaTypeOnly } from '../../http/route/response-specs.ts'
import { createPublicRouter, type PublicRouteDeps, varyByCredential } from '../../http/route/public-router.ts'
import type { ListedDeployment, ToolkitServer } from './wire.ts'

interface ServersRoutesDeps extends PublicRouteDeps {
  readonly deployment: Omit<ListedDeployment, 'origin' | 'needsKey' | 'acceptsAgents'>
  readonly needsKey: (request: Request) => boolean
  readonly identify: (c: Context) => Promise<Principal | undefined>
  readonly listToolsets: (principal: Principal) => Promise<readonly ToolkitServer[]>
}

type Wire = typeof import('./wire.ts')
const load = (): Promise<Wire> => import('./wire.ts')

const SERVERS = '/v0.1/servers'
/** Like the registry's own servers, ignores unknown parameters, so that clients of later revisions work. */
const SERVERS_QUERY = defineQuery(
  {
    search: optional(string()),
    version: optional(string()),
    limit: optional(stringMatching('a whole number from 1 to 100', /^(?:[1-9]\d?|100)$/)),
    cursor: optional(string({ max: 300 })),
    updated_since: optional(time),
    include_deleted: optional(enumReader(['true', 'false'])),
  },
  { unknown: 'ignore' },
)
const DEFAULT_LIMIT = '30'
const REGISTRY = {
  query: ANY_QUERY,
  responses: { 200: json('Servers, in MCP registry format', OBJECT) },
  failures: 'RegistryError',
}
const VERSIONS = `${SERVERS}/:name/versions`

/** Lists the deployment as one server for everyone. With a credential, each toolkit that may be called is listed too. */
export function createServersRoutes({
  deployment,
  needsKey,
  identify,
  listToolsets,
  ...deps
}: ServersRoutesDeps): Hono {
  const { router, at } = createPublicRouter({ ...deps, respond: respondWithFailure })
  at(
    SERVERS,
    { ...REGISTRY, summary: 'List MCP servers: the deployment, and each toolkit', query: SERVERS_QUERY },
    list,
  )
  at(VERSIONS, { ...REGISTRY, summary: 'List the versions of an MCP server' }, versions)
  at(`${VERSIONS}/:version`, { ...REGISTRY, summary: 'Get a version of an MCP server' }, version)
  addDocument('/mcp/server-card', 'Get the MCP server card', 'The card', ({ encodeCard, CARD_TYPE }, listing) =>
    respondAs(encodeCard(listing), CARD_TYPE),
  )
  addDocument(
    '/.well-known/ai-catalog.json',
    'Get the AI catalog, which links to the server card',
    'The catalog',
    ({ encodeCatalog, CATALOG_TYPE }, listing) => respondAs(encodeCatalog(listing), CATALOG_TYPE),
  )

  function addDocument(
    path: string,
    summary: string,
    description: string,
    write: (wire: Wire, listing: ListedDeployment) => Response,
  ) {
    const responses = { 200: mediaTypeOnly(description, 'application/*') }
    at(path, { summary, query: ANY_QUERY, responses }, async (c) => write(await load(), deploymentAt(c)))
  }

  function deploymentAt({ req }: Context): ListedDeployment {
    const url = new URL(req.url)
    return { ...deployment, origin: url.origin, needsKey: needsKey(req.raw), acceptsAgents: isSecureOrigin(url) }
  }

  async function serversFor(c: Context): Promise<readonly (ToolkitServer | undefined)[]> {
    const principal = await identify(c)
    if (principal && principal.kind !== 'anonymous') c.header('cache-control', 'no-store')
    return [undefined, ...(principal ? await listToolsets(principal) : [])]
  }

  async function list(c: Context, filters: QueryValues<typeof SERVERS_QUERY>): Promise<Response> {
    const wire = await load()
    const listing = deploymentAt(c)
    const { cursor = '', limit = DEFAULT_LIMIT } = filters
    const matching = (await serversFor(c)).filter((toolset) => wire.matchesServer(listing, toolset, filters))
    const toServerName = (toolset: ToolkitServer | undefined) => wire.serverName(listing.origin, toolset).toLowerCase()
    const remaining =
      cursor === '' ? matching : matching.filter((toolset) => toServerName(toolset) > cursor.toLowerCase())
    const page = remaining.slice(0, Number(limit))
    const next = remaining.length > page.length ? wire.serverName(listing.origin, page.at(-1)) : undefined
    const servers = page.map((toolset) => wire.encodeServer(listing, toolset))
    return varyByCredential(c, c.json(wire.encodeServers(servers, next)))
  }

  async function versions(c: Context): Promise<Response | FailureResult> {
    const server = await findServer(c)
    if (!server.ok) return server
    const { wire, here, toolset } = server.value
    return varyByCredential(c, c.json(wire.encodeServers([wire.encodeServer(here, toolset)])))
  }

  async function version(c: Context): Promise<Response | FailureResult> {
    const server = await findServer(c)
    if (!server.ok) return server
    const requestedVersion = pathSegment(c.req.url, 5)
    if (!requestedVersion.ok) return requestedVersion
    const { wire, here, name, toolset } = server.value
    if (wire.isListedVersion(here, requestedVersion.value))
      return varyByCredential(c, c.json(wire.encodeServer(here, toolset)))
    return fail({
      type: 'not-found',
      message: `Server '${name}' has no version '${requestedVersion.value.slice(0, 100)}'`,
    })
  }

  async function findServer(c: Context) {
    const segment = pathSegment(c.req.url, 3)
    if (!segment.ok) return segment
    const wire = await load()
    const listing = deploymentAt(c)
    const name = segment.value
    for (const toolset of await serversFor(c)) {
      if (wire.serverName(listing.origin, toolset) === name) return ok({ wire, here: listing, name, toolset })
    }
    return fail({ type: 'not-found', message: `Server '${name.slice(0, 200)}' was not found` })
  }

  function respondWithFailure(failure: Failure): Response | Promise<Response> {
    if (failure.type !== 'request-malformed' && failure.type !== 'not-found') return deps.respond(failure)
    return jsonTextResponse(JSON.stringify({ error: failure.message }), HTTP_STATUS[failure.type])
  }

  return router
}

function respondAs(body: object, type: string): Response {
  return jsonTextResponse(JSON.stringify(body), 200, { 'content-type': type })
}

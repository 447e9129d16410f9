import { type Context, Hono } from 'hono'
import type { FetchCapability } from '../core/access/principal.ts'
import { formatUnknownToolset } from '../core/access/agent-resource.ts'
import { readUrlToolset, stripQuery } from '../core/access/toolset-url.ts'
import { UnreachableError } from '../core/failure/failure.ts'
import { readForm } from '../http/request/body.ts'
import { NO_MEMORY } from '../http/request/request-memory.ts'
import { jsonTextResponse } from '../http/response/json-response.ts'
import { jsonBody } from '../http/request/json-body.ts'
import { isJsonArray, isStringArray, type JsonObject } from '../core/tool/json.ts'
import { checkAlso, anyObject, array, looseObject, optional, withSchemaFrom, string } from '../core/tool/json-reader.ts'
import type { PublicCaching } from '../http/route/public-router.ts'
import { ANY, json, OBJECT, objectSchema, TEXT } from '../http/route/response-specs.ts'
import { declareOperation, type Operation } from '../http/route/operation.ts'
import { createPageRouter } from '../http/route/page-router.ts'
import { ANY_QUERY } from '../http/request/query.ts'
import { isSecureOrigin } from '../http/caller/loopback.ts'
import { isRedirectUri, REDIRECT_URI_FORM } from '../http/caller/redirect-uri.ts'
import type { Fetch } from '../core/tool/platform.ts'
import { readAgentId, readCredential } from '../storage/connect/token-form.ts'
import type { AuthorizeDeps } from './authorization-endpoint.ts'
import {
  RESOURCE_METADATA_PATH,
  resourceMetadata,
  SERVER_METADATA_PATH,
  serverMetadata,
  toolkitsQuery,
} from './metadata.ts'
import type { OAuthResponse } from '../storage/connect/connect-object.ts'

export interface ConnectRoutesDeps extends Omit<AuthorizeDeps, 'findDocument'> {
  readonly issuer: string | undefined
  readonly fetchFor: (asker: FetchCapability) => Fetch
  readonly caching: PublicCaching
  /** Called when an agent may have ended, so that this isolate drops its cached credentials at once. */
  readonly onEnd: (agent: string) => void
}

const FORM_LIMIT = 65_536
const REGISTRATION_LIMIT = 32_768
const GRANT_TYPES: readonly unknown[] = ['authorization_code', 'refresh_token']
const CLIENT_METADATA = looseObject({
  redirect_uris: array(string(), { min: 1 }),
  client_name: optional(string()),
  client_uri: optional(string()),
  token_endpoint_auth_method: optional(string()),
  grant_types: optional(array(string())),
  response_types: optional(array(string())),
  scope: optional(string()),
})
/** Checks the known fields, and keeps the others in the body. */
const REGISTRATION = jsonBody(withSchemaFrom(CLIENT_METADATA, checkAlso(anyObject, CLIENT_METADATA)), {
  limit: REGISTRATION_LIMIT,
})

/** The authorization server for agents that sign people in. A library in the Connect object implements OAuth. */
export function createConnectRoutes(deps: ConnectRoutesDeps): Hono {
  const { issuer, server, findToolset, onEnd, limitAnonymous, caching, fetchFor, now } = deps
  const router = new Hono()

  // RFC 6749, sections 3.1 and 3.2: unknown parameters are ignored, in the query and in the form
  const declaration = { query: ANY_QUERY, failures: 'OAuthError' } as const
  function addMetadata(path: string, summary: string, build: BuildMetadata): void {
    const handler = async (c: Context) => {
      const toolset = readUrlToolset(stripQuery(c.req.url))
      if (toolset !== undefined && limitAnonymous(c)) return TOO_MANY()
      return respondWithOAuthErrors(async () => {
        if (toolset === undefined || (await findToolset(toolset))) return respondWithMetadata(c, build, caching)
        return oauthError(404, 'invalid_request', formatUnknownToolset(toolset))
      })
    }
    router.get(
      path,
      declareOperation({ ...declaration, summary, responses: { 200: json('Metadata', OBJECT) } }, handler),
    )
  }
  const ofResource: BuildMetadata = (origin, query, toolset) => resourceMetadata(origin, issuer, { query, toolset })
  addMetadata(RESOURCE_METADATA_PATH, 'Metadata of the protected resource (RFC 9728)', ofResource)
  addMetadata(`${RESOURCE_METADATA_PATH}/t/:toolset`, 'Metadata of a toolset (RFC 9728)', ofResource)
  if (issuer !== undefined) return router
  addMetadata(SERVER_METADATA_PATH, 'Metadata of the authorization server (RFC 8414)', serverMetadata)
  // OpenID clients request the same metadata there (RFC 8414, section 5)
  for (const path of ['/.well-known/openid-configuration/connect', '/connect/.well-known/openid-configuration'])
    addMetadata(path, 'Metadata of the authorization server, for OpenID clients', serverMetadata)

  let loadedModules: Awaited<ReturnType<typeof load>> | undefined
  // Loaded late, because in most isolates no agent connects
  const loadOnce = async () => (loadedModules ??= await load())
  async function load() {
    const [{ createClientDocuments }, { createAuthorizationEndpoint }, { createAssertionVerifier }] = await Promise.all(
      [import('./client-document.ts'), import('./authorization-endpoint.ts'), import('./client-assertion.ts')],
    )
    const findDocument = createClientDocuments(fetchFor, now)
    return {
      authorize: createAuthorizationEndpoint({ ...deps, findDocument }),
      readAssertion: createAssertionVerifier({ fetchFor, admit: server.admit, findDocument, now }),
    }
  }
  const pages = createPageRouter(deps)
  pages.get('/connect/authorize', ANY_QUERY, async (c) => (await loadOnce()).authorize.showConsentPage(c))
  pages.post('/connect/authorize', FORM_LIMIT, async (c, form) => (await loadOnce()).authorize.decide(c, form))
  router.route('/', pages.router)

  type Handle = (c: Context, origin: string) => Promise<Response>
  const forClients = (operation: Partial<Operation<unknown>>, handle: Handle) =>
    declareOperation({ ...declaration, ...operation }, async (c: Context) => {
      if (limitAnonymous(c)) return TOO_MANY()
      const origin = getOrigin(c)
      return origin === undefined ? oauthError(400, 'invalid_request', 'Wanted https') : handle(c, origin)
    })

  const TOKEN = {
    summary: 'Issue or revoke a token (OAuth 2.1)',
    requestType: 'application/x-www-form-urlencoded',
    responses: { 200: json('The token; nothing when a token is revoked', ANY) },
  }
  router.post('/connect/token', forClients(TOKEN, token))
  async function token(c: Context, origin: string): Promise<Response> {
    const form = await readForm(c.req.raw, { limit: FORM_LIMIT, memory: NO_MEMORY })
    if (!form.ok) return oauthError(400, 'invalid_request', `Wanted a form of at most ${FORM_LIMIT} bytes`)
    const authorization = c.req.raw.headers.get('authorization')
    const signs = form.value.has('client_assertion') || form.value.has('client_assertion_type')
    const asserted = signs
      ? await (await loadOnce()).readAssertion(form.value, authorization, `${origin}/connect`)
      : undefined
    if (signs && !asserted) return oauthError(401, 'invalid_client', 'The client could not be authenticated')
    const text = form.value.toString()
    return respondFromServer(async () => {
      const tokenResult = await server.token(origin, authorization, text, asserted)
      if (!form.value.has('grant_type') || tokenResult.status !== 200) onEnd(readAgentId(readCredential(form.value)))
      return tokenResult
    })
  }

  const REGISTER = {
    summary: 'Register a client (RFC 7591)',
    body: REGISTRATION,
    responses: { 201: json('The client', objectSchema({ client_id: TEXT })) },
  }
  router.post('/connect/register', forClients(REGISTER, register))
  async function register(c: Context, origin: string): Promise<Response> {
    const body = await REGISTRATION.read(c.req.raw, {}, NO_MEMORY)
    if (!body.ok) {
      const problem = `Wanted 'application/json' of at most ${REGISTRATION_LIMIT} bytes`
      const description = 'message' in body.failure ? body.failure.message : problem
      return oauthError(400, 'invalid_client_metadata', description)
    }
    const { redirect_uris: uris } = body.value
    const invalidIndex = isStringArray(uris) ? uris.findIndex((uri) => !isRedirectUri(uri)) : -1
    if (invalidIndex >= 0)
      return oauthError(400, 'invalid_redirect_uri', `'redirect_uris[${invalidIndex}]' must be ${REDIRECT_URI_FORM}`)
    const address = c.req.raw.headers.get('cf-connecting-ip')
    return respondFromServer(() => server.register(origin, JSON.stringify(withSupportedGrants(body.value)), address))
  }

  return router
}

/** Omits unknown grant types (RFC 7591, section 2). A registration that has only those is passed on, and refused. */
function withSupportedGrants(metadata: JsonObject): JsonObject {
  const { grant_types: grants } = metadata
  const supportedGrants = isJsonArray(grants) ? grants.filter((grant) => GRANT_TYPES.includes(grant)) : []
  return supportedGrants.includes('authorization_code') ? { ...metadata, grant_types: supportedGrants } : metadata
}

function getOrigin(c: Context): string | undefined {
  const url = new URL(c.req.url)
  return isSecureOrigin(url) ? url.origin : undefined
}

type BuildMetadata = (origin: string, query: string, toolset: string | undefined) => object

function respondWithMetadata(c: Context, build: BuildMetadata, caching: PublicCaching): Response {
  const origin = getOrigin(c)
  if (origin === undefined) return oauthError(404, 'invalid_request', 'Agents connect over https')
  const url = new URL(c.req.url)
  const metadata = build(origin, toolkitsQuery(url), readUrlToolset(stripQuery(url.href)))
  return jsonTextResponse(JSON.stringify(metadata), 200, { 'cache-control': caching })
}

const respondFromServer = (work: () => Promise<OAuthResponse>) =>
  respondWithOAuthErrors(async () => {
    const { status, headers, body } = await work()
    return new Response(body, { status, headers })
  })

async function respondWithOAuthErrors(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error
    return oauthError(503, 'temporarily_unavailable', error.message)
  }
}

const TOO_MANY = () => oauthError(429, 'temporarily_unavailable', 'Too many requests: wait a moment')

function oauthError(status: number, error: string, description: string): Response {
  const headers = { 'cache-control': 'no-store', ...(status === 503 || status === 429 ? { 'retry-after': '1' } : {}) }
  return jsonTextResponse(JSON.stringify({ error, error_description: description }), status, headers)
}

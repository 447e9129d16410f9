import { DurableObject } from 'cloudflare:workers'
import type { AuthRequest } from '@cloudflare/workers-oauth-provider'
import type { Agent, ListedAgent } from '../../core/access/agent.ts'
import { readUrlToolset, stripQuery } from '../../core/access/toolset-url.ts'
import type { Holder } from '../../core/access/holder.ts'
import type { UserPageRequest } from '../../core/access/user.ts'
import type { NewOAuthClient, OAuthClient } from '../../core/access/oauth-client.ts'
import { column, readField } from '../rows.ts'
import { sha256 } from '../sealing/sha256.ts'
import { type AgentRows, agentRows } from './agent-rows.ts'
import { type Client, toOAuthClient, clientRows } from './client-rows.ts'
import { deleteAgentEntries, entryKeys } from './sql-kv.ts'
import { presentRefreshToken } from './refresh-token-reuse.ts'
import { createTables, sweep } from './tables.ts'
import { readAgentId, readCredential } from './token-form.ts'

export interface OAuthResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface AuthorizationRequest {
  readonly url: string
  /** Set if the client's id is the URL of a document that describes it. */
  readonly document: Client | undefined
}

export interface ClientAssertion {
  readonly client: Client
  readonly id: string
  /** Milliseconds since 1970. From then on, the assertion is refused anyway. */
  readonly until: number
}

export type AuthorizationDetails = Extract<
  Awaited<ReturnType<Connect['readAuthorizationRequest']>>,
  { readonly ok: true }
>

/**
 * Stores the agents that people authorized, and the OAuth library's data. Separate from Access, because strangers write here.
 * Token requests of one agent run one after another, so concurrent requests with one code or refresh token redeem it once.
 */
export class Connect extends DurableObject<unknown> {
  readonly #sql: SqlStorage
  readonly #agents: AgentRows
  readonly #clients: ReturnType<typeof clientRows>
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(state: DurableObjectState, env: unknown) {
    super(state, env)
    this.#sql = state.storage.sql
    createTables(this.#sql)
    this.#agents = agentRows(this.#sql, Date.now)
    this.#clients = clientRows(this.#sql, Date.now)
  }

  /** `body` is the metadata as JSON (RFC 7591), and `address` the sender's network address, if the platform provides it. */
  async register(origin: string, body: string, address: string | null): Promise<OAuthResponse> {
    sweep(this.#sql, Date.now())
    const response = await this.#send({ origin }, 'register', { 'content-type': 'application/json' }, body)
    if (response.status === 201) this.#clients.noteRegistered(JSON.parse(response.body).client_id, address)
    return response
  }

  /** Redeems a code or a refresh token, or revokes a token. `body` is the form (RFC 6749, section 4.1.3; RFC 7009). */
  async token(
    origin: string,
    authorization: string | null,
    body: string,
    asserted?: ClientAssertion,
  ): Promise<OAuthResponse> {
    if (asserted && !(await this.#spendAssertion(asserted))) return REPLAYED
    const form = new URLSearchParams(body)
    const credential = readCredential(form)
    const refresh = form.get('grant_type') === 'refresh_token' ? credential : undefined
    const agent = readAgentId(credential)
    return this.#inTurn(agent, async () => {
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        ...(authorization === null ? {} : { authorization }),
      }
      const noteOutcome = refresh === undefined ? undefined : await presentRefreshToken(this.#sql, agent, refresh)
      const resource = { origin, toolset: this.#agents.find(agent)?.toolset }
      const response = await this.#send(resource, 'token', headers, body, asserted?.client)
      const expires = Date.parse(this.#agents.find(agent)?.expires_at ?? '') || Date.now()
      const isSpent = noteOutcome?.(response.status === 200, expires) === true
      const isReuse = isSpent && response.body.includes('"invalid_grant"')
      // If a code is used twice or a refresh token is revoked, the library deletes the agent's grant
      if (isReuse || entryKeys(this.#sql, 'grant', agent).length === 0) this.#end(agent)
      return response
    })
  }

  /** Whether a person has approved the client whose id is the URL of its document. */
  isApprovedDocument(clientId: string): boolean {
    return this.#clients.isApprovedDocument(clientId)
  }

  /** Protects a registered client from eviction while the person who opened its link signs in. */
  noteRequested(clientId: string, address: string | null): void {
    this.#clients.noteRequested(clientId, address)
  }

  /** `principal` is the signed-in person who views the request. */
  async readAuthorizationRequest({ url, document }: AuthorizationRequest, principal: string) {
    const requestResult = await this.#read(url, document)
    if (!requestResult.ok) return requestResult
    const { request, client, refusal } = requestResult
    const { clientId, redirectUri } = request
    this.#clients.noteOpened(clientId, principal)
    const resource = new URL(url).searchParams.get('resource') ?? request.resource
    return { ok: true, client: { id: clientId, name: client?.clientName }, redirectUri, resource, refusal } as const
  }

  async authorizeAgent({ url, document }: AuthorizationRequest, agent: Agent) {
    const requestResult = await this.#read(url, document)
    if (!requestResult.ok) return requestResult
    const { request, api } = requestResult
    sweep(this.#sql, Date.now())
    const { redirectTo } = await api.completeAuthorization({
      request,
      userId: agent.id,
      metadata: {},
      props: {},
      scope: [...agent.scopes],
      revokeExistingGrants: false,
    })
    for (const id of this.#agents.store(agent)) this.#end(id)
    this.#clients.noteApproved(request.clientId, document, agent.owner)
    return { ok: true, to: redirectTo } as const
  }

  /** `expiresAt` is in milliseconds since 1970. */
  async find(origin: string, token: string): Promise<{ agent: Agent; expiresAt: number } | undefined> {
    const agent = this.#agents.find(readAgentId(token))
    if (!agent) return undefined
    const { server, resource } = await this.#server(origin, agent.toolset)
    const valid = await server.validateToken(resource, token, { OAUTH_KV: this.#clients.entriesWith() })
    if (valid?.userId !== agent.id) return undefined
    this.#agents.use(agent.id)
    const scopes = agent.scopes.filter((scope) => valid.scope.includes(scope))
    return { agent: { ...agent, scopes }, expiresAt: valid.expiresAt * 1_000 }
  }

  list(holder: Holder): ListedAgent[] {
    return this.#agents.list(holder)
  }

  remove(holder: Holder, id: string): boolean {
    const removal = this.#agents.remove(id, holder)
    if (removal) this.#end(id)
    return removal
  }

  removeAll(holder: Holder): number {
    const ids = this.#agents.listIds(holder)
    for (const id of ids) this.#end(id)
    return ids.length
  }

  countByUser(page: UserPageRequest): { user: string; agents: number }[] {
    return this.#agents.countByUser(page)
  }

  /** Only this response contains the client's secret, because only its hash is stored. */
  async createOAuthClient(origin: string, { name, redirect_uris, token_endpoint_auth_method }: NewOAuthClient) {
    const { server } = await this.#server(origin)
    const createdClient = await server.getOAuthApi({ OAUTH_KV: this.#clients.entriesWith() }).createClient({
      clientName: name,
      redirectUris: [...redirect_uris],
      tokenEndpointAuthMethod: token_endpoint_auth_method,
    })
    this.#clients.noteByAdministrator(createdClient.clientId)
    return {
      ...toOAuthClient(createdClient),
      ...(createdClient.clientSecret === undefined ? {} : { client_secret: createdClient.clientSecret }),
    }
  }

  listClients(): OAuthClient[] {
    return this.#clients.list()
  }

  removeClient(id: string): boolean {
    const removed = this.#clients.remove(id)
    const agentsOfClient = "SELECT id FROM agent WHERE json_extract(body, '$.client.id') = ?"
    if (removed) for (const agent of column<string>(this.#sql, agentsOfClient, id)) this.#end(agent)
    return removed
  }

  async #read(url: string, document: Client | undefined) {
    const { origin, searchParams } = new URL(url)
    const toolset = readUrlToolset(stripQuery(searchParams.get('resource') ?? ''))
    const { server, AuthorizationError, authorizationErrorRedirect } = await this.#server(origin, toolset)
    const api = server.getOAuthApi({ OAUTH_KV: this.#clients.entriesWith(document) })
    try {
      const request: AuthRequest = await api.parseAuthRequest(new Request(url))
      // The library does not require PKCE of clients that have a secret
      if (request.codeChallenge === undefined) {
        const description = "PKCE is wanted: 'code_challenge' with the method S256"
        throw new AuthorizationError('invalid_request', { description, ...request })
      }
      const client = await api.lookupClient(request.clientId)
      return { ok: true, api, request, client, refusal: authorizationErrorRedirect(request, 'access_denied') } as const
    } catch (error) {
      if (!(error instanceof AuthorizationError)) throw error
      return { ok: false, message: error.description, back: error.redirectTo } as const
    }
  }

  async #spendAssertion({ id, until }: ClientAssertion): Promise<boolean> {
    const statement = "INSERT OR IGNORE INTO spent VALUES (?, '', ?) RETURNING hash"
    return readField(this.#sql, statement, await sha256(id), until) !== undefined
  }

  async #send(
    { origin, toolset }: { readonly origin: string; readonly toolset?: string | undefined },
    endpoint: string,
    headers: Record<string, string>,
    body: string,
    client?: Client,
  ) {
    const { server } = await this.#server(origin, toolset)
    const request = new Request(`${origin}/connect/${endpoint}`, { method: 'POST', headers, body })
    const oauthEnv = { OAUTH_KV: this.#clients.entriesWith(client) }
    const response = await server.fetch(request, oauthEnv, this.ctx)
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
  }

  /** Loads the OAuth library on the first request, because it is large. */
  async #server(origin: string, toolset?: string) {
    const { createOAuthServer } = await import('./oauth-library.ts')
    return createOAuthServer(origin, this.#agents.redeem, toolset)
  }

  #end(agent: string): void {
    this.#agents.remove(agent)
    deleteAgentEntries(this.#sql, agent)
  }

  async #inTurn<T>(agent: string, work: () => Promise<T>): Promise<T> {
    const previousTurn = this.#turns.get(agent)
    const turn = (previousTurn ?? Promise.resolve()).then(work, work)
    this.#turns.set(agent, turn)
    try {
      return await turn
    } finally {
      if (this.#turns.get(agent) === turn) this.#turns.delete(agent)
    }
  }
}

const REPLAYED: OAuthResponse = {
  status: 401,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify({ error: 'invalid_client', error_description: 'The assertion was sent before' }),
}

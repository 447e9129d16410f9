import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import Provider, { type Context, type Model } from 'oidc-provider'
import { interact, returnPage, textOf } from './interaction-pages.ts'
import { MemoryStore } from './memory-adapter.ts'

/** A provider's fault: none, no connection, no response, an HTML response, a 500 response. */
export type Fault = 'none' | 'down' | 'slow' | 'nonsense' | 'error'

export const CLIENT_ID = 'switchboard-in-tests'
export const GMAIL = 'https://www.googleapis.com/auth/gmail.readonly'
const SCOPES = ['mail.read', 'mail.send', GMAIL]

/**
 * A certified OpenID provider (`oidc-provider`) on a loopback port: pages for sign-in and consent, required PKCE, refresh
 * tokens for `offline_access`, and revocation. Its host is `localhost`, so that browsers treat it and a Switchboard on
 * 127.0.0.1 as different sites.
 */
export interface TestProvider {
  readonly issuer: string
  /** `host:port`, for ALLOW_HTTP_HOSTS. */
  readonly host: string
  readonly clientSecret: string
  /** A person's claims besides `sub`, by the name that they sign in with. */
  readonly claims: Record<string, Readonly<Record<string, unknown>>>
  /** Whether access tokens expire immediately, instead of after an hour. */
  accessTokensEnd: boolean
  /** Whether refresh tokens are replaced on use; reusing one then ends the whole grant. */
  rotate: boolean
  /** Delay of the token endpoint in milliseconds, so that simultaneous requests overlap. */
  tokenDelayMs: number
  /** Whether the browser is shown a link back to the client, instead of being redirected. */
  pauseBeforeReturn: boolean
  /** Called when a request arrives at the token endpoint, before it is handled. */
  onTokenRequest: () => void
  /** The refresh tokens that were sent, in order, whether or not they were accepted. */
  readonly refreshTokens: string[]
  /** Number of requests to the token endpoint, by `grant_type`. */
  readonly tokenRequests: Record<string, number>
  /** The parameters of each authorization request. */
  readonly opened: URLSearchParams[]
  /** Tokens that clients asked to revoke (RFC 7009). */
  readonly revoked: string[]
  /** Every token that it issued, with its account. */
  readonly issued: { readonly kind: 'access' | 'refresh'; readonly token: string; readonly account: string }[]
  allowRedirectTo(uri: string): void
  /** Finds the account and scopes of an access token, or undefined if it is invalid. */
  whose(accessToken: string): Promise<{ readonly account: string; readonly scopes: readonly string[] } | undefined>
  /** Finds the account of a refresh token, or undefined if it is invalid. */
  personOf(refreshToken: string): Promise<string | undefined>
  /** Ends a person's access tokens, as an administrator might, but not the refresh tokens. */
  endAccessTokens(account: string): void
  /** Revokes the person's consent at the provider. */
  endGrants(account: string): void
  fail(fault: Fault): Promise<void>
  close(): Promise<void>
}

export interface ExtensionGrant {
  readonly parameters: readonly string[]
  /** Returns the response; one with an `error` has status 400. */
  readonly answer: (parameters: Readonly<Record<string, string | undefined>>, issue: IssueToken) => Promise<object>
}

/** Issues an access token to the requesting client, for a person. */
type IssueToken = (accountId: string, scope: string) => Promise<string>

interface ProviderOptions {
  /** Extension grants (RFC 6749, section 4.5), by `grant_type`. */
  readonly grants?: Readonly<Record<string, ExtensionGrant>>
  /** Overrides its default configuration. */
  readonly configuration?: object
}

export async function startProvider({ grants = {}, configuration = {} }: ProviderOptions = {}): Promise<TestProvider> {
  const store = new MemoryStore()
  const redirectUris: string[] = []
  const clientSecret = randomBytes(24).toString('base64url')
  const hanging = new Set<ServerResponse>()
  let fault: Fault = 'none'

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  // Keep the port open: another server could take it before this one is restored
  server.on('connection', (socket) => void (fault === 'down' && socket.destroy()))
  const port = await listen(server, 0)
  const issuer = `http://localhost:${port}`

  const provider = new Provider(issuer, {
    adapter: (model: string) =>
      model === 'Client' ? { ...store.adapter(model), find: async () => client() } : store.adapter(model),
    clients: [],
    scopes: ['openid', 'offline_access', 'email', 'profile', 'groups', ...SCOPES],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ ...given.claims[accountId], sub: accountId }),
    }),
    ttl: Object.fromEntries(
      ['AccessToken', 'AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'RefreshToken', 'Session'].map((each) => [
        each,
        3_600,
      ]),
    ),
    rotateRefreshToken: () => given.rotate,
    cookies: { keys: [randomBytes(24).toString('hex')] },
    jwks: { keys: [signingKey()] },
    ...configuration,
  })
  const client = () => ({
    client_id: CLIENT_ID,
    client_secret: clientSecret,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token', ...Object.keys(grants)],
    id_token_signed_response_alg: 'ES256',
  })
  for (const [name, { parameters, answer: answerGrant }] of Object.entries(grants)) {
    const extend = async (context: Context) => {
      const { client: asking = {}, params = {} } = context.oidc ?? {}
      const issue: IssueToken = (accountId, scope) =>
        new provider.AccessToken({ accountId, client: asking, scope, gty: name }).save()
      context.body = await answerGrant(params, issue)
      if (Object.hasOwn(Object(context.body), 'error')) context.status = 400
    }
    provider.registerGrantType(name, extend, parameters)
  }
  provider.use(async (context, next) => {
    await next()
    note(context.path, new URLSearchParams(context.oidc?.body))
    if (given.accessTokensEnd && context.path === '/token') endAtOnce(context.body)
    const location = context.response.get('location') ?? ''
    if (!given.pauseBeforeReturn || !redirectUris.some((uri) => location.startsWith(uri))) return
    context.response.remove('location')
    context.status = 200
    context.type = 'html'
    context.body = returnPage(location)
  })
  const serve = provider.callback()
  const keep = (kind: 'access' | 'refresh') => (token: Model) =>
    given.issued.push({ kind, token: token.jti, account: token.accountId })
  provider.on('access_token.saved', keep('access'))
  provider.on('refresh_token.saved', keep('refresh'))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    if (pathname === '/auth' && request.method === 'GET') given.opened.push(searchParams)
    if (fault !== 'none') note(pathname, new URLSearchParams(await textOf(request)))
    if (fault === 'slow') return void hanging.add(response)
    if (fault === 'nonsense') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>')
    if (fault === 'error') return void response.writeHead(500, { 'content-type': 'text/plain' }).end('Out of order')
    if (pathname === '/token') {
      // Read now, so that the request is handled even if the client disconnects
      const form = new URLSearchParams(await textOf(request))
      Object.assign(request, { body: Object.fromEntries(form) })
      given.onTokenRequest()
      await sleep(given.tokenDelayMs)
    }
    if (!(await interact(provider, request, response))) serve(request, response)
  }

  function endAtOnce(body: unknown): void {
    if (typeof body !== 'object' || body === null || !('access_token' in body)) return
    store.forget(({ jti }) => jti === body.access_token, ['AccessToken'])
    Object.assign(body, { expires_in: 0.001 })
  }

  function note(path: string, form: URLSearchParams): void {
    if (path === '/token/revocation') given.revoked.push(form.get('token') ?? '')
    if (path !== '/token') return
    const type = form.get('grant_type') ?? ''
    given.tokenRequests[type] = (given.tokenRequests[type] ?? 0) + 1
    if (type === 'refresh_token') given.refreshTokens.push(form.get('refresh_token') ?? '')
  }

  const given: TestProvider = {
    issuer,
    host: new URL(issuer).host,
    clientSecret,
    claims: {},
    accessTokensEnd: false,
    rotate: false,
    tokenDelayMs: 0,
    pauseBeforeReturn: false,
    onTokenRequest: () => undefined,
    refreshTokens: [],
    tokenRequests: {},
    opened: [],
    revoked: [],
    issued: [],
    allowRedirectTo: (uri) => void redirectUris.push(uri),
    async whose(accessToken) {
      const token = await provider.AccessToken.find(accessToken)
      return token && { account: token.accountId, scopes: (token.scope ?? '').split(' ') }
    },
    personOf: async (refreshToken) => (await provider.RefreshToken.find(refreshToken))?.accountId,
    endAccessTokens: (account) => store.forget(({ accountId }) => accountId === account, ['AccessToken']),
    endGrants: (account) =>
      store.forget(({ accountId }) => accountId === account, ['AccessToken', 'RefreshToken', 'Grant', 'Session']),
    async fail(next) {
      for (const response of hanging) response.destroy()
      hanging.clear()
      if (next === 'down') server.closeAllConnections()
      fault = next
    },
    async close() {
      await this.fail('none')
      await close(server)
    },
  }
  return given
}

function signingKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }
}

export function listen(server: Server, port: number): Promise<number> {
  // An idle connection could otherwise be closed just as it is reused
  server.keepAliveTimeout = 0
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      const address = server.address()
      if (address && typeof address === 'object') resolve(address.port)
      else reject(new Error('The server has no port'))
    })
  })
}

export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

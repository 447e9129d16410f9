import { Hono } from 'hono'
import type { AuditEvent } from '../../src/core/access/audit-entry.ts'
import { ADMIN } from '../../src/core/access/principal.ts'
import { fail, ok } from '../../src/core/failure/failure.ts'
import { createFlows } from '../../src/sign-in/flow-cookie.ts'
import { createSignInRoutes, type SignInRoutesDeps } from '../../src/sign-in/routes.ts'
import { createKeyring } from '../../src/storage/sealing/keyring.ts'
import { onPageError } from '../http/on-page-error.ts'

export const ORIGIN = 'https://sb.example'
export const NOBODY = fail({ type: 'unauthenticated', reason: 'Nobody' })
export const request = { state: 's1', nonce: 'n1', verifier: 'v1', callback: `${ORIGIN}/sign-in/callback` }
const flows = createFlows(createKeyring(['of the tests'], 'sign-in'), () => 0)

export const TOKENS = { access_token: 'an ID token', expires_in: 60 }
export const openId = {
  begin: async () => ({ ok: true, url: 'https://id.example/auth', request }) as const,
  finish: async () => ({ ok: true, claims: { email: 'ann@acme.test', email_verified: true }, tokens: TOKENS }) as const,
}
export const provider = {
  loadOpenId: async () => openId,
  issuer: 'https://id.example',
  prefix: '',
  claims: { groups: 'groups' },
  rules: [{ domain: 'acme.test', scopes: ['tools:call'], tools: ['*'] }],
} as const satisfies SignInRoutesDeps['provider']

/** The face, of which all works that is not changed; `provider: undefined` is a deployment of keys. */
export function faceWith(change: Partial<SignInRoutesDeps> = {}, sessions: object = {}) {
  const audit: AuditEvent[] = []
  const begun: unknown[] = []
  const router = createSignInRoutes({
    sessions: {
      findSession: () => NOBODY,
      startSession: async (_: Request, ...of: unknown[]) => (begun.push(of), 'switchboard-session=x'),
      signOut: async () => 'switchboard-session=',
      ...sessions,
    } as unknown as SignInRoutesDeps['sessions'],
    provider,
    findMembership: async () => undefined,
    endAccess: async () => undefined,
    flows,
    authenticator: { loadPrincipal: async () => ({ result: ok(ADMIN) }), hasAdministrator: true },
    sha256: async (text) => `sha256 ${text}`,
    keepSignIn: async () => undefined,
    limitAnonymous: () => undefined,
    now: () => 7,
    writeAuditEntry: (entry) => void audit.push(entry),
    onPageError,
    ...change,
  })
  const app = new Hono().route('/', router)
  const at = (path: string) => (path.startsWith('http') ? path : ORIGIN + path)
  const get = (path: string, headers: Record<string, string> = {}) => app.request(at(path), { headers })
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    app.request(at(path), { method: 'POST', body: new URLSearchParams(fields), headers })
  return {
    audit,
    begun,
    get,
    post,
    begin: () => get('/sign-in'),
    /** The provider sends a browser back that went there by `kept`. */
    async comeBack({ kept = request, back = '/', query = 'code=c&state=s1' } = {}) {
      const cookies = await flows.write(new Request(ORIGIN), { request: kept, back })
      const cookie = cookies.map((each) => each.split(';')[0]).join('; ')
      return get(`${request.callback}?${query}`, { cookie })
    },
    sendKey: (key = `sb_${'x'.repeat(43)}`, more: Record<string, string> = {}) =>
      post('/sign-in/key', { key, ...more }),
    signOut: (more: Record<string, string> = {}) => post('/sign-out', more),
  }
}

import { Hono } from 'hono'
import type { Agent } from '../../src/core/access/agent.ts'
import type { AuditEvent } from '../../src/core/access/audit-entry.ts'
import { ADMIN, FetchCapability } from '../../src/core/access/principal.ts'
import { ok } from '../../src/core/failure/failure.ts'
// The face loads them with its first request: no test is to be the one that does
import '../../src/connect/authorization-endpoint.ts'
import '../../src/connect/client-assertion.ts'
import { createConnectRoutes, type ConnectRoutesDeps } from '../../src/connect/routes.ts'
import { onPageError } from '../http/on-page-error.ts'

export const ORIGIN = 'https://sb.example'
export const ASK = '/connect/authorize?response_type=code&client_id=c1'
const session = {
  id: 's1',
  authenticatedBy: { kind: 'key', hash: 'h' },
  owner: 'admin',
  origin: ORIGIN,
  browser: '',
  created_at: '',
  expires_at: '',
}
export const asked = {
  ok: true,
  client: { id: 'c1', name: 'An agent' },
  redirectUri: 'http://127.0.0.1:7777/callback',
  resource: undefined,
  refusal: 'http://127.0.0.1:7777/callback?error=access_denied',
} as const
export const findSession = (authenticatedBy: object = session.authenticatedBy, principal = ADMIN) =>
  ok({ principal, session: { ...session, authenticatedBy }, fetchCapability: new FetchCapability('test') }) as never

/** Lines of a catalog, as `choicesOf` has them written. */
export const listed = (tools: readonly (readonly [toolkit: string, tool: string, level?: number])[]) =>
  ({
    list: async () => ({
      lines: tools.map(([toolkit, tool, securityLevel = 0]) =>
        JSON.stringify({ toolkit, tool, securityLevel, executable: true }),
      ),
    }),
  }) as unknown as ConnectRoutesDeps['catalog']

export const SALES = {
  name: 'sales',
  owner: 'key:k1',
  revision: 1,
  digest: 'sha256:d',
  changed_at: '',
  changed_by: 'key:k1',
  definition: { title: 'For sales', enabled: true, tools: [{ tool: 'Mail.*' }] },
}

/** The face, of which all works that is not changed, and what it was asked to do. */
export function faceWith(change: Partial<ConnectRoutesDeps> = {}, server: Partial<ConnectRoutesDeps['server']> = {}) {
  const oauth = { status: 200, headers: {}, body: '{}' }
  const audit: AuditEvent[] = []
  const agents: Agent[] = []
  const ended: string[] = []
  const sent: unknown[][] = []
  const router = createConnectRoutes({
    issuer: undefined,
    server: {
      admit: async (client) => new FetchCapability(client),
      readAuthorizationRequest: async () => asked,
      authorizeAgent: async (_, agent) => (
        agents.push(agent),
        { ok: true, to: 'http://127.0.0.1:7777/callback?code=c' }
      ),
      token: async (...of) => (sent.push(of), oauth),
      noteRequested: async () => undefined,
      register: async (...of) => (sent.push(of), { ...oauth, status: 201 }),
      ...server,
    },
    sessions: { findSession: () => findSession() },
    fetchFor: () => () => Promise.reject(new Error('Nothing is fetched')),
    catalog: listed([['Mail', 'Send']]),
    installBundle: () => undefined,
    findToolset: async (name) => (name === 'sales' ? SALES : undefined),
    narrow: async (principal) => ({
      ...principal,
      view: { key: 'k', toolset: { name: SALES.name, definition: SALES.definition } },
    }),
    confirmAgent: async () => true,
    onEnd: (agent) => void ended.push(agent),
    limitAnonymous: () => undefined,
    newId: () => 'agent-1',
    now: () => 0,
    writeAuditEntry: (entry) => void audit.push(entry),
    onPageError,
    caching: 'private, max-age=300',
    ...change,
  })
  const app = new Hono().onError(onPageError).route('/', router)
  const at = (path: string) => (path.startsWith('http') ? path : ORIGIN + path)
  const get = (path: string) => app.request(at(path))
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    app.request(at(path), { method: 'POST', body: new URLSearchParams(fields), headers })
  return {
    audit,
    agents,
    ended,
    sent,
    get,
    post,
    ask: (more = '') => get(ASK + more),
    decide: (fields: Record<string, string> = {}) =>
      post(ASK, { 'toolkit.Mail': '1', 'days': '7', 'decision': 'allow', ...fields }),
    register: (metadata: object | string, path = '/connect/register') =>
      app.request(at(path), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
      }),
    redeem: (fields: Record<string, string> = {}) =>
      post('/connect/token', { grant_type: 'authorization_code', code: 'a:b:c', ...fields }),
  }
}

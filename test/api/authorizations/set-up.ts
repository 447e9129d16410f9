import { Hono } from 'hono'
import { vi } from 'vitest'
import type { FileStores } from '../../../src/core/call/files.ts'
import { noArtifacts } from '../../../src/storage/artifacts/r2-artifacts.ts'
import { noUploads } from '../../../src/storage/artifacts/r2-uploads.ts'
import type { AuditEvent } from '../../../src/core/access/audit-entry.ts'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import type {
  Authorization,
  Authorizations,
  FlowResult,
  FlowStep,
  SignInMethod,
} from '../../../src/core/consent/authorization.ts'
import { type Failure, type FailureResult, fail, ok } from '../../../src/core/failure/failure.ts'
import type { Provider } from '../../../src/core/consent/provider.ts'
import type { KnownTool } from '../../../src/api/authorizations/grant-page.tsx'
import { createAuthorizationsRoutes } from '../../../src/api/authorizations/routes.ts'
import type { SignedInSession } from '../../../src/http/caller/sessions.ts'
import { authorizerFor } from '../../http/authorizer-for.ts'
import { onPageError } from '../../http/on-page-error.ts'

export const NOW = Date.parse('2026-11-01T12:00:00Z')
export const ORIGIN = 'https://sb.example'

export const GRANT: Authorization = {
  id: 'auth_1',
  kind: 'grant',
  provider: 'google',
  userId: 'ann',
  scopes: ['https://www.googleapis.com/auth/gmail.readonly', 'urn:unheard-of'],
  status: 'not_started',
  hosts: ['api.mail.example'],
  tool: 'Gmail.GetEmails@1.0.0',
  expiresAt: NOW + 12 * 60_000,
}

export const APPROVAL: Authorization = {
  ...GRANT,
  id: 'auth_2',
  kind: 'approval',
  provider: 'approval',
  scopes: [],
  tool: 'Bank.Pay@1.0.0',
  invocation: {
    principal: 'key:7',
    tool: 'Bank.Pay@1.0.0',
    digest: 'd1',
    user: 'ann',
    input: { to: 'DE02 1203 0000 0000 2020 51', cents: 125_000 },
    credentials: [],
    files: [],
  },
}

const GOOGLE: Provider = { id: 'google', name: 'Google', client_id: 'c' }

export const STATUS: Partial<Record<Failure['type'], number>> = {
  'unauthenticated': 401,
  'forbidden': 403,
  'not-found': 404,
  'media-type-unsupported': 415,
  'body-too-large': 413,
  'unavailable': 503,
}

export const AGENT: Principal = {
  id: 'key:1',
  kind: 'key',
  scopes: ['tools:call'],
  tools: ['*'],
  users: ['ann'],
}

/** The application that knows who is signed in. */
export const VERIFIER: Principal = { ...AGENT, id: 'key:2', scopes: ['users:confirm'] }

/** Creates the routes over in-memory authorizations. Every response of the port can be set. */
export function setUp(
  given: {
    readonly caller?: Principal | FailureResult
    readonly known?: readonly Authorization[]
    readonly limited?: FailureResult
    readonly signInMethod?: SignInMethod
    readonly hasVerifier?: boolean
    /** Finds the caller, if people sign in with keys. */
    readonly callerOf?: (principal: string) => Promise<Principal | undefined>
    readonly files?: FileStores
    /** The signed-in person and their rights. */
    readonly findSession?: SignedInSession | FailureResult
    /** Whether the session exists only in the cache. */
    readonly hasLeft?: boolean
    readonly tools?: readonly KnownTool[]
  } = {},
) {
  const {
    caller = ADMIN,
    known = [GRANT, APPROVAL],
    limited,
    callerOf,
    signInMethod = callerOf ? 'key' : 'openid',
    hasVerifier = !callerOf,
    files = { uploads: noUploads, artifacts: noArtifacts },
    findSession = STRANGER,
    hasLeft = false,
    tools = [],
  } = given
  const slept = { ms: 0 }
  const find = async (id: string) => known.find((each) => each.id === id)
  const step: FlowStep = { ok: true, location: 'https://accounts.google.com/auth?x=1' }
  const ended: FlowResult = { ok: true, authorization: { ...GRANT, status: 'completed' } }
  const port = {
    find: vi.fn(find),
    start: vi.fn<Authorizations['start']>(async () => step),
    enter: vi.fn<Authorizations['enter']>(async () => ended),
    confirm: vi.fn<Authorizations['confirm']>(async () => step),
    resume: vi.fn<Authorizations['resume']>(async () => step),
    finish: vi.fn<Authorizations['finish']>(async () => ended),
    decide: vi.fn<Authorizations['decide']>(async () => ended),
  }
  const audit: AuditEvent[] = []
  const router = createAuthorizationsRoutes({
    writeAuditEntry: (entry) => void audit.push(entry),
    authorize: authorizerFor('ok' in caller ? caller.failure : caller),
    authorizePage: authorizerFor('ok' in caller ? caller.failure : caller),
    authorizations: port,
    providers: { find: async (id) => (id === 'google' ? GOOGLE : undefined) },
    files,
    limitAnonymous: () => limited,
    sessions: {
      findSession: async () => ('ok' in findSession ? findSession : ok(findSession)),
      loadPrincipal: async () => {
        const current = 'ok' in findSession ? findSession : ok(findSession.principal)
        return { result: hasLeft ? STRANGER : current }
      },
    },
    signInMethod,
    hasVerifier,
    findCaller: callerOf ?? (async () => undefined),
    findTool: async (id) => tools.find(({ record }) => record.id === id),
    now: () => NOW + slept.ms,
    sleep: async (ms) => void (slept.ms += ms),
    onPageError,
    respond: (failure) => Response.json(failure, { status: STATUS[failure.type] ?? 400 }),
  })
  const app = new Hono().route('/', router)
  const get = (path: string, headers: Record<string, string> = {}) => app.request(ORIGIN + path, { headers })
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    app.request(ORIGIN + path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
    })
  /** Counts the port's calls other than reads. */
  const acts = () =>
    [port.start, port.confirm, port.resume, port.finish, port.decide].reduce(
      (sum, each) => sum + each.mock.calls.length,
      0,
    )
  return { app, get, post, port, acts, audit, slept }
}

export const STRANGER = fail({ type: 'unauthenticated', reason: 'who?' })

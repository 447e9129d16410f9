import type { AuditAction } from '../core/access/audit-entry.ts'
import type { Context, Hono } from 'hono'
import type { FindMembership } from '../core/access/directory.ts'
import { type PersonClaims, toPerson } from '../core/access/person.ts'
import { type IdentityProof, toPersonPrincipal } from '../core/access/session.ts'
import type { SignInRule } from '../core/access/sign-in-rules.ts'
import type { Sha256 } from '../core/tool/digest.ts'
import { type Authenticator, MIN_ADMIN_KEY_CHARACTERS, NO_ADMINISTRATOR } from '../http/caller/authenticate.ts'
import { isKey } from '../http/caller/key-text.ts'
import { type AuditDetails, writeAudit } from '../http/route/audit.ts'
import { catchUnreachable } from '../core/failure/failure.ts'
import { failurePage, redirectResponse, page, plainPage } from '../http/page/page.ts'
import { createPageRouter, type PagesDeps } from '../http/route/page-router.ts'
import { ANY_QUERY, defineQuery } from '../http/request/query.ts'
import { optional, string } from '../core/tool/json-reader.ts'
import type { Sessions } from '../http/caller/sessions.ts'
import { isSecureOrigin } from '../http/caller/loopback.ts'
import { signInPath } from '../http/page/sign-in-path.ts'
import type { Tokens } from '../oauth-client/oauth.ts'
import { type createFlows, MAX_RETURN, returnPath } from './flow-cookie.ts'
import type { OpenId } from './openid.ts'

export interface SignInProvider {
  readonly loadOpenId: () => Promise<OpenId>
  readonly issuer: string
  readonly prefix: string
  readonly claims: PersonClaims
  readonly rules: readonly SignInRule[]
}

export interface SignInRoutesDeps extends PagesDeps {
  readonly sessions: Sessions
  readonly provider: SignInProvider | undefined
  readonly findMembership: FindMembership
  readonly endAccess: (user: string, addAuditDetails: () => void) => Promise<unknown>
  readonly flows: ReturnType<typeof createFlows>
  readonly authenticator: Pick<Authenticator, 'loadPrincipal' | 'hasAdministrator'>
  readonly sha256: Sha256
  readonly keepSignIn: (userId: string, tokens: Tokens, url: string) => Promise<void>
}

/** A key and a return path, which form encoding can make nine times as long. */
const FORM_LIMIT = 9 * MAX_RETURN + 1_024
const MAX_CALLBACK = 16_384
const pages = () => import('./pages.tsx')

/** Links to the page may gain other parameters, such as `utm_source`. */
const SIGN_IN = defineQuery({ return: optional(string()), again: optional(string()) }, { unknown: 'ignore' })
const BAD_RETURN = plainPage(400, 'Not understood', 'The page to return to must be on this Switchboard')
const NOT_SAFE = plainPage(400, 'HTTPS required', 'Open this Switchboard over https to sign in')

/**
 * Signs people in to the pages of this deployment. With an OpenID provider:
 *
 * 1. `GET /sign-in` stores the request and the return path in a sealed cookie, and redirects to the provider.
 * 2. `GET /sign-in/callback` accepts the response only in that browser and with that `state`. It exchanges the code for
 *    claims, maps them to a person, and applies SIGN_IN_RULES. A person without any access gets no session.
 * 3. It starts a session, whose cookie replaces the sealed one, and redirects to the return path.
 *
 * Without a provider, `GET /sign-in` shows a form, and `POST /sign-in/key` starts a session for a valid API key. The browser
 * returns only to paths of this deployment. Sign-in works only over https or on a loopback host. The audit log records when
 * sessions begin, end, or are refused to a person or a key.
 */
export function createSignInRoutes({
  sessions,
  provider,
  findMembership,
  endAccess,
  flows,
  authenticator,
  sha256,
  keepSignIn,
  ...deps
}: SignInRoutesDeps): Hono {
  const { limitAnonymous, writeAuditEntry, now } = deps
  const { router, get, post } = createPageRouter(deps)

  get('/sign-in', SIGN_IN, async (c, query) => {
    if (!isSafe(c)) return page(NOT_SAFE)
    const request = c.req.raw
    const target = readReturnPath(c, query.return)
    if (!target.ok) return page(BAD_RETURN)
    const back = target.path
    const isAgain = query.again === '1'
    const sessionResult = isAgain ? undefined : await sessions.findSession(request, () => limitAnonymous(c))
    if (sessionResult?.ok) {
      if (back !== undefined) return redirectResponse(back)
      return page(
        (await pages()).signedInPage(
          findName(sessionResult.value.session.authenticatedBy, sessionResult.value.principal.id),
        ),
      )
    }
    if (sessionResult && sessionResult.failure.type !== 'unauthenticated')
      return page(failurePage(sessionResult.failure))
    if (!provider) return page((await pages()).keyPage(back, whyNobody()))
    const login = await (await provider.loadOpenId()).begin(buildCallbackUrl(c), isAgain)
    if (!login.ok) return refusal(502, login.forOperator ?? login.message, back)
    return redirectResponse(login.url, await flows.write(request, { request: login.request, back: back ?? '/sign-in' }))
  })

  // RFC 6749, section 4.1.2: unknown parameters are ignored
  get('/sign-in/callback', ANY_QUERY, async (c) => {
    if (!isSafe(c)) return page(NOT_SAFE)
    const request = c.req.raw
    if (!provider || request.url.length > MAX_CALLBACK)
      return page(plainPage(404, 'Not found', 'Sign-in works in another way here'))
    const flow = await flows.read(request)
    const state = c.req.query('state')
    // Otherwise, a link could sign a person in with someone else's response
    if (!flow || state !== flow.request.state || flow.request.callback !== buildCallbackUrl(c)) {
      const message = 'Sign-in was started in another browser or window, or took too long'
      return refusal(400, message, flow?.back)
    }
    const clearedCookies = flows.clear(request)
    const { back } = flow
    const completion = await (await provider.loadOpenId()).finish(request.url, flow.request)
    if (!completion.ok) {
      const status = completion.why === 'unavailable' ? 502 : 403
      return refusal(status, completion.forOperator ?? completion.message, back, clearedCookies)
    }
    const identity = toPerson(completion.claims, provider.claims)
    if (typeof identity === 'string') {
      const message = `The provider's answer ${identity}: an administrator can name another claim in SIGN_IN_USER`
      return refusal(403, message, back, clearedCookies)
    }
    const person = { ...identity, user: provider.prefix + identity.user }
    const deactivated = `Your company's directory has deactivated '${person.user}': ask those who manage it, such as your IT department`
    const membership = await findMembership(person)
    const principal = toPersonPrincipal(person, provider.rules, membership)
    note(c, 'session.begin', principal, person.user)
    if (!principal) {
      const unmatched = `SIGN_IN_RULES grants '${person.user}' no access: an administrator can add a rule`
      return refusal(403, membership?.isActive === false ? deactivated : unmatched, back, clearedCookies)
    }
    // If this fails, sign-in still works, but tools will ask for consent
    await catchUnreachable(keepSignIn(person.user, completion.tokens, request.url))
    const cookie = await sessions.startSession(
      request,
      { kind: 'person', issuer: provider.issuer, person },
      principal.id,
    )
    // If the person was deactivated in the meantime, this session must not work when they come back
    if ((await findMembership(person))?.isActive === false) {
      await endAccess(person.user, () => undefined)
      return refusal(403, deactivated, back, clearedCookies)
    }
    return redirectResponse(back, [...clearedCookies, cookie])
  })

  async function signInByKey(c: Context, form: URLSearchParams): Promise<Response> {
    if (!isSafe(c)) return page(NOT_SAFE)
    if (provider) return page(plainPage(404, 'Not found', 'Sign in with your identity provider here'))
    const target = readReturnPath(c, form.get('return') ?? undefined)
    if (!target.ok) return page(BAD_RETURN)
    const back = target.path
    const key = form.get('key')?.trim() ?? ''
    const mayBeKey = isKey(key) || key.length >= MIN_ADMIN_KEY_CHARACTERS
    const hash = await sha256(key)
    const holder = mayBeKey ? (await authenticator.loadPrincipal(hash)).result : undefined
    note(c, 'session.begin', holder?.ok ? holder.value : undefined)
    if (holder?.ok !== true) {
      if (holder?.failure.type === 'unavailable') return page(failurePage(holder.failure))
      return page((await pages()).keyPage(back, whyNobody() ?? 'This key is wrong or has expired', 403))
    }
    const cookie = await sessions.startSession(c.req.raw, { kind: 'key', hash }, holder.value.id)
    return redirectResponse(back ?? '/sign-in', [cookie])
  }
  // With a provider, unreadable forms get the same response
  post('/sign-in/key', FORM_LIMIT, signInByKey, provider && 'empty')

  async function signOut(c: Context, form: URLSearchParams): Promise<Response> {
    const { path: back } = readReturnPath(c, form.get('return') ?? undefined)
    const cookie = await sessions.signOut(c.req.raw)
    note(c, 'session.end')
    if (back === undefined) return page((await pages()).signedOutPage(), [cookie])
    return redirectResponse(signInPath(back, true), [cookie])
  }
  post('/sign-out', FORM_LIMIT, signOut, 'empty')

  function whyNobody(): string | undefined {
    return authenticator.hasAdministrator ? undefined : NO_ADMINISTRATOR
  }

  async function refusal(status: 400 | 403 | 502, message: string, back?: string, cookies?: string[]) {
    return page((await pages()).refusedSignInPage(status, message, back), cookies)
  }

  function note(c: Context, action: AuditAction, principal?: AuditDetails['principal'], user?: string): void {
    const isDone = action === 'session.end' || principal !== undefined
    const result = { outcome: isDone ? 'success' : 'refused', status: isDone ? 302 : 403 }
    writeAudit(c, writeAuditEntry, now(), { act: action, principal, user_id: user, ...result })
  }

  return router
}

function isSafe(c: Context): boolean {
  return isSecureOrigin(new URL(c.req.url))
}

/** `ok` is false for another host. */
function readReturnPath(c: Context, text: string | undefined): { ok: boolean; path?: string | undefined } {
  if (text === undefined) return { ok: true }
  const path = returnPath(text, new URL(c.req.url).origin)
  return { ok: path !== undefined, path }
}

function findName(authentication: IdentityProof, principal: string): string {
  return authentication.kind === 'person' ? authentication.person.user : principal
}

function buildCallbackUrl(c: Context): string {
  return `${new URL(c.req.url).origin}/sign-in/callback`
}

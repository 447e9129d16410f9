import { type Context, type ErrorHandler, Hono } from 'hono'
import type { WriteAuditEntry } from '../core/access/audit-entry.ts'
import { type PersonClaims, personOf } from '../core/access/person.ts'
import { principalOfPerson } from '../core/access/session.ts'
import type { SignInRule } from '../core/access/sign-in-rules.ts'
import type { Failing, Failure } from '../core/failure/failure.ts'
import type { Sha256 } from '../core/tool/digest.ts'
import { type Authenticator, MIN_ADMIN_KEY } from '../http/caller/authenticate.ts'
import { isKey } from '../http/caller/key-text.ts'
import { type AuditDetails, writeAudit } from '../http/route/audit.ts'
import { readForm } from '../http/request/body.ts'
import { failurePage, FORM_OF_ANOTHER_SITE, goTo, type Page, page, plainPage } from '../http/page/page.ts'
import { declare, reading } from '../http/route/operation.ts'
import { ANY_QUERY, query, type ReadOf } from '../http/request/query.ts'
import { createMeter } from '../core/tool/budget.ts'
import { optional, string } from '../core/tool/json-reader.ts'
import { isSameOrigin } from '../http/caller/same-origin.ts'
import type { Sessions } from '../http/caller/sessions.ts'
import { isTrustworthy } from '../http/caller/loopback.ts'
import { signInPath } from '../http/page/sign-in-path.ts'
import { type createFlows, MAX_RETURN, returnPath } from './flow-cookie.ts'
import type { OpenId } from './openid.ts'

export interface SignInProvider {
  readonly loadOpenId: () => Promise<OpenId>
  readonly issuer: string
  readonly prefix: string
  readonly claims: PersonClaims
  readonly rules: readonly SignInRule[]
}

export interface SignInFaceDeps {
  readonly sessions: Sessions
  readonly provider: SignInProvider | undefined
  readonly flows: ReturnType<typeof createFlows>
  readonly authenticator: Pick<Authenticator, 'holderOf'>
  readonly sha256: Sha256
  readonly shield: (c: Context) => Failing | undefined
  readonly writeAuditEntry?: WriteAuditEntry
  readonly now: () => number
  readonly onPageError: ErrorHandler
}

/** A key, and a path to go back to, of which form encoding makes nine times as many characters. */
const FORM_LIMIT = 9 * MAX_RETURN + 1_024
const MAX_CALLBACK = 16_384
const pages = () => import('./pages.tsx')

/** Links to the page get further parameters on the way, such as `utm_source`. */
const SIGN_IN = query({ return: optional(string()), again: optional(string()) }, { others: 'ignored' })
const BAD_RETURN = plainPage(400, 'Not understood', 'The page to return to must be on this Switchboard')
const NOT_SAFE = plainPage(400, 'HTTPS required', 'Open this Switchboard over https to sign in')

/** Sign-in by OpenID or by an API key; the browser then goes back to a path of this deployment, never elsewhere. */
export function signInFace({ sessions, provider, flows, authenticator, sha256, ...deps }: SignInFaceDeps): Hono {
  const { shield, writeAuditEntry, now, onPageError } = deps
  const face = new Hono().onError(onPageError)

  const refuse = (_: Context, failure: Failure) => page(failurePage(failure))
  face.get('/sign-in', reading({ query: SIGN_IN }, signIn, refuse))
  async function signIn(c: Context, query: ReadOf<typeof SIGN_IN>): Promise<Response> {
    const refused = unready(c)
    if (refused) return page(refused)
    const request = c.req.raw
    const back = backOf(c, query.return)
    if (back instanceof Error) return page(BAD_RETURN)
    const isAgain = query.again === '1'
    const signed = isAgain ? undefined : await sessions.signedIn(request, () => shield(c))
    if (signed?.ok) {
      if (back !== undefined) return goTo(back)
      return page((await pages()).signedInPage(nameOf(signed.value.session.by, signed.value.principal.id)))
    }
    if (signed && signed.failure.type !== 'unauthenticated') return page(failurePage(signed.failure))
    if (!provider) return page((await pages()).keyPage(back))
    const begun = await (await provider.loadOpenId()).begin(callbackOf(c), isAgain)
    if (!begun.ok) return refusal(502, begun.forOperator ?? begun.message, back)
    return goTo(begun.url, await flows.keep(request, { request: begun.request, back: back ?? '/sign-in' }))
  }

  // RFC 6749, section 4.1.2: unknown parameters are ignored
  face.get('/sign-in/callback', declare({ query: ANY_QUERY }, callback))
  async function callback(c: Context): Promise<Response> {
    const refused = unready(c)
    if (refused) return page(refused)
    const request = c.req.raw
    if (!provider || request.url.length > MAX_CALLBACK)
      return page(plainPage(404, 'Not found', 'Sign-in works in another way here'))
    const flow = await flows.of(request)
    const answered = c.req.query('state')
    // Else a link could sign somebody in with another person's answer
    if (!flow || answered !== flow.request.state || flow.request.callback !== callbackOf(c)) {
      const message = 'Sign-in was started in another browser or window, or took too long'
      return refusal(400, message, flow?.back)
    }
    const ended = flows.end(request)
    const { back } = flow
    const finished = await (await provider.loadOpenId()).finish(request.url, flow.request)
    if (!finished.ok) {
      const status = finished.why === 'unavailable' ? 502 : 403
      return refusal(status, finished.forOperator ?? finished.message, back, ended)
    }
    const named = personOf(finished.claims, provider.claims)
    if (typeof named === 'string') {
      const message = `The provider's answer ${named}: an administrator can name another claim in SIGN_IN_USER`
      return refusal(403, message, back, ended)
    }
    const person = { ...named, user: provider.prefix + named.user }
    const principal = principalOfPerson(person, provider.rules)
    note(c, 'session.begin', principal, person.user)
    if (!principal) {
      const message = `No rule of SIGN_IN_RULES admits '${person.user}': an administrator can add one`
      return refusal(403, message, back, ended)
    }
    const cookie = await sessions.begin(request, { issuer: provider.issuer, person }, principal.id)
    return goTo(back, [...ended, cookie])
  }

  face.post('/sign-in/key', declare({ query: ANY_QUERY }, signInByKey))
  async function signInByKey(c: Context): Promise<Response> {
    const refused = unready(c)
    if (refused) return page(refused)
    if (provider) return page(plainPage(404, 'Not found', 'Sign in with your identity provider here'))
    const request = c.req.raw
    if (!isSameOrigin(request)) return page(FORM_OF_ANOTHER_SITE)
    const form = await readForm(request, FORM_LIMIT, createMeter())
    if (!form.ok) return page(failurePage(form.failure))
    const back = backOf(c, form.value.get('return') ?? undefined)
    if (back instanceof Error) return page(BAD_RETURN)
    const key = form.value.get('key')?.trim() ?? ''
    const mayBeKey = isKey(key) || key.length >= MIN_ADMIN_KEY
    const hash = await sha256(key)
    const holder = mayBeKey ? (await authenticator.holderOf(hash)).result : undefined
    note(c, 'session.begin', holder?.ok ? holder.value : undefined)
    if (holder?.ok !== true) {
      if (holder?.failure.type === 'unavailable') return page(failurePage(holder.failure))
      return page((await pages()).keyPage(back, 'This key is wrong or has expired'))
    }
    const cookie = await sessions.begin(request, { key: hash }, holder.value.id)
    return goTo(back ?? '/sign-in', [cookie])
  }

  face.post('/sign-out', declare({ query: ANY_QUERY }, signOut))
  async function signOut(c: Context): Promise<Response> {
    const limited = shield(c)
    if (limited) return page(failurePage(limited.failure))
    const request = c.req.raw
    if (!isSameOrigin(request)) return page(FORM_OF_ANOTHER_SITE)
    const form = await readForm(request, FORM_LIMIT, createMeter())
    const back = form.ok ? backOf(c, form.value.get('return') ?? undefined) : undefined
    const cookie = await sessions.signOut(request)
    note(c, 'session.end')
    if (back === undefined || back instanceof Error) return page((await pages()).signedOutPage(), [cookie])
    return goTo(signInPath(back, true), [cookie])
  }

  async function refusal(status: 400 | 403 | 502, message: string, back?: string, cookies?: string[]) {
    return page((await pages()).refusedSignInPage(status, message, back), cookies)
  }

  function note(c: Context, act: string, principal?: AuditDetails['principal'], user?: string): void {
    const isDone = act === 'session.end' || principal !== undefined
    const came = { outcome: isDone ? 'success' : 'refused', status: isDone ? 302 : 403 }
    writeAudit(c, writeAuditEntry, now(), { act, principal, user_id: user, ...came })
  }

  function unready(c: Context): Page | undefined {
    const limited = shield(c)
    if (limited) return failurePage(limited.failure)
    return isTrustworthy(new URL(c.req.url)) ? undefined : NOT_SAFE
  }

  return face
}

function backOf(c: Context, text: string | undefined): string | undefined | Error {
  if (text === undefined) return undefined
  return returnPath(text, new URL(c.req.url).origin) ?? new Error('It leads elsewhere')
}

function nameOf(by: Parameters<Sessions['begin']>[1], principal: string): string {
  return 'person' in by ? by.person.user : principal
}

function callbackOf(c: Context): string {
  return `${new URL(c.req.url).origin}/sign-in/callback`
}

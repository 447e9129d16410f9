import type { AuditAction } from '../../core/access/audit-entry.ts'
import type { Context, Hono } from 'hono'
import { mayActFor, type Principal } from '../../core/access/principal.ts'
import { loadFile, type FileStores } from '../../core/call/files.ts'
import {
  type Authorization,
  type Authorizations,
  type FlowStep,
  isOpen,
  type SignedInPerson,
} from '../../core/consent/authorization.ts'
import { fail, ok, type Result } from '../../core/failure/failure.ts'
import { optional, string, hideValue } from '../../core/tool/json-reader.ts'
import { type Clock, waitForChange } from '../../core/tool/wait-for-change.ts'
import { writeAudit } from '../../http/route/audit.ts'
import { BROWSER_COOKIE, readCookie, randomValue, setCookie } from '../../http/caller/cookie.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { ANY_QUERY, defineQuery } from '../../http/request/query.ts'
import { jsonRef, json, objectSchema, TEXT } from '../../http/route/response-specs.ts'
import { createPageRouter, type PagesDeps } from '../../http/route/page-router.ts'
import type { Authorize } from '../../http/route/authorizer.ts'
import { CALLER_ROUTE, createRouter, notFound, NO_INPUT, type RouteDeps } from '../../http/route/router.ts'
import { fileResponse } from '../../http/response/stored-file.ts'
import { redirectResponse, type Page, page, plainPage } from '../../http/page/page.ts'
import {
  createOpenLink,
  findProviderName,
  formatPersonName,
  type OpenedLink,
  type OpenLinkDeps,
  startPath,
} from './open-link.ts'
import type { DeadEnd } from './pages.tsx'
import { confirmation, encodeAuthorization, stepFailure, waitQuery } from './wire.ts'

interface AuthorizationsRoutesDeps extends RouteDeps, OpenLinkDeps, PagesDeps, Clock {
  /** Accepts sessions from pages of this deployment, which poll until a person has decided. */
  readonly authorizePage: Authorize
  readonly authorizations: Authorizations
  readonly files: FileStores
}

const loadPages = () => import('./pages.tsx')

const ACCOUNT_NAME = /^\P{C}{0,64}$/u
/** Credentials are the longest form fields. */
const MAX_FORM_BYTES = 16_384
const MAX_CALLBACK_CHARACTERS = 16_384
/** Only a display hint: the vault knows whether this browser's person was confirmed. */
const CONFIRMED = defineQuery({ confirmed: optional(string(), '') }, { unknown: 'ignore' })
const RESUMED = defineQuery({ proof: optional(hideValue(string()), '') }, { unknown: 'ignore' })

/** Opening an authorization's link changes nothing, so link previews are safe. */
export function createAuthorizationsRoutes(deps: AuthorizationsRoutesDeps): Hono {
  const { authorizations, providers, files, signInMethod, hasVerifier, now, respond, writeAuditEntry } = deps
  const { router, on } = createRouter(deps)
  const waitingRoutes = createRouter({ ...deps, authorize: deps.authorizePage })
  const openLink = createOpenLink(deps)
  const pageRoutes = createPageRouter(deps)

  waitingRoutes.on('GET /authorizations/:id', 'Get a consent request', {
    ...CALLER_ROUTE,
    query: waitQuery,
    responses: { 200: jsonRef('The consent request and its status', 'Authorization') },
  })(async ({ principal, path, query: { wait } }) => {
    const read = () => findVisible(path.id, principal)
    const getState = (result: Result<Authorization>) =>
      result.ok && isOpen(result.value) ? result.value.status : undefined
    const authorization = await waitForChange(read, getState, wait, deps)
    return authorization.ok ? ok(encodeAuthorization(authorization.value)) : authorization
  })

  on('POST /authorizations/:id/confirm', 'Confirm who a user is', {
    ...NO_INPUT,
    // A separate scope, because a caller of tools for a user could otherwise impersonate the user's browser too
    scope: 'users:confirm',
    auditAction: 'authorization.confirm',
    body: jsonBody(confirmation),
    responses: { 200: json('The URL where the browser continues', objectSchema({ next: TEXT })) },
  })(async ({ principal, path: { id }, body: { flow, user_id: userId } }) => {
    if (!mayActFor(principal, userId))
      return fail({ type: 'forbidden', reason: `The credential may not act for the user '${userId}'` })
    const authorization = await findVisible(id, principal)
    if (!authorization.ok) return authorization
    const step = await authorizations.confirm(id, flow, userId)
    return step.ok ? ok({ next: step.location }) : fail(stepFailure(step))
  })

  pageRoutes.get('/authorizations/:id/start', CONFIRMED, async (c, { confirmed }) => {
    const link = await openLink(c)
    if (!link.ok) return respondWithDeadEnd(c, link.page)
    const { authorization, name, provider, person, tool } = link
    const { endedPage, notSetUpPage } = await loadPages()
    if (!isOpen(authorization)) return page(endedPage(authorization, name))
    if (authorization.kind === 'grant' && !provider) return respondWithDeadEnd(c, notSetUpPage(authorization.provider))
    if (authorization.kind === 'grant') return page(await buildGrantPage(link, confirmed !== ''))
    const { approvalPage } = await import('./approval-page.tsx')
    const identifiesPeople = hasVerifier || signInMethod !== 'none'
    return page(
      approvalPage(authorization, { identifiesPeople, tool, signedInAs: person && formatPersonName(person) }, now()),
    )
  })

  // For people who review the call, because they do not have the sender's credential
  pageRoutes.get('/authorizations/:id/files/:file', ANY_QUERY, async (c) => {
    const link = await openLink(c)
    if (!link.ok) return respondWithDeadEnd(c, link.page)
    const { id, invocation, expiresAt } = link.authorization
    const index = c.req.param('file') ?? ''
    const fileSnapshot = /^\d{1,2}$/.test(index) ? invocation?.files[Number(index)] : undefined
    const owner = { principal: invocation?.principal ?? '', userId: invocation?.user }
    const file = fileSnapshot && (await loadFile(fileSnapshot.handle, owner, files))
    const response =
      typeof file === 'object' && (await fileResponse(c.req.raw, file, `file-${index}`, expiresAt / 1_000, now()))
    return response || page((await loadPages()).failedStepPage(NO_FILE, startPath(id)))
  })

  pageRoutes.post('/authorizations/:id/start', MAX_FORM_BYTES, async (c, form) => {
    const link = await openLink(c)
    if (!link.ok) return respondWithDeadEnd(c, link.page)
    const { kind } = link.authorization
    const decision = form.get('decision') ?? (kind === 'grant' ? 'continue' : undefined)
    if (decision === 'refuse') return decide(c, link, false)
    if (kind === 'approval' && decision === 'approve') return decide(c, link, true)
    const account = form.get('account')?.trim() || undefined
    if (account !== undefined && !ACCOUNT_NAME.test(account))
      return page(plainPage(400, 'Not understood', 'An account name has at most 64 characters'))
    if (kind === 'grant' && decision === 'continue') return startGrant(c, link, account)
    if (kind === 'grant' && decision === 'enter') return enterCredential(c, link, form, account)
    return page(plainPage(400, 'Not understood', 'The form has no decision, so nothing has changed'))
  })

  async function decide(c: Context, { authorization, name, person }: OpenedLink, approve: boolean): Promise<Response> {
    const { id, kind } = authorization
    const { visit, cookies } = createVisit(c, person)
    const result = await authorizations.decide(id, { ...visit, approve })
    if ('location' in result) return respondToStep(result, id, cookies)
    const action = approve ? 'approval.approve' : (`${kind}.refuse` as const)
    auditDecision(c, action, authorization, { isSuccess: result.ok, person })
    const { endedPage, refusedPage, failedStepPage } = await loadPages()
    if (!result.ok) return page(failedStepPage(result, startPath(id)), cookies)
    return page(approve ? endedPage(result.authorization, name) : refusedPage(authorization), cookies)
  }

  async function buildGrantPage({ authorization, provider, tool, person }: OpenedLink, isConfirmed: boolean) {
    const visit = { provider, tool, signedInAs: person?.user }
    if (provider?.kind !== undefined && (isConfirmed || !authorization.hasProviderGrant)) {
      const { credentialPage } = await import('./credential-page.tsx')
      const mustConfirm = hasVerifier && person?.user !== authorization.userId && !isConfirmed
      return credentialPage(authorization, { ...visit, provider, mustConfirm }, now())
    }
    const { grantPage } = await import('./grant-page.tsx')
    return grantPage(authorization, visit, now())
  }

  async function enterCredential(c: Context, link: OpenedLink, form: URLSearchParams, account?: string) {
    const { authorization, person, name, provider } = link
    const { id } = authorization
    const { CHECK_FIELD, VALUE_PREFIX } = await import('./credential-page.tsx')
    const fields = provider?.kind === undefined ? [] : provider.fields
    // Passwords may start or end with spaces; copied keys often do by accident
    const readValue = (text: string) => (provider?.kind === 'basic' ? text : text.trim())
    const values = fields.map(
      ({ name: field }) => [field, readValue(form.get(`${VALUE_PREFIX}${field}`) ?? '')] as const,
    )
    const entry = { values: Object.fromEntries(values), checkUrl: form.get(CHECK_FIELD) ?? '' }
    const { visit, cookies } = createVisit(c, person, account)
    const result = await authorizations.enter(id, { ...visit, entry })
    if ('location' in result) return respondToStep(result, id, cookies)
    const { connectedPage, failedStepPage } = await loadPages()
    if (!result.ok) return page(failedStepPage(result, `${startPath(id)}?confirmed=yes`), cookies)
    auditDecision(c, 'grant.give', authorization, { isSuccess: true, person })
    return page(connectedPage(result.authorization, name, result.answeredAs), cookies)
  }

  async function startGrant(c: Context, { authorization, provider, person }: OpenedLink, account?: string) {
    if (!provider) return respondWithDeadEnd(c, (await loadPages()).notSetUpPage(authorization.provider))
    const { visit, cookies } = createVisit(c, person, account)
    const step = await authorizations.start(authorization.id, visit)
    return respondToStep(step, authorization.id, cookies)
  }

  pageRoutes.get('/authorizations/:id/resume', RESUMED, async (c, { proof }) => {
    const link = await openLink(c)
    if (!link.ok) return respondWithDeadEnd(c, link.page)
    const { id } = link.authorization
    const browser = readCookie(c.req.raw, BROWSER_COOKIE)
    if (browser === undefined) return page((await loadPages()).failedStepPage(NO_BROWSER, startPath(id)))
    return respondToStep(
      await authorizations.resume(id, { browserCookie: browser, callback: buildCallbackUrl(c), proof }),
      id,
    )
  })

  // RFC 6749, section 4.1.2: unknown parameters are ignored, and repeated ones are refused when they are read
  pageRoutes.get('/oauth/callback', ANY_QUERY, async (c) => {
    const { url } = c.req
    if (url.length > MAX_CALLBACK_CHARACTERS || !c.req.query('state')) {
      const message =
        'The provider sent you back without saying which request this is about. Ask your agent to try again'
      return page(plainPage(400, 'Not understood', message))
    }
    const { endedPage, failedStepPage } = await loadPages()
    const browser = readCookie(c.req.raw, BROWSER_COOKIE)
    const result = await authorizations.finish({ url, browserCookie: browser, callback: buildCallbackUrl(c) })
    if (!result.ok) return page(failedStepPage(result))
    auditDecision(c, 'grant.give', result.authorization, { isSuccess: true })
    return page(endedPage(result.authorization, await findProviderName(result.authorization.provider, providers)))
  })

  router.route('/', waitingRoutes.router).route('/', pageRoutes.router)

  /** Responds with a page for people, or the same message if a program requests JSON. */
  function respondWithDeadEnd(c: Context, deadEnd: Page | DeadEnd): Response | Promise<Response> {
    const accepts = c.req.header('accept') ?? ''
    if (!('text' in deadEnd) || !accepts.includes('json') || accepts.includes('html')) return page(deadEnd)
    return respond({ type: deadEnd.status === 409 ? 'conflict' : 'not-found', message: deadEnd.text })
  }

  function auditDecision(
    c: Context,
    act: AuditAction,
    { userId, provider, tool }: Authorization,
    { isSuccess, person }: { readonly isSuccess: boolean; readonly person?: SignedInPerson | undefined },
  ): void {
    const principal = person && { id: person.principal, name: person.name }
    const result = isSuccess ? { outcome: 'success', status: 200 } : { outcome: 'refused', status: 403 }
    writeAudit(c, writeAuditEntry, now(), { act, principal, user_id: userId, ...result, about: { provider, tool } })
  }

  /** Finds an authorization, which exists only for callers who may act for its user. */
  async function findVisible(id: string, principal: Principal): Promise<Result<Authorization>> {
    const authorization = await authorizations.find(id)
    const mayRead = authorization && (authorization.userId === undefined || mayActFor(principal, authorization.userId))
    return mayRead ? ok(authorization) : notFound('authorization', id)
  }

  return router
}

const NO_FILE = { ok: false, why: 'expired', message: 'This file does not exist, or has expired' } as const

const NO_BROWSER = {
  ok: false,
  why: 'other-browser',
  message: 'This link was opened in another browser, or too long ago',
} as const

async function respondToStep(step: FlowStep, id: string, cookies: readonly string[] = []): Promise<Response> {
  return step.ok
    ? redirectResponse(step.location, cookies)
    : page((await loadPages()).failedStepPage(step, startPath(id)), cookies)
}

/** Sets the cookie by which vaults identify browsers if it is missing. */
function createVisit(c: Context, person: SignedInPerson | undefined, account?: string) {
  const browserCookie = readCookie(c.req.raw, BROWSER_COOKIE) ?? randomValue()
  const identity = { ...(person ? { person } : {}), ...(account === undefined ? {} : { account }) }
  const visit = { ...identity, browserCookie, callback: buildCallbackUrl(c) }
  return { visit, cookies: [setCookie(c.req.raw, BROWSER_COOKIE, browserCookie)] }
}

function buildCallbackUrl(c: Context): string {
  return `${new URL(c.req.url).origin}/oauth/callback`
}

import type { AuditAction } from '../../core/access/audit-entry.ts'
import type { Context, Hono } from 'hono'
import { mayActFor, type Principal } from '../../core/access/principal.ts'
import { loadFile, type FileStores } from '../../core/call/files.ts'
import type { Authorization, Authorizations, SignedInPerson, FlowStep } from '../../core/consent/authorization.ts'
import { fail, ok, type Result } from '../../core/failure/failure.ts'
import { optional, string, hideValue } from '../../core/tool/json-reader.ts'
import { writeAudit } from '../../http/route/audit.ts'
import { BROWSER_COOKIE, readCookie, randomValue, setCookie } from '../../http/caller/cookie.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { ANY_QUERY, query } from '../../http/request/query.ts'
import { jsonRef, json, objectSchema, TEXT } from '../../http/route/response-specs.ts'
import { createPageRouter, type PagesDeps } from '../../http/route/page-router.ts'
import type { Authorize } from '../../http/route/authorizer.ts'
import { CALLER, createRouter, notFound, NO_INPUT, type RouteDeps } from '../../http/route/router.ts'
import { fileResponse } from '../../http/response/stored-file.ts'
import { redirectResponse, type Page, page, plainPage } from '../../http/page/page.ts'
import { createOpenLink, findProviderName, type OpenLinkDeps, formatPersonName, loadStartPage } from './open-link.ts'
import type { DeadEnd } from './pages.tsx'
import { confirmation, encodeAuthorization, stepFailure, waitQuery } from './wire.ts'

export interface AuthorizationsRoutesDeps extends RouteDeps, OpenLinkDeps, PagesDeps {
  /** Takes sessions from pages of this deployment, which wait there until a person has decided. */
  readonly authorizePage: Authorize
  readonly authorizations: Authorizations
  readonly files: FileStores
  readonly identifiesPeople: boolean
}

const pages = () => import('./pages.tsx')

const ACCOUNT_NAME = /^\P{C}{0,64}$/u
const FORM_LIMIT = 4_096
const MAX_CALLBACK = 16_384
const RESUMED = query({ proof: optional(hideValue(string()), '') }, { others: 'ignored' })

/** Opening a page changes nothing, so that no preview of a link can. */
export function createAuthorizationsRoutes(deps: AuthorizationsRoutesDeps): Hono {
  const { authorizations, providers, files, identifiesPeople, now, respond, writeAuditEntry } = deps
  const { router, on } = createRouter(deps)
  const pageRoutes = createRouter({ ...deps, gate: deps.authorizePage })
  const open = createOpenLink(deps)
  const forPeople = createPageRouter(deps)

  pageRoutes.on('GET /authorizations/:id', 'Get a consent request', {
    ...CALLER,
    query: waitQuery,
    answers: { 200: jsonRef('The consent request and its status', 'Authorization') },
  })(async ({ principal, path, query: { wait } }) => {
    const found = await visible(path.id, principal)
    if (!found.ok) return found
    const { id, status } = found.value
    const isOver = status === 'completed' || status === 'failed'
    const latest = wait === 0 || isOver ? found.value : await authorizations.waitForChange(id, status, wait)
    return latest ? ok(encodeAuthorization(latest)) : notFound('authorization', id)
  })

  on('POST /authorizations/:id/confirm', 'Confirm who a user is', {
    ...NO_INPUT,
    // A scope of its own: whoever calls tools for a user could otherwise take the part of the user's browser too
    scope: 'users:confirm',
    act: 'authorization.confirm',
    body: jsonBody(confirmation),
    answers: { 200: json('The URL where the browser continues', objectSchema({ next: TEXT })) },
  })(async ({ principal, path: { id }, body: { flow, user_id: userId } }) => {
    if (!mayActFor(principal, userId))
      return fail({ type: 'forbidden', reason: `The credential may not act for the user '${userId}'` })
    const found = await visible(id, principal)
    if (!found.ok) return found
    const step = await authorizations.confirm(id, flow, userId)
    return step.ok ? ok({ next: step.location }) : fail(stepFailure(step))
  })

  forPeople.get('/authorizations/:id/start', ANY_QUERY, async (c) => {
    const opened = await open(c)
    if ('status' in opened) return stop(c, opened)
    const { authorization, name, provider, person, tool } = opened
    const { endedPage, notSetUpPage } = await pages()
    if (authorization.status === 'completed' || authorization.status === 'failed')
      return page(endedPage(authorization, name))
    if (authorization.kind === 'grant' && !provider) return stop(c, notSetUpPage(authorization.provider))
    if (authorization.kind === 'grant') {
      const { grantPage } = await import('./grant-page.tsx')
      return page(grantPage(authorization, { provider, tool, findSession: person?.user }, now()))
    }
    const { approvalPage } = await import('./approval-page.tsx')
    return page(
      approvalPage(authorization, { identifiesPeople, tool, findSession: person && formatPersonName(person) }, now()),
    )
  })

  // For whoever is shown the call, as the sender's credential is not theirs
  forPeople.get('/authorizations/:id/files/:file', ANY_QUERY, async (c) => {
    const opened = await open(c)
    if ('status' in opened) return stop(c, opened)
    const { id, invocation, expiresAt } = opened.authorization
    const number = c.req.param('file') ?? ''
    const shown = /^\d{1,2}$/.test(number) ? invocation?.files[Number(number)] : undefined
    const owner = { principal: invocation?.principal ?? '', userId: invocation?.user }
    const found = shown && (await loadFile(shown.handle, owner, files))
    const response =
      typeof found === 'object' && (await fileResponse(c.req.raw, found, `file-${number}`, expiresAt / 1_000, now()))
    return response || page((await pages()).stoppedPage(NO_FILE, loadStartPage(id)))
  })

  forPeople.post('/authorizations/:id/start', FORM_LIMIT, async (c, form) => {
    const request = c.req.raw
    const opened = await open(c)
    if ('status' in opened) return stop(c, opened)
    const { authorization, name, provider, person } = opened
    const { endedPage, notSetUpPage, refusedPage, stoppedPage } = await pages()
    const visitor = person ? { person } : {}
    const { id, kind } = authorization
    const decision = form.get('decision') ?? (kind === 'grant' ? 'continue' : undefined)
    const browser = readCookie(request, BROWSER_COOKIE) ?? randomValue()
    const cookies = [setCookie(request, BROWSER_COOKIE, browser)]
    if (decision === 'refuse' || (kind === 'approval' && decision === 'approve')) {
      const approve = decision === 'approve'
      const ended = await authorizations.decide(id, { ...visitor, browser, callback: buildCallbackUrl(c), approve })
      if ('location' in ended) return go(ended, id, cookies)
      const decided = approve ? 'approval.approve' : kind === 'approval' ? 'approval.refuse' : 'grant.refuse'
      writeAudit(
        c,
        writeAuditEntry,
        now(),
        buildAuditDetails(decided, authorization, ended.ok || decision === 'refuse', person),
      )
      if (decision === 'refuse' && (ended.ok || ended.why === 'refused'))
        return page(refusedPage(authorization), cookies)
      if (!ended.ok) return page(stoppedPage(ended, loadStartPage(id)), cookies)
      return page(endedPage(ended.authorization, name), cookies)
    }
    if (kind === 'grant' && decision === 'continue') {
      if (!provider) return stop(c, notSetUpPage(authorization.provider))
      const account = form.get('account')?.trim() ?? ''
      if (!ACCOUNT_NAME.test(account))
        return page(plainPage(400, 'Not understood', 'An account name has at most 64 characters'))
      const named = account === '' ? {} : { account }
      return go(
        await authorizations.start(id, { ...visitor, browser, callback: buildCallbackUrl(c), ...named }),
        id,
        cookies,
      )
    }
    return page(plainPage(400, 'Not understood', 'The form has no decision, so nothing has changed'))
  })

  forPeople.get('/authorizations/:id/resume', RESUMED, async (c, { proof }) => {
    const opened = await open(c)
    if ('status' in opened) return stop(c, opened)
    const { id } = opened.authorization
    const browser = readCookie(c.req.raw, BROWSER_COOKIE)
    if (browser === undefined) return page((await pages()).stoppedPage(NO_BROWSER, loadStartPage(id)))
    return go(await authorizations.resume(id, { browser, callback: buildCallbackUrl(c), proof }), id)
  })

  // RFC 6749, section 4.1.2: additions of providers are ignored, and parameters said twice are refused where they are read
  forPeople.get('/oauth/callback', ANY_QUERY, async (c) => {
    const { url } = c.req
    if (url.length > MAX_CALLBACK || !c.req.query('state')) {
      const message =
        'The provider sent you back without saying which request this is about. Ask your agent to try again'
      return page(plainPage(400, 'Not understood', message))
    }
    const { endedPage, stoppedPage } = await pages()
    const ended = await authorizations.finish({
      url,
      browser: readCookie(c.req.raw, BROWSER_COOKIE),
      callback: buildCallbackUrl(c),
    })
    if (!ended.ok) return page(stoppedPage(ended))
    writeAudit(c, writeAuditEntry, now(), buildAuditDetails('grant.give', ended.authorization, true))
    return page(endedPage(ended.authorization, await findProviderName(ended.authorization.provider, providers)))
  })

  router.route('/', pageRoutes.router).route('/', forPeople.router)

  /** These are pages for people; a program that asks for JSON is told the same. */
  function stop(c: Context, shown: Page | DeadEnd): Response | Promise<Response> {
    const accepts = c.req.header('accept') ?? ''
    if (!('said' in shown) || !accepts.includes('json') || accepts.includes('html')) return page(shown)
    return respond({ type: shown.status === 409 ? 'conflict' : 'not-found', message: shown.said })
  }

  /** An authorization exists only for callers who may act for its user. */
  async function visible(id: string, principal: Principal): Promise<Result<Authorization>> {
    const found = await authorizations.find(id)
    const isTheirs = found && (found.userId === undefined || mayActFor(principal, found.userId))
    return isTheirs ? ok(found) : notFound('authorization', id)
  }

  return router
}

function buildAuditDetails(
  act: AuditAction,
  { userId, provider, tool }: Authorization,
  isDone: boolean,
  person?: SignedInPerson,
) {
  const principal = person && { id: person.principal, name: person.name }
  const about = { provider, tool }
  return { act, principal, user_id: userId, outcome: isDone ? 'success' : 'refused', status: isDone ? 200 : 403, about }
}

const NO_FILE = { ok: false, why: 'gone', message: 'This file does not exist, or has expired' } as const

const NO_BROWSER = {
  ok: false,
  why: 'other-browser',
  message: 'This link was opened in another browser, or too long ago',
} as const

async function go(step: FlowStep, id: string, cookies: readonly string[] = []): Promise<Response> {
  return step.ok
    ? redirectResponse(step.location, cookies)
    : page((await pages()).stoppedPage(step, loadStartPage(id)), cookies)
}

function buildCallbackUrl(c: Context): string {
  return `${new URL(c.req.url).origin}/oauth/callback`
}

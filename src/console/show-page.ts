import { hasScope, type Principal } from '../core/access/principal.ts'
import type { Failure } from '../core/failure/failure.ts'
import { createRequestBudget } from '../core/tool/budget.ts'
import { readForm } from '../http/request/body.ts'
import { requestMemory } from '../http/request/request-memory.ts'
import { getBackground, type Authorize, type RouteContext } from '../http/route/authorizer.ts'
import { failurePage, FORM_OF_ANOTHER_SITE, redirectResponse, page } from '../http/page/page.ts'
import { signInPath } from '../http/page/sign-in-path.ts'
import { layout } from './layout.tsx'
import type { CurlRequest } from '../docs/curl.ts'
import type { PageEntry, PageContext, RequestParts } from './visit.ts'
import { followedCall, readReply } from './reply.ts'
import { NO_SUCH_NAME, scopePage, welcomePage } from './cards.tsx'

export interface AnswerDeps {
  /** Lets in whoever is signed in, or else anybody the deployment lets in without; takes forms of our own pages alone. */
  readonly gate: Authorize
  readonly send: (c: RouteContext, principal: Principal, request: Request) => Promise<Response>
}

export type Answer = (c: RouteContext, entry: PageEntry, params: Readonly<Record<string, string>>) => Promise<Response>

/** In characters: no name that a route takes makes a longer one. */
const MAX_PATH = 8_192
/** In bytes: a tool's input at its largest fits, or a description that is imported. */
const FORM_LIMIT = 4 * 1024 * 1024

export function createAnswer({ gate, send }: AnswerDeps): Answer {
  return async (c, entry, params) => {
    const request = c.req.raw
    const caller = await gate(c, undefined)
    if (!caller.ok) return refuse(request, caller.failure)
    const principal = caller.value
    const missing = entry.scope && !hasScope(principal, entry.scope) ? entry.scope : undefined
    if (principal.kind === 'anonymous' && (entry.isPrivate || missing)) return goToSignIn(request)
    if (missing) return page(scopePage(missing))
    const isForm = request.method === 'POST'
    const meter = createRequestBudget()
    const memory = requestMemory.open({ principal, request, background: getBackground(c), use: 'form' })
    const form = isForm ? await readForm(request, { limit: FORM_LIMIT, budget: meter, memory }) : undefined
    if (form?.ok === false) {
      memory.release()
      return page(failurePage(form.failure))
    }
    const made: CurlRequest[] = []
    const url = new URL(request.url)
    const make = requester(c, principal, url, made)
    const visit: PageContext = {
      principal,
      url,
      params,
      form: form?.value ?? new URLSearchParams(),
      meter,
      isOpen: principal.id === 'open',
      fetchRoute: async (route, ...[parts]) => readReply(await make(route, parts)),
      async follow(route, body) {
        return followedCall(await make(route, { body }, 'application/json, text/event-stream'))
      },
    }
    const module = await entry.load()
    try {
      const result = await (isForm && module.act ? module.act(visit) : module.show(visit))
      return 'redirectTo' in result ? redirectResponse(result.redirectTo) : await layout(result, { visit, entry, made })
    } catch (error) {
      if (!(error instanceof StrayPath)) throw error
      return page(NO_SUCH_NAME)
    } finally {
      memory.release()
    }
  }

  function requester(c: RouteContext, principal: Principal, url: URL, made: CurlRequest[]) {
    const { headers: received, signal } = c.req.raw
    const address = received.get('cf-connecting-ip')
    return async (route: string, request: RequestParts = {}, accept?: string): Promise<Response> => {
      const [method = '', template = ''] = route.split(' ')
      const { query, etag, body: value } = request
      const names: ReadonlyMap<string, unknown> = new Map(Object.entries(request))
      const filled = template.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(names.get(name))))
      if (filled.length > MAX_PATH) throw new StrayPath()
      const search = String(query ?? '')
      const path = search === '' ? filled : `${filled}${filled.includes('?') ? '&' : '?'}${search}`
      const target = new URL(path, url)
      // A thing named `..` would make another path of its route's
      if (target.origin !== url.origin || target.pathname !== path.split('?')[0]) throw new StrayPath()
      const body = value === undefined ? undefined : JSON.stringify(value)
      // It comes back from a form, so it may hold what no header can
      const ifMatch = etag === undefined ? undefined : `"${encodeURIComponent(etag.slice(0, MAX_PATH))}"`
      made.push({ method, path, body, accept, ifMatch })
      const headers = new Headers({ accept: accept ?? 'application/json' })
      if (body !== undefined) headers.set('content-type', 'application/json')
      if (ifMatch !== undefined) headers.set('if-match', ifMatch)
      // The rates of clients hold for requests of their pages too
      if (address !== null) headers.set('cf-connecting-ip', address)
      return send(
        c,
        principal,
        new Request(target, { method, headers, signal, ...(body === undefined ? {} : { body }) }),
      )
    }
  }
}

function refuse(request: Request, failure: Failure): Response | Promise<Response> {
  if (failure.type === 'forbidden') return page(FORM_OF_ANOTHER_SITE)
  if (failure.type !== 'unauthenticated') return page(failurePage(failure))
  return new URL(request.url).pathname === '/' ? page(welcomePage()) : goToSignIn(request)
}

function goToSignIn({ url }: Request): Response {
  const { pathname, search } = new URL(url)
  return redirectResponse(signInPath(pathname + search))
}

class StrayPath extends Error {}

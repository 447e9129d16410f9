import { hasScope, type Principal } from '../core/access/principal.ts'
import type { ApiAnswers } from '../api/answers.ts'
import type { Failure } from '../core/failure/failure.ts'
import { readForm } from '../http/request/body.ts'
import { requestMemory } from '../http/request/request-memory.ts'
import { getBackground, type Authorize, type RouteContext } from '../http/route/authorizer.ts'
import { failurePage, FORM_OF_ANOTHER_SITE, redirectResponse, page } from '../http/page/page.ts'
import { signInPath } from '../http/page/sign-in-path.ts'
import { renderLayout } from './layout.tsx'
import { type CurlRequest, MAX_COPIED_CHARACTERS } from '../docs/curl.ts'
import type { PageEntry, PageContext, RequestParts } from './page-context.ts'
import { buildQuery } from './query.ts'
import { readStartedCall, readReply } from './reply.ts'
import { UNKNOWN_NAME_PAGE, buildScopePage, buildWelcomePage } from './cards.tsx'

export interface ShowPageDeps {
  /** Authenticates the visitor, or admits an anonymous one if the deployment does. Accepts only forms from our own pages. */
  readonly authorize: Authorize
  readonly send: (c: RouteContext, principal: Principal, request: Request) => Promise<Response>
}

export type ShowPage = (c: RouteContext, entry: PageEntry, params: PageContext['params']) => Promise<Response>

/** Names that routes accept do not make longer paths. */
const MAX_PATH_CHARACTERS = 8_192
/** Fits the largest input of a tool. */
const MAX_FORM_BYTES = 4 * 1024 * 1024
/** Fits the largest body of `POST /toolkits/import`, with the other fields. */
const MAX_FILE_FORM_BYTES = 17 * 1024 * 1024

export function createShowPage({ authorize, send }: ShowPageDeps): ShowPage {
  return async (c, entry, params) => {
    const request = c.req.raw
    const caller = await authorize(c, undefined)
    if (!caller.ok) return respondToDenial(request, caller.failure)
    const principal = caller.value
    const missing = entry.scope && !hasScope(principal, entry.scope) ? entry.scope : undefined
    if (principal.kind === 'anonymous' && (entry.isPrivate || missing)) return redirectToSignIn(request)
    if (missing) return page(buildScopePage(missing))
    const isForm = request.method === 'POST'
    const memory = requestMemory.open({ principal, request, background: getBackground(c), use: 'form' })
    const fileLimit = entry.takesFile ? MAX_FILE_FORM_BYTES : undefined
    const form = isForm ? await readForm(request, { limit: MAX_FORM_BYTES, memory, fileLimit }) : undefined
    if (form?.ok === false) {
      memory.release()
      return page(failurePage(form.failure))
    }
    const requests: CurlRequest[] = []
    const url = new URL(request.url)
    const fetchRoute = createRouteFetcher(c, principal, url, requests)
    const context: PageContext = {
      principal,
      url,
      params,
      form: form?.value ?? new URLSearchParams(),
      isOpen: principal.id === 'open',
      fetchRoute: async (route, ...[parts]) => readReply(await fetchRoute(route, parts)),
      async startCall(route, body) {
        const leaving = new AbortController()
        const response = fetchRoute(route, { body }, 'application/json, text/event-stream', leaving.signal)
        // A call that runs at most once continues if its reader leaves
        getBackground(c)(response)
        return readStartedCall(response, () => leaving.abort())
      },
    }
    // Runs in parallel with the page, which does not show its request
    const pendingCount = hasScope(principal, 'tools:publish')
      ? countPending(createRouteFetcher(c, principal, url, [])).catch(() => '')
      : ''
    const module = await entry.load()
    let isStreamed = false
    try {
      const result = await (isForm && module.submit ? module.submit(context) : module.show(context))
      if ('redirectTo' in result) return redirectResponse(result.redirectTo)
      const response = await renderLayout(result, {
        context,
        entry,
        requests,
        pendingCount: await pendingCount,
        onStreamEnd: memory.release,
      })
      isStreamed = result.live !== undefined
      return response
    } catch (error) {
      if (!(error instanceof StrayPath)) throw error
      return page(UNKNOWN_NAME_PAGE)
    } finally {
      if (!isStreamed) memory.release()
    }
  }

  function createRouteFetcher(c: RouteContext, principal: Principal, url: URL, requests: CurlRequest[]) {
    const { headers: receivedHeaders, signal } = c.req.raw
    const address = receivedHeaders.get('cf-connecting-ip')
    return async (
      route: string,
      request: RequestParts = {},
      accept?: string,
      cancelSignal?: AbortSignal,
    ): Promise<Response> => {
      const [method = '', template = ''] = route.split(' ')
      const { query, etag, body: value } = request
      const names: ReadonlyMap<string, unknown> = new Map(Object.entries(request))
      const pathname = template.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(names.get(name))))
      if (pathname.length > MAX_PATH_CHARACTERS) throw new StrayPath()
      const search = String(query ?? '')
      const path = search === '' ? pathname : `${pathname}${pathname.includes('?') ? '&' : '?'}${search}`
      const target = new URL(path, url)
      // An item named `..` would result in another path
      if (target.origin !== url.origin || target.pathname !== path.split('?')[0]) throw new StrayPath()
      const body = value === undefined ? undefined : JSON.stringify(value)
      // It comes from a form, so it may contain characters that headers do not allow; a digest has a colon
      const ifMatch = etag === undefined ? undefined : `"${encodeURI(etag.slice(0, MAX_PATH_CHARACTERS))}"`
      // Several large bodies could exhaust memory
      const shownBody = (body?.length ?? 0) > MAX_COPIED_CHARACTERS ? '@body.json' : body
      requests.push({ method, path, body: shownBody, accept, ifMatch })
      const headers = new Headers({ accept: accept ?? 'application/json' })
      if (body !== undefined) headers.set('content-type', 'application/json')
      if (ifMatch !== undefined) headers.set('if-match', ifMatch)
      // Requests of a page count against its client's rate limits
      if (address !== null) headers.set('cf-connecting-ip', address)
      return send(
        c,
        principal,
        new Request(target, {
          method,
          headers,
          signal: cancelSignal ? AbortSignal.any([signal, cancelSignal]) : signal,
          ...(body === undefined ? {} : { body }),
        }),
      )
    }
  }
}

const MAX_PENDING_COUNT = 9

/** Counts the versions that wait for the principal's review: a number, `9+`, or nothing. */
async function countPending(fetchRoute: (route: string, request: RequestParts) => Promise<Response>): Promise<string> {
  const query = buildQuery({ status: 'pending', format: 'summary', limit: String(MAX_PENDING_COUNT) })
  const response = await fetchRoute('GET /tools', { query })
  const reply = await readReply<ApiAnswers['GET /tools']>(response)
  const { items, next_cursor: next } = reply.ok ? reply.value : { items: [] }
  return next === undefined ? String(items.length || '') : `${MAX_PENDING_COUNT}+`
}

function respondToDenial(request: Request, failure: Failure): Response | Promise<Response> {
  if (failure.type === 'forbidden') return page(FORM_OF_ANOTHER_SITE)
  if (failure.type !== 'unauthenticated') return page(failurePage(failure))
  return new URL(request.url).pathname === '/' ? page(buildWelcomePage()) : redirectToSignIn(request)
}

function redirectToSignIn({ url }: Request): Response {
  const { pathname, search } = new URL(url)
  return redirectResponse(signInPath(pathname + search))
}

class StrayPath extends Error {}

import { type Context, type ErrorHandler, Hono, type Next } from 'hono'
import { declareOperation } from '../http/route/operation.ts'
import { redirectResponse } from '../http/page/page.ts'
import { ANY_QUERY } from '../http/request/query.ts'
import type { ShowPage, ShowPageDeps } from './show-page.ts'
import { NO_PAGE, PAGES } from './pages.ts'

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b5a4a"/><path d="M4 5h8M4 11h8" stroke="#fff" stroke-width="1.5"/><circle cx="6" cy="5" r="2" fill="#fff"/><circle cx="10" cy="11" r="2" fill="#fff"/></svg>`

/** The pages for people: `GET /` in a browser, and `/console/…`. Other clients get the next handler of `/`. */
export function createConsole({ onPageError, ...deps }: ShowPageDeps & { readonly onPageError: ErrorHandler }) {
  const router = new Hono().onError(onPageError)
  let showPage: ShowPage | undefined
  const loadShowPage = async () => (showPage ??= (await import('./show-page.ts')).createShowPage(deps))
  for (const entry of PAGES) {
    const showEntry = async (c: Context) => (await loadShowPage())(c, entry, c.req.param())
    const show = async (c: Context, next: Next) => (entry.path === '/' && !isBrowser(c) ? next() : showEntry(c))
    router.get(entry.path, declareOperation({ query: ANY_QUERY }, show))
    if (entry.hasForm) router.post(entry.path, declareOperation({ query: ANY_QUERY }, showEntry))
  }
  router.get(
    '/console',
    declareOperation({ query: ANY_QUERY }, () => redirectResponse('/')),
  )
  const icon = { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' }
  router.get(
    '/favicon.ico',
    declareOperation({ query: ANY_QUERY }, () => new Response(ICON, { headers: icon })),
  )
  /** Handles unknown paths: browsers get a page, other clients the response of `fallback`. */
  const notFound = (fallback: (c: Context) => Promise<Response>) => async (c: Context) => {
    const response = await fallback(c)
    const isMissing = response.status === 404 || response.status === 401
    return isMissing && c.req.method === 'GET' && isBrowser(c) ? (await loadShowPage())(c, NO_PAGE, {}) : response
  }
  return { router, notFound }
}

/** Programs accept anything, or formats other than HTML. */
function isBrowser(c: Context): boolean {
  return /\btext\/html\b/i.test(c.req.header('accept') ?? '')
}

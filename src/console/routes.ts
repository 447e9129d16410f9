import { type Context, type ErrorHandler, Hono, type Next } from 'hono'
import { declareOperation } from '../http/route/operation.ts'
import { redirectResponse } from '../http/page/page.ts'
import { ANY_QUERY } from '../http/request/query.ts'
import type { Answer, AnswerDeps } from './show-page.ts'
import { NO_PAGE, PAGES } from './pages.ts'

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b5a4a"/><path d="M4 5h8M4 11h8" stroke="#fff" stroke-width="1.5"/><circle cx="6" cy="5" r="2" fill="#fff"/><circle cx="10" cy="11" r="2" fill="#fff"/></svg>`

/** `GET /` in a browser, and `/console/…`: the pages that people see. Other clients get the next handler of `/`. */
export function createConsole({ onPageError, ...deps }: AnswerDeps & { readonly onPageError: ErrorHandler }) {
  const router = new Hono().onError(onPageError)
  let loaded: Answer | undefined
  const load = async () => (loaded ??= (await import('./show-page.ts')).createAnswer(deps))
  for (const entry of PAGES) {
    const answer = async (c: Context) => (await load())(c, entry, c.req.param())
    const show = async (c: Context, next: Next) => (entry.path === '/' && !isBrowser(c) ? next() : answer(c))
    router.get(entry.path, declareOperation({ query: ANY_QUERY }, show))
    if (entry.hasForm) router.post(entry.path, declareOperation({ query: ANY_QUERY }, answer))
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
  /** Answers what no route takes: a browser with a page, everything else by `otherwise`. */
  const notFound = (otherwise: (c: Context) => Promise<Response>) => async (c: Context) => {
    const answer = await otherwise(c)
    const isNone = answer.status === 404 || answer.status === 401
    return isNone && c.req.method === 'GET' && isBrowser(c) ? (await load())(c, NO_PAGE, {}) : answer
  }
  return { router, notFound }
}

/** Programs accept anything, or something else than HTML. */
function isBrowser(c: Context): boolean {
  return /\btext\/html\b/i.test(c.req.header('accept') ?? '')
}

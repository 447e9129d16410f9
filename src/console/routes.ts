import { type Context, type ErrorHandler, Hono, type Next } from 'hono'
import { declare } from '../http/route/operation.ts'
import { goTo } from '../http/page/page.ts'
import { ANY_QUERY } from '../http/request/query.ts'
import type { Answer, AnswerDeps } from './show-page.ts'
import { NO_PAGE, PAGES } from './pages.ts'

export interface ConsoleDeps extends AnswerDeps {
  readonly onPageError: ErrorHandler
}

export interface Console {
  readonly face: Hono
  /** Answers what no route takes: a browser below `/console/` with a page, everything else by `otherwise`. */
  notFound(otherwise: (c: Context) => Promise<Response>): (c: Context) => Promise<Response>
}

/** `GET /` in a browser, and `/console/…`: the pages that people see. Other clients get the next handler of `/`. */
export function createConsole({ onPageError, ...deps }: ConsoleDeps): Console {
  const face = new Hono().onError(onPageError)
  let loaded: Answer | undefined
  const load = async () => (loaded ??= (await import('./show-page.ts')).createAnswer(deps))
  for (const entry of PAGES) {
    const answer = async (c: Context) => (await load())(c, entry, c.req.param())
    const show = async (c: Context, next: Next) => (entry.path === '/' && !isBrowser(c) ? next() : answer(c))
    face.get(entry.path, declare({ query: ANY_QUERY }, show))
    if (entry.hasForm) face.post(entry.path, declare({ query: ANY_QUERY }, answer))
  }
  face.get(
    '/console',
    declare({ query: ANY_QUERY }, () => goTo('/')),
  )
  const notFound: Console['notFound'] = (otherwise) => async (c) => {
    const isPage = c.req.method === 'GET' && c.req.path.startsWith('/console/') && isBrowser(c)
    return isPage ? (await load())(c, NO_PAGE, {}) : otherwise(c)
  }
  return { face, notFound }
}

/** Programs accept anything, or something else than HTML. */
function isBrowser(c: Context): boolean {
  return /\btext\/html\b/i.test(c.req.header('accept') ?? '')
}

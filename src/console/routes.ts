import { type Context, type ErrorHandler, Hono, type Next } from 'hono'
import { declare } from '../http/route/operation.ts'
import { goTo } from '../http/page/page.ts'
import { ANY_QUERY } from '../http/request/query.ts'
import type { Answer, AnswerDeps } from './answer.ts'
import { NO_PAGE, PAGES } from './pages.ts'

export interface ConsoleDeps extends AnswerDeps {
  /** Shows a person that something did not work. */
  readonly onPageError: ErrorHandler
}

export interface Console {
  readonly face: Hono
  /** Answers what no route takes: a browser, below `/console/`, with a page that says so, and all else as `otherwise` does. */
  notFound(otherwise: (c: Context) => Promise<Response>): (c: Context) => Promise<Response>
}

/**
 * `GET /` in a browser, and `/console/…`: the pages that people see. `/` is somebody else's for clients that do not ask for
 * HTML. Every page asks the deployment's own routes for what it shows, and has them do what its form says.
 */
export function createConsole({ onPageError, ...deps }: ConsoleDeps): Console {
  const face = new Hono().onError(onPageError)
  let loaded: Answer | undefined
  const load = async () => (loaded ??= (await import('./answer.ts')).createAnswer(deps))
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

/** Whether whoever asks is shown HTML: programs take anything, or ask for something else. */
function isBrowser(c: Context): boolean {
  return /\btext\/html\b/i.test(c.req.header('accept') ?? '')
}

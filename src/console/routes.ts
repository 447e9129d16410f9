import { type Context, type ErrorHandler, Hono, type Next } from 'hono'
import { declare } from '../http/operation.ts'
import { goTo } from '../http/page.ts'
import { ANY_QUERY } from '../http/query.ts'
import type { Answer, AnswerDeps } from './answer.ts'
import { PAGES } from './pages.ts'

export interface ConsoleFaceDeps extends AnswerDeps {
  /** Shows a person that something did not work. */
  readonly onPageError: ErrorHandler
}

/**
 * `GET /` in a browser, and `/console/…`: the pages that people see. `/` is somebody else's for clients that do not ask for
 * HTML. Every page asks the deployment's own routes for what it shows, and has them do what its form says.
 */
export function consoleFace({ onPageError, ...deps }: ConsoleFaceDeps): Hono {
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
  return face
}

/** Whether whoever asks is shown HTML: programs take anything, or ask for something else. */
function isBrowser(c: Context): boolean {
  return /\btext\/html\b/i.test(c.req.header('accept') ?? '')
}

import { Hono } from 'hono'
import { ADMIN, type Principal } from '../../src/core/access/principal.ts'
import { type Failure, fail, ok } from '../../src/core/failure/failure.ts'
import { createConsole } from '../../src/console/routes.ts'
import { createAuthorizer } from '../../src/http/route/authorizer.ts'
import { onPageError } from '../http/on-page-error.ts'

export const ORIGIN = 'https://switchboard.test'

const CONTEXT = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} }

/** What a route of the deployment answers, by its method and path; the query does not matter. */
export type Routes = Readonly<Record<string, (request: Request) => unknown>>

const BROWSER = { accept: 'text/html,application/xhtml+xml' }

const toResponse = (given: unknown) => (given instanceof Response ? given : Response.json(given))

/** The console over routes that answer what a test says, for one visitor, with what it asked them. */
export function setUp(routes: Routes, visitor: Principal | Failure = ADMIN) {
  const asked: { readonly request: Request; readonly principal: Principal; readonly body: string }[] = []
  const authenticate = async () => ('type' in visitor ? fail(visitor) : ok(visitor))
  const { router, notFound } = createConsole({
    authorize: createAuthorizer(
      { authenticate },
      () => undefined,
      () => undefined,
    ),
    async send(_, principal, request) {
      const { pathname, search } = new URL(request.url)
      // The sidebar of each page counts the pending versions
      if (search === '?status=pending&format=summary&limit=9')
        return toResponse((await routes['sidebar']?.(request)) ?? { items: [] })
      asked.push({ request, principal, body: await request.clone().text() })
      const given = await routes[`${request.method} ${pathname}`]?.(request)
      return given === undefined
        ? Response.json({ message: 'There is nothing here' }, { status: 404 })
        : toResponse(given)
    },
    onPageError,
  })
  const app = new Hono().route('/', router)
  app.get('/', (c) => c.redirect('/docs'))
  app.notFound(notFound(async (c) => c.json({ message: 'There is no such route' }, 404)))
  const send = (path: string, body: BodyInit) =>
    app.request(ORIGIN + path, { method: 'POST', headers: BROWSER, body }, {}, CONTEXT)
  return {
    asked,
    send,
    get: (path: string, headers: Record<string, string> = BROWSER) => app.request(ORIGIN + path, { headers }),
    post: (path: string, fields: Record<string, string>) => send(path, new URLSearchParams(fields)),
  }
}

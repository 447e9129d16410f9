import { hasScope, type Principal } from '../core/access/principal.ts'
import type { Failure } from '../core/failure/failure.ts'
import { readForm } from '../http/request/body.ts'
import type { Gate, RouteContext } from '../http/route/gate.ts'
import { failurePage, FORM_OF_ANOTHER_SITE, goTo, page } from '../http/page/page.ts'
import { signInPath } from '../http/page/sign-in-path.ts'
import { layout } from './layout.tsx'
import type { MadeRequest, PageEntry, Visit } from './page.ts'
import { followed, replyOf } from './reply.ts'
import { NO_SUCH_NAME, scopePage, welcomePage } from './cards.tsx'

export interface AnswerDeps {
  /** Lets in whoever is signed in, or else whom the deployment lets in without; forms from our own pages alone. */
  readonly gate: Gate
  /** Has a route of this deployment answer a request as somebody who was let in. */
  readonly send: (c: RouteContext, principal: Principal, request: Request) => Promise<Response>
  /** What all pages look like, and what makes them quicker to use. */
  readonly loadAssets: () => Promise<{ readonly style: string; readonly script: string }>
}

/** Answers a request for a page; `params` are what stands in its path. */
export type Answer = (c: RouteContext, entry: PageEntry, params: Readonly<Record<string, string>>) => Promise<Response>

/** Of a form, in bytes: a tool's input at its largest fits, or a description that is imported. */
const FORM_LIMIT = 4 * 1024 * 1024
/** Makes what answers for all pages: who may open them, what they are handed, and how what they give is shown. */
export function createAnswer({ gate, send, loadAssets }: AnswerDeps): Answer {
  return async (c, entry, params) => {
    const request = c.req.raw
    const caller = await gate(c, undefined)
    if (!caller.ok) return refuse(request, caller.failure)
    const principal = caller.value
    const isAnonymous = principal.kind === 'anonymous'
    const lacks = entry.scope && !hasScope(principal, entry.scope) ? entry.scope : undefined
    if (isAnonymous && (entry.isPrivate || lacks)) return leadToSignIn(request)
    if (lacks) return page(scopePage(lacks))
    const isForm = request.method === 'POST'
    const form = isForm ? await readForm(request, FORM_LIMIT) : undefined
    if (form?.ok === false) return page(failurePage(form.failure))
    const made: MadeRequest[] = []
    const visit = visitOf(c, principal, { params, form: form?.value ?? new URLSearchParams(), made })
    const [module, assets] = await Promise.all([entry.load(), loadAssets()])
    try {
      const shown = await (isForm && module.act ? module.act(visit) : module.show(visit))
      return 'leadsTo' in shown ? goTo(shown.leadsTo) : await layout(shown, { visit, entry, made, ...assets })
    } catch (error) {
      if (!(error instanceof StrayPath)) throw error
      return page(NO_SUCH_NAME)
    }
  }

  function visitOf(
    c: RouteContext,
    principal: Principal,
    { params, form, made }: Pick<Visit, 'params' | 'form'> & { readonly made: MadeRequest[] },
  ): Visit {
    const { url: href, headers: sent, signal } = c.req.raw
    const url = new URL(href)
    const address = sent.get('cf-connecting-ip')
    return {
      principal,
      url,
      params,
      form,
      isOpen: principal.id === 'open',
      ask: async (method, path, body) => replyOf(await make({ method, path }, body)),
      async follow(method, path, body) {
        return followed(await make({ method, path, accept: 'application/json, text/event-stream' }, body))
      },
    }

    async function make({ method, path, accept }: MadeRequest, body: unknown): Promise<Response> {
      const target = new URL(path, url)
      // A name of a thing that is `..` leads to nothing, and not somewhere else
      if (target.origin !== url.origin || target.pathname !== path.split('?')[0]) throw new StrayPath()
      const text = body === undefined ? {} : { body: JSON.stringify(body) }
      made.push({ method, path, ...text, ...(accept === undefined ? {} : { accept }) })
      const headers = new Headers({ accept: accept ?? 'application/json' })
      if (body !== undefined) headers.set('content-type', 'application/json')
      // The rates of clients hold for what they have a page do too
      if (address !== null) headers.set('cf-connecting-ip', address)
      return send(c, principal, new Request(target, { method, headers, signal, ...text }))
    }
  }
}

function refuse(request: Request, failure: Failure): Response | Promise<Response> {
  if (failure.type === 'forbidden') return page(FORM_OF_ANOTHER_SITE)
  if (failure.type !== 'unauthenticated') return page(failurePage(failure))
  return new URL(request.url).pathname === '/' ? page(welcomePage()) : leadToSignIn(request)
}

/** To sign in, and back to the page; what a form was to do is not done. */
function leadToSignIn({ url }: Request): Response {
  const { pathname, search } = new URL(url)
  return goTo(signInPath(pathname + search))
}

/** A path that is not what it was written as, once it is an address. */
class StrayPath extends Error {}

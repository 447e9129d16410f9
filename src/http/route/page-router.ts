import { type Context, type ErrorHandler, Hono } from 'hono'
import type { WriteAuditEvent } from '../../core/access/audit-entry.ts'
import type { FailureResult } from '../../core/failure/failure.ts'
import { isSameOrigin } from '../caller/same-origin.ts'
import { failurePage, FORM_OF_ANOTHER_SITE, page } from '../page/page.ts'
import { readForm } from '../request/body.ts'
import { NO_MEMORY } from '../request/request-memory.ts'
import { ANY_QUERY, type Query, readQuery } from '../request/query.ts'
import type { RouteContext } from './authorizer.ts'
import { declareOperation } from './operation.ts'

export interface PagesDeps {
  readonly limitAnonymous: (c: RouteContext) => FailureResult | undefined
  readonly now: () => number
  readonly writeAuditEntry?: WriteAuditEvent
  readonly onPageError: ErrorHandler
}

type PageHandler<Input> = (c: Context, input: Input) => Promise<Response>

/** Pages for people without a credential. Each request counts against its address, and failures are pages too. */
export function createPageRouter({ limitAnonymous, onPageError }: Pick<PagesDeps, 'limitAnonymous' | 'onPageError'>) {
  const router = new Hono().onError(onPageError)

  function definePage<Q>(query: Query<Q>, handle: PageHandler<Q>) {
    return declareOperation({ query }, async (c: Context) => {
      const input = limitAnonymous(c) ?? readQuery(query, c.req.url)
      return input.ok ? handle(c, input.value) : page(failurePage(input.failure))
    })
  }

  return {
    router,

    get<Q>(path: string, query: Query<Q>, handle: PageHandler<Q>): void {
      router.get(path, definePage(query, handle))
    },

    /** Accepts only forms of this deployment's pages. With `empty`, a form that cannot be read counts as empty. */
    post(path: string, limit: number, handle: PageHandler<URLSearchParams>, unreadable?: 'empty'): void {
      const handleForm: PageHandler<unknown> = async (c) => {
        const request = c.req.raw
        if (!isSameOrigin(request)) return page(FORM_OF_ANOTHER_SITE)
        const form = await readForm(request, { limit, memory: NO_MEMORY })
        if (form.ok) return handle(c, form.value)
        return unreadable === 'empty' ? handle(c, new URLSearchParams()) : page(failurePage(form.failure))
      }
      router.post(path, definePage(ANY_QUERY, handleForm))
    },
  }
}

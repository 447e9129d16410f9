import { type Context, type ErrorHandler, Hono } from 'hono'
import type { WriteAuditEntry } from '../../core/access/audit-entry.ts'
import type { Failing } from '../../core/failure/failure.ts'
import { createMeter } from '../../core/tool/budget.ts'
import { isSameOrigin } from '../caller/same-origin.ts'
import { failurePage, FORM_OF_ANOTHER_SITE, page } from '../page/page.ts'
import { readForm } from '../request/body.ts'
import { NO_MEMORY } from '../request/request-memory.ts'
import { ANY_QUERY, type Query, readQuery } from '../request/query.ts'
import type { RouteContext } from './gate.ts'
import { declare } from './operation.ts'

export interface PagesDeps {
  readonly shield: (c: RouteContext) => Failing | undefined
  readonly now: () => number
  readonly writeAuditEntry?: WriteAuditEntry
  readonly onPageError: ErrorHandler
}

type Answer<Sent> = (c: Context, sent: Sent) => Promise<Response>

/** Pages for people whom no gate has let in: each is held to the rate of strangers, and tells failures by a page. */
export function createPages({ shield, onPageError }: Pick<PagesDeps, 'shield' | 'onPageError'>) {
  const face = new Hono().onError(onPageError)

  function shown<Q>(query: Query<Q>, answer: Answer<Q>) {
    return declare({ query }, async (c: Context) => {
      const sent = shield(c) ?? readQuery(query, c.req.url)
      return sent.ok ? answer(c, sent.value) : page(failurePage(sent.failure))
    })
  }

  return {
    face,

    get<Q>(path: string, query: Query<Q>, answer: Answer<Q>): void {
      face.get(path, shown(query, answer))
    },

    /** Takes forms of this deployment's own pages alone; `empty` stands for one that cannot be read where it does not matter. */
    post(path: string, limit: number, answer: Answer<URLSearchParams>, unreadable?: 'empty'): void {
      const answerForm: Answer<unknown> = async (c) => {
        const request = c.req.raw
        if (!isSameOrigin(request)) return page(FORM_OF_ANOTHER_SITE)
        const form = await readForm(request, { limit, meter: createMeter(), memory: NO_MEMORY })
        if (form.ok) return answer(c, form.value)
        return unreadable === 'empty' ? answer(c, new URLSearchParams()) : page(failurePage(form.failure))
      }
      face.post(path, shown(ANY_QUERY, answerForm))
    },
  }
}

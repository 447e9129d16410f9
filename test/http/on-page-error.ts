import { failurePage, page } from '../../src/http/page/page.ts'
import { createErrorHandler } from '../../src/http/response/error-handler.ts'

export const REFERENCE = 'reference-1'

/** Shows error pages as `app.ts` does, without logging. */
export const onPageError = createErrorHandler(
  (failure) => page(failurePage(failure)),
  () => REFERENCE,
  () => undefined,
)

/** What there is to say of an answer that a person sees while something cannot be reached. */
export async function awayOf(response: Response): Promise<typeof AWAY> {
  const text = await response.text()
  const { status, headers } = response
  return {
    status,
    retryAfter: headers.get('retry-after'),
    type: headers.get('content-type'),
    isPage: text.startsWith('<!doctype html>') && text.includes('Wait a moment, then load this page again'),
    isKept: headers.get('cache-control') !== 'no-store',
  }
}

export const AWAY: {
  readonly status: number
  readonly retryAfter: string | null
  readonly type: string | null
  readonly isPage: boolean
  readonly isKept: boolean
} = { status: 503, retryAfter: '1', type: 'text/html; charset=utf-8', isPage: true, isKept: false }

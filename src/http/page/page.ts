import type { Failure } from '../../core/failure/failure.ts'
import { failureHeaders } from '../response/json-response.ts'
import type { Page } from './document.tsx'
import { toSentence } from './text.ts'

export type { Page }

/** Loads JSX on the first page, because most isolates show none. */
export async function page(content: Page, cookies: readonly string[] = []): Promise<Response> {
  const { respondWithPage } = await import('./document.tsx')
  return withCookies(await respondWithPage(content), cookies)
}

export function redirectResponse(location: string, cookies: readonly string[] = []): Response {
  const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', location }
  return withCookies(new Response(null, { status: 302, headers }), cookies)
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}

export function plainPage(status: Page['status'], title: string, message: string): Page {
  return { status, title, body: [toSentence(message)] }
}

export const FORM_OF_ANOTHER_SITE = plainPage(
  403,
  'Form refused',
  'This form was sent by another site, so nothing has changed',
)

export function failurePage(failure: Failure): Page {
  switch (failure.type) {
    case 'rate-limited':
      return { ...plainPage(429, 'Too many requests', 'Wait a moment and try again'), ...buildHeaders(failure) }
    case 'body-too-large':
      return plainPage(413, 'Not understood', 'The form is too large, so nothing has changed')
    case 'body-timed-out':
      return plainPage(408, 'Not understood', 'The form did not arrive in time, so nothing has changed')
    case 'media-type-unsupported':
      return plainPage(415, 'Not understood', `Wanted a form, '${failure.acceptedType}'`)
    case 'unavailable':
      return {
        status: 503,
        title: 'Not right now',
        body: [
          toSentence(failure.message),
          'Wait a moment, then load this page again. If you sent a form, check first whether it took effect.',
        ],
        ...buildHeaders(failure),
      }
    case 'internal':
      return {
        status: 500,
        title: 'Something is wrong here',
        body: [
          'This is a fault of this Switchboard, and it has been recorded.',
          `If it happens again, give your administrator the reference ${failure.reference}.`,
        ],
      }
    default:
      return plainPage(400, 'Not understood', 'This link is malformed')
  }
}

function buildHeaders(failure: Failure): Pick<Page, 'headers'> {
  const headers = failureHeaders(failure)
  return headers ? { headers } : {}
}

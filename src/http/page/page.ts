import type { Failure } from '../../core/failure/failure.ts'
import { failureHeaders } from '../answer/json-response.ts'
import { bounded, html, Markup } from './markup.ts'
import { textStream } from './text-stream.ts'

/** One page for a person, of a question or an answer. */
export interface Page {
  readonly status: 200 | 400 | 403 | 404 | 410 | 413 | 415 | 429 | 500 | 502 | 503
  readonly title: string
  readonly body: Markup
  /** What it looks like where it is no card; beside what all have in common. */
  readonly style?: string
  /** Beside those that every page has. */
  readonly headers?: Readonly<Record<string, string>>
}

/** No colour says anything that the words do not; both schemes keep a contrast of 4.5:1 at least. */
const STYLE = `
:root{ color-scheme:light dark;--text:light-dark(#1c1b1a,#ecebe8);--soft:light-dark(#5b5954,#b3b0a8);--page:light-dark(#f4f3f0,#161615);--card:light-dark(#fff,#222120);--line:light-dark(#d9d6cf,#45433f);--inset:light-dark(#f1efea,#2e2d2b);--go:light-dark(#0b5a4a,#7fd1bd);--go-text:light-dark(#fff,#10211d)}
*{box-sizing:border-box}
body{margin:0;font:1rem/1.55 system-ui,sans-serif;color:var(--text);background:var(--page)}
h2{font-size:1rem;margin:1.5rem 0 .5rem}
code,pre{font:.875em/1.5 ui-monospace,monospace}
code{background:var(--inset);padding:.1em .3em;border-radius:.25rem}
pre{background:var(--inset);padding:.75rem;border-radius:.5rem;margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
pre code{padding:0}
ul{list-style:none;margin:0;padding:0;border:1px solid var(--line);border-radius:.5rem}
li{padding:.6rem .75rem}
li + li{border-top:1px solid var(--line)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.35rem 1rem;margin:0}
dt{color:var(--soft)}
dd{margin:0}
form{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.5rem 0 1rem}
label{flex:1 1 100%}
label.choice{display:flex;gap:.6rem;align-items:baseline}
label.choice input{width:auto;flex:none;margin:0}
input,select,textarea{font:inherit;display:block;width:100%;margin-top:.25rem;padding:.5rem .6rem;border-radius:.5rem;border:1px solid var(--soft);background:var(--page);color:inherit}
button{font:inherit;font-weight:600;padding:.6rem 1.1rem;min-height:2.75rem;border-radius:.5rem;border:1px solid var(--soft);background:transparent;color:inherit;cursor:pointer;max-width:100%;overflow-wrap:anywhere}
a.button{display:inline-block;font-weight:600;padding:.6rem 1.1rem;min-height:2.75rem;border-radius:.5rem;text-decoration:none;background:var(--go);color:var(--go-text);max-width:100%}
button.go{background:var(--go);border-color:var(--go);color:var(--go-text)}
a{color:inherit}
:focus-visible{outline:3px solid var(--go);outline-offset:2px}
.note{font-size:.875rem;color:var(--soft)}
.care{border-left:.25rem solid var(--go);padding-left:.75rem}
@media (max-width:26rem){dl{grid-template-columns:1fr;gap:0} dd{margin-bottom:.5rem} button{flex:1 1 100%} }
`

/** Of a page that asks one thing, or says one. */
const CARD = `
body{padding:1rem}
main{max-width:36rem;margin:4vh auto;padding:1.5rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem;overflow-wrap:anywhere}
header{font-size:.875rem;color:var(--soft)}
h1{font-size:1.4rem;line-height:1.3;margin:.25rem 0 1rem}
ul[role='list'] code{display:block;width:fit-content;max-width:100%;color:var(--soft)}
@media (max-width:26rem){main{padding:1rem;margin:0 auto} }
`

/** A whole document: nothing that it does not bring along itself is run, shown or loaded. */
export interface WholeDocument {
  readonly status: number
  readonly title: string
  /** What its body looks like, beside what all have in common. */
  readonly style: string
  /** In parts, it is sent part by part, as each comes. */
  readonly body: Markup | AsyncIterable<Markup>
  readonly script?: string
  /** Whether forms lead to this deployment alone, wherever that redirects. */
  readonly keepsForms?: boolean
}

/** What goes with every page, beside its policy. Nothing is framed or kept. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/**
 * What a page may do (Content Security Policy 3): its own style and script are known by a number used once. `form-action` is left
 * out where a form leads to a provider: browsers hold the redirect that answers a form to it too, and the provider's address is
 * not known when the page is written.
 */
function policyOf({ script, keepsForms }: WholeDocument, nonce: string): string {
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    ...(script === undefined ? [] : [`script-src 'nonce-${nonce}'`, "connect-src 'self'"]),
    ...(keepsForms ? ["form-action 'self'"] : []),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Pages of ours learn where a form comes from: with no referrer at all browsers would send it with `Origin: null`. */
const REFERRER = html`<meta name="referrer" content="same-origin" />`

/** A document as it is answered; `cookies` are headers `Set-Cookie`. */
export function answerDocument(document: WholeDocument, cookies: readonly string[] = []): Response {
  const { status, title, style, body, script } = document
  const nonce = crypto.randomUUID()
  const [start = '', end = ''] = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${REFERRER}
        <title>${title} · Switchboard</title>
        <style nonce="${nonce}">
          ${new Markup(STYLE + style)}
        </style>
        ${
          script === undefined
            ? undefined
            : html`<script type="module" nonce="${nonce}">
                ${new Markup(script)}
              </script>`
        }
      </head>
      <body>
        ${BODY}
      </body>
    </html>`.text.split(BODY.text)
  const headers = { ...PAGE_HEADERS, 'content-security-policy': policyOf(document, nonce) }
  if (body instanceof Markup) return withCookies(new Response(start + body.text + end, { status, headers }), cookies)
  const stream = textStream(inParts(start, body, end))
  return withCookies(new Response(stream, { status, headers: { ...headers, 'x-accel-buffering': 'no' } }), cookies)
}

/** Where the body of a document goes, which no title can say. */
const BODY = new Markup('<!-- body -->')

async function* inParts(start: string, body: AsyncIterable<Markup>, end: string): AsyncGenerator<string> {
  let text = start
  for await (const part of body) {
    yield text + part.text
    text = ''
  }
  yield text + end
}

/** Characters of foreign texts that a page repeats. */
export const MAX_TEXT = 300

/** A page as it is answered; `cookies` are headers `Set-Cookie`. */
export function page(
  { status, title, body, style = CARD, headers = {} }: Page,
  cookies: readonly string[] = [],
): Response {
  const card = html`<main>
    <header>Switchboard</header>
    <h1>${title}</h1>
    ${body}
  </main>`
  const answer = answerDocument({ status, title, style, body: card }, cookies)
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value)
  return answer
}

/** Sends the browser on, by `GET`. */
export function goTo(location: string, cookies: readonly string[] = []): Response {
  const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', location }
  return withCookies(new Response(null, { status: 302, headers }), cookies)
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}

export function plainPage(status: Page['status'], title: string, message: string): Page {
  return { status, title, body: html`<p>${sentence(message)}</p>` }
}

/** Messages have no final period; prose has. */
export function sentence(message: string): string {
  const text = bounded(message, MAX_TEXT).trim()
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** Why a request for a page came to nothing, for a person. */
export function failurePage(failure: Failure): Page {
  switch (failure.type) {
    case 'rate-limited':
      return { ...plainPage(429, 'Too many requests', 'Wait a little, then try again'), ...headersOf(failure) }
    case 'body-too-large':
      return plainPage(413, 'Not understood', 'The form is too large, so nothing was done')
    case 'media-type-unsupported':
      return plainPage(415, 'Not understood', `Wanted a form, '${failure.wanted}'`)
    case 'unavailable':
      return { ...awayPage(failure.message), ...headersOf(failure) }
    case 'internal':
      return brokenPage(failure.reference)
    default:
      return plainPage(400, 'Not understood', 'This link is malformed')
  }
}

function headersOf(failure: Failure): Pick<Page, 'headers'> {
  const headers = failureHeaders(failure)
  return headers ? { headers } : {}
}

function awayPage(message: string): Page {
  return {
    status: 503,
    title: 'Not right now',
    body: html`<p>${sentence(message)}</p>
      <p>
        Wait a moment, then load this page again. If you sent a form, look first whether it was done all the same.
      </p>`,
  }
}

function brokenPage(reference: string): Page {
  return {
    status: 500,
    title: 'Something is wrong here',
    body: html`<p>This Switchboard has a fault, and it has been written down.</p>
      <p>If it comes again, tell whoever runs it the reference <code>${reference}</code>.</p>`,
  }
}

import { raw } from 'hono/html'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { toStream } from '../response/text-stream.ts'
import { CARD, STYLE } from './style.ts'
import { escapeInvisible } from './text.ts'

export interface Page {
  readonly status: 200 | 400 | 403 | 404 | 408 | 409 | 410 | 413 | 415 | 429 | 500 | 502 | 503
  readonly title: string
  /** Strings become paragraphs. */
  readonly body: readonly (string | JSX.Element | undefined)[]
  readonly style?: string
  readonly headers?: Readonly<Record<string, string>>
}

interface HtmlDocument {
  readonly status: number
  readonly title: string
  readonly style: string
  readonly body: JSX.Element | AsyncIterable<JSX.Element>
  readonly script?: string
  readonly keepsForms?: boolean
  /** Images from `data:` send no requests and run no scripts. Frames show tools' pages. */
  readonly showsPictures?: boolean
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/** `form-action` is omitted if a form leads to a provider, because browsers apply it to the redirects that follow too. */
function buildContentPolicy({ script, keepsForms, showsPictures }: HtmlDocument, nonce: string): string {
  return [
    "default-src 'none'",
    `img-src 'self'${showsPictures ? ' data:' : ''}`,
    `style-src 'nonce-${nonce}'`,
    ...(script === undefined ? [] : [`script-src 'nonce-${nonce}'`, "connect-src 'self'"]),
    ...(showsPictures ? ["frame-src 'self'"] : []),
    ...(keepsForms ? ["form-action 'self'"] : []),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** A title cannot contain it, because its `<` would be escaped. */
const BODY = '<!-- body -->'

export async function respondWithDocument(html: HtmlDocument): Promise<Response> {
  const { status, title, style, body, script } = html
  const nonce = crypto.randomUUID()
  const frame = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {/* Without any referrer, browsers would send `Origin: null` with forms */}
        <meta name="referrer" content="same-origin" />
        <title>{escapeInvisible(title)} · Switchboard</title>
        <style nonce={nonce}>{raw(STYLE + style)}</style>
        {script === undefined ? undefined : (
          <script type="module" nonce={nonce}>
            {raw(script)}
          </script>
        )}
      </head>
      <body>{raw(BODY)}</body>
    </html>
  )
  const [start = '', end = ''] = `<!doctype html>\n${await frame}`.split(BODY)
  const headers = { ...PAGE_HEADERS, 'content-security-policy': buildContentPolicy(html, nonce) }
  if (!(Symbol.asyncIterator in body)) return new Response(start + (await renderText(body)) + end, { status, headers })
  const stream = toStream(renderParts(start, body, end))
  return new Response(stream, { status, headers: { ...headers, 'x-accel-buffering': 'no' } })
}

async function renderText(element: JSX.Element): Promise<string> {
  return escapeInvisible(String(await element))
}

async function* renderParts(start: string, body: AsyncIterable<JSX.Element>, end: string): AsyncGenerator<string> {
  let text = start
  for await (const part of body) {
    yield text + (await renderText(part))
    text = ''
  }
  yield text + end
}

export async function respondWithPage(page: Page): Promise<Response> {
  const { status, title, body, style = CARD, headers = {} } = page
  const card = (
    <main>
      <header>Switchboard</header>
      <h1>{title}</h1>
      {body.map((paragraph) => (typeof paragraph === 'string' ? <p>{paragraph}</p> : paragraph))}
    </main>
  )
  const response = await respondWithDocument({ status, title, style, body: card })
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

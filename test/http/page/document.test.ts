import { raw } from 'hono/html'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { expect, it } from 'vitest'
import { respondWithDocument, respondWithPage } from '../../../src/http/page/document.tsx'
import { failurePage, FORM_OF_ANOTHER_SITE, redirectResponse, page, plainPage } from '../../../src/http/page/page.ts'
import type { Failure } from '../../../src/core/failure/failure.ts'

const answer = (body: AsyncIterable<JSX.Element>) =>
  respondWithDocument({ status: 200, title: '<A>\u202e', style: '', body })

/** Counts, and notes how far it got and that it was ended. */
function counting(to: number) {
  const made: (number | 'ended')[] = []
  async function* count() {
    try {
      for (let next = 1; next <= to; next++) {
        made.push(next)
        yield raw(`é${next} `)
      }
    } finally {
      made.push('ended')
    }
  }
  return { made, parts: count() }
}

it('sends the parts of its body as they arrive, and then ends', async () => {
  const text = await (await answer(counting(3).parts)).text()
  expect(text).toMatch(/^<!doctype html>\n<html lang="en">[^]*<title>&lt;A&gt;\\u202e · Switchboard<\/title>/)
  expect(text).toMatch(/<body>é1 é2 é3 <\/body><\/html>$/)
})

it('creates no more parts after the reader has disconnected', async () => {
  const { made, parts } = counting(100)
  const reader = (await answer(parts)).body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toMatch(/<body>é1 $/)
  await reader?.cancel()
  expect(made.length).toBeLessThan(5)
  expect(made.at(-1)).toBe('ended')
})

it('breaks off if its body does', async () => {
  async function* broken() {
    yield raw('one')
    throw new Error('No')
  }
  await expect((await answer(broken())).text()).rejects.toThrow('No')
})

const policyOf = (answer: Response) =>
  answer.headers.get('content-security-policy')?.replaceAll(/nonce-[\w-]+/g, 'nonce')

it.each([
  [{}, "default-src 'none'; img-src 'self'; style-src 'nonce'; base-uri 'none'; frame-ancestors 'none'"],
  [
    { script: 'alert(1)', keepsForms: true },
    "default-src 'none'; img-src 'self'; style-src 'nonce'; script-src 'nonce'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  ],
])('with %j has a minimal content security policy', async (more, policy) => {
  const answer = await respondWithDocument({
    status: 404,
    title: 'A',
    style: 'b{}',
    body: raw('<b>\u202e</b>'),
    ...more,
  })
  expect([answer.status, policyOf(answer)]).toEqual([404, policy])
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
  const text = await answer.text()
  const [, nonce] = /<style nonce="([^"]+)">[^<]*b{}<\/style>/.exec(text) ?? []
  expect(answer.headers.get('content-security-policy')).toContain(`'nonce-${nonce}'`)
  expect(text).toContain('<body><b>\\u202e</b></body>')
  expect(text.includes(`<script type="module" nonce="${nonce}">alert(1)</script>`)).toBe('script' in more)
  expect(answer.headers.get('x-accel-buffering')).toBeNull()
})

it('is not buffered', async () => {
  expect((await answer(counting(1).parts)).headers.get('x-accel-buffering')).toBe('no')
})

it('is a card with a title and paragraphs', async () => {
  const card = await respondWithPage({
    status: 403,
    title: 'No',
    body: ['One.', raw('<i>two</i>'), undefined],
    headers: { a: 'b' },
  })
  expect([card.status, card.headers.get('a')]).toEqual([403, 'b'])
  expect(await card.text()).toContain('<main><header>Switchboard</header><h1>No</h1><p>One.</p><i>two</i></main>')
})

it('redirects without a referrer', async () => {
  const answer = redirectResponse('/there', ['a=b', 'c=d'])
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([302, ['a=b', 'c=d']])
  const told = { 'location': '/there', 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
  expect(Object.fromEntries(answer.headers)).toMatchObject(told)
  expect(redirectResponse('/').headers.getSetCookie()).toEqual([])
  expect((await page(plainPage(400, 'No', 'Never'), ['a=b'])).headers.getSetCookie()).toEqual(['a=b'])
  expect((await page(FORM_OF_ANOTHER_SITE)).headers.getSetCookie()).toEqual([])
})

it.each<[Failure, number, string, string]>([
  [{ type: 'rate-limited', retry_after_ms: 1 }, 429, 'Too many requests', 'Wait a moment and try again.'],
  [{ type: 'body-too-large', limit: 1 }, 413, 'Not understood', 'The form is too large, so nothing has changed.'],
  [
    { type: 'media-type-unsupported', contentType: null, acceptedType: 'a/b' },
    415,
    'Not understood',
    'Wanted a form, &#39;a/b&#39;.',
  ],
  [{ type: 'unavailable', message: 'It is away' }, 503, 'Not right now', 'It is away.</p><p>Wait a moment, then load'],
  [
    { type: 'internal', reference: 'r1' },
    500,
    'Something is wrong here',
    'been recorded.</p><p>If it happens again, give your administrator the reference r1.',
  ],
  [{ type: 'route-unknown', message: '' } as never, 400, 'Not understood', 'This link is malformed.'],
])('explains %j with %d: %s', async (failure, status, title, words) => {
  const answer = await page(failurePage(failure))
  const text = await answer.text()
  expect(answer.status).toBe(status)
  expect(answer.headers.get('retry-after')).toBe(status === 429 || status === 503 ? '1' : null)
  expect(text).toContain(`<h1>${title}</h1>`)
  expect(text).toContain(words)
})

import { FetchCapability } from '../../src/core/access/principal.ts'
import { expect, it } from 'vitest'
import { createTextFetch } from '../../src/outbound/fetch-text.ts'
import { createGuardedFetch } from '../../src/outbound/guarded-fetch.ts'

const { signal } = new AbortController()

function fetching(respond: (request: Request) => Response, maxResponseBytes = 1_000) {
  const guardedFetch = createGuardedFetch({
    fetch: async (input, init) => respond(new Request(input, init)),
    allowHttpHosts: new Set(),
    maxResponseBytes,
  })
  return createTextFetch(guardedFetch, 'application/yaml', new FetchCapability('test'))
}

it('the text of a document comes with its final URL, and is requested with the expected type', async () => {
  const get = fetching(({ url, headers }) =>
    url.endsWith('/new')
      ? new Response(`\ufeff${headers.get('accept')} é`)
      : new Response(null, { status: 302, headers: { location: '/new' } }),
  )
  const wanted = { ok: true, text: 'application/yaml é', url: 'https://a.example/new' }
  expect(await get('https://a.example/old', signal)).toEqual(wanted)
})

it.each([
  ['is missing', () => new Response('gone', { status: 404 }), /answered 404, wanted 200/],
  ['is no UTF-8', () => new Response(new Uint8Array([0x61, 0xff])), /Is not in UTF-8/],
  ['is too large', () => new Response('x'.repeat(1_001)), /over 1000 bytes/],
])('the text of a document that %s is a problem that quotes nothing', async (_, respond, why) => {
  const result = await fetching(respond)('https://a.example/', signal)
  expect(result).toEqual({ ok: false, problem: expect.stringMatching(why) })
  expect(JSON.stringify(result)).not.toContain('gone')
})

it('the text of a document is not fetched from a forbidden host, or for a caller who has gone', async () => {
  const get = fetching(() => new Response('reached'))
  expect(await get('https://10.0.0.1/', signal)).toMatchObject({
    problem: expect.stringMatching(/not public\. An administrator allows its host: ALLOW_HTTP_HOSTS=10\.0\.0\.1/),
  })
  expect(await get('https://a.example/', AbortSignal.abort())).toMatchObject({ ok: false })
})

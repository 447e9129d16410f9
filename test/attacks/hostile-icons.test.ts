import { Response as Answered, type Request as Left } from 'miniflare'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { FetchCapability } from '../../src/core/access/principal.ts'
import { createGuardedFetch } from '../../src/outbound/guarded-fetch.ts'
import { createIcons, MAX_ICON } from '../../src/outbound/icons.ts'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { raw } from '../e2e/raw.ts'
import type { RunningServer } from '../e2e/server.ts'
import { ADMIN_KEY, asAdmin, type Headers as Sent, keyOf } from './set-up.ts'
import { neverSilent, startWatched } from './watch.ts'

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const SCRIPTED =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script><image href="https://x.example/"/></svg>'
const type = (each: string) => ({ headers: { 'content-type': each } })
const redirect = (location: string) => new Answered(null, { status: 302, headers: { location } })
const HOST = 'https://icons.example'

/** The responses of the icons' server, by path. */
const ANSWERS: Readonly<Record<string, () => Answered>> = {
  '/good': () => new Answered(PNG, { headers: { 'content-type': 'text/html', 'set-cookie': 'a=b', 'x-evil': '1' } }),
  '/drawing': () => new Answered(SCRIPTED, type('text/html')),
  '/page': () => new Answered('<!doctype html><script>alert(1)</script>', type('image/png')),
  '/script': () => new Answered('alert(1)', type('image/svg+xml')),
  '/xhtml': () => new Answered(`<html xmlns="http://www.w3.org/1999/xhtml">${SCRIPTED}</html>`, type('image/svg+xml')),
  '/grows': () => new Answered('<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg>&a;</svg>', type('image/svg+xml')),
  '/large': () => new Answered(new Uint8Array(MAX_ICON + 1), type('image/png')),
  '/metadata': () => redirect('http://169.254.169.254/latest/meta-data/'),
  '/private': () => redirect('https://10.0.0.1/'),
  '/loopback': () => redirect('https://localhost/'),
  '/inside': () => redirect('https://db.internal/'),
  '/file': () => redirect('file:///etc/passwd'),
  '/loop': () => redirect(`${HOST}/loop`),
  '/failing': () => new Answered(PNG, { status: 500 }),
}

let server: RunningServer
let reader: Sent
let left: string[] = []
beforeAll(async () => {
  server = await startWatched({
    vars: { ACCESS: 'public', ADMIN_KEY },
    outbound: ({ url }: Left) => {
      left.push(url)
      const { origin, pathname } = new URL(url)
      return (origin === HOST ? ANSWERS[pathname]?.() : undefined) ?? new Answered(PNG)
    },
  })
  for (const path of Object.keys(ANSWERS)) await publish(path.slice(1), `${HOST}${path}`)
  await publish('drawn', `data:image/svg+xml,${encodeURIComponent(SCRIPTED)}`)
  reader = (await keyOf(server, ['Icons.*'])).as
})
afterAll(() => server?.stop())
afterAll(neverSilent)
afterEach(() => void (left = []))

async function publish(name: string, src: string, toolkit = 'Icons', headers: Sent = asAdmin) {
  const definition = { name, description: 'Has an icon', inputSchema: { type: 'object' }, icons: [{ src }] }
  return server.json('POST', '/tools', { definition, toolkit, version: '1.0.0' }, headers)
}
const icon = (name: string, headers: Sent = reader) => raw(server.url, { path: `/tools/Icons.${name}/icon`, headers })

it("an icon is served with the media type of its bytes, without its server's headers, and is fetched once", async () => {
  const { status, headers } = await icon('good')
  expect({ status, headers }).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'image/png',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=3600',
    },
  })
  expect(headers).not.toHaveProperty('set-cookie')
  expect(headers).not.toHaveProperty('x-evil')
  await icon('good')
  expect(left).toEqual([`${HOST}/good`])
})

it.each(['drawing', 'drawn'])('an icon that contains a script is served as a sandboxed drawing: %s', async (name) => {
  const { status, headers, text } = await icon(name)
  expect({ status, text }).toEqual({ status: 200, text: SCRIPTED })
  expect(headers['content-type']).toBe('image/svg+xml')
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*; sandbox$/)
  expect(headers['x-content-type-options']).toBe('nosniff')
})

it.each(['page', 'script', 'xhtml', 'grows', 'large', 'failing'])(
  'a file that is no picture is not served as an icon: %s',
  async (name) => {
    expect((await icon(name)).status).toBe(404)
    expect(left).toEqual([`${HOST}/${name}`])
  },
)

it.each(['metadata', 'private', 'loopback', 'inside', 'file'])(
  'an icon that redirects to an internal address is not served: %s',
  async (name) => {
    const { status, text } = await icon(name)
    expect(status).toBe(404)
    expect(text).not.toMatch(/169\.254|10\.0|localhost|internal|passwd/)
    expect(left).toEqual([`${HOST}/${name}`])
  },
)

it('an icon that redirects without end is not served', async () => {
  expect((await icon('loop')).status).toBe(404)
  expect(left.length).toBeLessThanOrEqual(6)
})

it.each(['http://icons.example/a', 'file:///etc/passwd', 'javascript:alert(1)', '//icons.example/a', '/good', ''])(
  'a tool with an icon at %j is not published',
  async (src) => {
    expect((await publish('other', src)).status).toBe(422)
  },
)

it.each(['https://169.254.169.254/', 'https://[::1]/', 'https://127.0.0.1/', 'https://x.local/', 'https://u:p@a.b/'])(
  'an icon at %s is published, but is not fetched or served',
  async (src) => {
    const toolkit = `At${crypto.randomUUID().slice(0, 8)}`
    expect((await publish('it', src, toolkit)).status).toBe(201)
    expect((await raw(server.url, { path: `/tools/${toolkit}.it/icon`, headers: asAdmin })).status).toBe(404)
    expect(left.filter((url) => !url.startsWith('https://u:p@'))).toEqual([])
  },
)

it('a caller without a credential causes no icon fetch, and gets a cached icon with no-store', async () => {
  const src = `${HOST}/good?${crypto.randomUUID()}`
  const toolkit = 'Strange'
  expect((await publish('icon', src, toolkit)).status).toBe(201)
  const path = `/tools/${toolkit}.icon/icon`
  for (const headers of [{}, { cookie: '__Host-switchboard-session=made-up; switchboard-session=made-up' }]) {
    expect([401, 404]).toContain((await raw(server.url, { path, headers })).status)
  }
  expect(left).toEqual([])
  expect((await raw(server.url, { path, headers: asAdmin })).status).toBe(200)
  const { status, headers } = await raw(server.url, { path })
  expect({ status, cache: headers['cache-control'] }).toEqual({ status: 200, cache: 'no-store' })
  expect(left).toEqual([src])
})

it('a caller gets the same response for the icon of a hidden tool and of a missing one', async () => {
  const definition = { name: 'plan', description: 'Secret', inputSchema: { type: 'object' } }
  const body = {
    definition: { ...definition, icons: [{ src: `${HOST}/good` }] },
    toolkit: 'Hidden',
    version: '1.0.0',
  }
  expect((await server.json('POST', '/tools', body, asAdmin)).status).toBe(201)
  await raw(server.url, { path: '/tools/Hidden.plan/icon', headers: asAdmin })
  left = []
  const hidden = await raw(server.url, { path: '/tools/Hidden.plan/icon', headers: reader })
  const unknown = await raw(server.url, { path: '/tools/Nobody.plan/icon', headers: reader })
  expect(hidden.status).toBe(404)
  expect(hidden.text.replaceAll('Hidden', '@')).toBe(unknown.text.replaceAll('Nobody', '@'))
  expect(left).toEqual([])
})

it("another site cannot see icons with a person's session, nor cause a fetch", async () => {
  const { body } = await server.json('POST', '/keys', { name: 'ann', scopes: ['tools:read'] }, asAdmin)
  const ann = new HttpPerson()
  await ann.press(await ann.open(`${server.url}/sign-in`), /Sign in/, { key: body.key })
  const src = `${HOST}/good?${crypto.randomUUID()}`
  expect((await publish('site', src, 'Sites')).status).toBe(201)
  const path = `${server.url}/tools/Sites.site/icon`
  expect(left).toEqual([])
  const cookie = await ann.cookieOf(server.url)
  const from = (site: string) =>
    raw(server.url, { path: new URL(path).pathname, headers: { cookie, 'sec-fetch-site': site } })
  expect((await from('cross-site')).status).toBe(403)
  expect((await from('same-site')).status).toBe(403)
  expect(left).toEqual([])
  expect((await from('same-origin')).status).toBe(200)
  expect(left).toEqual([src])
})

const asker = new FetchCapability('key:ann')
function reading(chunkEveryMs: number) {
  const seen = { bytes: 0, isCancelled: false }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((done) => setTimeout(done, chunkEveryMs))
      const chunk = new Uint8Array(chunkEveryMs === 0 ? 65_536 : 1)
      seen.bytes += chunk.length
      controller.enqueue(chunk)
    },
    cancel: () => void (seen.isCancelled = true),
  })
  const fetch = async () => new Response(body, { headers: { 'content-type': 'image/png' } })
  const guardedFetch = createGuardedFetch({ fetch, allowHttpHosts: new Set(), maxResponseBytes: MAX_ICON })
  return { seen, read: createIcons(guardedFetch, Date.now)(`${HOST}/endless`, asker) }
}

it('an endless icon is read up to a limit', async () => {
  const { seen, read } = reading(0)
  expect(await read).toBeUndefined()
  expect(seen.bytes).toBeLessThan(MAX_ICON + 3 * 65_536)
  expect(seen.isCancelled).toBe(true)
})

it('an icon that is sent very slowly is read up to a deadline', async () => {
  const { seen, read } = reading(200)
  expect(await read).toBeUndefined()
  expect(seen.isCancelled).toBe(true)
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ServerProcess, startProcess } from '../e2e/process.ts'
import { raw } from '../e2e/raw.ts'
import type { Server } from '../e2e/server.ts'
import { neverSilent, startWatchedServer } from './watch.ts'

let server: Server
let fronted: string
let dev: ServerProcess
beforeAll(async () => {
  server = await startWatchedServer()
  // Miniflare's own entry, which takes the request's URL from a header that the sender controls
  fronted = (await server.miniflare.ready).origin
  dev = await startProcess(['npm', 'run', '--silent', 'dev', '--'])
})
afterAll(() => Promise.all([server?.stop(), dev?.stop()]))
afterAll(neverSilent)

const FOREIGN = [
  'evil.test',
  'evil.test:8787',
  'localhost.evil.test',
  'localhost@evil.test',
  '10.0.0.1',
  '[::ffff:127.0.0.1]',
]
const PLACES = ['/keys', '/providers', '/users/ann/grants', '/tools', '/mcp', '/nowhere']

describe.each(['its own door', "miniflare's door", "npm run dev's door"] as const)(
  'a web page with a rebound host name, through %s,',
  (door) => {
    const url = () => ({ 'its own door': server.url, "miniflare's door": fronted, "npm run dev's door": dev.url })[door]

    it.each(FOREIGN)(
      `a web page with a rebound host name, through ${door}, has no access as %s, whatever URL its headers claim`,
      async (host) => {
        for (const path of PLACES) {
          for (const said of ['http://localhost', 'http://127.0.0.1:8787', 'https://[::1]']) {
            const claims = {
              'mf-original-url': `${said}${path}`,
              'mf-original-hostname': 'localhost',
              'x-forwarded-host': 'localhost',
              'x-forwarded-proto': 'http',
              'forwarded': 'host=localhost',
            }
            const answer = await raw(url(), { path, headers: { host, ...claims } })
            expect([401, 403], `${path} as ${said}`).toContain(answer.status)
            expect(answer.text).not.toContain('"items"')
          }
        }
      },
    )

    it(`a web page with a rebound host name, through ${door}, cannot create a key`, async () => {
      const headers = {
        'host': 'evil.test',
        'content-type': 'application/json',
        'mf-original-url': 'http://localhost/keys',
      }
      const body = JSON.stringify({ name: 'mine', scopes: ['admin'] })
      for (const origin of [undefined, 'http://evil.test', 'null']) {
        const sent = origin === undefined ? headers : { ...headers, origin }
        expect((await raw(url(), { method: 'POST', path: '/keys', headers: sent, body })).status).toBe(401)
      }
      const { host } = new URL(url())
      expect(JSON.parse((await raw(url(), { path: '/keys', headers: { host } })).text).items).toEqual([])
    })
  },
)

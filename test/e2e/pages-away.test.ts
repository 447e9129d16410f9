import { afterAll, expect, it } from 'vitest'
import { askToken } from './oauth/agent.ts'
import { HttpPerson, type Visited } from './oauth/http-person.ts'
import { type Server, type ServerOptions, startServer } from './server.ts'

/** What people see, and programs get, of a deployment of which a part is out of order. */
const ADMIN_KEY = 'an-administrators-key-1'
const HTML = 'text/html; charset=utf-8'
const servers: Server[] = []
afterAll(() => Promise.all(servers.map((server) => server.stop())))

async function start(broken: NonNullable<ServerOptions['broken']>): Promise<Server> {
  const server = await startServer({ vars: { ACCESS: 'keys', ADMIN_KEY }, broken })
  servers.push(server)
  return server
}

const signIn = async (url: string): Promise<[HttpPerson, Visited]> => {
  const who = new HttpPerson()
  return [who, await who.press(await who.open(`${url}/sign-in`), /Sign in/, { key: ADMIN_KEY })]
}

it('the sign-in page says when to try again while sessions are unavailable', async () => {
  const { url } = await start('Access')
  const [, { status, headers, text }] = await signIn(url)
  expect([status, headers.get('content-type'), headers.get('retry-after')]).toEqual([503, HTML, '1'])
  expect(text).toContain('cannot reach its keys')
  expect(text).toContain('Wait a moment, then load this page again')
})

it('the page that asks about an agent is a page even if its storage fails, and clients get JSON', async () => {
  const server = await start('Connect')
  const [ann, findSession] = await signIn(server.url)
  expect(findSession.status).toBe(200)
  const { status, headers, text } = await ann.open(`${server.url}/connect/authorize?client_id=x`)
  expect([status, headers.get('content-type'), headers.get('retry-after')]).toEqual([503, HTML, '1'])
  expect(text).toContain('cannot reach its connected agents')
  expect(text).not.toMatch(/sql|storage/i)
  const answer = await askToken(server.url, { grant_type: 'authorization_code', code: 'a:b:c' })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'application/json'])
})

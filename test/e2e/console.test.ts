import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HttpPerson } from './oauth/http-person.ts'
import { type Server, startServer } from './server.ts'

const ADMIN_KEY = 'an-administrators-key-1'
const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }
const BROWSER = { accept: 'text/html' }

let server: Server
beforeAll(async () => {
  server = await startServer({ vars: { ACCESS: 'keys', ADMIN_KEY } })
})
afterAll(() => server?.stop())

/** Somebody who is signed in with a key of their own. */
async function signIn(more: object): Promise<HttpPerson> {
  const body = { name: 'ann', scopes: ['tools:read', 'tools:call'], ...more }
  const made = await server.json('POST', '/keys', body, asAdmin)
  const who = new HttpPerson()
  await who.press(await who.open(`${server.url}/sign-in`), /Sign in/, { key: made.body.key })
  return who
}
const open = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(server.url + path, { headers: { ...BROWSER, ...headers }, redirect: 'manual' })
  return { status: response.status, location: response.headers.get('location'), text: await response.text() }
}

describe('the console of a deployment', () => {
  it('shows each who is signed in what they may see, and no more', async () => {
    const ann = await signIn({ tools: ['Calculator.*'] })
    const list = await ann.open(`${server.url}/?limit=1000`)
    expect(list.text).toContain('Calculator.Add')
    expect(list.text).not.toMatch(/Gmail|SMS/)
    const hidden = await ann.open(`${server.url}/console/tools/SMS.Send`)
    const unknown = await ann.open(`${server.url}/console/tools/SMS.Sent`)
    expect([hidden.status, unknown.status]).toEqual([404, 404])
    const plain = (text: string) => text.replaceAll(/nonce(?:="|-)[\w-]+/g, '').replaceAll(/Sen[dt]/g, 'Sen')
    expect(plain(hidden.text)).toBe(plain(unknown.text))
    const all = await (await signIn({ tools: ['*'] })).open(`${server.url}/`)
    expect(all.text).toContain('Gmail.GetEmails')
  })

  it('is closed to whoever is not signed in, also with a session that is over', async () => {
    expect(await open('/')).toMatchObject({ status: 200, text: expect.stringContaining('Sign in') })
    expect((await open('/')).text).not.toContain('Calculator')
    const away = { status: 302, location: '/sign-in?return=%2Fconsole%2Ftools%2FSMS.Send' }
    expect(await open('/console/tools/SMS.Send')).toMatchObject(away)
    const forged = { cookie: `switchboard-session=${'x'.repeat(43)}` }
    expect(await open('/console/tools/SMS.Send', forged)).toMatchObject(away)
  })

  it('takes a key in a header too, and answers other clients as ever', async () => {
    expect((await open('/', asAdmin)).text).toContain('Gmail.GetEmails')
    const other = await fetch(server.url, { redirect: 'manual' })
    expect([other.status, other.headers.get('location')]).toEqual([302, '/docs'])
  })

  it('is not told for what it is opened to other routes', async () => {
    const ann = await signIn({ tools: ['*'] })
    // A session is for pages: what agents call takes keys
    expect((await ann.open(`${server.url}/tools`)).status).toBe(401)
  })
})

describe('GET /toolkits', () => {
  it('lists the toolkits of the tools that a caller may see', async () => {
    const { body } = await server.json('GET', '/toolkits', undefined, asAdmin)
    expect(body.items).toContainEqual({ toolkit: 'Calculator', tools: 2, security_level: 1 })
    expect(body.items).toContainEqual({ toolkit: 'SMS', tools: 1, security_level: 4 })
    const { key } = (
      await server.json('POST', '/keys', { name: 'k', scopes: ['tools:read'], tools: ['SMS.*'] }, asAdmin)
    ).body
    const own = await server.json('GET', '/toolkits', undefined, { authorization: `Bearer ${key}` })
    expect(own.body.items).toEqual([{ toolkit: 'SMS', tools: 1, security_level: 4 }])
    expect((await server.json('GET', '/toolkits')).status).toBe(401)
    const caller = (await server.json('POST', '/keys', { name: 'k', scopes: ['tools:call'] }, asAdmin)).body.key
    expect((await server.json('GET', '/toolkits', undefined, { authorization: `Bearer ${caller}` })).status).toBe(403)
  })
})

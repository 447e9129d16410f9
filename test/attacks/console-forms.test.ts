import { afterAll, beforeAll, expect, it } from 'vitest'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import type { RunningServer } from '../e2e/server.ts'
import { ADMIN_KEY, asAdmin, keyOf } from './set-up.ts'
import { neverSilent, startWatched } from './watch.ts'

let server: RunningServer
let open: RunningServer
let admin: HttpPerson
beforeAll(async () => {
  server = await startWatched({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  open = await startWatched()
  admin = await findSession(ADMIN_KEY)
})
afterAll(() => Promise.all([server?.stop(), open?.stop()]))
afterAll(neverSilent)

async function findSession(key: string): Promise<HttpPerson> {
  const who = new HttpPerson()
  await who.press(await who.open(`${server.url}/sign-in`), /Sign in/, { key })
  return who
}
const keys = async (at: RunningServer) =>
  (await at.json('GET', '/keys', undefined, at === server ? asAdmin : {})).body.items.length

/** Headers that browsers send with a form from another site, from a frame without an origin, or from a sibling domain. */
const ELSEWHERE: readonly Readonly<Record<string, string>>[] = [
  { 'sec-fetch-site': 'cross-site', 'origin': 'https://evil.test' },
  { 'sec-fetch-site': 'same-site', 'origin': 'https://sibling.test' },
  { 'sec-fetch-site': 'none' },
  { origin: 'https://evil.test' },
  { origin: 'null' },
  { origin: 'http://localhost:3000' },
]
const MAKE = { 'do': 'make', 'input/name': 'forged', 'input/scopes': '5' }

it.each(ELSEWHERE)('a form from another site cannot create a key for the signed-in person: %j', async (headers) => {
  const before = await keys(server)
  const page = await admin.post(`${server.url}/console/keys`, MAKE, headers)
  expect(page.status).toBe(403)
  expect(page.text).not.toMatch(/sb_[\w-]{43}/)
  expect(await keys(server)).toBe(before)
})

it.each(ELSEWHERE)('a form from another site does nothing on a deployment with ACCESS=open: %j', async (headers) => {
  const before = await keys(open)
  const forms = ['keys', 'import', 'providers', 'policies', 'versions', 'tools/Calculator.Add']
  for (const path of forms.map((form) => `/console/${form}`)) {
    const page = await new HttpPerson().post(open.url + path, MAKE, headers)
    expect([path, page.status]).toEqual([path, 403])
  }
  expect(await keys(open)).toBe(before)
})

it("a form from the console's own site works, unlike one from another site", async () => {
  const before = await keys(server)
  const page = await admin.post(`${server.url}/console/keys`, MAKE, { origin: server.url })
  expect(page.status).toBe(200)
  expect(await keys(server)).toBe(before + 1)
})

it("a person who is signed in cannot open or use an administrator's page by requesting it", async () => {
  const { as } = await keyOf(server, ['Calculator.*'])
  const who = await findSession(as['authorization']?.replace('Bearer ', '') ?? '')
  const before = await keys(server)
  for (const path of ['/console/keys', '/console/providers', '/console/policies', '/console/audit']) {
    expect([path, (await who.open(server.url + path)).status]).toEqual([path, 403])
  }
  expect((await who.post(`${server.url}/console/keys`, MAKE, { origin: server.url })).status).toBe(403)
  expect(await keys(server)).toBe(before)
  // Nor to tools or calls of others
  const call = await who.post(`${server.url}/console/tools/SMS.Send`, { 'input/to': '+1' }, { origin: server.url })
  expect(call.status).toBe(404)
})

it('a person who is signed in sees only their own calls', async () => {
  const [ann, bob] = [await keyOf(server, ['Calculator.*']), await keyOf(server, ['Calculator.*'])]
  for (const { as } of [ann, bob])
    await server.json('POST', '/tools/call', { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } }, as)
  const all = async () => (await server.json('GET', '/calls', undefined, asAdmin)).body.items.length
  await expect.poll(all).toBeGreaterThanOrEqual(2)
  const who = await findSession(ann.as['authorization']?.replace('Bearer ', '') ?? '')
  const { text } = await who.open(`${server.url}/console/calls`)
  expect(text.match(/href="\/console\/calls\/[^"]+"/g)).toHaveLength(1)
  expect(text).not.toContain(bob.id)
})

it('a person whose key was deleted is signed out, and so is a copy of their cookie', async () => {
  const { id, as } = await keyOf(server, ['Calculator.*'])
  const who = await findSession(as['authorization']?.replace('Bearer ', '') ?? '')
  const thief = who.copy()
  expect((await thief.open(`${server.url}/`)).text).toContain('Calculator.Add')
  await server.json('DELETE', `/keys/${id}`, undefined, asAdmin)
  expect((await thief.open(`${server.url}/`)).text).not.toContain('Calculator.Add')
})

const CLIENT = { name: 'Acme', issuer: 'https://login.acme.test', client_id: 'c' }
it.each([
  {
    page: 'policies?pattern=Lab.*',
    path: '/policies/Lab.*',
    before: { security_level: 3 },
    after: { security_level: 9, approval: true },
    fields: { 'do': 'set', 'input/pattern': 'Lab.*', 'input/security_level': '3' },
  },
  {
    page: 'providers?id=acme',
    path: '/providers/acme',
    before: CLIENT,
    after: { ...CLIENT, tools: ['Acme.*'] },
    fields: {
      'do': 'give',
      'input/id': 'acme',
      'input/name': 'A',
      'input/issuer': CLIENT.issuer,
      'input/client_id': 'c',
    },
  },
])(
  'a form opened before access was reduced does not restore the access: $page',
  async ({ page, path, before, after, fields }) => {
    await server.json('PUT', path, before, asAdmin)
    const address = `${server.url}/console/${page}`
    const etag = etagIn((await admin.open(address)).text)
    await server.json('PUT', path, after, asAdmin)
    const origin = server.url
    expect((await admin.post(address, { ...fields, etag }, { origin })).status).toBe(412)
    expect((await admin.post(address, { ...fields, etag: '*' }, { origin })).status).toBe(412)
    expect((await server.json('GET', path, undefined, asAdmin)).body).toMatchObject(after)
  },
)

it("a form opened before a key was reduced does not restore the key's access", async () => {
  const { id } = await keyOf(server, ['*'])
  const address = `${server.url}/console/keys?id=${id}`
  const etag = etagIn((await admin.open(address)).text)
  await server.json('PATCH', `/keys/${id}`, { tools: ['Lab.*'] }, asAdmin)
  const fields = { 'do': 'change', 'input/name': 'k', 'input/scopes': '0', 'input/tools': '*', etag }
  const sent = await admin.post(address, fields, { origin: server.url })
  expect([sent.status, sent.text.includes('This was changed by somebody else')]).toEqual([412, true])
  expect((await server.json('GET', `/keys/${id}`, undefined, asAdmin)).body.tools).toEqual(['Lab.*'])
  const again = await admin.post(address, { ...fields, etag: etagIn(sent.text) }, { origin: server.url })
  expect(again.status).toBe(200)
  expect((await server.json('GET', `/keys/${id}`, undefined, asAdmin)).body.tools).toEqual(['*'])
})

function etagIn(text: string): string {
  const [, etag = ''] = /name="etag" value="([^"]+)"/.exec(text) ?? []
  expect(etag).not.toBe('')
  return etag
}

it('pages cannot be framed or cached, and send no referrer to other hosts', async () => {
  for (const path of ['/', '/console/keys', '/console/tools/Calculator.Add', '/console/calls']) {
    const { headers } = await admin.open(server.url + path)
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  }
})

it('a page shows no secret: neither the key of the session, nor a password in an imported URL', async () => {
  const { text } = await admin.open(`${server.url}/console/keys`)
  expect(text).not.toContain(ADMIN_KEY)
  const fields = { 'kind': 'openapi', 'source': 'https://ann:hunter2@nowhere.test/x', 'input/toolkit': 'X' }
  const page = await admin.post(`${server.url}/console/import`, fields, { origin: server.url })
  const [, foot = ''] = page.text.split('<footer>')
  expect(foot).toContain('toolkits/import')
  expect(foot).not.toContain('hunter2')
})

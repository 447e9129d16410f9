import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  asAdmin,
  callFor,
  challengeFor,
  enter,
  type KeyApi,
  newKey,
  publishKeyTool,
  putProvider,
  startKeyApi,
  variablesBeside,
} from '../e2e/key-world.ts'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { startVerifier, type Verifier } from '../e2e/oauth/verifier.ts'
import type { RunningServer } from '../e2e/server.ts'
import { startUpstream, type Upstream } from '../upstream.ts'
import { neverSilent, startWatched } from './watch.ts'

let api: KeyApi
let thief: Upstream
let server: RunningServer
let app: Verifier
let verified: RunningServer

const KEYED = { kind: 'api_key', name: 'Notes' }
const PLACED = [{ authorization: 'notes', in: 'header', name: 'x-api-key' }]
const check = () => ({ url: `${api.origin}/me`, headers: { 'x-api-key': '{key}' }, account: '/login' })

beforeAll(async () => {
  api = await startKeyApi()
  thief = await startUpstream((_, response) => void response.writeHead(200).end('{}'))
  app = await startVerifier()
  const vars = { ...variablesBeside(api), ALLOW_HTTP_HOSTS: `${api.host},${thief.host}` }
  server = await startWatched({ vars })
  verified = await startWatched({ vars: { ...vars, USER_VERIFIER_URL: app.url } })
  app.edge = { ask: (method, path, body) => verified.json(method, path, body, asAdmin) }
  for (const each of [server, verified]) await reset(each)
})
afterAll(() => Promise.all([server?.stop(), verified?.stop(), api?.close(), thief?.close(), app?.close()]))
afterAll(neverSilent)

async function reset(target: RunningServer): Promise<void> {
  await putProvider(target, 'notes', { ...KEYED, check: check() })
  await publishKeyTool(target, 'List', `${api.origin}/notes`, PLACED, 'notes')
}

function createAccount(login: string): string {
  const key = newKey()
  api.accounts.set(key, login)
  return key
}

const grantsAt = async (target: RunningServer, user: string) =>
  (await target.json('GET', `/users/${user}/grants`, undefined, asAdmin)).body
const NONE = { items: [] }

it('the page that asks for a key cannot be framed or cached, and loads nothing from other hosts', async () => {
  const { headers } = await new HttpPerson().open((await challengeFor(server, 'Notes.List', 'framed')).url)
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
})

it.each(['https://evil.example', 'null'])('a key posted by a page of %s is not stored', async (origin) => {
  const { url } = await challengeFor(server, 'Notes.List', 'forged')
  const fields = { 'decision': 'enter', 'value/key': createAccount('forged'), 'check': `${api.origin}/me` }
  const posted = await new HttpPerson().post(url, fields, { origin, 'sec-fetch-site': 'cross-site' })
  expect(posted.status).toBe(403)
  expect(await grantsAt(server, 'forged')).toEqual(NONE)
})

it('a key entered by another person is not stored for the user, because the verifier first checks who enters it', async () => {
  const { url } = await challengeFor(verified, 'Notes.List', 'mallory')
  app.findSession = 'ann'
  const ann = new HttpPerson()
  const page = await ann.open(url)
  expect(page.text).not.toContain('type="password"')
  expect((await ann.press(page, /continue/i)).text).toContain('somebody else')
  // Nor by skipping the page, as if the verifier had confirmed the person
  for (const hinted of [url, `${url}?confirmed=yes`]) {
    const fields = { 'decision': 'enter', 'value/key': createAccount('ann'), 'check': `${api.origin}/me` }
    const posted = await ann.post(hinted, fields, { origin: new URL(url).origin })
    expect(posted.text).toContain('somebody else')
  }
  expect(await grantsAt(verified, 'mallory')).toEqual(NONE)

  app.findSession = undefined
  const own = new HttpPerson()
  const back = await own.press(await own.open(url), /continue/i)
  expect(back.text).toContain('type="password"')
  // The return link does not work in another browser
  app.findSession = 'ann'
  expect((await enter(back.url, { key: createAccount('thief') })).text).toContain('somebody else')
  const connected = await own.press(back, /connect/i, { 'value/key': createAccount('mallory') })
  expect([connected.status, connected.text]).toEqual([200, expect.stringContaining('mallory')])
})

it("if a provider's check URL changes while the page is open, the key is not sent to the new URL", async () => {
  const { url } = await challengeFor(server, 'Notes.List', 'moved')
  const someone = new HttpPerson()
  const page = await someone.open(url)
  await putProvider(server, 'notes', { ...KEYED, check: { ...check(), url: `${thief.origin}/me` } })
  const answer = await someone.press(page, /connect/i, { 'value/key': createAccount('moved') })
  expect([answer.status, answer.text]).toEqual([502, expect.stringContaining('were changed meanwhile')])
  expect(thief.arrived).toEqual([])
  await reset(server)
})

it('a tool that starts to send the key to another host needs consent, and gets no key before', async () => {
  const { url } = await challengeFor(server, 'Notes.List', 'bob')
  expect((await enter(url, { key: createAccount('bob') })).status).toBe(200)
  await publishKeyTool(server, 'Elsewhere', `${thief.origin}/notes`, PLACED, 'notes')
  const asked = await challengeFor(server, 'Notes.Elsewhere', 'bob')
  expect(asked.reason).toContain(`send it to ${thief.host}`)
  expect((await new HttpPerson().open(asked.url)).text).toContain(thief.host)
  expect(thief.arrived).toEqual([])
})

it('if the check redirects, the key is not sent on, and nothing is stored', async () => {
  api.answerCheck = (response) => void response.writeHead(307, { location: `${thief.origin}/me` }).end()
  const { url } = await challengeFor(server, 'Notes.List', 'redirected')
  const answer = await enter(url, { key: createAccount('redirected') })
  expect([answer.status, answer.text]).toEqual([502, expect.stringContaining('its check redirects')])
  api.answerCheck = (response) => void response.writeHead(500).end()
  expect((await enter(url, { key: createAccount('redirected') })).text).toContain('it answered 500')
  api.answerCheck = undefined
  expect(thief.arrived).toEqual([])
  expect(await grantsAt(server, 'redirected')).toEqual(NONE)
})

it("an account gets no name that contains the key, even if the check's response echoes the key", async () => {
  const key = newKey()
  api.answerCheck = (response) =>
    void response.writeHead(200).end(JSON.stringify({ login: `account ${key}`.slice(0, 60) }))
  const answer = await enter((await challengeFor(server, 'Notes.List', 'echoed')).url, { key })
  api.answerCheck = undefined
  expect(answer.status).toBe(200)
  expect(answer.text).not.toContain(key)
  expect(JSON.stringify(await grantsAt(server, 'echoed'))).not.toContain(key)
})

it.each([
  ['a key where there was a token', { kind: 'bearer' }],
  ['fields', { kind: 'fields', fields: [{ name: 'key', label: 'Key' }] }],
  ['OAuth', { issuer: 'https://provider.example', client_id: 'c' }],
])('no tool sends a stored credential after its provider changes to another kind: %s', async (_, changed) => {
  await reset(server)
  const { url } = await challengeFor(server, 'Notes.List', 'changed')
  expect((await enter(url, { key: createAccount('changed') })).status).toBe(200)
  expect((await callFor(server, 'Notes.List', 'changed')).status).toBe(200)
  await putProvider(server, 'notes', changed)
  const before = api.arrived.length
  const asked = await challengeFor(server, 'Notes.List', 'changed')
  expect(asked.reason).toContain('asks for something else than what the user gave')
  expect(api.arrived.length).toBe(before)
  await reset(server)
  await server.json('DELETE', '/users/changed/grants', undefined, asAdmin)
})

it('a person can try at most 20 keys', async () => {
  const answers: string[] = []
  for (let n = 0; n < 23; n++) {
    const { url } = await challengeFor(server, 'Notes.List', 'guesser')
    answers.push((await enter(url, { key: `guess-${n}` })).text)
  }
  expect(answers.filter((text) => text.includes('does not accept this'))).toHaveLength(20)
  expect(answers.slice(20).every((text) => text.includes('expired'))).toBe(true)
  expect(await grantsAt(server, 'guesser')).toEqual(NONE)
})

it('a key is not reported as wrong if the check fails for another reason', async () => {
  api.answerCheck = (response) => void response.writeHead(404).end()
  const answer = await enter((await challengeFor(server, 'Notes.List', 'lost')).url, { key: createAccount('lost') })
  api.answerCheck = undefined
  expect([answer.status, answer.text]).toEqual([502, expect.stringContaining('it answered 404')])
  expect(await grantsAt(server, 'lost')).toEqual(NONE)
})

it.each([
  ['empty', ''],
  ['too long', 'k'.repeat(4_097)],
  ['of two lines', 'key\r\nx-admin: yes'],
])('a key that is %s is refused before any request is sent', async (_, key) => {
  const before = api.arrived.length
  const answer = await enter((await challengeFor(server, 'Notes.List', 'bad')).url, { key })
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('Nothing was stored')])
  expect(api.arrived.length).toBe(before)
})

it.each([
  ['the metadata address', { url: 'http://169.254.169.254/me?k={key}' }],
  ['a host that the person chooses', { url: 'https://{key}.example/me' }],
  ['a host that the person chooses behind one slash', { url: 'https:/{key}.example/me' }],
  ['a host that the person chooses behind backslashes', { url: 'https:\\\\{key}.example/me' }],
  ['a host that the person chooses behind a space', { url: ' https://{key}.example/me' }],
  ['a host that starts like one of theirs', { url: 'https://api.example:{key}@evil.example/me' }],
  ['a field that is not asked for', { url: 'https://api.example/me', headers: { 'x-api-key': '{token}' } }],
  ['nothing that was entered', { url: 'https://api.example/me', headers: { 'x-api-key': 'fixed' } }],
])('a provider is refused if its check uses %s', async (_, refused) => {
  const { status, body } = await server.json('PUT', '/providers/other', { ...KEYED, check: refused }, asAdmin)
  expect(status, JSON.stringify(body)).toBe(422)
})

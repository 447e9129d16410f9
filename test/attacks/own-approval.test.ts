import { afterAll, beforeAll, expect, it } from 'vitest'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { ADMIN_KEY, type Connected, connect, startWorld, type World } from '../e2e/oauth/switchboard.ts'
import { connectVerified, type Verifier } from '../e2e/oauth/verifier.ts'
import { neverSilent, watched } from './watch.ts'

let world: World
let app: Verifier
let unidentified: Connected
let identified: Connected

beforeAll(async () => {
  world = await startWorld()
  unidentified = await connect(world)
  watched(unidentified.server)
  const verified = await connectVerified(world)
  app = verified.app
  identified = verified.edge
  watched(identified.server)
})
afterAll(() => Promise.all([unidentified?.server.stop(), identified?.server.stop(), world?.close(), app?.close()]))
afterAll(neverSilent)

const TOOL = 'mailbox.empty'
const input = { folder: 'inbox' }
const emptied = () => world.api.requests.filter(({ path }) => path === '/mailbox').length
const approve = (url: string, origin: string) =>
  fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin },
    body: new URLSearchParams({ decision: 'approve' }),
  })

/** Calls with a key. */
const callAs = (key: string, user?: string) =>
  unidentified.ask(
    'POST',
    '/tools/call',
    { tool_id: TOOL, input, ...(user === undefined ? {} : { context: { user_id: user } }) },
    { authorization: `Bearer ${key}` },
  )
const linkOf = ({ body }: { readonly body: { missing_requirements?: { authorization: { url: string }[] } } }) =>
  body.missing_requirements?.authorization[0]?.url ?? ''

async function signedInWith(key: string): Promise<HttpPerson> {
  const who = new HttpPerson()
  const page = await who.press(await who.open(`${unidentified.server.url}/sign-in`), /Sign in/, { key })
  expect(page.status).toBe(200)
  return who
}
const publishing = ['tools:read', 'tools:call', 'tools:publish']

it('where people sign in with keys, an agent that posts its own approval form must sign in, and its own key does not count', async () => {
  const before = emptied()
  for (const users of ['any', ['ann'], []] as const) {
    // Its key may publish the tool by name, like an approver's key
    const key = await unidentified.keyFor(users, publishing)
    const user = users.length === 0 ? undefined : 'ann'
    const url = linkOf(await callAs(key, user))
    const posted = await approve(url, unidentified.server.url)
    expect(await posted.text()).toContain('Sign in first')
    const own = await signedInWith(key)
    expect(await own.open(url)).toMatchObject({ status: 403, text: expect.stringContaining('somebody else') })
    const forced = await own.post(url, { decision: 'approve' }, { origin: unidentified.server.url })
    expect(forced.status).toBe(403)
    expect((await callAs(key, user)).status).toBe(400)
  }
  expect(emptied()).toBe(before)
})

it("where people sign in with keys, a user's key, a key for all tools, or a key that only calls cannot approve a call", async () => {
  const before = emptied()
  const url = linkOf(await callAs(await unidentified.keyFor(['ann']), 'ann'))
  const wide = { name: 'wide', scopes: publishing, tools: ['*'], users: 'any' }
  const others = [
    await unidentified.keyFor(['ann', 'bob'], publishing),
    await unidentified.keyFor('any'),
    String((await unidentified.ask('POST', '/keys', wide)).body.key),
  ]
  for (const key of others) {
    const page = await (await signedInWith(key)).open(url)
    expect(page).toMatchObject({ status: 403, text: expect.stringContaining('somebody else') })
    expect(page.text).not.toContain(input.folder)
  }
  expect(emptied()).toBe(before)
})

it("where people sign in with keys, an administrator's own call is refused with what to set up", async () => {
  const before = emptied()
  const scopes = ['tools:read', 'tools:call', 'admin']
  for (const key of [ADMIN_KEY, await unidentified.keyFor('any', scopes)]) {
    const { status, body } = await callAs(key, 'ann')
    expect(status).toBe(403)
    expect(JSON.stringify(body)).toContain('nobody here can be told from the caller')
    expect(JSON.stringify(body)).toContain('USER_VERIFIER_URL')
    expect(JSON.stringify(body)).not.toContain('/start')
  }
  expect(emptied()).toBe(before)
})

it('where people sign in with keys, another key that names the tool, or the administrator’s, can approve one call once', async () => {
  const agent = await unidentified.keyFor(['ann'])
  for (const key of [ADMIN_KEY, await unidentified.keyFor([], publishing)]) {
    const before = emptied()
    const url = linkOf(await callAs(agent, 'ann'))
    const approver = await signedInWith(key)
    const page = await approver.open(url)
    expect(page.text).toContain('Approve this call?')
    expect(page.text).not.toContain('anyone with this link can approve')
    expect((await approver.press(page, /approve/i)).text).toContain('You approved')
    expect((await callAs(agent, 'ann')).body.result).toMatchObject({ success: true })
    expect(emptied()).toBe(before + 1)
    expect((await callAs(agent, 'ann')).status).toBe(400)
    expect(emptied()).toBe(before + 1)
  }
})

it('where people sign in with keys, an approver’s key that was deleted cannot approve a call', async () => {
  const before = emptied()
  const made = { name: 'leaving', scopes: publishing, tools: ['mailbox.*'], users: [] }
  const { id, key } = (await unidentified.ask('POST', '/keys', made)).body
  const url = linkOf(await callAs(await unidentified.keyFor(['ann']), 'ann'))
  const approver = await signedInWith(key)
  const page = await approver.open(url)
  expect((await unidentified.ask('DELETE', `/keys/${id}`)).status).toBe(204)
  expect((await approver.press(page, /approve/i)).text).toContain('Sign in first')
  expect(emptied()).toBe(before)
})

it('an agent that posts its own approval form is redirected to the application, which does not confirm it', async () => {
  const before = emptied()
  const { url, check_url } = await identified.challenge(TOOL, 'ann', input)
  const posted = await approve(url, identified.server.url)
  expect(posted.status).toBe(302)
  expect(posted.headers.get('location')).toContain('/verify')
  // It may guess the return link, and press the button again
  const resumed = await fetch(`${url.replace(/\/start$/, '/resume')}?proof=guessed`, { redirect: 'manual' })
  expect([400, 403]).toContain(resumed.status)
  expect((await approve(url, identified.server.url)).headers.get('location')).toContain('/verify')
  expect((await identified.call(TOOL, 'ann', { input })).status).toBe(400)
  expect((await identified.ask('GET', check_url)).body.status).toBe('pending')
  // Its key may not confirm a person
  const flow = new URL(posted.headers.get('location') ?? '').searchParams.get('flow')
  const agent = { authorization: `Bearer ${await identified.keyFor('any')}` }
  const confirmed = await identified.ask('POST', `${check_url}/confirm`, { flow, user_id: 'ann' }, agent)
  expect(confirmed.status).toBe(403)
  // Another person who is signed in there is not Ann
  app.findSession = 'mallory'
  const mallory = new HttpPerson()
  expect((await mallory.press(await mallory.open(url), /approve/i)).text).toContain('somebody else')
  expect(emptied()).toBe(before)

  app.findSession = 'ann'
  const ann = new HttpPerson()
  const back = await ann.press(await ann.open(url), /approve/i)
  expect((await ann.press(back, /approve/i)).text).toContain('You approved')
  expect((await identified.call(TOOL, 'ann', { input })).body.result).toMatchObject({ success: true })
  expect(emptied()).toBe(before + 1)
})

it('with ACCESS=open, the approval page says that anyone with its link can approve', async () => {
  const { server } = await connect(world, { vars: { ACCESS: 'open' } })
  try {
    const call = { tool_id: TOOL, input, context: { user_id: 'ann' } }
    const { body } = await server.json('POST', '/tools/call', call)
    const [{ url }] = body.missing_requirements.authorization
    const someone = new HttpPerson()
    const page = await someone.open(url)
    expect(page.text).toContain('anyone with this link can approve')
    expect((await someone.press(page, /approve/i)).text).toContain('You approved')
    expect((await server.json('POST', '/tools/call', call)).body.result).toMatchObject({ success: true })
  } finally {
    await server.stop()
  }
})

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

/** Without a link, nor what only whoever runs the deployment can do. */
function expectRefused(answer: unknown): void {
  expect(JSON.stringify(answer)).toContain('nobody here can be told from the caller')
  expect(JSON.stringify(answer)).not.toMatch(/USER_VERIFIER_URL|SIGN_IN_ISSUER|\/start/)
}

it('an agent cannot approve its own call where nobody is identified: it is refused, and administrators read what to set up', async () => {
  const before = emptied()
  for (const user of ['ann', undefined]) {
    const { status, body } = await unidentified.call(TOOL, user, { input })
    expect(status).toBe(403)
    expectRefused(body)
  }
  // Nor through the other dialects
  const key = await unidentified.keyFor(['ann'])
  const headers = { 'authorization': `Bearer ${key}`, 'x-user-id': 'ann' }
  const executed = await unidentified.ask(
    'POST',
    '/machine-context/execute',
    {
      header: { messageId: 'm1', messageType: 'request' },
      payload: { tool: { id: 'mailbox', capability: 'empty', parameters: input } },
    },
    headers,
  )
  expectRefused(executed.body)
  const plugin = await unidentified.ask(
    'POST',
    '/plugin/call',
    { params: { name: 'mailbox_empty', arguments: input } },
    headers,
  )
  expectRefused(plugin.body)
  const admin = { 'authorization': `Bearer ${ADMIN_KEY}`, 'x-user-id': 'ann' }
  const told = await unidentified.ask(
    'POST',
    '/tools/call',
    { tool_id: TOOL, input, context: { user_id: 'ann' } },
    admin,
  )
  expect(JSON.stringify(told.body)).toContain('USER_VERIFIER_URL')
  expect(emptied()).toBe(before)
})

it('an agent that posts the form of its own call is sent to the application, where it is nobody', async () => {
  const before = emptied()
  const { url, check_url } = await identified.challenge(TOOL, 'ann', input)
  const posted = await approve(url, identified.server.url)
  expect(posted.status).toBe(302)
  expect(posted.headers.get('location')).toContain('/verify')
  // It may guess the way back, and press again
  const resumed = await fetch(`${url.replace(/\/start$/, '/resume')}?proof=guessed`, { redirect: 'manual' })
  expect([400, 403]).toContain(resumed.status)
  expect((await approve(url, identified.server.url)).headers.get('location')).toContain('/verify')
  expect((await identified.call(TOOL, 'ann', { input })).status).toBe(400)
  expect((await identified.ask('GET', check_url)).body.status).toBe('pending')
  // Its key does not say who a person is
  const flow = new URL(posted.headers.get('location') ?? '').searchParams.get('flow')
  const agent = { authorization: `Bearer ${await identified.keyFor('any')}` }
  const confirmed = await identified.ask('POST', `${check_url}/confirm`, { flow, user_id: 'ann' }, agent)
  expect(confirmed.status).toBe(403)
  // Somebody else who is signed in there is not Ann
  app.signedIn = 'mallory'
  const mallory = new HttpPerson()
  expect((await mallory.press(await mallory.open(url), /approve/i)).text).toContain('somebody else')
  expect(emptied()).toBe(before)

  app.signedIn = 'ann'
  const ann = new HttpPerson()
  const back = await ann.press(await ann.open(url), /approve/i)
  expect((await ann.press(back, /approve/i)).text).toContain('You approved')
  expect((await identified.call(TOOL, 'ann', { input })).body.result).toMatchObject({ success: true })
  expect(emptied()).toBe(before + 1)
})

it('on the machine of whoever tries it out, the page says that it does not know who approves', async () => {
  const { server } = await connect(world, { vars: { ACCESS: 'open' } })
  try {
    const call = { tool_id: TOOL, input, context: { user_id: 'ann' } }
    const { body } = await server.json('POST', '/tools/call', call)
    const [{ url }] = body.missing_requirements.authorization
    const someone = new HttpPerson()
    const page = await someone.open(url)
    expect(page.text).toContain('whoever has this link can approve')
    expect((await someone.press(page, /approve/i)).text).toContain('You approved')
    expect((await server.json('POST', '/tools/call', call)).body.result).toMatchObject({ success: true })
  } finally {
    await server.stop()
  }
})

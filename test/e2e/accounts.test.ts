import { afterAll, beforeAll, expect, it } from 'vitest'
import { HttpPerson, type Visited } from './oauth/http-person.ts'
import { type Connected, connect, startWorld, type World } from './oauth/switchboard.ts'

let world: World
let edge: Connected
beforeAll(async () => {
  world = await startWorld()
  edge = await connect(world)
})
afterAll(() => Promise.all([edge?.server.stop(), world?.close()]))

const USER = 'ann'
const as = (account: string) => ({ context: { account } })
const grantsOf = async (user = USER) => (await edge.ask('GET', `/users/${user}/grants`)).body.items
const getEmails = (more: object = {}, user = USER) => edge.call('Mail.GetEmails', user, { ...more })
const linkOf = ({ body }: Awaited<ReturnType<typeof getEmails>>): string =>
  body.missing_requirements.authorization[0].url
const succeeded = (account: string) => ({ status: 200, body: { result: { success: true, value: { account } } } })

/** A person who consents at the provider as whoever they are there, and says what the account is called. */
async function connectAccount(url: string, atProvider: string, account?: string): Promise<Visited> {
  const someone = new HttpPerson()
  const page = await someone.press(await someone.open(url), /continue/i, account === undefined ? {} : { account })
  return someone.answerProvider(page, atProvider)
}

it('a user with several accounts of one provider names one on the consent page or in the call, and the call uses it', async () => {
  expect((await connectAccount(linkOf(await getEmails()), 'ann-at-work', 'work')).text).not.toContain('could not')
  // The only account is what a call without a name means
  expect(await getEmails()).toMatchObject(succeeded('ann-at-work'))
  expect(await getEmails(as('work'))).toMatchObject(succeeded('ann-at-work'))

  const asked = await getEmails(as('home'))
  expect(asked.status).toBe(400)
  const page = await new HttpPerson().open(linkOf(asked))
  expect(page.text).toMatch(/<dt>Account<\/dt>\s*<dd>home<\/dd>/)
  expect(page.text).not.toContain('name="account"')
  await connectAccount(linkOf(asked), 'ann-at-home')
  expect(await getEmails(as('home'))).toMatchObject(succeeded('ann-at-home'))
  expect(await getEmails(as('work'))).toMatchObject(succeeded('ann-at-work'))
  expect((await grantsOf()).map(({ account }: { account: string }) => account).sort()).toEqual(['home', 'work'])
})

it('a user with several accounts of one provider is asked to choose if a call names none', async () => {
  const { status, body } = await getEmails()
  expect(JSON.stringify([status, body])).toMatch(/home/)
  expect(JSON.stringify(body)).toMatch(/work/)
  expect(body.result?.success ?? false).toBe(false)
})

it('a user with several accounts of one provider can name one in each dialect that allows it', async () => {
  const meta = { 'dev.switchboard/context': { account: 'home' } }
  const params = { name: 'Mail_GetEmails', arguments: {}, _meta: meta }
  const admin = await edge.keyFor([USER])
  const headers = {
    authorization: `Bearer ${admin}`,
    accept: 'application/json, text/event-stream',
    'x-user-id': USER,
  }
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  expect(JSON.stringify((await edge.ask('POST', '/mcp', rpc, headers)).body)).toContain('ann-at-home')
  const engine = {
    tool: { name: 'GetEmails', toolkit: 'Mail' },
    inputs: {},
    context: { user_id: USER, account: 'home' },
  }
  const invoked = await edge.ask('POST', '/worker/tools/invoke', engine, headers)
  expect(invoked.body).toMatchObject({ success: true, output: { value: { account: 'ann-at-home' } } })
})

it('a user with several accounts of one provider is safe from other users who name those accounts', async () => {
  for (const account of ['work', 'home', '']) {
    const { status, body } = await getEmails(as(account), 'mallory')
    expect([status, body.result], account).toEqual([400, undefined])
  }
  expect(await grantsOf('mallory')).toEqual([])
})

it.each([
  ['a name that is too long', 'x'.repeat(65)],
  ['a name that cannot be seen', 'a\u0000b'],
  ['no text', 5],
])('a user with several accounts of one provider is refused %s in a call', async (_, account) => {
  const { status, body } = await edge.call('Mail.GetEmails', USER, { context: { account } })
  expect(status, JSON.stringify(body)).toBe(400)
  expect(JSON.stringify(body)).not.toContain('ann-at')
})

it('an account name that is too long is refused on the consent page, and no authorization starts', async () => {
  const url = linkOf(await getEmails({}, 'bob'))
  const someone = new HttpPerson()
  const answer = await someone.press(await someone.open(url), /continue/i, { account: 'x'.repeat(65) })
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('at most 64 characters')])
  expect(await grantsOf('bob')).toEqual([])
})

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Invocations, startInvocations } from './invocations.ts'
import { neverSilent, watched } from './watch.ts'

let on: Invocations

beforeAll(async () => {
  on = await startInvocations({ approval: true })
  watched(on.edge.server)
  for (const account of ['personal', 'work']) await on.connectAccount('ann', account)
})
afterAll(() => on?.stop())
afterAll(neverSilent)
beforeEach(() => {
  on.world.api.requests.length = 0
})

const INPUT = { eur: 10, to: 'Bob' }

/** Gets a call approved, and checks that the other calls must ask anew and that it then runs. Returns its page's text. */
async function approvedAlone(
  call: () => Promise<{ readonly body: unknown }>,
  others: readonly (() => Promise<{ readonly body: unknown }>)[],
): Promise<string> {
  const page = on.pageOf((await call()).body)
  const seen = await on.approve(page)
  for (const other of others) expect(on.pageOf((await other()).body)).not.toBe(page)
  expect(JSON.stringify((await call()).body)).toMatch(/"success":true/)
  // Only once: the next call asks again
  expect(on.pageOf((await call()).body)).not.toBe(page)
  return seen
}

const transfer = (context: object) =>
  on.call('Mail.Transfer', { input: INPUT, context: { user_id: 'ann', ...context } })

it('an approval for one account does not allow another account or the caller’s own token, and its page names the account', async () => {
  const seen = await approvedAlone(
    () => transfer({ account: 'personal' }),
    [
      () => transfer({ account: 'work' }),
      () => transfer({ account: 'personal', authorization: [{ id: 'mail', token: 'of-mallory' }] }),
      () => transfer({ authorization: [{ id: 'mail', token: 'of-mallory' }] }),
    ],
  )
  expect(seen).toMatch(/Access to mail<\/dt>\s*<dd>the user’s account <strong>personal/)
  expect(on.sentAs()).toEqual(['ann-personal'])
})

it('over the Open Tool Calling RFC, an approval for one account does not allow a call for another', async () => {
  const invoke = (account: string) => on.invoke('Transfer', INPUT, { account })
  const page = on.pageOf((await invoke('work')).body)
  await on.approve(page)
  on.pageOf((await invoke('personal')).body)
  // The approval also allows the same call in another dialect
  expect(JSON.stringify((await transfer({ account: 'work' })).body)).toContain('"success":true')
  expect(on.sentAs()).toEqual(['ann-work'])
})

it('over MCP, an approval for one account does not allow a call for another, and the call uses the grant’s current token', async () => {
  const meta = (account: string) => ({ 'dev.switchboard/context': { account } })
  const asked = await on.mcp('Mail_Transfer', { arguments: INPUT }, meta('personal'))
  await on.approve(on.pageOf(asked))
  on.pageOf(await on.mcp('Mail_Transfer', { arguments: INPUT }, meta('work')))
  on.world.provider.endAccessTokens('ann-personal')
  expect((await on.mcp('Mail_Transfer', { arguments: INPUT }, meta('personal'))).structuredContent).toMatchObject({
    sent_as: 'ann-personal',
  })
  expect(on.sentAs().filter(Boolean)).toEqual(['ann-personal'])
})

it('an approval for a user’s only account does not allow a call for the account that replaces it', async () => {
  await on.connectAccount('eve', 'old')
  const call = () => on.call('Mail.Transfer', { input: INPUT, context: { user_id: 'eve' } })
  const page = on.pageOf((await call()).body)
  expect(await on.approve(page)).toContain('<strong>old</strong>')
  expect((await on.edge.ask('DELETE', '/users/eve/grants/mail')).status).toBe(204)
  await on.connectAccount('eve', 'new')
  expect(on.pageOf((await call()).body)).not.toBe(page)
  expect(on.sentAs()).toEqual([])
})

const charge = (secret?: string, context: object = {}) => {
  const secrets = secret === undefined ? {} : { secrets: [{ id: 'BANK_KEY', value: secret }] }
  return on.call('Mail.Charge', { input: INPUT, context: { user_id: 'ann', ...secrets, ...context } })
}

it('an approval of a call with the caller’s secret does not allow another secret, and its page does not show the value', async () => {
  const before = on.charged().length
  const seen = await approvedAlone(() => charge('account-A'), [() => charge('account-B'), () => charge()])
  expect(seen).toMatch(/Secret BANK_KEY<\/dt>\s*<dd>sent by the caller, fingerprint <code>[\w-]{12}</)
  expect(seen).not.toContain('account-A')
  expect(on.charged().slice(before)).toEqual(['account-A'])
})

it('an approval of a call with the deployment’s secret does not allow a caller’s secret, even of the same value', async () => {
  const before = on.charged().length
  const seen = await approvedAlone(
    () => charge(),
    [() => charge('account-A'), () => charge('account-of-the-deployment')],
  )
  expect(seen).toMatch(/Secret BANK_KEY<\/dt>\s*<dd>this Switchboard’s own/)
  expect(on.charged().slice(before)).toEqual(['account-of-the-deployment'])
})

it('the fingerprint of a secret on an approval page differs for each key, so guesses under another key prove nothing', async () => {
  const known = async (as: Record<string, string>) => {
    const context = { user_id: 'ann', secrets: [{ id: 'BANK_KEY', value: '1234' }] }
    const { body } = await on.edge.ask('POST', '/tools/call', { tool_id: 'Mail.Charge', input: INPUT, context }, as)
    const seen = await (await fetch(on.pageOf(body))).text()
    return /fingerprint <code>([\w-]{12})/.exec(seen)?.[1]
  }
  const [one, other, again] = [await on.keyFor('one'), await on.keyFor('another'), undefined]
  expect(await known(one)).toMatch(/./)
  expect(await known(one)).toBe(await known(again ?? one))
  expect(await known(one)).not.toBe(await known(other))
})

const tell = (context: object) => on.invoke('Tell', INPUT, context)

it('an approval of a call with user_info does not allow other user_info, and its page shows it', async () => {
  const seen = await approvedAlone(
    () => tell({ user_info: { role: 'guest' } }),
    [
      () => tell({ user_info: { role: 'owner' } }),
      () => tell({}),
      () => tell({ user_info: { role: 'guest', admin: true } }),
      () => tell({ user_id: 'bob', user_info: { role: 'guest' } }),
      // Nor over MCP, which sends them elsewhere
      async () => {
        const context = { user_info: { role: 'owner' } }
        return { body: await on.mcp('Mail_Tell', { arguments: INPUT }, { 'dev.switchboard/context': context }) }
      },
    ],
  )
  expect(seen).toMatch(/User details sent by the caller<\/h2>\s*<dl><dt>role<\/dt><dd><pre>guest/)
})

it('an approval of a call with user_info applies whatever part of the output is selected, and in any trace', async () => {
  const user_info = { role: 'guest' }
  await on.approve(on.pageOf((await tell({ user_info })).body))
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  const { body } = await on.invoke('Tell', INPUT, { user_info, select: 'userInfo.role' }, {}, { traceparent })
  expect(body).toMatchObject({ success: true, output: { value: 'guest' } })
})

const NAME = 'test_input_required_result_multi_round'
const accept = (content: object) => ({ action: 'accept', content })

it('a client’s input responses need a new approval in each round, and its page shows them', async () => {
  const first = await on.mcp(NAME)
  await on.approve(on.pageOf(first))
  // Approved without answers, so it does not run with answers
  const forged = await on.mcp(NAME, { inputResponses: { step1: accept({ name: 'Mallory' }) } })
  expect(forged.resultType).toBe('input_required')
  expect(on.pageOf(forged)).not.toBe(on.pageOf(first))
  expect(await (await fetch(on.pageOf(forged))).text()).toContain('Mallory')
  const asked = await on.mcp(NAME)
  expect(Object.keys(asked.inputRequests)).toEqual(['step1'])

  const answer = { inputResponses: { step1: accept({ name: 'Ann' }) }, requestState: asked.requestState }
  const second = await on.mcp(NAME, answer)
  const seen = await on.approve(on.pageOf(second))
  expect(seen).toMatch(/Answers the caller gives[\s\S]*<dt>name<\/dt>\s*<dd><pre>Ann</)
  // Neither with other answers nor with answers in a state that was sealed for another round
  on.pageOf(await on.mcp(NAME, { ...answer, inputResponses: { step1: accept({ name: 'Mallory' }) } }))
  on.pageOf(
    await on.mcp(NAME, {
      ...answer,
      inputResponses: { step1: accept({ name: 'Ann' }), step2: accept({ color: 'red' }) },
    }),
  )
  const goneOn = await on.mcp(NAME, {
    inputResponses: { 'authorization:approval': accept({}) },
    requestState: second.requestState,
  })
  expect(Object.keys(goneOn.inputRequests)).toEqual(['step2'])
})

const post = (file: string) => on.call('Mail.Post', { input: { file } })

it('a person without a key can open the file that they approve, and the tool gets that file', async () => {
  const text = 'PAY 10 TO BOB'
  const handle = await on.upload(text, 'order.txt')
  const page = on.pageOf((await post(handle)).body)
  const seen = await (await fetch(page)).text()
  expect(seen).toContain('>order.txt</a>, text/plain, 13 bytes')
  expect(seen).toContain(`SHA-256 ${createHash('sha256').update(text).digest('hex')}`)
  const link = new URL(/href="([^"]+\/files\/0)"/.exec(seen)?.[1] ?? '', page)
  const opened = await fetch(link)
  expect(await opened.text()).toBe(text)
  expect(opened.headers.get('content-disposition')).toMatch(/^attachment/)
  expect(opened.headers.get('content-security-policy')).toMatch(/^sandbox/)
  // The handle is no credential, and other numbers, names and pages lead nowhere
  expect((await fetch(new URL(`/artifacts/${handle.slice('artifact:'.length)}`, page))).status).toBe(401)
  for (const other of ['1', '-1', '00000', 'length', '0x0', '%2e%2e']) {
    expect((await fetch(new URL(other, link))).status, other).toBeGreaterThanOrEqual(400)
  }
  const another = on.pageOf((await on.call('Mail.Tell', { context: { user_id: 'ann' } })).body)
  expect((await fetch(another.replace('/start', '/files/0'))).status).toBe(410)

  await on.approve(page)
  const { body } = await post(handle)
  expect(Buffer.from(body.result.value.input.file, 'base64').toString()).toBe(text)
  expect((await fetch(link)).status).toBe(410)
})

it('an approval of a file does not allow another file of the same name, size or bytes', async () => {
  const [handle, same, other, renamed] = [
    await on.upload('PAY 10 TO BOB', 'order.txt'),
    await on.upload('PAY 10 TO BOB', 'order.txt'),
    await on.upload('PAY 99 TO EVE', 'order.txt'),
    await on.upload('PAY 10 TO BOB', 'other.txt'),
  ]
  await approvedAlone(
    () => post(handle),
    [() => post(other), () => post(same), () => post(renamed), () => post(btoa('PAY 10 TO BOB'))],
  )
})

it('an approved call fails if its file was deleted, and does not use up the approval', async () => {
  const handle = await on.upload('PAY 10 TO BOB', 'order.txt')
  await on.approve(on.pageOf((await post(handle)).body))
  const { status } = await on.ask('DELETE', `/artifacts/${handle.slice('artifact:'.length)}`)
  expect(status).toBe(204)
  expect((await post(handle)).body).toMatchObject({
    parameter_errors: { file: expect.stringContaining('Is not a file of yours') },
  })
})

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Invocations, startInvocations } from './invocations.ts'
import { neverSilent, watched } from './watch.ts'

let on: Invocations
let ids = 0

beforeAll(async () => {
  on = await startInvocations({ approval: false })
  watched(on.edge.server)
  for (const account of ['personal', 'work']) await on.connectAccount('ann', account)
})
afterAll(() => on?.stop())
afterAll(neverSilent)
beforeEach(() => {
  on.world.api.requests.length = 0
})

const INPUT = { eur: 10, to: 'Bob' }
/** Numbers calls 1, 2, 3, as some clients do. */
const newId = () => `message-${++ids}`
const REUSED = { status: 409, body: { message: expect.stringContaining('was already used with a different') } }

type Call = (more?: object) => Promise<{ readonly status: number; readonly body: any }>

/** Checks that a call succeeds, that others with its call id are refused, and that repeating it returns the same response. */
async function answeredAlone(call: Call, others: readonly Call[]): Promise<unknown> {
  const call_id = newId()
  const { body } = await call({ call_id })
  for (const other of others) expect(await other({ call_id })).toMatchObject(REUSED)
  expect((await call({ call_id })).body.result.value).toEqual(body.result.value)
  return body.result.value
}

const transfer =
  (context: object): Call =>
  (more) =>
    on.call('Mail.Transfer', { input: INPUT, context: { user_id: 'ann', ...context }, ...more })

it('a repeated call id with another account is refused, even if the first call named no account', async () => {
  expect(await answeredAlone(transfer({ account: 'personal' }), [transfer({ account: 'work' })])).toEqual({
    sent_as: 'ann-personal',
  })
  expect(on.sentAs()).toEqual(['ann-personal'])
  await on.connectAccount('dan', 'only')
  const call_id = newId()
  const unnamed = { input: INPUT, context: { user_id: 'dan' }, call_id }
  const first = await on.call('Mail.Transfer', unnamed)
  // Naming the only account makes no difference
  const named = await on.call('Mail.Transfer', { ...unnamed, context: { user_id: 'dan', account: 'only' } })
  expect(named.body.result.value).toEqual(first.body.result.value)
})

it('a repeated call id with another person’s token, or with a token in place of a grant, is refused', async () => {
  const tokenOf = (account: string) => {
    const found = on.world.provider.issued.findLast((each) => each.kind === 'access' && each.account === account)
    return { authorization: [{ id: 'mail', token: found?.token ?? '' }] }
  }
  const [personal, work] = ['ann-personal', 'ann-work'].map((account) => transfer(tokenOf(account)))
  if (!personal || !work) throw new Error('There are two')
  expect(await answeredAlone(personal, [work, transfer({ account: 'personal' })])).toEqual({
    sent_as: 'ann-personal',
  })
  expect(on.sentAs()).toEqual(['ann-personal'])
})

it('a repeated call id with another secret, or with the deployment’s, is refused', async () => {
  const charge =
    (secret?: string): Call =>
    (more) => {
      const secrets = secret === undefined ? {} : { secrets: [{ id: 'BANK_KEY', value: secret }] }
      return on.call('Mail.Charge', { input: INPUT, context: secrets, ...more })
    }
  const before = on.charged().length
  await answeredAlone(charge('of-ann'), [charge('of-bob'), charge()])
  await answeredAlone(charge(), [charge('of-ann'), charge('account-of-the-deployment')])
  expect(on.charged().slice(before)).toEqual(['of-ann', 'account-of-the-deployment'])
})

it('a repeated call id for another user, or with other user_info, is refused', async () => {
  const call_id = newId()
  const tell = (context: object) => on.invoke('Tell', INPUT, context, { execution_id: call_id })
  const { body } = await tell({ user_info: { name: 'Ann' } })
  expect(body).toMatchObject({ success: true })
  const others = [{ user_info: { name: 'Bob' } }, {}, { user_id: 'bob', user_info: { name: 'Ann' } }]
  for (const context of others) {
    expect(JSON.stringify((await tell(context)).body)).toContain('was already used with a different')
  }
  expect((await tell({ user_info: { name: 'Ann' } })).body.output).toEqual(body.output)
})

it('if calls for several users use one call id at once, one runs, and no other user gets its result', async () => {
  const call_id = newId()
  const tell = (user_id: string) => on.call('Mail.Tell', { input: { to: user_id }, context: { user_id }, call_id })
  const users = ['ann', 'bob', 'cem', 'ann', 'bob', 'cem']
  const answers = await Promise.all(users.map(tell))
  const answered = users.filter((user, n) => answers[n]?.body.result?.value.input.to === user)
  expect(new Set(answered).size).toBe(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(4)
})

it('a repeated call id with another selection is refused', async () => {
  const tell =
    (select: object): Call =>
    (more) =>
      on.call('Mail.Tell', { input: INPUT, context: { user_id: 'ann', ...select }, ...more })
  expect(await answeredAlone(tell({ select: 'input.to' }), [tell({ select: 'input.eur' }), tell({})])).toBe('Bob')
})

it('a repeated call id with another file is refused', async () => {
  const files = [await on.upload('for Ann', 'a.txt'), await on.upload('for Bob', 'a.txt')]
  const [ann, bob] = files.map(
    (file): Call =>
      (more) =>
        on.call('Mail.Post', { input: { file }, ...more }),
  )
  if (!ann || !bob) throw new Error('There are two files')
  expect(await answeredAlone(ann, [bob])).toEqual({ input: { file: btoa('for Ann') } })
})

it('over MCP, a repeated call id with another account or other input responses is refused', async () => {
  const meta = (account: string, id: string) => ({
    'dev.switchboard/context': { account },
    'dev.switchboard/call_id': id,
  })
  const id = newId()
  const first = await on.mcp('Mail_Transfer', { arguments: INPUT }, meta('personal', id))
  expect(first.structuredContent).toEqual({ sent_as: 'ann-personal' })
  const other = await on.mcp('Mail_Transfer', { arguments: INPUT }, meta('work', id))
  expect(JSON.stringify(other)).toContain('was already used with a different')
  const again = newId()
  const round = (inputResponses?: object) =>
    on.mcp('test_input_required_result_multi_round', inputResponses ? { inputResponses } : {}, {
      'dev.switchboard/call_id': again,
    })
  expect(Object.keys((await round()).inputRequests)).toEqual(['step1'])
  expect(on.sentAs()).toEqual(['ann-personal'])
})

it('over the Open Tool Calling RFC, a repeated call id with another account or token is refused', async () => {
  const id = newId()
  const invoke = (context: object) => on.invoke('Transfer', INPUT, context, { execution_id: id })
  expect((await invoke({ account: 'work' })).body).toMatchObject({ success: true })
  for (const context of [{ account: 'personal' }, { authorization: { token: 'of-bob' } }]) {
    expect(JSON.stringify((await invoke(context)).body)).toContain('was already used with a different')
  }
  expect(on.sentAs()).toEqual(['ann-work'])
})

it('over the Machine Context Protocol, a repeated call id for another user is refused', async () => {
  const id = newId()
  const execute = (user_id: string, more: object = {}) =>
    on.ask('POST', '/machine-context/execute', {
      header: { messageId: id, messageType: 'request' },
      payload: { tool: { id: 'Mail', capability: 'Tell', parameters: INPUT }, context: { user_id, ...more } },
    })
  expect((await execute('ann')).status).toBe(200)
  expect(JSON.stringify((await execute('bob')).body)).toContain('was already used with a different')
  expect(JSON.stringify((await execute('ann', { user_info: { role: 'owner' } })).body)).toContain(
    'was already used with a different',
  )
})

it('over the plugin schema, a repeated call id with another context is refused', async () => {
  const headers = { 'idempotency-key': newId(), 'x-user-id': 'ann' }
  const call = (account: string) => {
    const _meta = { 'dev.switchboard/context': { account } }
    return on.ask('POST', '/plugin/call', { params: { name: 'Mail_Transfer', arguments: INPUT, _meta } }, headers)
  }
  expect((await call('work')).status).toBe(200)
  expect(JSON.stringify((await call('personal')).body)).toContain('was already used with a different')
  expect(on.sentAs()).toEqual(['ann-work'])
})

import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { type ToolProgress, Switchboard } from '../../src/client/index.ts'
import { startUpstream, type Upstream } from '../upstream.ts'
import { type Gate, startGate } from './gate.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { ADMIN_KEY, type Connected, connect, startWorld, type World } from './oauth/switchboard.ts'

/** The client against a running deployment that wants a key. */

let world: World
let edge: Connected
let bank: Upstream
let gate: Gate
beforeAll(async () => {
  world = await startWorld()
  bank = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"paid":true}')
  })
  gate = await startGate()
  edge = await connect(world, {
    vars: { ALLOW_HTTP_HOSTS: [world.provider.host, world.api.host, bank.host, gate.host].join(',') },
  })
  const pay = {
    definition: { name: 'Pay', description: 'Pays', inputSchema: { type: 'object' } },
    toolkit: 'Bank',
    version: '1.0.0',
    implementation: { kind: 'http', method: 'POST', url: `${bank.origin}/pay`, response: { type: 'json' } },
  }
  expect((await edge.ask('POST', '/tools', pay)).status).toBe(201)
})
afterAll(() => Promise.all([edge?.server.stop(), world?.close(), bank?.close(), gate?.close()]))
afterEach(() => void vi.restoreAllMocks())

const clientOf = (options: Partial<ConstructorParameters<typeof Switchboard>[0]> = {}) =>
  new Switchboard({ url: edge.server.url, key: ADMIN_KEY, ...options })

it('the client lists, searches and shows tools', async () => {
  const client = clientOf()
  const listed: string[] = []
  for await (const { id } of client.tools({ limit: 3 })) listed.push(id)
  expect(new Set(listed).size).toBe(listed.length)
  expect(listed).toEqual(expect.arrayContaining(['Bank.Pay@1.0.0', 'Calculator.Add@1.0.0', 'Mail.Send@1.0.0']))
  expect((await client.list({ toolkit: 'Calculator', limit: 1 })).items).toHaveLength(1)
  const { items, total, unmatched } = await client.search('add two numbers xyzzy')
  expect(items.slice(0, 3).map(({ id }) => id)).toContain('Calculator.Add@1.0.0')
  expect({ total, unmatched }).toEqual({ total: expect.any(Number), unmatched: ['xyzzy'] })
  expect(await client.show('Calculator_Add')).toMatchObject({
    id: 'Calculator.Add@1.0.0',
    output_schema: expect.any(Object),
  })
  await expect(client.show('Nobody.Knows')).rejects.toMatchObject({ code: 'not_found' })
})

it('a call returns a value, or what is wrong with it', async () => {
  const client = clientOf()
  expect(await client.call('Calculator.Add', { a: 1, b: 2 }, { version: '^1' })).toEqual({
    callId: expect.any(String),
    value: 3,
  })
  await expect(client.call('Calculator.Add', { a: 'one' })).rejects.toMatchObject({
    code: 'input_invalid',
    details: { parameterErrors: { a: 'Must be a number', b: 'Is required' } },
  })
  await expect(client.call('Calculator.Ad', {})).rejects.toMatchObject({
    code: 'refused',
    details: { suggestions: ['Calculator.Add'] },
  })
  await expect(clientOf({ key: 'sb_nobody' }).call('Calculator.Add')).rejects.toMatchObject({
    code: 'unauthenticated',
  })
})

it('a call whose connection is lost fifty times runs once', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  let lost = 0
  const client = clientOf({
    attempts: 51,
    async fetch(input, init) {
      const response = await fetch(input, init)
      if (lost === 50) return response
      // Half of them after the answer has begun
      if (lost++ % 2 === 0) throw new TypeError('fetch failed')
      await response.body?.cancel()
      return new Response(
        new ReadableStream({ start: (stream) => stream.error(new TypeError('terminated')) }),
        response,
      )
    },
  })
  expect((await client.call('Bank.Pay', { cents: 100 })).value).toEqual({ paid: true })
  expect(lost).toBe(50)
  expect(bank.arrived).toHaveLength(1)
})

it('a call above the rate limit waits and is sent again', async () => {
  const limits = { rate: { calls: 1, seconds: 1 } }
  const { body } = await edge.ask('POST', '/keys', { name: 'slow', scopes: ['tools:call'], limits })
  const statuses: number[] = []
  const client = clientOf({
    key: body.key,
    async fetch(input, init) {
      const response = await fetch(input, init)
      statuses.push(response.status)
      return response
    },
  })
  const calls = [1, 2, 3].map((a) => client.call('Calculator.Add', { a, b: 0 }))
  expect((await Promise.all(calls)).map(({ value }) => value)).toEqual([1, 2, 3])
  expect(statuses.filter((status) => status === 200)).toHaveLength(3)
  expect(statuses).toContain(429)
})

it('a call receives progress', async () => {
  const told: ToolProgress[] = []
  const onProgress = (progress: ToolProgress) => void told.push(progress)
  expect((await clientOf().call('Fixture.Progress', {}, { onProgress })).value).toBe('Done')
  expect(told).toEqual([0, 50, 100].map((progress) => expect.objectContaining({ progress, total: 100 })))
  expect((await clientOf().call('Fixture.Values@1.0.0', { value: null }, { onProgress })).value).toEqual([null])
  await expect(clientOf().call('Calculator.Add', {}, { onProgress })).rejects.toMatchObject({
    code: 'input_invalid',
    details: { parameterErrors: { a: 'Is required', b: 'Is required' } },
  })
  await expect(clientOf().call('Nobody.Knows', {}, { onProgress })).rejects.toMatchObject({ code: 'refused' })
  const stranger = clientOf({ key: 'sb_nobody' })
  await expect(stranger.call('Fixture.Progress', {}, { onProgress })).rejects.toMatchObject({
    code: 'unauthenticated',
  })
})

it('a call receives progress whatever the characters of the tool, user and message', async () => {
  const [toolkit, name] = ['Long'.repeat(15), 'Name'.repeat(10)]
  const module = `export default async (_, { progress }) => { await progress(1, 1, 'Grüße'); return 'done' }`
  const definition = { name, description: 'Reports', inputSchema: { type: 'object' } }
  const implementation = { kind: 'code', module }
  const document = { definition, toolkit, version: '1.0.0', implementation }
  expect((await edge.ask('POST', '/tools', document)).status).toBe(201)
  const told: ToolProgress[] = []
  const onProgress = (progress: ToolProgress) => void told.push(progress)
  const { value } = await clientOf({ user: 'Ænn→' }).call(`${toolkit}.${name}`, {}, { onProgress })
  expect(value).toBe('done')
  expect(told).toEqual([{ progress: 1, total: 1, message: 'Grüße' }])
})

it('a call whose connection is lost in the middle of the stream is resumed, and runs once', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  let sent = 0
  const client = clientOf({
    async fetch(input, init) {
      const isFirst = sent++ === 0
      const response = await fetch(input, init)
      if (!isFirst) return response
      // The first report comes, and the connection is closed behind it
      const reader = response.body?.getReader()
      const first = (await reader?.read())?.value
      await reader?.cancel()
      const parts = [first]
      const body = new ReadableStream({
        pull(stream) {
          const part = parts.shift()
          if (part) stream.enqueue(part)
          else stream.error(new TypeError('terminated'))
        },
      })
      return new Response(body, response)
    },
  })
  const told: ToolProgress[] = []
  const onProgress = (progress: ToolProgress) => void told.push(progress)
  const calling = client.call('Fixture.Progress', { gate: gate.origin }, { onProgress })
  for (const count of [1, 2, 3]) {
    await gate.come(count)
    if (count === 1) await expect.poll(() => sent).toBe(2)
    gate.open()
  }
  expect((await calling).value).toBe('Done')
  expect(told).toEqual([{ progress: 0, total: 100, message: 'Completed step 0 of 100' }])
  expect(gate.arrived).toHaveLength(3)
})

it('a call that needs a person fails with the link and the requested scopes', async () => {
  const failing = clientOf({ user: 'bob' }).call('Mail.GetEmails')
  await expect(failing).rejects.toMatchObject({
    code: 'authorization_required',
    details: {
      challenges: [{ id: 'mail', url: expect.stringContaining(edge.server.url), scopes: ['mail.read'], user: 'bob' }],
    },
  })
})

it.each([undefined, () => undefined])('a call that needs a person continues after they consent', async (onProgress) => {
  const user = onProgress ? 'ann' : 'carol'
  const { value } = await clientOf({ user }).call(
    'Mail.GetEmails',
    {},
    { onProgress, waitForAuthorization: ([asked]) => void new HttpPerson().consent(asked?.url ?? '', user) },
  )
  expect(value).toMatchObject({ account: user })
})

it('a call that needs a person fails if they refuse', async () => {
  const refusing = clientOf({ user: 'dave' }).call(
    'Mail.GetEmails',
    {},
    { waitForAuthorization: ([asked]) => void new HttpPerson().consent(asked?.url ?? '', 'dave', 'Deny') },
  )
  await expect(refusing).rejects.toMatchObject({ code: 'authorization_failed' })
})

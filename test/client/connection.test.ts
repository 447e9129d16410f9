import { createServer, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { Switchboard } from '../../src/client/index.ts'
import { clientOf, json } from './answers.ts'

const elsewhere: IncomingMessage[] = []
/** Another host, to which an attacker wants the key to be sent. */
const other = createServer((request, response) => {
  elsewhere.push(request)
  response.setHeader('content-type', 'application/json').end('{"items":[],"id":"stolen","key":"theirs"}')
})
let status = 307
const moved = createServer((_, response) => {
  response.writeHead(status, { location: `${originOf(other)}/tools/call` }).end()
})

function originOf(server: typeof other): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('It does not listen')
  return `http://127.0.0.1:${address.port}`
}

beforeAll(async () => {
  for (const server of [other, moved]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  }
})
afterAll(() => {
  for (const server of [other, moved]) server.close()
})

it.each([301, 302, 303, 307, 308])(
  'a redirect (%i) sends neither the key nor the body to another host',
  async (code) => {
    status = code
    const client = new Switchboard({ url: originOf(moved), key: 'sb_a-key', attempts: 1 })
    for (const asked of [client.list(), client.call('Mail.Send', { to: 'ann' })]) {
      await expect(asked).rejects.toMatchObject({ code: 'answer_invalid', details: { status: code } })
    }
    expect(elsewhere).toEqual([])
  },
)

it.each([
  ['//elsewhere.test/steal', 'https://switchboard.test/steal'],
  ['https://switchboard.test//elsewhere.test/steal', 'https://switchboard.test//elsewhere.test/steal'],
  ['https://switchboard.test/\\elsewhere.test/steal', 'https://switchboard.test//elsewhere.test/steal'],
  ['made-up:@elsewhere.test/steal', 'https://switchboard.test/@elsewhere.test/steal'],
  ['https://elsewhere.test/a?b=c#d', 'https://switchboard.test/a'],
])('a response that points the client to %s sends the key nowhere else', async (check_url, url) => {
  const link = { id: 'mail', url: 'https://switchboard.test/a', check_url }
  const challenge = json({ message: 'Needs more', missing_requirements: { authorization: [link] } }, 400)
  const { client, asked } = clientOf([challenge, json({ message: 'No' }, 403)], { key: 'sb_a-key' })
  await expect(client.call('Mail.Get')).rejects.toMatchObject({ code: 'authorization_required' })
  expect(asked.slice(1).map((one) => one.url.href)).toEqual([url])
  expect(asked.map((one) => one.url.host)).toEqual(['switchboard.test', 'switchboard.test'])
})

const KEY = 'sb_a-key'
const urlsOver = (hosts: readonly string[]) => hosts.map((host) => `http://${host}`)

it.each(
  urlsOver(['switchboard.test', '10.0.0.1:8787', '0.0.0.0', 'localhost.test', '127.evil.test', 'localhost.', '[::2]']),
)('a key is not sent to %s, where others could read it', (url) => {
  expect(() => new Switchboard({ url, key: KEY })).toThrow(/not encrypted.*allowHttp/)
  expect(() => new Switchboard({ url, key: KEY, allowHttp: true })).not.toThrow()
  // Without a key, nothing can leak
  expect(() => new Switchboard({ url })).not.toThrow()
})

it.each([...urlsOver(['localhost:8787', '127.0.0.1', '[::1]:1', '0x7f.1']), 'https://switchboard.test'])(
  'a key may be sent to %s',
  (url) => {
    expect(() => new Switchboard({ url, key: KEY })).not.toThrow()
  },
)

it.each<[string, (client: Switchboard) => Promise<unknown>]>([
  ['a list', (client) => client.list()],
  ['a look at a tool', (client) => client.show('Kit.Do')],
])('%s ends after half a minute without a response, and is not repeated', async (_, ask) => {
  vi.useFakeTimers()
  try {
    let count = 0
    const silent: typeof fetch = (_input, init) => {
      count += 1
      return new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
    }
    const asked = ask(new Switchboard({ url: 'https://switchboard.test', fetch: silent }))
    const ended = expect(asked).rejects.toMatchObject({
      code: 'timed_out',
      message: 'https://switchboard.test did not answer within 30 s',
    })
    await vi.advanceTimersByTimeAsync(30_000)
    await ended
    expect(count).toBe(1)
  } finally {
    vi.useRealTimers()
  }
})

it('thousands of requests leave no listener on their shared signal', async () => {
  const controller = new AbortController()
  let listeners = 0
  controller.signal.addEventListener = () => void (listeners += 1)
  const client = new Switchboard({
    url: 'https://switchboard.test',
    fetch: async (_, init) => {
      init?.signal?.addEventListener('abort', () => undefined)
      return Response.json({ items: [] })
    },
  })
  for (let count = 0; count < 2_000; count++) await client.list({ signal: controller.signal })
  expect(listeners).toBe(0)
})

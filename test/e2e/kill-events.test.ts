import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../upstream.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { bundleFolder } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
const SENDER = { 'x-webhook-secret': 'what-the-sender-knows-0123456789' }

let receiver: Upstream
let isDown = true
let persistTo: string
let server: ServerProcess
beforeAll(async () => {
  receiver = await startUpstream(({ body }, response) => {
    const { challenge } = JSON.parse(body)
    if (challenge !== undefined) response.writeHead(200).end(JSON.stringify({ challenge }))
    else response.writeHead(isDown ? 500 : 204).end()
  })
  persistTo = await mkdtemp(join(tmpdir(), 'switchboard-kill-'))
  server = await start()
})
afterAll(async () => {
  await server?.stop({ keep: true })
  await receiver?.close()
  await rm(persistTo, { recursive: true, force: true })
})

async function start(): Promise<ServerProcess> {
  const variables = ['ACCESS:keys', `ADMIN_KEY:${ADMIN_KEY}`, `ALLOW_HTTP_HOSTS:${receiver.host}`]
  const secret = `SENDER_SECRET:${SENDER['x-webhook-secret']}`
  const command = ['node', 'src/node/serve.ts', '--built', '--outdir', await bundleFolder()]
  return startProcess([...command, ...[...variables, secret].flatMap((each) => ['--var', each])], persistTo)
}

it('a server killed while events arrive or are delivered loses no accepted event, and delivers them in order', async () => {
  const source = { kind: 'webhook', signature: 'shared-secret', secret_name: 'SENDER_SECRET' }
  const put = await server.json('PUT', '/event-sources/Mail.Arrived', source, ADMIN)
  expect(put.status, JSON.stringify(put.body)).toBe(201)
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const subscription = { name: 'Mail.Arrived', url: `${receiver.origin}/`, secret }
  expect((await server.json('PUT', '/subscriptions', subscription, ADMIN)).status).toBe(201)
  const accepted: number[] = []
  let number = 0
  async function publish(count: number): Promise<void> {
    for (const end = number + count; number < end;) {
      number += 1
      const sent = await server.json('POST', '/events/Mail.Arrived', { number }, SENDER).catch(() => undefined)
      if (sent && sent.status >= 200 && sent.status < 300) accepted.push(number)
    }
  }
  async function killAndRestart(): Promise<void> {
    await server.stop({ signal: 'SIGKILL', keep: true })
    server = await start()
  }
  const receivedNumbers = () => {
    const bodies = receiver.arrived.map(({ body }) => JSON.parse(body)).filter(({ eventId }) => eventId !== undefined)
    return [...new Map(bodies.map(({ eventId, data }) => [eventId, data.number])).values()]
  }
  for (let round = 0; round < 3; round += 1) {
    const publishing = publish(30)
    await expect.poll(() => accepted.length, { timeout: 30_000, interval: 5 }).toBeGreaterThan(7 * (round + 1))
    await killAndRestart()
    await publishing
  }
  isDown = false
  await server.json('PUT', '/subscriptions', subscription, ADMIN)
  await expect.poll(() => receivedNumbers().length, { timeout: 30_000, interval: 20 }).toBeGreaterThan(3)
  await killAndRestart()
  await expect.poll(receivedNumbers, { timeout: 90_000 }).toEqual(expect.arrayContaining(accepted))
  expect(accepted.length).toBeGreaterThan(20)
  expect(receivedNumbers()).toEqual(receivedNumbers().toSorted((first, second) => first - second))
}, 200_000)

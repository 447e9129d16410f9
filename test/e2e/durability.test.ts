import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { definition } from './definition.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { bundleFolder } from './server.ts'

const PUBLISHERS = 12
const BUNDLED = [
  'Arithmetic.add@1.0.0',
  'Arithmetic.subtract@1.0.0',
  'Calculator.Add@1.0.0',
  'Calculator.Subtract@1.0.0',
  'Doorbell.Ring@0.1.0',
  'Gmail.GetEmails@1.2.0',
  'SMS.Send@0.1.2',
  'System.GetTimestamp@1.0.0',
]

let persistTo: string
let server: ServerProcess | undefined

const start = async () =>
  startProcess(
    ['node', 'src/node/serve.ts', '--built', '--outdir', await bundleFolder(), '--var', 'ACCESS:open'],
    persistTo,
  )

beforeAll(async () => {
  persistTo = await mkdtemp(join(tmpdir(), 'switchboard-durable-'))
})
afterAll(async () => {
  await server?.stop({ keep: true })
  await rm(persistTo, { recursive: true, force: true })
})

async function listed(running: ServerProcess, query = ''): Promise<string[]> {
  const all: string[] = []
  let cursor = ''
  do {
    const { status, body } = await running.json('GET', `/tools?limit=1000${query}${cursor}`)
    expect(status).toBe(200)
    all.push(...body.items.map(({ id }: { id: string }) => id))
    cursor = body.next_cursor === undefined ? '' : `&cursor=${body.next_cursor}`
  } while (cursor !== '')
  return all
}

/** Publishes one after the other, and every fourth time five at once, until the server is gone. */
async function publishUntilDead(
  running: ServerProcess,
  name: string,
  acknowledged: Set<string>,
  isDead: () => boolean,
): Promise<void> {
  for (let n = 0; !isDead(); n += 1) {
    const batch = Array.from({ length: n % 4 === 3 ? 5 : 1 }, (_, at) => definition(`${name}.T${n}x${at}@1.0.0`))
    const answer = await running.json('POST', '/tools', n % 4 === 3 ? batch : batch[0]).catch(() => undefined)
    if (!answer) return
    if (answer.status === 201) acknowledged.add(answer.body.ids[0])
    for (const { id, status } of answer.body.results ?? []) if (status === 201) acknowledged.add(id)
  }
}

it('a server that is killed during publications keeps every acknowledged tool, twice in a row', async () => {
  const acknowledged = new Set<string>()
  server = await start()
  for (const round of [1, 2]) {
    const running = server
    const before = acknowledged.size
    let dead = false
    const publishers = Array.from({ length: PUBLISHERS }, (_, n) =>
      publishUntilDead(running, `Round${round}P${n}`, acknowledged, () => dead),
    )
    // In the middle: the outbox has written some, and every publisher has an answer on its way
    await expect.poll(() => acknowledged.size - before, { interval: 5 }).toBeGreaterThan(250)
    await running.stop({ signal: 'SIGKILL', keep: true })
    dead = true
    await Promise.all(publishers)

    server = await start()
    const restarted = server
    const all = await listed(restarted)
    expect(new Set(all).size).toBe(all.length)
    const present = new Set(all)
    expect([...acknowledged].filter((id) => !present.has(id))).toEqual([])
    expect(BUNDLED.filter((id) => !present.has(id))).toEqual([])
    for (const id of acknowledged) {
      const { status, body } = await restarted.json('GET', `/tools/${id}`)
      expect({ status, body }).toEqual({ status: 200, body: definition(id) })
    }
    for (const id of [...acknowledged].slice(-20)) {
      const call = await restarted.json('POST', '/tools/call', { tool_id: id, input: {} })
      expect(call).toMatchObject({ status: 400, body: { message: `Tool '${id}' cannot be called here` } })
      expect((await restarted.json('POST', '/tools', definition(id))).status).toBe(200)
    }
  }
}, 180_000)

it('a server installs its bundle once, and tools that were disabled stay disabled after restarts', async () => {
  server ??= await start()
  const id = 'Calculator.Subtract@1.0.0'
  const call = (running: ServerProcess, tool_id: string) =>
    running.json('POST', '/tools/call', { tool_id, input: { a: 3, b: 2 } })
  expect((await call(server, id)).body.result.value).toEqual({ result: 1 })
  expect((await server.json('PATCH', `/tools/${id}`, { status: 'disabled' })).status).toBe(200)
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    await server.stop({ signal, keep: true })
    server = await start()
    expect(await call(server, id)).toMatchObject({ status: 400, body: { message: `Tool '${id}' is disabled` } })
    expect((await call(server, 'Calculator.Add')).body.result.value).toBe(5)
    const bundled = (await listed(server, '&versions=all')).filter((each) => !/^(?:Round|Fixture)/.test(each))
    expect(bundled.sort()).toEqual(BUNDLED.filter((each) => each !== id))
  }
  expect((await server.json('PATCH', `/tools/${id}`, { status: 'active' })).status).toBe(200)
  expect((await call(server, id)).body.result.value).toEqual({ result: 1 })
}, 180_000)

import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from './free-port.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { bundleFolder } from './server.ts'

let command: string[]
let first: ServerProcess
let inspector: string
beforeAll(async () => {
  inspector = String(await freePort())
  command = ['src/node/serve.ts', '--built', '--outdir', await bundleFolder(), '--var', 'ACCESS:open']
  first = await startProcess(['node', ...command, '--inspector-port', inspector])
})
afterAll(() => first?.stop())

const second = (...options: string[]) => {
  const { status, stderr } = spawnSync('node', [...command, '--port', '0', ...options], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  return { status, stderr }
}

const CALLS = 20

it('a second server cannot use the folder of the first, and is told which process uses it', () => {
  expect(second('--persist-to', first.persistTo)).toEqual({
    status: 1,
    stderr: `Cannot serve from ${first.persistTo}: the server with process id ${first.pid} does. Stop it, or give another --persist-to\n`,
  })
})

it('a second server cannot use a taken inspector port', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-second-'))
  expect(second('--persist-to', folder, '--inspector-port', inspector)).toEqual({
    status: 1,
    stderr: `Cannot listen on 127.0.0.1:${inspector}: it is taken, give another --inspector-port\n`,
  })
  await rm(folder, { recursive: true })
})

it('a second server can use the folder of a first that was killed, with the records of its calls', async () => {
  const call = { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } }
  for (let each = 0; each < CALLS; each++) await first.json('POST', '/tools/call', call)
  const usage = async () => (await first.json('GET', '/usage?by=day')).body
  const recorded = { items: [expect.objectContaining({ calls: CALLS })], lost: 0 }
  await expect.poll(usage).toMatchObject(recorded)
  await first.stop({ signal: 'SIGKILL', keep: true })
  first = await startProcess(['node', ...command], first.persistTo)
  expect(await usage()).toMatchObject(recorded)
}, 60_000)

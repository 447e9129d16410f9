import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

/** How many records the server says that it has, stored or not. */
function expectedOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const [file] = files.filter((name) => /Records[/\\][0-9a-f]+\.sqlite$/.test(name))
  if (file === undefined) return 0
  const database = new DatabaseSync(join(folder, file), { readOnly: true })
  const row = database.prepare("SELECT sum(value) AS sum FROM meta WHERE name GLOB 'had *'").get()
  database.close()
  return Number(row?.['sum'] ?? 0)
}

describe('a second server', () => {
  it('is refused the folder of the first, with who has it', () => {
    expect(second('--persist-to', first.persistTo)).toEqual({
      status: 1,
      stderr: `Cannot serve from ${first.persistTo}: the server with process id ${first.pid} does. Stop it, or give another --persist-to\n`,
    })
  })

  it('is refused the port of its inspector', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'switchboard-second-'))
    expect(second('--persist-to', folder, '--inspector-port', inspector)).toEqual({
      status: 1,
      stderr: `Cannot listen on 127.0.0.1:${inspector}: it is taken, give another --inspector-port\n`,
    })
    await rm(folder, { recursive: true })
  })

  it('has the folder of a first that was killed, and counts the calls that it had not recorded', async () => {
    const call = { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } }
    for (let each = 0; each < CALLS; each++) await first.json('POST', '/tools/call', call)
    await expect.poll(() => expectedOf(first.persistTo)).toBe(CALLS)
    await first.stop({ signal: 'SIGKILL', keep: true })
    first = await startProcess(['node', ...command], first.persistTo)
    expect((await first.json('GET', '/health')).status).toBe(200)
    const { items, lost } = (await first.json('GET', '/usage?by=day')).body
    expect((items[0]?.calls ?? 0) + lost).toBe(CALLS)
    const said = () => Number(/"event":"records-lost","lost":(\d+)/.exec(first.printed())?.[1] ?? 0)
    // An answer may come before the lines that were printed before it
    await expect.poll(said).toBe(lost)
  }, 60_000)
})

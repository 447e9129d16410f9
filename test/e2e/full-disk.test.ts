import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { definition } from './definition.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { bundleFolder } from './server.ts'

/** A file system of its own for the server, which others do not see. */
const APART = ['unshare', '--map-root-user', '--mount']
const canMount = spawnSync(APART[0] ?? '', [...APART.slice(1), 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0

describe.skipIf(!canMount)(`a server with a full disk${canMount ? '' : ' (this machine mounts none)'}`, () => {
  let folder: string
  let server: ServerProcess
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchboard-disk-'))
    const mounted = [...APART, 'sh', '-c', 'mount -t tmpfs -o size=16m tmpfs "$0" && exec "$@"', folder]
    const command = ['src/node/serve.ts', '--built', '--outdir', await bundleFolder(), '--var', 'ACCESS:open']
    server = await startProcess([...mounted, 'node', ...command], folder)
  })
  afterAll(async () => {
    await server?.stop({ keep: true })
    await rm(folder, { recursive: true, force: true })
  })

  it('a server with a full disk reports it, and still calls its bundled tools', async () => {
    const status = async (tool: number) => {
      const filling = { ...definition(`Full.T${tool}@1.0.0`), description: 'x'.repeat(200_000) }
      return (await server.json('POST', '/tools', filling)).status
    }
    let tool = 0
    while ((await status(tool)) === 201) tool += 1
    expect(tool).toBeGreaterThan(0)
    expect(await status(tool + 1)).toBe(503)
    const health = () => server.json('GET', '/health')
    await expect.poll(async () => (await health()).status).toBe(503)
    const { body } = await health()
    expect(body).toMatchObject({ status: 'unavailable' })
    expect(body.message).toMatch(/^The disk that holds its storage is full: \d+ bytes are left$/)
    const call = { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } }
    expect((await server.json('POST', '/tools/call', call)).body.result).toMatchObject({ success: true, value: 3 })
  }, 60_000)
})

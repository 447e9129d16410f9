import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build } from '../../src/generated/build.ts'
import { definition } from './definition.ts'
import { type ServerProcess, startProcess } from './process.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-npm-run-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The commands that serve what lies under `tools`, whatever that is. */
const COMMANDS = [
  ['dev', () => []],
  // `dist` may be another's
  ['serve', () => ['--outdir', join(folder, 'dist'), '--var', 'ACCESS:open']],
] as const

describe.each(COMMANDS)('npm run %s', (name, options) => {
  it('serves the bundled tools at a loopback host, and keeps what is published over a restart', async () => {
    const persistTo = join(folder, name)
    const command = ['npm', 'run', '--silent', name, '--', ...options()]
    const listed = async ({ json }: ServerProcess): Promise<string[]> =>
      (await json('GET', '/tools?limit=1000')).body.items.map(({ id }: { id: string }) => id).sort()
    const bundled = build.tools.map(({ record }) => record.id)

    const first = await startProcess(command, persistTo)
    try {
      expect(await first.json('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } })
      expect(await listed(first)).toEqual([...bundled].sort())
      expect((await first.json('POST', '/tools', definition('Kept.Tool@1.0.0'))).status).toBe(201)
    } finally {
      await first.stop({ keep: true })
    }
    const again = await startProcess(command, persistTo)
    try {
      expect(await listed(again)).toEqual([...bundled, 'Kept.Tool@1.0.0'].sort())
    } finally {
      await again.stop()
    }
  }, 240_000)
})

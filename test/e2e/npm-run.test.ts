import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { build } from '../../src/generated/build.ts'
import { build as fixtures } from '../fixtures/generated/build.ts'
import { definition } from './definition.ts'
import { type ServerProcess, startProcess } from './process.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-npm-run-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The commands that serve, each with what it has bundled: what lies under `tools`, whatever that is, or the fixtures. */
const COMMANDS = [
  ['dev', () => [], build],
  // `dist` may be another's
  ['serve', () => ['--outdir', join(folder, 'dist'), '--var', 'ACCESS:open'], build],
  ['fixtures', () => [], fixtures],
] as const

describe.each(COMMANDS)('npm run %s', (name, options, { tools }) => {
  it(`npm run ${name} serves the bundled tools at a loopback host, and keeps published tools after a restart`, async () => {
    const persistTo = join(folder, name)
    const command = ['npm', 'run', '--silent', name, '--', ...options()]
    const listed = async ({ json }: ServerProcess): Promise<string[]> =>
      (await json('GET', '/tools?limit=1000')).body.items.map(({ id }: { id: string }) => id).sort()
    const bundled = tools.map(({ record }) => record.id)

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

it(
  'npx wrangler dev serves callers with the ADMIN_KEY, and tells others what to set, or nothing',
  { timeout: 240_000 },
  async () => {
    const ADMIN_KEY = 'a-key-of-wrangler-dev'
    const authorization = `Bearer ${ADMIN_KEY}`
    const wrangler = (...args: string[]) => startProcess(['npx', 'wrangler', 'dev', ...args])
    const server = await wrangler('--var', `ADMIN_KEY:${ADMIN_KEY}`, '--var', 'DEMO_TOOLS:true')
    try {
      const { body } = await server.json('GET', '/tools?limit=1000', undefined, { authorization })
      expect(body.items.map(({ id }: { id: string }) => id).sort()).toEqual(
        build.tools.map(({ record }) => record.id).sort(),
      )
      const published = await server.json('POST', '/tools', definition('First.Tool@1.0.0'), { authorization })
      expect(published).toMatchObject({ status: 201, body: { ids: ['First.Tool@1.0.0'] } })
      expect((await server.json('GET', '/tools')).status).toBe(401)
    } finally {
      await server.stop()
    }
    const closed = await wrangler()
    try {
      expect((await closed.json('GET', '/health')).status).toBe(200)
      const { status, body } = await closed.json('GET', '/tools', undefined, { authorization })
      expect({ status, message: body.message }).toEqual({ status: 401, message: expect.stringContaining('ADMIN_KEY') })
    } finally {
      await closed.stop()
    }
  },
)

it('npm run dev serves what wrangler dev stored, and the reverse; without settings, wrangler dev refuses callers', async () => {
  const persistTo = join(folder, 'wrangler')
  const wrangler = (...args: string[]) => startProcess(['wrangler', 'dev', ...args], persistTo)
  const first = await wrangler('--var', 'ACCESS:open')
  expect((await first.json('POST', '/tools', definition('Kept.First@1.0.0'))).status).toBe(201)
  await first.stop({ keep: true })
  const dev = await startProcess(['npm', 'run', '--silent', 'dev', '--'], persistTo)
  expect((await dev.json('GET', '/tools/Kept.First')).status).toBe(200)
  expect((await dev.json('POST', '/tools', definition('Kept.Second@1.0.0'))).status).toBe(201)
  await dev.stop({ keep: true })
  const again = await wrangler('--var', 'ACCESS:open')
  expect((await again.json('GET', '/tools/Kept.Second')).status).toBe(200)
  await again.stop({ keep: true })
  const closed = await wrangler()
  expect((await closed.json('GET', '/tools/Kept.Second')).status).toBe(401)
  await closed.stop()
}, 240_000)

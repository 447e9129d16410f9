import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildCommandLine, type CommandLine } from './command-line.ts'
import { manyDefinitions } from './definition.ts'
import { type RunningServer, startApp } from './server.ts'

/** The same twelve tools of a large catalog, in two deployments. */

const NAMES = 12

let servers: readonly RunningServer[] = []
let lines: readonly CommandLine[] = []
let ids: readonly string[] = []
let folder = ''

beforeAll(async () => {
  const items = manyDefinitions(2_600)
  const implementation = { kind: 'http', method: 'GET', url: 'https://api.acme.test/' }
  servers = [await startApp(), await startApp()]
  for (const server of servers) {
    for (let at = 0; at < items.length; at += 200) {
      const batch = items.slice(at, at + 200).map((definition) => ({ definition, implementation }))
      expect((await server.json('POST', '/tools', batch)).status).toBe(200)
    }
  }
  ids = items.filter((_, at) => at % Math.floor(items.length / NAMES) === 0).map(({ id }) => id.replace(/@.*/, ''))
  folder = mkdtempSync(join(tmpdir(), 'switchboard-lock-'))
  lines = servers.map(({ url }) => buildCommandLine({ SWITCHBOARD_URL: url, CI: 'true' }))
}, 300_000)
afterAll(async () => {
  for (const line of lines) line.remove()
  rmSync(folder, { recursive: true, force: true })
  await Promise.all(servers.map((server) => server.stop()))
})

it("have the same digest and lock, and cost a model a fraction of the catalog's tokens", async () => {
  const tools = ids.slice(0, NAMES).map((tool) => ({ tool }))
  const toolset = {
    title: 'Twelve',
    tools: [{ ...tools[0], name: 'First', description: 'The first' }, ...tools.slice(1)],
  }
  const put = await Promise.all(servers.map((server) => server.json('PUT', '/toolsets/twelve', toolset)))
  const [one, other] = put.map(({ body }) => body.digest)
  expect([one, other]).toEqual([expect.stringMatching(/^sha256:/), one])

  const locks = await Promise.all(lines.map((line) => line.run(['lock', '--toolset', 'twelve'])))
  expect(locks[1]?.stdout).toBe(locks[0]?.stdout)
  const file = join(folder, 'tools.lock')
  writeFileSync(file, locks[0]?.stdout ?? '')
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).tools)).toHaveLength(NAMES)
  for (const line of lines) expect((await line.run(['lock', '--check', file, '--toolset', 'twelve'])).code).toBe(0)
  const pushed = await Promise.all(lines.map((line) => line.run(['lock', '--push', file, '--json'])))
  expect(pushed.map(({ code }) => code)).toEqual([0, 0])

  const { body } = await servers[0]!.json('GET', '/toolsets/twelve')
  const all = await lines[0]!.run(['list', '--tokens', '--json'])
  const { items, tokens } = JSON.parse(all.stdout)
  console.log(`Twelve of ${items.length} tools cost a model ${body.tokens} of ${tokens} tokens`)
  expect(items.length).toBeGreaterThanOrEqual(2_600)
  expect(body.tokens).toBeGreaterThan(0)
  expect(body.tokens).toBeLessThan(tokens / 50)
}, 300_000)

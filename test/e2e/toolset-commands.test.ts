import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildCommandLine, type CommandLine } from './command-line.ts'
import { definition } from './definition.ts'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }

let server: RunningServer
let cli: CommandLine
let folder: string
let publisher: { readonly SWITCHBOARD_KEY: string }
beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  cli = buildCommandLine({ SWITCHBOARD_URL: server.url, SWITCHBOARD_KEY: ADMIN_KEY, CI: 'true' })
  folder = await mkdtemp(join(tmpdir(), 'switchboard-toolsets-'))
  const scopes = ['tools:read', 'tools:call', 'tools:publish']
  const { body } = await server.json('POST', '/keys', { name: 'ann', scopes, tools: ['Mail.*'] }, ADMIN)
  publisher = { SWITCHBOARD_KEY: body.key }
  const implementation = { kind: 'code', module: 'export default () => 1' }
  const tool = { definition: definition('Mail.Send@1.0.0'), implementation }
  expect((await server.json('POST', '/tools', tool, ADMIN)).status).toBe(201)
})
afterAll(async () => {
  cli?.remove()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const toolsets = (...args: readonly string[]) => cli.run(['toolsets', ...args])
async function file(content: object): Promise<string> {
  const path = join(folder, 'toolset.json')
  await writeFile(path, JSON.stringify(content))
  return path
}

it('a toolset is stored from a file, listed, shown, stored again as shown, and removed', async () => {
  const path = await file({ title: 'Mail', tools: [{ tool: 'Mail.*' }, { tool: 'Nobody.*' }] })
  const put = await toolsets('put', 'mail', path)
  expect(put).toMatchObject({ code: 0, stderr: "/tools/1: No tool matches 'Nobody.*' now\n" })
  expect(put.stdout).toMatch(
    /^Toolset\tRevision\tOwner\tTokens\tDigest\tStatus\nmail\t1\tadmin\t\d*\tsha256:[0-9a-f]{64}\t\n$/,
  )
  expect((await toolsets()).stdout).toContain('mail\t1\tadmin')
  expect((await toolsets('list', '--json')).json.items).toMatchObject([{ name: 'mail', revision: 1 }])
  const shown = await toolsets('show', 'mail', '--json')
  expect(shown.json).toMatchObject({ name: 'mail', title: 'Mail', tools: [{ tool: 'Mail.*' }, { tool: 'Nobody.*' }] })
  expect((await toolsets('show', 'mail')).json).toEqual(shown.json)
  const again = await cli.run(['toolsets', 'put', 'mail', '-', '--json'], { stdin: shown.stdout })
  expect(again).toMatchObject({ code: 0, json: { revision: 1, digest: shown.json.digest } })
  expect(await toolsets('put', 'mail', await file({ tools: [{ tool: 'Mail.Send' }] }), '--json')).toMatchObject({
    json: { revision: 2 },
  })
  expect(await toolsets('rm', 'mail')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  expect(await toolsets('rm', 'mail', '--yes')).toMatchObject({ code: 0, stderr: "✓ 'mail' is removed\n" })
  expect(await toolsets('show', 'mail')).toMatchObject({ code: 4, stdout: '' })
})

it('a change of a reviewed toolset waits until exactly the change that was shown is approved', async () => {
  const tools = [{ tool: 'Mail.Send' }]
  expect(await toolsets('put', 'reviewed', await file({ review: true, tools }))).toMatchObject({ code: 0 })
  const waiting = await toolsets('put', 'reviewed', await file({ review: true, title: 'New', tools }))
  expect(waiting).toMatchObject({ code: 0, stdout: expect.stringContaining('a change waits') })
  expect(waiting.stderr).toContain('The change waits for approval: switchboard toolsets approve reviewed')
  const approval = await toolsets('approve', 'reviewed')
  expect(approval).toMatchObject({ code: 2, stdout: expect.stringContaining('"title": "New"') })
  expect(await toolsets('approve', 'reviewed', '--yes', '--json')).toMatchObject({
    code: 0,
    json: { revision: 2, title: 'New' },
  })
  expect(await toolsets('approve', 'reviewed', '--yes')).toMatchObject({
    code: 4,
    stderr: "Error: No change of the toolset 'reviewed' waits for approval\n",
  })
})

it("an invalid toolset file, and another owner's toolset, are refused", async () => {
  await toolsets('put', 'theirs', await file({ tools: [{ tool: 'Mail.*' }] }))
  const change = await file({ tools: [] })
  expect(await cli.run(['toolsets', 'put', 'theirs', change], { env: publisher })).toMatchObject({
    code: 4,
    stdout: '',
  })
  expect(await cli.run(['toolsets', 'list', '--json'], { env: publisher })).toMatchObject({ json: { items: [] } })
  expect(await toolsets('put', 'Upper', change)).toMatchObject({ code: 4 })
  expect(await toolsets('put', 'mail', await file({ tols: [] }))).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("Unknown field 'tols'"),
  })
  await writeFile(join(folder, 'broken.json'), '[')
  expect(await toolsets('put', 'mail', join(folder, 'broken.json'))).toMatchObject({ code: 2 })
  expect(await toolsets('put', 'mail', join(folder, 'nowhere.json'))).toMatchObject({ code: 2 })
})

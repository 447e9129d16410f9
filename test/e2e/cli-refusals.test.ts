import { once } from 'node:events'
import { createServer } from 'node:http'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildCommandLine, type CommandLine } from './command-line.ts'
import { definition } from './definition.ts'
import { startApp } from './server.ts'

/** What the command line says where something cannot be done as it was asked for. */

const ADMIN_KEY = 'administrator-key-0123456789'
let app: Awaited<ReturnType<typeof startApp>>
let cli: CommandLine
let folder: string
/** An API that takes requests and answers none. */
const silent = createServer(() => undefined)
let silentHost: string
beforeAll(async () => {
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  silentHost = `127.0.0.1:${Object(silent.address()).port}`
  app = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: silentHost } })
  cli = buildCommandLine({ SWITCHBOARD_URL: app.url, SWITCHBOARD_KEY: ADMIN_KEY, CI: 'true' })
  folder = await mkdtemp(join(tmpdir(), 'switchboard-cli-refusals-'))
})
afterAll(async () => {
  cli?.remove()
  await app?.stop()
  silent.closeAllConnections()
  silent.close()
  await rm(folder, { recursive: true, force: true })
})

const run: CommandLine['run'] = (args, options) => cli.run(args, options)
const sh = (line: string) => run(line.split(' '))

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const implementation = { kind: 'code', module: 'export default () => 1', allowed_hosts: [] }

async function publish(...ids: readonly string[]): Promise<void> {
  const definitions = ids.map((id) => ({ definition: definition(id), implementation }))
  expect(await run(['publish', await file('published.json', definitions)])).toMatchObject({ code: 0 })
}

const statuses = async (tool: string) =>
  (await sh(`show ${tool} --versions --json`)).json.items.map(({ status }: { status: string }) => status)

it('enable reactivates disabled versions, but no yanked ones', async () => {
  await publish('Held.Tool@1.0.0', 'Held.Tool@2.0.0')
  await run(['yank', 'Held.Tool@1.0.0', '--message', 'loses mail'])
  for (const target of ['Held.Tool', 'Held']) {
    await sh(`disable ${target}`)
    expect(await statuses('Held.Tool')).toEqual(['disabled', 'disabled'])
    const { stdout } = await sh(`enable ${target}`)
    expect(await statuses('Held.Tool')).toEqual(['active', 'yanked'])
    if (target === 'Held.Tool') expect(stdout).toMatch(/2\.0\.0 is active\n. Held\.Tool@1\.0\.0 is yanked\n$/)
  }
  expect((await sh('show Held.Tool --versions')).stdout).toContain('@1.0.0\tyanked: loses mail')
  await sh('disable Held')
  expect((await sh('enable Held.Tool')).stderr).toContain('The status of its toolkit holds')
  await sh('enable Held')
  expect(await statuses('Held.Tool')).toEqual(['active', 'yanked'])
  await sh('enable Held.Tool --yanked')
  expect(await statuses('Held.Tool')).toEqual(['active', 'active'])
})

it('enable leaves a whole toolkit yanked unless --yanked is set', async () => {
  await publish('Whole.Tool@1.0.0')
  await sh('yank Whole')
  const refused = "Error: 'Whole' is yanked\n'switchboard enable Whole --yanked' brings it back\n"
  expect(await sh('enable Whole')).toMatchObject({ code: 4, stderr: refused })
  await sh('disable Whole')
  expect((await sh('enable Whole')).stdout).toBe('✓ Whole is yanked\n')
  expect(await statuses('Whole.Tool')).toEqual(['yanked'])
  expect((await sh('enable Whole --yanked')).stdout).toBe('✓ Whole is active\n')
  expect(await statuses('Whole.Tool')).toEqual(['active'])
})

it('call of an API that does not respond says what it waits for, and ends after --timeout', async () => {
  const slow = {
    definition: definition('Unanswered.Tool@1.0.0'),
    implementation: { kind: 'http', method: 'GET', url: `http://${silentHost}/`, timeout_ms: 1_000 },
  }
  expect(await run(['publish', await file('slow.json', slow)])).toMatchObject({ code: 0, stderr: '' })
  const { code, stderr } = await sh('call Unanswered.Tool --timeout 8')
  expect(code, stderr).not.toBe(0)
  expect(stderr).toMatch(/^Waiting 1 s: The tool did not answer within 1 second/)
  expect(stderr).toContain('Calling Unanswered.Tool: still waiting; --timeout ends it sooner\n')
  const startedAt = Date.now()
  expect(await sh(`call Unanswered.Tool --field text=a --timeout 2 --url http://${silentHost}`)).toMatchObject({
    code: 5,
  })
  // Without it a call waits for minutes; to start the program may take seconds on a busy machine
  expect(Date.now() - startedAt).toBeLessThan(20_000)
}, 30_000)

it('a yanked or deprecated tool causes a warning', async () => {
  await publish('Old.Tool@1.0.0', 'Old.New@1.0.0')
  await run(['deprecate', 'Old.Tool', '--message', 'too slow', '--successor', 'Old.New'])
  const note = "'Old.Tool@1.0.0' is deprecated: too slow; use Old.New"
  expect(await sh('call Old.Tool')).toMatchObject({ code: 0, stdout: '1\n', stderr: `${note}\n` })
  expect((await sh('call Old.Tool --json')).json).toMatchObject({ value: 1, note })
  await run(['yank', 'Old.Tool@1.0.0', '--message', 'loses mail'])
  const yanked = "'Old.Tool@1.0.0' was yanked: loses mail; only calls of exactly this version still run"
  for (const command of ['call', 'show'])
    expect(await sh(`${command} Old.Tool`)).toMatchObject({ code: 4, stderr: `Error: ${yanked}\n` })
  const { stdout } = await sh('keys create --name other --tool Nothing.*')
  for (const command of ['call', 'show'])
    expect((await run([command, 'Old.Tool'], { env: { SWITCHBOARD_KEY: stdout.trim() } })).stderr).not.toContain(
      'yanked',
    )
})

it('toolkits delete says that a toolkit must be disabled, and then deletes it', async () => {
  await publish('Doomed.Tool@1.0.0')
  await sh('yank Doomed')
  expect((await sh('toolkits delete Doomed --yes')).stderr).toBe(
    "Error: 'Doomed.Tool@1.0.0' can still be called: disable the toolkit first, with switchboard disable Doomed\n",
  )
  expect((await sh('toolkits delete Doomed')).stderr).toContain('delete a toolkit, which must be disabled:')
  await sh('disable Doomed')
  expect(await sh('toolkits delete Doomed --yes')).toMatchObject({ code: 0 })
  await publish('Other.Tool@1.0.0')
  const again = await run(['publish', await file('again.json', definition('Doomed.Tool@2.0.0'))])
  expect(again.stderr).toMatch(/an administrator brings it back with switchboard enable Doomed\n$/)
})

it('a refused publication does not use up its version', async () => {
  const [bad, good] = [await file('bad.mjs', 'export default (({'), await file('good.mjs', 'export default () => 2')]
  const tool = await file('taken.json', definition('Taken.Tool@1.0.0'))
  expect(await run(['publish', tool, '--code', bad])).toMatchObject({ code: 4 })
  expect(await run(['publish', tool, '--code', join(folder, 'none.mjs')])).toMatchObject({ code: 2 })
  expect(await run(['publish', tool, '--code', good])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\+ /) })
})

it('people end fails for a user who has nothing', async () => {
  const nobody = "Nothing to end: 'nobody' has no sessions, agents, accounts, authorizations or keys"
  expect(await sh('people end nobody --yes')).toMatchObject({ code: 4, stderr: expect.stringContaining(nobody) })
})

it('completion suggests commands, options, and values of the deployment or profile', async () => {
  await publish('Complete.Add@1.0.0', 'Complete.Ask@1.0.0')
  const values = async (...words: readonly string[]) => {
    const { stdout } = await run(['complete', '--', 'switchboard', ...words])
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[0])
  }
  expect(await values('toolk')).toEqual(['toolkits'])
  expect(await values('call', '--fi')).toEqual(['--field'])
  expect(await values('call', 'Compl')).toEqual(['Complete.'])
  expect(await values('call', 'Complete.A')).toEqual(['Complete.Add', 'Complete.Ask'])
  expect(await values('deprecate', 'x', '--successor', 'Complete.As')).toEqual(['Complete.Ask'])
  expect(await values('list', '--toolkit', 'Compl')).toEqual(['Complete'])
  expect(await values('list', '--status', 'd')).toEqual(['disabled', 'deprecated'])
  expect(await values('keys', 'create', '--scope', 'tools:')).toEqual(['tools:read', 'tools:call', 'tools:publish'])
  expect(await values('import', 'x', '--from', 'o')).toEqual(['openapi', 'oxp', 'open-tool-calling'])
  expect(await values('show', 'x', '--format', 'mc')).toEqual(['mcp'])
  expect(await values('connect', 'cur')).toEqual(['cursor'])
  await sh('keys create --name c --for-user completed')
  expect(await values('people', 'end', 'compl')).toEqual(['completed'])
  const env = { XDG_CONFIG_HOME: await mkdtemp(join(folder, 'config-')) }
  await run(['login', app.url, '--profile', 'staging'], { env, stdin: ADMIN_KEY })
  expect((await run(['complete', '--', 'switchboard', 'list', '--profile', ''], { env })).stdout).toBe('staging\n')
  const startedAt = Date.now()
  // Any other request waits for half a minute
  expect(await values('call', '--url', `http://${silentHost}`, 'C')).toEqual([''])
  expect(Date.now() - startedAt).toBeLessThan(20_000)
})

it('doctor exits with 6 if tools cannot be called, and lists commands that help', async () => {
  const { code, stdout, stderr } = await sh('doctor')
  expect(code).toBe(6)
  expect(stderr).toBe('Error: Some tools cannot be called\nThe lines with ✗ say what to do\n')
  expect(stdout).toMatch(/^✗ provider google +1 tool: Gmail[^]+add it with switchboard providers set google$/m)
  const { stdout: key } = await sh('keys create --name calculates --tool Calculator.*')
  expect(await run(['doctor'], { env: { SWITCHBOARD_KEY: key.trim() } })).toMatchObject({ code: 0 })
})

it('a problem names its command-line option, or the JSON Pointer in a file', async () => {
  expect((await sh('keys create --name x --scope everything')).stderr).toMatch(/\n {2}\/scopes\/0: /)
  expect((await sh('keys create --name x --expires 2000-01-01')).stderr).toMatch(/\n {2}--expires: /)
  const nameless = await file('nameless.json', { ...definition('No.Version@1.0.0'), version: 7 })
  expect((await run(['publish', nameless])).stderr).toMatch(/\n {2}\/version: /)
})

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
let reader: { readonly authorization: string }
beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY, TOOL_SECRETS: '{}' } })
  cli = buildCommandLine({ SWITCHBOARD_URL: server.url, SWITCHBOARD_KEY: ADMIN_KEY, CI: 'true' })
  folder = await mkdtemp(join(tmpdir(), 'switchboard-readiness-'))
  reader = await keyFor({ tools: ['Mail.*'] })
  for (const tool of ['Mail.Send', 'Mail.Find', 'Gone.Away', 'Other.Hidden']) await publish(tool)
  await publish('Secret.Tool', { requirements: { secrets: [{ id: 'NOT_SET' }] } })
  const tools = [
    { tool: 'Mail.Send', name: 'Post', title: 'Post a letter' },
    { tool: 'Mail.F*' },
    { tool: 'Nobody.Knows' },
  ]
  await put('/toolsets/mixed', { tools })
  await put('/toolsets/ready', { tools: [{ tool: 'Mail.*' }] })
})
afterAll(async () => {
  cli?.remove()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function publish(tool: string, given: object = {}): Promise<void> {
  const implementation = { kind: 'code', module: 'export default () => 1' }
  const answer = await server.json(
    'POST',
    '/tools',
    { definition: definition(`${tool}@1.0.0`, { ...given }), implementation },
    ADMIN,
  )
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
}
async function put(path: string, body: object) {
  const answer = await server.json('PUT', path, body, ADMIN)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
async function keyFor(fields: object) {
  const { body } = await server.json(
    'POST',
    '/keys',
    { name: 'a', scopes: ['tools:read', 'tools:call'], ...fields },
    ADMIN,
  )
  return { authorization: `Bearer ${body.key}` }
}
const readiness = (body: object, headers: Record<string, string> = ADMIN, query = '') =>
  server.json('POST', `/readiness${query}`, body, headers)
const lockOf = async (...patterns: readonly string[]) => (await cli.run(['lock', ...patterns])).json
const preflight = (...args: readonly string[]) => cli.run(['preflight', ...args])
async function file(content: unknown): Promise<string> {
  const path = join(folder, 'tools.lock')
  await writeFile(path, JSON.stringify(content))
  return path
}

it('the readiness of a toolset covers its entries and all tools of its patterns, by its own names', async () => {
  const { status, body } = await readiness({ toolset: 'mixed' })
  expect(status).toBe(200)
  expect(body).toMatchObject({ ready: false, needs: 'administrator' })
  expect(body.items).toMatchObject([
    { tool: 'Mail.Post@1.0.0', title: 'Post a letter', ready: true },
    { tool: 'Nobody.Knows', ready: false },
    { tool: 'Mail.Find@1.0.0', ready: true },
  ])
  expect(await preflight('--toolset', 'ready')).toMatchObject({
    code: 0,
    stdout: '✓ Mail.Find@1.0.0\n✓ Mail.Send@1.0.0\n',
  })
  expect(await preflight('--toolset', 'mixed')).toMatchObject({
    code: 11,
    stdout: expect.stringContaining('✗ Nobody.Knows\n'),
    stderr: 'Error: 1 of 3 tools cannot be called now\n',
  })
  expect(await preflight('Mail.Post', '--toolset', 'mixed')).toMatchObject({ code: 0, stdout: '✓ Mail.Post@1.0.0\n' })
  expect(await preflight('--toolset', 'nobodys')).toMatchObject({ code: 4, stdout: '' })
})

it('the readiness of a lock reports a tool that differs from the lock, which an administrator must resolve', async () => {
  const lock = await lockOf('Mail.*', 'Gone.*')
  const { hash } = await put('/locks', lock)
  expect((await readiness({ lock: hash })).body).toMatchObject({ ready: true })
  expect(await preflight('--lock', hash)).toMatchObject({ code: 0 })
  expect(await preflight('--lock', await file(lock))).toMatchObject({ code: 0 })
  await server.json('PATCH', '/tools/Gone.Away@1.0.0', { status: 'disabled' }, ADMIN)
  for (const named of [hash, lock]) {
    const { body } = await readiness({ lock: named })
    expect(body).toMatchObject({ ready: false, needs: 'administrator' })
    expect(body.items).toHaveLength(3)
    expect(body.items[0]).toMatchObject({
      tool: 'Gone.Away@1.0.0',
      ready: false,
      problems: [{ type: 'tool-changed', needs: 'administrator', developer_message: 'its locked version is disabled' }],
    })
  }
  expect(await preflight('--lock', hash)).toMatchObject({
    code: 11,
    stdout: expect.stringContaining("needs an administrator: Tool 'Gone.Away@1.0.0' has changed"),
  })
  const other = { ...lock, tools: { Mail_Send: { id: 'Mail.Send@1.0.0', digest: `sha256:${'0'.repeat(64)}` } } }
  expect(await preflight('--lock', await file(other))).toMatchObject({ code: 11 })
  expect(await preflight('--lock', await file({ tools: {} }))).toMatchObject({ code: 2, stdout: '' })
  expect(await preflight('--lock', `sha256:${'0'.repeat(64)}`)).toMatchObject({ code: 4, stdout: '' })
})

it("a lock of a toolset has the toolset's names, and is checked through it", async () => {
  const { stdout, code } = await cli.run(['lock', '--toolset', 'mixed'])
  expect(code).toBe(0)
  const lock = JSON.parse(stdout)
  expect(lock.tools).toMatchObject({ Mail_Post: { id: 'Mail.Post@1.0.0' }, Mail_Find: { id: 'Mail.Find@1.0.0' } })
  const path = await file(lock)
  expect(await cli.run(['lock', '--check', path, '--toolset', 'mixed', '--strict'])).toMatchObject({ code: 0 })
  expect(await preflight('--lock', path, '--toolset', 'mixed')).toMatchObject({
    code: 0,
    stdout: '✓ Mail.Post@1.0.0\n✓ Mail.Find@1.0.0\n',
  })
  await server.json(
    'PUT',
    '/toolsets/mixed',
    { tools: [{ tool: 'Mail.Send', name: 'Post', description: 'Other words' }] },
    ADMIN,
  )
  expect(await cli.run(['lock', '--check', path, '--toolset', 'mixed'])).toMatchObject({
    code: 1,
    stdout:
      '- Mail_Find  is gone\n~ Mail_Post  Mail.Post@1.0.0\n  Its version is the same, and a toolset or a policy shows it otherwise\n',
  })
  expect((await readiness({ lock }, ADMIN, '?toolset=mixed')).body.items).toMatchObject([
    { tool: 'Mail.Post@1.0.0', problems: [{ type: 'tool-changed' }] },
  ])
})

it('a lock reveals no tools that the caller may not see', async () => {
  const [hidden, unknown] = ['Other.Hidden@1.0.0', 'Other.Nothing@1.0.0'].map((id) => ({
    version: 1,
    digest_form: 'sep-2636/2026-09',
    tools: { [id.split('@')[0]?.replace('.', '_') ?? '']: { id, digest: `sha256:${'0'.repeat(64)}` } },
  }))
  const problems = async (lock: unknown, headers?: Record<string, string>) =>
    (await readiness({ lock }, headers)).body.items[0].problems[0].type
  expect(await problems(hidden)).toBe('tool-changed')
  expect(await problems(hidden, reader)).toBe('not-found')
  expect(await problems(unknown, reader)).toBe('not-found')
  expect((await readiness({ toolset: 'mixed' }, reader)).body.items).toMatchObject([{ tool: 'Mail.Post@1.0.0' }])
})

it('a request names exactly one of tools, toolset and lock, with at most 500 tools', async () => {
  const both = await readiness({ tools: ['Mail.Send'], toolset: 'ready' })
  expect(both).toMatchObject({ status: 400 })
  expect(both.body.message).toContain("Must have one of 'tools', 'toolset' and 'lock'")
  expect(await readiness({ user_id: 'ann' })).toMatchObject({ status: 400 })
  expect(await readiness({ lock: 'sha256:0' })).toMatchObject({ status: 400 })
  expect(await readiness({ lock: {} })).toMatchObject({ status: 400 })
  const lock = await lockOf('Mail.Send')
  const entry = { id: 'Mail.Send@1.0.0', digest: `sha256:${'0'.repeat(64)}` }
  const many = Object.fromEntries(
    Array.from({ length: 501 }, (_, n) => [`T${n}`, { ...entry, id: `Mail.T${n}@1.0.0` }]),
  )
  const tooMany = await readiness({ lock: { ...lock, tools: many } })
  expect(tooMany).toMatchObject({ status: 400, body: { message: expect.stringContaining('At most 500 tools') } })
  const batches = await preflight('--lock', await file({ ...lock, tools: many }), '--json')
  expect(batches.code).toBe(11)
  expect(JSON.parse(batches.stdout).items).toHaveLength(501)
})

it('a credential restricted to a toolset and a lock gets no readiness of others', async () => {
  const lock = await lockOf('Mail.Send')
  const { hash } = await put('/locks', lock)
  const bound = await keyFor({ tools: ['*'], toolset: 'ready', lock: hash })
  expect((await readiness({ toolset: 'ready' }, bound)).body.items).toMatchObject([
    { tool: 'Mail.Send@1.0.0', ready: true },
  ])
  expect(await readiness({ toolset: 'mixed' }, bound)).toMatchObject({ status: 403 })
  expect(await readiness({ lock: await lockOf('Mail.Find') }, bound)).toMatchObject({ status: 403 })
  expect(await readiness({ lock }, bound)).toMatchObject({ status: 200, body: { ready: true } })
})

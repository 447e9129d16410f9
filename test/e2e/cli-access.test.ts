import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildCommandLine, type CommandLine } from './command-line.ts'
import { definition } from './definition.ts'
import { connected, rpc } from './oauth/agent.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { signIn, signInVars } from './oauth/sign-in.ts'
import { ADMIN_KEY, type Connected, connect, startWorld, type World } from './oauth/switchboard.ts'

/** The commands with which administrators manage access, against a running deployment where people sign in. */

let world: World
let edge: Connected
let cli: CommandLine
let url: string
beforeAll(async () => {
  world = await startWorld()
  for (const name of ['ann', 'bob']) world.provider.claims[name] = { email: `${name}@acme.test`, email_verified: true }
  edge = await connect(world, {
    vars: signInVars(world.provider, [{ domain: 'acme.test', toolkits: ['Mail', 'Calculator'] }]),
  })
  ;({ url } = edge.server)
  world.provider.allowRedirectTo(`${url}/sign-in/callback`)
  cli = buildCommandLine({ SWITCHBOARD_URL: url, SWITCHBOARD_KEY: ADMIN_KEY, CI: 'true' })
})
afterAll(async () => {
  cli?.remove()
  await Promise.all([edge?.server.stop(), world?.close()])
})

const run: CommandLine['run'] = (args, options) => cli.run(args, options)
const itemsOf = async (...args: readonly string[]) => (await run([...args, '--json'])).json.items

async function signedIn(name: string): Promise<HttpPerson> {
  const person = new HttpPerson()
  expect((await signIn(person, url, name)).status).toBe(200)
  return person
}

it('sessions are listed by person, and one is ended after a confirmation', async () => {
  const [ann, bob] = [await signedIn('ann'), await signedIn('bob')]
  const { stdout } = await run(['sessions', '--user', 'ann@acme.test'])
  expect(stdout).toMatch(/^Session\tPerson\tBegan\tExpires\tBrowser\n\S+\tann@acme\.test\t20\d\d-.+\n$/)
  const [{ id }] = await itemsOf('sessions', '--user', 'ann@acme.test')
  expect(await run(['sessions', 'end', id])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  expect(await run(['sessions', 'end', id, '--yes'])).toMatchObject({ code: 0, stderr: `✓ '${id}' is ended\n` })
  expect((await ann.open(`${url}/sessions`)).status).toBe(401)
  expect((await bob.open(`${url}/sessions`)).status).toBe(200)
  expect((await run(['sessions', 'end', id, '--yes', '--json'])).json.error.code).toBe('not_found')
})

it('agents are listed by user, and one is ended', async () => {
  const { tokens } = await connected(await signedIn('ann'), url, ['Calculator'])
  const user = ['--user', 'ann@acme.test']
  const [{ id }] = await itemsOf('agents', ...user)
  for (const other of ['-hy1', '-_1'])
    expect((await run(['agents', 'end', other, ...user, '--yes', '--json'])).json.error.code).toBe('not_found')
  for (const args of [
    ['a', 'b'],
    ['a', '--nonsense'],
  ])
    expect((await run(['agents', 'end', ...args, ...user, '--yes'])).code).toBe(2)
  expect((await run(['agents', 'end', id, '--user', 'bob@acme.test', '--yes'])).code).toBe(4)
  expect((await rpc(url, tokens.access_token, 'tools/list')).status).toBe(200)
  expect((await run(['agents', 'end', id, ...user, '--yes', '--json'])).json).toEqual({ id, ended: true })
  expect((await rpc(url, tokens.access_token, 'tools/list')).status).toBe(401)
  expect(await itemsOf('agents', ...user)).toEqual([])
})

it('accounts are listed by user, and disconnected from one toolkit or completely', async () => {
  const [person, user] = [await signedIn('bob'), 'bob@acme.test']
  await person.consent((await edge.challenge('Mail.GetEmails', user)).url, 'bob')
  const listed = await run(['accounts', '--user', user])
  expect(listed.stdout).toMatch(/^Provider\tAccount\tSince\tToolkits\nmail\t\S*\t20\d\d-.+\tMail\n$/)
  const revoke = ['accounts', 'revoke', 'mail', '--user', user, '--yes']
  expect((await run([...revoke, '--account', 'another'])).code).toBe(4)
  expect((await run([...revoke, '--toolkit', 'Mail', '--json'])).json).toEqual({ provider: 'mail', revoked: true })
  expect((await edge.call('Mail.GetEmails', user)).status).toBe(400)
  const revoked = world.provider.revoked.length
  expect(await itemsOf('accounts', '--user', user)).toMatchObject([{ provider: 'mail', toolkits: [] }])
  expect((await run(revoke)).code).toBe(0)
  expect(world.provider.revoked.length).toBeGreaterThan(revoked)
  expect(await itemsOf('accounts', '--user', user)).toEqual([])
})

it('providers are added, changed one setting at a time, and removed', async () => {
  const set = ['providers', 'set', 'github']
  const made = await run([...set, '--client-id', 'one', '--tool', 'Git.*', '--json'])
  expect(made.json).toMatchObject({ id: 'github', name: 'GitHub', client_id: 'one', tools: ['Git.*'] })
  const changed = await run([...set, '--name', 'Our GitHub'])
  expect(changed.stdout).toBe('Provider\tName\tKind\tClient ID\tSource\ngithub\tOur GitHub\toauth2\tone\tadded\n')
  const more = { authorization_endpoint: 'https://acme.test/a', token_endpoint: 'https://acme.test/t' }
  const other = await run(['providers', 'set', 'acme', '--client-id', 'x', '--more', JSON.stringify(more), '--json'])
  expect(other.json).toMatchObject({ id: 'acme', ...more })
  const wrong = await run(['providers', 'set', 'nobody', '--client-id', 'x', '--json'])
  expect(wrong).toMatchObject({ code: 4, json: { error: { code: 'invalid' } } })
  expect((await run(['providers'])).stdout).toContain('\ngithub\tOur GitHub\toauth2\tone\tadded\n')
  for (const id of ['github', 'acme'])
    expect((await run(['providers', 'remove', id, '--yes', '--json'])).json).toEqual({ id, removed: true })
  expect((await run(['providers', 'remove', 'github', '--yes'])).code).toBe(4)
})

it('toolkits are listed with their first sentence, changed, and deleted once they cannot be called', async () => {
  expect((await edge.ask('POST', '/tools', definition('Kit.Do@1.0.0'))).status).toBe(201)
  const description = 'Does things. And more of them.'
  const set = await run(['toolkits', 'set', 'Kit', '--review', '--description', description, '--tag', 'try', '--json'])
  expect(set.json).toMatchObject({ toolkit: 'Kit', review: true, description, tags: ['try'] })
  expect((await run(['toolkits'])).stdout).toMatch(/\nKit\t1\t0\tDoes things\.\n/)
  expect((await run(['toolkits', 'set', 'Kit', '--no-review', '--owner', 'none'])).stdout).toBe(
    'Toolkit\tOwner\tStatus\tReview\tTags\nKit\t\tactive\tfalse\ttry\n',
  )
  expect((await run(['toolkits', 'show', 'Kit', '--json'])).json).toMatchObject({ owner: null, review: false })
  const early = await run(['toolkits', 'set', 'Later', '--owner', 'jwt:ann', '--json'])
  expect(early.json).toMatchObject({ toolkit: 'Later', owner: 'jwt:ann' })
  const refused = await run(['toolkits', 'delete', 'Kit', '--yes'])
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('with switchboard disable Kit\n') })
  await run(['disable', 'Kit'])
  expect((await run(['toolkits', 'delete', 'Kit', '--yes', '--json'])).json).toEqual({ toolkit: 'Kit', deleted: true })
  expect((await run(['toolkits', 'show', 'Kit', '--json'])).json).toHaveProperty('deleted_at')
  expect((await run(['toolkits', 'show', 'Nowhere'])).code).toBe(4)
})

it('keys are edited one setting at a time', async () => {
  const limits = { concurrency: 2 }
  const create = ['keys', 'create', '--name', 'a', '--record-arguments', '--expires', '30d', '--json']
  const { id } = (await run([...create, '--limits', JSON.stringify(limits)])).json
  const edit = ['keys', 'edit', id, '--json']
  const kept = { record_arguments: true, limits, scopes: ['tools:read', 'tools:call'], expires_at: expect.any(String) }
  expect((await run([...edit, '--name', 'b', '--for-user', 'ann'])).json).toMatchObject({ name: 'b', ...kept })
  const taken = await run([...edit, '--expires', 'never', '--limits', 'none', '--no-record-arguments', '--any-user'])
  expect(taken.json).toMatchObject({ name: 'b', users: 'any', record_arguments: false })
  for (const field of ['expires_at', 'limits']) expect(taken.json).not.toHaveProperty(field)
  expect(await run(['keys', 'edit', id])).toMatchObject({ code: 2, stderr: expect.stringContaining('one option') })
  expect((await run([...edit, '--scope', 'all'])).json.error.problems).toMatchObject([{ path: '/scopes/0' }])
  expect((await run(['keys', 'edit', 'nobody', '--name', 'c'])).code).toBe(4)
  const past = await run(['keys', 'edit', id, '--expires', '2020-01-01'])
  expect(past).toMatchObject({ code: 4, stderr: expect.stringContaining('--expires: Must be in the future') })
})

it('keys get a toolset and a lock, and lose them', async () => {
  const { server } = edge
  const admin = { authorization: `Bearer ${ADMIN_KEY}` }
  await server.json('PUT', '/toolsets/sums', { tools: [{ tool: 'Calculator.*' }] }, admin)
  const lock = { version: 1, digest_form: 'sep-2636/2026-09', tools: {} }
  const { hash } = (await server.json('PUT', '/locks', lock, admin)).body
  const made = await run(['keys', 'create', '--name', 'bound', '--toolset', 'sums', '--lock', hash, '--json'])
  expect(made.json).toMatchObject({ toolset: 'sums', lock: hash })
  const freed = await run(['keys', 'edit', made.json.id, '--no-toolset', '--no-lock', '--json'])
  expect([freed.json.name, freed.json.toolset, freed.json.lock]).toEqual(['bound', undefined, undefined])
  const refused = await run(['keys', 'create', '--name', 'a', '--toolset', 'none-such'])
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("There is no toolset 'none-such'") })
})

const hasShell = (shell: string) => {
  try {
    return execFileSync(shell, ['-c', 'true']).length === 0
  } catch {
    return false
  }
}

it('completion suggests commands, options and choices, or nothing if none matches', async () => {
  const complete = async (...words: readonly string[]) =>
    (await run(['complete', '--', 'switchboard', ...words])).stdout.split('\n').map((line) => line.split('\t')[0])
  expect(await complete('ke')).toEqual(['keys', ''])
  expect(await complete('help', 'pol')).toEqual(['policies', ''])
  expect(await complete('keys', 'r')).toEqual(['rotate', 'revoke', ''])
  expect(await complete('list', '--t')).toEqual(['--toolkit', '--tag', '--tokens', '--timeout', ''])
  expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish', ''])
  expect(await complete('comp')).toEqual(['completion', ''])
  expect(await complete('list', '--limit', '')).toEqual([''])
  expect(await complete('publish', 'x')).toEqual([''])
})

const TRIES = {
  bash: 'COMP_WORDS=(switchboard keys cr); COMP_CWORD=2; _switchboard; echo "${COMPREPLY[@]}"',
  zsh: '_describe() { print -l ${(P)2%%:*}; }; words=(switchboard keys cr); CURRENT=3; _switchboard',
  fish: "complete -C 'switchboard keys cr' | cut -f 1",
}

for (const [shell, line] of Object.entries(TRIES)) {
  const isMissing = !hasShell(shell)
  const reason = isMissing ? ` (skipped: there is no ${shell})` : ''
  it.skipIf(isMissing)(`completion works in ${shell}${reason}`, async () => {
    const place = await mkdtemp(join(tmpdir(), 'switchboard-completion-'))
    try {
      const program = `#!/bin/sh\nexec '${process.execPath}' '${cli.program}' "$@"\n`
      await writeFile(join(place, 'switchboard'), program, { mode: 0o755 })
      const { stdout: script } = await run(['completion', shell])
      const env = { ...process.env, PATH: `${place}${delimiter}${process.env['PATH']}` }
      const { stdout } = await promisify(execFile)(
        shell,
        ['-c', `${shell === 'zsh' ? 'compdef() { :; }\n' : ''}${script}\n${line}`],
        { env },
      )
      expect(stdout).toBe('create\n')
    } finally {
      await rm(place, { recursive: true })
    }
  })
}

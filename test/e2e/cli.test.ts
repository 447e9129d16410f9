import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Tiktoken } from 'js-tiktoken/lite'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/cli-error.ts'
import { createProgram } from '../../src/cli/program.ts'
import { EXAMPLE_ORIGIN } from '../../src/docs/agent-hosts.ts'
import { describing } from '../plugins/describing.ts'
import { buildCommandLine, type CommandLine } from './command-line.ts'
import { startApp } from './server.ts'
import { definition } from './definition.ts'
import { type Gate, startGate } from './gate.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { ADMIN_KEY, type Connected, connect, startWorld, type World } from './oauth/switchboard.ts'

/** The command line as it is installed, against a running deployment that wants a key. */

let world: World
let edge: Connected
let cli: CommandLine
let folder: string
let gate: Gate
beforeAll(async () => {
  world = await startWorld()
  gate = await startGate()
  edge = await connect(world, {
    vars: {
      ALLOW_HTTP_HOSTS: [world.provider.host, world.api.host, gate.host].join(','),
      RECORD_CALL_CONTENT: '1',
      WRONG_CLIENT_SECRET: 'of another client',
    },
  })
  cli = buildCommandLine({ SWITCHBOARD_URL: edge.server.url, SWITCHBOARD_KEY: ADMIN_KEY, CI: 'true' })
  folder = await mkdtemp(join(tmpdir(), 'switchboard-cli-files-'))
})
afterAll(async () => {
  cli?.remove()
  await Promise.all([edge?.server.stop(), world?.close(), gate?.close()])
  await rm(folder, { recursive: true, force: true })
})

const hasScript = (() => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
})()

const createUnusedProgram = () =>
  createProgram(
    () => expect.unreachable(),
    () => undefined,
  )

/** Without the hidden one, which shells run. */
function listCommands() {
  const { commands } = createUnusedProgram()
  return commands.flatMap((each) =>
    each.commands.length > 0 ? each.commands : each.name() === 'complete' ? [] : [each],
  )
}

const NO_SCRIPT = hasScript ? '' : " (skipped: there is no 'script' of util-linux)"

const run: CommandLine['run'] = (args, options) => cli.run(args, options)
async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name)
  await writeFile(
    path,
    typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
  )
  return path
}

it.each([
  [['help', 'nonsense'], /^Error: unknown command 'nonsense'/],
  [['help', 'lst'], /unknown command 'lst'\n +\(Did you mean list\?\)/],
  [['help', 'keys', 'nonsense'], /^Error: unknown command 'nonsense'/],
  [['help', 'policies', 'nonsense'], /^Error: too many arguments for 'list'/],
  [['help', 'keys', 'creat'], /unknown command 'creat'\n +\(Did you mean create\?\)/],
  [['audit', '--since', 'yesterday'], /Wanted a time such as 2030-01-31T12:00:00Z, or 12h/],
  [['keys', 'create', '--name', 'a', '--expires', 'soon'], /Wanted a time such as .*, or 30d/],
  [['login'], /^Error: There is no key in the standard input/],
  [
    ['login', 'switchboard.example'],
    /^Error: Invalid address 'switchboard.example'\nBegin it with http:\/\/ or https:\/\/\n$/,
  ],
  [
    ['list', '--profile', 'nobody'],
    /^Error: There is no profile 'nobody'\n'switchboard login --profile nobody' adds it/,
  ],
  [['list', '--profile', 'a/b'], /^Error: Invalid profile 'a\/b': wanted 1 to 64 letters/],
  [['lst'], /unknown command 'lst'\n +\(Did you mean list\?\)/],
  [['--key', 'k', 'list'], /unknown option '--key'\n *Options follow the command/],
  [['list', '--tolkit', 'x'], /unknown option '--tolkit'\n +\(Did you mean --toolkit\?\)/],
  [['list', '--limit', 'many'], /Wanted a whole number from 1/],
  [['completion', 'csh'], /Allowed choices are bash, zsh, fish/],
  [['agents', 'end', '..', '--user', 'ann', '--yes'], /Wanted the id, got '\.\.'/],
  [['toolkits', 'set', 'A'], /^Error: Give at least one option/],
  [['call'], /missing required argument 'tool'/],
  [['call', 'Calculator.Add', '--input', '{"a":'], /^Error: The input is not valid JSON$/m],
  [['call', 'Calculator.Add', '--input', '{a}'], /^Error: The input is not valid JSON \(position 1\)$/m],
  [['call', 'Calculator.Add', '--input', '[]'], /^Error: The input is not a JSON object/],
  [['call', 'Calculator.Add', '--field', 'a'], /Cannot read --field 'a': wanted 'name=value'/],
  [['call', 'Calculator.Add', '--input', '{}', '--field', 'a=1'], /either --input or --field/],
  [['import', '.', '--toolkit', 'A'], /^Error: Cannot open '\.': it is a folder$/m],
  [['publish', '.'], /^Error: Cannot open '\.': it is a folder\nPass its files, such as \*\.json$/m],
  [['publish', 'nowhere.json'], /^Error: Cannot open 'nowhere.json': there is no such file$/m],
])('an invalid command line exits with 2: %j', async (args, message) => {
  const { code, stdout, stderr } = await run(args)
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(message)
})

it('the command line names the ways to give a key if one is needed', async () => {
  const { stderr } = await run(['list'], { env: { SWITCHBOARD_KEY: 'sb_nobody' } })
  expect(stderr).toMatch(/^ +Run 'switchboard login', or set SWITCHBOARD_KEY$/m)
})

it('the command line prints its full help with --help, at any depth', async () => {
  expect(await run(['--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('publish <file...>'),
  })
  expect(await run(['keys', 'create', '--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/--scope[^-]+users:confirm/),
  })
  const { stdout } = await run(['keys', 'create', '--help'])
  expect(await run(['help', 'keys', 'create'])).toMatchObject({ code: 0, stdout })
  expect(await run(['help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('keys ') })
  expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

it('without a command, the command line shows its help', async () => {
  const { stdout } = await run(['--help'])
  expect(stdout).toMatch(/^Options of every command:\n {2}--url <url> [^]+ {2}--timeout <seconds> [^]+\nCommands:/m)
  expect(await run([])).toMatchObject({ code: 0, stdout, stderr: '' })
  expect(await run(['keys'])).toMatchObject({ code: 0, stdout: (await run(['help', 'keys'])).stdout, stderr: '' })
})

it("the help of each command has the guide's examples, and only relevant options", async () => {
  const names = listCommands().map((command) =>
    (command.parent?.parent ? [command.parent.name()] : []).concat(command.name()),
  )
  for (const name of names) {
    const { code, stdout } = await run(['help', ...name])
    expect(code, name.join(' ')).toBe(0)
    expect(stdout, name.join(' ')).not.toMatch(/^ +--(?:url|key|json)\b/m)
    const examples = stdout.split('\nExamples:\n')[1]?.split('\n\n')[0]?.split('\n') ?? []
    expect(
      examples.filter((example) => example.includes('switchboard ')),
      name.join(' '),
    ).not.toEqual([])
  }
  expect((await run(['help', 'list'])).stdout).not.toContain('--yes')
  expect(await run(['list', '--yes'])).toMatchObject({ code: 2, stderr: expect.stringContaining("option '--yes'") })
  expect((await run(['help', 'keys', 'revoke'])).stdout).toContain('--yes')
})

it.each([
  [['show', 'Nobody.Knows'], {}, 4, 'not_found'],
  [['show', 'Calculater.Add'], {}, 4, 'not_found'],
  [['call', 'Calculator.Ad'], {}, 4, 'refused'],
  [['call', 'Calculator.Add', '--field', 'a=1'], {}, 4, 'input_invalid'],
  [['list'], { SWITCHBOARD_KEY: 'sb_nobody' }, 4, 'unauthenticated'],
  [['list'], { SWITCHBOARD_URL: 'localhost:9416' }, 2, 'usage'],
  [['list'], { SWITCHBOARD_URL: 'http://a:b@nowhere' }, 4, 'refused'],
  [['call', 'Mail.GetEmails', '--user', 'eve'], {}, 3, 'authorization_required'],
  [['frobnicate'], {}, 2, 'usage'],
])('a failure is one JSON object and an exit code: %j', async (args, env, exit, code) => {
  const inWords = await run(args, { env })
  expect(inWords).toMatchObject({ code: exit, stdout: '', stderr: expect.stringMatching(/^Error: /) })
  const asJson = await run([...args, '--json'], { env })
  expect(asJson).toMatchObject({ code: exit, stdout: '', json: { error: { code, message: expect.any(String) } } })
  for (const { stdout, stderr } of [inWords, asJson]) expect(stdout + stderr).not.toContain(ADMIN_KEY)
})

describe('a profile', () => {
  const config = () => mkdtemp(join(folder, 'config-'))
  const loggedOut = { SWITCHBOARD_URL: undefined, SWITCHBOARD_KEY: undefined }
  const profilesIn = (XDG_CONFIG_HOME: string) => join(XDG_CONFIG_HOME, 'switchboard/profiles.json')

  it('a profile stores the URL and key of a deployment, readable only by its owner', async () => {
    const env = { ...loggedOut, XDG_CONFIG_HOME: await config() }
    const login = await run(['login', edge.server.url], { env, stdin: `${ADMIN_KEY}\n` })
    expect(login).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining("The profile 'default' is in "),
    })
    expect(login.stderr).not.toContain(ADMIN_KEY)
    const path = profilesIn(env.XDG_CONFIG_HOME)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700)
    expect((await run(['keys', 'list'], { env })).code).toBe(0)
    await chmod(path, 0o644)
    const key = await edge.keyFor('any')
    await run(['login', edge.server.url, '--profile', 'agent'], { env, stdin: key })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    for (const [args, own] of [
      [['list', '--profile', 'agent'], {}],
      [['list'], { SWITCHBOARD_PROFILE: 'agent' }],
    ] as const)
      expect((await run(args, { env: { ...env, ...own } })).code).toBe(0)
    expect((await run(['keys', 'list', '--profile', 'agent', '--json'], { env })).json.error.code).toBe('forbidden')
    const { stdout } = await run(['profiles'], { env })
    expect(stdout).toBe(`Profile\tDeployment\ndefault\t${edge.server.url}\nagent\t${edge.server.url}\n`)
    expect((await run(['logout', '--json'], { env })).json).toEqual({ profile: 'default', removed: true })
    expect(await readFile(path, 'utf8')).not.toContain(ADMIN_KEY)
    expect((await run(['logout'], { env })).code).toBe(4)
    expect((await run(['list', '--profile', 'agent'], { env })).code).toBe(0)
  })

  it('a profile is overridden by the environment, with a message', async () => {
    const env = { XDG_CONFIG_HOME: await config() }
    const key = await edge.keyFor('any')
    await run(['login', edge.server.url, '--profile', 'agent'], { env, stdin: key })
    expect(await run(['keys', 'list', '--profile', 'agent'], { env })).toMatchObject({
      code: 0,
      stderr: "SWITCHBOARD_URL and SWITCHBOARD_KEY win over the profile 'agent'\n",
    })
  })

  it('a profile sends its key to no other deployment', async () => {
    const seen: unknown[] = []
    const other = createServer(({ headers }, response) => {
      seen.push(headers.authorization)
      response.end('{"items": []}')
    })
    await once(other.listen(0, '127.0.0.1'), 'listening')
    try {
      const env = { ...loggedOut, XDG_CONFIG_HOME: await config() }
      const elsewhere = `http://127.0.0.1:${Object(other.address()).port}`
      await run(['login', edge.server.url], { env, stdin: ADMIN_KEY })
      await run(['list', '--url', elsewhere], { env })
      await run(['list'], { env: { ...env, SWITCHBOARD_URL: elsewhere } })
      expect(seen).toEqual(Array(seen.length).fill(undefined))
      expect(seen.length).toBeGreaterThanOrEqual(2)
    } finally {
      other.close()
    }
  })

  it('a profile with an unknown key is not saved, and an invalid profiles file asks to log in again', async () => {
    const env = { ...loggedOut, XDG_CONFIG_HOME: await config() }
    const wrong = await run(['login', edge.server.url, '--json'], { env, stdin: 'sb_nobody' })
    expect(wrong).toMatchObject({ code: 4, json: { error: { code: 'unauthenticated' } } })
    expect((await run(['profiles', '--json'], { env })).json).toEqual({ items: [] })
    await run(['login', edge.server.url], { env, stdin: ADMIN_KEY })
    for (const text of ['{', '[]', '{"profiles": [{"name": "default"}]}']) {
      await writeFile(profilesIn(env.XDG_CONFIG_HOME), text)
      const listed = await run(['list'], { env: { ...env, SWITCHBOARD_URL: edge.server.url } })
      expect(listed, text).toMatchObject({ code: 4, stderr: expect.stringContaining("Run 'switchboard login'") })
    }
  })

  it.skipIf(!hasScript)(`a profile accepts a key without showing it on the terminal${NO_SCRIPT}`, async () => {
    const env = { ...loggedOut, XDG_CONFIG_HOME: await config() }
    const asked = 'API key for '
    const typed = { after: asked, text: `${ADMIN_KEY}\r` }
    const login = await cli.runAtTerminal(['login', edge.server.url], { env, typed })
    expect(login.code, login.stdout).toBe(0)
    expect(login.stdout).toContain(`${asked}${edge.server.url}: `)
    expect(login.stdout).not.toContain(ADMIN_KEY)
    expect((await run(['keys', 'list'], { env })).code).toBe(0)
    const stopped = await cli.runAtTerminal(['login', edge.server.url], { env, typed: { after: asked, text: '\x03' } })
    expect(stopped.code).toBe(130)
  })
})

it('a rate limit is awaited, with a message', async () => {
  let asked = 0
  const busy = createServer((_, answer) => {
    asked += 1
    if (asked > 1) return void answer.end('{"items": []}')
    answer.writeHead(429, { 'retry-after': '1' }).end('{"message": "Too many calls of this tool"}')
  })
  await once(busy.listen(0, '127.0.0.1'), 'listening')
  try {
    const { port } = Object(busy.address())
    const { code, stderr } = await run(['list', '--url', `http://127.0.0.1:${port}`])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('Waiting 2 s: Too many calls of this tool\n'),
    })
  } finally {
    busy.close()
  }
})

it('a server that accepts connections but does not respond causes exit code 5 within the timeout', async () => {
  const silent = createServer(({ url }, response) => void (url?.startsWith('/usage') && response.write('{')))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  try {
    const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
    for (const args of [
      ['call', 'Kit.Do', '--field', 'a=1'],
      ['call', 'Kit.Do', '--input', '{}'],
      ['list'],
      ['keys', 'list'],
      ['usage'],
    ]) {
      const { code, json } = await run([...args, '--timeout', '1', '--json', '--url', url])
      expect({ code, json }, args.join(' ')).toMatchObject({ code: 5, json: { error: { code: 'timed_out' } } })
    }
    const doctor = await run(['doctor', '--timeout', '1', '--url', url])
    expect(doctor).toMatchObject({ code: 5, stdout: expect.stringContaining('There was no answer in time') })
  } finally {
    silent.closeAllConnections()
    silent.close()
  }
})

it('an unreachable deployment causes exit code 5 after all attempts', async () => {
  const { code, json } = await run(['list', '--json', '--url', 'http://127.0.0.1:9'])
  expect({ code, json }).toMatchObject({ code: 5, json: { error: { code: 'unreachable' } } })
})

it('list, search and show print tools', async () => {
  const { stdout } = await run(['list', '--toolkit', 'Calculator'])
  expect(stdout).toMatch(/^Tool\tDescription\nCalculator\.Add@1\.0\.0\t\S.*\nCalculator\.Subtract@1\.0\.0\t\S.*\n$/)
  const { json } = await run(['list', '--json', '--limit', '3'])
  expect(json.items).toHaveLength(3)
  expect((await run(['search', 'add', 'two', 'numbers', 'xyzzy', '--json'])).json).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ id: 'Calculator.Add@1.0.0' })]),
    unmatched: ['xyzzy'],
  })
  const found = await run(['search', 'add two numbers xyzzy'])
  expect(found.stdout).toContain('Calculator.Add@1.0.0')
  expect(found.stderr).toMatch(/ of \d+(?:: --all finds weaker matches too)?\nNo tool matches xyzzy\n$/)
  // Marks are for terminals
  expect(found.stdout).not.toContain('\x1b')
})

it('list, search and show print with --tokens what each definition costs a model over MCP', async () => {
  const withoutCode = definition('Counted.Undone@1.0.0', { description: 'Does nothing' })
  expect((await edge.ask('POST', '/tools', withoutCode)).status).toBe(201)
  const version = '2026-07-28'
  const [revision, capabilities] = ['protocolVersion', 'clientCapabilities'].map(
    (key) => `io.modelcontextprotocol/${key}`,
  )
  const answer = await fetch(`${edge.server.url}/mcp?toolkits=Calculator`, {
    method: 'POST',
    headers: {
      'authorization': `Bearer ${ADMIN_KEY}`,
      'content-type': 'application/json',
      'accept': 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': 'tools/list',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: { _meta: { [String(revision)]: version, [String(capabilities)]: {} } },
    }),
  })
  const { tools } = ((await answer.json()) as { result: { tools: unknown[] } }).result
  const tokenizer = new Tiktoken(o200k)
  const [add = 0, subtract = 0] = tools.map((tool) => tokenizer.encode(JSON.stringify(tool)).length)
  expect(add).toBeGreaterThan(100)
  const total = add + subtract
  const counted = await run(['list', '--toolkit', 'Calculator', '--tokens'])
  expect(counted.stdout.replaceAll(/\t[^\t\n]*$/gm, '')).toBe(
    `Tool\tTokens\nCalculator.Add@1.0.0\t${add}\nCalculator.Subtract@1.0.0\t${subtract}\n${total} tokens\n`,
  )
  const { json } = await run(['list', '--toolkit', 'Calculator', '--tokens', '--json'])
  expect(json).toMatchObject({ items: [{ tokens: add }, { tokens: subtract }], tokens: total })
  expect((await run(['list', '--toolkit', 'Calculator', '--tokens', '--limit', '1', '--json'])).json.tokens).toBe(add)
  // It cannot be called, so MCP does not list it
  const undone = await run(['list', '--toolkit', 'Counted', '--tokens'])
  expect(undone.stdout).toBe('Tool\tTokens\tDescription\nCounted.Undone@1.0.0\t\tDoes nothing\n0 tokens\n')
  expect((await run(['list', '--toolkit', 'Counted', '--tokens', '--json'])).json.items[0]).not.toHaveProperty('tokens')
})

it('list, search and show print an operation of two toolkits once, with the other toolkit, or twice with --all', async () => {
  const definition = {
    name: 'issues_create',
    description: 'Create an issue in a repository for all users',
    inputSchema: { type: 'object' },
  }
  for (const toolkit of ['HubCloud', 'HubServer']) {
    const { status } = await edge.ask('POST', '/tools', { definition, toolkit, version: '1.0.0' })
    expect(status).toBe(201)
  }
  const question = ['search', 'create an issue in a repository']
  const { stdout } = await run(question)
  expect(stdout).toContain(
    'HubCloud.issues_create@1.0.0\tCreate an issue in a repository for all users (also in HubServer)\n',
  )
  expect(stdout).not.toContain('HubServer.issues_create')
  expect((await run([...question, '--all'])).stdout).toMatch(/HubCloud\.issues_create[^]*HubServer\.issues_create/)
  expect((await run([...question, '--json'])).json.same_as).toEqual({
    'HubServer.issues_create@1.0.0': 'HubCloud.issues_create@1.0.0',
  })
})

it('list, search and show print titles, so people need not know names', async () => {
  const titled = { name: 'get_weather', title: 'Weather', description: 'Tells it', inputSchema: { type: 'object' } }
  const body = { definition: titled, toolkit: 'Titled', version: '1.0.0' }
  expect((await edge.ask('POST', '/tools', body)).status).toBe(201)
  const { stdout } = await run(['list', '--toolkit', 'Titled'])
  expect(stdout).toMatch(/\nTitled\.get_weather@1\.0\.0\tWeather: Tells it\n$/)
  expect((await run(['show', 'Titled.get_weather'])).stdout).toMatch(
    /^Titled\.get_weather@1\.0\.0 {2}Weather\nTells it/,
  )
})

it('list, search and show print a title once if the description is the same', async () => {
  const titled = { name: 'rates', title: 'Gives rates', description: 'Gives rates', inputSchema: { type: 'object' } }
  await edge.ask('POST', '/tools', { definition: titled, toolkit: 'Twice', version: '1.0.0' })
  expect((await run(['list', '--toolkit', 'Twice'])).stdout).toMatch(/@1\.0\.0\tGives rates\n$/)
  expect((await run(['show', 'Twice.rates'])).stdout).toMatch(/^Twice\.rates@1\.0\.0\nGives rates\n/)
})

it('list, search and show print why nothing was found', async () => {
  const why = "There is no toolkit 'Calculater' here: did you mean 'Calculator'?"
  for (const args of [['list'], ['search', 'add']]) {
    const { code, stderr } = await run([...args, '--toolkit', 'Calculater'])
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(why) })
    expect((await run([...args, '--toolkit', 'Calculater', '--json'])).json).toMatchObject({ items: [], note: why })
  }
})

it('show prints a tool for people, as JSON, and in a dialect', async () => {
  const { stdout } = await run(['show', 'Calculator.Add'])
  expect(stdout).toMatch(/^Calculator\.Add@1\.0\.0[^]*Parameters\n {2}a number, required[^]*Output: number\n\nReady\n$/)
  expect((await run(['show', 'Mail.Send'])).stdout).toMatch(/Not ready\n {2}\S/)
  expect((await run(['show', 'Calculator_Add', '--json'])).json).toMatchObject({
    id: 'Calculator.Add@1.0.0',
    readiness: { ready: true },
  })
  expect((await run(['show', 'Calculator.Add', '--format', 'mcp'])).json).toMatchObject({
    inputSchema: { type: 'object' },
  })
  expect((await run(['show', 'Calculator.Add', '--versions', '--json'])).json).toMatchObject({
    items: [{ version: '1.0.0' }],
  })
  expect((await run(['show', 'Calculator.Add', '--versions'])).stdout).toMatch(
    /^Version\tStatus\tChanges\nCalculator\.Add@1\.0\.0\tactive\t\n/,
  )
  const parameters = { type: 'object', properties: { text: { type: 'string' }, up: { type: 'boolean' } } }
  const input_schema = { parameters: { ...parameters, required: ['text', 'up'] } }
  const versions = [definition('Change.Tool@1.0.0'), definition('Change.Tool@2.0.0', { input_schema })]
  await run(['publish', await file('change.json', versions)])
  expect((await run(['show', 'Change.Tool', '--versions'])).stdout).toMatch(
    /\nChange\.Tool@2\.0\.0\tactive\t.*Breaking: .*'up'/,
  )
})

it('list, search and show escape control characters of descriptions', async () => {
  const hostile = definition('Hostile.Name@1.0.0', { description: 'Red \x1b[31mtext\x9b2J \u202Etxt' })
  expect((await edge.ask('POST', '/tools', hostile)).status).toBe(201)
  for (const args of [
    ['list'],
    ['show', 'Hostile.Name'],
    ['show', 'Hostile.Name', '--json'],
    ['show', 'Hostile.Name', '--format', 'oxp'],
  ]) {
    const { code, stdout } = await run(args)
    expect(code).toBe(0)
    expect(stdout).toContain('Red')
    expect(stdout).not.toMatch(/(?![\n\t])\p{Cc}|\u202e/u)
  }
})

it('call takes JSON, typed fields, or standard input', async () => {
  expect(await run(['call', 'Calculator.Add', '--input', '{"a": 1, "b": 2}'])).toMatchObject({
    code: 0,
    stdout: '3\n',
  })
  expect(await run(['call', 'Calculator.Add@^1', '--field', 'a=1.5', '--field', 'b=2'])).toMatchObject({
    stdout: '3.5\n',
  })
  const stdin = '{"a": 4, "b": 5}'
  expect(await run(['call', 'Calculator.Add', '--input', '-', '--json'], { stdin })).toMatchObject({
    code: 0,
    json: { call_id: expect.any(String), value: 9 },
  })
  expect((await run(['call', 'Fixture.Values', '--field', 'value=a=b', '--json'])).json.value).toEqual(['a=b'])
  const select = ['--select', '[0].a']
  expect((await run(['call', 'Fixture.Values', '--field', 'value={"a":7}', ...select])).stdout).toBe('7\n')
  expect((await run(['call', 'Fixture.Values', '--field', 'value={"a":[]}', '--json'])).json.value).toEqual([{ a: [] }])
})

it('call reports the problem of each parameter', async () => {
  const { code, stderr } = await run(['call', 'Calculator.Add', '--field', 'a=one'])
  expect(code).toBe(4)
  expect(stderr).toMatch(/^Error: Some input parameters are invalid\n(?: {2}[ab]: .+\n){2}$/)
})

it('call names the requested version that is not available', async () => {
  expect((await run(['call', 'Calculator.Add@^2', '--input', '{}'])).stderr).toBe(
    "Error: Tool 'Calculator_Add' was not found: Calculator.Add version ^2 is not available: there is 'Calculator.Add@1.0.0'\n",
  )
})

it('call asks for a user before it prints a link', async () => {
  const { stderr } = await run(['call', 'Mail.GetEmails'])
  expect(stderr).toMatch(/\nNo user given: pass --user, or use an API key with one user\n$/)
  expect(stderr).not.toContain('open http')
})

it('call ends with the link if no person is at the terminal', async () => {
  const { code, json } = await run(['call', 'Mail.GetEmails', '--user', 'fay', '--json'])
  expect(code).toBe(3)
  expect(json.error.challenges).toMatchObject([
    { id: 'mail', url: expect.stringContaining('/start'), scopes: ['mail.read'] },
  ])
  expect((await run(['call', 'Mail.GetEmails', '--user', 'fay'])).stderr).toMatch(/\n {2}mail: open http.+\/start\n$/)
})

it('call prints no link if no one can connect because the provider is not set up', async () => {
  const requirements = { authorization: [{ id: 'acme', oauth2: { scopes: ['a'] } }], user_id: true }
  const implementation = { kind: 'code', module: 'export default () => 1', allowed_hosts: [] }
  await edge.ask('POST', '/tools', { definition: definition('Unset.Tool@1.0.0', { requirements }), implementation })
  const { code, stderr } = await run(['call', 'Unset.Tool', '--user', 'fay'])
  expect(code, stderr).toBe(4)
  expect(stderr).toContain("'acme'")
  expect(stderr).not.toContain('open http')
  expect((await run(['authorize', 'Unset.Tool', '--user', 'fay', '--wait'])).code).toBe(4)
})

/** Has somebody do what they are asked for, once. */
function person(name: string, decision?: 'Deny') {
  let done: Promise<unknown> | undefined
  return (printed: string) => {
    const link = /(http\S+\/authorizations\/\S+\/start)/.exec(printed)?.[1]
    if (link !== undefined) done ??= new HttpPerson().consent(link, name, decision)
  }
}

it('call waits for a person with --wait', async () => {
  const args = ['call', 'Mail.GetEmails', '--user', 'gus', '--wait']
  const { code, json, stderr } = await run(args, { onPrinted: person('gus') })
  expect({ code, json }, stderr).toMatchObject({ code: 0, json: { account: 'gus' } })
  expect(stderr).toMatch(/^gus must allow access to 'mail' \(mail\.read\):\n {2}http/)
  const refused = await run(['call', 'Mail.GetEmails', '--user', 'hal', '--wait'], {
    onPrinted: person('hal', 'Deny'),
  })
  expect(refused).toMatchObject({ code: 3, stdout: '' })
})

it.skipIf(!hasScript)(`call opens the link for a person at a terminal, and waits${NO_SCRIPT}`, async () => {
  const opened = join(folder, 'opened')
  await file('xdg-open', `#!/bin/sh\nprintf '%s' "$1" > '${opened}'\n`)
  await chmod(join(folder, 'xdg-open'), 0o755)
  const env = { PATH: `${folder}${delimiter}${process.env['PATH']}` }
  const { code, stdout } = await cli.runAtTerminal(['call', 'Mail.GetEmails', '--user', 'ida'], {
    env,
    onPrinted: person('ida'),
  })
  expect(code, stdout).toBe(0)
  expect(stdout).toContain('"account": "ida"')
  expect(stdout).toContain('Waiting until it is done')
  expect(await readFile(opened, 'utf8')).toMatch(/^http:\/\/.+\/authorizations\/.+\/start$/)
})

it.skipIf(!hasScript)(`call shows a tool's progress only at a terminal${NO_SCRIPT}`, async () => {
  const steps = [0, 50, 100]
  // The tool stands still until what it said is shown
  const onPrinted = (printed: string) => {
    if (!printed.includes(` ${steps[0]}/100 Completed step ${steps[0]} of 100`)) return
    steps.shift()
    void gate.come(3 - steps.length).then(gate.open)
  }
  const { code, stdout } = await cli.runAtTerminal(['call', 'Fixture.Progress', '--field', `gate=${gate.origin}`], {
    onPrinted,
  })
  expect({ code, steps }, stdout).toEqual({ code: 0, steps: [] })
  expect(stdout.trimEnd()).toMatch(/Done$/)
  const json = await run(['call', 'Fixture.Progress', '--json'])
  expect(json).toMatchObject({ code: 0, stderr: '', json: { call_id: expect.any(String), value: 'Done' } })
  expect(await run(['call', 'Fixture.Progress'])).toMatchObject({ stdout: 'Done\n', stderr: '' })
})

it('call with a call id runs once', async () => {
  const id = crypto.randomUUID()
  const args = ['call', 'Mail.Echo', '--user', 'gus', '--call-id', id, '--json']
  const [first, again] = [await run(args), await run(args)]
  expect(first.json).toMatchObject({ call_id: id })
  expect(again.json).toEqual(first.json)
})

it('calls are listed in columns with headings, newest last, and continue with --follow', async () => {
  const call = (n: number) => run(['call', 'Calculator.Add', '--field', `a=${n}`, '--field', 'b=1', '--user', 'lou'])
  const ofLou = ['--tool', 'Calculator.*', '--user', 'lou', '--since', '1h']
  await call(1)
  let asked = 0
  const followed = await run(['calls', ...ofLou, '--follow'], {
    onPrinted(printed, stop) {
      const rows = printed.split('\n').length - 2
      if (rows < 1 && asked === 0) return
      if (rows >= 2) stop('SIGINT')
      else if (asked++ === 0) void call(2)
    },
  })
  expect(followed.code, followed.stderr).toBe(0)
  const row = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\tCalculator\\.Add@1\\.0\\.0\t\\S+\tlou\t\\d+\tsuccess\\n'
  expect(followed.stdout).toMatch(new RegExp(`^Time\tTool\tCaller\tUser\tms\tOutcome\\n(?:${row}){2}$`))
  const { json } = await run(['logs', ...ofLou, '--limit', '1', '--json'])
  expect(json.items).toMatchObject([{ tool: 'Calculator.Add@1.0.0', user_id: 'lou', outcome: 'success' }])
  const usage = await run(['usage', '--by', 'tool,outcome', '--user', 'lou'])
  expect(usage.stdout).toMatch(/^Tool\tOutcome\tCalls\tErrors\t.*\nCalculator\.Add\tsuccess\t2\t0\t/)
  expect(usage.stderr).toMatch(/^Whole hours from [\d-]{10} \d\d:00:00$/m)
  await run(['call', 'Nobody.Knows'])
  await expect
    .poll(async () => (await run(['usage', '--since', '1h'])).stdout, { timeout: 10_000 })
    .toMatch(/\n\(unknown or not allowed\)\t\d+\t\d+\t/)
  expect(await run(['calls', '--since', 'yesterday'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('since'),
  })
  expect((await run(['calls', '--outcome', 'nonsense'])).stderr).toMatch(
    /one of 'success', 'failure', 'request-malformed'/,
  )
  expect((await run(['audit', '--action', 'nonsense'])).stderr).toMatch(/^Error: Cannot read --action: .*'key\.create'/)
  expect((await run(['usage', '--by', 'nonsense'])).stderr).toContain('one or several of caller, user_id')
})

it('a call is shown with its input and output to its caller', async () => {
  const id = crypto.randomUUID()
  await run(['call', 'Calculator.Add', '--field', 'a=1', '--field', 'b=2', '--call-id', id])
  await expect.poll(async () => (await run(['calls', 'show', id])).code, { timeout: 10_000 }).toBe(0)
  expect((await run(['calls', 'show', id])).stdout).toContain('"input": {\n      "a": 1,\n      "b": 2\n    }')
  const { json } = await run(['calls', 'show', id, '--json'])
  expect(json).toMatchObject({ call_id: id, outcome: 'success', content: { input: { a: 1, b: 2 }, output: 3 } })
  const key = await run(['keys', 'create', '--name', 'an auditor', '--scope', 'records:read', '--json'])
  const other = await run(['logs', 'show', id], { env: { SWITCHBOARD_KEY: key.json.key } })
  expect(JSON.parse(other.stdout)).toEqual({ ...json, content: undefined })
  const none = await run(['calls', 'show', 'nothing'])
  expect([none.code, none.stderr]).toEqual([
    expect.not.stringMatching('0'),
    expect.stringContaining("Cannot find the call 'nothing'"),
  ])
})

it.each([
  ['providers', /^Provider\tName\tKind\tClient ID\tSource\nmail\t/],
  ['policies', /^Tools\tRules\nWatched\.\*\tsecurity_level 3, approval\n$/],
  [
    'audit',
    /^Time\tAction\tCaller\tOutcome\tRequest\tDetails\n(?:.*\n)*.*\tpolicy\.put\t.*\tPUT \/policies\/Watched\.\*\tpattern Watched\.\*/,
  ],
])('%s prints a table', async (command, table) => {
  await edge.ask('PUT', '/policies/Watched.*', { security_level: 3, approval: true })
  await expect.poll(async () => (await run([command])).stdout).toMatch(table)
})

it('providers test reports step by step whether people can connect, and tells a wrong client from a missing secret', async () => {
  const good = await run(['providers', 'test', 'mail'])
  expect(good).toMatchObject({ code: 0, stderr: '' })
  expect(good.stdout).toMatch(
    /^✓ The endpoints are known\n✓ The sign-in page answers \(30\d\)\n✓ The client ID and secret/,
  )
  const { provider } = world
  const set = (id: string, ...more: string[]) => run(['providers', 'set', id, '--issuer', provider.issuer, ...more])
  await set('stranger', '--client-id', 'nobody', '--client-secret-name', 'WRONG_CLIENT_SECRET')
  await set('unset', '--client-id', 'nobody', '--client-secret-name', 'UNSET_CLIENT_SECRET')
  const [stranger, unset] = [await run(['providers', 'test', 'stranger']), await run(['providers', 'test', 'unset'])]
  const setup = await edge.ask('GET', '/setup')
  for (const id of ['stranger', 'unset']) await run(['providers', 'remove', id, '--yes'])
  expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining('does not work as it is set up') })
  expect(stranger.stdout).toMatch(
    /✗ The client ID or secret is wrong: a made-up code is refused with 'invalid_client'\n$/,
  )
  expect(unset.stdout).toMatch(/^✗ The secret of the client at 'unset' is missing: .*'UNSET_CLIENT_SECRET'\n$/)
  expect(setup.body.items.at(-1)).toMatchObject({
    state: 'off',
    message: expect.stringContaining('secret UNSET_CLIENT_SECRET missing'),
  })
  expect((await run(['providers', 'test', 'nix'])).stderr).toContain("Cannot find the provider 'nix'")
})

it("usage is counted by callers' names, and by their ids in JSON", async () => {
  const key = await run(['keys', 'create', '--name', 'a counter', '--tool', 'Calculator.*', '--any-user', '--json'])
  const env = { SWITCHBOARD_KEY: key.json.key }
  await run(['call', 'Calculator.Add', '--field', 'a=1', '--field', 'b=1', '--user', 'cleo'], { env })
  const usage = ['usage', '--by', 'caller,tool', '--user', 'cleo']
  const table = /^Caller\tTool\tCalls\t.*\na counter\tCalculator\.Add\t1\t/
  await expect.poll(async () => (await run(usage)).stdout, { timeout: 10_000 }).toMatch(table)
  const { items } = (await run([...usage, '--json'])).json
  expect(items).toMatchObject([{ group: { principal: `key:${key.json.id}`, tool: 'Calculator.Add' } }])
})

it('agents lists the agents of a user, who must be named', async () => {
  expect(await run(['agents', '--user', 'ann'])).toMatchObject({ code: 0, stderr: 'None found\n' })
  expect(await run(['agents'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--user') })
})

it('people lists users with what they have, and ends all access of one after a confirmation', async () => {
  const key = await run(['keys', 'create', '--name', 'of zoe', '--tool', 'Calculator.*', '--for-user', 'zoe', '--json'])
  const zoe = /^User\tAccounts\tAgents\tSessions\tKeys\nzoe\t0\t0\t0\t1\n$/
  expect((await run(['people', '--search', 'ZOE'])).stdout).toMatch(zoe)
  expect(await run(['people', 'list', '--search', 'nobody'])).toMatchObject({ code: 0, stderr: 'None found\n' })
  expect(await run(['people', 'end', 'zoe'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
  const ended = await run(['people', 'end', 'zoe', '--yes'])
  expect(ended.stderr).toBe(
    `Ended for 'zoe': 0 sessions, 0 agents, 0 accounts, 0 authorizations\nThe key 'of zoe' still works: switchboard keys revoke ${key.json.id}\n`,
  )
  expect((await run(['people', 'end', 'zoe', '--yes', '--json'])).json).toMatchObject({ user_id: 'zoe', agents: 0 })
  expect((await run(['people'], { env: { SWITCHBOARD_KEY: key.json.key } })).stderr).toContain("scope 'admin'")
})

it('disable, enable, deprecate and yank change one version, all versions of a tool, or a toolkit', async () => {
  const versions = ['1.0.0', '1.1.0', '2.0.0'].map((version) => definition(`Status.Tool@${version}`))
  await run(['publish', await file('status.json', versions)])
  const statuses = async () =>
    (await run(['show', 'Status.Tool', '--versions', '--json'])).json.items.map(
      ({ status }: { status: string }) => status,
    )
  expect(await run(['yank', 'Status.Tool@1.0.0', '--message', 'broken'])).toMatchObject({
    code: 0,
    stdout: '✓ Status.Tool@1.0.0 is yanked\n',
  })
  expect((await run(['disable', 'Status.Tool@2.0.0', '--json'])).json).toEqual({
    changed: [{ id: 'Status.Tool@2.0.0', status: 'disabled' }],
  })
  expect(await statuses()).toEqual(['disabled', 'active', 'yanked'])
  await run(['disable', 'Status.Tool'])
  const disabledOnes = ['list', '--toolkit', 'Status', '--status', 'disabled', '--json']
  expect((await run(disabledOnes)).json.items).toHaveLength(3)
  expect(await statuses()).toEqual(['disabled', 'disabled', 'disabled'])
  expect(await run(['enable', 'Status.Tool'])).toMatchObject({
    stdout: '✓ Status.Tool@2.0.0 is active\n✓ Status.Tool@1.1.0 is active\n✓ Status.Tool@1.0.0 is yanked\n',
  })
  expect((await run(['enable', 'Status.Tool'])).stderr).toMatch(/^No version of 'Status\.Tool' /)
  expect((await run(['disable', 'Status', '--message', 'INC-7'])).stdout).toBe('✓ Status is disabled\n')
  expect((await edge.ask('GET', '/toolkits/Status')).body).toMatchObject({ status: 'disabled', message: 'INC-7' })
  expect((await run(['list', '--toolkit', 'Status'])).stderr).toBe(
    "No tool of 'Status' is active: switchboard list --toolkit Status --status disabled lists the disabled ones\n",
  )
  const disabled = (await run(['show', 'Status.Tool'])).stdout
  expect(disabled).toContain('an administrator can enable it with switchboard enable')
  expect(disabled).toContain('\n  disabled: INC-7\n')
  expect((await run(['show', 'Status.Tool', '--versions'])).stdout).toMatch(/^Status\.Tool@2\.0\.0\tdisabled: INC-7/m)
  expect((await run(['enable', 'Status'])).code).toBe(0)
  expect((await run(['yank', 'Status.Tool'])).code).toBe(2)
  expect((await run(['disable', 'Nobody.Knows'])).code).toBe(4)
  expect((await run(['yank', '--help'])).stdout).not.toContain('all its versions')
  expect((await run(['deprecate', '--help'])).stdout).toMatch(
    /not listed[^]*by\s+name\s+if\s+no\s+version\s+is\s+active/,
  )
  await run(['yank', 'Status.Tool@2.0.0'])
  await run(['publish', await file('other.json', definition('Successor.Other@1.0.0'))])
  const old = ['deprecate', 'Status.Tool', '--message', 'too slow', '--successor', 'Successor.Other@1.0.0']
  expect((await run(old)).stdout).toBe('✓ Status.Tool@1.1.0 is deprecated\n')
  expect(await statuses()).toEqual(['yanked', 'deprecated', 'yanked'])
  const shown = (await run(['show', 'Status.Tool@1.1.0', '--json'])).json
  expect(JSON.stringify(shown)).toContain('too slow')
  const { stdout } = await run(['show', 'Status.Tool@1.1.0'])
  expect(stdout).toContain('deprecated: too slow; use Successor.Other@1.0.0')
})

it("deprecate does not deprecate the successor among a tool's own versions", async () => {
  const versions = ['1.0.0', '1.1.0', '2.0.0'].map((version) => definition(`Replaced.Tool@${version}`))
  await run(['publish', await file('replaced.json', versions)])
  expect(await run(['deprecate', 'Replaced.Tool', '--successor', 'Replaced.Tool@2.0.0'])).toMatchObject({
    code: 0,
    stdout: '✓ Replaced.Tool@1.1.0 is deprecated\n✓ Replaced.Tool@1.0.0 is deprecated\n',
  })
})

it('enable says that all versions are yanked, and how to reactivate one', async () => {
  await run(['publish', await file('yanked.json', definition('Yanked.Tool@1.0.0'))])
  await run(['yank', 'Yanked.Tool@1.0.0'])
  expect(await run(['enable', 'Yanked.Tool'])).toMatchObject({
    code: 4,
    stderr: "Error: 'Yanked.Tool' is yanked\n'switchboard enable Yanked.Tool --yanked' brings it back\n",
  })
  expect((await run(['enable', 'Yanked.Tool@1.0.0'])).stdout).toBe('✓ Yanked.Tool@1.0.0 is active\n')
})

it('publish takes a definition of any dialect, a list of them, code and plugins', async () => {
  const one = await file('one.json', definition('Cli.One@1.0.0'))
  const alone = await run(['publish', one])
  expect(alone).toMatchObject({ code: 0, stdout: `+ Cli.One@1.0.0  ${one}\n` })
  expect(alone.stderr).toContain("Without an implementation, 'Cli.One@1.0.0' cannot be called, only listed and read")
  expect((await run(['publish', one])).stdout).toBe(`= Cli.One@1.0.0  ${one}\n`)
  const mcp = await file('mcp.json', { name: 'Two', description: 'Two', inputSchema: { type: 'object' } })
  expect(
    (await run(['publish', mcp, '--toolkit', 'Cli', '--version', '2.0.0', '--tag', 'x', '--json'])).json,
  ).toMatchObject({
    published: [{ file: mcp, ids: ['Cli.Two@2.0.0'], refused: [] }],
  })
  expect((await run(['list', '--tag', 'x', '--json'])).json.items).toHaveLength(1)

  const code = await file('shout.mjs', 'export default ({ text }) => text.toUpperCase()')
  const shout = await file('shout.json', definition('Cli.Shout@1.0.0', { output_schema: { type: 'string' } }))
  expect(await run(['publish', shout, '--code', code])).toMatchObject({ code: 0, stderr: '' })
  expect((await run(['call', 'Cli.Shout', '--field', 'text=12'])).stdout).toBe('12\n')

  const plugin = await file(
    'plugin.wasm',
    describing(JSON.stringify({ tools: [{ name: 'hi', description: 'Says hi', inputSchema: { type: 'object' } }] })),
  )
  expect(await run(['publish', plugin])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Pass --toolkit and --version'),
  })
  const uploaded = await run([
    'publish',
    plugin,
    '--toolkit',
    'CliPlugin',
    '--version',
    '1.0.0',
    '--security-level',
    '0',
  ])
  expect(uploaded).toMatchObject({ code: 0, stdout: `+ CliPlugin.hi@1.0.0  ${plugin}\n` })
  const again = ['publish', plugin, '--toolkit', 'CliPlugin', '--version', '1.0.0', '--security-level', '0']
  expect((await run(again)).stdout).toBe(`= CliPlugin.hi@1.0.0  ${plugin}\n`)
})

it('publish reports the problems of each definition in a list', async () => {
  const list = await file('list.json', [definition('Cli.Three@1.0.0'), { id: 'Cli.Four@1.0.0' }])
  const { code, stdout, stderr } = await run(['publish', list])
  expect({ code, stdout }).toEqual({ code: 4, stdout: `+ Cli.Three@1.0.0  ${list}\n` })
  expect(stderr).toMatch(/- Cli\.Four@1\.0\.0 {2}\S+list\.json\n {2}[^]+1 could not be published/)
  const more = await file('more.json', [definition('Cli.Three@1.0.0'), definition('Cli.Five@1.0.0')])
  const { json } = await run(['publish', more, '--json'])
  expect(json.published).toMatchObject([{ ids: ['Cli.Three@1.0.0', 'Cli.Five@1.0.0'], unchanged: ['Cli.Three@1.0.0'] }])
  const changed = await file('one.json', definition('Cli.One@1.0.0', { description: 'Another' }))
  expect(await run(['publish', changed])).toMatchObject({ code: 4, stderr: expect.stringMatching(/^Error: /) })
  const nameless = await file('bare.json', { name: 'greet', description: 'Greets', inputSchema: { type: 'object' } })
  const { stderr: said } = await run(['publish', nameless])
  expect(said).toContain('publish with --toolkit and --version, or {')
  expect(said).not.toContain('?')
})

it('publish with --watch continues after a failed change', async () => {
  const watched = await file('watched.json', definition('Cli.Watched@1.0.0'))
  const steps = [
    ['Watching', () => writeFile(watched, '{')],
    ['is not valid JSON', () => writeFile(watched, JSON.stringify(definition('Cli.Watched@1.1.0')))],
  ] as const
  let step = 0
  const { code, stdout, stderr } = await run(['publish', watched, '--watch'], {
    onPrinted(printed, stop) {
      const next = steps[step]
      if (next && printed.includes(next[0])) {
        step++
        void next[1]()
      }
      // A second one would not wait for it to end
      if (printed.includes('+ Cli.Watched@1.1.0') && step++ === steps.length) stop('SIGINT')
    },
  })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^\+ Cli\.Watched@1\.0\.0 .*\n\+ Cli\.Watched@1\.1\.0 .*\n$/)
  expect(stderr).toContain(`\n${watched} is not valid JSON`)
})

it('convert writes a definition in another dialect, and reports what is lost', async () => {
  const from = await file('convert.json', definition('A.B@1.0.0', { requirements: { secrets: [{ id: 'KEY' }] } }))
  const { stdout, stderr, json } = await run(['convert', from, '--to', 'openai'])
  expect(json ?? JSON.parse(stdout)).toMatchObject({ type: 'function' })
  expect(stderr).toMatch(/^Lost \/requirements/m)
  const asJson = await run(['convert', '-', '--to', 'openai', '--json'], { stdin: await readFile(from, 'utf8') })
  expect(asJson.json).toMatchObject({
    document: { type: 'function' },
    losses: expect.arrayContaining([expect.any(Object)]),
  })
  expect(await run(['convert', from, '--to', 'cobol', '--json'])).toMatchObject({
    code: 4,
    json: { error: { code: 'refused' } },
  })
  const nameless = await file('nameless.json', {
    name: 'greet',
    description: 'Greets',
    inputSchema: { type: 'object' },
  })
  const named = await run(['convert', nameless, '--to', 'oxp', '--toolkit', 'Mine', '--version', '1.2.0'])
  expect(JSON.parse(named.stdout)).toMatchObject({ id: 'Mine.greet@1.2.0' })
})

it('keys are created, listed, rotated and revoked', async () => {
  const made = await run(['keys', 'create', '--name', 'a script', '--tool', 'Calculator.*', '--for-user', 'ann'])
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sb_\S+\n$/) })
  const id = /The key '([^']+)' \(a script\), shown only once/.exec(made.stderr)?.[1] ?? ''
  const env = { SWITCHBOARD_KEY: made.stdout.trim() }
  expect((await run(['list', '--json'], { env })).json.items).toHaveLength(2)
  const listed = await run(['keys', 'list'])
  expect(listed.stdout).toMatch(/^Key\tName\tScopes\tTools\tUsers\tToolset\tExpires\tLast used\tBegins with\n/)
  expect(listed.stdout).toContain(`\t${made.stdout.slice(0, 9)}\n`)
  expect(listed.stdout).toMatch(new RegExp(`^${id}\ta script\ttools:read, tools:call\tCalculator\\.\\*\tann\t`, 'm'))
  expect(listed.stdout).not.toContain(made.stdout.trim())

  expect(await run(['keys', 'rotate', id, '--overlap', '0'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('Confirm with --yes'),
  })
  const rotated = await run(['keys', 'rotate', id, '--overlap', '0', '--yes', '--json'])
  expect(rotated.json).toMatchObject({
    id,
    key: expect.stringMatching(/^sb_/),
    previous_expires_at: expect.any(String),
  })
  expect((await run(['list'], { env })).code).toBe(4)
  expect((await run(['list'], { env: { SWITCHBOARD_KEY: rotated.json.key } })).code).toBe(0)
  const again = await run(['keys', 'rotate', id, '--overlap', '0', '--yes'])
  expect(again.stderr).toMatch(/\nThe old key has stopped working\n$/)

  expect((await run(['keys', 'revoke', id])).code).toBe(2)
  expect((await run(['keys', 'revoke', id, '--yes', '--json'])).json).toEqual({ id, revoked: true })
  expect((await run(['list'], { env: { SWITCHBOARD_KEY: again.stdout.trim() } })).code).toBe(4)
  expect((await run(['keys', 'revoke', id, '--yes', '--json'])).json).toMatchObject({ error: { code: 'not_found' } })
})

it('keys are for administrators, and their problems are reported', async () => {
  const { json } = await run(['keys', 'create', '--name', 'x', '--scope', 'everything', '--json'])
  expect(json.error).toMatchObject({ code: 'invalid', problems: [{ path: '/scopes/0' }] })
  const env = { SWITCHBOARD_KEY: await edge.keyFor('any') }
  expect((await run(['keys', 'list', '--json'], { env })).json.error.code).toBe('forbidden')
  expect((await run(['keys', 'create', '--name', 'x', '--limits', '{}'])).stderr).toMatch(
    /^Error: The request for a key is not valid\n {2}--limits: Must have 'rate'/,
  )
})

it('policies are added, changed one rule at a time, listed and removed', async () => {
  const rule = ['policies', 'set', 'Ruled.*']
  const made = await run([...rule, '--security-level', '3', '--timeout', '10', '--json'])
  expect(made).toMatchObject({ code: 0, json: { pattern: 'Ruled.*', security_level: 3, timeout_ms: 10_000 } })
  const limits = { rate: { calls: 5, seconds: 60 } }
  const more = ['--security-level', '5', '--approval', '--review', '--limits', JSON.stringify(limits)]
  const rules = { security_level: 5, timeout_ms: 10_000, approval: true, review: true, limits }
  expect((await run(['policies', 'set', 'ruled.*', ...more, '--json'])).json).toMatchObject(rules)
  expect((await run(['policies', 'list'])).stdout).toMatch(/^ruled\.\*\t.*timeout_ms 10000/im)
  expect(await run(['policies', 'remove', 'Ruled.*'])).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('security_level 5'),
    stderr: expect.stringContaining("This will remove a policy: 'Ruled.*'"),
  })
  const removed = await run(['policies', 'remove', 'Ruled.*', '--yes', '--json'])
  expect(removed).toMatchObject({ code: 0, json: { pattern: 'Ruled.*', removed: true } })
  expect((await run(['policies', 'remove', 'Ruled.*', '--yes'])).code).toBe(4)
})

it('policies are refused with their problems', async () => {
  expect(await run(['policies', 'set', 'Busy.*'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Give at least one option'),
  })
  const wrong = await run(['policies', 'set', 'Busy.*', '--security-level', '11', '--json'])
  expect(wrong).toMatchObject({ code: 4, json: { error: { problems: [{ path: '/security_level' }] } } })
})

describe.skipIf(!hasScript)(`a person at a terminal confirms${NO_SCRIPT}`, () => {
  it.each([
    ['n\n', 1, 'Nothing has changed'],
    ['\x03', 130, 'Nothing has changed'],
    ['y\n', 4, "Cannot find the key 'nobody'"],
  ])('a person at a terminal is asked to confirm, and answers %j', async (text, exit, message) => {
    const typed = { after: '[y/N]', text }
    const { code, stdout } = await cli.runAtTerminal(['keys', 'revoke', 'nobody'], { typed })
    expect(code, stdout).toBe(exit)
    expect(stdout).toContain(
      `This will revoke a key for good: 'nobody' at ${new URL(edge.server.url).host}. Continue? [y/N]`,
    )
    expect(stdout).toContain(message)
  })
})

it('doctor reports what works, and what prevents which tools from being called', async () => {
  const { code, json } = await run(['doctor', '--json'])
  expect({ code, json }).toMatchObject({ code: 6, json: { url: edge.server.url, ok: false } })
  const found = Object.fromEntries(json.findings.map((each: { about: string }) => [each.about, each]))
  expect(found).toMatchObject({
    deployment: { state: 'ok' },
    key: { state: 'ok' },
    ACCESS: { state: 'ok', message: expect.stringMatching(/^keys:/) },
    'API keys': { state: 'ok', message: expect.stringMatching(/^\d+ keys?$/) },
    'VAULT_KEYS': { state: 'ok' },
    'sign-in': { state: 'off', fix: expect.stringContaining('SIGN_IN_ISSUER') },
    'providers': { state: 'ok', message: 'mail' },
    'provider google': { fix: expect.stringContaining('add it with switchboard providers set google') },
  })
  expect(found).toHaveProperty('provider google')
  expect(found).not.toHaveProperty('provider mail')
  const [secret, ...others] = json.findings.filter(({ about }: { about: string }) => about === 'secret TWILIO_API_KEY')
  expect({ secret, others }).toMatchObject({
    secret: {
      state: 'blocked',
      fix: expect.stringContaining('TWILIO_API_KEY'),
      message: expect.stringMatching(/^\d+ tools?: /),
    },
    others: [],
  })
  const { stdout } = await run(['doctor'])
  expect(stdout).toMatch(/^✓ deployment +http.+ is well/)
  expect(stdout).toMatch(/^✓ key +It is an administrator's$/m)
  const key = (await run(['keys', 'create', '--name', 'of nothing', '--tool', 'Nothing.*'])).stdout.trim()
  const nothing = await run(['doctor'], { env: { SWITCHBOARD_KEY: key } })
  expect(nothing.stdout).toMatch(/^– tools +There are none\n +Publish or import one$/m)
  await run(['policies', 'set', 'System.GetTimestamp', '--approval'])
  const judged = await run(['doctor'])
  await run(['policies', 'remove', 'System.GetTimestamp'])
  expect(judged.stdout).toMatch(/^✗ forbidden +\d tools?: .*System\.GetTimestamp@.+\n.+approv/m)
  const open = await startApp({ vars: { ACCESS: 'open' } })
  try {
    const there = await run(['doctor', '--url', open.url], { env: { SWITCHBOARD_KEY: 'sb_wrong' } })
    expect(there.stdout).toMatch(/^– key +Keys are not checked with ACCESS=open$/m)
    expect(there.stdout).toMatch(/^– API keys +There are no API keys$/m)
  } finally {
    await open.stop()
  }
})

it('doctor says what to do if the deployment does not respond, or the key is unknown', async () => {
  const away = await run(['doctor', '--json', '--url', 'http://127.0.0.1:9'])
  expect(away.code).toBe(5)
  expect(JSON.parse(away.stdout).findings).toMatchObject([
    { state: 'fault', fix: expect.stringContaining('npm run dev') },
  ])
  const nobody = await run(['doctor'], { env: { SWITCHBOARD_KEY: undefined } })
  expect(nobody.stdout).toMatch(
    /^– key +There is none\n +Run 'switchboard login', or set SWITCHBOARD_KEY\n– ACCESS +keys: .*\n$/m,
  )
  expect(nobody.stdout).not.toMatch(/credential|administrator/)
  const stranger = await run(['doctor', '--json'], { env: { SWITCHBOARD_KEY: 'sb_nobody' } })
  expect(stranger.code).toBe(1)
  expect(JSON.parse(stranger.stdout).findings).toContainEqual(
    expect.objectContaining({ about: 'key', state: 'fault', fix: expect.stringContaining('keys create') }),
  )
})

const guide = readFileSync(new URL('../../src/docs/command-line.md', import.meta.url), 'utf8')

it("the guide's commands work, from the first to the last", async () => {
  const blocks = [...guide.matchAll(/^```sh\n([^]+?)^```$/gm)].map(([, text = '']) => text)
  expect(blocks.length).toBeGreaterThan(4)
  const place = await mkdtemp(join(folder, 'guide-'))
  const greet = definition('Greet.Hello@1.0.0', { output_schema: { type: 'string' } })
  const tools = [{ name: 'a', description: 'A', inputSchema: { type: 'object' } }]
  await Promise.all([
    writeFile(join(place, 'switchboard'), `#!/bin/sh\nexec '${process.execPath}' '${cli.program}' "$@"\n`, {
      mode: 0o755,
    }),
    writeFile(join(place, 'greet.json'), JSON.stringify(greet)),
    writeFile(join(place, 'greet.mjs'), 'export default ({ text }) => `Hello, ${text}!`'),
    writeFile(join(place, 'tools.json'), JSON.stringify(tools)),
    writeFile(
      join(place, 'exchange.json'),
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Exchange', version: '1.0.0' },
        servers: [{ url: 'https://exchange.test' }],
        paths: { '/latest': { get: { operationId: 'latest', responses: { 200: { description: 'Rates' } } } } },
      }),
    ),
  ])
  // The world lacks a secret, and 'people end' needs somebody
  await run(['keys', 'create', '--name', 'of ann', '--for-user', 'ann@acme.com'])
  const guideScript = blocks.join('\n').replaceAll(/^switchboard doctor$/gm, '$& || test $? = 6')
  const script = `set -eu\n${guideScript.replaceAll(new RegExp(`${EXAMPLE_ORIGIN}|http://localhost:8787`, 'g'), edge.server.url)}`
  const PATH = `${place}${delimiter}${process.env['PATH']}`
  const env = { ...process.env, PATH, XDG_CONFIG_HOME: join(place, 'config') }
  await writeFile(join(place, 'key.txt'), ADMIN_KEY)
  // The server may be in this process
  const running = promisify(execFile)('bash', ['-c', script], { cwd: place, env })
  running.child.stdin?.end(`${ADMIN_KEY}\n`)
  const ran = await running
  expect(ran.stdout).toContain('\n5\n')
  expect(ran.stdout + ran.stderr).not.toContain(ADMIN_KEY)
  expect(await readFile(join(place, 'key.txt'), 'utf8')).toMatch(/^sb_\S+\n$/)
}, 240_000)

it('the guide names every command, with each of its own options', () => {
  const seldom = ['--tag', '--all-versions', '--dialect', '--from', '--scope', '--any-user', '--expires', '--no-wait']
  for (const command of listCommands()) {
    expect(guide).toContain(command.name())
    const options = command.options.map(({ long }) => long ?? '').filter((each) => !seldom.includes(each))
    for (const option of options)
      expect(guide, command.name()).toMatch(new RegExp(`${option === '--url' ? 'SWITCHBOARD_URL' : option}\\b`))
  }
})

it('the guide has a row for each exit code', () => {
  const told = [...guide.matchAll(/^\| (\d+) +\|/gm)].map(([, number]) => Number(number))
  expect(told).toEqual(Object.values(EXIT))
})

const description = {
  openapi: '3.1.0',
  info: { title: 'Rates', version: '1.0.0' },
  servers: [{ url: 'https://rates.test' }],
  paths: {
    '/latest': { get: { operationId: 'latest', summary: 'Latest', responses: { 200: { description: 'Rates' } } } },
    '/older': { get: { operationId: 'older', summary: 'Older', responses: { 200: { description: 'Rates' } } } },
  },
}

it('import shows what it would import, and imports after a confirmation', async () => {
  const source = await file('rates.json', description)
  const args = ['import', source, '--toolkit', 'Rates']
  const shown = await run([...args, '--dry-run'])
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('+ Rates.latest@1.0.0') })
  expect(shown.stdout).toMatch(/^\+ Rates\.latest@1\.0\.0 {2}GET \/latest\b/m)
  expect((await run([...args, '--dry-run', '--tool', 'nix*'])).stderr).toContain('No tool matches nix*')
  const asked = await run(args)
  expect(asked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Import 2 tools into the toolkit 'Rates'?"),
  })
  expect((await run(['list', '--toolkit', 'Rates', '--json'])).json.items).toEqual([])
  const one = await run([...args, '--tool', 'lat*', '--yes', '--json'])
  expect(one).toMatchObject({ code: 0, json: { ids: ['Rates.latest@1.0.0'], skipped: [] } })
  expect(await run([...args, '--yes'])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/\n✓ Imported 1 tool\n$/),
  })
  const nothing = {
    code: 0,
    stderr: '0 new, 0 changed (0 breaking), 2 the same, 0 no longer in the source\nThere is nothing to import\n',
  }
  expect(await run([...args, '--yes'])).toMatchObject(nothing)
})

it('import first prints how many changes break callers and how many tools are gone, and then which', async () => {
  const args = ['--toolkit', 'Forecasts', '--dry-run']
  await run(['import', await file('forecasts.json', description), '--toolkit', 'Forecasts', '--yes'])
  const parameters = [{ name: 'base', in: 'query', required: true, schema: { type: 'string' } }]
  const paths = { '/latest': { get: { ...description.paths['/latest'].get, parameters } } }
  const source = await file('forecasts-2.json', { ...description, paths })
  const { stdout, stderr } = await run(['import', source, ...args])
  expect(stderr).toBe('0 new, 1 changed (1 breaking), 0 the same, 1 no longer in the source\n')
  expect(stdout).toMatch(/^~ Forecasts\.latest@2\.0\.0.*\n {2}breaks callers: Parameter 'base' is now required$/m)
  const line = /^\? Forecasts\.older@1\.0\.0 {2}no longer in the source, .*: (switchboard deprecate Forecasts\.older)$/m
  const [, command = ''] = line.exec(stdout) ?? []
  expect((await run(command.split(' ').slice(1))).code).toBe(0)
  expect((await run(['import', source, ...args])).stdout).not.toContain('older')
})

it('import tells administrators only how a tool gets the secret that it needs, before and after', async () => {
  const security = { components: { securitySchemes: { api_key: { type: 'apiKey', in: 'header', name: 'X-Key' } } } }
  const source = await file('store.json', { ...description, ...security, security: [{ api_key: [] }] })
  const allow = `'switchboard policies set "Store.*" --secret STORE_API_KEY' allows it. The secret 'STORE_API_KEY' is not set:`
  const made = await run(['import', source, '--toolkit', 'Store', '--tool', 'latest', '--yes'])
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining(allow) })
  expect(made.stdout).toMatch(/latest@1\.0\.0 {2}GET \/latest {2}level 4 {2}needs STORE_API_KEY$/m)
  const steps = [
    "have the secret 'STORE_API_KEY': 'switchboard policies set Store.latest --secret STORE_API_KEY' allows it.",
    "The secret 'STORE_API_KEY' is not set: 'npx wrangler secret put STORE_API_KEY' sets it",
  ].join(' ')
  const called = await run(['call', 'Store.latest'])
  expect(called).toMatchObject({ code: 4, stderr: expect.stringContaining(steps) })
  expect(called.stderr.split('\n')).toHaveLength(3)
  const findings: { about: string; fix: string }[] = (await run(['doctor', '--json'])).json.findings
  expect(findings.find(({ about }) => about === 'secret STORE_API_KEY')?.fix).toContain(steps)
  await run(['import', source, '--toolkit', 'Store', '--tool', 'older', '--yes'])
  expect((await run(['doctor'])).stdout).toMatch(
    /secret STORE_API_KEY +2 tools: Store\.latest@1\.0\.0, Store\.older@1\.0\.0\n/,
  )
  await run(['policies', 'set', 'Store.latest', '--secret', 'STORE_API_KEY'])
  const parted = (await run(['doctor'])).stdout
  await run(['policies', 'remove', 'Store.latest'])
  expect(parted).toMatch(/secret STORE_API_KEY +1 tool: Store\.latest@1\.0\.0\n +The secret 'STORE_API_KEY' is not set/)
  expect(parted).toMatch(/secret STORE_API_KEY +1 tool: Store\.older@1\.0\.0\n.+policies set Store\.older --secret/)
  const key = (await run(['keys', 'create', '--name', 'a shop', '--tool', 'Store.*'])).stdout.trim()
  const { stderr } = await run(['call', 'Store.latest'], { env: { SWITCHBOARD_KEY: key } })
  expect(stderr).toContain("An administrator must set the secret 'STORE_API_KEY' and allow it for the tool\n")
  expect(stderr).not.toMatch(/policies|not set/)
})

it('import prints a warning that concerns many tools once', async () => {
  const source = await file('nowhere.json', { ...description, servers: [{ url: 'http://HOSTNAME' }] })
  const { stdout, stderr } = await run(['import', source, '--toolkit', 'Nowhere', '--dry-run'])
  expect(stdout).toMatch(/Nowhere\.latest@1\.0\.0 {2}GET \/latest\n.*Nowhere\.older@1\.0\.0 {2}GET \/older\n$/)
  expect(stderr).toMatch(
    /^2 new, .*\nIt cannot run: .*'http:\/\/HOSTNAME'.* \(2 tools, such as Nowhere\.latest@1\.0\.0, Nowhere\.older@1\.0\.0\)\n$/,
  )
})

it('import imports many tools in several steps', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 250 }, (_, n) => [
      `/p${n}`,
      { get: { operationId: `op${n}`, responses: { 200: { description: 'x' } } } },
    ]),
  )
  const source = await file('many.json', { ...description, paths })
  const { code, json, stderr } = await run(['import', source, '--toolkit', 'Many', '--yes', '--json'])
  expect(code, stderr).toBe(0)
  expect(new Set(json.ids).size).toBe(250)
})

it.each([
  [['https://x.test/api', '--toolkit', 'X'], 2, /Pass --from openapi/],
  [['https://x.test/api', '--toolkit', 'X', '--from', 'soap'], 2, /Allowed choices are openapi, mcp, oxp/],
  [['nowhere.yaml', '--toolkit', 'X'], 2, /no such file/],
  [['rates.json'], 2, /required option '--toolkit/],
  [['rates.json', '--toolkit', 'a b'], 4, /^Error: The import is not valid\n {2}--toolkit: Must be 1 to 64/],
  [['http://127.0.0.1:9/mcp', '--toolkit', 'X'], 4, /^Error: /],
])('import reports what is missing or invalid: %j', async (args, exit, message) => {
  const { code, stderr } = await run(['import', ...args], { cwd: folder })
  expect(code, stderr).toBe(exit)
  expect(stderr).toMatch(message)
})

it('authorize lets a person consent before anything is called', async () => {
  const before = world.api.requests.length
  expect(await run(['authorize', 'Mail.GetEmails'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--user'),
  })
  const args = ['authorize', 'Mail.GetEmails', '--user', 'jo']
  expect(await run([...args, '--json'])).toMatchObject({
    code: 3,
    json: { error: { code: 'authorization_required' } },
  })
  expect((await run([...args, '--wait', '--timeout', '2'])).code).toBe(5)
  let done: Promise<unknown> | undefined
  const allowed = await run([...args, '--wait'], {
    onPrinted(printed) {
      const link = /(http\S+\/start)/.exec(printed)?.[1]
      if (link !== undefined) done ??= new HttpPerson().consent(link, 'jo')
    },
  })
  expect(allowed).toMatchObject({ code: 0, stderr: expect.stringMatching(/✓ It is allowed\n$/) })
  expect(world.api.requests.length).toBe(before)
  expect((await run([...args, '--json'])).json).toEqual({ tool: 'Mail.GetEmails', authorized: true })
  expect((await run(['call', 'Mail.GetEmails', '--user', 'jo', '--json'])).json.value).toMatchObject({
    account: 'jo',
  })
  expect((await run(['authorize', 'Nobody.Knows'])).code).toBe(4)
})

it('connect writes into the configuration of a host, and keeps a copy of the old file', async () => {
  const home = await mkdtemp(join(folder, 'home-'))
  const cwd = await mkdtemp(join(folder, 'project-'))
  const options = { cwd, env: { HOME: home } }
  const url = `${edge.server.url}/mcp`
  expect(await run(['connect', 'cursor'], options)).toMatchObject({ code: 2, stderr: expect.stringContaining(url) })
  const written = await run(['connect', 'cursor', '--yes', '--json'], options)
  expect(written.json).toMatchObject({ host: 'cursor', changed: true })
  const path = join(cwd, '.cursor/mcp.json')
  expect(JSON.parse(await readFile(path, 'utf8')).mcpServers.switchboard.url).toBe(url)
  expect((await run(['connect', 'cursor', '--json'], options)).json).toMatchObject({ changed: false })

  const signIn = await run(['connect', 'cursor', '--sign-in', '--yes', '--json'], options)
  expect(JSON.parse(await readFile(path, 'utf8')).mcpServers).toEqual({
    switchboard: { url: `${edge.server.url}/connect/mcp` },
  })
  expect(JSON.parse(await readFile(signIn.json.backup, 'utf8')).mcpServers.switchboard.url).toBe(url)

  await writeFile(path, '{ "mcpServers": ')
  expect(await run(['connect', 'cursor', '--yes'], options)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('left as it is'),
  })
  expect(await readFile(path, 'utf8')).toBe('{ "mcpServers": ')

  expect((await run(['connect', 'codex', '--yes'], options)).code).toBe(0)
  expect(await readFile(join(home, '.codex/config.toml'), 'utf8')).toContain(`url = "${url}"`)
  expect((await run(['connect', 'vs-code', '--yes'], options)).code).toBe(0)
  expect(await readFile(join(cwd, '.vscode/mcp.json'), 'utf8')).toContain('promptString')
  expect((await run(['connect', 'local-servers', '--file', 'desktop.json', '--yes'], options)).code).toBe(0)
  expect(await readFile(join(cwd, 'desktop.json'), 'utf8')).toContain('mcp-remote')
})

it('connect lists the hosts, and what a person must do themselves', async () => {
  const { stdout } = await run(['connect'])
  expect(stdout).toMatch(/^Agent\tName\tSetup\nclaude-code\tClaude Code\t/)
  expect(stdout).toMatch(/^chatgpt\tChatGPT\tOpen https:\/\/chatgpt\.com\/plugins, /m)
  expect(stdout).not.toMatch(/\]\(/)
  expect((await run(['connect', 'claude-code'])).stdout).toContain(
    `claude mcp add --transport http switchboard ${edge.server.url}/mcp`,
  )
  expect((await run(['connect', 'claude', '--json'])).json).toMatchObject({
    host: 'claude',
    where: expect.any(String),
  })
  expect(await run(['connect', 'emacs'])).toMatchObject({ code: 2, stderr: expect.stringContaining('cursor') })
  expect((await run(['connect', 'vs-code', '--global'])).code).toBe(2)
})

it('backup and restore move the registry from one deployment to another', async () => {
  const path = join(folder, 'backup.jsonl')
  const { code, json } = await run(['backup', path, '--json'])
  expect({ code, json }).toEqual({
    code: 0,
    json: { file: path, lines: expect.any(Number), bytes: expect.any(Number) },
  })
  const text = await readFile(path, 'utf8')
  expect(text).toContain('Mail.GetEmails')
  expect((await run(['backup', path])).code).toBe(2)
  expect((await run(['backup', path, '--toolkit', 'Mail', '--yes'])).code).toBe(0)
  expect(await readFile(path, 'utf8')).not.toContain('Calculator.')
  await writeFile(path, text)

  const other = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  try {
    const there = ['--url', other.url]
    await run(['doctor', ...there])
    const refusals = ['audit', '--action', 'refusal', '--json', ...there]
    await expect.poll(async () => (await run(refusals)).json.items).toHaveLength(2)
    expect(await run(['restore', path, ...there])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(other.url),
    })
    const why =
      'This backup was not signed by this deployment. If you trust where it comes from, restore it with --trust'
    const { stderr } = await run(['restore', path, '--yes', ...there])
    expect(stderr).toBe(`Error: The backup is not valid\n  ${why}\n`)
    const restored = await run(['restore', path, '--trust', '--yes', '--json', ...there])
    expect(restored).toMatchObject({ code: 0, json: { refused: 0, created: expect.any(Number) } })
    expect(restored.json.created).toBeGreaterThan(3)
    expect((await run(['show', 'Mail.GetEmails', '--json', ...there])).json).toMatchObject({
      id: 'Mail.GetEmails@1.0.0',
    })
    expect((await run(['restore', path, '--trust', '--yes', ...there])).stdout).toMatch(
      /^Versions, policies and toolkits: 0 created, \d+ unchanged/,
    )
  } finally {
    await other.stop()
  }
})

it('restore refuses an incomplete file, or one that is no backup', async () => {
  const cut = await file('cut.jsonl', '{"kind":"archive","format":1}\n{"kind":"tool"}\n')
  expect(await run(['restore', cut, '--yes'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('is incomplete: its last line is missing'),
  })
  const other = await file('other.jsonl', '{"a":1}\n')
  expect(await run(['restore', other, '--yes'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('is not a backup'),
  })
  expect((await run(['restore', 'nowhere.jsonl', '--yes'])).code).toBe(2)
  const path = join(folder, 'refused.jsonl')
  const env = { SWITCHBOARD_KEY: await edge.keyFor('any') }
  expect((await run(['backup', path, '--json'], { env })).json.error.code).toBe('forbidden')
  await expect(readFile(path)).rejects.toThrow(/ENOENT/)
})

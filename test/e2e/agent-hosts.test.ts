import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { agentHosts, KEY_VARIABLE } from '../../src/docs/agent-hosts.ts'
import { type RunningServer, startApp } from './server.ts'

/**
 * Tests the guide's snippets for agent hosts against a server that requires a key: a library's snippet runs unchanged, and for
 * a host that is not installed, the official client connects with the host's configuration.
 */

const ADMIN_KEY = 'the-administrator-of-this-test'
const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

let server: RunningServer
let key: string
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-hosts-'))
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  const body = { name: 'ann', scopes: ['tools:read', 'tools:call'], tools: ['Calculator.*'], users: ['ann'] }
  key = (await server.json('POST', '/keys', body, { authorization: `Bearer ${ADMIN_KEY}` })).body.key
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

function snippetOf(id: string): string {
  const host = agentHosts(server.url).find((each) => each.id === id)
  if (!host?.snippet) throw new Error(`There is no snippet of '${id}'`)
  return host.snippet.text
}

/** Runs a text as a module of this repository, with the key in its variable, and gives what it printed as JSON. */
async function runModule(text: string): Promise<unknown> {
  const env = { ...process.env, [KEY_VARIABLE]: key }
  const { stdout } = await run('node', ['--input-type=module', '--eval', text], { cwd: root, env })
  return JSON.parse(stdout)
}

/** Runs a text in a shell where a program only writes down its arguments and what it is sent. */
async function runShell(text: string, program: string): Promise<{ args: readonly string[]; input: string }> {
  const path = join(folder, program)
  await writeFile(
    path,
    `#!/bin/sh\nfor argument in "$@"; do printf '%s\\0' "$argument"; done\nprintf '\\0'\n[ "${program}" = curl ] && cat\nexit 0\n`,
  )
  await chmod(path, 0o755)
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, [KEY_VARIABLE]: key, OPENAI_API_KEY: 'sk-x' }
  const { stdout } = await run('sh', ['-c', text], { env })
  const [args = '', input = ''] = stdout.split('\0\0')
  return { args: args.split('\0'), input }
}

/** Lists and calls as a host does that is configured so. */
async function connectWith(url: string, headers: Record<string, string>): Promise<void> {
  expect(url).toBe(`${server.url}/mcp`)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('Calculator_Add')
  const { content } = await client.callTool({ name: 'Calculator_Add', arguments: { a: 2, b: 3 } })
  expect(content).toEqual([{ type: 'text', text: '5' }])
  await client.close()
}

const LISTED = expect.arrayContaining(['Calculator_Add'])

it.each([
  ['langchain', 'const names = tools.map(({ name }) => name); await client.close()'],
  ['ai-sdk', 'const names = Object.keys(tools); await client.close()'],
  ['openai-agents', 'const names = (await switchboard.listTools()).map(({ name }) => name); await switchboard.close()'],
  ['mcp-sdk', 'const names = tools.map(({ name }) => name); await client.close()'],
])('as the guide shows, %s lists the tools', async (id, then) => {
  expect(await runModule(`${snippetOf(id)}\n${then}\nconsole.log(JSON.stringify(names))`)).toEqual(LISTED)
})

it('as the guide shows, Claude Code connects with its command', async () => {
  const { args } = await runShell(snippetOf('claude-code'), 'claude')
  expect(args.slice(0, 5)).toEqual(['mcp', 'add', '--transport', 'http', 'switchboard'])
  const [url = '', flag, header = ''] = args.slice(5)
  expect(flag).toBe('--header')
  const [name = '', value = ''] = header.split(': ')
  await connectWith(url, { [name]: value })
})

it('as the guide shows, Cursor connects with its file', async () => {
  const { mcpServers } = JSON.parse(snippetOf('cursor'))
  const { url, headers } = mcpServers.switchboard
  await connectWith(url, expanded(headers, /\$\{env:(\w+)\}/g))
})

it('as the guide shows, VS Code connects with its file', async () => {
  const { inputs, servers } = JSON.parse(snippetOf('vs-code'))
  expect(inputs).toEqual([expect.objectContaining({ type: 'promptString', id: 'switchboard-key', password: true })])
  expect(servers.switchboard.type).toBe('http')
  await connectWith(servers.switchboard.url, expanded(servers.switchboard.headers, /\$\{input:([\w-]+)\}/g))
})

it.each([
  ['gemini-cli', 'mcpServers', 'httpUrl', /\$(\w+)/g],
  ['windsurf', 'mcpServers', 'serverUrl', /\$\{env:(\w+)\}/g],
  ['zed', 'context_servers', 'url', /<key>/g],
  ['cline', 'mcpServers', 'url', /\$\{env:(\w+)\}/g],
] as const)('as the guide shows, %s connects with its file', async (id, section, address, variable) => {
  const { [address]: url, headers, type } = JSON.parse(snippetOf(id))[section].switchboard
  expect(type).toBe(id === 'cline' ? 'streamableHttp' : undefined)
  expect(headers.Authorization).toMatch(id === 'zed' ? '<key>' : KEY_VARIABLE)
  await connectWith(url, expanded(headers, variable))
})

it('as the guide shows, Goose connects with its file', async () => {
  const { uri, headers, env_keys, ...rest } = parseYaml(snippetOf('goose')).extensions.switchboard
  expect(rest).toMatchObject({ enabled: true, type: 'streamable_http', name: 'switchboard' })
  expect(env_keys).toEqual([KEY_VARIABLE])
  await connectWith(uri, expanded(headers, /\$\{(\w+)\}/g))
})

it('as the guide shows, Codex connects with its file', async () => {
  const [table, ...lines] = snippetOf('codex').split('\n')
  expect(table).toBe('[mcp_servers.switchboard]')
  const entries = lines.map((line) => /^(\w+) = "([^"\\]*)"$/.exec(line)?.slice(1) ?? [line])
  const { url, ...rest } = Object.fromEntries(entries)
  expect(rest).toEqual({ bearer_token_env_var: KEY_VARIABLE })
  await connectWith(url, { authorization: `Bearer ${key}` })
})

it('as the guide shows, the Responses API connects with a request', async () => {
  const { args, input } = await runShell(snippetOf('responses-api'), 'curl')
  expect(args).toContain('https://api.openai.com/v1/responses')
  const [{ type, server_label, server_url, authorization }] = JSON.parse(input).tools
  expect({ type, server_label }).toEqual({ type: 'mcp', server_label: 'switchboard' })
  await connectWith(server_url, { authorization: `Bearer ${authorization}` })
})

it('as the guide shows, Mastra connects with the options of its client', async () => {
  const client = 'class MCPClient { constructor(made) { this.made = made } async listTools() { return this.made } }'
  const text = snippetOf('mastra').replace(/^import \{ MCPClient \} from '@mastra\/mcp'$/m, client)
  expect(text).toContain(client)
  const made = (await runModule(`${text}\nconsole.log(JSON.stringify(tools))`)) as {
    servers: { switchboard: { url: string; requestInit: { headers: Record<string, string> } } }
  }
  const { url, requestInit } = made.servers.switchboard
  await connectWith(url, requestInit.headers)
})

it('as the guide shows, hosts that start local servers connect through mcp-remote', async () => {
  const { command, args, env } = JSON.parse(snippetOf('local-servers')).mcpServers.switchboard
  expect([command, ...args.slice(0, 2)]).toEqual(['npx', '-y', 'mcp-remote'])
  const [url, flag, header] = args.slice(2)
  expect(flag).toBe('--header')
  const [name, value] = header.split(':')
  expect(value).toBe('${AUTHORIZATION}')
  await connectWith(url, { [name]: env.AUTHORIZATION.replace('<key>', key) })
})

/** Stand-ins for packages: each writes down what it is made with, and httpx sends it too. */
const STAND_INS: Readonly<Record<string, string>> = {
  'langchain_mcp_adapters/client.py': `
class MultiServerMCPClient:
    def __init__(self, connections): self.connections = connections
    async def get_tools(self): return self.connections`,
  'agents/__init__.py': `
class Agent:
    def __init__(self, name, mcp_servers): self.mcp_servers = mcp_servers
class Runner:
    async def run(agent, question):
        Runner.final_output = agent.mcp_servers[0].made
        return Runner`,
  'agents/mcp.py': `
class MCPServerStreamableHttp:
    def __init__(self, **made): self.made = made
    async def __aenter__(self): return self
    async def __aexit__(self, *_): pass`,
  'fastmcp.py': `
class Client:
    def __init__(self, url, auth): self.made = {'url': url, 'auth': auth}
    async def __aenter__(self): return self
    async def __aexit__(self, *_): pass
    async def call_tool(self, name, arguments): self.data = {**self.made, 'name': name, 'arguments': arguments}; return self`,
  'httpx.py': `
import json as text, urllib.request, urllib.parse
class Client:
    def __init__(self, base_url, headers): self.base_url, self.headers = base_url, headers
    def get(self, path, params): return self.send(path + '?' + urllib.parse.urlencode(params), None)
    def post(self, path, json): return self.send(path, text.dumps(json).encode())
    def send(self, path, data):
        headers = {**self.headers, 'content-type': 'application/json'}
        return Answer(urllib.request.urlopen(urllib.request.Request(self.base_url + path, data, headers)).read())
class Answer:
    def __init__(self, body): self.body = body
    def json(self): return text.loads(self.body)`,
}
const hasPython = spawnSync('python3', ['--version']).status === 0

describe.skipIf(!hasPython)(`Python libraries${hasPython ? '' : ' (skipped: there is no python3)'}`, () => {
  /** Its last line, which prints what a stand-in wrote down, or an answer. */
  async function runPython(id: string, then = ''): Promise<unknown> {
    const path = join(folder, 'python')
    for (const [file, text] of Object.entries(STAND_INS)) {
      await mkdir(join(path, file, '..'), { recursive: true })
      await writeFile(join(path, file), text)
    }
    const env = { ...process.env, PYTHONPATH: path, [KEY_VARIABLE]: key }
    const { stdout } = await run('python3', ['-c', `${snippetOf(id)}\n${then}`], { env })
    return JSON.parse((stdout.trim().split('\n').at(-1) ?? '').replaceAll("'", '"'))
  }

  it('as the guide shows in Python, LangChain connects with the options of its client', async () => {
    const { switchboard } = Object(await runPython('python-langchain', 'print(tools)'))
    expect(switchboard.transport).toBe('http')
    await connectWith(switchboard.url, switchboard.headers)
  })

  it('as the guide shows in Python, OpenAI Agents SDK connects with the options of its server', async () => {
    const { name, params } = Object(await runPython('python-openai-agents'))
    expect(name).toBe('switchboard')
    await connectWith(params.url, params.headers)
  })

  it('as the guide shows in Python, FastMCP connects and calls a tool', async () => {
    const { url, auth, ...call } = Object(await runPython('python-fastmcp'))
    expect(call).toEqual({ name: 'Calculator_Add', arguments: { a: 2, b: 3 } })
    await connectWith(url, { authorization: `Bearer ${auth}` })
  })

  it('as the guide shows in Python, httpx calls and lists tools', async () => {
    expect(await runPython('python-httpx')).toBe(5)
    const names = "print([tool['function']['name'] for tool in tools])"
    expect(await runPython('python-httpx', names)).toEqual(LISTED)
  })
})

/** Headers with the key where a host puts a variable or what a person typed. */
function expanded(headers: Readonly<Record<string, string>>, variable: RegExp): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace(variable, () => key)]))
}

const ids = agentHosts('https://tools.test').flatMap(({ id, signIn }) => (signIn ? [id] : []))
it.each(ids)('the instructions for %s to sign a person in use /connect/mcp, without a header', async (id) => {
  const host = agentHosts(server.url).find((each) => each.id === id)
  const text = host?.signIn?.text ?? ''
  expect([...text.matchAll(/https?:[^\s"]+/g)].map(([url]) => url)).toEqual([`${server.url}/connect/mcp`])
  expect(text).not.toMatch(/bearer|header|SWITCHBOARD_KEY/i)
  if (host?.signIn?.language === 'json') expect(() => JSON.parse(text)).not.toThrow()
  const answer = await fetch(`${server.url}/connect/mcp`, { method: 'POST', body: '{}' })
  expect(answer.status).toBe(401)
  expect(answer.headers.get('www-authenticate')).toContain('resource_metadata=')
})

it("a person with a browser sees the guide with this deployment's URL, without a key", async () => {
  const answer = await fetch(`${server.url}/docs/agents`)
  expect(answer.status).toBe(200)
  const shown = await answer.text()
  expect(shown).toContain(`${server.url}/mcp`)
  expect(shown).not.toContain('&lt;you&gt;')
  expect((await fetch(`${server.url}/docs/nowhere`)).status).toBe(404)
})

it('a person with a browser finds every guide through llms.txt', async () => {
  const text = await (await fetch(`${server.url}/llms.txt`)).text()
  const links = [...text.matchAll(/\]\((http[^)]+)\)/g)].flatMap(([, link]) => link ?? [])
  expect(links.length).toBeGreaterThan(4)
  for (const link of links) expect((await fetch(link)).status, link).toBe(200)
})

describe('the user of an agent', () => {
  const call = (credential: string, headers: Record<string, string> = {}) =>
    server.json(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'Calculator_Add', arguments: { a: 2, b: 3 } } },
      { authorization: `Bearer ${credential}`, accept: 'application/json, text/event-stream', ...headers },
    )

  it('an agent with a key for one user needs no user header, and may name only that user in one', async () => {
    expect(await call(key)).toMatchObject({ status: 200, body: { result: { content: [{ text: '5' }] } } })
    expect(await call(key, { 'x-user-id': 'ann' })).toMatchObject({ status: 200 })
    expect(await call(key, { 'x-user-id': 'bob' })).toMatchObject({
      status: 403,
      body: { error: { message: 'The credential may not act for this user' } },
    })
  })
})

import { connected } from '../e2e/oauth/agent.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import type { ServerProcess } from '../e2e/process.ts'
import { cpuOf } from '../processes.ts'
import { compilePlugin } from '../plugins/compile.ts'
import { post } from './load.ts'

const ADMIN_KEY = 'an admin key for the bench'.replaceAll(' ', '-')
export const KEYS = ['--var', 'ACCESS:keys', '--var', `ADMIN_KEY:${ADMIN_KEY}`, '--var', 'DEMO_TOOLS:true']

/** CPU time in three seconds below which a server is idle; one that still writes publications uses about 500. */
const IDLE_MS = 60
const INPUT = { a: 10, b: 5 }
export const CALL = {
  $schema: 'urn:oxp:1.0',
  request: { call_id: '123e4567-e89b-12d3-a456-426614174000', tool_id: 'Calculator.Add@1.0.0', input: INPUT },
}
const INVOCATION = {
  run_id: 'run',
  execution_id: 'execution',
  created_at: '2026-01-01T00:00:00Z',
  tool: { name: 'Add', toolkit: 'Calculator', version: '1.0.0' },
  inputs: INPUT,
  context: {},
}
const NUMBERS = { parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } }
const ACCEPT = { accept: 'application/json, text/event-stream' }
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const

/** Requests that a deployment answers with 200, by their name in the table. */
export type Requests = Readonly<Record<string, Buffer>>

/** Builds the same call in each dialect, with a key that may only call. */
export async function callsOf(server: ServerProcess): Promise<Requests> {
  const { key } = Object(await send(server, '/keys', { name: 'bench', scopes: ['tools:call'] }))
  const headers = { authorization: `Bearer ${key}` }
  return {
    'POST /tools/call': post('/tools/call', CALL, headers),
    'POST /worker/tools/invoke': post('/worker/tools/invoke', INVOCATION, headers),
    ...Object.fromEntries(REVISIONS.map((revision) => [`POST /mcp, ${revision}`, mcpCall(revision, headers)])),
  }
}

/** Builds the same call of a code tool, of a plugin, and by an agent that a person authorized. */
export async function moreCallsOf(server: ServerProcess): Promise<Requests> {
  const add = { ...definition(0), id: 'BenchCode.Add@1.0.0', name: 'BenchCode_Add', input_schema: NUMBERS }
  const implementation = { kind: 'code', module: 'export default ({ a, b }) => a + b' }
  await send(server, '/tools', { definition: { ...add, output_schema: {} }, implementation })
  await send(server, '/toolkits/BenchPlugin/plugin?version=1.0.0', await compilePlugin('toolbox'))
  const headers = { authorization: `Bearer ${ADMIN_KEY}` }
  const agent = await agentToken(server)
  return {
    'a code tool': post('/tools/call', { tool_id: 'BenchCode.Add', input: INPUT }, headers),
    'a plugin': post('/tools/call', { tool_id: 'BenchPlugin.add', input: INPUT }, headers),
    ...Object.fromEntries(
      REVISIONS.map((revision) => [`POST /connect/mcp, ${revision}`, mcpCall(revision, agent, '/connect/mcp')]),
    ),
  }
}

/** Publishes `count` invented tools, and waits until they are in KV, which is written after the responses. */
export async function populate(server: ServerProcess, count: number): Promise<void> {
  for (let at = 0; at < count; at += 500) {
    const batch = Array.from({ length: Math.min(500, count - at) }, (_, index) => definition(at + index))
    await send(server, '/tools', batch)
  }
  for (let worked = Infinity; worked > IDLE_MS;) {
    const before = cpuOf(server.pid)
    await sleep(3_000)
    worked = cpuOf(server.pid) - before
  }
}

/** Builds the same call over a revision of MCP, to one of its endpoints. */
export function mcpCall(revision: (typeof REVISIONS)[number], headers: Record<string, string>, path = '/mcp'): Buffer {
  const params = { name: 'Calculator_Add', arguments: INPUT }
  const version = { 'mcp-protocol-version': revision }
  if (revision === '2025-11-25') {
    return post(path, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { ...ACCEPT, ...version, ...headers })
  }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return post(
    path,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } },
    { ...ACCEPT, ...version, 'mcp-method': 'tools/call', 'mcp-name': 'Calculator_Add', ...headers },
  )
}

async function send({ url }: ServerProcess, path: string, body: unknown): Promise<unknown> {
  const isPlugin = body instanceof Uint8Array
  const answer = await fetch(`${url}${path}`, {
    method: isPlugin ? 'PUT' : 'POST',
    headers: {
      'content-type': isPlugin ? 'application/wasm' : 'application/json',
      'authorization': `Bearer ${ADMIN_KEY}`,
      // Compiling plugins blocks this process for longer than workerd keeps a connection
      'connection': 'close',
    },
    body: isPlugin ? new Uint8Array(body) : JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

const definition = (index: number) => inventedTool(`Bench${index % 40}.Tool${index}`)

export function inventedTool(tool: string) {
  return {
    id: `${tool}@1.0.0`,
    name: tool.replace('.', '_'),
    description: `Does what ${tool} is called after, as well as anybody could wish.`,
    version: '1.0.0',
    input_schema: {
      parameters: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What to look for.' },
          limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many to give.' },
          kind: { type: 'string', enum: ['a', 'b', 'c'], description: 'Which kind to look at.' },
        },
        required: ['query'],
      },
    },
    output_schema: { type: 'object' },
  }
}

/** Returns the token of an agent that an administrator let use the calculator, and its host. */
async function agentToken({ url }: ServerProcess): Promise<Record<string, string>> {
  const person = new HttpPerson()
  await person.post(`${url}/sign-in/key`, { key: ADMIN_KEY }, { origin: url })
  const { tokens } = await connected(person, url, ['Calculator'])
  // A token is only valid at the address that it was issued for
  return { host: new URL(url).host, authorization: `Bearer ${tokens.access_token}` }
}

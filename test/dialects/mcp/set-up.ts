import { createBudget } from '../../../src/core/tool/budget.ts'
import { Hono } from 'hono'
import { vi } from 'vitest'
import { ADMIN, covers, hasScope, type Principal } from '../../../src/core/access/principal.ts'
import type { CallRequest, Caller, CallOutcome } from '../../../src/core/call/call-request.ts'
import { type Failure, fail, ok } from '../../../src/core/failure/failure.ts'
import type { Catalog, ToolkitCounts } from '../../../src/core/catalog/catalog.ts'
import { createCallableTool } from '../../../src/core/call/callable-tool.ts'
import type { Resolver } from '../../../src/core/call/resolve-tool.ts'
import { formatToolRef, type ToolRef } from '../../../src/core/tool/tool-ref.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { createKeyring } from '../../../src/storage/sealing/keyring.ts'
import { createStateSeal } from '../../../src/storage/sealing/state-seal.ts'
import type { McpExtension } from '../../../src/dialects/mcp/extensions/extension.ts'
import { createMcpRoutes } from '../../../src/dialects/mcp/routes.ts'
import { definitionWith, recordOf } from '../../runners/http/records.ts'

export type Ran = CallOutcome['result']

/** Creates a record named `name` with the fields of `given`. */
export function record(name: string, given: Partial<ToolRecord> = {}): ToolRecord {
  const plain = recordOf(definitionWith([]), { kind: 'bundled' })
  return {
    ...plain,
    toolkit: 'Kit',
    tool: name,
    name,
    id: `Kit.${name}@1.0.0`,
    description: `What ${name} does`,
    ...given,
  }
}

export interface SetUp {
  readonly records?: readonly ToolRecord[]
  readonly principal?: Principal
  readonly refused?: Failure
  /** Runs a call; by default, its result is the input. */
  readonly run?: (call: CallRequest, caller: Caller) => Ran | Promise<Ran>
  readonly now?: () => number
  readonly toolkits?: ToolkitCounts['toolkits']
  readonly extensions?: McpExtension[]
  /** Adds extensions, which find tools with the resolver. */
  readonly extend?: (extensions: McpExtension[], resolver: Resolver) => void
}

export const succeed = (value: unknown): Ran => ({ ok: true, value })

const countedBy = (shownTo: (seer: Principal) => readonly ToolRecord[]) => async (seer: Principal) =>
  [...Map.groupBy(shownTo(seer), ({ toolkit }) => toolkit)].map(([toolkit, tools]) => ({
    toolkit,
    tools: tools.length,
    level: 0,
    description: null,
  }))

/** Creates the routes with fakes for everything around them. */
export function setUp(given: SetUp = {}) {
  const { records = [record('echo')], principal = ADMIN, run = (call) => succeed(call.input) } = given
  const calls: { call: CallRequest; caller: Caller }[] = []
  const shownTo = (seer: Principal) => records.filter((each) => covers(seer, each, 'tools:read'))
  const list = vi.fn<Catalog['list']>(async (query, seer, format) => {
    if (query.cursor === 'bad') return undefined
    if (!('write' in format)) throw new Error('Not in this test')
    const lines = shownTo(seer).map((each) => format.write(each, each.name, createBudget()))
    return query.cursor === 'more' || query.q !== undefined ? { lines } : { lines, nextCursor: 'more' }
  })
  const near = vi.fn<Catalog['suggestNames']>(async (_, seer) =>
    shownTo(seer).flatMap(({ name, implementation }) =>
      implementation === undefined || !hasScope(seer, 'tools:read') ? [] : [name],
    ),
  )
  const resolver: Resolver = {
    resolve(ref) {
      const name = nameIn(ref)
      const found = records.find((each) => each.name === name)
      if (!found) return fail({ type: 'tool-unknown', ref: formatToolRef(ref), suggestions: [] })
      return {
        ok: true,
        status: { state: 'active' },
        publisher: { principal: 'admin', trusted: true },
        tool: createCallableTool({
          record: found,
          validateInput: () => [],
          validateOutput: () => [],
          runnable: { ok: true, timeoutMs: 30_000, run: () => ({ ok: true, value: null }) },
        }),
      }
    },
    suggest: () => [],
    invalidate: () => undefined,
  }
  const extensions = given.extensions ?? []
  given.extend?.(extensions, resolver)
  const router = createMcpRoutes({
    extensions,
    origins: new Set(['https://named.example']),
    endpoints: ['/mcp', '/connect/mcp'].map((path) => ({
      path,
      authorize: async () => (given.refused ? fail(given.refused) : ok(principal)),
      challenge: () => (path === '/mcp' ? { hint: '. Or go elsewhere' } : { header: 'Bearer realm="elsewhere"' }),
    })),
    async callTool(call, caller) {
      calls.push({ call, caller })
      const tool = records.find(({ name }) => name === nameIn(call.toolRef))
      return { callId: 'c', durationMs: 1, result: await run(call, caller), ...(tool ? { tool } : {}) }
    },
    catalog: {
      etag: async () => '"e"',
      list,
      suggestNames: near,
      toolkits: given.toolkits ?? countedBy(shownTo),
      async findUnknownName(names, seer) {
        const seen = shownTo(seer).flatMap(({ toolkit, tool }) => [toolkit, `${toolkit}.${tool}`])
        const name = names.find((each) => !seen.includes(each))
        return name === undefined ? undefined : { name, known: ['Kit'], isNear: true }
      },
    },
    resolver,
    checkReadiness: async ({ record, status }, { userId }) => ({
      tool: record.id,
      ready: true,
      status,
      security_level: record.securityLevel,
      ...(userId === undefined ? {} : { user_id: userId }),
      problems: [],
    }),
    seal: createStateSeal({ sealer: createKeyring(['of the tests'], 'state'), now: given.now ?? Date.now }),
    serverInfo: { name: 'switchboard', title: 'Switchboard', version: '1.2.3' },
  })
  const app = new Hono().route('/', router)
  const execution = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} }

  async function request(body: unknown, headers: Record<string, string> = {}, path = '/mcp', init: RequestInit = {}) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const all = { 'content-type': 'application/json', 'accept': 'application/json, text/event-stream', ...headers }
    return app.request(`http://localhost${path}`, { method: 'POST', body: text, headers: all, ...init }, {}, execution)
  }

  /** Sends a valid message of 2026-07-28; `meta` and `headers` override its fields. */
  function modern(method: string, params: Record<string, unknown> = {}, given: Given = {}) {
    const { meta = {}, headers = {}, path, id = 1, init } = given
    const named = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {}
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      ...meta,
    }
    const all = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...named, ...headers }
    return request({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }, present(all), path, init)
  }

  function legacy(method: string, params: Record<string, unknown> = {}, given: Given = {}) {
    const { meta, headers = {}, path, id = 1, init } = given
    const all = meta ? { ...params, _meta: meta } : params
    return request({ jsonrpc: '2.0', id, method, params: all }, present(headers), path, init)
  }

  return { app, request, modern, legacy, calls, list, near, execution }
}

export interface Given {
  readonly meta?: Record<string, unknown>
  /** An undefined one is left out. */
  readonly headers?: Record<string, string | undefined>
  readonly path?: string
  readonly id?: string | number
  readonly init?: RequestInit
}

function present(headers: Record<string, string | undefined>): Record<string, string> {
  const some: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) some[name] = value
  return some
}

/** Returns the data of each event of an ended stream. */
export async function events(response: Response) {
  const text = await response.text()
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
}

function nameIn(ref: ToolRef): string | undefined {
  return ref.kind === 'name' ? ref.name : undefined
}

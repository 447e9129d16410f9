import { createMCPClient } from '@ai-sdk/mcp'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { MCPServerStreamableHttp } from '@openai/agents'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startApp } from './server.ts'

const INFO = { name: 'a test', version: '1.0.0' }
const SIMPLE = [{ type: 'text', text: 'This is a simple text response for testing.' }]
const FAILED = 'This tool intentionally returns an error for testing'

let server: RunningServer
beforeAll(async () => {
  server = await startApp()
})
afterAll(() => server?.stop())
const url = (query = '') => new URL(`/mcp${query}`, server.url)

async function connected(query = '') {
  const client = new Client(INFO)
  const transport = new StreamableHTTPClientTransport(url(query))
  // The SDK's own types disagree under exactOptionalPropertyTypes
  await client.connect(transport as Parameters<typeof client.connect>[0])
  return client
}

it('@modelcontextprotocol/sdk 1 lists and calls, with progress', async () => {
  const client = await connected()
  expect(client.getServerVersion()).toMatchObject({ name: 'switchboard', title: 'Switchboard' })
  const { tools, nextCursor } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('test_simple_text')
  expect(nextCursor).toBeUndefined()
  expect(await client.callTool({ name: 'test_simple_text' })).toMatchObject({ content: SIMPLE })
  expect(await client.callTool({ name: 'test_error_handling' })).toMatchObject({ isError: true })
  const wrapped = await client.callTool({ name: 'test_values', arguments: { value: 7 } })
  expect(wrapped).toMatchObject({ structuredContent: { result: [7] }, content: [{ text: '[7]' }] })
  const reports: unknown[] = []
  const onprogress = ({ progress, total }: { progress: number; total?: number | undefined }) => {
    reports.push([progress, total])
  }
  const done = await client.callTool({ name: 'test_tool_with_progress' }, undefined, { onprogress })
  expect(done).toMatchObject({ content: [{ text: 'Done' }] })
  expect(reports).toEqual([0, 50, 100].map((progress) => [progress, 100]))
  const asked = await client.callTool({ name: 'test_input_required_result_elicitation' })
  expect(asked).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('What is your name?') }] })
  await expect(client.callTool({ name: 'nope' })).rejects.toThrow("Unknown tool: 'nope'")
  await client.close()
})

it('@modelcontextprotocol/sdk 1 selects a toolset, and searches', async () => {
  const some = await connected('?tools=Fixture.SimpleText,Fixture.Values')
  expect((await some.listTools()).tools.map(({ name }) => name)).toEqual(['test_simple_text', 'test_values'])
  await some.close()
  const searching = await connected('?mode=search')
  expect((await searching.listTools()).tools).toHaveLength(3)
  const found = await searching.callTool({ name: 'search_tools', arguments: { query: 'sound' } })
  const [shown] = found.content as { text: string }[]
  expect(JSON.parse(shown?.text ?? '')).toMatchObject({ tools: [{ name: 'test_audio_content' }], total: 1 })
  expect(found).not.toHaveProperty('structuredContent')
  const called = await searching.callTool({ name: 'call_tool', arguments: { name: 'test_simple_text' } })
  expect(called).toMatchObject({ content: SIMPLE })
  await searching.close()
})

const modes = { legacy: undefined, auto: 'auto', pinned: { pin: '2026-07-28' } } as const

it.each(['legacy', 'auto', 'pinned'] as const)('@modelcontextprotocol/client 2 lists and calls, %s', async (mode) => {
  const chosen = modes[mode]
  const client = new NewClient(INFO, {
    capabilities: { elicitation: { form: {} } },
    ...(chosen ? { versionNegotiation: { mode: chosen } } : {}),
  })
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ann' } }))
  await client.connect(new NewTransport(url()))
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('test_simple_text')
  expect(await client.callTool({ name: 'test_simple_text' })).toMatchObject({ content: SIMPLE })
  const structuredContent = mode === 'legacy' ? { result: [7] } : [7]
  expect(await client.callTool({ name: 'test_values', arguments: { value: 7 } })).toMatchObject({ structuredContent })
  const asked = await client.callTool({ name: 'test_input_required_result_elicitation' })
  if (mode === 'legacy') expect(asked).toMatchObject({ isError: true })
  else expect(asked).toMatchObject({ content: [{ text: 'Hello, Ann!' }] })
  await client.close()
})

describe('a client that can show links', () => {
  const LINK = /\/authorizations\/[^/]+\/start$/
  const capabilities = { elicitation: { url: {} } }
  const CALL = { name: 'Mailbox_empty', arguments: { folder: 'inbox' } }

  beforeAll(async () => {
    const definition = {
      id: 'Mailbox',
      name: 'Mailbox',
      version: '1.0.0',
      description: 'Looks after a mailbox',
      capabilities: [
        {
          name: 'empty',
          description: 'Deletes every email in a folder',
          parameters: [{ name: 'folder', description: 'Which folder', type: 'string', required: true }],
        },
      ],
      securityLevel: 8,
    }
    const implementation = { kind: 'http', method: 'DELETE', url: 'https://mail.example/' }
    const made = await server.json('POST', '/tools', { definition, implementation })
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 })
  })

  it('a client that can show links gets them on 2025-11-25 as a special error, in versions 1 and 2', async () => {
    const two = new NewClient(INFO, { capabilities })
    await two.connect(new NewTransport(url()))
    const refusedTwo = await two.callTool(CALL).catch((error: unknown) => error)
    expect(refusedTwo).toBeInstanceOf(UrlElicitationRequiredError)
    await two.close()

    const one = new Client(INFO, { capabilities })
    await one.connect(new StreamableHTTPClientTransport(url()) as Parameters<typeof one.connect>[0])
    expect((await one.listTools()).tools.map(({ name }) => name)).toContain(CALL.name)
    const refusedOne = await one.callTool(CALL).catch((error: unknown) => error)
    await one.close()

    const elicitations = [{ mode: 'url', url: expect.stringMatching(LINK), elicitationId: expect.any(String) }]
    for (const refused of [refusedTwo, refusedOne]) expect(refused).toMatchObject({ code: -32042, elicitations })
  })

  it('a client that can show links is asked once on 2026-07-28, and gets the link as text if the person is not finished', async () => {
    const client = new NewClient(INFO, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } })
    const asked: unknown[] = []
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params)
      return { action: 'accept' }
    })
    await client.connect(new NewTransport(url()))
    const answer = await client.callTool(CALL)
    expect(asked).toMatchObject([{ mode: 'url', url: expect.stringMatching(LINK) }])
    expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('/start') }] })
    await client.close()
  })
})

it('@ai-sdk/mcp lists and calls', async () => {
  const client = await createMCPClient({ transport: { type: 'http', url: url().href } })
  const tools = await client.tools()
  const simple = tools['test_simple_text']
  const answer = await simple?.execute?.({}, { messages: [], toolCallId: '1' } as never)
  expect(answer).toMatchObject({ content: SIMPLE })
  await client.close()
})

it('@openai/agents lists and calls', async () => {
  const client = new MCPServerStreamableHttp({ url: url().href, name: 'switchboard' })
  await client.connect()
  expect((await client.listTools()).map(({ name }) => name)).toContain('test_simple_text')
  expect(await client.callTool('test_simple_text', {})).toMatchObject(SIMPLE)
  expect(await client.callTool('test_error_handling', {})).toMatchObject([{ text: FAILED }])
  await client.close()
})

it('@langchain/mcp-adapters lists and calls', async () => {
  const client = new MultiServerMCPClient({ mcpServers: { edge: { transport: 'http', url: url().href } } })
  const tools = await client.getTools()
  const named = (name: string) => tools.find((tool) => tool.name === name)
  expect(await named('test_simple_text')?.invoke({})).toBe(SIMPLE[0]?.text)
  await expect(named('test_error_handling')?.invoke({})).rejects.toThrow(FAILED)
  await client.close()
})

it('a client that disconnects cancels its running tool on 2026-07-28', async () => {
  const away = new AbortController()
  const answer = await fetch(url(), {
    method: 'POST',
    signal: away.signal,
    headers: {
      'content-type': 'application/json',
      'accept': 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'test_waiting',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'test_waiting',
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
          'progressToken': 1,
        },
      },
    }),
  })
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  await answer.body?.getReader().read()
  away.abort()
  await expect.poll(server.printed).toContain('The waiting tool was told to stop')
})

it('a definition of MCP is published, listed with all of its fields, and read back', async () => {
  const definition = {
    name: 'weather.now',
    description: 'Tells the weather',
    inputSchema: {
      type: 'object',
      properties: { city: { $ref: '#/$defs/city' } },
      $defs: { city: { type: 'string' } },
    },
    annotations: { title: 'Weather' },
  }
  const implementation = { kind: 'http', method: 'GET', url: 'https://weather.example/' }
  const bare = await server.json('POST', '/tools', definition)
  expect(bare.body.errors.map(({ path }: { path: string }) => path)).toEqual(['/toolkit', '/version'])
  const made = await server.json('POST', '/tools', { definition, implementation, toolkit: 'Sky', version: '1.0.0' })
  expect(made).toMatchObject({ status: 201, body: { ids: ['Sky.weather_now@1.0.0'] } })
  const read = await server.json('GET', '/tools/Sky.weather_now?format=mcp')
  expect(read.body.definition ?? read.body.document ?? read.body).toEqual(definition)
  const client = new NewClient(INFO)
  await client.connect(new NewTransport(url('?toolkits=Sky')))
  const { tools } = await client.listTools()
  expect(tools).toMatchObject([definition])
  const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }
  expect(tools[0]?.annotations).toEqual({ title: 'Weather', ...hints })
  expect(tools[0]).not.toHaveProperty('title')
  await client.close()
})

it('a definition of MCP with boolean schemas is listed with object schemas, because clients refuse booleans', async () => {
  const schema = {
    type: 'object',
    properties: { any: true, list: { type: 'array', items: { $ref: '#/$defs/one' } }, on: { default: true } },
    additionalProperties: false,
    $defs: { one: true, none: false },
  }
  const definition = { name: 'free', description: 'Takes anything', inputSchema: schema, outputSchema: schema }
  const implementation = { kind: 'http', method: 'GET', url: 'https://free.example/' }
  const made = await server.json('POST', '/tools', { definition, implementation, toolkit: 'Free', version: '1.0.0' })
  expect(made.status).toBe(201)
  const listed = { ...schema, properties: { ...schema.properties, any: {} }, $defs: { one: {}, none: { not: {} } } }
  const old = new Client(INFO)
  const transport = new StreamableHTTPClientTransport(url('?toolkits=Free'))
  await old.connect(transport as Parameters<typeof old.connect>[0])
  const client = new NewClient(INFO)
  await client.connect(new NewTransport(url('?toolkits=Free')))
  for (const { tools } of [await old.listTools(), await client.listTools()]) {
    expect(tools).toMatchObject([{ name: 'free', inputSchema: listed, outputSchema: listed }])
  }
  await old.close()
  await client.close()
  expect((await server.json('GET', '/tools/Free.free?format=mcp')).body).toEqual(definition)
})

it('an MCP client that misspells a toolkit is told so', async () => {
  const list = (toolkits: string) => misnamed(`?toolkits=${toolkits}`)
  const misnamed = async (query: string) => {
    const answer = await fetch(url(query), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'accept': 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    return Object(await answer.json()).error?.message
  }
  await expect.poll(() => list('Calculater')).toBe("There is no toolkit 'Calculater' here: did you mean 'Calculator'?")
  expect(await list('Nonsensical')).toMatch(/^There is no toolkit 'Nonsensical' here: there are '.*'Calculator'/)
  for (const [query, message] of [
    ['Calculator.Ad', "There is no tool 'Calculator.Ad' here: did you mean 'Calculator.Add'?"],
    ['Calculator.Add,Calculater.*', "There is no toolkit 'Calculater' here: did you mean 'Calculator'?"],
    ['Nonsense.Nonsensical', /^There is no toolkit 'Nonsense' here: there are '/],
    [
      'Calculator.Nonsensical',
      "There is no tool 'Calculator.Nonsensical' here: there are 'Calculator.Add', 'Calculator.Subtract'",
    ],
    ['Calculator_Addd', "There is no tool 'Calculator_Addd' here: did you mean"],
    ['Calculator.Add,Calculator_Subtract', undefined],
  ] as const) {
    const said = await misnamed(`?tools=${query}`)
    if (message === undefined) expect(said).toBeUndefined()
    else expect(said).toMatch(message)
  }
})

import { afterAll, beforeAll, expect } from 'vitest'
import { type RunningServer, startApp } from '../e2e/server.ts'
import { type Upstream, startUpstream } from '../upstream.ts'
import {
  agentOf,
  code,
  DEFINITION_SCHEMA,
  definitionOf,
  ECHO,
  faultsOf,
  parameter,
  REQUEST_SCHEMA,
  requestOf,
  RESPONSE_SCHEMA,
  throwing,
} from './open-tool-calling-registry.ts'
import { openDocument } from './source-document.ts'

// The RFC's introduction and its chapter on definitions; `open-tool-calling-execution.test.ts` covers the others

const { works, deviates, aside, whole } = openDocument('open-tool-calling-rfc.txt', 'open-tool-calling')

let upstream: Upstream
let server: RunningServer

beforeAll(async () => {
  upstream = await startUpstream(({ body }, response) => {
    const { a, b } = JSON.parse(body)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(a + b))
  })
  server = await startApp({ vars: { ALLOW_HTTP_HOSTS: upstream.host } })
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))

const { publish, tool, faults, listed, send, call } = agentOf(() => server)

/** Returns the only warning of a publication, and checks that its definition is returned unchanged. */
async function warned(name: string, given: object) {
  const definition = definitionOf(name, { ...given })
  const { status, body } = await publish(definition, code('Object.keys(ctx)'))
  expect(status, JSON.stringify(body)).toBe(201)
  expect((await get(`/tools/Rfc.${name}?format=open-tool-calling`)).body).toEqual(definition)
  const [{ path, message }, ...more] = body.warnings
  expect(more).toEqual([])
  return [path.replace('/definition', ''), message]
}
const get = (path: string) => server.json('GET', path)
const convert = (to: string, document: unknown) =>
  server.json('POST', `/convert?from=open-tool-calling&to=${to}`, document)

/** A definition with one parameter, or those given. */
const withParameter = (...parameters: object[]) => ({ input: { parameters } })
/** A definition with this output. */
const withOutput = (output: object) => ({ output: { available_modes: ['value', 'error'], ...output } })
const withRequirements = (requirements: object) => ({ requirements })
const at = (path: string, message: unknown) => [{ path: `/definition${path}`, message }]
const required = (path: string) => at(path, 'Is required')

/** A definition without one of its fields. */
function without(field: string, definition: Readonly<Record<string, unknown>> = definitionOf('Lacking')) {
  return Object.fromEntries(Object.entries(definition).filter(([name]) => name !== field))
}

/** Publishes a tool that returns its only parameter `p` with this schema. Returns a function that tries a value. */
async function taking(value_schema: object, given = {}) {
  const name = await tool(withParameter(parameter('p', { ...value_schema }, given)), code('{ p: input.p ?? "none" }'))
  return async (p: unknown) => {
    const { success, output } = await call(name, p === undefined ? {} : { p })
    return success ? output.value.p : output.error.message
  }
}
const refusing = (why: string) => `Some inputs are not valid: ${why}`

/** The parameters of a tool that adds two numbers. */
const ADDS = withParameter(
  parameter('a', { val_type: 'number' }, { required: true }),
  parameter('b', { val_type: 'number' }, { required: true }),
)

aside('# RFC: Open Tool Calling Standard', '**Status:** Draft', '## Abstract')

works(
  'It defines the structures and protocols used to describe tools, initiate tool calls, and process responses.',
  'a tool that is described, called, and answers',
  async () => {
    const definition = definitionOf('Described', ADDS)
    expect(await publish(definition, code('input.a + input.b'))).toMatchObject({
      status: 201,
      body: { ids: ['Rfc.Described@1.0.0'] },
    })
    expect(await listed('Rfc.Described@1.0.0')).toEqual({
      $schema: DEFINITION_SCHEMA,
      description: '',
      requirements: {},
      ...definition,
    })
    const request = requestOf({ name: 'Described', toolkit: 'Rfc', version: '1.0.0' }, { inputs: { a: 2, b: 3 } })
    expect(await send(request)).toMatchObject({
      status: 200,
      body: { $schema: RESPONSE_SCHEMA, execution_id: request['execution_id'], success: true, output: { value: 5 } },
    })
  },
)

works(
  'The standard is based on a set of JSON schemas that govern tool definitions, tool requests, and tool responses.',
  'every definition that is listed is valid by its schema',
  async () => {
    const { status, body } = await get('/worker/tools')
    expect(status).toBe(200)
    expect(body.length).toBeGreaterThan(10)
    for (const each of body) expect(faultsOf.definition(each), each.fully_qualified_name).toEqual([])
  },
)

works(
  'The standard is based on a set of JSON schemas that govern tool definitions, tool requests, and tool responses.',
  'a request with all that its schema has',
  async () => {
    const tool = { name: 'Add', toolkit: 'Calculator', version: '1.0.0' }
    const context = { authorization: { token: 't' }, secrets: { A: 'a' }, user_id: 'ann', user_info: { mail: 'm' } }
    const request = requestOf(tool, { $schema: REQUEST_SCHEMA, inputs: { a: 1, b: 2 }, context })
    expect(faultsOf.request(request)).toEqual([])
    expect((await send(request)).body.output).toEqual({ value: 3 })
  },
)

works(
  'The standard is based on a set of JSON schemas that govern tool definitions, tool requests, and tool responses.',
  'a response, whole',
  async () => {
    const tool = { name: 'Add', toolkit: 'Calculator', version: '1.0.0' }
    const { body } = await send(requestOf(tool, { execution_id: 'whole', inputs: { a: 1, b: 2 } }))
    expect(faultsOf.response(body)).toEqual([])
    expect(body).toEqual({
      $schema: RESPONSE_SCHEMA,
      execution_id: 'whole',
      finished_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      duration: expect.any(Number),
      success: true,
      output: { value: 3 },
    })
  },
)

works(
  'a unified, extensible, and interoperable framework for agent-to-tool interactions.',
  'a tool of the RFC is called in the other dialects',
  async () => {
    const name = await tool(ADDS, code('input.a + input.b'))
    const inputs = { a: 2, b: 3 }
    const oxp = await server.json('POST', '/tools/call', { tool_id: `Rfc.${name}@1.0.0`, input: inputs })
    expect(oxp.body.result).toMatchObject({ success: true, value: 5 })
    const machineContext = await server.json('POST', '/machine-context/execute', {
      header: { version: '1.0', messageId: 'm', messageType: 'request' },
      payload: { tool: { id: 'Rfc', capability: name, parameters: inputs } },
    })
    expect(machineContext.body.payload.execution).toMatchObject({ status: 'success', result: 5 })
    const params = { name: `Rfc_${name}`, arguments: inputs }
    const plugin = await server.json('POST', '/plugin/call', { params })
    expect(plugin.body).toEqual({ content: [{ type: 'text', text: '5' }] })
    const mcp = await server.json('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    expect(mcp.body.result.content).toEqual([{ type: 'text', text: '5' }])
  },
)

works(
  'a unified, extensible, and interoperable framework for agent-to-tool interactions.',
  'tools of the other dialects are listed and called here',
  async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'number' } } }
    const beside = { toolkit: 'Others', version: '1.0.0' }
    const mcp = { name: 'mcp_tool', inputSchema, annotations: { readOnlyHint: true } }
    const plugin = { tools: [{ name: 'plugin_tool', description: 'A plugin', inputSchema }] }
    expect((await publish(mcp, code('input.a'), beside)).body).toMatchObject({ ids: ['Others.mcp_tool@1.0.0'] })
    const described = await publish(plugin, code('input.a'), { toolkit: 'OthersPlugin', version: '1.0.0' })
    expect(described.body).toMatchObject({ ids: ['OthersPlugin.plugin_tool@1.0.0'] })
    const called = async (id: string, inputs: object) => {
      const [toolkit = '', name = '', version = ''] = id.split(/[.@](?!\d+\.\d+$|\d+$)/)
      expect(faultsOf.definition(await listed(id)), id).toEqual([])
      return (await send(requestOf({ name, toolkit, version }, { inputs }))).body.output
    }
    expect(await called('Others.mcp_tool@1.0.0', { a: 7 })).toEqual({ value: 7 })
    expect(await called('OthersPlugin.plugin_tool@1.0.0', { a: 7 })).toEqual({ value: 7 })
    expect(await called('Calculator.Add@1.0.0', { a: 7, b: 1 })).toEqual({ value: 8 })
    expect(await called('Arithmetic.add@1.0.0', { a: 7, b: 1 })).toEqual({ value: { result: 8 } })
  },
)

aside('## Table of Contents … 9. [References](#references)', '## 1. Introduction')

works(
  'to facilitate communication between agents (clients) and tools (services) in distributed systems.',
  'a service elsewhere',
  async () => {
    const implementation = { kind: 'http', method: 'POST', url: `${upstream.origin}/distributed` }
    const name = await tool(ADDS, implementation)
    expect((await call(name, { a: 20, b: 3 })).output).toEqual({ value: 23 })
    const [arrived] = upstream.arrived.filter(({ url }) => url === '/distributed')
    expect(JSON.parse(arrived?.body ?? '')).toEqual({ a: 20, b: 3 })
  },
)

works(
  'It ensures that tool definitions, requests, and responses adhere to a structured and open standard.',
  'what is no definition is refused, with all that is wrong',
  async () => {
    expect(await faults({ fully_qualified_name: 3 })).toEqual([
      ...required('/name'),
      ...at('/fully_qualified_name', 'Must be a string, got 3'),
      ...required('/toolkit'),
      ...required('/input'),
      ...required('/output'),
    ])
  },
)

works(
  'It ensures that tool definitions, requests, and responses adhere to a structured and open standard.',
  'what is no request is refused, with all that is wrong',
  async () => {
    const { status, body } = await send({ tool: 3, inputs: [] })
    const message =
      "Cannot read the body at 'tool': Must be an object, got 3; at 'inputs': Must be an object, got an empty array"
    expect({ status, body }).toEqual({ status: 400, body: { detail: message, message } })
  },
)

works(
  'It ensures that tool definitions, requests, and responses adhere to a structured and open standard.',
  'a misspelt field of a definition',
  async () => {
    expect(await faults(definitionOf('Stray', { requirement: {} }))).toEqual(
      at('/requirement', expect.stringMatching(/^Unknown field 'requirement' \(meant 'requirements'\?\): wanted /)),
    )
  },
)

works(
  'enabling uniform interpretation and execution of tool interactions.',
  'the same call, whatever the tool is made of',
  async () => {
    const http = { kind: 'http', method: 'POST', url: `${upstream.origin}/uniform` }
    const names = [await tool(ADDS, code('input.a + input.b')), await tool(ADDS, http)]
    for (const name of names) expect((await call(name, { a: 1, b: 2 })).output).toEqual({ value: 3 })
    const bundled = { name: 'Add', toolkit: 'Calculator', version: '1.0.0' }
    expect((await send(requestOf(bundled, { inputs: { a: 1, b: 2 } }))).body.output).toEqual({ value: 3 })
  },
)

aside('## 2. Terminology', '[//]: # (Suggestion to rename agent to client … not creating them)')

works(
  '**Agent:** An entity that issues requests to tools for performing specific tasks.',
  'two agents, each with its own',
  async () => {
    const name = await tool({})
    const [first, second] = await Promise.all([call(name, { task: 1 }), call(name, { task: 2 })])
    expect([first.output, second.output]).toEqual([{ value: { task: 1 } }, { value: { task: 2 } }])
  },
)

works(
  '**Tool:** A service or function that can be invoked by an agent using the defined protocols.',
  'a function',
  async () => {
    expect((await call(await tool({}, code('"invoked"')))).output).toEqual({ value: 'invoked' })
  },
)

works(
  '**Tool:** A service or function that can be invoked by an agent using the defined protocols.',
  'one without an implementation is listed, and says that it cannot be called',
  async () => {
    expect((await publish(definitionOf('Described2'))).status).toBe(201)
    expect(await listed('Rfc.Described2@1.0.0')).toEqual({
      $schema: DEFINITION_SCHEMA,
      description: '',
      requirements: {},
      ...definitionOf('Described2'),
    })
    const { success, output } = await call('Described2')
    expect({ success, output }).toMatchObject({
      success: false,
      output: { error: { message: expect.stringContaining("'Rfc.Described2"), can_retry: false } },
    })
  },
)

works(
  '**Schema:** A formal description of the data structure, typically expressed in JSON Schema, used to validate data formats.',
  'of what goes in',
  async () => {
    const takes = await taking({ val_type: 'integer' })
    expect([await takes(3), await takes('3')]).toEqual([3, refusing('p: Must be an integer')])
  },
)

works(
  '**Schema:** A formal description of the data structure, typically expressed in JSON Schema, used to validate data formats.',
  'of what comes out',
  async () => {
    const name = await tool(withOutput({ value_schema: { val_type: 'integer' } }), code('input.give'))
    expect((await call(name, { give: 3 })).output).toEqual({ value: 3 })
    expect((await call(name, { give: '3' })).output.error.developer_message).toBe('Must be an integer')
  },
)

aside('**RFC:** Request for Comments … the Internet.')

works(
  '**Toolkit:** A collection of tools grouped under a common framework and versioned accordingly.',
  'two tools of one toolkit',
  async () => {
    const toolkit = { name: 'Group', version: '1.0.0', description: 'Grouped' }
    for (const name of ['First', 'Second']) {
      const definition = definitionOf(name, { fully_qualified_name: `Group.${name}@1.0.0`, toolkit })
      expect((await publish(definition, ECHO)).status).toBe(201)
    }
    const { body } = await get('/worker/tools')
    const inGroup = body.filter((each: { toolkit: { name: string } }) => each.toolkit.name === 'Group')
    expect(inGroup.map((each: { name: string; toolkit: object }) => [each.name, each.toolkit])).toEqual([
      ['First', toolkit],
      ['Second', toolkit],
    ])
  },
)

works(
  '**Toolkit:** A collection of tools grouped under a common framework and versioned accordingly.',
  'two versions of one toolkit',
  async () => {
    for (const version of ['1.0.0', '1.1.0']) {
      const definition = definitionOf('Aged', {
        fully_qualified_name: `Versions.Aged@${version}`,
        toolkit: { name: 'Versions', version },
      })
      expect((await publish(definition, code(JSON.stringify(version)))).status).toBe(201)
    }
    const named = async (version?: string) =>
      (await send(requestOf({ name: 'Aged', toolkit: 'Versions', version }))).body.output
    expect(await named('1.0.0')).toEqual({ value: '1.0.0' })
    expect(await named('1.1.0')).toEqual({ value: '1.1.0' })
    expect(await named()).toEqual({ value: '1.1.0' })
    expect([await listed('Versions.Aged@1.0.0'), (await listed('Versions.Aged@1.1.0')).toolkit.version]).toEqual([
      undefined,
      '1.1.0',
    ])
  },
)

works(
  '**JSON Schema:** A vocabulary that allows you to annotate and validate JSON documents.',
  'what a definition means in it',
  async () => {
    const { body } = await convert(
      'mcp',
      definitionOf(
        'Annotated',
        withParameter(
          parameter('when', { val_type: 'string', enum: ['now', 'later'] }, { required: true, description: 'When' }),
          parameter('where', { val_type: 'array', inner_val_type: 'number' }),
        ),
      ),
    )
    expect(body.document.inputSchema).toEqual({
      type: 'object',
      properties: {
        when: { type: 'string', enum: ['now', 'later'], description: 'When' },
        where: { type: 'array', items: { type: 'number' } },
      },
      required: ['when'],
    })
  },
)

aside('## 3. Architecture Overview', 'is designed around three key components:')

works('Need to document tool discovery', 'an agent finds the tools it may call', async () => {
  const { status, body } = await get('/worker/tools')
  expect(status).toBe(200)
  const ids = body.map((each: { fully_qualified_name: string }) => each.fully_qualified_name)
  for (const id of ['Calculator.Add@1.0.0', 'Gmail.GetEmails@1.2.0']) expect(ids).toContain(id)
  expect(new Set(ids).size).toBe(ids.length)
})

works('Need to document tool discovery', 'once more, where nothing has changed', async () => {
  const { headers } = await get('/worker/tools')
  const again = await server.json('GET', '/worker/tools', undefined, { 'if-none-match': headers.get('etag') ?? '' })
  expect([again.status, again.body]).toEqual([304, undefined])
  await tool({})
  const changed = await server.json('GET', '/worker/tools', undefined, { 'if-none-match': headers.get('etag') ?? '' })
  expect(changed.status).toBe(200)
})

works(
  "**Tool Definition:** A schema that specifies how a tool is described. It includes metadata such as the tool's name, fully qualified name, toolkit information, and the input/output specifications.",
  'all of it, as it was published',
  async () => {
    const definition = {
      $schema: DEFINITION_SCHEMA,
      name: 'Everything',
      fully_qualified_name: 'Rfc.Everything@1.0.0',
      description: 'Says all that a definition can say',
      toolkit: { name: 'Rfc', description: 'The RFC', version: '1.0.0' },
      input: {
        parameters: [
          {
            name: 'labels',
            required: true,
            description: 'Which',
            value_schema: { val_type: 'array', inner_val_type: 'string', enum: ['a', 'b'] },
            inferrable: false,
          },
        ],
      },
      output: {
        available_modes: ['value', 'error', 'null', 'artifact', 'requires_authorization'],
        description: 'What comes',
        value_schema: { val_type: 'array', inner_val_type: 'json', enum: null },
      },
      requirements: {
        secrets: [{ key_id: 'API_KEY' }],
        authorization: { provider_id: 'acme', provider_type: 'oauth2', id: 'one', oauth2: { scopes: ['a', 'b'] } },
      },
    }
    expect(faultsOf.definition(definition)).toEqual([])
    expect((await publish(definition, ECHO)).status).toBe(201)
    expect(await listed('Rfc.Everything@1.0.0')).toEqual(definition)
    expect((await get('/tools/Rfc.Everything?format=open-tool-calling')).body).toEqual(definition)
  },
)

works(
  "**Tool Definition:** A schema that specifies how a tool is described. It includes metadata such as the tool's name, fully qualified name, toolkit information, and the input/output specifications.",
  'of a tool of another dialect',
  async () => {
    const number = { val_type: 'number', inner_val_type: null, enum: null }
    const added = (name: string, description: string) => ({
      name,
      required: true,
      description,
      value_schema: number,
      inferrable: true,
    })
    expect(await listed('Calculator.Add@1.0.0')).toEqual({
      $schema: DEFINITION_SCHEMA,
      name: 'Add',
      fully_qualified_name: 'Calculator.Add@1.0.0',
      description: 'Adds two numbers together.',
      toolkit: { name: 'Calculator', description: 'The tools of Calculator', version: '1.0.0' },
      input: { parameters: [added('a', 'The first number to add.'), added('b', 'The second number to add.')] },
      output: {
        available_modes: ['value', 'error'],
        description: 'The sum of the two numbers.',
        value_schema: number,
      },
      requirements: { secrets: null, authorization: null },
    })
  },
)

works("It includes metadata such as the tool's name,", 'without one it is refused', async () => {
  expect(await faults(without('name'))).toEqual(required('/name'))
})

works('fully qualified name,', 'without one it is refused', async () => {
  expect(await faults(without('fully_qualified_name'))).toEqual(required('/fully_qualified_name'))
})

works('fully qualified name,', 'with or without the version', async () => {
  for (const [name, qualified] of [
    ['Qualified1', 'Rfc.Qualified1@1.0.0'],
    ['Qualified2', 'Rfc.Qualified2'],
  ] as const) {
    const { body } = await publish(definitionOf(name, { fully_qualified_name: qualified }), ECHO)
    expect(body).toEqual({ ids: [`Rfc.${name}@1.0.0`] })
    expect((await call(name, { a: 1 })).output).toEqual({ value: { a: 1 } })
  }
})

works('fully qualified name,', 'one of another toolkit, name or version', async () => {
  for (const qualified of ['Other.Agreed@1.0.0', 'Rfc.Other@1.0.0', 'Rfc.Agreed@2.0.0']) {
    const definition = definitionOf('Agreed', { fully_qualified_name: qualified })
    const message = "Must be 'Rfc.Agreed@1.0.0', as the toolkit and the name say"
    expect(await faults(definition), qualified).toEqual(at('/fully_qualified_name', message))
  }
})

works('toolkit information,', 'without it it is refused', async () => {
  expect(await faults(without('toolkit'))).toEqual(required('/toolkit'))
})

works('and the input/output specifications.', 'without an input it is refused', async () => {
  expect(await faults(without('input'))).toEqual(required('/input'))
})

works('and the input/output specifications.', 'without an output it is refused', async () => {
  expect(await faults(without('output'))).toEqual(required('/output'))
})

works(
  '**Tool Request:** A schema that details the structure of a tool call. It encompasses the run identifier, execution context, tool metadata, and input parameters.',
  'each of them arrives',
  async () => {
    const name = await tool(
      { ...withRequirements({ authorization: 'token' }) },
      code('({ input, callId: ctx.callId, userId: ctx.userId, tool: ctx.tool })'),
    )
    const request = requestOf(
      { name, toolkit: 'Rfc', version: '1.0.0' },
      {
        run_id: 'run-of-the-overview',
        execution_id: 'execution-of-the-overview',
        inputs: { a: 1 },
        context: { user_id: 'ann', authorization: { token: 'T' } },
      },
    )
    expect((await send(request)).body.output.value).toEqual({
      input: { a: 1 },
      callId: 'execution-of-the-overview',
      userId: 'ann',
      tool: name,
    })
    await expect.poll(server.printed).toContain('run-of-the-overview')
  },
)

works(
  '**Tool Response:** A schema that outlines the structure of the response returned after a tool execution. It provides details on execution status, duration, and the actual output (or errors) of the tool call.',
  'of one that succeeds',
  async () => {
    const body = await call(await tool({}, code('new Promise((done) => setTimeout(() => done("late"), 25))')))
    expect(body).toMatchObject({ success: true, output: { value: 'late' } })
    expect(body.duration).toBeGreaterThanOrEqual(20)
  },
)

works(
  'It provides details on execution status, duration, and the actual output (or errors) of the tool call.',
  'of one that fails',
  async () => {
    const body = await call(await tool({}, throwing("new Error('No room')")))
    expect(body).toMatchObject({ success: false, output: { error: { message: 'No room' } } })
    expect(body.duration).toEqual(expect.any(Number))
  },
)

works(
  'These components ensure consistent communication between agents and tools, regardless of the implementation details of each tool.',
  'the same fields of responses of each kind of tool',
  async () => {
    const http = { kind: 'http', method: 'POST', url: `${upstream.origin}/consistent` }
    const answers = [
      await call(await tool(ADDS, code('input.a + input.b')), { a: 1, b: 2 }),
      await call(await tool(ADDS, http), { a: 1, b: 2 }),
      (await send(requestOf({ name: 'Add', toolkit: 'Calculator', version: '1.0.0' }, { inputs: { a: 1, b: 2 } })))
        .body,
    ]
    for (const answer of answers) {
      expect(Object.keys(answer)).toEqual(['$schema', 'execution_id', 'finished_at', 'duration', 'success', 'output'])
    }
  },
)

aside('```mermaid sequenceDiagram … %% Tool Registration')

works('A->>R: Submit Tool Definition (JSON Schema)', 'one', async () => {
  const { status } = await publish(definitionOf('Submitted'), ECHO)
  expect(status).toBe(201)
  expect((await call('Submitted', { a: 1 })).output).toEqual({ value: { a: 1 } })
})

works('A->>R: Submit Tool Definition (JSON Schema)', 'bare, with nothing beside it', async () => {
  const { status, body } = await server.json('POST', '/tools', definitionOf('Bare'))
  expect({ status, body }).toEqual({ status: 201, body: { ids: ['Rfc.Bare@1.0.0'] } })
})

works('A->>R: Submit Tool Definition (JSON Schema)', 'many at once', async () => {
  const wrong = without('output', definitionOf('Batch2'))
  const { status, body } = await server.json('POST', '/tools', [definitionOf('Batch1'), wrong])
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      results: [
        { id: 'Rfc.Batch1@1.0.0', status: 201 },
        { id: null, status: 422, errors: [{ path: '/output', message: 'Is required' }] },
      ],
    },
  })
})

works('R-->>A: Acknowledge Registration', 'with the id', async () => {
  expect((await publish(definitionOf('Acknowledged'), ECHO)).body).toEqual({ ids: ['Rfc.Acknowledged@1.0.0'] })
})

works('R-->>A: Acknowledge Registration', 'again, which changes nothing', async () => {
  for (const wanted of [201, 200]) {
    const { status, body } = await publish(definitionOf('Again'), ECHO)
    expect({ status, body }).toEqual({ status: wanted, body: { ids: ['Rfc.Again@1.0.0'] } })
  }
})

aside('%% Tool Invocation')

works(
  'A->>T: Send Tool Request (run_id, execution_id, inputs, context)',
  'to the service that the tool is of',
  async () => {
    const service = { url: `${upstream.origin}/service`, tool: 'Theirs.Add@1.0.0', pass_user: true }
    const name = await tool(ADDS, { kind: 'remote', protocol: 'open-tool-calling', ...service })
    const [inputs, context] = [{ a: 1, b: 2 }, { user_id: 'ann' }]
    const request = requestOf({ name, toolkit: 'Rfc', version: '1.0.0' }, { inputs, context })
    await send(request)
    const [arrived] = upstream.arrived.filter(({ url }) => url === '/service/tools/invoke')
    expect(JSON.parse(arrived?.body ?? '')).toMatchObject({
      run_id: request['run_id'],
      // Two callers' own ids could collide there
      execution_id: expect.stringMatching(/./),
      tool: { name: 'Add', toolkit: 'Theirs', version: '1.0.0' },
      inputs,
      context,
    })
  },
)

works('T->>T: Validate Request & Process Execution', 'what is not valid is not executed', async () => {
  const implementation = { kind: 'http', method: 'POST', url: `${upstream.origin}/validated` }
  const name = await tool(ADDS, implementation)
  expect((await call(name, { a: 'x' })).output.error.message).toBe(refusing('a: Must be a number; b: Is required'))
  expect(upstream.arrived.filter(({ url }) => url === '/validated')).toEqual([])
  expect((await call(name, { a: 1, b: 2 })).output).toEqual({ value: 3 })
  expect(upstream.arrived.filter(({ url }) => url === '/validated')).toHaveLength(1)
})

works('Note right of T: Includes authorization and secrets handling', 'both reach the service', async () => {
  const implementation = {
    kind: 'http',
    method: 'POST',
    url: `${upstream.origin}/credentials`,
    credentials: [
      { authorization: 'token', in: 'header', name: 'Authorization', format: 'Bearer {value}' },
      { secret: 'API_KEY', in: 'header', name: 'X-Key' },
    ],
  }
  const requirements = { authorization: 'token', secrets: [{ key_id: 'API_KEY' }] }
  const name = await tool({ ...ADDS, requirements }, implementation)
  const context = { authorization: { token: 'the-token' }, secrets: { API_KEY: 'the-secret' } }
  expect((await call(name, { a: 1, b: 2 }, context)).output).toEqual({ value: 3 })
  const [arrived] = upstream.arrived.filter(({ url }) => url === '/credentials')
  expect([arrived?.headers['authorization'], arrived?.headers['x-key']]).toEqual(['Bearer the-token', 'the-secret'])
})

works('T-->>A: Return Tool Response (success, value/error/artifact, duration)', 'a value', async () => {
  const { success, output, duration } = await call(await tool({}, code('1')))
  expect({ success, output, duration }).toEqual({ success: true, output: { value: 1 }, duration: expect.any(Number) })
})

works('T-->>A: Return Tool Response (success, value/error/artifact, duration)', 'an error', async () => {
  const { success, output, duration } = await call(await tool({}, throwing("new Error('No')")))
  expect({ success, output, duration }).toEqual({
    success: false,
    output: { error: { message: 'No', can_retry: false } },
    duration: expect.any(Number),
  })
})

works('T-->>A: Return Tool Response (success, value/error/artifact, duration)', 'an artifact', async () => {
  const request = requestOf({ name: 'Artifact', toolkit: 'Fixture', version: '1.0.0' })
  const { success, output, duration } = (await send(request)).body
  expect({ success, output, duration }).toEqual({
    success: true,
    output: {
      artifact: {
        url: 'https://artifacts.example/report.pdf',
        content_type: 'application/pdf',
        size: 1234,
        meta: { description: 'The report' },
      },
    },
    duration: expect.any(Number),
  })
})

aside('%% Post Execution')

deviates(
  'A->>R: Optionally update tool status/log (if applicable)',
  'the status',
  '"Optionally update tool status/log"',
  async () => {
    const name = await tool({})
    const patched = await server.json('PATCH', `/tools/Rfc.${name}@1.0.0`, { status: 'disabled' })
    expect(patched).toMatchObject({ status: 200, body: { id: `Rfc.${name}@1.0.0`, status: 'disabled' } })
    expect(await call(name)).toMatchObject({ success: false, output: { error: { can_retry: false } } })
    await server.json('PATCH', `/tools/Rfc.${name}@1.0.0`, { status: 'active' })
    expect(await call(name)).toMatchObject({ success: true })
  },
)

deviates(
  'A->>R: Optionally update tool status/log (if applicable)',
  'calls are logged by the deployment that makes them',
  '"Optionally update tool status/log"',
  async () => {
    const name = await tool({})
    const request = requestOf({ name, toolkit: 'Rfc', version: '1.0.0' }, { execution_id: 'a-logged-execution' })
    await send(request)
    await expect.poll(server.printed).toContain('a-logged-execution')
    const line = server
      .printed()
      .split('\n')
      .find((each) => each.includes('a-logged-execution'))
    expect(JSON.parse(line ?? '')).toMatchObject({
      event: 'call',
      call_id: 'a-logged-execution',
      trace_id: request['run_id'],
      tool: `Rfc.${name}@1.0.0`,
      outcome: 'success',
    })
    const kept = async () => (await get(`/calls?tool=Rfc.${name}`)).body.items
    await expect.poll(kept, { timeout: 10_000 }).toMatchObject([{ call_id: 'a-logged-execution', outcome: 'success' }])
  },
)

aside(
  '## 4. Schema Definitions ### 4.1 Tool Definition Schema',
  '(We need to separate the request and the repsonse … schema.)',
)

works(
  'Would expect a POST requests against /tools with some payload to create a new tool,',
  'what it says of the tool',
  async () => {
    const { status, body } = await server.json('POST', '/tools', definitionOf('Created', ADDS))
    expect({ status, body }).toEqual({ status: 201, body: { ids: ['Rfc.Created@1.0.0'] } })
  },
)

works('and a GET request against /tools/{tool_id} to get the tool definition.', 'its newest version', async () => {
  const name = await tool(ADDS)
  const { status, body } = await get(`/tools/Rfc.${name}?format=open-tool-calling`)
  expect({ status, body }).toEqual({ status: 200, body: definitionOf(name, ADDS) })
})

works('and a GET request against /tools/{tool_id} to get the tool definition.', 'this very version', async () => {
  const name = await tool(ADDS)
  const { status, body } = await get(`/tools/Rfc.${name}@1.0.0?format=open-tool-calling`)
  expect({ status, body }).toEqual({ status: 200, body: definitionOf(name, ADDS) })
})

works('and a GET request against /tools/{tool_id} to get the tool definition.', 'of no tool', async () => {
  expect(await get('/tools/Rfc.Nowhere?format=open-tool-calling')).toMatchObject({
    status: 404,
    body: { message: "Tool 'Rfc.Nowhere' was not found" },
  })
})

works(
  'The Tool Definition Schema establishes the properties and required fields to describe a tool.',
  'the required fields are enough',
  async () => {
    const definition = definitionOf('Least')
    expect(Object.keys(definition)).toEqual(['name', 'fully_qualified_name', 'toolkit', 'input', 'output'])
    expect((await publish(definition, ECHO)).status).toBe(201)
    expect((await call('Least', { a: 1 })).output).toEqual({ value: { a: 1 } })
  },
)

aside('It consists of the following sections:', '- **Metadata:**')

works('**`$schema`**: URI defining the JSON Schema version.', 'may be left out, and is there in lists', async () => {
  const name = await tool({})
  expect((await listed(`Rfc.${name}@1.0.0`)).$schema).toBe(DEFINITION_SCHEMA)
  expect((await get(`/tools/Rfc.${name}?format=open-tool-calling`)).body).not.toHaveProperty('$schema')
})

works('**`$schema`**: URI defining the JSON Schema version.', 'that of the RFC, at either home', async () => {
  const moved = DEFINITION_SCHEMA.replace('ArcadeAI/OpenToolCalling', 'OpenToolCalling/Specification')
  for (const $schema of [DEFINITION_SCHEMA, moved]) {
    const name = await tool({ $schema })
    expect((await listed(`Rfc.${name}@1.0.0`)).$schema).toBe(DEFINITION_SCHEMA)
    expect((await get(`/tools/Rfc.${name}?format=open-tool-calling`)).body.$schema).toBe($schema)
  }
})

works('**`$schema`**: URI defining the JSON Schema version.', 'of tools of other dialects too', async () => {
  for (const id of ['Calculator.Add@1.0.0', 'Arithmetic.add@1.0.0', 'Gmail.GetEmails@1.2.0']) {
    expect((await listed(id)).$schema).toBe(DEFINITION_SCHEMA)
  }
})

works('**`$schema`**: URI defining the JSON Schema version.', 'what is no text', async () => {
  expect(await faults(definitionOf('Versioned', { $schema: 7 }))).toEqual(
    at('/$schema', `Must be the schema of the RFC, '${DEFINITION_SCHEMA}', got 7`),
  )
})

works('**`$schema`**: URI defining the JSON Schema version.', 'that of any draft of JSON Schema', async () => {
  for (const $schema of [
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2020-12/schema',
    'https://json-schema.org/draft/2019-09/schema',
    'http://json-schema.org/draft-04/schema#',
    'http://json-schema.org/schema#',
  ]) {
    const name = await tool({ $schema })
    expect((await listed(`Rfc.${name}@1.0.0`)).$schema).toBe(DEFINITION_SCHEMA)
    expect((await get(`/tools/Rfc.${name}?format=open-tool-calling`)).body.$schema).toBe($schema)
  }
})

deviates(
  '**`$schema`**: URI defining the JSON Schema version.',
  'another is refused, and what is no URI',
  '`$schema`: "URI defining the JSON Schema version"',
  async () => {
    for (const $schema of [
      'urn:otc:2.0',
      `${DEFINITION_SCHEMA}x`,
      'http://json-schema.example/draft-04/schema#',
      'x',
    ]) {
      expect(await faults(definitionOf('Versioned', { $schema }))).toEqual(
        at('/$schema', expect.stringContaining(`Must be the schema of the RFC, '${DEFINITION_SCHEMA}', got `)),
      )
    }
  },
)

works('**`id`**: A unique identifier for the tool.', 'in place of the fully qualified name', async () => {
  const definition = { ...without('fully_qualified_name', definitionOf('ById')), id: 'Rfc.ById@1.0.0' }
  expect((await publish(definition, ECHO)).body).toEqual({ ids: ['Rfc.ById@1.0.0'] })
  expect((await get('/tools/Rfc.ById?format=open-tool-calling')).body).toEqual(definition)
  expect((await call('ById', { a: 1 })).output).toEqual({ value: { a: 1 } })
})

works('**`id`**: A unique identifier for the tool.', 'another definition under it is refused', async () => {
  const name = await tool({})
  const { status, body } = await publish(definitionOf(name, { description: 'Another' }), ECHO)
  expect({ status, message: body.message }).toEqual({
    status: 409,
    message: `'Rfc.${name}@1.0.0' is published already, and a version never changes: publish it under a higher version`,
  })
  expect((await get(`/tools/Rfc.${name}?format=open-tool-calling`)).body).not.toHaveProperty('description')
})

works('**`id`**: A unique identifier for the tool.', 'ignoring case', async () => {
  expect((await publish(definitionOf('Cased'), ECHO)).status).toBe(201)
  const { status, body } = await publish(definitionOf('CASED'), ECHO)
  expect({ status, message: body.message }).toEqual({
    status: 409,
    message: "'Rfc.Cased' exists: ids are unique ignoring case",
  })
})

deviates(
  '**`id`**: A unique identifier for the tool.',
  'lists have it as the fully qualified name',
  '`id` and `fully_qualified_name`',
  async () => {
    const definition = { ...without('fully_qualified_name', definitionOf('Renamed')), id: 'Rfc.Renamed@1.0.0' }
    expect((await publish(definition, ECHO)).status).toBe(201)
    const shown = await listed('Rfc.Renamed@1.0.0')
    expect(shown).toEqual({ $schema: DEFINITION_SCHEMA, description: '', requirements: {}, ...definitionOf('Renamed') })
    expect(faultsOf.definition(shown)).toEqual([])
  },
)

deviates(
  '**`id`**: A unique identifier for the tool.',
  'written like a fully qualified name it must be that',
  '`id` and `fully_qualified_name`',
  async () => {
    expect((await publish(definitionOf('Twice', { id: 'Rfc.Twice@1.0.0' }), ECHO)).status).toBe(201)
    expect(await faults(definitionOf('Twice2', { id: 'Rfc.Other@1.0.0' }))).toEqual(
      at('/id', "Must be the 'fully_qualified_name', as it is written like one"),
    )
  },
)

works('**`name`**: A human-readable name for the tool.', 'is what the tool is called by', async () => {
  expect((await publish(definitionOf('ReadEmails'), code('"read"'))).status).toBe(201)
  expect((await listed('Rfc.ReadEmails@1.0.0')).name).toBe('ReadEmails')
  expect((await call('ReadEmails')).output).toEqual({ value: 'read' })
})

works('**`name`**: A human-readable name for the tool.', 'an empty one, a long one, what is no text', async () => {
  for (const name of ['', 'n'.repeat(257), 3]) {
    expect(await faults(definitionOf('Any', { name }))).toEqual(
      at('/name', expect.stringMatching(/^Must be a string of 1 to 256 characters, got /)),
    )
  }
})

deviates(
  '**`name`**: A human-readable name for the tool.',
  'with spaces: the answer says what it is called, and either name calls it',
  '`name`: "a human-readable name"',
  async () => {
    const definition = definitionOf('Ring the bell', { fully_qualified_name: 'Rfc.RingTheBell@1.0.0' })
    expect((await publish(definition, code('"rung"'))).body).toEqual({
      ids: ['Rfc.RingTheBell@1.0.0'],
      warnings: [{ path: '/definition/name', message: "It is called 'Rfc.RingTheBell' here" }],
    })
    for (const name of ['RingTheBell', 'Ring the bell']) expect((await call(name)).output).toEqual({ value: 'rung' })
  },
)

deviates(
  '**`name`**: A human-readable name for the tool.',
  'with spaces: it stays in the document, and is the title elsewhere',
  '`name`: "a human-readable name"',
  async () => {
    expect((await publish(definitionOf('Play: a tune!', { fully_qualified_name: 'Rfc.Play' }), ECHO)).status).toBe(201)
    expect((await get('/tools/Rfc.Play?format=open-tool-calling')).body.name).toBe('Play: a tune!')
    expect((await get('/tools/Rfc.Play?format=mcp')).body).toMatchObject({ name: 'Rfc_Play', title: 'Play: a tune!' })
  },
)

deviates(
  '**`name`**: A human-readable name for the tool.',
  'with spaces in both names',
  '`name`: "a human-readable name"',
  async () => {
    expect((await publish(definitionOf('Sing a song'), code('"sung"'))).body).toEqual({
      ids: ['Rfc.Sing_a_song@1.0.0'],
      warnings: [{ path: '/definition/name', message: "It is called 'Rfc.Sing_a_song' here" }],
    })
    for (const name of ['Sing_a_song', 'Sing a song']) expect((await call(name)).output).toEqual({ value: 'sung' })
  },
)

deviates(
  '**`name`**: A human-readable name for the tool.',
  'with spaces: lists have it, and it leads to the tool',
  '`name`: "a human-readable name"',
  async () => {
    for (const [name, qualified, shown] of [
      ['Dance a dance', 'Rfc.DanceADance', 'Dance a dance'],
      ['Whistle, loudly', 'Rfc.Whistle', 'Whistle, loudly'],
    ] as const) {
      expect((await publish(definitionOf(name, { fully_qualified_name: qualified }), code('"done"'))).status).toBe(201)
      expect((await listed(qualified)).name).toBe(shown)
      expect((await call(shown)).output).toEqual({ value: 'done' })
    }
  },
)

works(
  "**`description`**: A human-readable explanation of the tool's purpose. This field will be used by both humans and agents.",
  'in lists, and for models',
  async () => {
    const name = await tool({ description: 'Rings\nthe “bell” 🔔' })
    expect((await listed(`Rfc.${name}@1.0.0`)).description).toBe('Rings\nthe “bell” 🔔')
    for (const format of ['oxp', 'mcp', 'anthropic']) {
      const { body } = await get(`/tools/Rfc.${name}?format=${format}`)
      expect(body.description, format).toBe('Rings\nthe “bell” 🔔')
    }
  },
)

works("**`description`**: A human-readable explanation of the tool's purpose.", 'none', async () => {
  const name = await tool({})
  expect((await listed(`Rfc.${name}@1.0.0`)).description).toBe('')
  expect((await call(name, { a: 1 })).output).toEqual({ value: { a: 1 } })
})

works("**`description`**: A human-readable explanation of the tool's purpose.", 'what is no text', async () => {
  expect(await faults(definitionOf('Any', { description: 3 }))).toEqual(at('/description', 'Must be a string, got 3'))
})

aside('- **Toolkit Information:**')

works('On the request side, could the client specify a toolkit ID/name to use?', 'beside the definition', async () => {
  const given = { fully_qualified_name: 'Mine.Chosen', toolkit: { name: 'My own kit', version: '1.0.0' } }
  const definition = definitionOf('Chosen', given)
  const { body } = await publish(definition, code('"mine"'), { toolkit: 'ChosenKit' })
  expect(body).toMatchObject({ ids: ['ChosenKit.Chosen@1.0.0'] })
  const shown = await listed('ChosenKit.Chosen@1.0.0')
  expect(shown).toMatchObject({ name: 'Chosen', toolkit: { name: 'ChosenKit', version: '1.0.0' } })
  const request = requestOf({ name: 'Chosen', toolkit: 'ChosenKit', version: '1.0.0' })
  expect((await send(request)).body.output).toEqual({ value: 'mine' })
})

works(
  'On the request side, could the client specify a toolkit ID/name to use?',
  'one that is not what the definition says',
  async () => {
    const { status, body } = await publish(definitionOf('Torn'), ECHO, { toolkit: 'Other' })
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: at('/toolkit/name', "Must be the toolkit 'Other' that was given beside the definition"),
    })
  },
)

aside('(On the request side, could the toolkit ID be optional? With server interpreting this some default toolkit?)')

works('**`toolkit`**: Contains the toolkit … name, description, and version.', 'all three', async () => {
  const toolkit = { name: 'Kit', description: 'What the kit is for', version: '3.2.1' }
  const definition = definitionOf('Kitted', { fully_qualified_name: 'Kit.Kitted@3.2.1', toolkit })
  expect((await publish(definition, ECHO)).body).toEqual({ ids: ['Kit.Kitted@3.2.1'] })
  expect((await listed('Kit.Kitted@3.2.1')).toolkit).toEqual(toolkit)
})

works('**`toolkit`**: Contains the toolkit … name,', 'without one', async () => {
  expect(await faults(definitionOf('Any', { toolkit: { version: '1.0.0' } }))).toEqual(required('/toolkit/name'))
})

works('**`toolkit`**: Contains the toolkit … name, description,', 'what is no text', async () => {
  const toolkit = { name: 'Rfc', version: '1.0.0', description: 3 }
  expect(await faults(definitionOf('Any', { toolkit }))).toEqual(at('/toolkit/description', 'Must be a string, got 3'))
})

works('**`toolkit`**: Contains the toolkit … and version.', 'without one', async () => {
  expect(await faults(definitionOf('Any', { toolkit: { name: 'Rfc' } }))).toEqual(required('/toolkit/version'))
})

works('**`toolkit`**: Contains the toolkit … and version.', 'another field', async () => {
  const toolkit = { name: 'Rfc', version: '1.0.0', owner: 'me' }
  expect(await warned('Owned', { toolkit })).toEqual([
    '/toolkit/owner',
    "Unknown field 'owner', which is ignored: wanted 'name', 'version', 'description'",
  ])
})

deviates(
  '**`toolkit`**: Contains the toolkit … name, description, and version.',
  'the description of a toolkit that nobody described',
  '`toolkit.description`',
  async () => {
    expect((await listed('System.GetTimestamp@1.0.0')).toolkit).toEqual({
      name: 'System',
      description: 'The tools of System',
      version: '1.0.0',
    })
  },
)

aside('- **Input Schema:**', '(Suggestion to use JSONSchema for the input … openapi specs.)')

works('**`input`**: Describes the parameters accepted by the tool.', 'several', async () => {
  const name = await tool(ADDS, code('Object.keys(input)'))
  expect((await listed(`Rfc.${name}@1.0.0`)).input).toEqual(ADDS.input)
  expect((await send(requestOf({ name, toolkit: 'Rfc' }, { inputs: { a: 1, b: 2 } }))).body.output.value).toEqual([
    'a',
    'b',
  ])
})

works('**`input`**: Describes the parameters accepted by the tool.', 'none', async () => {
  const name = await tool(withParameter(), code('"none"'))
  expect((await call(name)).output).toEqual({ value: 'none' })
})

works('**`input`**: Describes the parameters accepted by the tool.', 'without a list of them', async () => {
  expect(await faults(definitionOf('Any', { input: {} }))).toEqual(required('/input/parameters'))
})

works('**`input`**: Describes the parameters accepted by the tool.', 'another field', async () => {
  expect(await warned('Shaped', { input: { parameters: [], schema: {} } })).toEqual([
    '/input/schema',
    "Unknown field 'schema', which is ignored: wanted 'parameters'",
  ])
})

deviates(
  '**`input`**: Describes the parameters accepted by the tool. - Each parameter includes:',
  'a list of them, as this text has it, is taken, and listed as the schema has it',
  '`input`: a list of parameters',
  async () => {
    const input = [parameter('a', { val_type: 'string' })]
    const name = await tool({ input })
    const shown = await listed(`Rfc.${name}@1.0.0`)
    expect(shown.input).toEqual({ parameters: input })
    expect(faultsOf.definition(shown)).toEqual([])
    expect((await get(`/tools/Rfc.${name}?format=open-tool-calling`)).body.input).toEqual(input)
    expect((await call(name, { a: 1 })).output.error.message).toBe(refusing('a: Must be a string'))
  },
)

works('**`name`**: Parameter name.', 'is the name of the input', async () => {
  const text = { val_type: 'string' }
  const name = await tool(withParameter(parameter('to whom?', text), parameter('__proto__x', text)))
  const inputs = { 'to whom?': 'ann', '__proto__x': 'x' }
  expect((await call(name, inputs)).output).toEqual({ value: inputs })
})

works('**`name`**: Parameter name.', 'without one', async () => {
  const nameless = { required: true, value_schema: { val_type: 'string' } }
  expect(await faults(definitionOf('Any', withParameter(nameless)))).toEqual(required('/input/parameters/0/name'))
})

works('**`name`**: Parameter name.', 'the same one twice', async () => {
  const same = parameter('a', { val_type: 'string' })
  expect(await faults(definitionOf('Any', withParameter(same, same)))).toEqual(
    at('/input/parameters/1/name', "Must be unique, got 'a' again"),
  )
})

works(
  '**`required`**: Boolean indicating whether the parameter is mandatory.',
  'a call without a mandatory one',
  async () => {
    const takes = await taking({ val_type: 'string' }, { required: true })
    expect([await takes('x'), await takes(undefined), await takes(null)]).toEqual([
      'x',
      refusing('p: Is required'),
      refusing('p: Must be a string'),
    ])
  },
)

works('**`required`**: Boolean indicating whether the parameter is mandatory.', 'a call without another', async () => {
  const takes = await taking({ val_type: 'string' }, { required: false })
  expect([await takes('x'), await takes(undefined), await takes(null)]).toEqual(['x', 'none', 'none'])
})

works('**`required`**: Boolean indicating whether the parameter is mandatory.', 'left out', async () => {
  const unsaid = { name: 'a', value_schema: { val_type: 'string' } }
  expect(await faults(definitionOf('Any', withParameter(unsaid)))).toEqual(required('/input/parameters/0/required'))
})

works('**`required`**: Boolean indicating whether the parameter is mandatory.', 'what is none', async () => {
  const unclear = parameter('a', { val_type: 'string' }, { required: 'yes' })
  expect(await faults(definitionOf('Any', withParameter(unclear)))).toEqual(
    at('/input/parameters/0/required', "Must be a boolean, got 'yes'"),
  )
})

works('**`description`**: Explanation of the parameter.', 'models have it', async () => {
  const name = await tool(withParameter(parameter('a', { val_type: 'string' }, { description: 'What it is' })))
  const { body } = await get(`/tools/Rfc.${name}?format=mcp`)
  expect(body.inputSchema.properties.a).toEqual({ type: 'string', description: 'What it is' })
})

works('**`description`**: Explanation of the parameter.', 'may be left out', async () => {
  const name = await tool(withParameter(parameter('a', { val_type: 'string' })))
  expect((await get(`/tools/Rfc.${name}?format=mcp`)).body.inputSchema.properties.a).toEqual({ type: 'string' })
})

works('**`description`**: Explanation of the parameter.', 'what is no text', async () => {
  const wrong = parameter('a', { val_type: 'string' }, { description: 3 })
  expect(await faults(definitionOf('Any', withParameter(wrong)))).toEqual(
    at('/input/parameters/0/description', 'Must be a string, got 3'),
  )
})

works('**`value_schema`**: Data type', 'string', async () => {
  const takes = await taking({ val_type: 'string' })
  expect([await takes('x'), await takes(''), await takes(1)]).toEqual(['x', '', refusing('p: Must be a string')])
})

works('**`value_schema`**: Data type', 'integer', async () => {
  const takes = await taking({ val_type: 'integer' })
  expect([await takes(-3), await takes(3.5)]).toEqual([-3, refusing('p: Must be an integer')])
})

works('**`value_schema`**: Data type', 'number', async () => {
  const takes = await taking({ val_type: 'number' })
  expect([await takes(3.5), await takes('3.5')]).toEqual([3.5, refusing('p: Must be a number')])
})

works('**`value_schema`**: Data type', 'boolean', async () => {
  const takes = await taking({ val_type: 'boolean' })
  expect([await takes(false), await takes(0)]).toEqual([false, refusing('p: Must be a boolean')])
})

works('**`value_schema`**: Data type', 'json, which is any value', async () => {
  const takes = await taking({ val_type: 'json' })
  expect([await takes({ a: [1] }), await takes([1]), await takes(5), await takes('s'), await takes(true)]).toEqual([
    { a: [1] },
    [1],
    5,
    's',
    true,
  ])
})

works('**`value_schema`**: Data type', 'one of some texts', async () => {
  const takes = await taking({ val_type: 'string', enum: ['x', 'y'] })
  expect([await takes('y'), await takes('z')]).toEqual(['y', refusing("p: Must be one of 'x', 'y'")])
})

works('**`value_schema`**: Data type', 'enum: null is none', async () => {
  const takes = await taking({ val_type: 'string', inner_val_type: null, enum: null })
  expect(await takes('anything')).toBe('anything')
})

works(
  '**`value_schema`**: Data type',
  'an enum of what is no text is passed over, and the answer says so',
  async () => {
    const { status, body } = await publish(
      definitionOf('Enum', withParameter(parameter('a', { val_type: 'integer', enum: ['1'] }))),
      ECHO,
    )
    expect({ status, warnings: body.warnings }).toEqual({
      status: 201,
      warnings: at(
        '/input/parameters/0/value_schema/enum',
        'Allows no value: an enum holds at least one string, and is of strings. It is passed over',
      ),
    })
  },
)

works('**`value_schema`**: Data type', 'one that there is not, and none', async () => {
  expect(await faults(definitionOf('Any', withParameter(parameter('a', { val_type: 'date' }))))).toEqual(
    at(
      '/input/parameters/0/value_schema/val_type',
      "Must be one of 'string', 'integer', 'number', 'boolean', 'json', 'array', got 'date'",
    ),
  )
  expect(await faults(definitionOf('Any', withParameter(parameter('a', {}))))).toEqual(
    required('/input/parameters/0/value_schema/val_type'),
  )
})

works('**`value_schema`**: Data type', 'without it', async () => {
  const untyped = { name: 'a', required: true }
  expect(await faults(definitionOf('Any', withParameter(untyped)))).toEqual(
    required('/input/parameters/0/value_schema'),
  )
})

works('**`value_schema`**: Data type', 'another field', async () => {
  const more = parameter('a', { val_type: 'string', pattern: '^a' })
  expect(await warned('Patterned', withParameter(more))).toEqual([
    '/input/parameters/0/value_schema/pattern',
    "Unknown field 'pattern', which is ignored: wanted 'val_type', 'inner_val_type', 'enum'",
  ])
})

works('(including support for arrays with inner type definitions)', 'of strings', async () => {
  const takes = await taking({ val_type: 'array', inner_val_type: 'string' })
  expect([await takes(['a', 'b']), await takes([]), await takes('a'), await takes(['a', 1])]).toEqual([
    ['a', 'b'],
    [],
    refusing('p: Must be an array'),
    refusing("p: At '1': Must be a string"),
  ])
})

works('(including support for arrays with inner type definitions)', 'of numbers', async () => {
  const takes = await taking({ val_type: 'array', inner_val_type: 'number' })
  expect([await takes([1, 2.5]), await takes(['1'])]).toEqual([[1, 2.5], refusing("p: At '0': Must be a number")])
})

works('(including support for arrays with inner type definitions)', 'of integers', async () => {
  const takes = await taking({ val_type: 'array', inner_val_type: 'integer' })
  expect([await takes([1, 2]), await takes([1.5])]).toEqual([[1, 2], refusing("p: At '0': Must be an integer")])
})

works('(including support for arrays with inner type definitions)', 'of booleans', async () => {
  const takes = await taking({ val_type: 'array', inner_val_type: 'boolean' })
  expect([await takes([true]), await takes([null])]).toEqual([[true], refusing("p: At '0': Must be a boolean")])
})

works('(including support for arrays with inner type definitions)', 'of any values', async () => {
  const takes = await taking({ val_type: 'array', inner_val_type: 'json' })
  expect([await takes([{ a: 1 }, 'x']), await takes([[1]]), await takes(1)]).toEqual([
    [{ a: 1 }, 'x'],
    [[1]],
    refusing('p: Must be an array'),
  ])
})

works('(including support for arrays with inner type definitions)', 'of anything: null', async () => {
  const takes = await taking({ val_type: 'array', inner_val_type: null })
  expect([await takes([1, 'x']), await takes(1)]).toEqual([[1, 'x'], refusing('p: Must be an array')])
})

works('(including support for arrays with inner type definitions)', 'an enum is of the items', async () => {
  const takes = await taking({ val_type: 'array', inner_val_type: 'string', enum: ['x', 'y'] })
  expect([await takes(['y', 'x']), await takes(['z'])]).toEqual([
    ['y', 'x'],
    refusing("p: At '0': Must be one of 'x', 'y'"),
  ])
})

works('(including support for arrays with inner type definitions)', 'without one, and of arrays', async () => {
  const inner = '/input/parameters/0/value_schema/inner_val_type'
  expect(await faults(definitionOf('Any', withParameter(parameter('a', { val_type: 'array' }))))).toEqual(
    at(inner, "Is required when 'val_type' is 'array'"),
  )
  const nested = parameter('a', { val_type: 'array', inner_val_type: 'array' })
  expect(await faults(definitionOf('Any', withParameter(nested)))).toEqual(
    at(inner, "Must be one of 'string', 'integer', 'number', 'boolean', 'json', got 'array'"),
  )
})

works('**`inferrable`**: (Optional) Indicates if the value can be inferred automatically.', 'yes', async () => {
  for (const given of [{}, { inferrable: true }]) {
    const name = await tool(withParameter(parameter('a', { val_type: 'string' }, given)))
    expect(Object.keys((await get(`/tools/Rfc.${name}?format=mcp`)).body.inputSchema.properties)).toEqual(['a'])
    expect((await call(name, { a: 'x' })).output).toEqual({ value: { a: 'x' } })
  }
})

works('**`inferrable`**: (Optional)', 'what is no boolean', async () => {
  const wrong = parameter('a', { val_type: 'string' }, { inferrable: 'no' })
  expect(await faults(definitionOf('Any', withParameter(wrong)))).toEqual(
    at('/input/parameters/0/inferrable', "Must be a boolean, got 'no'"),
  )
})

works('**`inferrable`**: (Optional)', 'lists say it of every parameter of tools of other dialects', async () => {
  const { input } = await listed('Calculator.Add@1.0.0')
  expect(input.parameters.map((each: { inferrable: boolean }) => each.inferrable)).toEqual([true, true])
})

/** Builds a tool with one parameter that models may infer, and one that they may not. */
const withRoom = (given = {}) =>
  withParameter(
    parameter('a', { val_type: 'string' }),
    parameter('room', { val_type: 'integer' }, { inferrable: false, ...given }),
  )

deviates(
  '**`inferrable`**: (Optional) Indicates if the value can be inferred automatically.',
  'no: it is shown to no model, and the definition has it',
  '`inferrable`',
  async () => {
    const name = await tool(withRoom({ required: true }))
    for (const format of ['oxp', 'oxp-flat', 'mcp', 'plugin', 'openai', 'openai-strict', 'anthropic', 'gemini']) {
      const { body } = await get(`/tools/Rfc.${name}?format=${format}&losses=1`)
      expect(JSON.stringify(body.document), format).not.toContain('room')
      expect(body.losses, format).toContainEqual({
        path: '/input/properties/room',
        reason: 'No model may infer it: the context of a call gives it',
      })
    }
    expect((await listed(`Rfc.${name}@1.0.0`)).input).toEqual(withRoom({ required: true }).input)
  },
)

deviates(
  '**`inferrable`**: (Optional) Indicates if the value can be inferred automatically.',
  'no: the context gives it',
  '`inferrable`',
  async () => {
    const name = await tool(withRoom({ required: true }))
    expect((await call(name, { a: 'x' }, { room: 7 })).output).toEqual({ value: { a: 'x', room: 7 } })
    expect((await call(name, { a: 'x', room: 8 })).output).toEqual({ value: { a: 'x', room: 8 } })
    expect((await call(name, { a: 'x', room: 8 }, { room: 7 })).output).toEqual({ value: { a: 'x', room: 7 } })
  },
)

deviates(
  '**`inferrable`**: (Optional) Indicates if the value can be inferred automatically.',
  'no: the context does not give it, or something else',
  '`inferrable`',
  async () => {
    const name = await tool(withRoom({ required: true }))
    const message = async (context = {}) => (await call(name, {}, context)).output.error.message
    expect(await message()).toBe(refusing('room: Is required in the context of the call: no model may infer it'))
    expect(await message({ room: 'x' })).toBe(refusing('room: Must be an integer'))
    expect((await call(await tool(withRoom()), { a: 'x' })).output).toEqual({ value: { a: 'x' } })
  },
)

deviates(
  '**`inferrable`**: (Optional) Indicates if the value can be inferred automatically.',
  'no: who calls in another dialect gives it in the context too, and only there',
  '`inferrable`',
  async () => {
    const name = await tool(withRoom())
    const request = { tool_id: `Rfc.${name}@1.0.0`, input: { a: 'x' }, context: { room: 7 } }
    expect((await server.json('POST', '/tools/call', request)).body.result.value).toEqual({ a: 'x', room: 7 })
    const inferred = { ...request, input: { a: 'x', room: 7 } }
    expect(await server.json('POST', '/tools/call', inferred)).toMatchObject({
      status: 422,
      body: { parameter_errors: { room: "Set this in the call's context, not in the input" } },
    })
  },
)

aside('- **Output Schema:**', '(The output schema could potentially also be described with JSONSchema … etc.)')

works('**`output`**: Specifies the expected result of the tool execution.', 'what is expected', async () => {
  const output = { available_modes: ['value', 'error'], description: 'A count', value_schema: { val_type: 'integer' } }
  const name = await tool({ output }, code('input.n'))
  expect((await listed(`Rfc.${name}@1.0.0`)).output).toEqual(output)
  expect((await call(name, { n: 3 })).output).toEqual({ value: 3 })
})

works('**`output`**: Specifies the expected result of the tool execution.', 'what is not', async () => {
  const name = await tool(withOutput({ value_schema: { val_type: 'integer' } }), code('"three"'))
  const { success, output } = await call(name)
  expect({ success, output }).toEqual({
    success: false,
    output: {
      error: {
        message: 'The output does not match the output schema',
        developer_message: 'Must be an integer',
        can_retry: false,
      },
    },
  })
})

works('**`output`**: Specifies the expected result of the tool execution.', 'another field', async () => {
  expect(await warned('Typed', withOutput({ type: 'x' }))).toEqual([
    '/output/type',
    "Unknown field 'type', which is ignored: wanted 'available_modes', 'description', 'value_schema'",
  ])
})

works('**`available_modes`**: A list of modes such as `value`,', 'a value', async () => {
  const name = await tool({ output: { available_modes: ['value'] } }, code('3'))
  expect((await call(name)).output).toEqual({ value: 3 })
})

works('**`available_modes`**: A list of modes such as `value`,', 'not declared, a value is an error', async () => {
  const name = await tool({ output: { available_modes: ['null', 'error'] } }, code('input.n ?? null'))
  expect(await call(name)).not.toHaveProperty('output')
  expect((await call(name, { n: 3 })).output.error.message).toBe('The output does not match the output schema')
})

works('**`available_modes`**: A list of modes such as … `error`,', 'an error', async () => {
  const name = await tool({ output: { available_modes: ['value', 'error'] } }, throwing("new Error('No')"))
  expect((await call(name)).output).toEqual({ error: { message: 'No', can_retry: false } })
})

works('**`available_modes`**: A list of modes such as … `artifact`,', 'an artifact', async () => {
  const artifact = { url: 'https://x.test/a', content_type: 'text/csv', size: 3, meta: { description: 'A' } }
  const gives = code(JSON.stringify({ artifact }))
  const name = await tool({ output: { available_modes: ['artifact', 'error'] } }, gives)
  expect((await call(name)).output).toEqual({ artifact })
  expect((await call(await tool({}, gives))).output).toEqual({ value: { artifact } })
})

works('**`available_modes`**: A list of modes such as … etc.', 'null', async () => {
  const output = { available_modes: ['value', 'null'], value_schema: { val_type: 'string', enum: ['x'] } }
  const name = await tool({ output }, code('input.give'))
  expect((await call(name, { give: 'x' })).output).toEqual({ value: 'x' })
  expect(await call(name, { give: null })).not.toHaveProperty('output')
  expect((await call(name, { give: 'y' })).success).toBe(false)
})

works('**`available_modes`**: A list of modes such as … etc.', 'null, where it is not declared', async () => {
  const name = await tool(withOutput({ value_schema: { val_type: 'string' } }), code('null'))
  expect((await call(name)).output.error.developer_message).toBe('Must be a string')
})

works('**`available_modes`**: A list of modes such as … etc.', 'requires_authorization', async () => {
  const requirements = { authorization: { provider_id: 'acme', provider_type: 'oauth2' } }
  const output = { available_modes: ['value', 'requires_authorization'] }
  const name = await tool({ output, requirements })
  const { success, output: given } = await call(name, {}, { user_id: 'ann' })
  expect({ success, given }).toEqual({
    success: false,
    given: {
      requires_authorization: {
        id: expect.any(String),
        url: expect.stringContaining(`${server.url}/authorizations/`),
        scopes: [],
        status: 'not_started',
      },
    },
  })
})

works('**`available_modes`**: A list of modes', 'tools of other dialects say what can come of them', async () => {
  const modes = async (id: string) => (await listed(id)).output.available_modes
  expect(await modes('Calculator.Add@1.0.0')).toEqual(['value', 'error'])
  expect(await modes('Fixture.SimpleText@1.0.0')).toEqual(['null', 'error'])
  expect(await modes('Fixture.Artifact@1.0.0')).toEqual(['null', 'error', 'artifact'])
  expect(await modes('Gmail.GetEmails@1.2.0')).toEqual(['value', 'error', 'artifact', 'requires_authorization'])
})

works('**`available_modes`**: A list of modes', 'without it', async () => {
  expect(await faults(definitionOf('Any', { output: {} }))).toEqual(required('/output/available_modes'))
})

works('**`available_modes`**: A list of modes', 'an empty one', async () => {
  const message =
    "Must be an array of one or more of 'value', 'error', 'null', 'artifact', 'requires_authorization', got an empty array"
  expect(await faults(definitionOf('Any', withOutput({ available_modes: [] })))).toEqual(
    at('/output/available_modes', message),
  )
})

deviates(
  '**`available_modes`**: A list of modes such as `value`, `error`, `artifact`, etc.',
  'one that the schema has not',
  '`available_modes`:',
  async () => {
    const message =
      "Must be an array of one or more of 'value', 'error', 'null', 'artifact', 'requires_authorization', got an array of 2"
    expect(await faults(definitionOf('Any', withOutput({ available_modes: ['value', 'stream'] })))).toEqual(
      at('/output/available_modes', message),
    )
  },
)

works('**`description`**: Human-readable explanation of the output.', 'is kept, and told elsewhere', async () => {
  const name = await tool(withOutput({ description: 'How many', value_schema: { val_type: 'integer' } }))
  expect((await listed(`Rfc.${name}@1.0.0`)).output.description).toBe('How many')
  expect((await get(`/tools/Rfc.${name}?format=oxp`)).body.output_schema).toEqual({
    type: 'integer',
    description: 'How many',
  })
})

works('**`description`**: Human-readable explanation of the output.', 'what is no text', async () => {
  expect(await faults(definitionOf('Any', withOutput({ description: 3 })))).toEqual(
    at('/output/description', 'Must be a string, got 3'),
  )
})

works('**`value_schema`**: Defines the data type and structure of the output value.', 'a list', async () => {
  const name = await tool(
    withOutput({ value_schema: { val_type: 'array', inner_val_type: 'integer' } }),
    code('input.list.length > 2 ? ["x"] : { counted: input.list }.counted'),
  )
  const answer = async (list: number[]) => {
    const { body } = await send(requestOf({ name, toolkit: 'Rfc', version: '1.0.0' }, { inputs: { list } }))
    return body.output
  }
  expect(await answer([1, 2])).toEqual({ value: [1, 2] })
  expect((await answer([1, 2, 3])).error.developer_message).toBe('/0: Must be an integer')
})

works('**`value_schema`**: Defines the data type and structure of the output value.', 'any JSON', async () => {
  const name = await tool(withOutput({ value_schema: { val_type: 'json' } }), code('input.number ? 5 : { a: 1 }'))
  expect((await call(name)).output).toEqual({ value: { a: 1 } })
  expect((await call(name, { number: true })).output).toEqual({ value: 5 })
})

works('**`value_schema`**: Defines the data type and structure of the output value.', 'none: anything', async () => {
  const name = await tool({}, code('input.give'))
  for (const give of [1, 'x', true, { a: 1 }]) expect((await call(name, { give })).output).toEqual({ value: give })
})

works('**`value_schema`**: Defines the data type and structure of the output value.', 'one that is none', async () => {
  expect(await faults(definitionOf('Any', withOutput({ value_schema: { val_type: 'any' } })))).toEqual(
    at(
      '/output/value_schema/val_type',
      "Must be one of 'string', 'integer', 'number', 'boolean', 'json', 'array', got 'any'",
    ),
  )
})

aside('(Could you expand on the requirements schema?)', '- **Requirements:**')

works('**`requirements`**: Describes authorization or secret requirements.', 'none', async () => {
  for (const given of [{}, withRequirements({}), withRequirements({ secrets: null, authorization: null })]) {
    const name = await tool(given)
    expect((await call(name, { a: 1 })).output).toEqual({ value: { a: 1 } })
    expect((await get(`/tools/Rfc.${name}?format=oxp`)).body).not.toHaveProperty('requirements')
  }
})

works('**`requirements`**: Describes authorization or secret requirements.', 'told in other dialects', async () => {
  const authorization = { provider_id: 'acme', provider_type: 'oauth2', oauth2: { scopes: ['a'] } }
  const name = await tool(withRequirements({ secrets: [{ key_id: 'K' }], authorization }))
  expect((await get(`/tools/Rfc.${name}?format=oxp`)).body.requirements).toEqual({
    authorization: [{ id: 'acme', oauth2: { scopes: ['a'] } }],
    secrets: [{ id: 'K' }],
  })
})

works('**`requirements`**: Describes authorization or secret requirements.', 'another field', async () => {
  expect(await faults(definitionOf('Any', withRequirements({ user: true })))).toEqual(
    at('/requirements/user', "Unknown field 'user': wanted 'secrets', 'authorization', 'metadata'"),
  )
})

works('**`secrets`**: Array of secret definitions.', 'a call without one says which', async () => {
  const name = await tool(withRequirements({ secrets: [{ key_id: 'FIRST' }, { key_id: 'SECOND' }] }))
  const { success, output } = await call(name, {}, { secrets: { FIRST: 'one' } })
  expect({ success, message: output.error.message }).toEqual({
    success: false,
    message: `Tool 'Rfc.${name}' needs the secret 'SECOND' (context.secrets) before it can be called`,
  })
})

works('**`secrets`**: Array of secret definitions.', 'a call with all of them', async () => {
  const name = await tool(withRequirements({ secrets: [{ key_id: 'FIRST' }, { key_id: 'SECOND' }] }))
  expect((await call(name, { a: 1 }, { secrets: { FIRST: 'one', SECOND: 'two' } })).output).toEqual({ value: { a: 1 } })
})

works('**`secrets`**: Array of secret definitions.', 'the same one twice is required once', async () => {
  const name = await tool(withRequirements({ secrets: [{ key_id: 'SAME' }, { key_id: 'SAME' }] }))
  expect((await get(`/tools/Rfc.${name}?format=oxp`)).body.requirements).toEqual({ secrets: [{ id: 'SAME' }] })
  expect((await call(name)).output.error.message).toBe(
    `Tool 'Rfc.${name}' needs the secret 'SAME' (context.secrets) before it can be called`,
  )
})

works('**`secrets`**: Array of secret definitions.', 'an empty array', async () => {
  const name = await tool(withRequirements({ secrets: [] }))
  expect((await call(name, { a: 1 })).output).toEqual({ value: { a: 1 } })
})

works('**`secrets`**: Array of secret definitions.', 'what is no array', async () => {
  expect(await faults(definitionOf('Any', withRequirements({ secrets: 'K' })))).toEqual(
    at('/requirements/secrets', "Must be an array, got 'K'"),
  )
})

works('**`secrets`**: Array of secret definitions.', 'one without a key_id, or with more', async () => {
  expect(await faults(definitionOf('Any', withRequirements({ secrets: [{}] })))).toEqual(
    required('/requirements/secrets/0/key_id'),
  )
  expect(await faults(definitionOf('Any', withRequirements({ secrets: [{ key_id: 'K', value: 'v' }] })))).toEqual(
    at('/requirements/secrets/0/value', "Unknown field 'value': wanted 'key_id', 'key'"),
  )
})

works('**`authorization`**: Specifies required authorization methods (e.g., token-based).', 'token', async () => {
  const name = await tool(withRequirements({ authorization: 'token' }))
  const { success, output } = await call(name, {}, { user_id: 'ann' })
  expect({ success, output }).toEqual({
    success: false,
    output: {
      error: {
        message: `Tool 'Rfc.${name}' needs the token 'token' (context.authorization.token) before it can be called`,
        developer_message: "Send the token that the tool calls 'token'",
        can_retry: false,
      },
    },
  })
  expect((await call(name, { a: 1 }, { authorization: { token: 'T' } })).output).toEqual({ value: { a: 1 } })
})

works('**`authorization`**: Specifies required authorization methods', 'none', async () => {
  const name = await tool(withRequirements({ authorization: 'none' }))
  expect((await call(name, { a: 1 })).output).toEqual({ value: { a: 1 } })
})

works('**`authorization`**: Specifies required authorization methods', 'oauth2 of a provider', async () => {
  const authorization = { provider_id: 'acme', provider_type: 'oauth2', oauth2: { scopes: ['a', 'b'] } }
  const name = await tool(withRequirements({ authorization }))
  const { output } = await call(name, {}, { user_id: 'ann' })
  expect(output.requires_authorization).toMatchObject({ scopes: ['a', 'b'], status: 'not_started' })
  expect((await call(name, { a: 1 }, { authorization: { token: 'T' } })).output).toEqual({ value: { a: 1 } })
})

works('**`authorization`**: Specifies required authorization methods', 'how the provider is called', async () => {
  const provider = async (authorization: object) => {
    const name = await tool(withRequirements({ authorization }))
    return (await get(`/tools/Rfc.${name}?format=oxp`)).body.requirements.authorization
  }
  const provider_type = 'oauth2'
  expect(await provider({ provider_type, provider_id: 'acme', id: 'mine' })).toEqual([{ id: 'acme' }])
  expect(await provider({ provider_type, id: 'mine' })).toEqual([{ id: 'mine' }])
  expect(await provider({ provider_type })).toEqual([{ id: 'oauth2' }])
})

works('**`authorization`**: Specifies required authorization methods', 'a provider without a type', async () => {
  expect(await faults(definitionOf('Any', withRequirements({ authorization: { provider_id: 'acme' } })))).toEqual(
    required('/requirements/authorization/provider_type'),
  )
})

works('**`authorization`**: Specifies required authorization methods', 'one that there is not', async () => {
  expect(await faults(definitionOf('Any', withRequirements({ authorization: 'basic' })))).toEqual(
    at('/requirements/authorization', "Must be null, 'none', 'token' or an object, got 'basic'"),
  )
})

deviates(
  '**`authorization`**: Specifies required authorization methods',
  'a list of them',
  '`authorization`: "required authorization methods"',
  async () => {
    const authorization = [{ provider_type: 'oauth2' }, { provider_type: 'oauth2' }]
    expect(await faults(definitionOf('Any', withRequirements({ authorization })))).toEqual(
      at('/requirements/authorization', 'Must be an object, got an array of 2'),
    )
  },
)

works('**`authorization`**: Specifies required authorization methods', 'scopes that are no list', async () => {
  const authorization = { provider_type: 'oauth2', oauth2: { scopes: 'a' } }
  expect(await faults(definitionOf('Any', withRequirements({ authorization })))).toEqual(
    at('/requirements/authorization/oauth2/scopes', "Must be an array of strings, got 'a'"),
  )
})

works(
  'The complete JSON Schema ensures that every tool adheres to a well-defined structure, facilitating consistent tool registration and discovery.',
  'every definition that is listed can be registered',
  async () => {
    const { body } = await get('/worker/tools')
    const answers = await Promise.all(body.map((each: object) => convert('open-tool-calling', each)))
    expect(answers.length).toBeGreaterThan(10)
    for (const { status, body: answer } of answers) {
      expect(status, JSON.stringify(answer)).toBe(200)
      expect(answer.losses).toEqual([])
    }
  },
)

aside('### 4.2 Tool Request Schema … [http://json-schema.org](http://json-schema.org)')

whole()

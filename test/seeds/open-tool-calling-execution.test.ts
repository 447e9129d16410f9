import { NO_USER } from '../../src/core/failure/failure-text.ts'
import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { CLIENT_ID, startProvider, type TestProvider } from '../e2e/oauth/provider.ts'
import { vaultKey } from '../e2e/oauth/switchboard.ts'
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

// The RFC's chapters on calls; `open-tool-calling.test.ts` covers the others

const { works, deviates, aside, whole } = openDocument('open-tool-calling-rfc.txt', 'open-tool-calling')

const ADMIN_KEY = randomBytes(24).toString('base64url')
const WORKER_SECRET = randomBytes(24).toString('base64url')
const DEPLOYED = 'the-deployments-own-secret'

let provider: TestProvider
let upstream: Upstream
let server: RunningServer

beforeAll(async () => {
  provider = await startProvider()
  upstream = await startUpstream(async ({ url, headers, body }, response) => {
    const { pathname } = new URL(url, 'http://upstream')
    const json = (status: number, value: unknown, more = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(value))
    if (pathname === '/account') {
      const owner = await provider.whose(headers.authorization?.replace('Bearer ', '') ?? '')
      return void json(owner ? 200 : 401, owner ?? {})
    }
    if (pathname === '/busy') return void json(503, {}, { 'retry-after': '7' })
    if (pathname === '/taken') {
      return void json(409, { text: 'No room', detail: 'room 3', again: true, hint: 'rooms: 7', wait: 1_500 })
    }
    if (pathname === '/broken') return void json(404, { error: 'nowhere' })
    if (pathname === '/image') return void response.writeHead(200, { 'content-type': 'image/png' }).end('image')
    if (pathname === '/pdf') return void response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF')
    json(200, { headers, body })
  })
  server = await startApp({
    vars: {
      ACCESS: 'keys',
      ADMIN_KEY,
      WORKER_SECRET,
      VAULT_KEYS: vaultKey(),
      ALLOW_HTTP_HOSTS: `${provider.host},${upstream.host}`,
      ACME_CLIENT_SECRET: provider.clientSecret,
      TOOL_SECRETS: { DEPLOYED_KEY: ['Rfc.*'] },
      DEPLOYED_KEY: DEPLOYED,
    },
  })
  provider.allowRedirectTo(new URL('/oauth/callback', server.url).href)
  const put = await ask('PUT', '/providers/acme', {
    name: 'Acme',
    issuer: provider.issuer,
    client_id: CLIENT_ID,
    client_secret_name: 'ACME_CLIENT_SECRET',
    extra_scopes: ['offline_access'],
    authorization_parameters: { prompt: 'consent' },
  })
  expect(put.status, JSON.stringify(put.body)).toBe(201)
})
afterAll(() => Promise.all([server?.stop(), upstream?.close(), provider?.close()]))

const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })
const ask = (method: string, path: string, body?: unknown) => server.json(method, path, body, bearer(ADMIN_KEY))
const { publish, tool, faults, listed, send, call } = agentOf(() => server, bearer(ADMIN_KEY))
/** Sends a request as another caller. */
const sendAs = (headers: Record<string, string>, request: unknown) =>
  server.json('POST', '/worker/tools/invoke', request, headers)

const ADD = { name: 'Add', toolkit: 'Calculator', version: '1.0.0' }
const adding = (given: object = {}) => requestOf(ADD, { inputs: { a: 1, b: 2 }, ...given })
const rfc = (name: string, given: object = {}) => requestOf({ name, toolkit: 'Rfc', version: '1.0.0' }, { ...given })
const withoutField = (request: object, ...fields: string[]) =>
  Object.fromEntries(Object.entries(request).filter(([name]) => !fields.includes(name)))
const http = (path: string, given: object = {}) => ({
  kind: 'http',
  method: 'POST',
  url: upstream.origin + path,
  ...given,
})
const withModes = (...available_modes: string[]) => ({ output: { available_modes } })
/** Returns the error of a refused request. */
async function refusal(request: unknown) {
  const { status, body } = await send(request)
  expect(body.detail).toBe(body.message)
  return [status, body.message.replace('Cannot read the body at ', '')]
}

const OAUTH = { provider_id: 'acme', provider_type: 'oauth2', oauth2: { scopes: ['mail.read'] } }
/** Publishes a tool that reads the provider account that a user granted access to. */
const reading = (authorization: object = OAUTH) =>
  tool(
    { requirements: { authorization } },
    http('/account', { method: 'GET', credentials: [{ authorization: 'acme', in: 'header', name: 'Authorization' }] }),
  )
/** Returns the challenge of a call for a user. */
async function challenge(name: string, user: string) {
  const { success, output } = await call(name, {}, { user_id: user })
  expect(success).toBe(false)
  return output.requires_authorization
}
const statusOf = async (id: string) => (await ask('GET', `/authorizations/${id}`)).body.status

aside('# RFC: Open Tool Calling Standard … facilitating consistent tool registration and discovery.')
aside('### 4.2 Tool Request Schema')

works(
  'The Tool Request Schema is designed to encapsulate the details of a tool invocation:',
  'all that its schema has, and the answer',
  async () => {
    const context = { authorization: { token: 'T' }, secrets: { A: 'a' }, user_id: 'ann', user_info: { mail: 'm' } }
    const request = adding({ $schema: REQUEST_SCHEMA, execution_id: 'all-of-it', context })
    expect(faultsOf.request(request)).toEqual([])
    const { status, body } = await send(request)
    expect(faultsOf.response(body)).toEqual([])
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        $schema: RESPONSE_SCHEMA,
        execution_id: 'all-of-it',
        finished_at: expect.any(String),
        duration: expect.any(Number),
        success: true,
        output: { value: 3 },
      },
    })
  },
)

works(
  'The Tool Request Schema is designed to encapsulate the details of a tool invocation:',
  'when it was made may be left out, and is a text',
  async () => {
    expect((await send(withoutField(adding(), 'created_at'))).body.output).toEqual({ value: 3 })
    expect(await refusal(adding({ created_at: 5 }))).toEqual([400, "'created_at': Must be a string, got 5"])
  },
)

works(
  'The Tool Request Schema is designed to encapsulate the details of a tool invocation:',
  'what is no JSON',
  async () => {
    const response = await fetch(new URL('/worker/tools/invoke', server.url), {
      method: 'POST',
      headers: { ...bearer(ADMIN_KEY), 'content-type': 'application/json' },
      body: '{"tool": ',
    })
    expect(response.status).toBe(400)
    expect(Object.keys(JSON.parse(await response.text()))).toEqual(['detail', 'message'])
  },
)

aside('- **Run and Execution Identification:**')

works('Could we have the run_id be optional and if not provided, the server generates one?', '', async () => {
  for (const request of [withoutField(adding(), 'run_id'), adding({ run_id: null })]) {
    expect((await send(request)).body).toMatchObject({ success: true, output: { value: 3 } })
  }
})

aside("(It's not clear why two required identifiers are needed.)")

works('**`run_id`**: Globally unique identifier for the overall run.', 'runs through the log', async () => {
  const run_id = 'run-of-two-executions'
  for (const execution_id of ['in-run-1', 'in-run-2']) await send(adding({ run_id, execution_id }))
  const lines = () =>
    server
      .printed()
      .split('\n')
      .filter((line) => line.includes(run_id))
      .map((line) => JSON.parse(line))
  await expect.poll(() => lines().map(({ call_id }) => call_id)).toEqual(['in-run-1', 'in-run-2'])
  expect(lines().map(({ trace_id }) => trace_id)).toEqual([run_id, run_id])
})

const IDENTIFIER_ROW = '`run_id`, `execution_id`: "identifier"'

works('**`run_id`**: Globally unique identifier for the overall run.', 'what is none', async () => {
  const what = 'Must be a string of 1 to 256 characters'
  expect(await refusal(adding({ run_id: 7 }))).toEqual([400, `'run_id': ${what}, got 7`])
  expect(await refusal(adding({ run_id: '' }))).toEqual([400, `'run_id': ${what}, got ''`])
})

deviates(
  '**`run_id`**: Globally unique identifier for the overall run.',
  'of 257 characters',
  IDENTIFIER_ROW,
  async () => {
    const [status, message] = await refusal(adding({ run_id: 'r'.repeat(257) }))
    expect([status, message]).toEqual([
      400,
      expect.stringContaining("'run_id': Must be a string of 1 to 256 characters"),
    ])
    expect((await send(adding({ run_id: 'r'.repeat(256) }))).status).toBe(200)
  },
)

works('**`execution_id`**: Unique identifier for the specific tool execution.', 'is given back', async () => {
  expect((await send(adding({ execution_id: 'te_1' }))).body.execution_id).toBe('te_1')
})

works('**`execution_id`**: Unique identifier for the specific tool execution.', 'reaches the tool', async () => {
  const name = await tool({}, code('ctx.callId'))
  expect((await send(rfc(name, { execution_id: 'te_2' }))).body.output).toEqual({ value: 'te_2' })
})

works(
  '**`execution_id`**: Unique identifier for the specific tool execution.',
  'is made where there is none',
  async () => {
    const ids = []
    for (const request of [withoutField(adding(), 'execution_id'), adding({ execution_id: null })]) {
      ids.push((await send(request)).body.execution_id)
    }
    for (const id of ids) expect(id).toMatch(/^\S{16,}$/)
    expect(new Set(ids).size).toBe(2)
  },
)

works('**`execution_id`**: Unique identifier for the specific tool execution.', 'what is none', async () => {
  const what = 'Must be a string of 1 to 256 characters'
  expect(await refusal(adding({ execution_id: {} }))).toEqual([400, `'execution_id': ${what}, got an object`])
})

deviates(
  '**`execution_id`**: Unique identifier for the specific tool execution.',
  'of 257 characters',
  IDENTIFIER_ROW,
  async () => {
    expect((await refusal(adding({ execution_id: 'e'.repeat(257) })))[0]).toBe(400)
    expect((await send(adding({ execution_id: 'e'.repeat(256) }))).body.execution_id).toBe('e'.repeat(256))
  },
)

works('**`execution_id`**: Unique identifier for the specific tool execution.', 'the same one again', async () => {
  const name = await tool({}, code('Math.random()'))
  const first = await send(rfc(name, { execution_id: 'te_twice' }))
  expect((await send(rfc(name, { execution_id: 'te_twice' }))).body).toEqual(first.body)
  const other = await send(rfc(await tool({}, code('1')), { execution_id: 'te_twice' }))
  expect(other.status).toBe(409)
})

aside('- **Tool Metadata:**')

works('This looks like a unique identifier for the tool.', 'the id alone calls it', async () => {
  for (const tool of [{ name: 'Calculator.Add@1.0.0' }, { name: 'Calculator.Add', version: '1.0.0' }]) {
    expect((await send(requestOf(tool, { inputs: { a: 1, b: 2 } }))).body.output).toEqual({ value: 3 })
  }
})

works(
  "**`tool`**: Contains the tool's name, the toolkit to which it belongs, and the toolkit version.",
  'all three',
  async () => {
    expect((await send(adding())).body.output).toEqual({ value: 3 })
  },
)

works("**`tool`**: Contains the tool's name, the toolkit", 'in any case', async () => {
  const request = requestOf({ name: 'ADD', toolkit: 'calculator', version: '1.0.0' }, { inputs: { a: 1, b: 2 } })
  expect((await send(request)).body.output).toEqual({ value: 3 })
})

works("**`tool`**: Contains the tool's name,", 'of no tool', async () => {
  const { success, output } = (await send(requestOf({ ...ADD, name: 'Ad' }))).body
  expect({ success, output }).toEqual({
    success: false,
    output: {
      error: {
        message: expect.stringMatching(/^Tool 'Calculator\.Ad@1\.0\.0' was not found.*'Calculator\.Add/),
        developer_message: 'GET /worker/tools lists the tools',
        can_retry: false,
      },
    },
  })
})

works("**`tool`**: Contains the tool's name,", 'without one', async () => {
  expect(await refusal(requestOf({ toolkit: 'Calculator', version: '1.0.0' }))).toEqual([
    400,
    "'tool.name': Is required",
  ])
})

works("**`tool`**: Contains the tool's name,", 'a misspelt field', async () => {
  expect(await refusal(requestOf({ ...ADD, toolkits: 'x' }))).toEqual([
    400,
    "'tool.toolkits': Unknown field 'toolkits' (meant 'toolkit'?): wanted 'name', 'toolkit', 'version'",
  ])
})

works("**`tool`**: Contains the tool's name,", 'no tool at all', async () => {
  expect(await refusal(withoutField(adding(), 'tool'))).toEqual([400, "'tool': Is required"])
})

works('the toolkit to which it belongs,', 'left out, where one tool alone is called so', async () => {
  for (const toolkit of [undefined, null, '']) {
    const request = requestOf({ name: 'GetTimestamp', toolkit, version: '1.0.0' })
    expect((await send(request)).body).toMatchObject({ success: true, output: { value: {} } })
  }
})

works('the toolkit to which it belongs,', 'left out, where several are', async () => {
  const { success, output } = (await send(requestOf({ name: 'Add' }, { inputs: { a: 1, b: 2 } }))).body
  expect(success).toBe(false)
  for (const id of ['Calculator.Add@1.0.0', 'Arithmetic.add@1.0.0']) expect(output.error.message).toContain(id)
})

works('the toolkit to which it belongs,', 'of another', async () => {
  const { success, output } = (await send(requestOf({ ...ADD, toolkit: 'Gmail' }))).body
  expect({ success, message: output.error.message }).toEqual({
    success: false,
    message: expect.stringMatching(/^Tool 'Gmail\.Add@1\.0\.0' was not found/),
  })
})

works('and the toolkit version.', 'left out: the newest', async () => {
  for (const version of ['1.0.0', '2.0.0']) {
    const definition = definitionOf('Newest', {
      fully_qualified_name: `Newest.Newest@${version}`,
      toolkit: { name: 'Newest', version },
    })
    expect((await publish(definition, code(JSON.stringify(version)))).status).toBe(201)
  }
  for (const version of [undefined, null, '']) {
    const request = requestOf({ name: 'Newest', toolkit: 'Newest', version })
    expect((await send(request)).body.output).toEqual({ value: '2.0.0' })
  }
  const pinned = requestOf({ name: 'Newest', toolkit: 'Newest', version: '1.0.0' })
  expect((await send(pinned)).body.output).toEqual({ value: '1.0.0' })
})

works('and the toolkit version.', 'one that there is not', async () => {
  const { success, output } = (await send(requestOf({ ...ADD, version: '9.0.0' }))).body
  expect({ success, output }).toEqual({
    success: false,
    output: {
      error: {
        message: "Version '9.0.0' of tool 'Calculator.Add' is not available",
        developer_message: "There is '1.0.0'",
        can_retry: false,
      },
    },
  })
})

aside('- **Input Parameters:**')

works('**`inputs`**: An object containing the parameters needed by the tool.', 'they reach it', async () => {
  const inputs = { text: 'ü 🔔', number: -0.5, flag: false, list: [1, [2]], object: { a: { b: null } } }
  expect((await call(await tool({}), inputs)).output).toEqual({ value: inputs })
})

works('**`inputs`**: An object containing the parameters needed by the tool.', 'none', async () => {
  const name = await tool({})
  for (const request of [withoutField(rfc(name), 'inputs'), rfc(name, { inputs: null }), rfc(name, { inputs: {} })]) {
    expect((await send(request)).body.output).toEqual({ value: {} })
  }
})

works('**`inputs`**: An object containing the parameters needed by the tool.', 'one is missing', async () => {
  const { success, output } = (await send(adding({ inputs: { a: 1 } }))).body
  expect({ success, output }).toEqual({
    success: false,
    output: {
      error: {
        message: 'Some inputs are not valid: b: Is required',
        developer_message: '/b: Is required',
        can_retry: true,
        additional_prompt_content: 'Correct these inputs, then call the tool again: b: Is required',
      },
    },
  })
})

works('**`inputs`**: An object containing the parameters needed by the tool.', 'what is no object', async () => {
  expect(await refusal(adding({ inputs: [1, 2] }))).toEqual([400, "'inputs': Must be an object, got an array of 2"])
  expect(await refusal(adding({ inputs: 'a' }))).toEqual([400, "'inputs': Must be an object, got 'a'"])
})

works(
  'This field supports additional properties to accommodate various tool-specific inputs.',
  'what no definition names',
  async () => {
    const input = { parameters: [parameter('a', { val_type: 'string' }, { required: true })] }
    const inputs = { a: 'x', anything: { else: [1] } }
    expect((await call(await tool({ input }), inputs)).output).toEqual({ value: inputs })
  },
)

aside('(Could you document more about how the context is used? Why the different parts are needed?)')

works(
  'In the event that the execution of the tool is hosted on the same server as the registry, why is any context needed?',
  'the deployment has secrets of its own',
  async () => {
    const requirements = { secrets: [{ key_id: 'DEPLOYED_KEY' }] }
    const credentials = [{ secret: 'DEPLOYED_KEY', in: 'header', name: 'X-Key' }]
    const name = await tool({ requirements }, http('/deployed', { credentials }))
    expect((await call(name)).success).toBe(true)
    expect(upstream.arrived.find(({ url }) => url === '/deployed')?.headers['x-key']).toBe(DEPLOYED)
  },
)

aside('- **Context:**')

works('**`context`**: Provides additional execution context including:', 'none', async () => {
  for (const request of [withoutField(adding(), 'context'), adding({ context: null }), adding({ context: {} })]) {
    expect((await send(request)).body.output).toEqual({ value: 3 })
  }
})

works('**`context`**: Provides additional execution context including:', 'what the RFC does not name', async () => {
  expect((await send(adding({ context: { locale: 'de', deep: { a: [1] } } }))).body.output).toEqual({ value: 3 })
})

works('**`context`**: Provides additional execution context including:', 'what is no object', async () => {
  expect(await refusal(adding({ context: 'x' }))).toEqual([400, "'context': Must be an object, got 'x'"])
})

works('**`authorization`**: Contains tokens for authentication.', 'the token goes where it is for', async () => {
  const credentials = [{ authorization: 'token', in: 'header', name: 'Authorization', format: 'Bearer {value}' }]
  const name = await tool({ requirements: { authorization: 'token' } }, http('/token', { credentials }))
  const { success } = await call(name, {}, { authorization: { token: 'the-callers-token' } })
  expect(success).toBe(true)
  const arrived = upstream.arrived.find(({ url }) => url === '/token')
  expect(arrived?.headers.authorization).toBe('Bearer the-callers-token')
})

works('**`authorization`**: Contains tokens for authentication.', 'a second provider is not sent it', async () => {
  const ids = ['google', 'acme']
  const credentials = ids.map((id) => ({ authorization: id, in: 'header', name: `x-${id}` }))
  const definition = {
    id: 'Tokens.Two@1.0.0',
    name: 'Two',
    description: 'Asks two providers',
    version: '1.0.0',
    input_schema: { parameters: {} },
    output_schema: {},
    requirements: { authorization: ids.map((id) => ({ id })) },
  }
  expect(await ask('POST', '/tools', { definition, implementation: http('/two', { credentials }) })).toMatchObject({
    status: 201,
  })
  const context = { user_id: 'ann', authorization: { token: 'token-of-google-only' } }
  const { body } = await send(requestOf({ name: 'Two', toolkit: 'Tokens' }, { inputs: {}, context }))
  expect(body.output).toEqual({ requires_authorization: expect.objectContaining({ status: 'not_started' }) })
  const granted = await ask('GET', `/authorizations/${body.output.requires_authorization.id}`)
  expect(granted.body).toMatchObject({ provider: 'acme' })
  expect(upstream.arrived.some(({ url }) => url === '/two')).toBe(false)
})

works('**`authorization`**: Contains tokens for authentication.', 'in place of a grant', async () => {
  const credentials = [{ authorization: 'acme', in: 'header', name: 'Authorization' }]
  const name = await tool({ requirements: { authorization: OAUTH } }, http('/granted', { credentials }))
  expect((await call(name, {}, { authorization: { token: 'in-place-of-it' } })).success).toBe(true)
  const arrived = upstream.arrived.find(({ url }) => url === '/granted')
  expect(arrived?.headers.authorization).toBe('Bearer in-place-of-it')
})

works('**`authorization`**: Contains tokens for authentication.', 'null or empty is none', async () => {
  const name = await tool({ requirements: { authorization: 'token' } })
  for (const authorization of [null, {}, { token: null }, { token: '' }]) {
    const { body } = await send(rfc(name, { context: { authorization } }))
    expect(body.output.error.message).toContain("needs the token 'token'")
  }
})

works('**`authorization`**: Contains tokens for authentication.', 'what is none, and no word of it', async () => {
  expect(await refusal(adding({ context: { authorization: 'secret-token' } }))).toEqual([
    400,
    "'context.authorization': Must be an object, got a string",
  ])
  const [status, message] = await refusal(adding({ context: { authorization: { token: ['secret-token'] } } }))
  expect([status, message]).toEqual([400, expect.stringMatching(/^'context\.authorization\.token': Must be a string/)])
  expect(message).not.toContain('secret-token')
})

works('**`secrets`**: Secret information required for execution.', 'a map, as the schema has it', async () => {
  const requirements = { secrets: [{ key_id: 'OWN' }] }
  const credentials = [{ secret: 'OWN', in: 'header', name: 'X-Key' }]
  const name = await tool({ requirements }, http('/own', { credentials }))
  expect((await call(name, {}, { secrets: { OWN: 'callers-own', OTHER: 'not-asked-for' } })).success).toBe(true)
  const arrived = upstream.arrived.find(({ url }) => url === '/own')
  expect(arrived?.headers['x-key']).toBe('callers-own')
  expect(JSON.stringify(arrived)).not.toContain('not-asked-for')
})

works('**`secrets`**: Secret information required for execution.', 'a list, as engines send it', async () => {
  const name = await tool({ requirements: { secrets: [{ key_id: 'LISTED' }] } }, code('"had it"'))
  const { body } = await send(rfc(name, { context: { secrets: [{ key: 'LISTED', value: 'listed' }] } }))
  expect(body.output).toEqual({ value: 'had it' })
})

works('**`secrets`**: Secret information required for execution.', 'before those of the deployment', async () => {
  const requirements = { secrets: [{ key_id: 'DEPLOYED_KEY' }] }
  const credentials = [{ secret: 'DEPLOYED_KEY', in: 'header', name: 'X-Key' }]
  const name = await tool({ requirements }, http('/before', { credentials }))
  await call(name, {}, { secrets: { DEPLOYED_KEY: 'the-callers-key' } })
  expect(upstream.arrived.find(({ url }) => url === '/before')?.headers['x-key']).toBe('the-callers-key')
})

works('**`secrets`**: Secret information required for execution.', 'missing, or empty', async () => {
  const name = await tool({ requirements: { secrets: [{ key_id: 'MISSING' }] } })
  for (const secrets of [{}, { MISSING: '' }]) {
    const { success, output } = await call(name, {}, { secrets })
    expect({ success, output }).toEqual({
      success: false,
      output: {
        error: {
          message: `Tool 'Rfc.${name}' needs the secret 'MISSING' (context.secrets) before it can be called`,
          developer_message: expect.stringMatching(
            /^Neither .* policies set .* --secret MISSING' allows it\. .* is not set/,
          ),
          can_retry: false,
        },
      },
    })
  }
})

works('**`secrets`**: Secret information required for execution.', 'what is none, and no word of it', async () => {
  const [status, message] = await refusal(adding({ context: { secrets: { KEY: { deep: 'secret-value' } } } }))
  expect([status, message]).toEqual([400, expect.stringMatching(/^'context\.secrets\.KEY': Must be a string/)])
  expect(message).not.toContain('secret-value')
  expect(await refusal(adding({ context: { secrets: 'secret-value' } }))).toEqual([
    400,
    "'context.secrets': Must be an object, got a string",
  ])
})

/** Returns the user that it is called for. */
const WHO = code('({ user: ctx.userId ?? "nobody", info: ctx.userInfo ?? "nothing" })')

works('**`user_id`**: Unique user identifier.', 'reaches a tool that acts for a user', async () => {
  const name = await tool({ requirements: { authorization: 'token' } }, WHO)
  const { output } = await call(name, {}, { authorization: { token: 'T' }, user_id: 'ann' })
  expect(output).toEqual({ value: { user: 'ann', info: 'nothing' } })
})

works('**`user_id`**: Unique user identifier.', 'reaches no other', async () => {
  const { output } = await call(await tool({}, WHO), {}, { user_id: 'ann', user_info: { mail: 'm' } })
  expect(output).toEqual({ value: { user: 'nobody', info: 'nothing' } })
})

works('**`user_id`**: Unique user identifier.', 'what is none', async () => {
  expect(await refusal(adding({ context: { user_id: 5 } }))).toEqual([
    400,
    "'context.user_id': Must be a string of at most 256 characters, got 5",
  ])
})

deviates(
  '**`user_id`**: Unique user identifier.',
  'missing, where a user must be asked',
  '`requires_authorization.id`',
  async () => {
    const name = await reading()
    const { success, output } = await call(name)
    expect({ success, output }).toEqual({
      success: false,
      output: {
        error: {
          message: `Tool 'Rfc.${name}' needs a user who can grant access at 'acme' (context.user_id) before it can be called`,
          developer_message: NO_USER,
          can_retry: false,
        },
      },
    })
  },
)

works('**`user_info`**: Supplementary information provided by the authorization server.', 'what is none', async () => {
  expect(await refusal(adding({ context: { user_info: 'ann' } }))).toEqual([
    400,
    "'context.user_info': Must be an object, got 'ann'",
  ])
})

deviates(
  '**`user_info`**: Supplementary information provided by the authorization server.',
  'reaches a tool that acts for a user',
  '`user_info`',
  async () => {
    const name = await tool({ requirements: { authorization: 'token' } }, WHO)
    const context = { authorization: { token: 'T' }, user_id: 'ann', user_info: { mail: 'ann@x.test', groups: ['a'] } }
    expect((await call(name, {}, context)).output).toEqual({
      value: { user: 'ann', info: { mail: 'ann@x.test', groups: ['a'] } },
    })
  },
)

deviates(
  '**`user_info`**: Supplementary information provided by the authorization server.',
  'reaches a tool with a parameter for it that no model may infer',
  '`user_info`',
  async () => {
    const input = { parameters: [parameter('user_info', { val_type: 'json' }, { inferrable: false })] }
    const name = await tool({ input })
    expect((await call(name, {}, { user_info: { mail: 'm' } })).output).toEqual({ value: { user_info: { mail: 'm' } } })
  },
)

works('This schema guarantees that every tool call is uniquely identifiable', 'two at once', async () => {
  const answers = await Promise.all([send(adding()), send(adding({ inputs: { a: 2, b: 2 } }))])
  const [first, second] = answers.map(({ body }) => body)
  expect([first.output, second.output]).toEqual([{ value: 3 }, { value: 4 }])
  expect(first.execution_id).not.toBe(second.execution_id)
})

works(
  'and that the necessary parameters and context for execution are clearly provided.',
  'a request without either says where it is not one',
  async () => {
    expect(await refusal({ tool: ADD, inputs: 1, context: 2 })).toEqual([
      400,
      "'inputs': Must be an object, got 1; at 'context': Must be an object, got 2",
    ])
  },
)

aside(
  '### 4.3 Tool Response Schema',
  'The Tool Response Schema defines the structure of the data returned after a tool execution:',
)
aside('- **Execution Metadata:**')

works(
  '**`success`**: **REQUIRED** Boolean flag indicating the success or failure of the execution.',
  'of one that succeeds',
  async () => {
    expect((await call(await tool({}))).success).toBe(true)
  },
)

works(
  '**`success`**: **REQUIRED** Boolean flag indicating the success or failure of the execution.',
  'of those that fail, each in its way',
  async () => {
    const thrown = await tool({}, throwing("new Error('No')"))
    const secret = await tool({ requirements: { secrets: [{ key_id: 'NONE' }] } })
    const unexpected = await tool(
      { output: { available_modes: ['value'], value_schema: { val_type: 'string' } } },
      code('1'),
    )
    for (const name of [thrown, secret, unexpected, 'Nowhere', await reading()]) {
      expect(await call(name, {}, { user_id: 'failing' }), name).toMatchObject({ success: false, output: {} })
    }
  },
)

works('**`execution_id`**: **REQUIRED** The globally unique execution identifier.', 'of a success', async () => {
  expect((await send(adding({ execution_id: 'te_ok' }))).body.execution_id).toBe('te_ok')
})

works('**`execution_id`**: **REQUIRED** The globally unique execution identifier.', 'of a failure', async () => {
  expect((await send(adding({ execution_id: 'te_bad', inputs: {} }))).body).toMatchObject({
    execution_id: 'te_bad',
    success: false,
  })
})

deviates(
  '**`execution_id`**: **REQUIRED** The globally unique execution identifier.',
  'the schema names another field',
  'The response schema requires `invocation_id`',
  async () => {
    const { body } = await send(adding())
    expect(Object.keys(body)).toEqual(['$schema', 'execution_id', 'finished_at', 'duration', 'success', 'output'])
  },
)

aside('We could consider dropping both of these fields. … what the client will care about.)')

works('**`duration`**: **Optional** Execution time in milliseconds.', 'of one that takes a while', async () => {
  const name = await tool({}, code('new Promise((done) => setTimeout(() => done("late"), 60))'))
  const before = Date.now()
  const { duration } = await call(name)
  expect(duration).toBeGreaterThanOrEqual(50)
  expect(duration).toBeLessThanOrEqual(Date.now() - before + 1)
})

works('**`duration`**: **Optional** Execution time in milliseconds.', 'of a failure', async () => {
  const { duration } = await call(await tool({}, throwing("new Error('No')")))
  expect(duration).toEqual(expect.any(Number))
  expect(duration).toBeGreaterThanOrEqual(0)
})

works(
  '**`finished_at`**: **Optional** Timestamp marking the completion of the execution. In ISO-8601 format, must be UTC.',
  'its form, and when',
  async () => {
    const before = Date.now()
    const { finished_at } = await call(await tool({}))
    expect(finished_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(Date.parse(finished_at)).toBeGreaterThanOrEqual(before - 1)
    expect(Date.parse(finished_at)).toBeLessThanOrEqual(Date.now() + 1)
  },
)

works('In ISO-8601 format, must be UTC.', 'of a failure', async () => {
  expect((await call(await tool({}, throwing("new Error('No')")))).finished_at).toMatch(/T.*Z$/)
})

works('The field `additional_prompt_content` is vague', 'it says to a model how to call again', async () => {
  const { output } = (await send(adding({ inputs: { a: 'one', b: 2 } }))).body
  expect(output.error.additional_prompt_content).toBe(
    'Correct these inputs, then call the tool again: a: Must be a number',
  )
})

works(
  'it would be helpful to include one example of `message` vs. `developer_message` in the context of an actual tool.',
  'a server that has nothing there',
  async () => {
    const { output } = await call(await tool({}, http('/broken')))
    expect(output.error.message).not.toContain('/broken')
    expect(output.error.developer_message).toContain(`${upstream.origin}/broken`)
  },
)

works(
  'If an LLM generates invalid payload, would that be a `developer_message` or a `message`?',
  'both, each in its words',
  async () => {
    const { output } = (await send(adding({ inputs: { a: 'one', b: 2 } }))).body
    expect(output.error).toMatchObject({
      message: 'Some inputs are not valid: a: Must be a number',
      developer_message: '/a: Must be a number',
    })
  },
)

works(
  'It would be good to docuemnt the AuthorizationResponse',
  'its URL is shown to the user, and the same call succeeds',
  async () => {
    const name = await reading()
    const { url } = await challenge(name, 'dora')
    await new HttpPerson().consent(url, 'dora')
    expect((await call(name, {}, { user_id: 'dora' })).output.value.account).toBe('dora')
  },
)

works('What are the enum values of `status', 'not_started, and the same again', async () => {
  const name = await reading()
  const { id, status } = await challenge(name, 'not-started')
  expect([status, await statusOf(id)]).toEqual(['not_started', 'not_started'])
})

works('What are the enum values of `status', 'pending, once the user is at the provider', async () => {
  const name = await reading()
  const { id, url } = await challenge(name, 'pending')
  const person = new HttpPerson()
  await person.press(await person.open(url), /continue/i)
  expect(await statusOf(id)).toBe('pending')
})

works('What are the enum values of `status', 'completed, once they consented', async () => {
  const name = await reading()
  const { id, url } = await challenge(name, 'completed')
  await new HttpPerson().consent(url, 'completed')
  expect(await statusOf(id)).toBe('completed')
})

works('What are the enum values of `status', 'failed, once they refused; then it is another', async () => {
  const name = await reading()
  const { id, url } = await challenge(name, 'failed')
  await new HttpPerson().consent(url, 'failed', 'Deny')
  expect(await statusOf(id)).toBe('failed')
  const again = await challenge(name, 'failed')
  expect(again).toMatchObject({ status: 'not_started' })
  expect(again.id).not.toBe(id)
})

aside('- **Output Content:**', '1. **Value Response:**', '2. **Error Response:**')
aside('3. **Authorization Response:**', '4. **Artifact Response:**')

works('The output can take one of several forms:', 'one at a time, whatever came', async () => {
  const value = await call(await tool({}, code('1')))
  const error = await call(await tool({}, throwing("new Error('No')")))
  const asks = await call(await reading(), {}, { user_id: 'forms' })
  const lies = (await send(requestOf({ name: 'Artifact', toolkit: 'Fixture', version: '1.0.0' }))).body
  expect([value, error, asks, lies].map(({ output }) => Object.keys(output))).toEqual([
    ['value'],
    ['error'],
    ['requires_authorization'],
    ['artifact'],
  ])
})

/** Returns the output of a tool that returns its input. */
async function given(value: unknown) {
  const { body } = await send(
    rfc(await tool(withModes('value', 'null', 'error'), code('input.give')), { inputs: { give: value } }),
  )
  return body
}

deviates(
  'Contains a `value` field that may be a JSON object, number, string, or boolean.',
  'an array',
  '`value` is an object, a number, a string or a boolean',
  async () => {
    for (const value of [[1, 2], [], [{ a: 1 }]]) {
      expect(await given(value)).toMatchObject({ success: true, output: { value } })
    }
  },
)

deviates(
  'Contains a `value` field that may be a JSON object, number, string, or boolean.',
  'null',
  '`output` holds one of four forms',
  async () => {
    const body = await given(null)
    expect(faultsOf.response(body)).toEqual([])
    expect(Object.keys(body)).toEqual(['$schema', 'execution_id', 'finished_at', 'duration', 'success'])
    expect(body.success).toBe(true)
  },
)

works('Contains a `value` field', 'what there is to look at is a value that holds it', async () => {
  const image = { type: 'image', mimeType: 'image/png', data: btoa('image') }
  const { output } = await call(await tool({}, http('/image', { method: 'GET' })))
  expect(output).toEqual({ value: { content: [image] } })
})

works('Contains a `value` field that may be a JSON object,', 'one', async () => {
  const value = { a: { b: [1, null, 'ü'] }, empty: {} }
  expect(await given(value)).toMatchObject({ success: true, output: { value } })
})

works('number,', 'whole, broken, none and large', async () => {
  for (const value of [3, -0.25, 0, 1e21]) expect((await given(value)).output).toEqual({ value })
})

works('string,', 'some text, and none', async () => {
  for (const value of ['text\n“ü” 🔔', '', '3', 'null']) expect((await given(value)).output).toEqual({ value })
})

works('or boolean.', 'either', async () => {
  for (const value of [true, false]) expect((await given(value)).output).toEqual({ value })
})

const FIELDS = {
  developer_message: 'room 3 is taken',
  can_retry: true,
  additional_prompt_content: 'Rooms 7 and 9 are free',
  retry_after_ms: 1_500,
}
/** Returns the error of a call whose tool throws this. */
async function thrown(fields: object) {
  const name = await tool({}, throwing(`Object.assign(new Error('No room'), ${JSON.stringify(fields)})`))
  const { success, output } = await call(name)
  expect(success).toBe(false)
  return output.error
}

works('Contains an `error` object with:', 'all of them, from code', async () => {
  expect(await thrown(FIELDS)).toEqual({ message: 'No room', ...FIELDS })
})

works('Contains an `error` object with:', 'all of them, from a server', async () => {
  const error = {
    message: '/text',
    developer_message: '/detail',
    can_retry: '/again',
    additional_prompt_content: '/hint',
    retry_after_ms: '/wait',
  }
  const { output } = await call(await tool({}, http('/taken', { response: { error } })))
  expect(output).toEqual({
    error: {
      message: 'No room',
      developer_message: 'room 3',
      can_retry: true,
      additional_prompt_content: 'rooms: 7',
      retry_after_ms: 1_500,
    },
  })
})

works('Contains an `error` object with:', 'the words of a bundled tool', async () => {
  const { body } = await send(requestOf({ name: 'ErrorHandling', toolkit: 'Fixture', version: '1.0.0' }))
  expect({ success: body.success, output: body.output }).toEqual({
    success: false,
    output: { error: { message: 'This tool intentionally returns an error for testing', can_retry: false } },
  })
})

works('**`message`**: A user-facing error message.', 'what was thrown', async () => {
  expect(await thrown({})).toEqual({ message: 'No room', can_retry: false })
})

works('**`message`**: A user-facing error message.', 'what is no error is thrown', async () => {
  const messages = []
  for (const expression of ["'plain'", "{ message: 'said' }", 'undefined']) {
    messages.push((await call(await tool({}, throwing(expression)))).output.error.message)
  }
  expect(messages.slice(0, 2)).toEqual(['plain', 'said'])
  expect(messages[2]).toMatch(/\w/)
})

works('**`message`**: A user-facing error message.', 'of a tool that takes too long', async () => {
  const slow = { ...code('new Promise((done) => setTimeout(done, 5_000))'), timeout_ms: 200 }
  expect((await call(await tool({}, slow))).output.error).toEqual({
    message: 'The tool did not answer within 0.2 seconds',
    developer_message: 'The deadline passed while the tool ran',
    can_retry: true,
  })
})

works('**`developer_message`**: Detailed error information for internal debugging.', 'from code', async () => {
  expect((await thrown({ developer_message: 'at room 3' })).developer_message).toBe('at room 3')
})

works('**`developer_message`**: Detailed error information for internal debugging.', 'from a server', async () => {
  const { output } = await call(await tool({}, http('/broken')))
  expect(output.error.developer_message).toContain('404')
})

works(
  '**`developer_message`**: Detailed error information for internal debugging.',
  'no secret and no token',
  async () => {
    const requirements = { secrets: [{ key_id: 'DEPLOYED_KEY' }], authorization: 'token' }
    const credentials = [
      { secret: 'DEPLOYED_KEY', in: 'query', name: 'key' },
      { authorization: 'token', in: 'query', name: 'token' },
    ]
    const name = await tool({ requirements }, http('/broken', { credentials }))
    const body = await call(name, {}, { authorization: { token: 'the-hidden-token' } })
    expect(body.success).toBe(false)
    expect(JSON.stringify(body)).not.toContain(DEPLOYED)
    expect(JSON.stringify(body)).not.toContain('the-hidden-token')
  },
)

works('**`can_retry`**: Indicates if the request is retryable.', 'yes, and no', async () => {
  expect((await thrown({ can_retry: true })).can_retry).toBe(true)
  expect((await thrown({ can_retry: false })).can_retry).toBe(false)
})

works('**`can_retry`**: Indicates if the request is retryable.', 'not said: no', async () => {
  expect([(await thrown({})).can_retry, (await thrown({ can_retry: 'yes' })).can_retry]).toEqual([false, false])
})

works('**`can_retry`**: Indicates if the request is retryable.', 'what the status of a server says of it', async () => {
  const busy = await call(await tool({}, http('/busy')))
  const broken = await call(await tool({}, http('/broken')))
  expect([busy.output.error.can_retry, broken.output.error.can_retry]).toEqual([true, false])
})

works('**`additional_prompt_content`**: Extra content to be used for retry prompts.', 'from code', async () => {
  expect(await thrown({ additional_prompt_content: 'Try 7' })).toEqual({
    message: 'No room',
    can_retry: false,
    additional_prompt_content: 'Try 7',
  })
})

works('**`additional_prompt_content`**: Extra content to be used for retry prompts.', 'what is no text', async () => {
  expect(await thrown({ additional_prompt_content: 7, developer_message: {} })).toEqual({
    message: 'No room',
    can_retry: false,
  })
})

works('**`retry_after_ms`**: Suggested delay before retrying.', 'from code, in whole milliseconds', async () => {
  expect((await thrown({ retry_after_ms: 250 })).retry_after_ms).toBe(250)
  expect((await thrown({ retry_after_ms: 250.2 })).retry_after_ms).toBe(251)
  expect((await thrown({ retry_after_ms: 0 })).retry_after_ms).toBe(0)
})

works('**`retry_after_ms`**: Suggested delay before retrying.', 'what is no delay', async () => {
  for (const retry_after_ms of [-1, '5', null])
    expect(await thrown({ retry_after_ms })).not.toHaveProperty('retry_after_ms')
})

works('**`retry_after_ms`**: Suggested delay before retrying.', 'the Retry-After of a server', async () => {
  const { output } = await call(await tool({}, http('/busy')))
  expect(output.error).toMatchObject({ can_retry: true, retry_after_ms: 7_000 })
})

works('Contains a `requires_authorization` object detailing:', 'all of it', async () => {
  const asked = await challenge(await reading(), 'whole')
  expect(asked).toEqual({
    id: expect.stringMatching(/^[\w-]{40,}$/),
    url: `${server.url}/authorizations/${asked.id}/start`,
    scopes: ['mail.read'],
    status: 'not_started',
  })
})

works('**`id`**: Identifier for tracking authorization status.', 'is followed', async () => {
  const name = await reading()
  const { id, url } = await challenge(name, 'followed')
  expect(await ask('GET', `/authorizations/${id}`)).toMatchObject({
    status: 200,
    body: { id, provider: 'acme', user_id: 'followed', scopes: ['mail.read'], status: 'not_started' },
  })
  const waiting = ask('GET', `/authorizations/${id}?wait=30`)
  await new HttpPerson().consent(url, 'followed')
  expect((await waiting).status).toBe(200)
  expect(await statusOf(id)).toBe('completed')
})

works('**`id`**: Identifier for tracking authorization status.', 'another user has another', async () => {
  const name = await reading()
  const [one, two] = [await challenge(name, 'user-one'), await challenge(name, 'user-two')]
  expect(one.id).not.toBe(two.id)
})

deviates(
  '**`id`**: Identifier for tracking authorization status.',
  'a token is asked for, and there is nothing to follow',
  '`requires_authorization.id`',
  async () => {
    const name = await tool({ requirements: { authorization: 'token' } })
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
  },
)

works(
  '**`url`**: Redirect URL for obtaining authorization.',
  'says who asks for what, and leads to the provider',
  async () => {
    const name = await reading()
    const { url } = await challenge(name, 'reader')
    const person = new HttpPerson()
    const page = await person.open(url)
    expect(page.status).toBe(200)
    for (const word of [`Rfc.${name}`, 'mail.read', 'reader', 'Acme']) expect(page.text).toContain(word)
    const there = await person.press(page, /continue/i)
    expect(there.url.startsWith(provider.issuer)).toBe(true)
  },
)

works('**`scopes`**: Array of authorization scopes required.', 'those of the tool', async () => {
  const oauth2 = { scopes: ['mail.read', 'mail.send'] }
  expect((await challenge(await reading({ ...OAUTH, oauth2 }), 'scoped')).scopes).toEqual(['mail.read', 'mail.send'])
})

works('**`scopes`**: Array of authorization scopes required.', 'none', async () => {
  const { oauth2: _, ...authorization } = OAUTH
  expect((await challenge(await reading(authorization), 'unscoped')).scopes).toEqual([])
})

works('**`scopes`**: Array of authorization scopes required.', 'more than were granted are asked for', async () => {
  const first = await reading()
  await new HttpPerson().consent((await challenge(first, 'more')).url, 'more')
  const asked = await challenge(await reading({ ...OAUTH, oauth2: { scopes: ['mail.send'] } }), 'more')
  expect(asked.scopes.toSorted()).toEqual(['mail.read', 'mail.send'])
})

works(
  '**`status`**: Current authorization status.',
  'of the next call, while the user is at the provider',
  async () => {
    const name = await reading()
    const first = await challenge(name, 'midway')
    const person = new HttpPerson()
    await person.press(await person.open(first.url), /continue/i)
    expect(await challenge(name, 'midway')).toEqual({ ...first, status: 'pending' })
  },
)

works('**`status`**: Current authorization status.', 'of an authorization that there is not', async () => {
  expect((await ask('GET', '/authorizations/made-up')).status).toBe(404)
})

const ARTIFACT = {
  url: 'https://x.test/a.csv',
  content_type: 'text/csv',
  size: 3,
  meta: { description: 'Rows' },
}
/** Returns the result of a tool with an invalid artifact. */
async function misshapen(change: object) {
  const name = await tool(
    withModes('artifact', 'error'),
    code(JSON.stringify({ artifact: { ...ARTIFACT, ...change } })),
  )
  const { success, output } = await call(name)
  expect({ success, message: output.error.message }).toEqual({
    success: false,
    message: 'The output does not match the output schema',
  })
  return output.error.developer_message
}

works('Contains an `artifact` object describing:', 'what code gives', async () => {
  const name = await tool(withModes('artifact', 'error'), code(JSON.stringify({ artifact: ARTIFACT })))
  const { success, output } = await call(name)
  expect({ success, output }).toEqual({ success: true, output: { artifact: ARTIFACT } })
})

works('Contains an `artifact` object describing:', 'of a bundled tool', async () => {
  const { body } = await send(requestOf({ name: 'Artifact', toolkit: 'Fixture', version: '1.0.0' }))
  expect(faultsOf.response(body)).toEqual([])
  expect(body.output.artifact).toMatchObject({ content_type: 'application/pdf', size: 1234 })
})

works('Contains an `artifact` object describing:', 'of a tool that does not declare the mode', async () => {
  const name = await tool({}, code(JSON.stringify({ artifact: ARTIFACT })))
  expect((await call(name)).output).toEqual({ value: { artifact: ARTIFACT } })
})

works('Contains an `artifact` object describing:', 'whoever calls in another dialect has it too', async () => {
  const name = await tool(withModes('artifact', 'error'), code(JSON.stringify({ artifact: ARTIFACT })))
  const oxp = await ask('POST', '/tools/call', { tool_id: `Rfc.${name}@1.0.0` })
  expect(oxp.body.result).toMatchObject({ success: true, value: { artifact: ARTIFACT } })
  const params = { name: `Rfc_${name}`, arguments: {} }
  const mcp = await ask('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  expect(mcp.body.result.content).toMatchObject([{ type: 'resource_link', uri: ARTIFACT.url, mimeType: 'text/csv' }])
})

/** Fetches a link of this deployment without a credential. */
async function lying(url: string) {
  const response = await fetch(url)
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

const LINK = /^http:.*\/artifacts\//
const LARGE = "'x'.repeat(409_600)"

works('Contains an `artifact` object describing:', 'a large value of a tool that gives values is none', async () => {
  const output = { available_modes: ['value', 'error'], value_schema: { val_type: 'string' } }
  const { success, output: given } = await call(await tool({ output }, code(LARGE)))
  expect([success, Object.keys(given), given.value.length]).toEqual([true, ['value'], 409_600])
})

works('Contains an `artifact` object describing:', 'a value of a tool that gives artifacts alone', async () => {
  const { success, output } = await call(await tool(withModes('artifact', 'error'), code('{ rows: [1] }')))
  expect({ success, output }).toEqual({
    success: true,
    output: {
      artifact: {
        url: expect.stringMatching(LINK),
        content_type: 'application/json',
        size: 12,
        meta: { description: expect.stringMatching(/^What the tool gave, until 20/) },
      },
    },
  })
})

works('Contains an `artifact` object describing:', 'a picture of a tool that declares no modes', async () => {
  const definition = {
    toolkit: 'RfcPictures',
    version: '1.0.0',
    definition: { name: 'show', inputSchema: { type: 'object' } },
    implementation: http('/image', { method: 'GET' }),
  }
  expect((await ask('POST', '/tools', definition)).status).toBe(201)
  const { body } = await send(requestOf({ name: 'show', toolkit: 'RfcPictures', version: '1.0.0' }))
  expect(body.output.artifact).toMatchObject({ url: expect.stringMatching(LINK), size: 5 })
})

deviates(
  'Contains an `artifact` object describing:',
  'what is larger than the call wants lies elsewhere, and whole',
  'Artifacts (4.3)',
  async () => {
    const name = await tool({}, code(LARGE))
    const { body } = await send(rfc(name, { context: { inline_bytes: 100_000 } }))
    expect(body).toMatchObject({
      success: true,
      output: {
        artifact: {
          url: expect.stringContaining(`${server.url}/artifacts/`),
          content_type: 'text/plain',
          size: 409_600,
          meta: { description: expect.stringContaining(`The output of Rfc.${name}@1.0.0, until `) },
        },
      },
    })
    const { status, text } = await lying(body.output.artifact.url)
    expect([status, text === 'x'.repeat(409_600)]).toEqual([200, true])
  },
)

deviates('Contains an `artifact` object describing:', 'a large object is JSON there', 'Artifacts (4.3)', async () => {
  const name = await tool({}, code('{ rows: Array.from({ length: 50_000 }, (_, row) => ({ row })) }'))
  const { output } = (await send(rfc(name, { context: { inline_bytes: 100_000 } }))).body
  expect(output.artifact.content_type).toBe('application/json')
  const { rows } = JSON.parse((await lying(output.artifact.url)).text)
  expect([rows.length, rows[49_999]]).toEqual([50_000, { row: 49_999 }])
})

works('Contains an `artifact` object describing:', 'a value that an answer has room for is none', async () => {
  const { output } = await call(await tool({}, code("'x'.repeat(3_900_000)")))
  expect(Object.keys(output)).toEqual(['value'])
  expect(output.value.length).toBe(3_900_000)
})

works('**`url`**: Location of the stored artifact.', 'what no agent may open', async () => {
  for (const url of ['javascript:alert(1)', 'file:///etc/passwd', '/a']) {
    expect(await misshapen({ url })).toBe("/artifact/url: Must be an 'https:', 'http:' or 'data:' URL, got a string")
  }
})

deviates(
  '**`url`**: Location of the stored artifact.',
  'bytes of a server lie behind a link of their own',
  '`artifact.url`: "location of the stored artifact"',
  async () => {
    const name = await tool(withModes('artifact', 'error'), http('/pdf', { method: 'GET' }))
    const { output } = await call(name)
    expect((await lying(output.artifact.url)).text).toBe('%PDF')
    expect(output).toEqual({
      artifact: {
        url: expect.stringMatching(/\/artifacts\/[\w-]+\?expires=\d+&signature=[\w-]+$/),
        content_type: 'application/pdf',
        size: 4,
        meta: { description: expect.stringMatching(/\w/) },
      },
    })
  },
)

deviates(
  '**`url`**: Location of the stored artifact.',
  'a link that was changed leads nowhere',
  '`artifact.url`: "location of the stored artifact"',
  async () => {
    const { output } = await call(await tool(withModes('artifact', 'error'), http('/pdf', { method: 'GET' })))
    const url = new URL(output.artifact.url)
    for (const field of ['expires', 'signature']) {
      const changed = new URL(url)
      changed.searchParams.set(field, `${url.searchParams.get(field)}0`)
      const { status, text } = await lying(changed.href)
      expect(status, field).toBeGreaterThanOrEqual(400)
      expect(status, field).toBeLessThan(500)
      expect(text).not.toContain('%PDF')
    }
    expect(await lying(url.href)).toEqual({ status: 200, type: 'application/pdf', text: '%PDF' })
  },
)

works('**`content_type`**: MIME type of the artifact.', 'of bytes, what the server declares', async () => {
  const name = await tool(withModes('artifact', 'error'), http('/image', { method: 'GET' }))
  expect((await call(name)).output.artifact.content_type).toBe('image/png')
})

works('**`content_type`**: MIME type of the artifact.', 'none', async () => {
  expect(await misshapen({ content_type: '' })).toBe(
    '/artifact/content_type: Must be a string of 1 to 256 characters, got a string',
  )
})

works('**`size`**: Size of the artifact in bytes.', 'of bytes, how many they are', async () => {
  const name = await tool(withModes('artifact', 'error'), http('/image', { method: 'GET' }))
  expect((await call(name)).output.artifact.size).toBe('image'.length)
})

works('**`size`**: Size of the artifact in bytes.', 'what is none', async () => {
  for (const size of [-1, 1.5, '3']) expect(await misshapen({ size })).toMatch(/^\/artifact\/size: Must be an integer/)
})

works('**`meta`**: Metadata including a human-readable description.', 'without one', async () => {
  expect(await misshapen({ meta: {} })).toBe('/artifact/meta/description: Is required')
  expect(await misshapen({ meta: 'Rows' })).toBe('/artifact/meta: Must be an object, got a string')
})

works(
  'The Tool Response Schema ensures that every response provides clear and actionable information regarding the outcome of the tool call.',
  'what cannot be done is said with what can be',
  async () => {
    const { body } = await send(requestOf({ name: 'Ad', toolkit: 'Calculator', version: '1.0.0' }))
    expect(body.output.error).toMatchObject({
      message: expect.stringContaining('Calculator.Add'),
      developer_message: 'GET /worker/tools lists the tools',
    })
  },
)

aside('## 5. Communication Flow', '1. **Tool Registration:**')

works('Tools register themselves using the Tool Definition Schema.', '', async () => {
  const definition = definitionOf('Registered', { $schema: DEFINITION_SCHEMA, description: 'Registers itself' })
  expect(faultsOf.definition(definition)).toEqual([])
  const { status, body } = await publish(definition, ECHO)
  expect({ status, body }).toEqual({ status: 201, body: { ids: ['Rfc.Registered@1.0.0'] } })
})

works('Registries use this information for tool discovery', 'in its list', async () => {
  const name = await tool({ description: 'To be found' })
  expect(await listed(`Rfc.${name}@1.0.0`)).toMatchObject({ name, description: 'To be found' })
})

works('Registries use this information for tool discovery', 'by its words', async () => {
  await tool({ description: 'Plays the glockenspiel' })
  const { body } = await ask('GET', '/tools?q=glockenspiel')
  expect(body.items.map(({ description }: { description: string }) => description)).toEqual(['Plays the glockenspiel'])
})

deviates(
  'Registries use this information for tool discovery',
  'by pages, for which the RFC has no words',
  '"Registries use this information for tool discovery"',
  async () => {
    const path = '/tools?format=open-tool-calling&limit=2'
    const first = (await ask('GET', path)).body
    const second = (await ask('GET', `${path}&cursor=${first.next_cursor}`)).body
    expect([first.items.length, second.items.length]).toEqual([2, 2])
    const names = [...first.items, ...second.items].map(({ fully_qualified_name: name }) => name)
    expect(new Set(names).size).toBe(4)
  },
)

works('and client-side validation.', 'a client has the schema that inputs are held to', async () => {
  const input = { parameters: [parameter('p', { val_type: 'string', enum: ['x'] }, { required: true })] }
  const name = await tool({ input })
  const { body } = await ask('GET', `/tools/Rfc.${name}?format=mcp`)
  expect(body.inputSchema).toEqual({
    type: 'object',
    properties: { p: { type: 'string', enum: ['x'] } },
    required: ['p'],
  })
  expect((await call(name, { p: 'y' })).output.error.message).toBe("Some inputs are not valid: p: Must be one of 'x'")
})

aside('2. **Invocation:**')

works('An agent creates a tool request following the Tool Request Schema.', '', async () => {
  const request = adding()
  expect(faultsOf.request(request)).toEqual([])
  expect((await send(request)).body.output).toEqual({ value: 3 })
})

works(
  'The request includes necessary input parameters, context, and unique identifiers for tracking.',
  'the log tells them by these',
  async () => {
    const request = adding({ run_id: 'tracked-run', execution_id: 'tracked-execution' })
    await send(request)
    await expect.poll(server.printed).toContain('tracked-execution')
    const line = server
      .printed()
      .split('\n')
      .find((each) => each.includes('tracked-execution'))
    expect(JSON.parse(line ?? '')).toMatchObject({ trace_id: 'tracked-run', tool: 'Calculator.Add@1.0.0' })
  },
)

aside('3. **Execution:**')

works('The tool processes the request based on its implementation and the provided schema.', '', async () => {
  const input = { parameters: [parameter('n', { val_type: 'integer' }, { required: true })] }
  const name = await tool({ input }, code('input.n * 2'))
  expect((await call(name, { n: 21 })).output).toEqual({ value: 42 })
  expect((await call(name, { n: 2.5 })).output.error.message).toBe('Some inputs are not valid: n: Must be an integer')
})

works('Execution metrics such as duration and timestamps are recorded.', 'in the log', async () => {
  await send(adding({ execution_id: 'measured-execution' }))
  await expect.poll(server.printed).toContain('measured-execution')
  const line = server
    .printed()
    .split('\n')
    .find((each) => each.includes('measured-execution'))
  expect(JSON.parse(line ?? '')).toMatchObject({ outcome: 'success', duration_ms: expect.any(Number) })
})

aside('4. **Response:**')

works('Upon completion, the tool returns a response conforming to the Tool Response Schema.', '', async () => {
  const { body } = await send(adding())
  expect(faultsOf.response(body)).toEqual([])
  expect(body).toMatchObject({ success: true, output: { value: 3 } })
})

works(
  'The response provides either a successful output, an error, authorization instructions, or artifact information.',
  'from the challenge, through the consent, to the output',
  async () => {
    const name = await reading()
    const { id, url } = await challenge(name, 'flow')
    await new HttpPerson().consent(url, 'flow')
    expect(await statusOf(id)).toBe('completed')
    const { success, output } = await call(name, {}, { user_id: 'flow' })
    expect({ success, output }).toEqual({
      success: true,
      output: { value: { account: 'flow', scopes: expect.arrayContaining(['mail.read']) } },
    })
  },
)

works(
  'The response provides either a successful output, an error, authorization instructions, or artifact information.',
  'what is taken back is asked for again',
  async () => {
    const name = await reading()
    await new HttpPerson().consent((await challenge(name, 'taken-back')).url, 'taken-back')
    expect((await call(name, {}, { user_id: 'taken-back' })).success).toBe(true)
    const gone = await ask('DELETE', '/users/taken-back/grants/acme')
    expect(gone.status).toBe(204)
    expect((await challenge(name, 'taken-back')).status).toBe('not_started')
  },
)

aside('- **Authorization:**', '- **Secrets Management:**', '- **Contextual Security:**')
aside('## 6. Security and Authorization', 'Security is a critical component … The following measures are incorporated:')

works(
  'Tools may require token-based or other forms of authorization, as specified in the `requirements.authorization` field of the Tool Definition Schema.',
  'token-based',
  async () => {
    const name = await tool({ requirements: { authorization: 'token' } }, code('"let in"'))
    expect((await call(name)).success).toBe(false)
    expect((await call(name, {}, { authorization: { token: 'T' } })).output).toEqual({ value: 'let in' })
  },
)

deviates(
  'Tools may require token-based or other forms of authorization, as specified in the `requirements.authorization` field of the Tool Definition Schema.',
  'a type that no provider has is refused',
  '`provider_type`: "token-based or other forms" (6)',
  async () => {
    const requirements = { authorization: { provider_id: 'acme', provider_type: 'certificate' } }
    expect(await faults(definitionOf('Keyed', { requirements }))).toEqual([
      {
        path: '/definition/requirements/authorization/provider_type',
        message: expect.stringMatching(/^Must be one of 'oauth2', 'token', 'api_key', .*, got 'certificate'/),
      },
    ])
  },
)

works(
  'Tools may require token-based or other forms of authorization, as specified in the `requirements.authorization` field of the Tool Definition Schema.',
  'a grant is that of one user',
  async () => {
    const name = await reading()
    await new HttpPerson().consent((await challenge(name, 'owner')).url, 'owner')
    expect((await call(name, {}, { user_id: 'owner' })).output.value.account).toBe('owner')
    expect((await challenge(name, 'somebody-else')).status).toBe('not_started')
  },
)

works('Sensitive information is handled via the `requirements.secrets` field.', 'what is not in it', async () => {
  const credentials = [{ secret: 'DEPLOYED_KEY', in: 'header', name: 'X-Key' }]
  const { status, body } = await publish(definitionOf('Undeclared'), http('/undeclared', { credentials }))
  expect({ status, errors: body.errors }).toEqual({
    status: 422,
    errors: [{ path: '/implementation/credentials/0/secret', message: expect.stringContaining("'DEPLOYED_KEY'") }],
  })
})

works('Sensitive information is handled via the `requirements.secrets` field.', 'of a tool that may not', async () => {
  const definition = definitionOf('Greedy', {
    fully_qualified_name: 'Greedy.Greedy@1.0.0',
    toolkit: { name: 'Greedy', version: '1.0.0' },
    requirements: { secrets: [{ key_id: 'DEPLOYED_KEY' }] },
  })
  expect((await publish(definition, ECHO)).status).toBe(201)
  const { body } = await send(requestOf({ name: 'Greedy', toolkit: 'Greedy', version: '1.0.0' }))
  expect(body.output.error.developer_message).toBe(
    "TOOL_SECRETS does not let 'Greedy.Greedy' have the secret 'DEPLOYED_KEY'",
  )
})

works('Sensitive information is handled via the `requirements.secrets` field.', 'is in no answer', async () => {
  const requirements = { secrets: [{ key_id: 'DEPLOYED_KEY' }] }
  const credentials = [{ secret: 'DEPLOYED_KEY', in: 'header', name: 'X-Key' }]
  const name = await tool({ requirements }, http('/repeated', { credentials }))
  const { success, output } = await call(name)
  expect({ success, key: output.value.headers['x-key'] }).toEqual({ success: true, key: '[redacted]' })
})

works(
  'The Tool Request Schema includes contextual information such as user identity and authorization tokens, which help ensure secure execution.',
  'a token is in no answer, and no log',
  async () => {
    const credentials = [{ authorization: 'token', in: 'header', name: 'X-Token', format: '{value}' }]
    const name = await tool({ requirements: { authorization: 'token' } }, http('/seen', { credentials }))
    const body = await call(name, {}, { authorization: { token: 'a-token-to-be-hidden' } })
    expect(body.output.value.headers['x-token']).toBe('[redacted]')
    expect(server.printed()).not.toContain('a-token-to-be-hidden')
  },
)

/** Creates a key as an administrator. */
async function keyOf(given: object) {
  const { status, body } = await ask('POST', '/keys', {
    name: 'an agent',
    scopes: ['tools:read', 'tools:call'],
    ...given,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return bearer(body.key)
}

works(
  'The Tool Request Schema includes contextual information such as user identity and authorization tokens, which help ensure secure execution.',
  'of a user for whom the agent may not act',
  async () => {
    const name = await reading()
    const key = await keyOf({ tools: ['Rfc.*'], users: ['ann'] })
    const { status, body } = await sendAs(key, rfc(name, { context: { user_id: 'bob' } }))
    expect({ status, fields: Object.keys(body) }).toMatchObject({ status: 403, fields: ['detail', 'message'] })
    const own = await sendAs(key, rfc(name, { context: { user_id: 'ann' } }))
    expect(own.body.output.requires_authorization.status).toBe('not_started')
  },
)

works(
  'These security measures are intended to protect the integrity of tool interactions and ensure that only authorized agents can invoke tool functions.',
  'nobody in particular',
  async () => {
    for (const headers of [{}, bearer('made-up')]) {
      const { status, headers: answered, body } = await sendAs(headers, adding())
      expect(status).toBe(401)
      expect(answered.get('www-authenticate')).toMatch(/^Bearer/)
      expect(Object.keys(body)).toEqual(['detail', 'message'])
      expect((await server.json('GET', '/worker/tools', undefined, headers)).status).toBe(401)
    }
  },
)

works('ensure that only authorized agents can invoke tool functions.', 'an agent, its tools alone', async () => {
  const key = await keyOf({ tools: ['Calculator.*'] })
  expect((await sendAs(key, adding())).body.output).toEqual({ value: 3 })
  const hidden = await sendAs(key, requestOf({ name: 'add', toolkit: 'Arithmetic', version: '1.0.0' }))
  const unknown = await sendAs(key, requestOf({ name: 'add', toolkit: 'Nowhere', version: '1.0.0' }))
  expect([hidden.status, unknown.status]).toEqual([403, 403])
  const told = ({ body }: typeof hidden) => JSON.stringify(body).replaceAll(/Arithmetic|Nowhere/g, 'it')
  expect(told(hidden)).toBe(told(unknown))
  const { body } = await server.json('GET', '/worker/tools', undefined, key)
  const toolkits = new Set(body.map((each: { toolkit: { name: string } }) => each.toolkit.name))
  expect([...toolkits]).toEqual(['Calculator'])
})

works('ensure that only authorized agents can invoke tool functions.', 'one that may only read', async () => {
  const key = await keyOf({ tools: ['*'], scopes: ['tools:read'] })
  expect((await server.json('GET', '/worker/tools', undefined, key)).status).toBe(200)
  expect((await sendAs(key, adding())).status).toBe(403)
})

works('ensure that only authorized agents can invoke tool functions.', 'an engine that shares a secret', async () => {
  const signed = (audience: string, secret = WORKER_SECRET) =>
    new SignJWT({ ver: '1' })
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(audience)
      .setExpirationTime('1m')
      .sign(new TextEncoder().encode(secret))
  expect((await sendAs(bearer(await signed('worker')), adding())).body.output).toEqual({ value: 3 })
  expect((await sendAs(bearer(await signed('other')), adding())).status).toBe(401)
  expect((await sendAs(bearer(await signed('worker', `${WORKER_SECRET}x`)), adding())).status).toBe(401)
})

aside('- **Extensibility:**', '- **Versioning:**')
aside('## 7. Extensibility and Versioning', 'The Open Tool Calling Standard is designed to be extensible.')

works(
  'New parameters or response types can be added as additional properties in the respective schemas.',
  'in the inputs and in the context',
  async () => {
    const name = await tool({})
    const { body } = await send(rfc(name, { inputs: { added: 1 }, context: { added: 2 } }))
    expect(body.output).toEqual({ value: { added: 1 } })
  },
)

works(
  'New parameters or response types can be added as additional properties in the respective schemas.',
  'in the request itself, and in its tool',
  async () => {
    const tool = { ...ADD, channel: 'beta' }
    const { status, body } = await send(requestOf(tool, { inputs: { a: 1, b: 2 }, priority: 1 }))
    expect([status, body.output]).toEqual([200, { value: 3 }])
  },
)

deviates(
  'New parameters or response types can be added as additional properties in the respective schemas.',
  'one that is nearly the name of another',
  '"New parameters … can be added as additional properties"',
  async () => {
    expect(await refusal(adding({ input: { a: 1 } }))).toEqual([
      400,
      expect.stringContaining("Unknown field 'input' (meant 'inputs'?)"),
    ])
  },
)

/** Publishes a version of a tool with these parameters in its own toolkit. */
const version = (toolkit: string, number: string, ...parameters: object[]) =>
  publish(
    definitionOf('Grown', {
      fully_qualified_name: `${toolkit}.Grown@${number}`,
      toolkit: { name: toolkit, version: number },
      input: { parameters },
    }),
    code(`({ version: ${JSON.stringify(number)}, ...input })`),
  )
const text = { val_type: 'string' }

works('The use of JSON Schema allows for backward-compatible extensions.', 'a new optional parameter', async () => {
  expect((await version('Compatible', '1.0.0', parameter('a', text))).status).toBe(201)
  expect((await version('Compatible', '1.1.0', parameter('a', text), parameter('b', text))).status).toBe(201)
  const { body } = await send(requestOf({ name: 'Grown', toolkit: 'Compatible' }, { inputs: { a: 'x' } }))
  expect(body.output).toEqual({ value: { version: '1.1.0', a: 'x' } })
})

works('The use of JSON Schema allows for backward-compatible extensions.', 'what is none', async () => {
  expect((await version('Breaking', '1.0.0', parameter('a', text))).status).toBe(201)
  const added = parameter('b', text, { required: true })
  const { status, body } = await version('Breaking', '1.1.0', parameter('a', text), added)
  expect({ status, errors: body.errors }).toEqual({
    status: 422,
    errors: [{ path: '/definition/input/parameters', message: expect.stringMatching(/\bb\b|major/i) }],
  })
  expect((await version('Breaking', '2.0.0', parameter('a', text), added)).status).toBe(201)
})

works('Each toolkit and tool definition must include a version identifier.', 'without one', async () => {
  expect(await faults(definitionOf('Any', { toolkit: { name: 'Rfc' } }))).toEqual([
    { path: '/definition/toolkit/version', message: 'Is required' },
  ])
})

works('Each toolkit and tool definition must include a version identifier.', 'every one that is listed', async () => {
  const { body } = await ask('GET', '/worker/tools')
  expect(body.length).toBeGreaterThan(10)
  for (const { fully_qualified_name, toolkit } of body)
    expect(toolkit.version, fully_qualified_name).toMatch(/^\d+\.\d+\.\d+/)
})

works('Each toolkit and tool definition must include a version identifier.', 'before a release', async () => {
  expect((await version('Early', '1.0.0-rc.1')).body).toEqual({ ids: ['Early.Grown@1.0.0-rc.1'] })
  const { body } = await send(requestOf({ name: 'Grown', toolkit: 'Early', version: '1.0.0-rc.1' }))
  expect(body.output).toEqual({ value: { version: '1.0.0-rc.1' } })
})

deviates(
  'Each toolkit and tool definition must include a version identifier.',
  'of the tool itself: left out, or that of its toolkit',
  '"each toolkit and tool definition must include a version identifier" (7)',
  async () => {
    expect((await publish(definitionOf('Unversioned'), ECHO)).status).toBe(201)
    expect((await publish(definitionOf('Versioned', { version: '1.0.0' }), ECHO)).status).toBe(201)
    expect(await faults(definitionOf('Other', { version: '2.0.0' }))).toEqual([
      { path: '/definition/version', message: "Must be the version of its toolkit, '1.0.0', or left out" },
    ])
  },
)

deviates(
  'Each toolkit and tool definition must include a version identifier.',
  'in another form: the version that it says',
  '`toolkit.version`: "an identifier"',
  async () => {
    for (const [identifier = '', meant] of [
      ['v1', '1.0.0'],
      ['1', '1.0.0'],
      ['1.0', '1.0.0'],
      ['2024-05-01', '2024.5.1'],
    ]) {
      const toolkit = { name: `Kit_${identifier.replaceAll(/\W/g, '_')}`, version: identifier }
      const id = `${toolkit.name}.Other`
      const definition = definitionOf('Other', { fully_qualified_name: id, toolkit })
      expect((await publish(definition, ECHO)).body).toEqual({
        ids: [`${id}@${meant}`],
        warnings: [{ path: '/definition/toolkit/version', message: `Is taken as '${meant}'` }],
      })
      expect((await listed(id)).toolkit).toEqual({ name: toolkit.name, version: meant })
      for (const version of [identifier, meant]) {
        const { body } = await send(requestOf({ name: 'Other', toolkit: toolkit.name, version }, { inputs: { a: 1 } }))
        expect(body.output).toEqual({ value: { a: 1 } })
      }
    }
  },
)

deviates(
  'Each toolkit and tool definition must include a version identifier.',
  'in a form that says none',
  '`toolkit.version`: "an identifier"',
  async () => {
    for (const number of ['latest', '1.0.0.0', '2024-5-1', 'v']) {
      const toolkit = { name: 'Rfc', version: number }
      expect(await faults(definitionOf('Other', { fully_qualified_name: 'Rfc.Other', toolkit }))).toEqual([
        {
          path: '/definition/toolkit/version',
          message: expect.stringContaining('Must be a version of the form x.y.z, such as '),
        },
      ])
    }
  },
)

deviates(
  'Each toolkit and tool definition must include a version identifier.',
  'in another form, with one beside it, which is listed',
  '`toolkit.version`: "an identifier"',
  async () => {
    const given = { fully_qualified_name: 'Dated.Dated', toolkit: { name: 'Dated', version: '2024-05-01' } }
    const { body } = await publish(definitionOf('Dated', given), ECHO, { version: '3.0.0' })
    expect(body).toMatchObject({ ids: ['Dated.Dated@3.0.0'] })
    expect((await listed('Dated.Dated')).toolkit).toEqual({ name: 'Dated', version: '3.0.0' })
    const request = requestOf({ name: 'Dated', toolkit: 'Dated', version: '3.0.0' }, { inputs: { a: 1 } })
    expect((await send(request)).body.output).toEqual({ value: { a: 1 } })
  },
)

works(
  'The `$schema` field in each schema helps ensure that both agents and tools are interpreting data according to the correct schema version.',
  'in a definition',
  async () => {
    expect((await listed('Calculator.Add@1.0.0')).$schema).toBe(DEFINITION_SCHEMA)
    expect((await faults(definitionOf('Any', { $schema: 'urn:otc:2.0' })))[0]).toMatchObject({
      path: '/definition/$schema',
    })
  },
)

works('The `$schema` field in each schema helps ensure', 'in a request: that of the RFC', async () => {
  const moved = REQUEST_SCHEMA.replace('ArcadeAI/OpenToolCalling', 'OpenToolCalling/Specification')
  for (const $schema of [REQUEST_SCHEMA, moved, null]) {
    expect((await send(adding({ $schema }))).body.output).toEqual({ value: 3 })
  }
})

deviates(
  'The `$schema` field in each schema helps ensure',
  'in a request: another',
  '`$schema`: "URI defining the JSON Schema version"',
  async () => {
    const { status, body } = await send(adding({ $schema: 'urn:otc:2.0' }))
    expect(status).toBe(400)
    expect(body.message).toContain('urn:otc:2.0')
    expect(JSON.stringify(body)).toContain(REQUEST_SCHEMA)
    expect((await send(adding({ $schema: DEFINITION_SCHEMA }))).status).toBe(400)
  },
)

works('The `$schema` field in each schema helps ensure', 'in a response, also of a failure', async () => {
  expect((await send(adding())).body.$schema).toBe(RESPONSE_SCHEMA)
  expect((await send(adding({ inputs: {} }))).body).toMatchObject({ $schema: RESPONSE_SCHEMA, success: false })
})

works(
  'Proper versioning guarantees that changes to the standard do not disrupt existing implementations.',
  'who calls a version goes on calling it',
  async () => {
    expect((await version('Kept', '1.0.0', parameter('a', text))).status).toBe(201)
    expect((await version('Kept', '2.0.0', parameter('b', text, { required: true }))).status).toBe(201)
    const request = requestOf({ name: 'Grown', toolkit: 'Kept', version: '1.0.0' }, { inputs: { a: 'x' } })
    expect((await send(request)).body.output).toEqual({ value: { version: '1.0.0', a: 'x' } })
  },
)

works(
  'Proper versioning guarantees that changes to the standard do not disrupt existing implementations.',
  'a version never changes',
  async () => {
    expect((await version('Fixed', '1.0.0', parameter('a', text))).status).toBe(201)
    const { status, body } = await version('Fixed', '1.0.0', parameter('b', text))
    expect({ status, message: body.message }).toEqual({
      status: 409,
      message:
        "'Fixed.Grown@1.0.0' is published already, and a version never changes: publish it under a higher version",
    })
  },
)

aside('## 8. Conclusion', 'The Open Tool Calling Standard provides a robust framework … across multiple platforms.')
aside('## 9. References', '- JSON Schema Validation Specification, [http://json-schema.org](http://json-schema.org)')

whole()

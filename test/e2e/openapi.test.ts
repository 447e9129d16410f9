import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE_OPERATIONS_A_CALL, EXAMPLES_A_YAML, OPERATIONS_A_CALL } from '../extent.ts'
import { expectArrived, type Sent } from '../importers/openapi/arrival.ts'
import { type Any, type Described, operationsOf, resolve, sample } from '../importers/openapi/sample.ts'
import { type Arrived, type Upstream, startUpstream } from '../upstream.ts'
import { type RunningServer, startApp } from './server.ts'

const require = createRequire(import.meta.url)
const GITHUB = join(dirname(require.resolve('@octokit/openapi/package.json')), 'generated/api.github.com.json')
/** Administrator key of a deployment that another calls. */
const KEY = 'a-key-of-the-other-deployment'
const EXAMPLES = dirname(require.resolve('@readme/oas-examples/package.json'))

let upstream: Upstream
let server: RunningServer
/** The upstream's next response, and the documents that it serves under /documents. */
let answer: { status: number; type?: string; body: string } = { status: 200, type: 'application/json', body: '{}' }
const documents = new Map<string, string | Buffer>()

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    const document = documents.get(url)
    if (document !== undefined) response.writeHead(200).end(document)
    else response.writeHead(answer.status, answer.type ? { 'content-type': answer.type } : {}).end(answer.body)
  })
  server = await startApp({ vars: { ALLOW_HTTP_HOSTS: upstream.host } })
})
afterAll(async () => {
  await Promise.all([server?.stop(), upstream?.close()])
})

function importOf(openapi: unknown, toolkit: string, more: object = {}, query = '') {
  return server.json('POST', `/toolkits/import${query}`, { from: { openapi }, toolkit, ...more })
}

/** Operations that are examples of inputs that no value satisfies. */
const UNSATISFIABLE = [
  'directCircular',
  'quirks_entirelyIncompatibleAllOf',
  'quirks_incompatibleNestedAllOf',
  'quirks_partiallyUsableIncompatibleAllOf',
]

/** Calls the tools of all operations, even if one fails. */
async function callAll(operations: readonly Described[], tools: readonly Any[]): Promise<void> {
  const byPlace = new Map(tools.map((tool) => [`${tool.method} ${tool.path}`, tool]))
  const disappointments: string[] = []
  for (const described of operations) {
    const tool = byPlace.get(`${described.method} ${described.path}`)
    if (!tool || UNSATISFIABLE.includes(described.operation.operationId)) continue
    await callAndExpect(tool, described).catch((error) => disappointments.push(String(error).slice(0, 900)))
  }
  expect(disappointments).toEqual([])
}

/** Calls an operation's tool with every input, and checks the request and the output. */
async function callAndExpect(tool: Any, described: Described): Promise<void> {
  const { root, parameters, body, operation, method } = described
  const { body: definition } = await server.json('GET', `/tools/${encodeURIComponent(tool.id)}`)
  const inputs = Object.keys(definition.input_schema.parameters.properties)
  const input: Record<string, unknown> = {}
  const sent: { parameters: Sent['parameters'][number][]; body?: unknown } = { parameters: [] }
  const order = ['path', 'query', 'header', 'cookie']
  for (const parameter of parameters.toSorted((a, b) => order.indexOf(a.in) - order.indexOf(b.in))) {
    const plain = parameter.name
      .replace(/[^A-Za-z0-9_.-]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .slice(0, 64)
    const name = [parameter.name, plain, `${parameter.in}_${plain}`].find(
      (each) => inputs.includes(each) && !(each in input),
    )
    if (name === undefined) continue
    const schema = parameter.schema ?? Object.values<Any>(parameter.content ?? {})[0]?.schema ?? {}
    let value = sample(root, schema, 'request')
    // Headers are one line of Latin-1, without commas, which separate values
    if (parameter.in === 'header') value = plainly(value)
    if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) continue
    // A delimiter inside an item cannot be distinguished from one between items
    if (parameter.style === 'spaceDelimited' || parameter.style === 'pipeDelimited') value = plainly(value)
    if (parameter.style === 'label') value = plainly(value)
    input[name] = value
    sent.parameters.push({ parameter, value })
  }
  if (body && method !== 'GET' && method !== 'HEAD') {
    const value = bodySample(described)
    const owns = Object.keys(value ?? {}).map((name) => {
      const plain = name
        .replace(/[^A-Za-z0-9_.-]+/g, '_')
        .replace(/^_+|_+$/g, '')
        .slice(0, 64)
      return [name, plain, `body_${plain}`].find((each) => inputs.includes(each) && !(each in input))
    })
    if (inputs.includes('body') && (typeof value !== 'object' || owns.includes(undefined) || owns.length === 0)) {
      input['body'] = sent.body = value
    } else {
      expect(owns, JSON.stringify([tool.id, inputs, value])).not.toContain(undefined)
      Object.values<Any>(value).forEach((each, index) => (input[owns[index] ?? ''] = each))
      sent.body = value
    }
  }
  answer = answerOf(described)
  upstream.arrived.length = 0
  const secrets = (tool.requirements?.secrets ?? []).map(({ id }: Any) => ({
    id,
    value: `value of ${id}`.replaceAll(' ', '-'),
  }))
  const authorization = (tool.requirements?.authorization ?? []).map(({ id }: Any) => ({ id, token: `token-of-${id}` }))
  const called = await server.json('POST', '/tools/call', {
    tool_id: tool.id,
    input,
    context: { user_id: 'ann', secrets, authorization },
  })
  const told = `${tool.id} ${JSON.stringify(input).slice(0, 400)} → ${JSON.stringify(called.body).slice(0, 600)}`
  expect(called.body.result, told).toMatchObject({ success: true })
  if (answer.type === 'application/json') expect(called.body.result.value).toEqual(JSON.parse(answer.body))
  expect(upstream.arrived, told).toHaveLength(1)
  expectArrived(upstream.arrived[0]!, described, sent)
  expectSecured(upstream.arrived[0]!, root, operation)
}

function plainly(value: Any): Any {
  if (typeof value === 'string') return value.replace(/[^A-Za-z0-9-]/g, '') || 'x'
  if (Array.isArray(value)) return value.map(plainly)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainly(each)]))
  }
  return value
}

function bodySample({ root, body }: Described): Any {
  const { type = '', schema } = body ?? {}
  const isText = type.startsWith('text/') || type.includes('xml')
  if (isText) return '# text'
  if (!/json|form|\*/.test(type)) return { filename: 'a.bin', data: btoa('bytes') }
  const value = sample(root, schema, 'request')
  const properties = resolve(root, schema)?.properties ?? {}
  if (!type.includes('multipart')) return value
  const file = { filename: 'a.txt', data: btoa('the file') }
  return Object.fromEntries(
    Object.entries<Any>(value).map(([name, each]) => {
      const part = resolve(root, properties[name])
      const isFile = (one: Any) =>
        one?.type === 'file' || one?.format === 'binary' || one?.contentMediaType !== undefined
      if (isFile(part)) return [name, file]
      return [name, isFile(part?.items) ? [file, file] : each]
    }),
  )
}

/** Returns the response that the description specifies, with only the required properties. */
function answerOf({ root, operation, method }: Described): typeof answer {
  const entries = Object.entries<Any>(operation.responses ?? {}).filter(([status]) => status.startsWith('2'))
  const [[status, given] = ['200', {}]] = entries
  const response = resolve(root, given)
  const code = /^\d+$/.test(status) ? Number(status) : 200
  if (code === 204 || method === 'HEAD') return { status: code, body: '' }
  const content = root.swagger && response.schema ? { 'application/json': response } : (response.content ?? {})
  const types = Object.keys(content)
  const type = types.find((each) => each === 'application/json') ?? types.find((each) => each.includes('json'))
  if (type === undefined) return { status: code, type: 'text/plain', body: 'some text' }
  return {
    status: code,
    type: 'application/json',
    body: JSON.stringify(sample(root, content[type].schema ?? {}, 'response')),
  }
}

/** Checks that the request satisfies one of the operation's security alternatives. */
function expectSecured({ url, headers }: Arrived, root: Any, operation: Any): void {
  const schemes = root.components?.securitySchemes ?? root.securityDefinitions ?? {}
  const alternatives: Any[] = operation.security ?? root.security ?? []
  const carries = (name: string): boolean => {
    const scheme = resolve(root, schemes[name]) ?? {}
    const authorization = headers.authorization ?? ''
    if (scheme.type === 'apiKey' && scheme.in === 'query')
      return new URLSearchParams(url.split('?')[1]).has(scheme.name)
    if (scheme.type === 'apiKey' && scheme.in === 'cookie')
      return (headers.cookie ?? '').includes(`${scheme.name}=value-of`)
    if (scheme.type === 'apiKey') return String(headers[scheme.name.toLowerCase()]).startsWith('value-of-')
    if (scheme.type === 'basic' || scheme.scheme === 'basic') {
      return (
        authorization.startsWith('Basic ') &&
        /^value-of-.*_USERNAME:value-of-.*_PASSWORD$/.test(atob(authorization.replace('Basic ', '')))
      )
    }
    return /^Bearer (?:value-of|token-of)-/.test(authorization)
  }
  const isMet = alternatives.length === 0 || alternatives.some((each) => Object.keys(each).every(carries))
  expect(isMet, JSON.stringify([alternatives, headers])).toBe(true)
}

describe("GitHub's whole API", () => {
  let root: Any
  beforeAll(() => {
    root = JSON.parse(readFileSync(GITHUB, 'utf8'))
  })

  it(
    "GitHub's whole API is imported in one request, without skipped operations, and can be called as described",
    { timeout: 300_000 },
    async () => {
      const operations = operationsOf(root)
      const imported = await importOf(root, 'GitHub', { base_url: upstream.origin })
      expect(imported.status, JSON.stringify(imported.body).slice(0, 500) + server.printed().slice(-1500)).toBe(201)
      expect(imported.body.skipped).toEqual([])
      expect(imported.body.ids).toHaveLength(operations.length)
      expect(imported.body.ids).toContain('GitHub.repos_get@23.0.2')

      const again = await importOf(root, 'GitHub', { base_url: upstream.origin }, '?dry_run=1')
      expect(again.status).toBe(200)
      const tools: Any[] = again.body.tools
      expect(tools.every(({ state }) => state === 'unchanged')).toBe(true)
      const chosen = operations.filter((_, index) => index % OPERATIONS_A_CALL === 0)
      expect(chosen.length).toBeGreaterThanOrEqual(1_200 / OPERATIONS_A_CALL)
      await callAll(chosen, tools)
    },
  )
})

/** Every example description, by its edition and name. */
const examples = ['2.0', '3.0', '3.1'].flatMap((edition) =>
  readdirSync(join(EXAMPLES, edition, 'json'))
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ name: `${edition} ${file.replace('.json', '')}`, path: join(EXAMPLES, edition, 'json', file) })),
)

/** Operations of the examples that cannot be imported, and why. The list must be exact. */
const SKIPPED: Record<string, Record<string, RegExp>> = {
  '3.0 response-http-behavior': {
    cached: /security scheme 'api_key' is not defined/,
    redirect: /security scheme 'api_key' is not defined/,
    nocontent: /security scheme 'api_key' is not defined/,
  },
  '3.0 security-multiple': { POST_anything_and: /apiKey_header, basic, oauth2 all write the header authorization/ },
  '3.1 security': { POST_anything_mutualTLS: /type 'mutualTLS', which cannot be said/ },
}
/** Descriptions that yield no tools. */
const REFUSED: Record<string, RegExp> = { '3.1 webhooks': /has none/ }

it('the example descriptions exist', () => expect(examples.length).toBeGreaterThanOrEqual(60))

it.each(examples)(
  'the example description $name is imported, and its operations can be called as described',
  async ({ name, path }) => {
    const root = JSON.parse(readFileSync(path, 'utf8'))
    const toolkit = name.replace(/[^A-Za-z0-9]+/g, '_')
    const dry = await importOf(root, toolkit, { base_url: upstream.origin }, '?dry_run=1')
    const skipped = SKIPPED[name] ?? {}
    if (dry.body.tools?.length > 0) {
      const imported = await importOf(root, toolkit, { base_url: upstream.origin })
      expect(imported.status, JSON.stringify(imported.body)).toBe(201)
      expect(imported.body.ids).toEqual(dry.body.tools.map(({ id }: Any) => id))
      expect(imported.body.skipped).toEqual(dry.body.skipped)
    }
    if (REFUSED[name]) {
      expect(dry.status).toBe(422)
      return expect(JSON.stringify(dry.body)).toMatch(REFUSED[name])
    }
    expect(Object.fromEntries(dry.body.skipped.map(({ name: each, reason }: Any) => [each, reason]))).toEqual(
      Object.fromEntries(Object.entries(skipped).map(([each, reason]) => [each, expect.stringMatching(reason)])),
    )
    expect(dry.body.tools.length + dry.body.skipped.length).toBe(operationsOf(root).length)
    const called = operationsOf(root).filter((_, index) => index % EXAMPLE_OPERATIONS_A_CALL === 0)
    await callAll(called, dry.body.tools)
  },
)

// The package's two versions of 3.1 parameters-style differ in one method
const both = examples.filter(({ path }) => existsSync(path.replaceAll('json', 'yaml')))
const same = both.filter(({ name }) => name !== '3.1 parameters-style')
it.each(same.filter((_, index) => index % EXAMPLES_A_YAML === 0))(
  'the example description $name has the same result in YAML',
  async ({ name, path }) => {
    const json = await importOf(readFileSync(path, 'utf8'), 'Same', { base_url: upstream.origin }, '?dry_run=1')
    const yaml = await importOf(
      readFileSync(path.replaceAll('json', 'yaml'), 'utf8'),
      'Same',
      { base_url: upstream.origin },
      '?dry_run=1',
    )
    expect(yaml.status).toBe(REFUSED[name] ? 422 : 200)
    expect(yaml.body).toEqual(json.body)
  },
)

describe('unusual features of descriptions', () => {
  const binary = { type: 'string', format: 'binary' }
  const body = (type: string, schema: object, encoding: object = {}) => ({
    required: true,
    content: { [type]: { schema, encoding } },
  })
  const post = (operationId: string, requestBody: object) => ({ post: { operationId, requestBody, responses: {} } })
  const form = 'application/x-www-form-urlencoded'
  const multipart = 'multipart/form-data'
  const file = { filename: 'a.png', data: 'aGVsbG8=' }
  const open = { type: 'object', additionalProperties: true }
  const nullableBody = { required: true, content: { 'application/json': { schema: { type: ['object', 'null'] } } } }
  const fields = {
    meta: { style: 'deepObject' },
    tags: { explode: false },
    data: { contentType: 'application/json' },
  }
  const paths = {
    '/either': post(
      'either',
      body(multipart, { type: 'object', properties: { f: { anyOf: [binary, { type: 'array', items: binary }] } } }),
    ),
    '/png': post(
      'png',
      body(multipart, { type: 'object', properties: { f: binary } }, { f: { contentType: 'image/png' } }),
    ),
    '/map': post('map', body(multipart, { type: 'object', additionalProperties: binary })),
    '/form': post('form', body(form, open, fields)),
    '/null': post('null_body', nullableBody),
    '/enum': {
      get: {
        operationId: 'numbers',
        parameters: [{ name: 'price', in: 'query', required: true, schema: { type: 'string', enum: [0, 1, 2] } }],
        responses: { 200: { content: { 'application/json': { schema: { type: 'string', enum: [0, 1, 2] } } } } },
      },
    },
    '/beside': { $ref: '#/components/pathItems/Shared', ...post('beside', nullableBody) },
    '/query?beta=true': { get: { operationId: 'query', responses: {} } },
  }
  let server: RunningServer
  let tool: (name: string, input: object) => Promise<{ result: Any; sent: Arrived }>
  beforeAll(async () => {
    server = await startApp({ vars: { ALLOW_HTTP_HOSTS: upstream.host } })
    const openapi = {
      openapi: 3.1,
      servers: [{ url: `${upstream.origin}/v1/?api-version=7` }],
      components: { pathItems: { Shared: { get: { operationId: 'shared', responses: {} } } } },
      paths,
    }
    const imported = await server.json('POST', '/toolkits/import', {
      from: { openapi },
      toolkit: 'Odd',
      version: '1.0.0',
    })
    expect(imported.status, JSON.stringify(imported.body)).toBe(201)
    expect(imported.body).toMatchObject({ skipped: [] })
    expect(imported.body.ids).toHaveLength(9)
    tool = async (name, input) => {
      upstream.arrived.length = 0
      const { body: answer } = await server.json('POST', '/tools/call', { tool_id: `Odd.${name}`, input })
      return { result: answer.result ?? answer, sent: upstream.arrived[0]! }
    }
  })
  afterAll(() => server?.stop())

  it('an imported tool sends files wherever a part takes bytes, with the declared media type', async () => {
    const one = await tool('either', { f: file })
    expect(one.sent.body).toContain('name="f"; filename="a.png"\r\nContent-Type: application/octet-stream\r\n\r\nhello')
    const two = await tool('either', { f: [file, file] })
    expect(two.sent.body.match(/filename="a.png"/g)).toHaveLength(2)
    expect((await tool('map', { body: { any: file } })).sent.body).toContain('name="any"; filename="a.png"')
    expect((await tool('png', { f: file })).sent.body).toContain('Content-Type: image/png')
    expect((await tool('png', { f: { ...file, content_type: 'image/webp' } })).sent.body).toContain('image/webp')
  })

  it('an imported tool encodes the fields of a form that is one input as declared', async () => {
    const { sent } = await tool('form', {
      body: { meta: { a: 1 }, tags: ['p', 'q'], data: { k: 'v' }, plain: ['x', 'y'] },
    })
    expect(sent.body).toBe('meta%5Ba%5D=1&tags=p,q&data=%7B%22k%22%3A%22v%22%7D&plain=x&plain=y')
  })

  it('an imported tool sends null if the body may be null', async () => {
    expect((await tool('null_body', { body: null })).sent.body).toBe('null')
  })

  it('an imported tool sends enum members as the declared type, and accepts either type in responses', async () => {
    answer = { status: 200, type: 'application/json', body: '1' }
    const { sent, result } = await tool('numbers', { price: '1' })
    expect(sent.url).toBe('/v1/enum?api-version=7&price=1')
    expect(result).toMatchObject({ success: true, value: 1 })
    answer = { status: 200, type: 'application/json', body: '{}' }
  })

  it('an import keeps the query of a server URL, and imports operations next to a reference', async () => {
    expect((await tool('query', {})).sent.url).toBe('/v1/query?api-version=7&beta=true')
    expect((await tool('beside', { body: {} })).sent).toMatchObject({ method: 'POST', url: '/v1/beside?api-version=7' })
    expect((await tool('shared', {})).sent).toMatchObject({ method: 'GET', url: '/v1/beside?api-version=7' })
  })
})

it('a tool that one Switchboard describes can be imported by another and called there', async () => {
  const away = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY: KEY } })
  const here = await startApp({ vars: { ALLOW_HTTP_HOSTS: new URL(away.url).host } })
  try {
    const headers = { authorization: `Bearer ${KEY}` }
    const described = await fetch(`${away.url}/tools/Calculator.Add?format=openapi`, { headers })
    expect(described.headers.get('content-type')).toContain('json')
    const document: Any = await described.json()
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/' }] })
    const body = { from: { openapi: document }, base_url: away.url, toolkit: 'Away' }
    const imported = await here.json('POST', '/toolkits/import', body)
    expect(imported, JSON.stringify(imported.body)).toMatchObject({ status: 201, body: { skipped: [] } })
    const [id] = imported.body.ids
    const tool = await here.json('GET', `/tools/${id}`)
    const secrets = tool.body.requirements.secrets.map(({ id: each }: Any) => ({ id: each, value: KEY }))
    const call = (input: object) => {
      const request = { tool_id: 'Calculator.Add@1.0.0', input }
      return here.json('POST', '/tools/call', { tool_id: id, input: request, context: { secrets } })
    }
    expect((await call({ a: 2, b: 3 })).body.result.value.result).toMatchObject({ success: true, value: 5 })
    expect((await call({ a: 'x', b: 3 })).body).toHaveProperty('parameter_errors')
  } finally {
    await Promise.all([away.stop(), here.stop()])
  }
})

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import words from '../../src/api/openapi/words.json' with { type: 'json' }
import { definition } from './definition.ts'
import { launchBrowser, NO_BROWSER, person } from './oauth/browser.ts'
import { type RunningServer, startApp } from './server.ts'
import { screenshot } from './screenshot.ts'

/** Published by the OpenAPI Initiative at https://spec.openapis.org/oas/3.1/schema/2026-08-03, under Apache 2.0. */
const OAS: object = JSON.parse(readFileSync(new URL('../api/openapi/oas-3.1-schema.json', import.meta.url), 'utf8'))
const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
const CALL = { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } }
const MESSAGE = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const MCP = { ...ADMIN, 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }

/** A request, and the status that it comes to. */
interface Tried {
  readonly status: number
  readonly path?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const SUBSCRIPTION = { name: 'No.Source', url: 'https://agent.example/', secret: `whsec_${'A'.repeat(32)}` }
const made = { key: '', client: '', file: '', lock: '' }
const KEY = { name: 'a key', scopes: ['tools:read'] }
const PROVIDER = { issuer: 'https://login.acme.com', client_id: 'c1' }
const SCHEDULE = { kind: 'schedule', cron: '0 9 * * MON-FRI', time_zone: 'Europe/Berlin' }
const DESCRIPTION = {
  openapi: '3.1.0',
  info: { title: 'A', version: '1.0.0' },
  servers: [{ url: 'https://a.example' }],
  paths: { '/x': { get: { operationId: 'getX', responses: { 200: { description: 'X' } } } } },
}
const LOCK = {
  version: 1,
  digest_form: 'sep-2636/2026-09',
  tools: { Calculator_Add: { id: 'Calculator.Add@1.0.0', digest: `sha256:${'0'.repeat(64)}` } },
}
const SHOUT = { files: { 'SKILL.md': '---\nname: shout\ndescription: How to shout\n---\n' } }
const CODE = { kind: 'code', module: 'export default () => 1' }
const PICTURED = {
  definition: { name: 'seen', inputSchema: { type: 'object' }, icons: [{ src: 'data:image/svg+xml,<svg/>' }] },
  toolkit: 'Documented',
  version: '1.0.0',
}
const PUBLISHED = { definition: definition('Documented.One@1.0.0'), implementation: CODE }

/** What each operation is asked, in this order; what stands here twice is asked twice. */
const TRIED: readonly (readonly [operation: string, tried: Tried])[] = [
  ['get /health', { status: 200 }],
  ['get /oxp/health', { status: 200 }],
  ['get /worker/health', { status: 200 }],
  ['post /tools', { status: 201, body: PUBLISHED }],
  ['post /tools', { status: 200, body: [PUBLISHED, {}] }],
  ['post /tools', { status: 422, body: {} }],
  ['get /tools', { status: 200, path: '/tools?limit=2&losses=1' }],
  ['get /tools', { status: 400, path: '/tools?limit=0' }],
  ['get /tools', { status: 401, headers: { authorization: 'Bearer nobody' } }],
  ['get /oxp/tools', { status: 200 }],
  ['post /tools/call', { status: 200, body: CALL }],
  ['post /tools/call', { status: 422, body: { ...CALL, input: {} } }],
  ['post /tools/call', { status: 400, body: { tool_id: 'Calculator.Ad' } }],
  ['post /tools/call', { status: 202, body: CALL, headers: { ...ADMIN, prefer: 'respond-async' } }],
  ['delete /calls/{id}', { status: 404 }],
  ['post /oxp/tools/call', { status: 200, body: { request: CALL } }],
  ['get /tools/{id}', { status: 200, path: '/tools/Calculator.Add' }],
  ['get /tools/{id}', { status: 404 }],
  ['get /tools/{id}/readiness', { status: 200, path: '/tools/Calculator.Add/readiness' }],
  ['post /tools', { status: 201, body: PICTURED }],
  ['get /tools/{id}/icon', { status: 200, path: '/tools/Documented.seen/icon' }],
  ['get /tools/{id}/icon', { status: 404 }],
  ['get /tools/{id}/page', { status: 400, path: '/tools/Calculator.Add/page' }],
  ['get /tools/{id}/implementation', { status: 200, path: '/tools/Documented.One/implementation' }],
  ['get /tools/{id}/implementation/module', { status: 200, path: '/tools/Documented.One/implementation/module' }],
  ['get /export', { status: 200, path: '/export?toolkit=Documented' }],
  ['post /import', { status: 415, body: {} }],
  ['patch /tools/{id}', { status: 200, path: '/tools/Documented.One@1.0.0', body: { status: 'yanked' } }],
  ['post /readiness', { status: 200, path: '/readiness', body: { tools: ['Calculator.Add'] } }],
  ['post /convert', { status: 200, path: '/convert?to=mcp', body: definition('Documented.Two@1.0.0') }],
  ['get /toolkits/{toolkit}', { status: 200, path: '/toolkits/Documented' }],
  ['put /toolkits/{toolkit}', { status: 200, path: '/toolkits/Documented', body: { owner: 'admin' } }],
  ['patch /toolkits/{toolkit}', { status: 200, path: '/toolkits/Documented', body: { tags: ['a'] } }],
  ['patch /toolkits/{toolkit}', { status: 200, path: '/toolkits/Documented', body: { status: 'disabled' } }],
  ['delete /toolkits/{toolkit}', { status: 200, path: '/toolkits/Documented' }],
  ['put /toolkits/{toolkit}/plugin', { status: 415, body: {}, path: '/toolkits/Box/plugin?version=1.0.0' }],
  [
    'post /toolkits/import',
    { status: 200, path: '/toolkits/import?dry_run=1', body: { from: { openapi: DESCRIPTION }, toolkit: 'Imported' } },
  ],
  ['post /toolkits/import', { status: 201, body: { from: { openapi: DESCRIPTION }, toolkit: 'Imported' } }],
  ['post /keys', { status: 201, body: KEY }],
  ['get /keys', { status: 200 }],
  ['get /keys/{id}', { status: 200, path: '/keys/{key}' }],
  [
    'patch /keys/{id}',
    { status: 200, path: '/keys/{key}', body: { name: 'renamed', expires_at: '2999-01-01T00:00:00Z' } },
  ],
  ['post /keys/{id}/rotate', { status: 200, path: '/keys/{key}/rotate', body: {} }],
  ['get /keys', { status: 200 }],
  ['delete /keys/{id}', { status: 204, path: '/keys/{key}' }],
  ['get /toolkits', { status: 200, path: '/toolkits?tokens=Calculator' }],
  ['get /findings', { status: 200 }],
  ['post /toolkits/{toolkit}/compare', { status: 404, path: '/toolkits/Imported/compare' }],
  ['get /tools/{id}/versions', { status: 200, path: '/tools/Calculator.Add/versions' }],
  ['put /policies/{pattern}', { status: 201, path: '/policies/Ideas.*', body: { timeout_ms: 20_000 } }],
  ['put /policies/{pattern}', { status: 200, path: '/policies/Ideas.*', body: { timeout_ms: 30_000 } }],
  ['get /policies', { status: 200 }],
  ['get /policies/{pattern}', { status: 200, path: '/policies/Ideas.*' }],
  ['delete /policies/{pattern}', { status: 204, path: '/policies/Ideas.*' }],
  ['put /toolkits/{toolkit}/skills/{name}', { status: 201, path: '/toolkits/Calculator/skills/shout', body: SHOUT }],
  ['put /toolkits/{toolkit}/skills/{name}', { status: 200, path: '/toolkits/Calculator/skills/shout', body: SHOUT }],
  ['get /toolkits/{toolkit}/skills/{name}', { status: 200, path: '/toolkits/Calculator/skills/shout' }],
  ['get /skills', { status: 200 }],
  [
    'patch /toolkits/{toolkit}/skills/{name}',
    { status: 204, path: '/toolkits/Calculator/skills/shout', body: { version: 1, status: 'disabled' } },
  ],
  ['put /locks', { status: 201, body: LOCK }],
  ['put /locks', { status: 200, body: LOCK }],
  ['get /locks/{hash}', { status: 200, path: '/locks/{lock}' }],
  ['delete /locks/{hash}', { status: 204, path: '/locks/{lock}' }],
  ['put /toolsets/{name}', { status: 201, path: '/toolsets/sums', body: { tools: [{ tool: 'Sum.*' }], review: true } }],
  ['put /toolsets/{name}', { status: 200, path: '/toolsets/sums', body: { tools: [{ tool: 'Calculator.*' }] } }],
  ['get /toolsets', { status: 200 }],
  ['get /toolsets/{name}', { status: 200, path: '/toolsets/sums' }],
  ['post /toolsets/{name}/approve', { status: 200, path: '/toolsets/sums/approve' }],
  ['post /toolsets/{name}/reject', { status: 409, path: '/toolsets/sums/reject' }],
  ['delete /toolsets/{name}', { status: 204, path: '/toolsets/sums' }],
  ['put /providers/{id}', { status: 201, path: '/providers/acme', body: PROVIDER }],
  ['put /providers/{id}', { status: 200, path: '/providers/acme', body: PROVIDER }],
  ['get /providers', { status: 200 }],
  ['get /providers/{id}', { status: 200, path: '/providers/acme' }],
  ['post /providers/{id}/test', { status: 200, path: '/providers/acme/test' }],
  ['delete /providers/{id}', { status: 204, path: '/providers/acme' }],
  ['put /event-sources/{id}', { status: 201, path: '/event-sources/Acme.Daily', body: SCHEDULE }],
  ['put /event-sources/{id}', { status: 200, path: '/event-sources/Acme.Daily', body: SCHEDULE }],
  ['get /event-sources', { status: 200 }],
  ['get /event-sources/{id}', { status: 200, path: '/event-sources/Acme.Daily' }],
  ['post /events/{source}', { status: 401, path: '/events/Acme.Daily', body: {} }],
  ['delete /event-sources/{id}', { status: 204, path: '/event-sources/Acme.Daily' }],
  ['put /subscriptions', { status: 404, body: SUBSCRIPTION }],
  ['get /subscriptions', { status: 200 }],
  ['delete /subscriptions/{id}', { status: 404 }],
  ['get /subscriptions/{id}/events', { status: 404 }],
  ['get /subscriptions/{id}/dead-letters', { status: 404 }],
  ['post /subscriptions/{id}/dead-letters/{event}', { status: 404 }],
  ['post /clients', { status: 201, body: { name: 'A host', redirect_uris: ['https://agent.example/callback'] } }],
  ['get /clients', { status: 200 }],
  ['delete /clients/{id}', { status: 204, path: '/clients/{client}' }],
  ['get /sessions', { status: 200 }],
  ['delete /sessions/{id}', { status: 404 }],
  ['delete /sessions', { status: 204 }],
  ['get /users', { status: 200 }],
  ['get /users/{user}/access', { status: 200 }],
  ['delete /users/{user}/access', { status: 200 }],
  ['get /users/{user}/agents', { status: 200 }],
  ['delete /users/{user}/agents', { status: 204 }],
  ['delete /users/{user}/agents/{id}', { status: 404 }],
  ['get /users/{user}/connections', { status: 200 }],
  ['post /users/{user}/connections', { status: 404, body: { provider: 'acme', toolkit: 'Calculator' } }],
  ['post /users/{user}/connections/{provider}/check', { status: 404 }],
  ['get /users/{user}/grants', { status: 200 }],
  ['delete /users/{user}/grants', { status: 204 }],
  ['get /users/{user}/grants/{provider}', { status: 404 }],
  ['delete /users/{user}/grants/{provider}', { status: 404 }],
  ['get /scim/v2/ServiceProviderConfig', { status: 200 }],
  ['get /scim/v2/ResourceTypes', { status: 200 }],
  ['get /scim/v2/Schemas', { status: 200 }],
  ...(['Users', 'Groups'] as const).flatMap((plural): (readonly [string, Tried])[] => [
    [`post /scim/v2/${plural}`, { status: 201, body: { userName: 'ann', displayName: 'Staff' } }],
    [`post /scim/v2/${plural}`, { status: 409, body: { userName: 'ann', displayName: 'Staff' } }],
    [`get /scim/v2/${plural}`, { status: 200, path: `/scim/v2/${plural}?count=1` }],
    [`get /scim/v2/${plural}`, { status: 400, path: `/scim/v2/${plural}?filter=x` }],
    [`get /scim/v2/${plural}/{id}`, { status: 404 }],
    [`put /scim/v2/${plural}/{id}`, { status: 404, body: {} }],
    [`patch /scim/v2/${plural}/{id}`, { status: 400, body: {} }],
    [`delete /scim/v2/${plural}/{id}`, { status: 404 }],
  ]),
  ['get /calls', { status: 200 }],
  ['get /calls/{id}', { status: 404 }],
  ['get /audit', { status: 200 }],
  ['get /usage', { status: 200 }],
  ['get /setup', { status: 200 }],
  ['get /metrics', { status: 200 }],
  ['get /authorizations/{id}', { status: 404 }],
  ['post /authorizations/{id}/confirm', { status: 404, body: { flow: 'x', user_id: 'ann' } }],
  ['post /artifacts', { status: 201, body: 'a file', path: '/artifacts?filename=a.txt' }],
  ['get /artifacts/{id}', { status: 200, path: '/artifacts/{file}' }],
  ['get /artifacts/{id}', { status: 206, path: '/artifacts/{file}', headers: { ...ADMIN, range: 'bytes=0-1' } }],
  ['get /artifacts/{id}', { status: 416, path: '/artifacts/{file}', headers: { ...ADMIN, range: 'bytes=99-' } }],
  ['delete /artifacts/{id}', { status: 204, path: '/artifacts/{file}' }],
  ['post /mcp', { status: 200, body: MESSAGE, headers: MCP }],
  ['post /mcp', { status: 202, body: { jsonrpc: '2.0', method: 'notifications/initialized' }, headers: MCP }],
  ['post /mcp', { status: 400, path: '/mcp?toolkit=x', body: MESSAGE, headers: MCP }],
  ['post /connect/mcp', { status: 401, body: MESSAGE, headers: MCP }],
  ['post /mcp/t/{toolset}', { status: 404, body: MESSAGE, headers: MCP }],
  ['post /connect/mcp/t/{toolset}', { status: 404, body: MESSAGE, headers: MCP }],
  ['get /machine-context/tools', { status: 200, path: '/machine-context/tools?toolkit=Calculator' }],
  ['post /machine-context/tools', { status: 400, path: '/machine-context/tools?tool=Calculator', body: {} }],
  ['post /machine-context/execute', { status: 400, body: {} }],
  ['get /worker/tools', { status: 200 }],
  ['get /worker/tools', { status: 400, path: '/worker/tools?x=1' }],
  ['post /worker/tools/invoke', { status: 400, body: {} }],
  ['get /plugin/describe', { status: 200 }],
  ['post /plugin/describe', { status: 400, path: '/plugin/describe?x=1', body: {} }],
  ['post /plugin/call', { status: 200, body: { params: { name: 'Calculator.Add', arguments: { a: 1, b: 2 } } } }],
  ['post /plugin/call', { status: 400, body: { params: {} } }],
  ['get /docs/agents.json', { status: 200 }],
  ['get /llms.txt', { status: 200 }],
  ['get /openapi.json', { status: 200 }],
  ['get /v0.1/servers', { status: 200 }],
  ['get /v0.1/servers', { status: 400, path: '/v0.1/servers?limit=0' }],
  ['get /v0.1/servers/{name}/versions', { status: 404 }],
  ['get /v0.1/servers/{name}/versions/{version}', { status: 404 }],
  ['get /mcp/server-card', { status: 200 }],
  ['get /.well-known/ai-catalog.json', { status: 200 }],
  ['get /.well-known/oauth-protected-resource/connect/mcp', { status: 200 }],
  ['get /.well-known/oauth-protected-resource/connect/mcp/t/{toolset}', { status: 404 }],
  ['get /.well-known/oauth-authorization-server/connect', { status: 200 }],
  ['get /.well-known/openid-configuration/connect', { status: 200 }],
  ['get /connect/.well-known/openid-configuration', { status: 200 }],
  ['post /connect/token', { status: 400, body: {} }],
  [
    'post /connect/register',
    {
      status: 201,
      body: { redirect_uris: ['https://agent.example/cb'], client_name: 'A', token_endpoint_auth_method: 'none' },
    },
  ],
]

/** What takes fields that it does not know: other protocols leave them open, and a conversion reads no further. */
const OPEN: readonly string[] = ['post /connect/register', 'post /convert', 'post /mcp', 'post /plugin/call']

let server: RunningServer
let described: any
let validators: Map<object, ValidateFunction>
beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  described = (await server.json('GET', '/openapi.json')).body
  validators = new Map()
})
afterAll(() => server?.stop())

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

/** Why an answer is not as it is documented. */
function misfit(documented: any, status: number, type: string | null, text: string): string | undefined {
  const answer = documented.responses[status] ?? (status >= 400 ? documented.responses.default : undefined)
  if (!answer) return `the status ${status} is not documented`
  if (!answer.content) return text === '' ? undefined : 'it has a body'
  const [[wanted = '', { schema }]] = Object.entries<any>(answer.content) as [[string, any]]
  const media = type?.split(';')[0] ?? ''
  const [main, sub] = wanted.split('/')
  const isOfType = (main === '*' || media.startsWith(`${main}/`)) && (sub === '*' || media === wanted)
  if (!isOfType) return `it is '${media}', not '${wanted}'`
  if (!schema) return undefined
  const validate = validators.get(schema) ?? ajv.compile({ ...schema, components: described.components })
  validators.set(schema, validate)
  return validate(JSON.parse(text)) ? undefined : `${ajv.errorsText(validate.errors)}: ${text.slice(0, 500)}`
}

it('the OpenAPI document is valid under the schema of OpenAPI 3.1, which refuses an invalid one', () => {
  const validate = ajv.compile(OAS)
  expect(validate(described), JSON.stringify(validate.errors)).toBe(true)
  expect(validate({ ...described, paths: { '/x': { get: { responses: { 200: {} } } } } })).toBe(false)
})

it('the OpenAPI document has unique operation ids, and no broken references', () => {
  const text = JSON.stringify(described)
  const ids = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    expect(Object.keys(described.components.schemas)).toContain(name)
  }
})

it('the OpenAPI document describes each parameter, and each field of a body or response', () => {
  const unsaid: string[] = []
  const said = new Set<string>()
  const look = (schema: any, place: string): void => {
    for (const each of [schema.anyOf, schema.oneOf].flat()) if (each) look(each, place)
    for (const each of [schema.items, schema.additionalProperties]) if (each instanceof Object) look(each, place)
    for (const [name, field] of Object.entries<any>(schema.properties ?? {})) {
      note(`${place}.${name}`, name, field.description)
      look(field, `${place}.${name}`)
    }
  }
  const note = (place: string, name: string, description = ''): void => {
    if (description === '' || description.startsWith('Must be ')) unsaid.push(place)
    said.add(`${name}: ${description.split('. Must be ')[0]}`)
  }
  for (const [path, methods] of Object.entries<any>(described.paths)) {
    for (const [method, { parameters = [], requestBody, responses }] of Object.entries<any>(methods)) {
      for (const { name, description } of parameters) note(`${method} ${path} ${name}`, name, description)
      for (const { content = {} } of [requestBody ?? {}, ...Object.values<any>(responses)])
        for (const { schema = {} } of Object.values<any>(content)) look(schema, `${method} ${path}`)
    }
  }
  for (const [name, schema] of Object.entries(described.components.schemas)) look(schema, name)
  expect(unsaid).toEqual([])
  const unused = Object.entries(words.fields).filter(
    ([key, { description }]) => !said.has(`${key.split(' ').at(-1)}: ${description}`),
  )
  expect(unused.map(([key]) => key)).toEqual([])
})

/** Why the example of an operation is not sent. */
const UNSENT: Readonly<Record<string, string>> = {
  'POST /connect/mcp': 'a person signs in',
  'POST /connect/mcp/t/{toolset}': 'a person signs in',
  'POST /mcp/t/{toolset}': 'attacks/toolset-servers.test.ts has toolsets',
  'POST /connect/token': 'a person signs in',
  'GET /.well-known/oauth-protected-resource/connect/mcp/t/{toolset}': 'test/connect/routes.test.ts has toolsets',
  ...Object.fromEntries(
    ['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => [`${method} /scim/v2/Groups/{id}`, 'e2e/scim has groups']),
  ),
  'GET /calls/{id}': 'e2e/call-content.test.ts records one',
  'DELETE /calls/{id}': 'e2e/tasks.test.ts cancels one',
  'GET /authorizations/{id}': 'a person is asked for consent',
  'POST /authorizations/{id}/confirm': 'a person is asked for consent',
  'POST /events/{source}': 'attacks/event-sources.test.ts signs what it sends',
  'POST /providers/{id}/test': 'e2e/cli.test.ts has a provider',
  'POST /toolsets/{name}/approve': 'no change waits for approval',
  'POST /toolsets/{name}/reject': 'no change waits for approval',
  'DELETE /sessions/{id}': 'a person signs in',
  ...Object.fromEntries(
    [
      'PUT /subscriptions',
      'DELETE /subscriptions/{id}',
      'GET /subscriptions/{id}/events',
      'GET /subscriptions/{id}/dead-letters',
      'POST /subscriptions/{id}/dead-letters/{event}',
    ].map((operation) => [operation, 'e2e/subscriptions.test.ts has sources and receivers']),
  ),
  'GET /tools/{id}/icon': 'attacks/hostile-icons.test.ts has tools with icons',
  'GET /tools/{id}/page': 'e2e/apps-browser.test.ts has tools with pages',
  'DELETE /users/{user}/agents/{id}': 'a person signs in',
  'POST /users/{user}/connections': 'e2e/connections.test.ts has tools that require a provider',
  'POST /users/{user}/connections/{provider}/check': 'a person consents',
  'GET /users/{user}/grants/{provider}': 'a person consents',
  'DELETE /users/{user}/grants/{provider}': 'a person consents',
  'POST /toolkits/{toolkit}/compare': 'e2e/drift.test.ts has toolkits with a source',
  'PUT /toolkits/{toolkit}/plugin': 'e2e/plugin-upload.test.ts sends one',
}

it("each operation's example gets the response that the reference shows, and both match their schemas", async () => {
  const examples = new Map<string, Example>()
  const index = await (await fetch(`${server.url}/docs/reference`)).text()
  for (const path of new Set(index.match(/\/docs\/reference\/[\w-]+(?=")/g))) {
    const [, ...sections] = (await (await fetch(server.url + path)).text()).split('<h2 id="')
    for (const section of sections) {
      const [, name = ''] = /<code>([^<]+)<\/code>/.exec(section) ?? []
      const [, command = ''] = /<h3>Example<\/h3><div class="copyable"><pre>([^<]*)</.exec(section) ?? []
      const statuses = [...section.matchAll(/<strong>(2\d\d)</g)].map(([, status]) => Number(status))
      examples.set(name, { command: plainText(command), status: statuses.includes(201) ? 201 : (statuses[0] ?? 0) })
    }
  }
  const operations = Object.entries<any>(described.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(new Set(examples.keys())).toEqual(new Set(operations))
  const order = ['POST', 'PUT', 'GET', 'PATCH', 'DELETE']
  const rank = (name: string) => order.indexOf(name.split(' ')[0] ?? '') * 10 + name.split('/').length
  const ids = new Map<string, string>()
  const wrong: string[] = []
  const own = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  for (const [name, { command, status }] of [...examples].toSorted(([one], [other]) => rank(one) - rank(other))) {
    if (UNSENT[name] !== undefined) continue
    // A toolkit that can be called is not deleted
    if (name === 'DELETE /toolkits/{toolkit}') await own.json('PATCH', '/toolkits/Text', { status: 'disabled' }, ADMIN)
    let shown = command.replaceAll(server.url, own.url)
    for (const [example, id] of ids) shown = shown.replaceAll(example, id)
    const response = await sent(
      shown,
      name === 'POST /import' ? await (await fetch(`${own.url}/export`, { headers: ADMIN })).text() : 'Hello',
    )
    const text = await response.text()
    if (name === 'POST /keys') ids.set('k_42', JSON.parse(text).id)
    if (name === 'POST /scim/v2/Users') ids.set('u_42', JSON.parse(text).id)
    if (name === 'POST /clients') ids.set('c_51', JSON.parse(text).client_id)
    if (name === 'POST /artifacts') ids.set('f_91', response.headers.get('location')?.replace('/artifacts/', '') ?? '')
    if (name === 'GET /v0.1/servers') {
      const [{ server: listed }] = JSON.parse(text).servers
      ids.set('com.example.switchboard%2Fswitchboard', encodeURIComponent(listed.name)).set('0.1.0', listed.version)
    }
    if (response.status !== status) wrong.push(`${name} gave ${response.status}, not ${status}: ${text.slice(0, 300)}`)
  }
  await own.stop()
  expect(wrong).toEqual([])
})

interface Example {
  readonly command: string
  readonly status: number
}

const plainText = (html: string) =>
  html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** Sends what the command would, with `file` for each file that it names. */
async function sent(command: string, file: string): Promise<Response> {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${command}`
  const env = { ...process.env, SWITCHBOARD_KEY: ADMIN_KEY }
  const words = execFileSync('sh', ['-c', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1)
  const valuesOf = (flag: string) => words.filter((_, index) => words[index - 1] === flag)
  const [body] = [...valuesOf('-d'), ...valuesOf('--data-binary')]
  const headers = valuesOf('-H').map((header) => header.split(': ') as [string, string])
  const url = words.find((word) => word.startsWith('http')) ?? ''
  const [method = body === undefined ? 'GET' : 'POST'] = valuesOf('-X')
  return fetch(url, { method, headers, ...(body === undefined ? {} : { body: body.startsWith('@') ? file : body }) })
}

it('each example matches the schema next to it', () => {
  const implementationProblems: string[] = []
  for (const [path, methods] of Object.entries<any>(described.paths)) {
    for (const [method, { requestBody, responses }] of Object.entries<any>(methods)) {
      for (const [status, { content }] of Object.entries<any>({ ...responses, body: requestBody ?? {} })) {
        const { schema, example } = content?.['application/json'] ?? {}
        if (example === undefined) continue
        const validate = ajv.compile({ ...schema, components: described.components })
        if (!validate(example))
          implementationProblems.push(`${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}`)
      }
    }
  }
  expect(implementationProblems).toEqual([])
})

it("each example of a field matches the field's schema", () => {
  const implementationProblems: string[] = []
  const look = (value: any, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value.examples)) {
      const validate = ajv.compile({ ...value, components: described.components })
      for (const example of value.examples)
        if (!validate(example)) implementationProblems.push(`${path}: ${JSON.stringify(example)}`)
    }
    for (const [key, each] of Object.entries(value)) look(each, `${path}/${key}`)
  }
  look(described, '')
  expect(implementationProblems).toEqual([])
})

it('each operation of the OpenAPI document is tested', () => {
  const paths = Object.entries<object>(described.paths)
  const documented = paths.flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
  expect(new Set(TRIED.map(([operation]) => operation))).toEqual(new Set(documented))
})

it('every response matches the OpenAPI document', async () => {
  const implementationProblems: string[] = []
  for (const [operation, { status, path, body, headers = ADMIN }] of TRIED) {
    const [method = '', template = ''] = operation.split(' ')
    const place = path ?? template.replace(/\{\w+\}/g, 'none')
    const url = server.url + place.replace(/\{(key|client|file|lock)\}/, (_, name: keyof typeof made) => made[name])
    const isText = typeof body === 'string'
    const content = body === undefined ? {} : { 'content-type': isText ? 'text/plain' : 'application/json' }
    const response = await fetch(url, {
      method: method.toUpperCase(),
      redirect: 'manual',
      headers: { ...content, ...headers },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (operation === 'post /keys') made.key = JSON.parse(text).id
    if (operation === 'post /clients') made.client = JSON.parse(text).client_id
    if (operation === 'put /locks') made.lock = JSON.parse(text).hash
    if (operation === 'post /artifacts') made.file = response.headers.get('location')?.replace('/artifacts/', '') ?? ''
    if (response.status !== status)
      implementationProblems.push(`${operation} gave ${response.status}: ${text.slice(0, 300)}`)
    const [where, methods] = [described.paths[template], method]
    const why = misfit(where[methods], response.status, response.headers.get('content-type'), text)
    if (why !== undefined) implementationProblems.push(`${operation} (${response.status}): ${why}`)
  }
  expect(implementationProblems).toEqual([])
})

const bodies = TRIED.flatMap(([operation, { status, path, body, headers = ADMIN }]) =>
  body === undefined || typeof body === 'string' ? [] : [{ operation, status, path, body, headers }],
)
const schemaFor = (operation: string): object | undefined => {
  const [method = '', template = ''] = operation.split(' ')
  return described.paths[template][method].requestBody?.content['application/json']?.schema
}
const fits = (schema: object, body: unknown) =>
  ajv.validate({ ...schema, components: described.components }, JSON.parse(JSON.stringify(body)))

it('request bodies that are JSON have a schema with properties', () => {
  const vague = Object.entries<any>(described.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content['application/json']?.schema
      return schema && !schema.properties && !schema.anyOf ? [`${method} ${path}`] : []
    }),
  )
  expect(vague).toEqual([])
})

it('request bodies that are accepted match their schemas', () => {
  const taken = bodies.filter(({ operation, status }) => status < 300 && schemaFor(operation))
  expect(new Set(taken.map(({ operation }) => operation)).size).toBeGreaterThan(15)
  for (const { operation, body } of taken) {
    expect(fits(schemaFor(operation)!, body), `${operation}: ${ajv.errorsText()}`).toBe(true)
  }
})

it('request bodies with an unknown field are refused if their schema is closed', async () => {
  const tried: string[] = []
  const open: string[] = []
  for (const { operation, path, body, headers } of bodies.filter(({ status }) => status < 300)) {
    const schema = schemaFor(operation)
    if (!schema || Array.isArray(body) || !fits(schema, body)) continue
    const more = { ...Object(body), unheard_of: 1 }
    if (fits(schema, more)) {
      open.push(operation)
      continue
    }
    const [method = '', template = ''] = operation.split(' ')
    const place = (path ?? template).replace(/\{(key|client|file|lock)\}/, (_, name: keyof typeof made) => made[name])
    const { status, body: answer } = await server.json(
      method.toUpperCase(),
      place.replace(/\{\w+\}/g, 'none'),
      more,
      headers,
    )
    // What it would be done to may be gone by now
    expect([400, 404, 422], `${operation}: ${status} ${JSON.stringify(answer)}`).toContain(status)
    if (status !== 404) expect(JSON.stringify(answer), operation).toContain('unheard_of')
    tried.push(operation)
  }
  expect(new Set(tried).size).toBeGreaterThan(9)
  expect([...new Set(open)].sort()).toEqual(OPEN)
})

describe.skipIf(NO_BROWSER !== '')(`the reference in a browser ${NO_BROWSER}`, () => {
  it('the reference in a browser fits a phone, requests no other host, and needs no JavaScript', async () => {
    const browser = await launchBrowser()
    try {
      const { page, leave } = await person(browser, { javaScript: false })
      const asked: string[] = []
      page.on('request', (request) => void asked.push(request.url()))
      await page.setViewportSize({ width: 360, height: 740 })
      await page.goto(`${server.url}/docs`)
      await page.getByRole('link', { name: 'API reference' }).click()
      await page.waitForURL(/\/docs\/reference$/)
      await page.getByRole('link', { name: 'POST /tools/call' }).click()
      await page.waitForURL(/\/docs\/reference\/calls#post_tools_call$/)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
      expect(await page.getByRole('heading', { name: 'POST /tools/call', exact: true }).count()).toBe(1)
      await screenshot(page, 'reference')
      expect(asked.filter((url) => !url.startsWith(server.url))).toEqual([])
      await leave()
    } finally {
      await browser.close()
    }
  })
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Upstream, startUpstream } from '../upstream.ts'
import { type ArcadeBinding, convertBinding, providerOf } from '../runners/http/arcade-binding.ts'
import { expectArrived, hasDefault, sample, secretValue } from '../runners/http/binding-expectation.ts'
import { INVENTED_BINDINGS } from '../runners/http/invented-bindings.ts'
import { hasShared, readShared, unlessShared } from '../shared.ts'
import { type RunningServer, startApp } from './server.ts'
import { definition } from './definition.ts'

const CATALOGUE = 'catalogues/http-bindings.ndjson'

let upstream: Upstream
let elsewhere: Upstream
let server: RunningServer

beforeAll(async () => {
  elsewhere = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  upstream = await startUpstream(({ url }, response) => {
    const json = (status: number, body: string, headers = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
    if (url.startsWith('/redirect-to-metadata')) json(302, '', { location: 'http://169.254.169.254/latest/meta-data' })
    else if (url.startsWith('/redirect-elsewhere')) json(307, '', { location: `${elsewhere.origin}/landed` })
    else if (url.startsWith('/busy')) json(503, '{"why":"busy"}', { 'retry-after': '0' })
    else if (url.startsWith('/missing')) json(404, '{"why":"no such thing"}')
    else if (url.startsWith('/not-json')) json(200, '<html>')
    else if (url.startsWith('/slow')) setTimeout(() => json(200, '{}'), 20_000).unref()
    else if (url.startsWith('/huge')) response.end('x'.repeat(9 * 1024 * 1024))
    else if (url.startsWith('/wrapped')) json(200, '{"data":{"items":[1,2]},"page":1}')
    else json(200, '{"done":true}')
  })
  server = await startApp({ vars: { ALLOW_HTTP_HOSTS: `${upstream.host},${elsewhere.host}` } })
})
afterAll(async () => {
  await Promise.all([server.stop(), upstream.close(), elsewhere.close()])
})

const bindings = hasShared(CATALOGUE)
  ? readShared(CATALOGUE)
      .trim()
      .split('\n')
      .map((line): ArcadeBinding => JSON.parse(line))
  : []
it.skipIf(bindings.length === 0)(
  `endpoints of a catalog are published as tools, called, and receive the right requests${unlessShared(CATALOGUE)}`,
  () => publishAndCall(bindings),
)
it('invented endpoints are published as tools, called, and receive the right requests', () =>
  publishAndCall(INVENTED_BINDINGS))

async function publishAndCall(all: readonly ArcadeBinding[]): Promise<void> {
  const { body } = await server.json(
    'POST',
    '/tools',
    all.map((binding) => convertBinding(binding, { origin: upstream.origin })),
  )
  for (const result of body.results) expect(result, JSON.stringify(result)).toMatchObject({ status: 201 })
  for (const binding of all) {
    for (const given of ['every input', 'required inputs']) {
      const sent = binding.http_endpoint.parameters.filter(
        (each) => given === 'every input' || (each.required && !hasDefault(each)),
      )
      const input = Object.fromEntries(sent.map((each) => [each.tool_parameter_name, sample(each)]))
      const secrets = binding.http_endpoint.secrets
        .filter((each) => !each.is_auth_token)
        .map(({ arcade_key: id }) => ({ id, value: secretValue(binding, id) }))
      const context = { user_id: 'ann', authorization: [{ id: providerOf(binding), token: 'user-token' }], secrets }
      upstream.arrived.length = 0
      const answer = await server.json('POST', '/tools/call', { tool_id: binding.tool_id, input, context })
      expect(answer.body.result, JSON.stringify(answer.body)).toMatchObject({ success: true, value: { done: true } })
      expect(upstream.arrived).toHaveLength(1)
      expectArrived(upstream.arrived[0]!, binding, input)
    }
  }
}

let count = 0

/** Publishes a tool with this implementation and calls it. */
async function call(
  implementation: object,
  options: { input?: object; context?: object; properties?: object; requirements?: object; output?: object } = {},
) {
  const id = `Once.Tool${++count}@1.0.0`
  const { input = {}, context, properties = {}, requirements, output = {} } = options
  const published = await server.json('POST', '/tools', {
    definition: definition(id, {
      name: `Once_Tool${count}`,
      version: '1.0.0',
      input_schema: { parameters: { type: 'object', properties } },
      output_schema: output,
      ...(requirements ? { requirements } : {}),
    }),
    implementation: { kind: 'http', method: 'GET', ...implementation },
  })
  if (published.status !== 201) return published
  upstream.arrived.length = 0
  elsewhere.arrived.length = 0
  return server.json('POST', '/tools/call', { tool_id: id, input, ...(context ? { context } : {}) })
}

it('an HTTP tool returns the part of the response that its pointer selects', async () => {
  const { body } = await call({ url: `${upstream.origin}/wrapped`, response: { type: 'json', pointer: '/data' } })
  expect(body.result.value).toEqual({ items: [1, 2] })
})

it("an HTTP tool reports the API's error, and whether to retry", async () => {
  const missing = await call({ url: `${upstream.origin}/missing` })
  expect(missing.status).toBe(200)
  expect(missing.body.result).toMatchObject({
    success: false,
    error: { message: `${upstream.host} answered 404 Not Found`, can_retry: false },
  })
  const notJson = await call({ url: `${upstream.origin}/not-json` })
  expect(notJson.body.result.success).toBe(false)
  const huge = await call({ url: `${upstream.origin}/huge`, response: { type: 'text' } })
  expect(huge.body.result.success).toBe(false)
})

it('an HTTP tool is retried at most twice while the API is busy', async () => {
  const { body } = await call({ url: `${upstream.origin}/busy` })
  expect(body.result).toMatchObject({ success: false, error: { can_retry: true } })
  expect(upstream.arrived).toHaveLength(3)
  await call({ url: `${upstream.origin}/busy`, method: 'POST' })
  expect(upstream.arrived).toHaveLength(1)
})

it('an HTTP tool ends at its deadline', async () => {
  const { status, body } = await call({ url: `${upstream.origin}/slow`, timeout_ms: 300 })
  expect(status).toBe(200)
  expect(body.result).toMatchObject({
    success: false,
    error: { message: 'The tool did not answer within 0.3 seconds', can_retry: true },
  })
})

it("an HTTP tool fails if the API's response does not match the output schema", async () => {
  const { body } = await call({ url: `${upstream.origin}/` }, { output: { type: 'array' } })
  expect(body.result).toMatchObject({
    success: false,
    error: { message: 'The output does not match the output schema' },
  })
})

it('an HTTP tool cannot reach private addresses, through redirects or otherwise, or use plain HTTP', async () => {
  for (const url of [
    'http://127.0.0.1:1/',
    'http://169.254.169.254/',
    'https://[::1]/',
    'https://0x7f000001/',
    'https://localhost/',
    'http://example.com/',
  ]) {
    const { status, body } = await call({ url })
    // Refused when it is published, or when it is called
    expect(status === 422 || body.result?.success === false, JSON.stringify(body)).toBe(true)
  }
  const redirected = await call({ url: `${upstream.origin}/redirect-to-metadata` })
  expect(redirected.body.result).toMatchObject({ success: false })
  expect(JSON.stringify(redirected.body)).toContain('169.254.169.254')
})

it('an HTTP tool does not send credentials to another host after a redirect', async () => {
  const { body } = await call(
    {
      url: `${upstream.origin}/redirect-elsewhere`,
      credentials: [
        { authorization: 'acme', in: 'header', name: 'Authorization' },
        { secret: 'KEY', in: 'header', name: 'x-api-key' },
      ],
    },
    {
      requirements: { authorization: [{ id: 'acme' }], secrets: [{ id: 'KEY' }] },
      context: {
        authorization: [{ id: 'acme', token: 'token-of-ann' }],
        secrets: [{ id: 'KEY', value: 'key-of-ann' }],
      },
    },
  )
  expect(body.result).toMatchObject({ success: true })
  expect(upstream.arrived[0]!.headers).toMatchObject({
    'authorization': 'Bearer token-of-ann',
    'x-api-key': 'key-of-ann',
  })
  expect(JSON.stringify(elsewhere.arrived)).not.toMatch(/of-ann/)
  expect(elsewhere.arrived).toHaveLength(1)
})

it('an HTTP tool is refused if a caller could choose where credentials are sent, or a secret is not declared', async () => {
  const host = await call({ url: 'https://{host}/' }, { properties: { host: { type: 'string' } } })
  expect(host).toMatchObject({ status: 422 })
  expect(host.body.errors[0].path).toBe('/implementation/url')
  const secret = await call({
    url: `${upstream.origin}/`,
    credentials: [{ secret: 'ADMIN_KEY', in: 'header', name: 'x' }],
  })
  expect(secret).toMatchObject({ status: 422 })
})

it('an HTTP tool passes on the trace context', async () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  await call({ url: `${upstream.origin}/` })
  const id = `Once.Tool${count}@1.0.0`
  upstream.arrived.length = 0
  await server.json('POST', '/tools/call', { tool_id: id }, { traceparent })
  expect(upstream.arrived[0]!.headers.traceparent).toBe(traceparent)
})

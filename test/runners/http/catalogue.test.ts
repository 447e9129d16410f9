import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { createGuardedFetch } from '../../../src/runners/guarded-fetch.ts'
import { createHttpRunner } from '../../../src/runners/http/runner.ts'
import { startServer } from '../local-server.ts'
import type { Arrived, LocalServer } from '../local-server.ts'
import { convertBinding, providerOf } from './arcade-binding.ts'
import type { ArcadeBinding, ArcadeParameter } from './arcade-binding.ts'
import { INVENTED_BINDINGS } from './invented-bindings.ts'
import { contextWith, definitionWith, recordOf } from './records.ts'

const CATALOGUE = new URL('../../../../shared/catalogues/http-bindings.ndjson', import.meta.url)
const NASTY = 'a b/c?d=e&f#g%20h+ü€"\\'

let server: LocalServer

beforeAll(async () => {
  server = await startServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}')
  })
})

afterAll(() => server.close())

describe('invented bindings', () => bindingTests(INVENTED_BINDINGS))

if (existsSync(CATALOGUE)) {
  const lines = readFileSync(CATALOGUE, 'utf8').trim().split('\n')
  const bindings = lines.map((line) => JSON.parse(line) as ArcadeBinding)
  describe('the catalogue of real bindings', () => {
    test('is whole', () => expect(bindings).toHaveLength(75))
    bindingTests(bindings)
  })
} else {
  test.skip(`the catalogue of real bindings (skipped: ${CATALOGUE.pathname} is absent)`)
}

/** Each binding runs with all inputs and with the required ones only, at its own host and at a local origin. */
function bindingTests(bindings: readonly ArcadeBinding[]): void {
  const cases = bindings.flatMap((binding) =>
    (['every input', 'required inputs'] as const).flatMap((given) =>
      (['its own host', 'a local origin'] as const).map((where) => ({ id: binding.tool_id, binding, given, where })),
    ),
  )
  test.each(cases)('$id sends $given to $where', async ({ binding, given, where }) => {
    const { parameters } = binding.http_endpoint
    const sent = parameters.filter((each) => given === 'every input' || (each.required && !hasDefault(each)))
    const input = Object.fromEntries(sent.map((each) => [each.tool_parameter_name, sample(each)]))
    const { arrived, host } = await run(binding, input, where)
    const expected = expectation(binding, input)

    expect(arrived.method).toBe(binding.http_endpoint.http_method)
    if (where === 'its own host') expect(host).toBe(expected.host)
    const [path = '', query = ''] = arrived.url.split('?')
    expect(path.split('/').map(decodeURIComponent)).toEqual(expected.segments)
    expect([...new URLSearchParams(query)].sort()).toEqual(expected.query.sort())
    expect(arrived.headers).toMatchObject(expected.headers)
    if (expected.json !== undefined) {
      expect(arrived.headers['content-type']).toBe('application/json')
      expect(JSON.parse(arrived.body)).toEqual(expected.json)
    } else if (expected.form !== undefined) {
      expect(arrived.headers['content-type']).toBe('application/x-www-form-urlencoded')
      expect([...new URLSearchParams(arrived.body)]).toEqual(expected.form)
    } else {
      expect(arrived.body).toBe('')
    }
  })
}

async function run(
  binding: ArcadeBinding,
  input: JsonObject,
  where: 'its own host' | 'a local origin',
): Promise<{ arrived: Arrived; host: string }> {
  let host = ''
  // Plays the part of DNS and TLS: whatever the host, the request goes to the local server.
  const toLocal = ((url: string, init: RequestInit) => {
    const asked = new URL(url)
    host = asked.host
    return fetch(`${server.origin}${asked.pathname}${asked.search}`, init)
  }) as typeof fetch
  const local = where === 'a local origin'
  const runner = createHttpRunner({
    guardedFetch: createGuardedFetch({
      fetch: local ? fetch : toLocal,
      allowHttpHosts: new Set(local ? [server.host] : []),
    }),
    now: () => 0,
    sleep: () => Promise.resolve(),
  })

  const { secrets } = binding.http_endpoint
  const provider = providerOf(binding)
  const { implementation } = convertBinding(binding, local ? { origin: server.origin } : {})
  const names = binding.http_endpoint.parameters.map((each) => each.tool_parameter_name)
  const ids = secrets.filter((each) => !each.is_auth_token).map((each) => each.arcade_key)
  const record = recordOf(definitionWith(names, { secrets: ids, providers: [provider] }), implementation)
  expect(runner.check(implementation, record)).toEqual([])
  const prepared = runner.prepare(record)
  if (!prepared.ok) throw new Error(prepared.reason)

  server.arrived.length = 0
  const values = Object.fromEntries(secrets.map((each) => [each.arcade_key, secretValue(binding, each.arcade_key)]))
  const result = await prepared.run(input, contextWith({ secrets: values, tokens: { [provider]: 'user-token' } }))
  expect(result).toEqual({ ok: true, value: { done: true } })
  expect(server.arrived).toHaveLength(1)
  return { arrived: server.arrived[0]!, host }
}

/** What must arrive, read off the binding alone. */
function expectation({ tool_id: id, http_endpoint: endpoint }: ArcadeBinding, input: Readonly<Record<string, Json>>) {
  const { parameters, secrets } = endpoint
  const binding = { tool_id: id, http_endpoint: endpoint }
  const secretFor = (place: string, name?: string) =>
    secrets.find((each) => each.accepted_as === place && (name === undefined || each.parameter_name === name))
  const value = (each: ArcadeParameter) => input[each.tool_parameter_name] ?? each.default ?? undefined
  const given = (place: string) =>
    parameters.flatMap((each) => {
      const found = each.accepted_as === place ? value(each) : undefined
      return found === undefined ? [] : [[each.name, found] as const]
    })

  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = parameters.find((each) => each.accepted_as === 'path' && each.name === name)
      if (parameter) return String(value(parameter))
      return secretValue(binding, secretFor('path', name)!.arcade_key)
    })
  const [host = '', ...segments] = endpoint.url.replace('https://', '').split('/').map(fill)

  const texts = (found: Json) => (Array.isArray(found) ? found : [found]).map(String)
  const pairs = (entries: readonly (readonly [string, Json])[]) =>
    entries.flatMap(([name, found]) => texts(found).map((text): [string, string] => [name, text]))
  const query = pairs(given('query'))
  for (const each of secrets) {
    if (each.accepted_as === 'query') query.push([each.parameter_name, secretValue(binding, each.arcade_key)])
  }

  const headers: Record<string, string> = {}
  for (const [name, text] of Object.entries(endpoint.headers)) headers[name.toLowerCase()] = text
  for (const [name, found] of given('header')) headers[name.toLowerCase()] = String(found)
  for (const each of secrets) {
    if (each.accepted_as !== 'header') continue
    const bare = each.is_auth_token ? 'user-token' : secretValue(binding, each.arcade_key)
    const shaped = each.formatted_value === null ? bare : each.formatted_value.replace('{authorization}', bare)
    headers[each.parameter_name.toLowerCase()] = shaped
  }
  const username = secretFor('basic_auth_username')
  if (username) {
    const password = secretFor('basic_auth_password')
    const pair = [username, password].map((each) => (each ? secretValue(binding, each.arcade_key) : '')).join(':')
    headers['authorization'] = `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`
  }

  const fields = given('body')
  const isForm = endpoint.headers['Content-Type'] === 'application/x-www-form-urlencoded'
  const whole = fields.find(([name]) => name === 'requestBody')
  const nested: Record<string, unknown> = {}
  for (const [name, found] of fields) {
    const steps = name.split('.')
    const last = steps.pop()!
    let at = nested
    for (const step of steps) at = (at[step] ??= {}) as Record<string, unknown>
    at[last] = found
  }
  const json = isForm || fields.length === 0 ? undefined : whole ? whole[1] : nested
  return {
    host,
    segments: ['', ...segments],
    query,
    headers,
    json,
    form: isForm && fields.length > 0 ? pairs(fields) : undefined,
  }
}

function sample({ value_schema: schema, accepted_as: place, name }: ArcadeParameter): Json {
  if (schema.enum?.[0] !== undefined) return schema.enum[0]
  switch (schema.val_type) {
    case 'integer':
      return 42
    case 'number':
      return 2.5
    case 'boolean':
      return false
    case 'array':
      return [NASTY, 'second']
    case 'json':
      return { text: NASTY, list: [1, { deep: null }], name }
    case 'string':
      return place === 'header' ? `value of ${name}` : NASTY
  }
}

/** A secret that stands in a host looks like one; the others hold characters that need encoding, but in headers. */
function secretValue({ http_endpoint: { secrets } }: ArcadeBinding, key: string): string {
  const place = secrets.find((each) => each.arcade_key === key)?.accepted_as
  if (place === 'path') return key.endsWith('SUBDOMAIN') ? 'acme-eu' : 'books.acme.example'
  if (place === 'header') return `secret-${key}`
  return place === 'query' ? `se/cr+et&=${key}` : `sécret ${key}`
}

function hasDefault({ default: value }: ArcadeParameter): boolean {
  return value !== null && value !== undefined
}

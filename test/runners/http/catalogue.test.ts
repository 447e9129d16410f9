import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import { createGuardedFetch } from '../../../src/outbound/guarded-fetch.ts'
import { createHttpRunner } from '../../../src/runners/http/runner.ts'
import { hasShared, readShared, unlessShared } from '../../shared.ts'
import { startUpstream } from '../../upstream.ts'
import type { Arrived, Upstream } from '../../upstream.ts'
import { convertBinding, providerOf } from './arcade-binding.ts'
import type { ArcadeBinding } from './arcade-binding.ts'
import { expectArrived, expectation, hasDefault, sample, secretValue } from './binding-expectation.ts'
import { INVENTED_BINDINGS } from './invented-bindings.ts'
import { contextWith, definitionWith, invocationWith, recordOf } from './records.ts'

const CATALOGUE = 'catalogues/http-bindings.ndjson'

let server: Upstream

beforeAll(async () => {
  server = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}')
  })
})

afterAll(() => server.close())

describe('generated bindings', () => bindingTests(INVENTED_BINDINGS))

if (hasShared(CATALOGUE)) {
  const lines = readShared(CATALOGUE).trim().split('\n')
  const bindings = lines.map((line) => JSON.parse(line) as ArcadeBinding)
  describe('the catalog of real bindings', () => {
    bindingTests(bindings)
  })
} else {
  test.skip(`the catalog of real bindings${unlessShared(CATALOGUE)}`)
}

/** Runs each binding with all inputs and with only the required ones, at its own host and at a local origin. */
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
    if (where === 'its own host') expect(host).toBe(expectation(binding, input).host)
    expectArrived(arrived, binding, input)
  })
}

async function run(
  binding: ArcadeBinding,
  input: JsonObject,
  where: 'its own host' | 'a local origin',
): Promise<{ arrived: Arrived; host: string }> {
  let host = ''
  // Stands in for DNS and TLS: requests to any host go to the local server.
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
    random: () => 0,
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
  const result = await prepared.run(
    invocationWith(input, { secrets: values, tokens: { [provider]: 'user-token' } }),
    contextWith(),
  )
  expect(result).toEqual({ ok: true, value: { done: true } })
  expect(server.arrived).toHaveLength(1)
  return { arrived: server.arrived[0]!, host }
}

import { describe, expect, it } from 'vitest'
import { newKeyReader } from '../../src/core/access/api-key.ts'
import { policyReader } from '../../src/core/access/policy.ts'
import { credentialProviderReader } from '../../src/core/consent/credential-provider-reader.ts'
import { oauthProviderReader } from '../../src/core/consent/provider-reader.ts'
import { type Reader, toJsonSchema } from '../../src/core/tool/json-reader.ts'
import { setUp } from './set-up.ts'

/** The controls of what is an object. */
const CONTROLS: Readonly<Record<string, readonly string[]>> = {
  limits: ['limits/rate/calls', 'limits/rate/seconds', 'limits/concurrency'],
  check: ['check/url', 'check/method', 'check/headers', 'check/account'],
  identity_assertion: ['identity_assertion/audience', 'identity_assertion/resource', 'identity_assertion/toolkits'],
}

const none = () => ({ items: [] })
const { get } = setUp({ 'GET /keys': none, 'GET /providers': none, 'GET /policies': none })

describe.each<readonly [path: string, body: Reader<unknown>]>([
  ['/console/keys?new=1', newKeyReader(() => new Date())],
  ['/console/providers', oauthProviderReader('acme')],
  ['/console/providers?entered=1', credentialProviderReader('acme', () => undefined)],
  ['/console/policies', policyReader()],
])('the form at %s', (path, body) => {
  const said = Object.keys(Object(toJsonSchema(body).properties))

  it(`the form at ${path} is compared with the fields of its route`, () => expect(said.length).toBeGreaterThan(4))

  it.each(said)(`the form at ${path} has a field for '%s', like its route`, async (name) => {
    const text = await (await get(path)).text()
    for (const field of CONTROLS[name] ?? [name]) expect(text).toContain(` name="input/${field}"`)
  })
})

it('the forms of the console have readable labels, and say which fields of an optional group are required', async () => {
  const policies = await (await get('/console/policies')).text()
  expect(policies).toMatch(/>Timeout \(ms\)</)
  expect(policies).toMatch(/>Calls<span class="note"> required if you set rate<\/span>/)
  expect(policies).not.toMatch(/name="input\/limits\/rate\/calls"[^>]*aria-required/)
  expect(await (await get('/console/providers')).text()).toMatch(/>ID<[^]*>Client ID</)
})

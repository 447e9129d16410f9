import { afterAll, beforeAll, expect, it } from 'vitest'
import { asAdmin, enter, type KeyApi, newKey, putProvider, startKeyApi, variablesBeside } from './key-world.ts'
import { type RunningServer, startApp } from './server.ts'

let api: KeyApi
let server: RunningServer

beforeAll(async () => {
  api = await startKeyApi()
  server = await startApp({ vars: variablesBeside(api) })
})
afterAll(() => Promise.all([server?.stop(), api?.close()]))

const REQUIREMENT = { provider_id: 'notes', provider_type: 'api_key' }

const definitionOf = (authorization: object) => ({
  fully_qualified_name: 'Rfc.List@1.0.0',
  name: 'List',
  description: 'Lists notes.',
  toolkit: { name: 'Rfc', version: '1.0.0' },
  input: { parameters: [] },
  output: { available_modes: ['value', 'error', 'requires_authorization'], value_schema: { val_type: 'json' } },
  requirements: { authorization },
})
const publish = (authorization: object) =>
  server.json(
    'POST',
    '/tools',
    {
      definition: definitionOf(authorization),
      implementation: {
        kind: 'http',
        method: 'GET',
        url: `${api.origin}/notes`,
        credentials: [{ authorization: 'notes', in: 'header', name: 'x-api-key' }],
        response: { type: 'json' },
      },
    },
    asAdmin,
  )
const invoke = () =>
  server.json(
    'POST',
    '/worker/tools/invoke',
    {
      execution_id: crypto.randomUUID(),
      tool: { name: 'List', toolkit: 'Rfc', version: '1.0.0' },
      inputs: {},
      context: { user_id: 'ann' },
    },
    asAdmin,
  )

it('a tool that requires an API key under the RFC is listed as published, and called once the user entered the key', async () => {
  await putProvider(server, 'notes', { kind: 'api_key' })
  expect(await publish(REQUIREMENT)).toMatchObject({ status: 201 })
  const listed = await server.json('GET', '/tools?format=open-tool-calling&toolkit=Rfc', undefined, asAdmin)
  expect(listed.body.items[0].requirements.authorization).toEqual(REQUIREMENT)
  const asked = await invoke()
  const { id, url, scopes, status, ...more } = asked.body.output.requires_authorization
  expect([typeof id, scopes, status, more]).toEqual(['string', [], 'not_started', {}])
  const key = newKey()
  api.accounts.set(key, 'ann')
  expect((await enter(url, { key })).status).toBe(200)
  expect(await invoke()).toMatchObject({ body: { success: true, output: { value: { login: 'ann' } } } })
})

it('a requirement of the RFC with scopes for an API key, or of an unknown type, is refused', async () => {
  for (const [authorization, path] of [
    [{ ...REQUIREMENT, oauth2: { scopes: ['a'] } }, 'oauth2/scopes'],
    [{ ...REQUIREMENT, provider_type: 'saml' }, 'provider_type'],
  ] as const) {
    const { status, body } = await publish(authorization)
    expect([status, body.errors[0].path]).toEqual([422, `/definition/requirements/authorization/${path}`])
  }
})

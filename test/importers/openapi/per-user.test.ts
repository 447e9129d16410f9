import { expect, it } from 'vitest'
import { read } from './make.ts'

const perUser = { options: { credentials: 'per-user' } }
const operation = (scheme: string, scopes: readonly string[] = []) => ({
  get: { operationId: `use_${scheme}`, security: [{ [scheme]: scopes }], responses: { 200: { description: 'Yes' } } },
})

const swagger = {
  swagger: '2.0',
  info: { title: `Long\n${'title '.repeat(50)}`, version: '1.0.0' },
  host: 'api.example',
  externalDocs: { url: 'http://api.example/docs' },
  securityDefinitions: {
    login: { type: 'basic', description: `Ask\u0000 ${'us '.repeat(500)}` },
    oauth: {
      type: 'oauth2',
      flow: 'accessCode',
      authorizationUrl: 'https://api.example/authorize',
      tokenUrl: 'https://api.example/token',
      scopes: { read: 'Read' },
    },
  },
  paths: { '/a': operation('login'), '/b': operation('oauth', ['read']) },
}

it('schemes of OpenAPI 2.0 become providers, with texts in lines of limited length', async () => {
  const { tools = [] } = await read(swagger, perUser)
  const [login, oauth] = tools.flatMap(({ providers = [] }) => providers)
  expect(login).toMatchObject({ id: 'kit-login', kind: 'basic', scheme: 'login', body: { tools: ['Kit.*'] } })
  expect(login?.body).not.toHaveProperty('help_url')
  expect(String(login?.body['name'])).toMatch(/^Long title .{1,60}\(login\)$/)
  expect(String(login?.body['help'])).toMatch(/^Ask us \P{Cc}{100,493}$/u)
  expect(oauth?.body).toMatchObject({ token_endpoint: 'https://api.example/token', client_id: 'CLIENT_ID' })
  expect(tools[0]).toMatchObject({
    definition: { requirements: { secrets: [], authorization: [{ id: 'kit-login' }] } },
    implementation: {
      credentials: [
        { authorization: 'kit-login', field: 'username', in: 'basic', name: 'username' },
        { authorization: 'kit-login', field: 'password', in: 'basic', name: 'password' },
      ],
    },
  })
  expect(tools[0]?.definition.requirements.authorization[0]).not.toHaveProperty('oauth2')
})

it('alternatives of security are selected for users as for secrets: none if it is optional, else the first or the named one', async () => {
  const responses = { 200: { description: 'Yes' } }
  const described = {
    openapi: '3.1.0',
    info: { title: 'A', version: '1.0.0' },
    servers: [{ url: 'https://api.example' }],
    components: {
      securitySchemes: {
        one: { type: 'apiKey', in: 'cookie', name: 'one' },
        two: { type: 'http', scheme: 'bearer' },
        tls: { type: 'mutualTLS' },
      },
    },
    paths: {
      '/optional': { get: { operationId: 'optional', security: [{ one: [] }, {}], responses } },
      '/either': { get: { operationId: 'either', security: [{ tls: [] }, { one: [] }, { two: [] }], responses } },
      '/tls': { get: { operationId: 'tls', security: [{ tls: [] }], responses } },
    },
  }
  const idsOf = async (options: object) => {
    const { tools = [], skipped = [] } = await read(described, { options: { credentials: 'per-user', ...options } })
    expect(skipped.map(({ name }) => name)).toEqual(['tls'])
    return tools.map(({ providers = [] }) => providers.map(({ id }) => id))
  }
  expect(await idsOf({})).toEqual([[], ['kit-one']])
  expect(await idsOf({ providers: { two: 'ours' } })).toEqual([[], ['ours']])
})

// If each operation read all of it, this would take minutes and the test would time out
it('a long description of a scheme is read once for many operations', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, index) => [
      `/${index}`,
      { get: { operationId: `o${index}`, security: [{ login: [] }], responses: { 200: { description: 'Yes' } } } },
    ]),
  )
  const login = { type: 'basic', description: ' \n'.repeat(500_000) }
  const { tools = [] } = await read({ ...swagger, securityDefinitions: { login }, paths }, perUser)
  expect(tools).toHaveLength(2_000)
})

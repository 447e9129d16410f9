import { NO_USER } from '../../src/core/failure/failure-text.ts'
import { Response } from 'miniflare'
import { afterAll, beforeAll, expect } from 'vitest'
import { HttpPerson } from '../e2e/oauth/http-person.ts'
import { CLIENT_ID, startProvider, type TestProvider } from '../e2e/oauth/provider.ts'
import { type RunningServer, startApp } from '../e2e/server.ts'
import { ADD, GET_EMAILS, GET_TIMESTAMP, RING, SEND } from './oxp-examples.ts'
import { answered, code, definition, failing, got, idsOf, invalid, refusal, registry } from './oxp-registry.ts'
import { openDocument } from './source-document.ts'
import { withoutNeighbours } from '../e2e/without-neighbours.ts'

/** OXP 1.0, "Tool Definition": requirements, and the examples. `oxp` and `oxp-schemas` have the other chapters. */
const { works, deviates, aside, whole } = openDocument('oxp-1.0-tool-definition.txt', 'oxp')

let server: RunningServer
let provider: TestProvider
/** The requests that tools made of the API at `https://api.example`. */
const asked: { readonly authorization: string | null; readonly key: string | null }[] = []

beforeAll(async () => {
  provider = await startProvider()
  server = withoutNeighbours(
    await startApp({
      vars: {
        ALLOW_HTTP_HOSTS: provider.host,
        TOOL_SECRETS: JSON.stringify({ SHARED_KEY: ['Secrets.Allowed'], ALSO_EMPTY: ['Secrets.Empty'] }),
        SHARED_KEY: 'of the deployment',
        ALSO_EMPTY: '',
        PERSON_CLIENT_SECRET: provider.clientSecret,
      },
      async outbound(request) {
        const { hostname } = new URL(request.url)
        if (hostname === 'api.example') {
          asked.push({ authorization: request.headers.get('authorization'), key: request.headers.get('x-api-key') })
          return Response.json({ asked: asked.length })
        }
        if (hostname === 'gmail.googleapis.com') return gmail(request.url)
        if (hostname === 'api.twilio.com') return Response.json({ status: 'queued' })
        const body = request.method === 'POST' ? { body: await request.text() } : {}
        const answer = await fetch(request.url, { method: request.method, headers: [...request.headers], ...body })
        return new Response(await answer.text(), { status: answer.status, headers: [...answer.headers] })
      },
    }),
  )
  provider.allowRedirectTo(`${server.url}/oauth/callback`)
})
afterAll(() => Promise.all([server?.stop(), provider?.close()]))
const { ask, publish, refused, read, listed, call } = registry(() => server)

function gmail(url: string) {
  if (url.includes('?')) return Response.json({ messages: [{ id: 'm1' }] })
  return Response.json({ id: 'm1', snippet: 'Hi', payload: { headers: [{ name: 'Subject', value: 'Hello' }] } })
}

aside(
  'Specification (1.0) … does not return any output.',
  'Requirements • requirements',
  'Non-Normative Examples',
  ADD,
  RING,
  GET_TIMESTAMP,
  GET_EMAILS,
  SEND,
)

/** A definition with requirements. */
const requiring = (id: string, requirements: unknown) => definition(id, { requirements })

/** The answer to a call of a tool that lacks something. */
/** The remaining setup steps, as shown to an administrator. */
const unset = (tool: string, id: string) =>
  `Neither TOOL_SECRETS nor a policy lets '${tool}' have the secret '${id}': 'switchboard policies set ${tool} --secret ${id}' allows it. The secret '${id}' is not set: 'npx wrangler secret put ${id}' sets it, or on your own machine a line '${id}=…' in .dev.vars`

const lacking = (tool: string, developer_message: string, missing_requirements: object) =>
  refusal(400, {
    message: `Tool '${tool}' needs something more before it can be called`,
    developer_message,
    missing_requirements,
  })

const REQUIREMENTS = 'requirements (optional)'

works(REQUIREMENTS, 'without them nothing is required, and none are written', async () => {
  const document = definition('Optional.None@1.0.0')
  await publish(document, code('export default () => 1'))
  expect(await call(document.id)).toEqual(answered(1))
  expect(await read(document.id)).toEqual(document)
})

works(REQUIREMENTS, 'anything but an object', async () => {
  for (const requirements of [null, true, 'KEY', 1, [{ secrets: [] }]]) {
    expect(await refused(requiring('Optional.Other@1.0.0', requirements))).toEqual({
      '/requirements': `Must be an object, got ${got(requirements)}`,
    })
  }
})

works(REQUIREMENTS, 'a misspelt one, without which the tool would run unprotected', async () => {
  const wanted = "wanted 'authorization', 'secrets', 'user_id'"
  expect(await refused(requiring('Misspelt.One@1.0.0', { secret: [{ id: 'KEY' }], authorisation: [] }))).toEqual({
    '/requirements/secret': `Unknown field 'secret' (meant 'secrets'?): ${wanted}`,
    '/requirements/authorisation': `Unknown field 'authorisation' (meant 'authorization'?): ${wanted}`,
  })
  const acme = { authorization: [{ id: 'acme', scopes: ['read'] }] }
  expect(await refused(requiring('Misspelt.Two@1.0.0', acme))).toEqual({
    '/requirements/authorization/0/scopes': "Unknown field 'scopes' (meant 'oauth2'?): wanted 'id', 'oauth2'",
  })
})

/** Makes a request of the API, with what is to be sent along. */
const apiCall = (...credentials: object[]) => ({
  kind: 'http',
  method: 'GET',
  url: 'https://api.example/',
  credentials,
})

const NOT_PARAMETERS =
  'Describes tool requirements that are not strictly input parameters, such as an API key needed to call a target API,'

works(NOT_PARAMETERS, 'the key reaches the API that the tool calls', async () => {
  const document = requiring('Key.Sent@1.0.0', { secrets: [{ id: 'API_KEY' }] })
  await publish(document, apiCall({ secret: 'API_KEY', in: 'header', name: 'x-api-key' }))
  const before = asked.length
  const { status, body } = await call(document.id, {}, { secrets: [{ id: 'API_KEY', value: 'k3y-of-the-caller' }] })
  expect({ status, value: body.result.value }).toEqual({ status: 200, value: { asked: before + 1 } })
  expect(asked.slice(before)).toEqual([{ authorization: null, key: 'k3y-of-the-caller' }])
})

works(NOT_PARAMETERS, 'without it the tool does not run', async () => {
  const document = requiring('Key.Missing@1.0.0', { secrets: [{ id: 'API_KEY' }] })
  await publish(document, apiCall({ secret: 'API_KEY', in: 'header', name: 'x-api-key' }))
  const before = asked.length
  expect(await call(document.id)).toEqual(
    lacking('Key.Missing', unset('Key.Missing', 'API_KEY'), {
      secrets: [{ id: 'API_KEY' }],
    }),
  )
  expect(asked.length).toBe(before)
})

works(NOT_PARAMETERS, 'models are shown no parameter for it', async () => {
  await publish(
    requiring('KeyHidden.T@1.0.0', { secrets: [{ id: 'API_KEY' }], user_id: true }),
    code('export default () => 1'),
  )
  const list = await ask('POST', '/mcp?toolkits=KeyHidden', { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  expect(list.body.result.tools[0].inputSchema).toEqual({ type: 'object' })
})

const AUTHORIZED = 'or that a tool requires OAuth 2.0-based authorization.'
const ACME = { authorization: [{ id: 'acme', oauth2: { scopes: ['mail.read'] } }] }

works(AUTHORIZED, 'the token that a caller has for it reaches the API', async () => {
  await publish(
    requiring('Authorized.Sent@1.0.0', ACME),
    apiCall({ authorization: 'acme', in: 'header', name: 'authorization', format: 'Bearer {value}' }),
  )
  const before = asked.length
  const token = 't0ken-of-the-caller'
  const { status, body } = await call('Authorized.Sent', {}, { authorization: [{ id: 'acme', token }] })
  expect({ status, value: body.result.value }).toEqual({ status: 200, value: { asked: before + 1 } })
  expect(asked.slice(before)).toEqual([{ authorization: `Bearer ${token}`, key: null }])
})

works(AUTHORIZED, 'without one the user is asked, by a link', async () => {
  await publish(requiring('Authorized.Asked@1.0.0', ACME), code('export default () => 1'))
  expect(await call('Authorized.Asked', {}, { user_id: 'ann' })).toEqual(
    lacking('Authorized.Asked', expect.stringContaining("No provider 'acme' is connected"), {
      authorization: [
        {
          id: 'acme',
          url: expect.stringMatching(`^${server.url}/authorizations/[\\w-]{40,}/start$`),
          check_url: expect.stringMatching(`^${server.url}/authorizations/[\\w-]{40,}$`),
        },
      ],
      // Ours: 'acme' is not set up, so the link is of no use yet
      needs_setup: ['acme'],
    }),
  )
})

const MAY_CONTAIN = 'The object MAY contain the following fields:'

works(MAY_CONTAIN, 'none', async () => {
  const document = requiring('Contains.None@1.0.0', {})
  await publish(document, code('export default () => 1'))
  expect(await call(document.id)).toEqual(answered(1))
  expect(await read(document.id)).toEqual(document)
})

const EVERYTHING = {
  authorization: [{ id: 'acme', oauth2: { scopes: ['mail.read'] } }],
  secrets: [{ id: 'KEY' }],
  user_id: true,
}

works(MAY_CONTAIN, 'all: they are listed and read as they were published', async () => {
  const document = requiring('ContainsAll.T@1.0.0', EVERYTHING)
  await publish(document)
  expect(await read(document.id)).toEqual(document)
  expect(await listed('ContainsAll')).toEqual([document])
})

works(MAY_CONTAIN, 'a call that lacks all of them is told all at once', async () => {
  await publish(requiring('Contains.Lacking@1.0.0', EVERYTHING), code('export default () => 1'))
  expect(await call('Contains.Lacking')).toEqual(
    lacking('Contains.Lacking', `${unset('Contains.Lacking', 'KEY')}; ${NO_USER}`, {
      authorization: [{ id: 'acme', url: `${server.url}/authorizations/acme/start` }],
      secrets: [{ id: 'KEY' }],
      user_id: true,
    }),
  )
})

works(MAY_CONTAIN, 'one that meets all of them runs', async () => {
  await publish(requiring('Contains.Met@1.0.0', EVERYTHING), code('export default (_, { userId }) => userId'))
  const context = {
    authorization: [{ id: 'acme', token: 'a-token' }],
    secrets: [{ id: 'KEY', value: 'a-secret' }],
    user_id: 'ann',
  }
  expect(await call('Contains.Met', {}, context)).toEqual(answered('ann'))
})

works(MAY_CONTAIN, 'what else a caller sends along is no part of the call', async () => {
  await publish(definition('Contains.Plain@1.0.0'), code('export default (_, context) => JSON.stringify(context)'))
  const context = {
    authorization: [{ id: 'acme', token: 'not-asked-for-token' }],
    secrets: [{ id: 'KEY', value: 'not-asked-for-secret' }],
  }
  const { status, body } = await call('Contains.Plain', {}, context)
  expect(status).toBe(200)
  expect(JSON.parse(body.result.value)).toMatchObject({ tool: 'Plain' })
  expect(body.result.value).not.toContain('not-asked-for')
})

works(MAY_CONTAIN, 'more fields are kept and warned of, and require nothing', async () => {
  const document = requiring('Contains.More@1.0.0', { region: 'eu', secrets: [] })
  const implementation = code('export default () => 1')
  const path = '/definition/requirements/region'
  const message = "Unknown field 'region', which is ignored: wanted 'authorization', 'secrets', 'user_id'"
  expect(await ask('POST', '/tools', { definition: document, implementation })).toEqual({
    status: 201,
    body: { ids: [document.id], warnings: [{ path, message }] },
  })
  expect(await read(document.id)).toEqual(document)
  expect(await call(document.id)).toEqual(answered(1))
})

const AUTHORIZATION = 'authorization (array, optional)'

works(AUTHORIZATION, 'may be empty', async () => {
  const document = requiring('Authorization.Empty@1.0.0', { authorization: [] })
  await publish(document, code('export default () => 1'))
  expect(await call(document.id)).toEqual(answered(1))
  expect(await read(document.id)).toEqual(document)
})

works(AUTHORIZATION, 'anything but an array', async () => {
  for (const authorization of [null, true, 'acme', 1, { id: 'acme' }]) {
    expect(await refused(requiring('Authorization.Other@1.0.0', { authorization }))).toEqual({
      '/requirements/authorization': `Must be an array, got ${got(authorization)}`,
    })
  }
})

const METHODS =
  'Declares one or more required authorization methods, described as an array of objects with the following properties:'

works(METHODS, 'what is no object has no id', async () => {
  expect(await refused(requiring('Methods.Other@1.0.0', { authorization: ['acme', 1, null, []] }))).toEqual(
    Object.fromEntries([0, 1, 2, 3].map((at) => [`/requirements/authorization/${at}/id`, 'Is required'])),
  )
})

works(METHODS, 'each of two that are missing is asked for', async () => {
  await publish(
    requiring('Methods.Two@1.0.0', { authorization: [{ id: 'one' }, { id: 'two' }] }),
    code('export default () => 1'),
  )
  const { status, body } = await call('Methods.Two', {}, { user_id: 'ann' })
  expect(status).toBe(400)
  expect(idsOf(body.missing_requirements.authorization)).toEqual(['one', 'two'])
})

works(METHODS, 'all of them are required', async () => {
  await publish(
    requiring('Methods.Both@1.0.0', { authorization: [{ id: 'one' }, { id: 'two' }] }),
    code('export default () => 1'),
  )
  const [one, two] = ['one', 'two'].map((id) => ({ id, token: `token-${id}` }))
  const { status, body } = await call('Methods.Both', {}, { authorization: [one], user_id: 'ann' })
  expect(status).toBe(400)
  expect(idsOf(body.missing_requirements.authorization)).toEqual(['two'])
  expect(await call('Methods.Both', {}, { authorization: [one, two] })).toEqual(answered(1))
})

const METHOD_ID = 'id (string): A unique identifier for the authorization method or authorization provider.'
const NO_ID = 'Must be 1 to 128 visible ASCII characters, got'

works(METHOD_ID, 'without one, or with what is none', async () => {
  const authorization = [{ oauth2: { scopes: [] } }, { id: 1 }, { id: '' }]
  expect(await refused(requiring('MethodId.Other@1.0.0', { authorization }))).toEqual({
    '/requirements/authorization/0/id': 'Is required',
    '/requirements/authorization/1/id': `${NO_ID} 1`,
    '/requirements/authorization/2/id': `${NO_ID} ''`,
  })
})

const IDS_ROW = 'ids of tools, secrets and authorizations: "unique identifier (string)"'

deviates(METHOD_ID, 'with a space, of another script, or of 129 characters', IDS_ROW, async () => {
  const authorization = [{ id: 'a b' }, { id: 'com.example:ünï/1' }, { id: 'x'.repeat(129) }]
  expect(await refused(requiring('MethodId.Long@1.0.0', { authorization }))).toEqual({
    '/requirements/authorization/0/id': `${NO_ID} 'a b'`,
    '/requirements/authorization/1/id': `${NO_ID} 'com.example:ünï/1'`,
    '/requirements/authorization/2/id': `${NO_ID} a string of 129 characters`,
  })
})

works(METHOD_ID, 'one twice', async () => {
  const authorization = [{ id: 'acme' }, { id: 'other' }, { id: 'acme', oauth2: { scopes: ['a'] } }]
  expect(await refused(requiring('MethodId.Twice@1.0.0', { authorization }))).toEqual({
    '/requirements/authorization/2/id': "Must be unique, got 'acme' again",
  })
})

works(METHOD_ID, 'up to 128 characters, in whatever form a provider writes it', async () => {
  for (const [name, id] of Object.entries({ Url: 'https://login.acme.example/oauth2', Long: 'x'.repeat(128) })) {
    const document = requiring(`MethodId.${name}@1.0.0`, { authorization: [{ id }] })
    await publish(document, code('export default () => 1'))
    expect(await call(document.id, {}, { authorization: [{ id, token: 'a-token' }] })).toEqual(answered(1))
  }
})

works(METHOD_ID, 'the token of another method does not count', async () => {
  await publish(requiring('MethodId.Apart@1.0.0', { authorization: [{ id: 'acme' }] }), code('export default () => 1'))
  const context = { authorization: [{ id: 'other', token: 'a-token' }], user_id: 'ann' }
  const { status, body } = await call('MethodId.Apart', {}, context)
  expect(status).toBe(400)
  expect(idsOf(body.missing_requirements.authorization)).toEqual(['acme'])
})

const OAUTH2 =
  'oauth2 (optional): For tools that need OAuth 2.0-based authorization, this field contains the OAuth 2.0-specific authorization details.'

works(OAUTH2, 'may be left out', async () => {
  const document = requiring('OAuth2.None@1.0.0', { authorization: [{ id: 'acme' }] })
  await publish(document, code('export default () => 1'))
  expect(await read(document.id)).toEqual(document)
  expect(await call(document.id, {}, { authorization: [{ id: 'acme', token: 'a-token' }] })).toEqual(answered(1))
})

works(OAUTH2, 'anything but an object', async () => {
  for (const oauth2 of [null, true, 'mail.read', ['mail.read']]) {
    const problems = await refused(requiring('OAuth2.Other@1.0.0', { authorization: [{ id: 'acme', oauth2 }] }))
    expect(problems).toEqual({ '/requirements/authorization/0/oauth2/scopes': expect.any(String) })
  }
})

const SCOPES = 'scopes (array of strings)'

works(SCOPES, 'none, one and several', async () => {
  for (const [name, scopes] of Object.entries({ None: [], One: ['a'], Several: ['a', 'https://b.example/c', 'd:e'] })) {
    const document = requiring(`Scopes.${name}@1.0.0`, { authorization: [{ id: 'acme', oauth2: { scopes } }] })
    await publish(document)
    expect(await read(document.id)).toEqual(document)
  }
})

works(SCOPES, 'anything but an array of strings', async () => {
  for (const scopes of ['mail.read', 1, {}, [1], [null]]) {
    expect(
      await refused(requiring('Scopes.Other@1.0.0', { authorization: [{ id: 'acme', oauth2: { scopes } }] })),
    ).toEqual({ '/requirements/authorization/0/oauth2/scopes': `Must be an array of strings, got ${got(scopes)}` })
  }
})

const GRANTED = 'A list of scopes that must be granted for the tool to execute properly.'

/** Connects the test's provider with its own id. */
async function connect(id: string) {
  const put = await ask('PUT', `/providers/${id}`, {
    name: 'The Provider',
    issuer: provider.issuer,
    client_id: CLIENT_ID,
    client_secret_name: 'PERSON_CLIENT_SECRET',
  })
  expect(put, JSON.stringify(put.body)).toMatchObject({ status: 201 })
}

/** Publishes a tool that calls the API with a user's token. Returns a function that calls it for Ann. */
async function publishScoped(tool: string, id: string, scopes: readonly string[]) {
  const credential = { authorization: id, in: 'header', name: 'authorization', format: 'Bearer {value}' }
  await publish(
    requiring(`Granted.${tool}@1.0.0`, { authorization: [{ id, oauth2: { scopes } }] }),
    apiCall(credential),
  )
  return () => call(`Granted.${tool}`, {}, { user_id: 'ann' })
}

works(GRANTED, 'the link shows them to the user, and what watches it names them', async () => {
  await connect('shown')
  const callIt = await publishScoped('Shown', 'shown', ['mail.read', 'mail.send'])
  const [{ url, check_url }] = (await callIt()).body.missing_requirements.authorization
  expect((await ask('GET', check_url)).body).toMatchObject({
    provider: 'shown',
    user_id: 'ann',
    scopes: ['mail.read', 'mail.send'],
    status: 'not_started',
  })
  const { text } = await new HttpPerson().open(url)
  for (const word of ['Granted.Shown', 'mail.read', 'mail.send', 'The Provider', 'ann']) expect(text).toContain(word)
})

works(GRANTED, 'once they are, the tool has a token for them', async () => {
  await connect('granting')
  const callIt = await publishScoped('Once', 'granting', ['mail.read'])
  const [{ url, check_url }] = (await callIt()).body.missing_requirements.authorization
  await new HttpPerson().consent(url, 'ann')
  expect((await ask('GET', check_url)).body.status).toBe('completed')
  const before = asked.length
  expect(await callIt()).toEqual(answered({ asked: before + 1 }))
  const token = asked[before]?.authorization?.replace('Bearer ', '') ?? ''
  expect(await provider.whose(token)).toEqual({ account: 'ann', scopes: ['mail.read', 'offline_access'] })
})

works(GRANTED, 'a user who refuses them is asked again, and the tool does not run', async () => {
  await connect('refusing')
  const callIt = await publishScoped('Refused', 'refusing', ['mail.read'])
  const [{ url, check_url }] = (await callIt()).body.missing_requirements.authorization
  await new HttpPerson().consent(url, 'ann', 'Deny')
  expect((await ask('GET', check_url)).body.status).toBe('failed')
  expect(idsOf((await callIt()).body.missing_requirements.authorization)).toEqual(['refusing'])
})

works(GRANTED, 'a tool that needs another one asks for it', async () => {
  await connect('widening')
  const reads = await publishScoped('Reads', 'widening', ['mail.read'])
  const [{ url }] = (await reads()).body.missing_requirements.authorization
  await new HttpPerson().consent(url, 'ann')
  const sends = await publishScoped('Sends', 'widening', ['mail.send'])
  const { status, body } = await sends()
  expect(status).toBe(400)
  const { scopes } = (await ask('GET', body.missing_requirements.authorization[0].check_url)).body
  expect(scopes).toContain('mail.send')
})

const SECRETS =
  'secrets (array, optional): Declares one or more secrets, described as an array of objects with the following properties:'

works(SECRETS, 'may be empty', async () => {
  const document = requiring('Secrets.None@1.0.0', { secrets: [] })
  await publish(document, code('export default () => 1'))
  expect(await call(document.id)).toEqual(answered(1))
  expect(await read(document.id)).toEqual(document)
})

works(SECRETS, 'anything but an array of objects', async () => {
  for (const secrets of [null, true, 'KEY', { id: 'KEY' }]) {
    expect(await refused(requiring('Secrets.Other@1.0.0', { secrets }))).toEqual({
      '/requirements/secrets': `Must be an array, got ${got(secrets)}`,
    })
  }
  expect(await refused(requiring('Secrets.Other@1.0.0', { secrets: ['KEY'] }))).toEqual({
    '/requirements/secrets/0/id': 'Is required',
  })
})

works(SECRETS, 'all of them are required', async () => {
  const document = requiring('Secrets.Two@1.0.0', { secrets: [{ id: 'ONE' }, { id: 'TWO' }] })
  await publish(document, code('export default () => 1'))
  const [one, two] = ['ONE', 'TWO'].map((id) => ({ id, value: `value-${id}` }))
  expect(await call(document.id, {}, { secrets: [two] })).toEqual(
    lacking('Secrets.Two', unset('Secrets.Two', 'ONE'), {
      secrets: [{ id: 'ONE' }],
    }),
  )
  expect(await call(document.id, {}, { secrets: [one, two] })).toEqual(answered(1))
})

works(SECRETS, 'the deployment gives its own to the tools that it lets have them', async () => {
  const document = requiring('Secrets.Allowed@1.0.0', { secrets: [{ id: 'SHARED_KEY' }] })
  await publish(document, apiCall({ secret: 'SHARED_KEY', in: 'header', name: 'x-api-key' }))
  expect((await call('Secrets.Allowed')).status).toBe(200)
  expect(asked.at(-1)?.key).toBe('of the deployment')
})

works(SECRETS, 'and to no other, whatever it declares', async () => {
  const document = requiring('Secrets.Unallowed@1.0.0', { secrets: [{ id: 'SHARED_KEY' }] })
  await publish(document, apiCall({ secret: 'SHARED_KEY', in: 'header', name: 'x-api-key' }))
  expect(await call('Secrets.Unallowed')).toEqual(
    lacking('Secrets.Unallowed', "TOOL_SECRETS does not let 'Secrets.Unallowed' have the secret 'SHARED_KEY'", {
      secrets: [{ id: 'SHARED_KEY' }],
    }),
  )
})

works(SECRETS, 'one that is empty counts as missing', async () => {
  const document = requiring('Secrets.Empty@1.0.0', { secrets: [{ id: 'ALSO_EMPTY' }] })
  await publish(document, code('export default () => 1'))
  const missing = { secrets: [{ id: 'ALSO_EMPTY' }] }
  for (const context of [undefined, { secrets: [{ id: 'ALSO_EMPTY', value: '' }] }]) {
    const { status, body } = await call('Secrets.Empty', {}, context)
    expect({ status, missing: body.missing_requirements }).toEqual({ status: 400, missing })
  }
})

works(SECRETS, 'no answer repeats their values', async () => {
  const module = 'export default (_, { fetch }) => fetch("https://api.example/").then(() => "it was s3cret-value")'
  const document = requiring('Secrets.Repeated@1.0.0', { secrets: [{ id: 'KEY' }] })
  const credentials = [{ secret: 'KEY', in: 'header', name: 'x-api-key' }]
  await publish(document, { ...code(module), allowed_hosts: ['api.example'], credentials })
  const { body } = await call(document.id, {}, { secrets: [{ id: 'KEY', value: 's3cret-value' }] })
  expect(body.result.success).toBe(true)
  expect(JSON.stringify(body)).not.toContain('s3cret-value')
})

const SECRET_ID = 'id (string): A unique identifier for the secret.'

works(SECRET_ID, 'without one, or with what is none', async () => {
  const secrets = [{}, { id: 1 }, { id: '' }]
  expect(await refused(requiring('SecretId.Other@1.0.0', { secrets }))).toEqual({
    '/requirements/secrets/0/id': 'Is required',
    '/requirements/secrets/1/id': `${NO_ID} 1`,
    '/requirements/secrets/2/id': `${NO_ID} ''`,
  })
})

deviates(SECRET_ID, 'with a space, of another script, or of 129 characters', IDS_ROW, async () => {
  const secrets = [{ id: 'A KEY' }, { id: 'schlüssel' }, { id: 'x'.repeat(129) }, { id: 'x'.repeat(128) }]
  expect(await refused(requiring('SecretId.Long@1.0.0', { secrets }))).toEqual({
    '/requirements/secrets/0/id': `${NO_ID} 'A KEY'`,
    '/requirements/secrets/1/id': `${NO_ID} 'schlüssel'`,
    '/requirements/secrets/2/id': `${NO_ID} a string of 129 characters`,
  })
})

works(SECRET_ID, 'one twice', async () => {
  const secrets = [{ id: 'KEY' }, { id: 'OTHER' }, { id: 'KEY' }]
  expect(await refused(requiring('SecretId.Twice@1.0.0', { secrets }))).toEqual({
    '/requirements/secrets/2/id': "Must be unique, got 'KEY' again",
  })
})

works(SECRET_ID, 'a method of authorization may have the same', async () => {
  const document = requiring('SecretId.Same@1.0.0', { authorization: [{ id: 'acme' }], secrets: [{ id: 'acme' }] })
  await publish(document, code('export default () => 1'))
  const { body } = await call(document.id, {}, { authorization: [{ id: 'acme', token: 'a-token' }], user_id: 'ann' })
  expect(body.missing_requirements).toEqual({ secrets: [{ id: 'acme' }] })
})

const USER_ID = 'user_id (boolean, optional): true if the tool requires a user ID,'

works(USER_ID, 'a call that names none is told so', async () => {
  await publish(requiring('UserId.Missing@1.0.0', { user_id: true }), code('export default () => 1'))
  expect(await call('UserId.Missing')).toEqual(lacking('UserId.Missing', NO_USER, { user_id: true }))
})

works(USER_ID, 'the tool is told the one that a call names', async () => {
  await publish(requiring('UserId.Told@1.0.0', { user_id: true }), code('export default (_, { userId }) => userId'))
  for (const user_id of ['ann', 'urn:user:7', 'ann@example.com']) {
    expect(await call('UserId.Told', {}, { user_id })).toEqual(answered(user_id))
  }
})

works(USER_ID, 'anything but a boolean', async () => {
  for (const user_id of [null, 'true', 1, {}]) {
    expect(await refused(requiring('UserId.Other@1.0.0', { user_id }))).toEqual({
      '/requirements/user_id': `Must be a boolean, got ${got(user_id)}`,
    })
  }
})

const FALSE = 'false (or omitted) otherwise.'

works(FALSE, 'false', async () => {
  const document = requiring('UserIdFalse.T@1.0.0', { user_id: false })
  await publish(document, code('export default (_, { userId }) => userId ?? "nobody"'))
  expect(await call(document.id)).toEqual(answered('nobody'))
  expect(await listed('UserIdFalse')).toEqual([document])
})

works(FALSE, 'omitted: a tool that requires none is not told who calls', async () => {
  await publish(definition('UserIdFalse.Untold@1.0.0'), code('export default (_, { userId }) => userId ?? "nobody"'))
  expect(await call('UserIdFalse.Untold', {}, { user_id: 'ann' })).toEqual(answered('nobody'))
})

const ILLUSTRATE =
  'The following examples are non-normative and are provided to illustrate the use of the ToolDefinition schema.'
const EXAMPLES = [ADD, RING, GET_TIMESTAMP, GET_EMAILS, SEND].map((text) => JSON.parse(text))

works(ILLUSTRATE, 'each is published as it stands, and is there already', async () => {
  for (const example of EXAMPLES) {
    expect(await ask('POST', '/tools', example)).toEqual({ status: 200, body: { ids: [example.id] } })
  }
})

works(ILLUSTRATE, 'each is published with a plain key, too', async () => {
  const ADMIN_KEY = 'the-administrator-of-this-test'
  const deployed = withoutNeighbours(await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } }))
  try {
    const plain = { name: 'plain', scopes: ['tools:read', 'tools:publish'], tools: ['*'], users: [] }
    const made = await deployed.json('POST', '/keys', plain, { authorization: `Bearer ${ADMIN_KEY}` })
    for (const example of EXAMPLES) {
      const headers = { authorization: `Bearer ${made.body.key}` }
      expect(await deployed.json('POST', '/tools', example, headers)).toMatchObject({
        status: 200,
        body: { ids: [example.id] },
      })
    }
  } finally {
    await deployed.stop()
  }
})

works(ILLUSTRATE, 'each is read as it stands', async () => {
  for (const example of EXAMPLES) expect(JSON.stringify(await read(example.id))).toBe(JSON.stringify(example))
})

works(ILLUSTRATE, 'each is listed as it stands', async () => {
  const { body } = await ask('GET', '/tools?limit=1000')
  for (const example of EXAMPLES) {
    const item = body.items.find(({ id }: { id: string }) => id === example.id)
    expect(JSON.stringify(item)).toBe(JSON.stringify(example))
  }
})

works(ILLUSTRATE, 'together they are a batch', async () => {
  const results = EXAMPLES.map(({ id }) => ({ id, status: 200 }))
  expect(await ask('POST', '/tools', EXAMPLES)).toEqual({ status: 200, body: { results } })
})

/** Publishes an example in its own toolkit, with an implementation, and returns its id. */
async function publishAs(toolkit: string, text: string, implementation: object): Promise<string> {
  const example = JSON.parse(text)
  const [, tool = '', ...version] = example.id.split(/[.@]/)
  const id = `${toolkit}.${tool}@${version.join('.')}`
  await publish({ ...example, id, name: `${toolkit}_${tool}` }, implementation)
  return id
}

const FIRST = '1. Calculator.Add A tool that adds two numbers. … "description": "The sum of the two numbers."'

works(FIRST, 'adds', async () => {
  expect(await call('Calculator.Add@1.0.0', { a: 10, b: 5 })).toEqual(answered(15))
  expect(await call('Calculator.Add@1.0.0', { a: 0.1, b: -2 })).toEqual(answered(-1.9))
})

works(FIRST, 'requires both numbers', async () => {
  expect(await call('Calculator.Add@1.0.0', { a: 10 })).toEqual(invalid({ b: 'Is required' }))
  expect(await call('Calculator.Add@1.0.0', { a: '10', b: null })).toEqual(
    invalid({ a: 'Must be a number', b: 'Must be a number' }),
  )
})

works(FIRST, 'with an implementation of a publisher', async () => {
  const id = await publishAs('CalculatorToo', ADD, code('export default ({ a, b }) => a + b'))
  expect(await call(id, { a: 10, b: 5 })).toEqual(answered(15))
})

const SECOND =
  '2. Doorbell.Ring (No Output) A tool that has an input parameter and produces no output. … "output_schema": null'

works(SECOND, 'rings, and says nothing', async () => {
  expect(await call('Doorbell.Ring@0.1.0', { doorbell_id: 'doorbell42' })).toEqual(answered(null))
  expect(await call('Doorbell.Ring@0.1.0')).toEqual(invalid({ doorbell_id: 'Is required' }))
})

works(SECOND, 'a bell that there is not', async () => {
  expect(await call('Doorbell.Ring@0.1.0', { doorbell_id: 'doorbell1' })).toEqual(
    failing({
      message: 'Doorbell ID not found',
      developer_message: "The doorbell with ID 'doorbell1' does not exist.",
      can_retry: true,
      additional_prompt_content: 'ids: doorbell42,doorbell84',
      retry_after_ms: 500,
    }),
  )
})

works(SECOND, 'with an implementation of a publisher', async () => {
  const id = await publishAs('DoorbellToo', RING, code('export default () => {}'))
  expect(await call(id, { doorbell_id: 'any' })).toEqual(answered(null))
})

const THIRD =
  '3. System.GetTimestamp (No Input) A tool that has no input parameters and produces an output. … "required": ["timestamp"]'

works(THIRD, 'tells the time, to whoever gives an input and who gives none', async () => {
  for (const input of [undefined, {}]) {
    const { body } = await call('System.GetTimestamp@1.0.0', input)
    expect({ status: 200, body }).toEqual(answered({ timestamp: expect.any(String) }))
    expect(Math.abs(Date.parse(body.result.value.timestamp) - Date.now())).toBeLessThan(600_000)
  }
})

works(THIRD, 'with an implementation of a publisher, whose output is judged', async () => {
  const id = await publishAs('SystemToo', GET_TIMESTAMP, code('export default () => ({ time: 1 })'))
  expect(await call(id)).toEqual(
    failing({
      message: 'The output does not match the output schema',
      developer_message: '/timestamp: Is required',
      can_retry: false,
    }),
  )
})

const FOURTH =
  '4. Gmail.GetEmails (OAuth 2.0 Authorization) A tool that retrieves emails from Gmail using OAuth 2.0 for authorization. … "user_id": true'

works(FOURTH, 'without a user and a token', async () => {
  expect(await call('Gmail.GetEmails@1.2.0')).toEqual(
    lacking('Gmail.GetEmails', NO_USER, {
      authorization: [{ id: 'google', url: `${server.url}/authorizations/google/start` }],
      user_id: true,
    }),
  )
})

works(FOURTH, 'for a user, who is asked for the scope', async () => {
  const { status, body } = await call('Gmail.GetEmails@1.2.0', {}, { user_id: 'ann' })
  expect(status).toBe(400)
  const [{ id, check_url }] = body.missing_requirements.authorization
  expect(id).toBe('google')
  const { scopes } = (await ask('GET', check_url)).body
  expect(scopes).toEqual(['https://www.googleapis.com/auth/gmail.readonly'])
})

works(FOURTH, 'with both, it retrieves the emails', async () => {
  const context = { authorization: [{ id: 'google', token: 'a-token' }], user_id: 'ann' }
  const emails = [{ id: 'm1', subject: 'Hello', snippet: 'Hi' }]
  expect(await call('Gmail.GetEmails@1.2.0', { query: 'is:unread' }, context)).toEqual(answered({ emails }))
})

works(FOURTH, 'with an implementation of a publisher', async () => {
  const id = await publishAs('GmailToo', GET_EMAILS, code('export default () => ({ emails: [] })'))
  const context = { authorization: [{ id: 'google', token: 'a-token' }], user_id: 'ann' }
  expect(await call(id, {}, context)).toEqual(answered({ emails: [] }))
})

const FIFTH =
  '5. SMS.Send (Secret Requirement) A tool that sends SMS messages using Twilio and requires a TWILIO_API_KEY secret. … "id": "TWILIO_API_KEY" } ] } }'

works(FIFTH, 'without the secret', async () => {
  const { status, body } = await call('SMS.Send@0.1.2', { to: '+1', message: 'Hi' })
  expect({ status, missing: body.missing_requirements }).toEqual({
    status: 400,
    missing: { secrets: [{ id: 'TWILIO_API_KEY' }] },
  })
})

works(FIFTH, 'with it, it sends', async () => {
  const context = { secrets: [{ id: 'TWILIO_API_KEY', value: 'AC1:token:+15550100' }] }
  expect(await call('SMS.Send@0.1.2', { to: '+1', message: 'Hi' }, context)).toEqual(answered({ status: 'queued' }))
})

works(FIFTH, 'with an implementation of a publisher', async () => {
  const id = await publishAs('SMSToo', SEND, code('export default () => ({ status: "sent" })'))
  const context = { secrets: [{ id: 'TWILIO_API_KEY', value: 'a-key' }] }
  expect(await call(id, { to: '+1', message: 'Hi' }, context)).toEqual(answered({ status: 'sent' }))
  expect(await call(id, { to: '+1' }, context)).toEqual(invalid({ message: 'Is required' }))
})

whole()

import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CLIENT } from '../../../src/api/clients/routes.ts'
import { openApiDocument } from '../../../src/api/openapi/document.ts'
import { documentedApi } from '../../../src/api/openapi/operations.ts'
import { groupPage, referencePage } from '../../../src/api/openapi/reference.tsx'
import words from '../../../src/api/openapi/words.json' with { type: 'json' }
import wordsSchema from '../../../src/api/openapi/words.schema.json' with { type: 'json' }
import { encodeSession } from '../../../src/api/sessions/routes.ts'
import { encodeAgent } from '../../../src/api/users/agents/routes.ts'
import { encodeConnection, encodeGrant } from '../../../src/api/users/routes.ts'
import { confirmation, encodeAuthorization } from '../../../src/api/authorizations/wire.ts'
import { OWNER_BODY } from '../../../src/api/toolkits/wire.ts'
import { publicationQuery, readinessQuery } from '../../../src/api/tools/wire.ts'
import { auditQuery, callsQuery, usageQuery } from '../../../src/api/calls/wire.ts'
import { pluginQuery } from '../../../src/api/toolkits/plugin/wire.ts'
import { newKeyReader, ROTATION } from '../../../src/core/access/api-key.ts'
import { parseValue, type Reader, toJsonSchema } from '../../../src/core/tool/json-reader.ts'
import { CALL_REQUEST } from '../../../src/dialects/oxp/wire.ts'
import { jsonBody } from '../../../src/http/request/json-body.ts'
import { itemList, mediaTypeOnly } from '../../../src/http/route/response-specs.ts'
import { declareOperation } from '../../../src/http/route/operation.ts'
import { ANY_QUERY, NO_QUERY } from '../../../src/http/request/query.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
const NEW_KEY = newKeyReader(() => new Date())
const routes = ['GET /keys', 'POST /keys/:id/rotate'].map((each) => {
  const [method = '', path = ''] = each.split(' ')
  const operation = {
    summary: each,
    query: NO_QUERY,
    body: jsonBody(NEW_KEY),
    responses: { 200: itemList('Keys', 'Key') },
  }
  return { method, path, handler: declareOperation(operation, () => undefined) }
})
const NO_WORDS = { fields: {}, examples: {} }
const AT_EXAMPLE = { origin: 'https://sb.example', version: '1.0.0' }
const document = openApiDocument(await documentedApi(routes, NO_WORDS), AT_EXAMPLE)

describe('the document', () => {
  it('contains schemas that a validator accepts', () => {
    const { components } = Object(document)
    for (const schema of Object.values<object>(components.schemas)) {
      expect(() => ajv.compile({ ...schema, components })).not.toThrow()
    }
  })

  it('leaves out pages, and keeps the other operations', async () => {
    const page = { method: 'GET', path: '/unknown', handler: declareOperation({ query: ANY_QUERY }, () => undefined) }
    const api = await documentedApi([page, ...routes], NO_WORDS)
    expect(openApiDocument(api, AT_EXAMPLE)).toEqual(document)
  })

  it('is rendered as escaped pages whatever it contains', async () => {
    const operation = { summary: '<i>', query: NO_QUERY, responses: { 200: mediaTypeOnly('<b>', '<type>') } }
    const odd = await documentedApi(
      [{ method: 'GET', path: '/<x>', handler: declareOperation(operation, () => undefined) }],
      NO_WORDS,
    )
    const docs = { guides: [], files: {}, style: '', reference: NO_WORDS }
    const pages = [await referencePage(docs, odd), await groupPage(docs, odd, 'deployment', AT_EXAMPLE.origin)]
    for (const page of pages) {
      const text = (await page?.text()) ?? ''
      expect(text).toContain('&lt;x&gt;')
      expect(text).not.toMatch(/<(?:x|i|b|type)>/)
    }
  })

  it('has its descriptions in a file that matches its schema, which editors find by name', () => {
    expect(words.$schema).toBe('./words.schema.json')
    const validate = new Ajv({ allErrors: true }).compile(wordsSchema)
    validate(words)
    expect(validate.errors).toBeNull()
    validate({ fields: { 'a b c': { description: '' } }, examples: { '/keys': { sends: 'x' } } })
    expect(validate.errors?.map(({ instancePath }) => instancePath)).toEqual(
      expect.arrayContaining(['/fields', '/fields/a b c/description', '/examples', '/examples/~1keys']),
    )
  })
})

describe('responses that no other test gets from a deployment', () => {
  const AT = '2030-01-01T00:00:00.000Z'
  const authenticatedBy = {
    kind: 'person' as const,
    issuer: 'https://login.acme.com',
    person: { user: 'ann@acme.com', groups: [] },
  }
  const session = {
    id: 's',
    authenticatedBy,
    owner: 'person:ann',
    origin: 'https://sb.example',
    browser: 'Firefox',
    created_at: AT,
    expires_at: AT,
  }
  const grant = { provider: 'acme', account: '', toolkits: [], scopes: ['a'], granted_at: AT, refreshable: true }
  const health = { provider_name: 'Acme', kind: 'oauth2', last_used_at: AT } as const
  const asked = {
    id: 'a',
    kind: 'grant',
    provider: 'acme',
    userId: 'ann',
    scopes: [],
    status: 'pending',
    tool: 'A.B@1.0.0',
    hosts: [],
    expiresAt: 0,
  } as const
  const agent = {
    ...session,
    user: 'ann',
    client: { id: 'c', name: 'An agent', host: 'agent.example' },
    toolkits: ['Gmail'],
    scopes: ['tools:call'],
    holder: { kind: 'user', id: 'ann' },
    used_at: AT,
  } as const

  it.each<[name: string, answer: object]>([
    ['Session', encodeSession(session)],
    ['Session', encodeSession({ ...session, authenticatedBy: { kind: 'key', hash: 'hash' } })],
    ['Grant', encodeGrant(grant)],
    ['Grant', encodeGrant({ ...grant, expires_at: AT })],
    ['Connection', encodeConnection({ ...grant, ...health, state: 'unknown' })],
    ['Connection', encodeConnection({ ...grant, ...health, state: 'ended', last_refused_at: AT, reason: 'Revoked' })],
    ['Agent', encodeAgent(agent)],
    ['Authorization', encodeAuthorization(asked)],
    ['Authorization', encodeAuthorization({ ...asked, status: 'failed', reason: 'Refused' })],
  ])('match their documentation: %s', (name, answer) => {
    const { components } = Object(document)
    const fits = ajv.compile({ ...components.schemas[name], components })
    const text = JSON.parse(JSON.stringify(answer))
    expect(fits(text), JSON.stringify(fits.errors)).toBe(true)
    for (const field of Object.keys(text)) expect(components.schemas[name].properties).toHaveProperty(field)
  })
})

/** Values close to a valid one: some fields are left out, added or of another type. */
const LEAVES = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(
    'any',
    '*',
    'admin',
    'tools:read',
    '1',
    '1.0.0',
    '2030-01-01T00:00:00Z',
    'https://a.example/cb',
    'breaking',
    'oxp',
  ),
)
const VALUES = fc.oneof(
  LEAVES,
  fc.array(LEAVES, { maxLength: 3 }),
  fc.dictionary(fc.string({ maxLength: 3 }), LEAVES, { maxKeys: 2 }),
)

/** Values of fields that accept few others. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  name: 'a name',
  scopes: ['tools:read', 'tools:call'],
  tools: ['Gmail.*'],
  users: ['ann'],
  expires_at: '2999-01-01T00:00:00Z',
  limits: { calls_per_minute: 5 },
  redirect_uris: ['https://agent.example/cb'],
  version: '1.0.0',
  allowed_hosts: ['a.example'],
  config: ['key:SECRET'],
  toolset: 'mail',
  lock: `sha256:${'0'.repeat(64)}`,
}

const READERS: Readonly<Record<string, Reader<unknown>>> = {
  'a new key': NEW_KEY,
  'a rotation': ROTATION,
  'a client': CLIENT,
  'an owner': OWNER_BODY,
  'a confirmation': confirmation,
  'a query of calls': callsQuery.reader,
  'a query of acts': auditQuery.reader,
  'a query of usage': usageQuery.reader,
  'a query of a publication': publicationQuery.reader,
  'a query of readiness': readinessQuery.reader,
  'an upload': pluginQuery.reader,
}

describe.each(Object.entries(READERS))('the schema of %s', (_, reader) => {
  const schema = toJsonSchema(reader)
  const fits = ajv.compile(schema)
  const names = Object.keys(Object(schema.properties))
  const record = (optional: boolean) =>
    fc.record(
      Object.fromEntries(names.map((name) => [name, fc.oneof(VALUES, fc.constant(EXAMPLES[name] ?? 'ann'))])),
      optional ? { requiredKeys: [] } : {},
    )

  it('describes each field, unless it accepts any value', () => {
    expect(names.length).toBeGreaterThan(0)
    const unsaid = names.filter((name) => Object.keys(Object(Object(schema.properties)[name])).length === 0)
    expect(unsaid).toEqual([])
  })

  it('accepts every value that the reader accepts', () => {
    let read = 0
    fc.assert(
      fc.property(fc.oneof(record(true), record(false), VALUES), (value) => {
        // A query contains numbers as text
        if (!parseValue(reader, value).ok) return
        read += 1
        expect(fits(asTyped(value, schema)), JSON.stringify(fits.errors)).toBe(true)
      }),
      { numRuns: 5_000, seed: 7 },
    )
    expect(read).toBeGreaterThan(0)
  })

  it('requires the fields that the reader requires', () => {
    const required: unknown = schema.required ?? []
    const read = parseValue(reader, {})
    const missing = read.ok
      ? []
      : read.problems.filter(({ message }) => message.startsWith('Is required')).map(({ path }) => path.slice(1))
    expect(missing).toEqual(required)
  })

  it('refuses unknown fields if the reader does', () => {
    const read = parseValue(reader, { no_such_field: 1 })
    expect(read.ok).toBe(false)
    expect(fits({ no_such_field: 1 })).toBe(false)
  })
})

/** Converts a query to the types of its parameters. */
function asTyped(value: unknown, { properties }: { readonly properties?: unknown }): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      Object(Object(properties)[name]).type === 'integer' && typeof each === 'string' ? Number(each) : each,
    ]),
  )
}

it('the schema of a call accepts both forms of a request, and no mixture', () => {
  const fits = ajv.compile(toJsonSchema(CALL_REQUEST))
  const request = { tool_id: 'Kit.Tool', input: { a: 1 }, context: { user_id: 'ann' } }
  expect([fits(request), fits({ request }), fits({ request, tool_id: 'Kit.Tool' }), fits({})]).toEqual([
    true,
    true,
    false,
    false,
  ])
})

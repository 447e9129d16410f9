import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RunningServer } from '../e2e/server.ts'
import { type Arrived, startUpstream, type Upstream } from '../upstream.ts'
import { ADMIN_KEY, asAdmin, keyOf } from './set-up.ts'
import { neverSilent, startWatched } from './watch.ts'

const SECRET = 'q83vL0f5KvN7xI0Zt9uPQ2wErT6yU8'
type Challenge = Readonly<Record<string, unknown>>

const header = { version: '1.0', messageType: 'response' }
const of = (document: unknown) => Object(document)

/** How the other server lists a tool, succeeds, fails and asks for consent, and where calls have their id. */
const PROTOCOLS = {
  'oxp': {
    call: '/tools/call',
    tool: (name: string, description: string, parameters: object) => ({
      id: `Evil.${name}@1.0.0`,
      name: `Evil_${name}`,
      version: '1.0.0',
      description,
      input_schema: { parameters },
      output_schema: {},
    }),
    list: (items: unknown) => ({ items }),
    value: (value: unknown) => ({ result: { success: true, value } }),
    failure: (error: unknown) => ({ result: { success: false, error } }),
    challenge: (challenge: Challenge) => ({
      message: 'Missing',
      missing_requirements: { authorization: [challenge] },
    }),
    callId: (body: unknown) => of(body).request.call_id,
  },
  'open-tool-calling': {
    call: '/tools/invoke',
    tool: (name: string, description: string) => ({
      name,
      description,
      fully_qualified_name: `Evil.${name}@1.0.0`,
      toolkit: { name: 'Evil', version: '1.0.0' },
      input: { parameters: [] },
      output: { available_modes: ['value', 'error'], value_schema: { val_type: 'json' } },
    }),
    list: (tools: unknown) => tools,
    value: (value: unknown) => ({ success: true, output: { value } }),
    failure: (error: unknown) => ({ success: false, output: { error } }),
    challenge: (requires_authorization: Challenge) => ({ success: false, output: { requires_authorization } }),
    callId: (body: unknown) => of(body).execution_id,
  },
  'machine-context': {
    call: '/execute',
    tool: (name: string, description: string) => ({
      id: 'Evil',
      name: 'Evil',
      version: '1.0.0',
      description,
      capabilities: [{ name, description, parameters: [] }],
    }),
    list: (tools: unknown) => ({ tools }),
    value: (result: unknown) => ({ header, payload: { execution: { status: 'success', result } } }),
    failure: (error: unknown) => ({ header, payload: { execution: { status: 'error', error } } }),
    challenge: (challenge: Challenge) => ({
      header,
      payload: { execution: { status: 'error', error: { message: 'No', details: { authorization: [challenge] } } } },
    }),
    callId: (body: unknown) => of(body).payload.context.request_id,
  },
  'plugin': {
    call: '/call',
    tool: (name: string, description: string, inputSchema: object) => ({ name, description, inputSchema }),
    list: (tools: unknown) => ({ tools }),
    value: (value: unknown) => ({ content: [{ type: 'text', text: '' }], structuredContent: value }),
    failure: (error: unknown) => ({
      content: [{ type: 'text', text: 'No' }],
      isError: true,
      _meta: { 'dev.switchboard/error': error },
    }),
    challenge: (challenge: Challenge) => ({
      content: [{ type: 'text', text: 'No' }],
      isError: true,
      _meta: { 'dev.switchboard/missing_requirements': { authorization: [challenge] } },
    }),
    callId: () => undefined,
  },
}
const NO_PARAMETERS = { type: 'object', properties: {} }

let server: RunningServer
let evil: Upstream
let answer: (request: Arrived, response: ServerResponse) => void
beforeAll(async () => {
  evil = await startUpstream((request, response) => answer(request, response))
  server = await startWatched({
    vars: {
      ACCESS: 'keys',
      ADMIN_KEY,
      ALLOW_HTTP_HOSTS: evil.host,
      EVIL_KEY: SECRET,
      TOOL_SECRETS: JSON.stringify({ EVIL_KEY: ['Evil.*'] }),
    },
  })
})
beforeEach(() => void evil.arrived.splice(0))
afterAll(() => Promise.all([server?.stop(), evil?.close()]))
afterAll(neverSilent)

const text = (body: string, status = 200) => {
  answer = (_, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(body)
}
const json = (body: unknown, status?: number) => text(JSON.stringify(body), status)

describe.each(Object.keys(PROTOCOLS) as (keyof typeof PROTOCOLS)[])('a hostile server of %s', (protocol) => {
  const speaks = PROTOCOLS[protocol]
  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const toolkit = `Evil${protocol.replaceAll('-', '')}`

  let caller: Awaited<ReturnType<typeof keyOf>>
  let publisher: Awaited<ReturnType<typeof keyOf>>
  beforeAll(async () => {
    caller = await keyOf(server, [`${toolkit}.*`])
    publisher = await keyOf(server, ['Evil.*', `${toolkit}.*`])
    json(speaks.list([speaks.tool('Do', 'Does it', NO_PARAMETERS)]))
    const imported = await importTools(toolkit, {})
    expect(imported.status, JSON.stringify(imported.body)).toBe(201)
  })

  const importTools = (name: string, more: object, path = '/toolkits/import') =>
    server.json('POST', path, { from: { [protocol]: evil.origin }, toolkit: name, ...more }, publisher.as)
  const dryRun = () => importTools('Evil', { credentials: { secret: 'EVIL_KEY' } }, '/toolkits/import?dry_run=1')

  async function call(call_id: string = crypto.randomUUID(), as = caller.as) {
    const names = await server.json('GET', `/tools?toolkit=${toolkit}`, undefined, as)
    const [{ id }] = names.body.items
    const answered = await server.json('POST', '/tools/call', { tool_id: id, call_id, input: {} }, as)
    // Every response counts as an outcome of the tool, not as a defect of ours
    expect(answered.status).toBeLessThan(500)
    expect(JSON.stringify(answered.body)).not.toContain('failed unexpectedly')
    expect(JSON.stringify(answered.body).length).toBeLessThan(300_000)
    return answered
  }

  const good = { id: 'mail', url: 'https://accounts.example/consent', scopes: ['read'] }

  it(`a hostile server of ${protocol} gets only its link passed on, and its check_url is ignored`, async () => {
    json(speaks.challenge({ ...good, check_url: `${evil.origin}/stolen` }))
    const { body } = await call()
    expect(body.missing_requirements.authorization).toMatchObject([{ url: good.url }])
    expect(JSON.stringify(body)).not.toContain('stolen')
  })

  it.each<[string, unknown]>([
    ['javascript', 'javascript:alert(1)'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['too long', `https://a.example/${'x'.repeat(1_000_000)}`],
    ['escapes of a terminal', 'https://a.example/\u001b[2J'],
    ['text that runs backwards', 'https://a.example/\u202egpj.exe'],
    ['a lone surrogate', 'https://a.example/\ud800'],
    ['no host', 'https://[::zz]/'],
    ['what cannot be text', { toString: 1, valueOf: 1 }],
    ['a list', [[['https://a.example']]]],
  ])(`a hostile server of ${protocol} gets a challenge with an invalid URL ignored: %s`, async (_, url) => {
    json(speaks.challenge({ ...good, url }))
    const { body } = await call()
    expect(body).not.toHaveProperty('missing_requirements')
    expect(body.result).toMatchObject({ success: false, error: { message: expect.any(String) } })
  })

  it.each<[string, unknown]>([
    ['a megabyte', 'x'.repeat(1_000_000)],
    ['what cannot be text', { toString: 1, valueOf: 1 }],
    ['a line', 'mail\r\n\u001b[31m'],
  ])(`a hostile server of ${protocol} gets a challenge with an invalid id ignored: %s`, async (_, id) => {
    if (protocol === 'open-tool-calling') return // The challenge's own id is no requirement's: the definition names that
    json(speaks.challenge({ ...good, id }))
    expect((await call()).body).not.toHaveProperty('missing_requirements')
  })

  it(`a hostile server of ${protocol} cannot ask for more scopes and consents than a person can read`, async () => {
    json(speaks.challenge({ ...good, scopes: Array.from({ length: 60_000 }, (_, index) => `scope-${index}`) }))
    const { body: listed } = await server.json('GET', `/tools?toolkit=${toolkit}`, undefined, caller.as)
    const name = listed.items[0].id.replace(/^.*\.(\w+)@.*$/, '$1')
    const called = { tool: { name, toolkit }, inputs: {} }
    const { body } = await server.json('POST', '/worker/tools/invoke', called, caller.as)
    expect(body.output.requires_authorization.scopes).toHaveLength(32)
  })

  it.each<[string, string]>([
    ['nine megabytes', JSON.stringify(speaks.value('x'.repeat(9 * 1024 * 1024)))],
    ['a deep one', JSON.stringify(speaks.value('DEEP')).replace('"DEEP"', deep(50_000))],
    ['a lone surrogate', JSON.stringify(speaks.value('\ud800'))],
    ['no JSON', '<html>'],
    ['nothing', ''],
    ['a number', '7'],
    ['null', 'null'],
    ['__proto__', '{"__proto__": {"success": true}}'],
    ['a failure of wrong types', JSON.stringify(speaks.failure({ message: {}, can_retry: 'yes', retry_after_ms: -1 }))],
    ['a failure of hostile types', JSON.stringify(speaks.failure({ message: { toString: 1 }, retry_after_ms: 1e308 }))],
    ['a failure that is a list', JSON.stringify(speaks.failure([[]]))],
    ['a success with an error', JSON.stringify({ ...of(speaks.value(1)), error: { message: 'No' } })],
    [
      'parameter errors of hostile types',
      JSON.stringify({ message: 'No', parameter_errors: { a: { toString: 1 } }, missing_requirements: null }),
    ],
    [
      'missing secrets of hostile types',
      JSON.stringify({ message: 'No', missing_requirements: { secrets: [{ id: { toString: 1, valueOf: 1 } }] } }),
    ],
    ...['success', 'result', 'output', 'payload', 'content', 'metadata', 'isError', '_meta'].flatMap((field) =>
      ['[]', '{}', '"x"', '1e999', 'null'].map((wrong): [string, string] => [
        `${field}: ${wrong}`,
        `${JSON.stringify(speaks.value(1)).slice(0, -1)},"${field}":${wrong}}`,
      ]),
    ),
  ])(`a hostile server of ${protocol} breaks nothing with the response %s`, async (_, said) => {
    text(said)
    await call()
    text(said, 400)
    await call()
  })

  it(`a hostile server of ${protocol} cannot redirect requests`, async () => {
    answer = (_, response) => void response.writeHead(307, { location: 'https://169.254.169.254/latest/' }).end()
    expect((await call()).body.result.error.message).toContain('https://169.254.169.254')
    expect((await dryRun()).status).toBe(422)
    expect(server.printed()).not.toContain('latest/')
  })

  it(`a hostile server of ${protocol} gets different call ids for two callers who choose the same one`, async () => {
    json(speaks.value(1))
    const other = await keyOf(server, [`${toolkit}.*`])
    for (const as of [caller.as, other.as]) await call('order-1', as)
    const sent = evil.arrived.filter(({ url }) => url === speaks.call)
    expect(sent).toHaveLength(2)
    expect(sent.map(({ body }) => body).join()).not.toContain('order-1')
    const [first, second] = sent.map(({ body }) => speaks.callId(JSON.parse(body)))
    if (protocol === 'plugin') return
    expect([typeof first, first === second]).toEqual(['string', false])
  })

  it.each<[string, () => unknown]>([
    ['three hundred thousand tools', () => Array.from({ length: 300_000 }, () => 0)],
    ['names of another kind', () => [{}, null, 7, [], ...[{ a: 1 }, ['x'], 7].map((name) => ({ name, id: name }))]],
    ['an id of a megabyte', () => [speaks.tool('x'.repeat(1_000_000), 'Does it', NO_PARAMETERS)]],
    ['a huge description', () => [speaks.tool('Do', 'x'.repeat(5_000_000), NO_PARAMETERS)]],
    [
      'references in a circle',
      () => [speaks.tool('Do', 'Does it', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } })],
    ],
    [
      'a document that its tools repeat',
      () => {
        const capabilities = Array.from({ length: 5_000 }, (_, index) => ({ name: `n${index}`, description: 'd' }))
        const fields = Array.from({ length: 100_000 }, (_, index) => [`f${index}`, index])
        return [{ ...speaks.tool('Do', 'Does it', NO_PARAMETERS), ...Object.fromEntries(fields), capabilities }]
      },
    ],
    [
      'a name that its tools repeat',
      () => {
        const capabilities = Array.from({ length: 5_000 }, () => ({ name: 'n', description: 'd' }))
        const n = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`f${index}`, index]))
        const metadata = { capabilities: { n } }
        return [{ ...speaks.tool('Do', 'Does it', NO_PARAMETERS), capabilities, metadata }]
      },
    ],
  ])(`a hostile server of ${protocol} breaks nothing by listing %s`, async (_, tools) => {
    json(speaks.list(tools()))
    const { status, body } = await dryRun()
    expect([200, 422], JSON.stringify(body).slice(0, 500)).toContain(status)
    expect(JSON.stringify(body).length).toBeLessThan(300_000)
  })

  it(`a hostile server of ${protocol} that lists invalid names gets valid ids for its tools`, async () => {
    const names = ['__proto__', 'constructor', '../../x', 'a\u0000b', '%2e%2e', '<script>', 'x'.repeat(200)]
    json(speaks.list(names.map((name) => speaks.tool(name, 'Does it', NO_PARAMETERS))))
    const { status, body } = await dryRun()
    expect([200, 422]).toContain(status)
    for (const { id } of body.tools ?? []) expect(id).toMatch(/^Evil\.[\w-]{1,64}@[\d.]+$/)
  })

  it(`a hostile server of ${protocol} cannot reveal the secret of an import`, async () => {
    json(speaks.list([speaks.tool('Leak', `Was asked with ${SECRET}`, NO_PARAMETERS), { name: SECRET, id: SECRET }]))
    const answers = [await dryRun(), await importTools('Evil', { credentials: { secret: 'EVIL_KEY' } })]
    expect(evil.arrived.every(({ headers }) => headers.authorization === `Bearer ${SECRET}`)).toBe(true)
    for (const [said, status] of [
      [SECRET, 200],
      [JSON.stringify({ message: SECRET, why: btoa(SECRET) }), 401],
      [JSON.stringify(`${SECRET}`), 500],
    ] as const) {
      text(said, status)
      answers.push(await dryRun())
    }
    const audit = await server.json('GET', '/audit', undefined, asAdmin)
    const everywhere = JSON.stringify([answers.map(({ body }) => body), audit.body, server.printed()])
    for (const each of [SECRET, btoa(SECRET)]) expect(everywhere).not.toContain(each)
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CALCULATOR } from '../dialects/machine-context/calculator.ts'
import { type Upstream, startUpstream } from '../upstream.ts'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'an-administrators-key-1'
const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }

/** The calculator of the specification; the bundled one has its id. */
const abacus = { ...CALCULATOR, id: 'abacus' }
const KIT = {
  name: 'Kit_Do',
  description: 'Does it',
  version: '1.0.0',
  input_schema: { parameters: {} },
  output_schema: {},
}
let server: RunningServer
let upstream: Upstream
/** What adds two numbers for a capability that is published with an implementation. */
let implementation: { readonly kind: 'http'; readonly [key: string]: unknown }

beforeAll(async () => {
  upstream = await startUpstream(({ body, url }, response) => {
    const { a, b } = JSON.parse(body)
    const result = url.endsWith('/subtract') ? a - b : a + b
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ result }))
  })
  implementation = {
    kind: 'http',
    method: 'POST',
    url: `${upstream.origin}/add`,
    body: { type: 'json' },
    response: { type: 'json' },
  }
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: upstream.host } })
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))

const publish = (body: unknown, query = '') => server.json('POST', `/tools${query}`, body, asAdmin)
const list = (query = '', headers: Record<string, string> = asAdmin) =>
  server.json('GET', `/machine-context/tools${query}`, undefined, headers)

let messages = 0

function execute(tool: Record<string, unknown>, headers: Record<string, string> = asAdmin, context = {}) {
  const message = {
    header: {
      version: '1.0',
      messageId: `m${(messages += 1)}`,
      timestamp: new Date().toISOString(),
      messageType: 'request',
      source: 'client',
      destination: 'server',
    },
    payload: { tool, context },
  }
  return server.json('POST', '/machine-context/execute', message, headers)
}

it('a document without a toolkit is published in a toolkit named after its id, and listed by it', async () => {
  const definition = { ...abacus, id: 'counting-frame' }
  const message =
    "Names no toolkit, so its tools are in 'counting_frame': give another beside the document as 'toolkit'"
  const { status, body } = await publish(definition)
  expect({ status, warnings: body.warnings }).toMatchObject({
    status: 201,
    warnings: expect.arrayContaining([{ path: '/id', message }]),
  })
  expect((await list('?toolkit=counting_frame')).body).toEqual({ tools: [definition] })
  expect((await list('?toolkit=nothing')).body).toEqual({ tools: [] })
  expect((await list('?toolkit=a.b')).body).toMatchObject({ error: { code: 'VALIDATION_ERROR' } })
})

it("the specification's example on a fresh server keeps its document id, and another document is told to use its own id", async () => {
  const { status, body } = await publish({ ...CALCULATOR, version: '2.0.0', description: 'Mine' })
  expect([status, body.message]).toEqual([
    409,
    expect.stringContaining("that of a document in the toolkit 'Arithmetic': give this one an id of its own"),
  ])
  const given = await publish({ definition: { ...CALCULATOR, id: 'my-calculator' }, toolkit: 'Sums' })
  expect(given).toMatchObject({ status: 201, body: { ids: ['Sums.add@1.0.0', 'Sums.subtract@1.0.0'] } })
})

it("the specification's example on a fresh server cannot be replaced at its version, nor by another document of its id", async () => {
  const [add, subtract] = CALCULATOR.capabilities
  for (const other of [
    { definition: CALCULATOR, implementation },
    { ...CALCULATOR, capabilities: [subtract, add] },
    { ...CALCULATOR, id: 'Calculator', version: '2.0.0' },
  ]) {
    expect(await publish(other)).toMatchObject({ status: 409 })
  }
})

describe('a document', () => {
  const code = (module: string) => ({ kind: 'code', module })
  const of = (id: string, version: string, ...names: string[]) => ({
    definition: {
      id,
      name: id,
      version,
      description: 'Says what is called',
      capabilities: names.map((name) => ({ name, description: `Does ${name}` })),
    },
    implementation: code('export default (input, { tool }) => tool'),
  })
  const result = async (id: string, capability: string, more = {}) => {
    const { body } = await execute({ id, capability, ...more })
    const { result, error } = body.payload.execution
    return result ?? error.code
  }
  const listed = async (id: string) => {
    const { body } = await list()
    return body.tools
      .filter((tool: { id: string }) => tool.id === id)
      .map(({ version, capabilities }: typeof CALCULATOR) => [version, ...capabilities.map(({ name }) => name)])
  }

  it('a document whose toolkit name is taken is told to name another', async () => {
    expect(await publish(of('with.dot', '1.0.0', 'add'))).toMatchObject({ status: 201 })
    const taken = await publish(of('with dot', '1.0.0', 'add'))
    expect(taken).toMatchObject({ status: 409 })
    expect(JSON.stringify(taken.body)).toContain('toolkit')
    expect(await publish({ ...of('with dot', '1.0.0', 'add'), toolkit: 'WithDot' })).toMatchObject({
      status: 201,
      body: { ids: ['WithDot.add@1.0.0'] },
    })
    // From then on it is where it was
    expect(await publish(of('with dot', '1.0.1', 'add'))).toMatchObject({ body: { ids: ['WithDot.add@1.0.1'] } })
    expect(await result('with dot', 'add', { version: '1.0.1' })).toBe('add')
  })

  it('a document is published as a whole', async () => {
    expect(await publish(of('ver', '1.0.0', 'add', 'subtract'))).toMatchObject({ status: 201 })
    expect(await publish(of('ver', '1.0.0', 'zzz'))).toMatchObject({ status: 409 })
    const removed = await publish(of('ver', '1.0.1', 'add'))
    expect(removed).toMatchObject({
      status: 422,
      body: { errors: [{ message: expect.stringContaining("'subtract' is removed") }] },
    })
    const added = await publish(of('ver', '1.0.1', 'add', 'subtract', 'multiply'))
    expect(added).toMatchObject({
      status: 422,
      body: { errors: [{ message: expect.stringContaining("'multiply' is added") }] },
    })
    expect(await publish(of('ver', '1.0.1', 'add', 'subtract'))).toMatchObject({ status: 201 })
    expect(await publish(of('ver', '1.1.0', 'add', 'subtract', 'multiply'))).toMatchObject({ status: 201 })
    expect(await listed('ver')).toEqual([['1.1.0', 'add', 'subtract', 'multiply']])
    expect(await publish(of('ver', '2.0.0-rc.1', 'divide'))).toMatchObject({ status: 201 })
    expect(await listed('ver')).toEqual([['1.1.0', 'add', 'subtract', 'multiply']])
    const major = await publish(of('ver', '2.0.0', 'divide'))
    expect(major).toMatchObject({ status: 201, body: { left_out: ['ver.add', 'ver.subtract', 'ver.multiply'] } })
    expect(await listed('ver')).toEqual([['2.0.0', 'divide']])
  })

  it("a document's tools that its newest version leaves out are only available in their own versions", async () => {
    expect(await result('ver', 'divide')).toBe('divide')
    expect(await result('ver', 'add')).toBe('NOT_FOUND_ERROR')
    expect(await result('ver', 'add', { version: 'latest' })).toBe('NOT_FOUND_ERROR')
    expect(await result('ver', 'add', { version: '1.1.0' })).toBe('add')
    expect(await result('ver', 'add', { version: '^1.0.0' })).toBe('add')
    const { body } = await server.json('GET', '/tools?toolkit=ver', undefined, asAdmin)
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(['ver.divide@2.0.0'])
    const bare = await server.json('POST', '/tools/call', { tool_id: 'ver.add', input: {} }, asAdmin)
    expect(bare).toMatchObject({ status: 400, body: { message: expect.stringContaining('not found') } })
    // With the newest version withdrawn, the one before it is the newest again
    expect(await server.json('PATCH', '/tools/ver.divide@2.0.0', { status: 'yanked' }, asAdmin)).toMatchObject({
      status: 200,
    })
    expect(await result('ver', 'add')).toBe('add')
    expect(await listed('ver')).toEqual([['1.1.0', 'add', 'subtract', 'multiply']])
  })

  it("a document's tools get new versions only through the document", async () => {
    const definition = {
      id: 'ver.add@3.0.0',
      name: 'add',
      description: 'Adds',
      version: '3.0.0',
      input_schema: { parameters: { type: 'object' } },
      output_schema: {},
    }
    expect(await publish(definition)).toMatchObject({ status: 409 })
    expect(await publish({ ...of('another', '1.0.0', 'add'), toolkit: 'ver' })).toMatchObject({ status: 409 })
  })

  it('a document may have one implementation, which is told the called capability', async () => {
    const url = `${upstream.origin}/{tool}`
    expect(
      await publish({ definition: { ...CALCULATOR, id: 'told' }, implementation: { ...implementation, url } }),
    ).toMatchObject({ status: 201 })
    expect(await result('told', 'add', { parameters: { a: 3, b: 2 } })).toEqual({ result: 5 })
    expect(await result('told', 'subtract', { parameters: { a: 3, b: 2 } })).toEqual({ result: 1 })
  })

  it('a document is returned unchanged from a list of tools', async () => {
    const { body } = await server.json('GET', '/tools?toolkit=told&format=machine-context', undefined, asAdmin)
    expect(body.items).toEqual([
      { ...CALCULATOR, id: 'told' },
      { ...CALCULATOR, id: 'told' },
    ])
  })
})

it('callers need a credential, and the error is in an envelope', async () => {
  for (const answer of [
    await list('', {}),
    await execute({ id: 'Calculator', capability: 'Add', parameters: { a: 1, b: 2 } }, {}),
  ]) {
    expect(answer).toMatchObject({
      status: 401,
      body: { header: { messageType: 'error' }, error: { code: 'SECURITY_ERROR' } },
    })
    expect(answer.headers.get('www-authenticate')).toContain('Bearer')
  }
})

it("a list's documents can be converted again, even if a toolkit has the name of a document", async () => {
  const named = { ...abacus, id: 'Kit' }
  expect(await publish({ definition: named, toolkit: 'Mine' })).toMatchObject({ status: 201 })
  expect((await publish({ ...KIT, id: 'Kit.Do@1.0.0' })).status).toBe(201)
  expect(await publish({ definition: { ...named, id: 'kit' }, toolkit: 'Lower' })).toMatchObject({ status: 409 })
  const { tools } = (await list()).body
  // Some were published with a version beside, as theirs is none
  for (const document of tools.filter(({ version }: typeof CALCULATOR) => /^\d+\.\d+\.\d+$/.test(version))) {
    for (const to of ['machine-context', 'oxp']) {
      const { status, body } = await server.json('POST', `/convert?from=machine-context&to=${to}`, document, asAdmin)
      expect(status, JSON.stringify(body)).toBe(200)
    }
  }
  const withId = async (id: string) => (await list(`?id=${id}`)).body.tools.map((each: typeof CALCULATOR) => each.id)
  expect([await withId('calculator'), await withId('Calculator')]).toEqual([['calculator'], ['Calculator']])
  const [own] = (await list('?toolkit=Kit')).body.tools
  const shown = { ...own, id: 'toolkit:Kit' }
  expect(await server.json('POST', '/convert?from=machine-context&to=oxp', shown, asAdmin)).toMatchObject({
    status: 200,
    body: { document: { id: 'Kit.Do@1.0.0' } },
  })
  expect(await publish(shown)).toMatchObject({
    status: 422,
    body: { errors: [{ path: '/id', message: "Must not begin with 'toolkit:'" }] },
  })
})

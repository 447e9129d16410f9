import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CALCULATOR } from '../dialects/machine-context/calculator.ts'
import { type Upstream, startUpstream } from '../upstream.ts'
import { raw } from './raw.ts'
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

it('a document of n capabilities is published as n tools of one toolkit, and again without a change', async () => {
  const ids = ['abacus.add@1.0.0', 'abacus.subtract@1.0.0']
  expect(await publish(abacus)).toMatchObject({ status: 201, body: { ids } })
  expect(await publish(abacus)).toMatchObject({ status: 200, body: { ids } })
})

it('a document of n capabilities is never changed', async () => {
  expect(await publish({ ...abacus, description: 'Another' })).toMatchObject({ status: 409 })
  const more = { name: 'multiply', description: 'Multiplies two numbers' }
  const grown = { ...abacus, capabilities: [...abacus.capabilities, more] }
  expect(await publish(grown)).toMatchObject({ status: 409 })
  expect((await list('?toolkit=abacus')).body).toEqual({ tools: [abacus] })
})

it('a document of n capabilities is in a toolkit that is named after its id, by which it is listed', async () => {
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

it('a document of n capabilities comes back verbatim, from the list and from each tool', async () => {
  for (const method of ['GET', 'POST']) {
    const { status, body } = await server.json(method, '/machine-context/tools', undefined, asAdmin)
    expect(status).toBe(200)
    expect(body.tools.filter(({ id }: { id: string }) => id === 'abacus')).toEqual([abacus])
  }
  for (const id of ['abacus.add', 'abacus.subtract@1.0.0']) {
    const answer = await server.json('GET', `/tools/${id}?format=machine-context`, undefined, asAdmin)
    expect(answer).toMatchObject({ status: 200, body: abacus })
  }
})

it('a document of n capabilities is listed in other dialects too', async () => {
  const { body } = await server.json('GET', '/tools?toolkit=abacus', undefined, asAdmin)
  expect(body.items).toMatchObject([
    { id: 'abacus.add@1.0.0', name: 'abacus_add', input_schema: { parameters: { required: ['a', 'b'] } } },
    { id: 'abacus.subtract@1.0.0', name: 'abacus_subtract' },
  ])
})

it('a document of n capabilities is refused with every breach of the specification', async () => {
  const { status, body } = await publish({
    id: 'broken\nid',
    version: '1',
    capabilities: [{ name: 'x', parameters: [{ name: 'p', type: 'text', required: 1 }] }],
    securityLevel: 11,
    extra: true,
  })
  expect(status).toBe(422)
  expect(body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
    '/capabilities/0/description',
    '/capabilities/0/parameters/0/description',
    '/capabilities/0/parameters/0/required',
    '/capabilities/0/parameters/0/type',
    '/description',
    '/extra',
    '/id',
    '/name',
    '/securityLevel',
    '/version',
  ])
})

it('a document of n capabilities cannot be called without an implementation, and says so', async () => {
  const { status, body } = await execute({ id: 'abacus', capability: 'add', parameters: { a: 1, b: 2 } })
  expect(status).toBe(200)
  expect(body.payload.execution).toMatchObject({ status: 'failure', error: { code: 'VALIDATION_ERROR' } })
})

it('a document of n capabilities runs with an implementation', async () => {
  const [add] = CALCULATOR.capabilities
  const adder = { ...CALCULATOR, id: 'adder', capabilities: [add] }
  expect(await publish({ definition: adder, implementation })).toMatchObject({ status: 201 })
  const { body } = await execute({ id: 'adder', capability: 'add', parameters: { a: 1, b: 2 } })
  expect(body.payload.execution).toMatchObject({ status: 'success', result: { result: 3 } })
  const wrong = await execute({ id: 'adder', capability: 'add', parameters: { a: 'one', b: 2 } })
  expect(wrong.body.payload.execution).toMatchObject({
    status: 'failure',
    error: { code: 'VALIDATION_ERROR', details: { a: expect.any(String) } },
  })
})

it('a document of n capabilities keeps its security level when it is called', async () => {
  const guarded = { ...CALCULATOR, id: 'guarded', securityLevel: 4 }
  expect(await publish({ definition: guarded, implementation })).toMatchObject({
    status: 201,
  })
  const bare = { name: 'bare', scopes: ['tools:read', 'tools:call'], tools: ['*'], users: [] }
  const { body: key } = await server.json('POST', '/keys', bare, asAdmin)
  const answer = await execute(
    { id: 'guarded', capability: 'add', parameters: { a: 1, b: 2 } },
    { authorization: `Bearer ${key.key}` },
  )
  expect(answer).toMatchObject({
    status: 403,
    body: {
      header: { messageType: 'error', requestId: expect.stringMatching(/^m\d+$/) },
      error: { code: 'SECURITY_ERROR' },
    },
  })
})

it('the example of the specification on a fresh server is there, and published word for word it is what there is', async () => {
  expect(await publish(CALCULATOR)).toMatchObject({
    status: 200,
    body: { ids: ['Arithmetic.add@1.0.0', 'Arithmetic.subtract@1.0.0'], warnings: [{ path: '' }] },
  })
  const { body } = await list()
  expect(body.tools.filter(({ id }: { id: string }) => id === 'calculator')).toEqual([CALCULATOR])
  for (const id of ['Arithmetic.add', 'Arithmetic.subtract']) {
    expect(await server.json('GET', `/tools/${id}?format=machine-context`, undefined, asAdmin)).toMatchObject({
      body: CALCULATOR,
    })
  }
})

it('the example of the specification on a fresh server is executed by its own id, and gives what its schema says', async () => {
  for (const [capability, result] of [
    ['add', 5],
    ['subtract', 1],
  ]) {
    const tool = { id: 'calculator', capability, parameters: { a: 3, b: 2 } }
    for (const version of [undefined, '1.0.0', '^1.0.0']) {
      const { status, body } = await execute({ ...tool, ...(version === undefined ? {} : { version }) })
      expect(status).toBe(200)
      expect(body.payload).toMatchObject({
        tool: { id: 'calculator', capability },
        execution: { status: 'success', result: { result } },
      })
    }
  }
})

it('the example of the specification on a fresh server gets no version of a document that somebody imports under its id, and says how to give another', async () => {
  const { status, body } = await publish({ ...CALCULATOR, version: '2.0.0', description: 'Mine' })
  expect([status, body.message]).toEqual([
    409,
    expect.stringContaining("that of a document in the toolkit 'Arithmetic': give this one an id of its own"),
  ])
  const given = await publish({ definition: { ...CALCULATOR, id: 'my-calculator' }, toolkit: 'Sums' })
  expect(given).toMatchObject({ status: 201, body: { ids: ['Sums.add@1.0.0', 'Sums.subtract@1.0.0'] } })
})

it('the example of the specification on a fresh server is no other at its version, nor another document of its id', async () => {
  const [add, subtract] = CALCULATOR.capabilities
  for (const other of [
    { definition: CALCULATOR, implementation },
    { ...CALCULATOR, capabilities: [subtract, add] },
    { ...CALCULATOR, id: 'Calculator', version: '2.0.0' },
  ]) {
    expect(await publish(other)).toMatchObject({ status: 409 })
  }
})

it('the example of the specification on a fresh server leaves every id of the list to one entry, which can be executed', async () => {
  const { body } = await list()
  const ids = body.tools.map(({ id }: { id: string }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toEqual(expect.arrayContaining(['calculator', 'Calculator']))
  const add = await execute({ id: 'Calculator', capability: 'Add', parameters: { a: 1, b: 2 } })
  expect(add.body.payload.execution).toMatchObject({ status: 'success', result: 3 })
})

it('the example of the specification on a fresh server is not there for who may not see its toolkit', async () => {
  const { body: key } = await server.json(
    'POST',
    '/keys',
    { name: 'other', scopes: ['tools:read', 'tools:call', 'tools:publish'], tools: ['abacus.*'], users: [] },
    asAdmin,
  )
  const asKey = { authorization: `Bearer ${key.key}` }
  const hidden = await execute({ id: 'calculator', capability: 'add', parameters: { a: 1, b: 2 } }, asKey)
  const unknown = await execute({ id: 'nothing', capability: 'add', parameters: { a: 1, b: 2 } }, asKey)
  expect([hidden.status, hidden.body.error.message.replace('calculator', 'nothing')]).toEqual([
    unknown.status,
    unknown.body.error.message,
  ])
  // An id that another document has is refused as any that the key does not cover
  const taken = await server.json('POST', '/tools', CALCULATOR, asKey)
  const free = await server.json('POST', '/tools', { ...CALCULATOR, id: 'nothing' }, asKey)
  expect(taken.status).toBe(403)
  expect(JSON.stringify(taken.body).replaceAll('calculator', 'nothing')).toEqual(JSON.stringify(free.body))
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

  it.each([
    ['unique-tool-id', 'unique_tool_id'],
    ['with.dot', 'with_dot'],
    ['com.example:tool', 'com_example_tool'],
    ['with space', 'with_space'],
    ['ünïcode', 'unicode'],
  ])('a document may call itself %s', async (id, toolkit) => {
    const published = await publish(of(id, '1.0.0', 'capability-name', 'get forecast', 'add', 'ADD'))
    expect(published.status).toBe(201)
    const ofNames = published.body.warnings.filter(({ path }: { path: string }) => path !== '')
    expect(ofNames).toMatchObject([{ path: '/definition/id' }, {}, {}, {}])
    expect(published.body.ids.slice(0, 3)).toEqual([
      `${toolkit}.capability_name@1.0.0`,
      `${toolkit}.get_forecast@1.0.0`,
      `${toolkit}.add@1.0.0`,
    ])
    expect(await listed(id)).toEqual([['1.0.0', 'capability-name', 'get forecast', 'add', 'ADD']])
    expect(await result(id, 'capability-name')).toBe('capability_name')
    expect(await result(id, 'get forecast', { version: '1.x' })).toBe('get_forecast')
    expect(await result(id, 'add')).toBe('add')
    expect(await result(id, 'ADD')).toMatch(/^ADD_/)
    expect(await result(id, 'Add')).toBe('NOT_FOUND_ERROR')
    expect(await publish(of(id, '1.0.0', 'capability-name', 'get forecast', 'add', 'ADD'))).toMatchObject({
      status: 200,
    })
  })

  it('a document of which another has the toolkit is told how to give one', async () => {
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

  it('a document is judged as a whole', async () => {
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

  it('a document has no longer what its newest version leaves out, but in its own versions', async () => {
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

  it('a document alone gives its tools new versions', async () => {
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

  it('a document has any semantic version, and no other', async () => {
    for (const version of ['1.0.0-beta.1', '1.0.0+build5']) {
      expect(await publish(of('sem', version, 'add'))).toMatchObject({
        status: 201,
        body: { ids: [`sem.add@${version}`] },
      })
      expect(await result('sem', 'add', { version })).toBe('add')
    }
    expect(await listed('sem')).toEqual([['1.0.0+build5', 'add']])
    const refused = await publish(of('sem', 'v2', 'add'))
    expect(refused).toMatchObject({ status: 422 })
    expect(JSON.stringify(refused.body)).toContain('2.0.0')
    expect(await publish({ ...of('sem', '2024-05-01', 'add'), version: '2024.5.1' })).toMatchObject({
      status: 201,
      body: { ids: ['sem.add@2024.5.1'] },
    })
    expect(await listed('sem')).toEqual([['2024-05-01', 'add']])
  })

  it('a document may have an implementation for each capability', async () => {
    const definition = { ...CALCULATOR, id: 'each' }
    const published = await publish({
      definition,
      implementations: {
        add: implementation,
        subtract: code('export default ({ a, b }) => ({ result: a - b })'),
      },
    })
    expect(published).toMatchObject({ status: 201 })
    expect(await result('each', 'add', { parameters: { a: 3, b: 2 } })).toEqual({ result: 5 })
    expect(await result('each', 'subtract', { parameters: { a: 3, b: 2 } })).toEqual({ result: 1 })
    const unknown = await publish({
      definition: { ...definition, version: '1.0.1' },
      implementations: { sum: implementation },
    })
    expect(unknown).toMatchObject({ status: 422, body: { errors: [{ path: '/implementations/sum' }] } })
  })

  it('a document may have one implementation that is told which capability is called', async () => {
    const url = `${upstream.origin}/{tool}`
    expect(
      await publish({ definition: { ...CALCULATOR, id: 'told' }, implementation: { ...implementation, url } }),
    ).toMatchObject({ status: 201 })
    expect(await result('told', 'add', { parameters: { a: 3, b: 2 } })).toEqual({ result: 5 })
    expect(await result('told', 'subtract', { parameters: { a: 3, b: 2 } })).toEqual({ result: 1 })
  })

  it('a document is read back in other dialects, and as it was in batches and lists', async () => {
    const { body } = await server.json('GET', '/tools?toolkit=told&format=machine-context', undefined, asAdmin)
    expect(body.items).toEqual([
      { ...CALCULATOR, id: 'told' },
      { ...CALCULATOR, id: 'told' },
    ])
    const { body: oxp } = await server.json('GET', '/tools/unique_tool_id.add', undefined, asAdmin)
    expect(oxp).toMatchObject({ id: 'unique_tool_id.add@1.0.0' })
  })
})

it('the tools of the deployment are listed, each toolkit as a tool', async () => {
  const { body } = await list('?toolkit=Calculator')
  expect(body.tools).toHaveLength(1)
  expect(body.tools[0]).toMatchObject({ id: 'Calculator', version: '1.0.0' })
  expect(body.tools[0].capabilities.map(({ name }: { name: string }) => name)).toEqual(['Add', 'Subtract'])
})

it('the tools of the deployment are called by toolkit and name', async () => {
  const { status, body } = await execute({ id: 'Calculator', capability: 'Add', parameters: { a: 10, b: 5 } })
  expect(status).toBe(200)
  expect(body.header).toMatchObject({
    version: '1.0',
    messageType: 'response',
    requestId: expect.stringMatching(/^m\d+$/),
    source: 'server',
    destination: 'client',
  })
  expect(body.header.messageId).toMatch(/^[0-9a-f-]{36}$/)
  expect(new Date(body.header.timestamp).toISOString()).toBe(body.header.timestamp)
  expect(body.payload.tool).toEqual({ id: 'Calculator', capability: 'Add' })
  expect(body.payload.execution).toMatchObject({ status: 'success', result: 15 })
  expect(body.payload.execution.execution_time_ms).toBeGreaterThanOrEqual(0)
})

it('the tools of the deployment are called in a version or a range', async () => {
  const tool = { id: 'Calculator', capability: 'Add', parameters: { a: 1, b: 2 } }
  for (const version of ['1.0.0', '1', '^1.0.0']) {
    const { body } = await execute({ ...tool, version })
    expect(body.payload.execution).toMatchObject({ status: 'success', result: 3 })
  }
  const { status, body } = await execute({ ...tool, version: '9.0.0' })
  expect(status).toBe(200)
  expect(body.payload.execution).toMatchObject({ status: 'failure', error: { code: 'NOT_FOUND_ERROR' } })
})

it('the tools of the deployment have their parameters checked, all at once', async () => {
  const { status, body } = await execute({ id: 'Calculator', capability: 'Add', parameters: { a: '10' } })
  expect(status).toBe(200)
  const { error } = body.payload.execution
  expect(error.code).toBe('VALIDATION_ERROR')
  expect(Object.keys(error.details).sort()).toEqual(['a', 'b'])
})

it('the tools of the deployment answer with the nearest when there is none of that name', async () => {
  const { status, body } = await execute({ id: 'Calculator', capability: 'Ad' })
  expect(status).toBe(200)
  expect(body.payload.execution.error).toMatchObject({ code: 'NOT_FOUND_ERROR' })
  expect(body.payload.execution.error.message).toContain('Calculator.Add')
})

it('the tools of the deployment answer with the link to open when somebody must consent', async () => {
  const { status, body } = await execute({ id: 'Gmail', capability: 'GetEmails' }, asAdmin, { user_id: 'u1' })
  expect(status).toBe(200)
  const { error } = body.payload.execution
  expect(error.code).toBe('SECURITY_ERROR')
  expect(error.details.authorization[0].url).toContain(server.url)
})

it('who asks is not asked for in the message: a token there is not read', async () => {
  const message = {
    header: { version: '1.0', messageId: 'm1', messageType: 'request' },
    payload: {
      tool: { id: 'calculator', capability: 'add', parameters: { a: 1, b: 2 } },
      security: { token: ADMIN_KEY },
    },
  }
  expect(await server.json('POST', '/machine-context/execute', message, {})).toMatchObject({ status: 401 })
})

it('who asks needs a credential, and is told in an envelope', async () => {
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

it('who asks sees and calls what the key covers', async () => {
  const { body: key } = await server.json(
    'POST',
    '/keys',
    { name: 'one', scopes: ['tools:read', 'tools:call'], tools: ['abacus.add', 'Calculator.Add'], users: [] },
    asAdmin,
  )
  const asKey = { authorization: `Bearer ${key.key}` }
  const { body } = await list('', asKey)
  expect(
    body.tools.map(({ id, capabilities }: typeof CALCULATOR) => [id, capabilities.map(({ name }) => name)]),
  ).toEqual([
    ['abacus', ['add']],
    ['Calculator', ['Add']],
  ])
  expect(await execute({ id: 'Calculator', capability: 'Subtract', parameters: { a: 1, b: 2 } }, asKey)).toMatchObject({
    status: 403,
    body: { error: { code: 'SECURITY_ERROR' } },
  })
})

it('a list is taken back document by document, a toolkit whose name a document has too', async () => {
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

it('what is no request is answered with an error message', async () => {
  const send = (body: string, type = 'application/json') =>
    raw(server.url, {
      method: 'POST',
      path: '/machine-context/execute',
      body,
      headers: { ...asAdmin, 'content-type': type },
    })
  for (const [answer, status] of [
    [await send('{"header"'), 400],
    [await send('[]'), 400],
    [await send('{"header":{},"payload":{}}'), 400],
    [await send('{}', 'text/plain'), 415],
    [await send(`"${'x'.repeat(5 * 1024 * 1024)}"`), 413],
  ] as const) {
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text)).toMatchObject({
      header: { messageType: 'error' },
      error: { code: expect.stringMatching(/^(?:VALIDATION|RESOURCE)_ERROR$/), message: expect.any(String) },
    })
  }
})

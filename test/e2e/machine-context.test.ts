import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CALCULATOR } from '../dialects/machine-context/calculator.ts'
import { type Upstream, startUpstream } from '../upstream.ts'
import { raw } from './raw.ts'
import { type Server, startServer } from './server.ts'

const ADMIN_KEY = 'an-administrators-key-1'
const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }

/** The calculator of the specification; the bundled one has its id. */
const abacus = { ...CALCULATOR, id: 'abacus' }
let server: Server
let upstream: Upstream
/** What adds two numbers for a capability that is published with an implementation. */
let implementation: { readonly kind: 'http'; readonly [key: string]: unknown }

beforeAll(async () => {
  upstream = await startUpstream(({ body }, response) => {
    const { a, b } = JSON.parse(body)
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ result: a + b }))
  })
  implementation = {
    kind: 'http',
    method: 'POST',
    url: `${upstream.origin}/add`,
    body: { type: 'json' },
    response: { type: 'json' },
  }
  server = await startServer({ vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: upstream.host } })
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))

const publish = (body: unknown, query = '') => server.json('POST', `/tools${query}`, body, asAdmin)
const list = (query = '', headers: Record<string, string> = asAdmin) =>
  server.json('GET', `/machine-context/tools${query}`, undefined, headers)

function execute(tool: Record<string, unknown>, headers: Record<string, string> = asAdmin, context = {}) {
  const message = {
    header: {
      version: '1.0',
      messageId: 'm1',
      timestamp: new Date().toISOString(),
      messageType: 'request',
      source: 'client',
      destination: 'server',
    },
    payload: { tool, context },
  }
  return server.json('POST', '/machine-context/execute', message, headers)
}

describe('a document of n capabilities', () => {
  it('is published as n tools of one toolkit, and again without a change', async () => {
    const ids = ['abacus.add@1.0.0', 'abacus.subtract@1.0.0']
    expect(await publish(abacus)).toMatchObject({ status: 201, body: { ids } })
    expect(await publish(abacus)).toMatchObject({ status: 200, body: { ids } })
  })

  it('is never changed', async () => {
    expect(await publish({ ...abacus, description: 'Another' })).toMatchObject({ status: 409 })
    const more = { name: 'multiply', description: 'Multiplies two numbers' }
    const grown = { ...abacus, capabilities: [...abacus.capabilities, more] }
    expect(await publish(grown)).toMatchObject({ status: 409 })
    expect((await list('?toolkit=abacus')).body).toEqual({ tools: [abacus] })
  })

  it('comes back verbatim, from the list and from each tool', async () => {
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

  it('is listed in other dialects too', async () => {
    const { body } = await server.json('GET', '/tools?toolkit=abacus', undefined, asAdmin)
    expect(body.items).toMatchObject([
      { id: 'abacus.add@1.0.0', name: 'abacus_add', input_schema: { parameters: { required: ['a', 'b'] } } },
      { id: 'abacus.subtract@1.0.0', name: 'abacus_subtract' },
    ])
  })

  it('is refused with every breach of the specification', async () => {
    const { status, body } = await publish({
      id: 'broken id',
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

  it('cannot be called without an implementation, and says so', async () => {
    const { status, body } = await execute({ id: 'abacus', capability: 'add', parameters: { a: 1, b: 2 } })
    expect(status).toBe(200)
    expect(body.payload.execution).toMatchObject({ status: 'failure', error: { code: 'VALIDATION_ERROR' } })
  })

  it('runs with an implementation', async () => {
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

  it('keeps its security level when it is called', async () => {
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
      body: { header: { messageType: 'error', requestId: 'm1' }, error: { code: 'SECURITY_ERROR' } },
    })
  })
})

describe('the tools of the deployment', () => {
  it('are listed, each toolkit as a tool', async () => {
    const { body } = await list('?toolkit=Calculator')
    expect(body.tools).toHaveLength(1)
    expect(body.tools[0]).toMatchObject({ id: 'Calculator', version: '1.0.0' })
    expect(body.tools[0].capabilities.map(({ name }: { name: string }) => name)).toEqual(['Add', 'Subtract'])
  })

  it('are called by toolkit and name', async () => {
    const { status, body } = await execute({ id: 'Calculator', capability: 'Add', parameters: { a: 10, b: 5 } })
    expect(status).toBe(200)
    expect(body.header).toMatchObject({
      version: '1.0',
      messageType: 'response',
      requestId: 'm1',
      source: 'server',
      destination: 'client',
    })
    expect(body.header.messageId).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Date(body.header.timestamp).toISOString()).toBe(body.header.timestamp)
    expect(body.payload.tool).toEqual({ id: 'Calculator', capability: 'Add' })
    expect(body.payload.execution).toMatchObject({ status: 'success', result: 15 })
    expect(body.payload.execution.execution_time_ms).toBeGreaterThanOrEqual(0)
  })

  it('are called in a version or a range', async () => {
    const tool = { id: 'Calculator', capability: 'Add', parameters: { a: 1, b: 2 } }
    for (const version of ['1.0.0', '1', '^1.0.0']) {
      const { body } = await execute({ ...tool, version })
      expect(body.payload.execution).toMatchObject({ status: 'success', result: 3 })
    }
    const { status, body } = await execute({ ...tool, version: '9.0.0' })
    expect(status).toBe(200)
    expect(body.payload.execution).toMatchObject({ status: 'failure', error: { code: 'NOT_FOUND_ERROR' } })
  })

  it('have their parameters checked, all at once', async () => {
    const { status, body } = await execute({ id: 'Calculator', capability: 'Add', parameters: { a: '10' } })
    expect(status).toBe(200)
    const { error } = body.payload.execution
    expect(error.code).toBe('VALIDATION_ERROR')
    expect(Object.keys(error.details).sort()).toEqual(['a', 'b'])
  })

  it('answer with the nearest when there is none of that name', async () => {
    const { status, body } = await execute({ id: 'Calculator', capability: 'Ad' })
    expect(status).toBe(200)
    expect(body.payload.execution.error).toMatchObject({ code: 'NOT_FOUND_ERROR' })
    expect(body.payload.execution.error.message).toContain('Calculator.Add')
  })

  it('answer with the link to open when somebody must consent', async () => {
    const { status, body } = await execute({ id: 'Gmail', capability: 'GetEmails' }, asAdmin, { user_id: 'u1' })
    expect(status).toBe(200)
    const { error } = body.payload.execution
    expect(error.code).toBe('SECURITY_ERROR')
    expect(error.details.authorization[0].url).toContain(server.url)
  })
})

describe('who asks', () => {
  it('needs a credential, and is told in an envelope', async () => {
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

  it('sees and calls what the key covers', async () => {
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
    expect(
      await execute({ id: 'Calculator', capability: 'Subtract', parameters: { a: 1, b: 2 } }, asKey),
    ).toMatchObject({
      status: 403,
      body: { error: { code: 'SECURITY_ERROR' } },
    })
  })
})

describe('what is no request', () => {
  it('is answered with an error message', async () => {
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
})

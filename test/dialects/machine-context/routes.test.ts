import { toDocumentRef, toIdRef, toRefKey } from '../../../src/core/tool/tool-ref.ts'
import { describe, expect, it } from 'vitest'
import { ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import type { CallOutcome } from '../../../src/core/call/call-request.ts'
import type { Failure } from '../../../src/core/failure/failure.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { machineContext } from '../../../src/dialects/machine-context/definition.ts'
import { createMachineContextRoutes } from '../../../src/dialects/machine-context/routes.ts'
import { authorizerFor } from '../../http/authorizer-for.ts'
import { CALCULATOR } from './calculator.ts'
import { findLine, formatLine } from '../failure-table.ts'
import { FAILURES } from '../failures.ts'
import { callToolGiving, catalogueOf, clientOf, sha256 } from './fakes.ts'
import { published, recordOf } from './record.ts'

const NOW = '2026-11-01T10:00:00.000Z'

/** The request of the specification. */
const REQUEST = {
  header: {
    version: '1.0',
    messageId: 'm1',
    timestamp: '2026-11-01T09:59:59Z',
    messageType: 'request',
    source: 'client-id',
    destination: 'mcp-server',
  },
  payload: {
    tool: { id: 'calculator', capability: 'add', parameters: { a: 1, b: 2 } },
    context: { session_id: 's1', request_id: 'r1', user_id: 'u1' },
    security: { token: 'unread', permissions: ['all'] },
  },
}

interface Given {
  readonly result?: CallOutcome['result']
  readonly principal?: Principal | Failure
  readonly records?: readonly ToolRecord[]
}

function setUp({ result = { ok: true, value: { result: 3 } }, principal, records = [] }: Given = {}) {
  const called = callToolGiving(result)
  const router = createMachineContextRoutes({
    authorize: authorizerFor(principal),
    callTool: called.callTool,
    catalog: catalogueOf(records),
    sha256,
    newId: () => 'new',
    now: () => Date.parse(NOW),
  })
  return { send: clientOf(router), ...called }
}

const execute = (given: Given, body: unknown = REQUEST) => setUp(given).send('POST', '/machine-context/execute', body)

/** The request with something else in its tool, context or header. */
function request({ tool = {}, context = {}, header = {} }: Record<string, Record<string, unknown>>) {
  return {
    header: { ...REQUEST.header, ...header },
    payload: {
      ...REQUEST.payload,
      tool: { ...REQUEST.payload.tool, ...tool },
      context: { ...REQUEST.payload.context, ...context },
    },
  }
}

function capabilities(document: typeof CALCULATOR): ToolRecord[] {
  const read = machineContext.decode(document, {})
  if (!read.ok) throw new Error('Cannot decode')
  return read.value.definitions.map((definition) => published(definition, 'machine-context', document))
}

describe('POST /machine-context/execute', () => {
  it('responds to a request with a response message', async () => {
    const { send, calls, callers } = setUp()
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const answer = await send('POST', '/machine-context/execute', REQUEST, { traceparent })
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({
      header: {
        version: '1.0',
        messageId: 'new',
        timestamp: NOW,
        messageType: 'response',
        requestId: 'm1',
        source: 'mcp-server',
        destination: 'client-id',
      },
      payload: {
        tool: { id: 'calculator', capability: 'add' },
        execution: { status: 'success', result: { result: 3 }, execution_time_ms: 12 },
      },
    })
    expect(calls).toEqual([
      {
        toolRef: toIdRef('calculator.add'),
        documentRef: toDocumentRef({ dialect: 'machine-context', id: 'calculator', tool: 'add' }),
        callId: 'r1',
        traceId: 's1',
        input: { a: 1, b: 2 },
        context: { tokens: new Map(), secrets: new Map(), userId: 'u1' },
      },
    ])
    expect(callers[0]).toMatchObject({ traceparent, principal: { id: 'admin' } })
    expect(callers[0]?.requestUrl()).toContain('/machine-context/execute')
  })

  it('accepts a minimal request, and null for absent fields', async () => {
    const { send, calls } = setUp()
    const least = {
      header: { messageId: 'm', messageType: 'request' },
      payload: { tool: { id: 'a', capability: 'b' } },
    }
    const answer = await send('POST', '/machine-context/execute', least)
    expect(answer.body.header).toEqual({
      version: '1.0',
      messageId: 'new',
      timestamp: NOW,
      messageType: 'response',
      requestId: 'm',
      source: 'switchboard',
    })
    const nulls = request({
      tool: { parameters: null, version: null },
      context: { session_id: null, request_id: null, user_id: null },
    })
    await send('POST', '/machine-context/execute', nulls)
    await send('POST', '/machine-context/execute', { ...REQUEST, payload: { ...REQUEST.payload, context: null } })
    expect(calls.map(({ toolRef, callId, context }) => [toRefKey(toolRef), callId, context.userId])).toEqual([
      ['a.b', 'm', undefined],
      ['calculator.add', 'm1', undefined],
      ['calculator.add', 'm1', undefined],
    ])
  })

  it('requests a version or a range if one is given', async () => {
    const { send, calls } = setUp()
    await send('POST', '/machine-context/execute', request({ tool: { version: '^1.2' } }))
    expect(calls[0]?.toolRef).toEqual(toIdRef('calculator.add@^1.2'))
  })

  it('gives other results as the result if there is no value, with content and artifact in the envelope metadata', async () => {
    const content = [{ type: 'text', text: 'Three' }] as const
    const artifact = { url: 'https://here/1', content_type: 'text/csv', size: 9, meta: { description: 'All' } }
    const { body } = await execute({ result: { ok: true, value: null, content, artifact } })
    expect(body.payload.execution).toEqual({
      status: 'success',
      result: { artifact, content },
      execution_time_ms: 12,
    })
    expect(body.metadata).toEqual({ content, artifact })
  })

  const malformed: readonly [string, unknown, string][] = [
    ['no object', [], 'Cannot read the body'],
    ['no header', { payload: REQUEST.payload }, "'header'"],
    ['no message id', request({ header: { messageId: undefined } }), 'header.messageId'],
    ['a message id that is too long', request({ header: { messageId: 'm'.repeat(257) } }), 'header.messageId'],
    ['a message of another type', request({ header: { messageType: 'notification' } }), 'header.messageType'],
    ['a version that is no string', request({ header: { version: 1 } }), 'header.version'],
    ['another version', request({ header: { version: '2.0' } }), "'2.0'"],
    ['a timestamp that is no string', request({ header: { timestamp: 1 } }), 'header.timestamp'],
    ['no payload', { header: REQUEST.header }, "'payload'"],
    ['no tool', { header: REQUEST.header, payload: {} }, 'payload.tool'],
    ['no tool id', request({ tool: { id: undefined } }), 'payload.tool.id'],
    ['no capability', request({ tool: { capability: 1 } }), 'payload.tool.capability'],
    ['parameters that are no object', request({ tool: { parameters: [1] } }), 'payload.tool.parameters'],
    ['a version of the tool that is no string', request({ tool: { version: 1 } }), 'payload.tool.version'],
    ['parameters under another name', request({ tool: { params: {} } }), 'payload.tool.params'],
    ['a context that is no object', { ...REQUEST, payload: { ...REQUEST.payload, context: 1 } }, 'payload.context'],
    ['a user who is no string', request({ context: { user_id: 1 } }), 'payload.context.user_id'],
    ['an empty request id', request({ context: { request_id: '' } }), 'payload.context.request_id'],
  ]
  it.each(malformed)('responds to %s with an error message', async (_, body, named) => {
    const { send, calls } = setUp()
    const answer = await send('POST', '/machine-context/execute', body)
    expect(answer.status).toBe(400)
    expect(answer.body.header).toMatchObject({ messageType: 'error', messageId: 'new', timestamp: NOW })
    expect(answer.body.error.code).toBe('VALIDATION_ERROR')
    expect(answer.body.error.message).toContain(named)
    expect(calls).toEqual([])
  })

  it('responds to invalid JSON, another content type or a body that is too large with an error message', async () => {
    const { send } = setUp()
    expect(await send('POST', '/machine-context/execute', '{"header":')).toMatchObject({
      status: 400,
      body: { header: { messageType: 'error' }, error: { code: 'VALIDATION_ERROR' } },
    })
    expect(await send('POST', '/machine-context/execute', '{}', { 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
      body: { error: { code: 'VALIDATION_ERROR' } },
    })
    expect(await send('POST', '/machine-context/execute', `"${'x'.repeat(4 * 1024 * 1024)}"`)).toMatchObject({
      status: 413,
      body: { error: { code: 'RESOURCE_ERROR', details: { limit_bytes: 4 * 1024 * 1024 } } },
    })
  })

  it.each(['a\nb', '', 'x'.repeat(161)])('responds that no tool can have the id %s', async (id) => {
    const { send, calls } = setUp()
    const { status, body } = await send('POST', '/machine-context/execute', request({ tool: { id } }))
    expect(status).toBe(200)
    expect(body.payload).toMatchObject({
      tool: { id, capability: 'add' },
      execution: { status: 'failure', error: { code: 'NOT_FOUND_ERROR' }, execution_time_ms: 0 },
    })
    expect(calls).toEqual([])
  })
})

describe('each failure of a call', () => {
  it.each(Object.values(FAILURES))('$type', async (failure) => {
    const { status, body } = await execute({ result: { ok: false, failure } })
    const { header, payload, error } = body
    const line = findLine(failure, 'machine-context')
    expect(header).toMatchObject({ requestId: 'm1', source: 'mcp-server', destination: 'client-id' })
    expect(header.messageType).toBe(payload ? 'response' : 'error')
    if (!payload) return expect(formatLine('machine-context', status, error)).toBe(line)
    const { status: outcome, error: executionError, ...execution } = payload.execution
    expect(execution).toEqual({ execution_time_ms: 12 })
    return expect(formatLine('machine-context', status, outcome, executionError)).toBe(line)
  })

  it.each(['unauthenticated', 'forbidden', 'rate-limited', 'unavailable'] as const)(
    '%s, before the call',
    async (type) => {
      for (const [method, path] of [
        ['POST', '/machine-context/execute'],
        ['GET', '/machine-context/tools'],
        ['POST', '/machine-context/tools'],
      ] as const) {
        const answer = await setUp({ principal: FAILURES[type] }).send(
          method,
          path,
          path.endsWith('execute') ? REQUEST : undefined,
        )
        const { header, error } = answer.body
        expect(header).toMatchObject({ messageType: 'error', messageId: 'new', source: 'switchboard' })
        const line = findLine(FAILURES[type], 'machine-context')
        expect(formatLine('machine-context', answer.status, error)).toBe(line)
        if (type === 'unauthenticated') expect(answer.headers.get('www-authenticate')).toContain('Bearer')
        if (type === 'rate-limited') expect(answer.headers.get('retry-after')).toBe('2')
      }
    },
  )
})

describe('GET and POST /machine-context/tools', () => {
  const key: Principal = { id: 'k', kind: 'key', scopes: ['tools:read'], tools: ['*'], users: [] }
  const records = [
    ...capabilities(CALCULATOR).reverse(),
    recordOf({ toolkit: 'Mail', tool: 'Read', description: 'Reads', securityLevel: 0 }),
    recordOf({ toolkit: 'Mail', tool: 'Send', description: 'Sends', securityLevel: 4, tags: ['out'] }),
    recordOf({ toolkit: 'Mail', tool: 'Sort', version: '2.0.0', description: 'Sorts', output: { type: 'number' } }),
  ]

  it('gives a published document verbatim, and other tools as one document per toolkit', async () => {
    for (const method of ['GET', 'POST']) {
      const { status, body, text } = await setUp({ records }).send(method, '/machine-context/tools')
      expect(status).toBe(200)
      expect(text.startsWith(`{"tools":[${JSON.stringify(CALCULATOR)},`)).toBe(true)
      expect(body.tools.slice(1)).toEqual([
        {
          id: 'Mail',
          name: 'Mail',
          version: '2.0.0',
          description: 'The tools of this toolkit',
          capabilities: [
            { name: 'Read', description: 'Reads' },
            { name: 'Send', description: 'Sends' },
            { name: 'Sort', description: 'Sorts', return: { schema: { type: 'number' } } },
          ],
          securityLevel: 4,
          metadata: {
            capabilities: {
              Read: { version: '1.0.0', securityLevel: 0 },
              Send: { version: '1.0.0', securityLevel: 4, metadata: { tags: ['out'] } },
              Sort: { version: '2.0.0', securityLevel: 0 },
            },
          },
        },
      ])
      for (const tool of body.tools) expect(machineContext.decode(tool, {})).toMatchObject({ ok: true })
    }
  })

  it('gives only what the caller may see, even of a single document', async () => {
    const some = { ...key, tools: ['calculator.subtract', 'Mail.R*'] }
    const { body } = await setUp({ records, principal: some }).send('GET', '/machine-context/tools')
    expect(body.tools).toHaveLength(2)
    expect(body.tools[0]).toEqual({ ...CALCULATOR, capabilities: [CALCULATOR.capabilities[1]] })
    expect(body.tools[1]).toMatchObject({ id: 'Mail', description: 'Reads', securityLevel: 0 })
    const { body: open } = await setUp({ records, principal: ANONYMOUS }).send('GET', '/machine-context/tools')
    expect(open.tools.map(({ id, version }: { id: string; version: string }) => `${id}@${version}`)).toEqual([
      'Mail@2.0.0',
    ])
  })

  it('keeps the order of fields, whatever they contain', async () => {
    const odd = {
      metadata: { capabilities: [], text: '"capabilities":[]\n', tags: [] },
      capabilities: CALCULATOR.capabilities,
      description: 'Line\nbreak',
      version: '1.0.0',
      id: 'odd',
      name: 'Odd',
    }
    const read = machineContext.decode(odd, {})
    if (!read.ok) throw new Error('Cannot decode')
    const stored = read.value.definitions.map((definition) => published(definition, 'machine-context', odd))
    const { text } = await setUp({ records: stored }).send('GET', '/machine-context/tools')
    expect(text).toBe(`{"tools":[${JSON.stringify(odd)}]}`)
  })

  it('filters by tool', async () => {
    const { send } = setUp({ records })
    expect((await send('GET', '/machine-context/tools?toolkit=CALCULATOR')).body).toEqual({ tools: [CALCULATOR] })
    expect((await send('GET', '/machine-context/tools?toolkit=None')).body).toEqual({ tools: [] })
    expect(await send('GET', '/machine-context/tools?toolkit=a.b')).toMatchObject({
      status: 400,
      body: { error: { code: 'VALIDATION_ERROR', message: expect.stringContaining("'toolkit'") } },
    })
  })

  it('responds with 304 if nothing has changed', async () => {
    const { send } = setUp({ records })
    const { headers } = await send('GET', '/machine-context/tools')
    const etag = headers.get('etag') ?? ''
    expect(await send('GET', '/machine-context/tools', undefined, { 'if-none-match': etag })).toMatchObject({
      status: 304,
    })
    expect(
      await send('GET', '/machine-context/tools?toolkit=Mail', undefined, { 'if-none-match': etag }),
    ).toMatchObject({ status: 200 })
    const other = setUp({ records, principal: key })
    expect(await other.send('GET', '/machine-context/tools', undefined, { 'if-none-match': etag })).toMatchObject({
      status: 200,
    })
  })

  it('refuses a list that is too long', async () => {
    const large = Array.from({ length: 9 }, (_, n) => recordOf({ tool: `T${n}`, description: 'x'.repeat(2_000_000) }))
    expect(await setUp({ records: large }).send('GET', '/machine-context/tools')).toMatchObject({
      status: 400,
      body: { error: { code: 'VALIDATION_ERROR', details: { reason: expect.stringContaining('?toolkit=') } } },
    })
  })
})

import { toDocumentRef, toIdRef } from '../../../src/core/tool/tool-ref.ts'
import { describe, expect, it } from 'vitest'
import { fail, ok } from '../../../src/core/failure/failure.ts'
import {
  decodeCall,
  encodeFailure,
  encodeOutcome,
  NO_SENDER,
  createReplyHeader,
  getStatus,
} from '../../../src/dialects/machine-context/wire.ts'

describe('a request message', () => {
  it.each<[unknown, unknown]>([
    [
      { header: { messageId: 'm', messageType: 'request' }, payload: { tool: { id: 'a', capability: 'b' } } },
      {
        callId: 'm',
        toolRef: toIdRef('a.b'),
        documentRef: toDocumentRef({ dialect: 'machine-context', id: 'a', tool: 'b' }),
        input: {},
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request', version: '1' },
        payload: { tool: { id: 'a', capability: 'b' } },
      },
      {
        callId: 'm',
        toolRef: toIdRef('a.b'),
        documentRef: toDocumentRef({ dialect: 'machine-context', id: 'a', tool: 'b' }),
        input: {},
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request', version: '1.2.3' },
        payload: { tool: { id: 'a', capability: 'b' } },
      },
      {
        callId: 'm',
        toolRef: toIdRef('a.b'),
        documentRef: toDocumentRef({ dialect: 'machine-context', id: 'a', tool: 'b' }),
        input: {},
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request', version: '1.2.3.4' },
        payload: { tool: { id: 'a', capability: 'b' } },
      },
      { type: 'protocol-version-unsupported', version: '1.2.3.4', supported: '1.0' },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request', version: '10' },
        payload: { tool: { id: 'a', capability: 'b' } },
      },
      { type: 'protocol-version-unsupported', version: '10', supported: '1.0' },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request', version: 'x1' },
        payload: { tool: { id: 'a', capability: 'b' } },
      },
      { type: 'protocol-version-unsupported', version: 'x1', supported: '1.0' },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request', version: '1.' },
        payload: { tool: { id: 'a', capability: 'b' } },
      },
      { type: 'protocol-version-unsupported', version: '1.', supported: '1.0' },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request', version: '2'.repeat(150) },
        payload: { tool: { id: 'a', capability: 'b' } },
      },
      { type: 'protocol-version-unsupported', version: '2'.repeat(100), supported: '1.0' },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request', version: 7 },
        payload: { tool: { id: 'a', capability: 'b' } },
      },
      { type: 'request-malformed', message: "Cannot read the body at 'header.version': Must be a string, got 7" },
    ],
    [
      { header: { messageId: '', messageType: 'request' }, payload: { tool: { id: 'a', capability: 'b' } } },
      {
        type: 'request-malformed',
        message: "Cannot read the body at 'header.messageId': Must be a string of 1 to 256 characters, got ''",
      },
    ],
    [
      { header: { messageId: 'm', messageType: 'response' }, payload: { tool: { id: 'a', capability: 'b' } } },
      {
        type: 'request-malformed',
        message: "Cannot read the body at 'header.messageType': Must be 'request', got 'response'",
      },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request', timestamp: null, source: null, destination: null, more: 1 },
        payload: { tool: { id: 'a', capability: 'b' } },
      },
      {
        callId: 'm',
        toolRef: toIdRef('a.b'),
        documentRef: toDocumentRef({ dialect: 'machine-context', id: 'a', tool: 'b' }),
        input: {},
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request', source: 1, destination: 1 },
        payload: { tool: { id: 'a', capability: 'b' } },
      },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'header.source': Must be a string, got 1; at 'header.destination': Must be a string, got 1",
      },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request' },
        payload: { tool: { id: 'a', capability: 'b', version: '^1', parameters: { a: 1 } } },
      },
      {
        callId: 'm',
        toolRef: toIdRef('a.b@^1'),
        documentRef: toDocumentRef({ dialect: 'machine-context', id: 'a', tool: 'b', range: '^1' }),
        input: { a: 1 },
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request' },
        payload: { tool: { id: 'a', capability: 'b', version: null, parameters: null } },
      },
      {
        callId: 'm',
        toolRef: toIdRef('a.b'),
        documentRef: toDocumentRef({ dialect: 'machine-context', id: 'a', tool: 'b' }),
        input: {},
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      { header: { messageId: 'm', messageType: 'request' }, payload: { tool: { id: 'a', capability: 'b', more: 1 } } },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'payload.tool.more': Unknown field 'more': wanted 'id', 'capability', 'parameters', 'version'",
      },
    ],
    [
      { header: { messageId: 'm', messageType: 'request' }, payload: { tool: { id: 'a.b', capability: 'b' } } },
      {
        callId: 'm',
        toolRef: toDocumentRef({ dialect: 'machine-context', id: 'a.b', tool: 'b' }),
        documentRef: toDocumentRef({ dialect: 'machine-context', id: 'a.b', tool: 'b' }),
        input: {},
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request' },
        payload: { tool: { id: 'a', capability: 'a b', version: '1.0.0' } },
      },
      {
        callId: 'm',
        toolRef: toDocumentRef({ dialect: 'machine-context', id: 'a', tool: 'a b', range: '1.0.0' }),
        documentRef: toDocumentRef({ dialect: 'machine-context', id: 'a', tool: 'a b', range: '1.0.0' }),
        input: {},
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      { header: { messageId: 'm', messageType: 'request' }, payload: { tool: { id: 'toolkit:a', capability: 'b' } } },
      { callId: 'm', toolRef: toIdRef('a.b'), input: {}, context: { tokens: new Map([]), secrets: new Map([]) } },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request' },
        payload: { tool: { id: 'a'.repeat(161), capability: 'b' } },
      },
      { type: 'id-malformed', ref: `${'a'.repeat(161)}.b` },
    ],
    [
      { header: { messageId: 'm', messageType: 'request' }, payload: { tool: { id: 'a', capability: '\n' } } },
      { type: 'id-malformed', ref: 'a.\n' },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request' },
        payload: { tool: { id: 'a', capability: 'b', version: '1'.repeat(129) } },
      },
      { type: 'id-malformed', ref: 'a.b' },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request' },
        payload: {
          tool: { id: 'a', capability: 'b' },
          context: { request_id: 'r', session_id: 's', user_id: 'u', more: 1 },
          security: 1,
        },
      },
      {
        toolRef: toIdRef('a.b'),
        documentRef: toDocumentRef({ dialect: 'machine-context', id: 'a', tool: 'b' }),
        input: {},
        callId: 'r',
        traceId: 's',
        context: { tokens: new Map([]), secrets: new Map([]), userId: 'u', values: { more: 1 } },
      },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request' },
        payload: { tool: { id: 'a', capability: 'b' }, context: null },
      },
      {
        callId: 'm',
        toolRef: toIdRef('a.b'),
        documentRef: toDocumentRef({ dialect: 'machine-context', id: 'a', tool: 'b' }),
        input: {},
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      {
        header: { messageId: 'm', messageType: 'request' },
        payload: { tool: { id: 'a', capability: 'b' }, context: { session_id: 1 } },
      },
      {
        type: 'request-malformed',
        message: "Cannot read the body at 'payload.context.session_id': Must be a string of 1 to 256 characters, got 1",
      },
    ],
    [
      { header: { messageId: 'm', messageType: 'request' }, payload: { tool: { id: 'a', capability: 'b' } }, more: 1 },
      {
        callId: 'm',
        toolRef: toIdRef('a.b'),
        documentRef: toDocumentRef({ dialect: 'machine-context', id: 'a', tool: 'b' }),
        input: {},
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      {},
      {
        type: 'request-malformed',
        message: "Cannot read the body at 'header': Is required; at 'payload': Is required",
      },
    ],
    [null, { type: 'request-malformed', message: 'Cannot read the body: Must be an object, got null' }],
  ])('written as %j is read with its meaning', (body, wanted) => {
    const read = decodeCall(body)
    expect('ok' in read ? read.failure : read).toEqual(wanted)
  })

  it.each<[unknown, unknown]>([
    [undefined, {}],
    [null, {}],
    ['x', {}],
    [{}, {}],
    [{ header: 1, payload: 1 }, {}],
    [
      { header: { messageId: 'm', source: 's', destination: 'd' }, payload: { tool: { id: 'i', capability: 'c' } } },
      { messageId: 'm', source: 's', destination: 'd', id: 'i', capability: 'c' },
    ],
    [{ header: { messageId: 1, source: 1, destination: 1 }, payload: { tool: { id: 1, capability: 1 } } }, {}],
    [{ payload: { tool: [] } }, {}],
  ])('written as %j is replied to by %j', (body, to) => expect(createReplyHeader(body)).toEqual(to))
})

describe('a reply', () => {
  const stamp = { messageId: 'new', timestamp: 'now' }
  const to = { messageId: 'm', source: 's', destination: 'd', id: 'i', capability: 'c' }
  const header = {
    version: '1.0',
    messageId: 'new',
    timestamp: 'now',
    messageType: 'response',
    requestId: 'm',
    source: 'd',
    destination: 's',
  }
  const tool = { id: 'i', capability: 'c' }
  const outcome = { callId: 'c', durationMs: 5 }

  it('contains the value, the usage, and the rest in the metadata', () => {
    const plain = encodeOutcome({ ...outcome, result: ok(1) }, to, stamp)
    expect(plain).toStrictEqual({
      header,
      payload: { tool, execution: { status: 'success', result: 1, execution_time_ms: 5 } },
    })
    const usage = { fuel: 7 } as never
    const content = [{ type: 'text', text: 'One' }] as const
    const used = encodeOutcome({ ...outcome, result: { ...ok(1), usage, content } }, to, stamp)
    expect(used).toEqual({
      header,
      payload: { tool, execution: { status: 'success', result: 1, execution_time_ms: 5, resource_usage: { fuel: 7 } } },
      metadata: { content },
    })
    const artifact = { url: 'u', content_type: 't', size: 1, meta: { description: 'd' } }
    expect(encodeOutcome({ ...outcome, result: { ...ok(1), artifact } }, to, stamp).metadata).toEqual({ artifact })
    const link = encodeOutcome({ ...outcome, result: { ...ok({ artifact }), elsewhere: artifact } }, to, stamp)
    expect(link).toMatchObject({ payload: { execution: { result: { artifact } } }, metadata: { artifact } })
    const none = encodeOutcome({ ...outcome, result: { ...ok(undefined), elsewhere: artifact } }, to, stamp)
    expect(none).toMatchObject({ payload: { execution: { status: 'success' } }, metadata: { artifact } })
    expect(none).not.toHaveProperty('payload.execution.result')
  })

  it('contains the failure of the execution, or is an error message', () => {
    const error = { code: 'EXECUTION_ERROR', message: 'The call was canceled' }
    const execution = { status: 'cancelled', error, execution_time_ms: 5 }
    expect(encodeOutcome({ ...outcome, result: fail({ type: 'cancelled' }) }, to, stamp)).toEqual({
      header,
      payload: { tool, execution },
    })
    expect(encodeFailure({ type: 'cancelled' }, to, stamp)).toMatchObject({
      payload: { execution: { execution_time_ms: 0 } },
    })
    expect(encodeFailure({ type: 'forbidden', reason: 'r' }, to, stamp)).toEqual({
      header: { ...header, messageType: 'error' },
      error: { code: 'SECURITY_ERROR', message: 'r' },
    })
    expect(encodeFailure({ type: 'forbidden', reason: 'r' }, NO_SENDER, stamp)).toEqual({
      header: { version: '1.0', messageId: 'new', timestamp: 'now', messageType: 'error', source: 'switchboard' },
      error: { code: 'SECURITY_ERROR', message: 'r' },
    })
    expect([getStatus({ type: 'cancelled' }), getStatus({ type: 'forbidden', reason: 'r' })]).toEqual([200, 403])
  })
})

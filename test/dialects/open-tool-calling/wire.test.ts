import { toDocumentRef, toIdRef, toNameRef } from '../../../src/core/tool/tool-ref.ts'
import { describe, expect, it } from 'vitest'
import { fail, ok } from '../../../src/core/failure/failure.ts'
import { REQUEST_SCHEMA, RESPONSE_SCHEMA } from '../../../src/dialects/open-tool-calling/schema-uri.ts'
import { decodeInvocation, encodeOutcome } from '../../../src/dialects/open-tool-calling/wire.ts'

describe('a tool request', () => {
  it.each<[unknown, unknown]>([
    [
      { tool: { name: 'Add', toolkit: 'Demo' } },
      {
        toolRef: toIdRef('Demo.Add'),
        input: {},
        includesContextParameters: true,
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo', version: '^1' } },
      {
        toolRef: toIdRef('Demo.Add@^1'),
        input: {},
        includesContextParameters: true,
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      { tool: { name: 'Add', toolkit: '', version: '' } },
      {
        toolRef: toNameRef('Add'),
        bareName: { name: 'Add' },
        input: {},
        includesContextParameters: true,
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      { tool: { name: 'Add', version: '1.0.0' } },
      {
        toolRef: toNameRef('Add', '1.0.0'),
        bareName: { name: 'Add', range: '1.0.0' },
        input: {},
        includesContextParameters: true,
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      { tool: { name: 'Demo.Add' } },
      {
        toolRef: toIdRef('Demo.Add'),
        input: {},
        includesContextParameters: true,
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      { tool: { name: 'Demo.Add', version: '1.0.0' } },
      {
        toolRef: toIdRef('Demo.Add@1.0.0'),
        input: {},
        includesContextParameters: true,
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      { tool: { name: 'Demo.Add@2.0.0', version: '1.0.0' } },
      {
        toolRef: toIdRef('Demo.Add@2.0.0'),
        input: {},
        includesContextParameters: true,
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      {
        tool: { name: 'Add', toolkit: 'Demo' },
        $schema: REQUEST_SCHEMA,
        run_id: 'r',
        execution_id: 'e',
        created_at: 'now',
        inputs: { a: 1 },
        context: {
          authorization: { token: 'T', more: 1 },
          secrets: { KEY: 'S' },
          user_id: 'u',
          user_info: { mail: 'u@x.test' },
          more: 1,
        },
      },
      {
        toolRef: toIdRef('Demo.Add'),
        callId: 'e',
        traceId: 'r',
        input: { a: 1 },
        includesContextParameters: true,
        context: {
          tokens: new Map([['*', 'T']]),
          secrets: new Map([['KEY', 'S']]),
          userId: 'u',
          values: { more: 1, user_info: { mail: 'u@x.test' } },
        },
      },
    ],
    [
      {
        tool: { name: 'Add', toolkit: 'Demo' },
        $schema: null,
        run_id: null,
        execution_id: null,
        created_at: null,
        inputs: null,
        context: null,
      },
      {
        toolRef: toIdRef('Demo.Add'),
        input: {},
        includesContextParameters: true,
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo' }, context: { authorization: null, secrets: null, user_id: null } },
      {
        toolRef: toIdRef('Demo.Add'),
        input: {},
        includesContextParameters: true,
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo' }, context: { authorization: { token: '' }, secrets: [], user_id: '' } },
      {
        toolRef: toIdRef('Demo.Add'),
        input: {},
        includesContextParameters: true,
        context: { tokens: new Map([]), secrets: new Map([]) },
      },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo' }, context: { secrets: [{ key: 'A', value: 'B', more: 1 }] } },
      {
        toolRef: toIdRef('Demo.Add'),
        input: {},
        includesContextParameters: true,
        context: { tokens: new Map([]), secrets: new Map([['A', 'B']]) },
      },
    ],
    [
      {
        tool: { name: 'Add two', toolkit: 'My demo', version: '1.0.0' },
        context: { authorization: { token: 'T', user_info: { name: 'U' } } },
      },
      {
        fallback: { toolRef: toIdRef('My_demo.Addtwo@1.0.0') },
        documentRef: toDocumentRef({ dialect: 'toolkit', id: 'My_demo', tool: 'Add two', range: '1.0.0' }),
        toolRef: toIdRef('My_demo.Add_two@1.0.0'),
        input: {},
        includesContextParameters: true,
        context: { tokens: new Map([['*', 'T']]), secrets: new Map([]), values: { user_info: { name: 'U' } } },
      },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo' }, $schema: 'urn:otc:2.0' },
      { type: 'protocol-version-unsupported', version: 'urn:otc:2.0', supported: REQUEST_SCHEMA },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo' }, context: { user_info: 'u' } },
      {
        type: 'request-malformed',
        message: "Cannot read the body at 'context.user_info': Must be an object, got 'u'",
      },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo' }, context: { secrets: 7 } },
      {
        type: 'request-malformed',
        message: "Cannot read the body at 'context.secrets': Must be an object, got a number",
      },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo' }, context: { authorization: 'a-token', secrets: ['a-secret'] } },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'context.authorization': Must be an object, got a string; at 'context.secrets[0]': Must be an object, got a string",
      },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo' }, context: { secrets: [{ key: 'A' }] } },
      { type: 'request-malformed', message: "Cannot read the body at 'context.secrets[0].value': Is required" },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo' }, context: { secrets: { A: 7 } } },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'context.secrets.A': Must be a string of at most 65536 characters, got a number",
      },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo' }, context: { authorization: { token: 7 } } },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'context.authorization.token': Must be a string of at most 65536 characters, got a number",
      },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo' }, context: { user_id: 'x'.repeat(257) } },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'context.user_id': Must be a string of at most 256 characters, got a string of 257 characters",
      },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo' }, execution_id: '' },
      {
        type: 'request-malformed',
        message: "Cannot read the body at 'execution_id': Must be a string of 1 to 256 characters, got ''",
      },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo' }, inputs: [] },
      { type: 'request-malformed', message: "Cannot read the body at 'inputs': Must be an object, got an empty array" },
    ],
    [
      { tool: { name: 'Add', toolkit: 'Demo' }, input: 1 },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'input': Unknown field 'input' (meant 'inputs'?): wanted '$schema', 'run_id', 'execution_id', 'created_at', 'tool', 'inputs', 'context'",
      },
    ],
    [
      { tool: { name: '' } },
      {
        type: 'request-malformed',
        message: "Cannot read the body at 'tool.name': Must be a string of 1 to 160 characters, got ''",
      },
    ],
    [
      { tool: { name: 'A', more: 1, toolkits: 1 } },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'tool.toolkits': Unknown field 'toolkits' (meant 'toolkit'?): wanted 'name', 'toolkit', 'version'",
      },
    ],
    [
      { tool: { name: 'A', toolkit: 1, version: 1 } },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'tool.toolkit': Must be a string of at most 160 characters, got 1; at 'tool.version': Must be a string, got 1",
      },
    ],
    [{}, { type: 'request-malformed', message: "Cannot read the body at 'tool': Is required" }],
    [null, { type: 'request-malformed', message: 'Cannot read the body: Must be an object, got null' }],
  ])('written as %j is read with its meaning', (body, wanted) => {
    const read = decodeInvocation(body)
    expect('ok' in read ? read.failure : read).toEqual(wanted)
  })
})

describe('a tool response', () => {
  const now = new Date(0)
  const frame = { $schema: RESPONSE_SCHEMA, execution_id: 'c', finished_at: '1970-01-01T00:00:00.000Z', duration: 5 }
  const outcome = { callId: 'c', durationMs: 5 }
  const artifact = { url: 'https://x.test/a', content_type: 'text/csv', size: 9, meta: { description: 'Rows' } }

  it('contains the value, an artifact, or nothing', () => {
    expect(encodeOutcome({ ...outcome, result: ok([1]) }, now)).toEqual({
      ...frame,
      success: true,
      output: { value: [1] },
    })
    for (const value of [0, '', false]) {
      expect(encodeOutcome({ ...outcome, result: ok(value) }, now)).toMatchObject({ output: { value } })
    }
    for (const value of [null, undefined]) {
      expect(encodeOutcome({ ...outcome, result: ok(value) }, now)).toEqual({ ...frame, success: true })
    }
    expect(encodeOutcome({ ...outcome, result: { ...ok(1), artifact } }, now)).toEqual({
      ...frame,
      success: true,
      output: { artifact },
    })
    for (const value of [{ artifact }, undefined]) {
      const lying = { ...ok(value), elsewhere: artifact }
      expect(encodeOutcome({ ...outcome, result: lying }, now)).toEqual({
        ...frame,
        success: true,
        output: { artifact },
      })
    }
  })

  it('contains the error, except for failures with an HTTP status', () => {
    expect(encodeOutcome({ ...outcome, result: fail({ type: 'cancelled' }) }, now)).toEqual({
      ...frame,
      success: false,
      output: { error: { message: 'The call was canceled', can_retry: true } },
    })
    expect(encodeOutcome({ ...outcome, result: fail({ type: 'forbidden', reason: 'r' }) }, now)).toBeUndefined()
  })
})

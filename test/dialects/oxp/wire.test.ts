import { toIdRef } from '../../../src/core/tool/tool-ref.ts'
import { describe, expect, it } from 'vitest'
import { fail, ok } from '../../../src/core/failure/failure.ts'
import { decodeCall, encodeFailure, encodeOutcome } from '../../../src/dialects/oxp/wire.ts'

describe('a call', () => {
  it.each<[unknown, unknown]>([
    [
      { tool_id: 'Kit.Add' },
      { toolRef: toIdRef('Kit.Add'), input: {}, context: { tokens: new Map([]), secrets: new Map([]) } },
    ],
    [
      { request: { tool_id: 'Kit.Add' } },
      { toolRef: toIdRef('Kit.Add'), input: {}, context: { tokens: new Map([]), secrets: new Map([]) } },
    ],
    [
      { $schema: 'urn:oxp:1.0', request: { tool_id: 'Kit.Add' } },
      { toolRef: toIdRef('Kit.Add'), input: {}, context: { tokens: new Map([]), secrets: new Map([]) } },
    ],
    [
      { $schema: 'urn:oxp:1.0', tool_id: 'Kit.Add' },
      { toolRef: toIdRef('Kit.Add'), input: {}, context: { tokens: new Map([]), secrets: new Map([]) } },
    ],
    [
      {
        $schema: 'https://github.com/OpenToolCalling/Specification/tree/main/spec/http/1.0/openapi.json',
        tool_id: 'Kit.Add',
      },
      { toolRef: toIdRef('Kit.Add'), input: {}, context: { tokens: new Map([]), secrets: new Map([]) } },
    ],
    [
      {
        $schema: 'https://github.com/OpenExecProtocol/Specification/tree/main/spec/http/1.0/openapi.json',
        tool_id: 'Kit.Add',
      },
      { toolRef: toIdRef('Kit.Add'), input: {}, context: { tokens: new Map([]), secrets: new Map([]) } },
    ],
    [
      { $schema: 'urn:oxp:2.0', tool_id: 'Kit.Add' },
      { type: 'protocol-version-unsupported', version: 'urn:oxp:2.0', supported: 'urn:oxp:1.0' },
    ],
    [
      { $schema: 'x'.repeat(250), request: { tool_id: 'Kit.Add' } },
      { type: 'protocol-version-unsupported', version: 'x'.repeat(200), supported: 'urn:oxp:1.0' },
    ],
    [
      { $schema: 1, tool_id: 'Kit.Add' },
      { type: 'request-malformed', message: "Cannot read the body at '$schema': Must be a string, got 1" },
    ],
    [
      { $schema: 1, request: { tool_id: 'Kit.Add' } },
      { type: 'request-malformed', message: "Cannot read the body at '$schema': Must be a string, got 1" },
    ],
    [
      {
        request: {
          tool_id: 'Kit.Add',
          call_id: 'c',
          trace_id: 't',
          input: { a: 1 },
          context: {
            authorization: [{ id: 'g', token: 'T', more: 1 }],
            secrets: [{ id: 'K', value: 'S', more: 1 }],
            user_id: 'u',
          },
        },
      },
      {
        toolRef: toIdRef('Kit.Add'),
        callId: 'c',
        traceId: 't',
        input: { a: 1 },
        context: { tokens: new Map([['g', 'T']]), secrets: new Map([['K', 'S']]), userId: 'u' },
      },
    ],
    [
      { tool_id: 'Kit.Add', context: {} },
      { toolRef: toIdRef('Kit.Add'), input: {}, context: { tokens: new Map([]), secrets: new Map([]) } },
    ],
    [
      { tool_id: 'Kit.Add', context: { user_id: 'u' } },
      { toolRef: toIdRef('Kit.Add'), input: {}, context: { tokens: new Map([]), secrets: new Map([]), userId: 'u' } },
    ],
    [
      { tool_id: 'Kit.Add', context: { authorization: [{ id: 'g', token: 7 }] } },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'context.authorization[0].token': Must be a string of at most 65536 characters, got a number",
      },
    ],
    [
      { tool_id: 'Kit.Add', context: { authorization: 'a-token', secrets: ['a-secret'] } },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'context.authorization': Must be an array, got a string; at 'context.secrets[0]': Must be an object, got a string",
      },
    ],
    [
      { tool_id: 'Kit.Add', context: { secrets: [{ id: 'K' }] } },
      { type: 'request-malformed', message: "Cannot read the body at 'context.secrets[0].value': Is required" },
    ],
    [
      { tool_id: 'Kit.Add', context: { more: 1 } },
      {
        toolRef: toIdRef('Kit.Add'),
        input: {},
        context: { tokens: new Map([]), secrets: new Map([]), values: { more: 1 } },
        contextFieldHints: { path: '/context', fields: ['authorization', 'secrets', 'user_id'] },
      },
    ],
    [
      { tool_id: 'Kit.Add', call_id: '' },
      {
        type: 'request-malformed',
        message: "Cannot read the body at 'call_id': Must be a string of 1 to 256 characters, got ''",
      },
    ],
    [
      { tool_id: 'Kit.Add', trace_id: 'x'.repeat(257) },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'trace_id': Must be a string of 1 to 256 characters, got a string of 257 characters",
      },
    ],
    [
      { tool_id: 'Kit.Add', input: [] },
      { type: 'request-malformed', message: "Cannot read the body at 'input': Must be an object, got an empty array" },
    ],
    [
      { tool_id: 'Kit.Add', more: 1 },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'more': Unknown field 'more': wanted '$schema', 'tool_id', 'call_id', 'trace_id', 'input', 'context'",
      },
    ],
    [
      { request: { tool_id: 'Kit.Add' }, more: 1 },
      {
        type: 'request-malformed',
        message: "Cannot read the body at 'more': Unknown field 'more': wanted '$schema', 'request'",
      },
    ],
    [
      { request: { tool_id: 'Kit.Add', $schema: 'x' } },
      {
        type: 'request-malformed',
        message:
          "Cannot read the body at 'request.$schema': Unknown field '$schema': wanted 'tool_id', 'call_id', 'trace_id', 'input', 'context'",
      },
    ],
    [{}, { type: 'request-malformed', message: "Cannot read the body at 'tool_id': Is required" }],
    [null, { type: 'request-malformed', message: 'Cannot read the body: Must be an object, got null' }],
    [[], { type: 'request-malformed', message: 'Cannot read the body: Must be an object, got an empty array' }],
    ['x', { type: 'request-malformed', message: "Cannot read the body: Must be an object, got 'x'" }],
  ])('written as %j is read with its meaning', (body, wanted) => {
    const read = decodeCall(body)
    expect('ok' in read ? read.failure : read).toEqual(wanted)
  })
})

describe('the outcome of a call', () => {
  const frame = { callId: 'c', durationMs: 5 }

  it('is a response, with or without an envelope', () => {
    const result = { call_id: 'c', success: true, duration: 5, value: [1] }
    expect(encodeOutcome({ ...frame, result: ok([1]) }, 'enveloped')).toEqual({ $schema: 'urn:oxp:1.0', result })
    expect(encodeOutcome({ ...frame, result: ok([1]) }, 'bare')).toEqual(result)
  })

  it('is also a response if the tool failed', () => {
    const result = {
      call_id: 'c',
      success: false,
      duration: 5,
      error: { message: 'The call was canceled', can_retry: true },
    }
    const outcome = { ...frame, result: fail({ type: 'cancelled' }) }
    expect(encodeOutcome(outcome, 'enveloped')).toEqual({ $schema: 'urn:oxp:1.0', result })
    expect(encodeOutcome(outcome, 'bare')).toEqual(result)
  })

  it('is the body of a failure if the tool did not run', () => {
    const outcome = { ...frame, result: fail({ type: 'forbidden', reason: 'Not yours' }) }
    expect(encodeOutcome(outcome, 'enveloped')).toEqual({ $schema: 'urn:oxp:1.0', message: 'Not yours' })
    expect(encodeOutcome(outcome, 'bare')).toEqual({ message: 'Not yours' })
    expect(encodeFailure({ type: 'forbidden', reason: 'Not yours' }, 'bare')).toEqual({ message: 'Not yours' })
  })
})

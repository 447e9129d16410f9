import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/tool/json.ts'
import { decodeToolCall } from '../../../src/dialects/mcp/wire.ts'

describe('the params of tools/call', () => {
  it.each<[JsonObject, unknown]>([
    [{ name: 'echo' }, { kind: 'call', name: 'echo', input: {}, wantsLogs: false }],
    [
      {
        name: 'echo',
        arguments: { a: 1 },
        more: 1,
        _meta: {
          progressToken: 'p',
          traceparent: 't',
          'dev.switchboard/version': '^1',
          'dev.switchboard/call_id': 'c',
          more: 1,
        },
        inputResponses: { a: {} },
        requestState: 's',
      },
      {
        kind: 'call',
        name: 'echo',
        inputResponses: { a: {} },
        requestState: 's',
        input: { a: 1 },
        range: '^1',
        callId: 'c',
        traceparent: 't',
        progressToken: 'p',
        wantsLogs: false,
      },
    ],
    [
      { name: 'echo', _meta: { progressToken: 0, traceparent: 7 } },
      { kind: 'call', name: 'echo', input: {}, progressToken: 0, wantsLogs: false },
    ],
    [
      { name: 'echo', _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } },
      { kind: 'call', name: 'echo', input: {}, wantsLogs: true },
    ],
    [
      { name: 'echo', _meta: { 'io.modelcontextprotocol/logLevel': 'info' } },
      { kind: 'call', name: 'echo', input: {}, wantsLogs: true },
    ],
    [
      { name: 'echo', _meta: { 'io.modelcontextprotocol/logLevel': 'notice' } },
      { kind: 'call', name: 'echo', input: {}, wantsLogs: false },
    ],
    [
      { name: 'echo', _meta: { 'io.modelcontextprotocol/logLevel': 'warning' } },
      { kind: 'call', name: 'echo', input: {}, wantsLogs: false },
    ],
    [
      { name: 'echo', _meta: { 'io.modelcontextprotocol/logLevel': 'error' } },
      { kind: 'call', name: 'echo', input: {}, wantsLogs: false },
    ],
    [
      { name: 'echo', _meta: { 'io.modelcontextprotocol/logLevel': 'critical' } },
      { kind: 'call', name: 'echo', input: {}, wantsLogs: false },
    ],
    [
      { name: 'echo', _meta: { 'io.modelcontextprotocol/logLevel': 'alert' } },
      { kind: 'call', name: 'echo', input: {}, wantsLogs: false },
    ],
    [
      { name: 'echo', _meta: { 'io.modelcontextprotocol/logLevel': 'emergency' } },
      { kind: 'call', name: 'echo', input: {}, wantsLogs: false },
    ],
    [
      { name: 'echo', _meta: { 'io.modelcontextprotocol/logLevel': 'loud' } },
      {
        kind: 'error',
        code: -32602,
        message:
          "Cannot read the params at '_meta.io.modelcontextprotocol/logLevel': Must be one of 'debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency', got 'loud'",
        status: 200,
      },
    ],
    [
      { name: 'echo', arguments: null, _meta: null },
      { kind: 'call', name: 'echo', input: {}, wantsLogs: false },
    ],
    [{}, { kind: 'error', code: -32602, message: "Cannot read the params at 'name': Is required", status: 200 }],
    [
      { name: 7 },
      {
        kind: 'error',
        code: -32602,
        message: "Cannot read the params at 'name': Must be a string of at most 160 characters, got 7",
        status: 200,
      },
    ],
    [
      { name: 'echo', arguments: [] },
      {
        kind: 'error',
        code: -32602,
        message: "Cannot read the params at 'arguments': Must be an object, got an empty array",
        status: 200,
      },
    ],
    [
      { name: 'echo', _meta: 7 },
      {
        kind: 'error',
        code: -32602,
        message: "Cannot read the params at '_meta': Must be an object, got 7",
        status: 200,
      },
    ],
    [
      { name: 'echo', _meta: { progressToken: {} } },
      {
        kind: 'error',
        code: -32602,
        message: "Cannot read the params at '_meta.progressToken': Must be a string or a number, got an object",
        status: 200,
      },
    ],
    [
      { name: 'echo', _meta: { 'dev.switchboard/version': '', 'dev.switchboard/call_id': '' } },
      {
        kind: 'error',
        code: -32602,
        message:
          "Cannot read the params at '_meta.dev.switchboard/version': Must be a string of 1 to 128 characters, got ''; at '_meta.dev.switchboard/call_id': Must be a string of 1 to 256 characters, got ''",
        status: 200,
      },
    ],
    [
      { name: 'echo', _meta: { 'dev.switchboard/version': 'x'.repeat(129) } },
      {
        kind: 'error',
        code: -32602,
        message:
          "Cannot read the params at '_meta.dev.switchboard/version': Must be a string of 1 to 128 characters, got a string of 129 characters",
        status: 200,
      },
    ],
    [
      { name: 'echo', inputResponses: { a: 7 } },
      {
        kind: 'error',
        code: -32602,
        message: "Cannot read the params at 'inputResponses.a': Must be an object, got 7",
        status: 200,
      },
    ],
    [
      { name: 'echo', requestState: 7 },
      {
        kind: 'error',
        code: -32602,
        message: "Cannot read the params at 'requestState': Must be a string, got a number",
        status: 200,
      },
    ],
  ])('reads the params %j of tools/call, or reports what is wrong', (params, wanted) =>
    expect(decodeToolCall(params)).toEqual(wanted),
  )

  it('repeats no requestState in an error message', () => {
    expect(decodeToolCall({ name: 'echo', requestState: 7 })).toMatchObject({
      message: expect.not.stringContaining('7'),
    })
  })
})

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/core/tool/json.ts'
import {
  findEnvelopeError,
  findMethodMismatch,
  createHeaderMismatch,
  createUnsupportedVersion,
} from '../../../../src/dialects/mcp/revisions/2026-07-28.ts'

describe('the envelope of a request', () => {
  it.each<[Record<string, string>, { method: string; params: JsonObject }, unknown]>([
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'm' },
      {
        method: 'm',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
      undefined,
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'm' },
      { method: 'm', params: {} },
      {
        kind: 'error',
        code: -32602,
        message: "'_meta' must have 'io.modelcontextprotocol/protocolVersion', which is a string",
        status: 400,
      },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'm' },
      { method: 'm', params: { _meta: 7 } },
      {
        kind: 'error',
        code: -32602,
        message: "'_meta' must have 'io.modelcontextprotocol/protocolVersion', which is a string",
        status: 400,
      },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'm' },
      { method: 'm', params: { _meta: { 'io.modelcontextprotocol/clientCapabilities': {} } } },
      {
        kind: 'error',
        code: -32602,
        message: "'_meta' must have 'io.modelcontextprotocol/protocolVersion', which is a string",
        status: 400,
      },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'm' },
      {
        method: 'm',
        params: {
          _meta: { 'io.modelcontextprotocol/protocolVersion': 7, 'io.modelcontextprotocol/clientCapabilities': {} },
        },
      },
      {
        kind: 'error',
        code: -32602,
        message: "'_meta' must have 'io.modelcontextprotocol/protocolVersion', which is a string",
        status: 400,
      },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'm' },
      { method: 'm', params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } } },
      {
        kind: 'error',
        code: -32602,
        message: "'_meta' must have 'io.modelcontextprotocol/clientCapabilities', which is an object",
        status: 400,
      },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'm' },
      {
        method: 'm',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': [],
          },
        },
      },
      {
        kind: 'error',
        code: -32602,
        message: "'_meta' must have 'io.modelcontextprotocol/clientCapabilities', which is an object",
        status: 400,
      },
    ],
    [
      { 'mcp-method': 'm' },
      {
        method: 'm',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
      {
        kind: 'error',
        code: -32020,
        message: "The header 'MCP-Protocol-Version' is missing: wanted '2026-07-28'",
        status: 400,
      },
    ],
    [
      { 'mcp-protocol-version': '2025-11-25', 'mcp-method': 'm' },
      {
        method: 'm',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
      {
        kind: 'error',
        code: -32020,
        message: "The header 'MCP-Protocol-Version' says '2025-11-25', and the body '2026-07-28'",
        status: 400,
      },
    ],
    [
      { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'm' },
      {
        method: 'm',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2099-01-01',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
      {
        kind: 'error',
        code: -32022,
        message: "The protocol version '2099-01-01' is not supported: wanted one of 2026-07-28",
        data: { supported: ['2026-07-28'], requested: '2099-01-01' },
        status: 400,
      },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28' },
      {
        method: 'm',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
      { kind: 'error', code: -32020, message: "The header 'Mcp-Method' is missing: wanted 'm'", status: 400 },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'M' },
      {
        method: 'm',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
      { kind: 'error', code: -32020, message: "The header 'Mcp-Method' says 'M', and the body 'm'", status: 400 },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' },
      {
        method: 'tools/call',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          name: 'n',
        },
      },
      { kind: 'error', code: -32020, message: "The header 'Mcp-Name' is missing: wanted 'n'", status: 400 },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'n' },
      {
        method: 'tools/call',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          name: 'n',
        },
      },
      undefined,
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'prompts/get' },
      {
        method: 'prompts/get',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          name: 'n',
        },
      },
      { kind: 'error', code: -32020, message: "The header 'Mcp-Name' is missing: wanted 'n'", status: 400 },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'prompts/get', 'mcp-name': 'n' },
      {
        method: 'prompts/get',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          name: 'n',
        },
      },
      undefined,
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'x' },
      {
        method: 'tools/call',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          name: 'n',
          uri: 'x',
        },
      },
      { kind: 'error', code: -32020, message: "The header 'Mcp-Name' says 'x', and the body 'n'", status: 400 },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' },
      {
        method: 'tools/call',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          name: 7,
        },
      },
      undefined,
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'resources/read', 'mcp-name': 'u' },
      {
        method: 'resources/read',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          uri: 'u',
          name: 'n',
        },
      },
      undefined,
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'resources/read' },
      {
        method: 'resources/read',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          uri: 'u',
        },
      },
      { kind: 'error', code: -32020, message: "The header 'Mcp-Name' is missing: wanted 'u'", status: 400 },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'm' },
      {
        method: 'm',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          name: 'n',
          uri: 'u',
        },
      },
      undefined,
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': '=?base64?w6k=?=' },
      {
        method: 'tools/call',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          name: 'é',
        },
      },
      undefined,
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'x=?base64?bg==?=' },
      {
        method: 'tools/call',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          name: 'n',
        },
      },
      {
        kind: 'error',
        code: -32020,
        message: "The header 'Mcp-Name' says 'x=?base64?bg==?=', and the body 'n'",
        status: 400,
      },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': '=?base64?bg==?=x' },
      {
        method: 'tools/call',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          name: 'n',
        },
      },
      {
        kind: 'error',
        code: -32020,
        message: "The header 'Mcp-Name' says '=?base64?bg==?=x', and the body 'n'",
        status: 400,
      },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': '=?base64?%%%?=' },
      {
        method: 'tools/call',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          name: 'n',
        },
      },
      {
        kind: 'error',
        code: -32020,
        message: "The header 'Mcp-Name' says '=?base64?%%%?=', and the body 'n'",
        status: 400,
      },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': '=?base64?/w==?=' },
      {
        method: 'tools/call',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          name: '�',
        },
      },
      {
        kind: 'error',
        code: -32020,
        message: "The header 'Mcp-Name' says '=?base64?/w==?=', and the body '�'",
        status: 400,
      },
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': '=?base64?77u/bg==?=' },
      {
        method: 'tools/call',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          name: 'n',
        },
      },
      undefined,
    ],
    [
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': '=?base64??=' },
      {
        method: 'tools/call',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
          name: '',
        },
      },
      undefined,
    ],
  ])('of the headers %j and the message %j is judged', (headers, message, error) => {
    expect(findEnvelopeError(new Headers(headers), { kind: 'request', id: 1, ...message })).toEqual(error)
  })

  it('of a notification has a method', () => {
    expect(findMethodMismatch(new Headers({ 'mcp-method': 'm' }), 'm')).toBeUndefined()
    expect(findMethodMismatch(new Headers(), 'm')?.message).toBe("The header 'Mcp-Method' is missing: wanted 'm'")
  })

  it('is told in messages that are not too long', () => {
    expect(createHeaderMismatch('x'.repeat(501))).toEqual({
      kind: 'error',
      code: -32020,
      message: 'x'.repeat(500),
      status: 400,
    })
    const requested = 'x'.repeat(100)
    expect(createUnsupportedVersion(`${requested}y`, ['a', 'b'])).toEqual({
      kind: 'error',
      code: -32022,
      message: `The protocol version '${requested}' is not supported: wanted one of a, b`,
      data: { supported: ['a', 'b'], requested },
      status: 400,
    })
  })
})

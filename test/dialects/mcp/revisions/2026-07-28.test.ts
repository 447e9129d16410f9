import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/core/tool/json.ts'
import {
  findEnvelopeError,
  findMethodMismatch,
  createHeaderMismatch,
  createUnsupportedVersion,
} from '../../../../src/dialects/mcp/revisions/2026-07-28.ts'

const VERSION = { 'mcp-protocol-version': '2026-07-28' }
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

describe('the envelope of a request', () => {
  it.each<[Record<string, string>, string, JsonObject, object?]>([
    [{ ...VERSION, 'mcp-method': 'm' }, 'm', { _meta }],
    [
      { ...VERSION, 'mcp-method': 'm' },
      'm',
      {},
      { code: -32602, message: "'_meta' must have 'io.modelcontextprotocol/protocolVersion', which is a string" },
    ],
    [
      { ...VERSION, 'mcp-method': 'm' },
      'm',
      { _meta: 7 },
      { code: -32602, message: "'_meta' must have 'io.modelcontextprotocol/protocolVersion', which is a string" },
    ],
    [
      { ...VERSION, 'mcp-method': 'm' },
      'm',
      { _meta: { 'io.modelcontextprotocol/clientCapabilities': {} } },
      { code: -32602, message: "'_meta' must have 'io.modelcontextprotocol/protocolVersion', which is a string" },
    ],
    [
      { ...VERSION, 'mcp-method': 'm' },
      'm',
      { _meta: { 'io.modelcontextprotocol/protocolVersion': 7, 'io.modelcontextprotocol/clientCapabilities': {} } },
      { code: -32602, message: "'_meta' must have 'io.modelcontextprotocol/protocolVersion', which is a string" },
    ],
    [
      { ...VERSION, 'mcp-method': 'm' },
      'm',
      { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
      { code: -32602, message: "'_meta' must have 'io.modelcontextprotocol/clientCapabilities', which is an object" },
    ],
    [
      { ...VERSION, 'mcp-method': 'm' },
      'm',
      {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': [],
        },
      },
      { code: -32602, message: "'_meta' must have 'io.modelcontextprotocol/clientCapabilities', which is an object" },
    ],
    [
      { 'mcp-method': 'm' },
      'm',
      { _meta },
      { code: -32020, message: "The header 'MCP-Protocol-Version' is missing: wanted '2026-07-28'" },
    ],
    [
      { 'mcp-protocol-version': '2025-11-25', 'mcp-method': 'm' },
      'm',
      { _meta },
      { code: -32020, message: "The header 'MCP-Protocol-Version' says '2025-11-25', and the body '2026-07-28'" },
    ],
    [
      { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'm' },
      'm',
      {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2099-01-01',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
      {
        code: -32022,
        message: "The protocol version '2099-01-01' is not supported: wanted one of 2026-07-28",
        data: { supported: ['2026-07-28'], requested: '2099-01-01' },
      },
    ],
    [{ ...VERSION }, 'm', { _meta }, { code: -32020, message: "The header 'Mcp-Method' is missing: wanted 'm'" }],
    [
      { ...VERSION, 'mcp-method': 'M' },
      'm',
      { _meta },
      { code: -32020, message: "The header 'Mcp-Method' says 'M', and the body 'm'" },
    ],
    [
      { ...VERSION, 'mcp-method': 'tools/call' },
      'tools/call',
      { _meta, name: 'n' },
      { code: -32020, message: "The header 'Mcp-Name' is missing: wanted 'n'" },
    ],
    [{ ...VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'n' }, 'tools/call', { _meta, name: 'n' }],
    [
      { ...VERSION, 'mcp-method': 'prompts/get' },
      'prompts/get',
      { _meta, name: 'n' },
      { code: -32020, message: "The header 'Mcp-Name' is missing: wanted 'n'" },
    ],
    [{ ...VERSION, 'mcp-method': 'prompts/get', 'mcp-name': 'n' }, 'prompts/get', { _meta, name: 'n' }],
    [
      { ...VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'x' },
      'tools/call',
      { _meta, name: 'n', uri: 'x' },
      { code: -32020, message: "The header 'Mcp-Name' says 'x', and the body 'n'" },
    ],
    [{ ...VERSION, 'mcp-method': 'tools/call' }, 'tools/call', { _meta, name: 7 }],
    [{ ...VERSION, 'mcp-method': 'resources/read', 'mcp-name': 'u' }, 'resources/read', { _meta, uri: 'u', name: 'n' }],
    [
      { ...VERSION, 'mcp-method': 'resources/read' },
      'resources/read',
      { _meta, uri: 'u' },
      { code: -32020, message: "The header 'Mcp-Name' is missing: wanted 'u'" },
    ],
    [{ ...VERSION, 'mcp-method': 'm' }, 'm', { _meta, name: 'n', uri: 'u' }],
    [{ ...VERSION, 'mcp-method': 'tools/call', 'mcp-name': '=?base64?w6k=?=' }, 'tools/call', { _meta, name: 'é' }],
    [
      { ...VERSION, 'mcp-method': 'tools/call', 'mcp-name': 'x=?base64?bg==?=' },
      'tools/call',
      { _meta, name: 'n' },
      { code: -32020, message: "The header 'Mcp-Name' says 'x=?base64?bg==?=', and the body 'n'" },
    ],
    [
      { ...VERSION, 'mcp-method': 'tools/call', 'mcp-name': '=?base64?bg==?=x' },
      'tools/call',
      { _meta, name: 'n' },
      { code: -32020, message: "The header 'Mcp-Name' says '=?base64?bg==?=x', and the body 'n'" },
    ],
    [
      { ...VERSION, 'mcp-method': 'tools/call', 'mcp-name': '=?base64?%%%?=' },
      'tools/call',
      { _meta, name: 'n' },
      { code: -32020, message: "The header 'Mcp-Name' says '=?base64?%%%?=', and the body 'n'" },
    ],
    [
      { ...VERSION, 'mcp-method': 'tools/call', 'mcp-name': '=?base64?/w==?=' },
      'tools/call',
      { _meta, name: '�' },
      { code: -32020, message: "The header 'Mcp-Name' says '=?base64?/w==?=', and the body '�'" },
    ],
    [{ ...VERSION, 'mcp-method': 'tools/call', 'mcp-name': '=?base64?77u/bg==?=' }, 'tools/call', { _meta, name: 'n' }],
    [{ ...VERSION, 'mcp-method': 'tools/call', 'mcp-name': '=?base64??=' }, 'tools/call', { _meta, name: '' }],
  ])('with the headers %j, the method %s and the params %j is checked', (headers, method, params, error) => {
    const found = findEnvelopeError(new Headers(headers), { kind: 'request', id: 1, method, params })
    expect(found).toEqual(error && { kind: 'error', status: 400, ...error })
  })

  it('of a notification has a method', () => {
    expect(findMethodMismatch(new Headers({ 'mcp-method': 'm' }), 'm')).toBeUndefined()
    expect(findMethodMismatch(new Headers(), 'm')?.message).toBe("The header 'Mcp-Method' is missing: wanted 'm'")
  })

  it('is reported in messages of limited length', () => {
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

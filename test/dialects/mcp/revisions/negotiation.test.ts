import { describe, expect, it } from 'vitest'
import { ok } from '../../../../src/core/failure/failure.ts'
import type { Seal } from '../../../../src/core/call/seal.ts'
import type { JsonObject } from '../../../../src/core/tool/json.ts'
import { revision2026 } from '../../../../src/dialects/mcp/revisions/2026-07-28.ts'
import { negotiateRevision, negotiateBatchRevision } from '../../../../src/dialects/mcp/revisions/negotiation.ts'
import { revision2025November, revisionsUntil2025 } from '../../../../src/dialects/mcp/revisions/until-2025-11-25.ts'
import { toResult } from '../../../../src/dialects/mcp/wire.ts'

const server = { name: 's', title: 'S', version: '1' }
const seal: Seal = { seal: async () => ok(''), unseal: async () => ok(undefined) }
const revisions = {
  beforeNovember2025: revisionsUntil2025(server),
  of2025November: revision2025November(server),
  from2026: revision2026(server, seal),
}
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const NEW = { 'mcp-protocol-version': '2026-07-28' }
const OLD = { 'mcp-protocol-version': '2025-06-18' }

/** The revision of a message, by the name of its lists, or what is wrong, as its code and message. */
function revision(
  headers: Record<string, string>,
  kind: 'request' | 'notification',
  method: string,
  params: JsonObject = {},
) {
  const message = kind === 'request' ? { kind, id: 1, method, params } : { kind, method, params }
  const found = negotiateRevision(new Headers(headers), message, revisions)
  return found.kind === 'error' ? [found.code, found.message] : found.format
}

describe('the revision of a message', () => {
  it.each([
    ['nothing', {}, 'request', 'initialize', {}, 'mcp-until-2025-11-25'],
    ['nothing, and _meta of its own', {}, 'request', 'm', { _meta: {} }, 'mcp-until-2025-11-25'],
    ['nothing, and _meta that is none', {}, 'request', 'm', { _meta: 7 }, 'mcp-until-2025-11-25'],
    ['an older version', OLD, 'request', 'tools/list', {}, 'mcp-until-2025-11-25'],
    ['an older version', OLD, 'notification', 'm', {}, 'mcp-until-2025-11-25'],
    ['the last of them', { 'mcp-protocol-version': '2025-11-25' }, 'request', 'tools/list', {}, 'mcp-2025-11-25'],
    ['its version in _meta', { ...NEW, 'mcp-method': 'm' }, 'request', 'm', { _meta }, 'mcp-2026-07-28'],
    ['its version in the header', NEW, 'notification', 'm', {}, 'mcp-2026-07-28'],
    ['its version in _meta alone', {}, 'notification', 'm', { _meta }, 'mcp-2026-07-28'],
    ['its version and method', { ...NEW, 'mcp-method': 'm' }, 'notification', 'm', {}, 'mcp-2026-07-28'],
  ] as const)(
    'negotiates from %s, %j, and the %s %s with %j the revision %s',
    (_, headers, kind, method, params, format) => {
      expect(revision(headers, kind, method, params)).toBe(format)
    },
  )

  it.each([
    [
      { 'mcp-protocol-version': '1999-01-01' },
      'request',
      'm',
      {},
      [
        -32022,
        "The protocol version '1999-01-01' is not supported: wanted one of 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05, 2024-10-07",
      ],
    ],
    [
      { ...NEW, 'mcp-method': 'x' },
      'notification',
      'm',
      {},
      [-32020, "The header 'Mcp-Method' says 'x', and the body 'm'"],
    ],
    [
      NEW,
      'request',
      'initialize',
      {},
      [-32020, "The header 'MCP-Protocol-Version' says '2026-07-28', which has no 'initialize'"],
    ],
    [
      NEW,
      'request',
      'm',
      {},
      [-32602, "'_meta' must have 'io.modelcontextprotocol/protocolVersion', which is a string"],
    ],
    [NEW, 'request', 'initialize', { _meta }, [-32020, "The header 'Mcp-Method' is missing: wanted 'initialize'"]],
    [{}, 'request', 'm', { _meta }, [-32020, "The header 'MCP-Protocol-Version' is missing: wanted '2026-07-28'"]],
  ] as const)('rejects %j with a %s of %s with %j', (headers, kind, method, params, error) => {
    expect(revision(headers, kind, method, params)).toEqual(error)
  })

  it('negotiates a revision before 2026 for a batch', () => {
    for (const headers of [{}, OLD])
      expect(negotiateBatchRevision(new Headers(headers), revisions)).toBe(revisions.beforeNovember2025)
    for (const headers of [NEW, { 'mcp-protocol-version': 'x' }]) {
      expect(negotiateBatchRevision(new Headers(headers), revisions)).toEqual({
        kind: 'error',
        code: -32600,
        message: 'This revision has no batches',
        status: 400,
      })
    }
  })
})

describe('the responses of a revision', () => {
  it('answers initialize with the server, and the requested version if it is known', () => {
    const { beforeNovember2025: until2025, from2026 } = revisions
    const said = { capabilities: { tools: {} }, instructions: 'How to use it' }
    const initialized = (protocolVersion: string) => toResult({ protocolVersion, serverInfo: server, ...said })
    expect(until2025.discover({ protocolVersion: '2024-11-05' }, said)).toEqual(initialized('2024-11-05'))
    expect(until2025.discover({}, said)).toEqual(initialized('2025-11-25'))
    expect(from2026.discover({}, said)).toEqual(
      toResult({
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        ...said,
        ttlMs: 5000,
        cacheScope: 'private',
        _meta: { 'io.modelcontextprotocol/serverInfo': server },
      }),
    )
  })

  it('begins a session only for a client that can show URLs', () => {
    const { beforeNovember2025: until2025, from2026 } = revisions
    const said = { capabilities: {}, instructions: '' }
    const begin = (params: JsonObject, revision = until2025) =>
      revision.discover(params, said).headers?.['mcp-session-id']
    const capabilities = { elicitation: { url: {} } }
    const sessionId = expect.stringMatching(/^[\da-f-]{36}\.elicitation-url$/)
    expect(begin({ capabilities })).toEqual(sessionId)
    expect(begin({ protocolVersion: '2025-11-25', capabilities })).toEqual(sessionId)
    expect(begin({ protocolVersion: '2025-06-18', capabilities })).toBeUndefined()
    for (const none of [undefined, 7, {}, { elicitation: {} }, { elicitation: { url: 7 } }]) {
      expect(begin({ capabilities: none })).toBeUndefined()
    }
    expect(begin({ capabilities }, from2026)).toBeUndefined()
  })

  it('formats results with the _meta of the revision', () => {
    const { beforeNovember2025: until2025, from2026 } = revisions
    const own = { 'io.modelcontextprotocol/serverInfo': server }
    const modern = { resultType: 'complete', a: 1 }
    expect(until2025.createResult({ a: 1 })).toEqual(toResult({ a: 1 }))
    expect(until2025.createResult({ a: 1 }, { b: 2 })).toEqual(toResult({ a: 1, _meta: { b: 2 } }))
    expect(until2025.formatToolList('"a":1')).toBe('{"a":1}')
    expect(from2026.createResult({ a: 1 })).toEqual(toResult({ ...modern, _meta: own }))
    expect(from2026.createResult({ a: 1 }, { b: 2 })).toEqual(toResult({ ...modern, _meta: { b: 2, ...own } }))
    expect(JSON.parse(from2026.formatToolList('"a":1'))).toEqual({
      resultType: 'complete',
      a: 1,
      ttlMs: 5000,
      cacheScope: 'private',
      _meta: own,
    })
    expect([until2025.statuses, from2026.statuses]).toEqual([{ 'route-unknown': 200 }, {}])
  })

  it.each([
    [null, undefined, undefined],
    [{}, 1, undefined],
    [true, 1, undefined],
    [false, 1, { result: 1 }],
    [{ type: 'object' }, 1, 1],
    [{ type: 'string' }, 1, { result: 1 }],
  ] as const)(
    'gives a value of the output %j as the structured content %j, and before 2026 as %j',
    (output, modern, legacy) => {
      expect(revisions.from2026.toStructuredContent(1, output)).toEqual(modern)
      expect(revisions.beforeNovember2025.toStructuredContent(1, output)).toEqual(legacy)
    },
  )

  it('gives a value of any output as structured content if the revision allows it', () => {
    expect(revisions.from2026.toStructuredContent(null, {})).toBeUndefined()
    expect(revisions.from2026.toStructuredContent(null, { type: 'null' })).toBe(null)
    expect(revisions.beforeNovember2025.toStructuredContent({}, {})).toEqual({})
    expect(revisions.beforeNovember2025.toStructuredContent([], {})).toBeUndefined()
  })
})

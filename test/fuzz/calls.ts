import { toNameRef, toRefKey } from '../../src/core/tool/tool-ref.ts'
import { expect } from 'vitest'
import type { CallRequest, CallOutcome } from '../../src/core/call/call-request.ts'
import type { Failure } from '../../src/core/failure/failure.ts'
import { isJsonObject } from '../../src/core/tool/json.ts'
import * as machineContext from '../../src/dialects/machine-context/wire.ts'
import { negotiateRevision } from '../../src/dialects/mcp/revisions/negotiation.ts'
import { revision2026 } from '../../src/dialects/mcp/revisions/2026-07-28.ts'
import { revision2025November, revisionsUntil2025 } from '../../src/dialects/mcp/revisions/until-2025-11-25.ts'
import {
  formatResponse,
  toResult,
  decodeToolCall,
  formatErrorResponse,
  type McpError,
  readMessage,
} from '../../src/dialects/mcp/wire.ts'
import { toFailureResponse } from '../../src/dialects/open-tool-calling/failure.ts'
import * as rfc from '../../src/dialects/open-tool-calling/wire.ts'
import { STATUS as OXP_STATUS } from '../../src/dialects/oxp/failure.ts'
import * as oxp from '../../src/dialects/oxp/wire.ts'
import { STATUS as PLUGIN_STATUS } from '../../src/dialects/plugin/failure.ts'
import * as plugin from '../../src/dialects/plugin/wire.ts'
import { createKeyring } from '../../src/storage/sealing/keyring.ts'
import { createStateSeal } from '../../src/storage/sealing/state-seal.ts'
import { setUp } from '../dialects/mcp/set-up.ts'
import { MCP_MESSAGES, MCP_PARAMS, MESSAGE, OXP_CALL, PLUGIN_CALL, RFC_BARE, RFC_CALL } from './examples.ts'
import { values } from './mutations.ts'
import { expectWords, row, type Row, written } from './row.ts'

/** Creates the outcome of a call that returns its input. */
const echoed = ({ callId = 'made', input }: Pick<CallRequest, 'callId' | 'input'>): CallOutcome => ({
  callId,
  durationMs: 1,
  result: { ok: true, value: input },
})

/** Checks an error response for a client's fault. */
function refused(status: number, body: unknown): false {
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expectWords(JSON.stringify(written(body)))
  return false
}

function expectCall({ toolRef, input, callId, traceId }: Omit<CallRequest, 'context'>): void {
  expect(typeof toRefKey(toolRef)).toBe('string')
  expect(isJsonObject(input)).toBe(true)
  for (const id of [callId, traceId]) if (id !== undefined) expect(typeof id).toBe('string')
}

const STAMP = { messageId: 'n', timestamp: '2026-01-01T00:00:00.000Z' }
const SERVER = { name: 'switchboard', title: 'Switchboard', version: '1.0.0' }
const seal = createStateSeal({ sealer: createKeyring(['of the tests'], 'state'), now: Date.now })
const REVISIONS = {
  beforeNovember2025: revisionsUntil2025(SERVER),
  of2025November: revision2025November(SERVER),
  from2026: revision2026(SERVER, seal),
}

export const calls: readonly Row[] = [
  row('a call over OXP', values([OXP_CALL, { $schema: 'urn:oxp:1.0', request: OXP_CALL }]), (body) => {
    const call = oxp.decodeCall(body)
    if ('ok' in call) return refused(statusIn(OXP_STATUS, call.failure), oxp.encodeFailure(call.failure, 'enveloped'))
    expectCall(call)
    expect(written(oxp.encodeOutcome(echoed(call), 'enveloped'))).toMatchObject({
      result: { value: written(call.input) },
    })
    return true
  }),
  row('a call over the RFC', values([RFC_CALL, RFC_BARE]), (body) => {
    const read = rfc.decodeInvocation(body)
    if ('ok' in read) {
      const answer = toFailureResponse(read.failure)
      return refused(answer.kind === 'http-error' ? answer.status : 400, answer)
    }
    expectCall(read)
    expect(written(rfc.encodeOutcome(echoed(read), new Date(0)))).toMatchObject({ success: true })
    return true
  }),
  row('a call over the Machine Context Protocol', values([MESSAGE]), (body) => {
    const call = machineContext.decodeCall(body)
    const to = machineContext.createReplyHeader(body)
    if ('ok' in call) {
      const status = machineContext.getStatus(call.failure)
      return refused(status === 200 ? 400 : status, machineContext.encodeFailure(call.failure, to, STAMP))
    }
    expectCall(call)
    expect(written(machineContext.encodeOutcome(echoed(call), to, STAMP))).toMatchObject({
      header: { messageType: 'response' },
    })
    return true
  }),
  row('a call over the plugin schema', values([PLUGIN_CALL]), (body) => {
    const call = plugin.decodeCall(body)
    if ('ok' in call) return refused(statusIn(PLUGIN_STATUS, call.failure), plugin.encodeFailure(call.failure))
    expectCall({ toolRef: toNameRef(call.name), input: call.input })
    expect(written(plugin.encodeOutcome(echoed(call)))).toMatchObject({ content: [{ type: 'text' }] })
    return true
  }),
  row('the params of a call over MCP', values([MCP_PARAMS]), (params) => {
    if (!isJsonObject(params)) return false
    const call = decodeToolCall(params)
    if (call.kind === 'error') return isMcpError(call)
    expectCall({
      toolRef: toNameRef(call.name),
      input: call.input,
      ...(call.callId === undefined ? {} : { callId: call.callId }),
    })
    written(JSON.parse(formatResponse(1, toResult(call.input))))
    return true
  }),
  ...(['2026-07-28', '2025-11-25', '2025-03-26', ''] as const).map((version) =>
    row(`a message of MCP under the header '${version}'`, values(MCP_MESSAGES), (value) => {
      const message = readMessage(value)
      if (message.kind === 'malformed')
        return isMcpError({ kind: 'error', code: -32600, message: message.message, status: 400 })
      if (message.kind === 'response') return true
      const named = isJsonObject(message.params) && typeof message.params.name === 'string' ? message.params.name : ''
      const headers = new Headers(version === '' ? {} : { 'mcp-protocol-version': version })
      headers.set('mcp-method', headerOf(message.method))
      headers.set('mcp-name', headerOf(named))
      const revision = negotiateRevision(headers, message, REVISIONS)
      if (revision.kind === 'error') return isMcpError(revision)
      if (message.kind === 'notification') return true
      const answer = revision.discover(message.params, { capabilities: {}, instructions: '' })
      return answer.kind === 'error' ? isMcpError(answer) : Boolean(JSON.parse(formatResponse(1, answer)))
    }),
  ),
  row('a body over MCP, through its route', values(MCP_MESSAGES), async (body) => {
    const method = isJsonObject(body) && typeof body.method === 'string' ? body.method : ''
    const isModern = JSON.stringify(body).includes('2026-07-28')
    const headers = isModern ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': headerOf(method) } : {}
    const response = await router.request(body, { ...headers, 'mcp-name': 'echo' })
    expect(response.status).toBeLessThan(500)
    const text = await response.text()
    expectWords(`${response.status} ${text.replaceAll(JSON.stringify(body), '')}`)
    return response.status < 300
  }),
]

const router = setUp()

/** Encodes a header as the specification requires of clients ("Header value encoding"). */
function headerOf(text: string): string {
  return /^[\x21-\x7e]*$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

function isMcpError(error: McpError): false {
  expect(error.code).toBeLessThan(0)
  expect(error.status).toBeLessThan(500)
  expectWords(error.message)
  expect(JSON.parse(formatErrorResponse(1, error))).toMatchObject({ error: { code: error.code } })
  return false
}

function statusIn(statuses: Readonly<Record<Failure['type'], number>>, { type }: Failure): number {
  return statuses[type]
}

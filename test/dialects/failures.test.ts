import { describe, expect, it } from 'vitest'
import { type Failure, type FailureType, fail, ok } from '../../src/core/failure/failure.ts'
import type { Seal } from '../../src/core/call/seal.ts'
import { encodeOutcome as encodeMachineContext, NO_SENDER, getStatus } from '../../src/dialects/machine-context/wire.ts'
import { toMcpFailure as encodeMcp } from '../../src/dialects/mcp/tools-call.ts'
import { revision2026 } from '../../src/dialects/mcp/revisions/2026-07-28.ts'
import { revisionsUntil2025 } from '../../src/dialects/mcp/revisions/until-2025-11-25.ts'
import { toFailureResponse } from '../../src/dialects/open-tool-calling/failure.ts'
import { STATUS as OXP } from '../../src/dialects/oxp/failure.ts'
import { encodeOutcome as encodeOxp } from '../../src/dialects/oxp/wire.ts'
import { STATUS as PLUGIN } from '../../src/dialects/plugin/failure.ts'
import { encodeFailure as encodePlugin } from '../../src/dialects/plugin/wire.ts'
import { FAILURES } from './machine-context/failures.ts'

type Face = 'oxp' | 'rfc' | 'machine-context' | 'plugin' | 'mcp-legacy' | 'mcp-modern'

/**
 * Each failure's status in each face; a status of 200 is an answer whose body says what failed. A new failure does not
 * compile until it stands here.
 */
const STATUS: Readonly<
  Record<
    FailureType,
    readonly [oxp: number, rfc: number, mc: number, plugin: number, mcpLegacy: number, mcpModern: number]
  >
> = {
  'request-malformed': [400, 400, 400, 400, 400, 400],
  'body-timed-out': [408, 408, 408, 408, 408, 408],
  'body-too-large': [413, 413, 413, 413, 413, 413],
  'media-type-unsupported': [415, 415, 415, 415, 415, 415],
  'protocol-version-unsupported': [400, 400, 400, 400, 400, 400],
  'misdirected': [421, 421, 421, 421, 421, 421],
  'route-unknown': [404, 404, 404, 404, 200, 404],
  'method-not-allowed': [405, 405, 405, 405, 405, 405],
  'unauthenticated': [401, 401, 401, 401, 401, 401],
  'forbidden': [403, 403, 403, 403, 403, 403],
  'rate-limited': [429, 429, 429, 429, 429, 429],
  'id-malformed': [400, 200, 200, 400, 200, 200],
  'tool-unknown': [400, 200, 200, 404, 200, 200],
  'version-unavailable': [400, 200, 200, 404, 200, 200],
  'tool-disabled': [400, 200, 200, 404, 200, 200],
  'tool-not-executable': [400, 200, 200, 404, 200, 200],
  'tool-untrusted': [400, 200, 200, 200, 200, 200],
  'requirements-missing': [400, 200, 200, 200, 200, 200],
  'approval-required': [400, 200, 200, 200, 200, 200],
  'input-invalid': [422, 200, 200, 200, 200, 200],
  'tool-failed': [200, 200, 200, 200, 200, 200],
  'tool-timed-out': [200, 200, 200, 200, 200, 200],
  'output-invalid': [200, 200, 200, 200, 200, 200],
  'select-invalid': [400, 200, 200, 200, 200, 200],
  'select-failed': [200, 200, 200, 200, 200, 200],
  'output-elsewhere': [200, 200, 200, 200, 200, 200],
  'output-too-large': [200, 200, 200, 200, 200, 200],
  'cancelled': [200, 200, 200, 200, 200, 200],
  'outcome-unknown': [200, 200, 200, 200, 200, 200],
  'input-required': [200, 200, 200, 200, 200, 200],
  'definition-invalid': [422, 422, 422, 422, 200, 200],
  'conflict': [409, 409, 409, 409, 200, 200],
  'precondition-failed': [412, 412, 412, 412, 200, 200],
  'not-found': [404, 404, 404, 404, 200, 200],
  'gone': [410, 410, 410, 410, 200, 200],
  'unavailable': [503, 503, 503, 503, 503, 503],
  'internal': [500, 500, 200, 500, 500, 500],
}

const server = { name: 's', title: 'S', version: '1' }
const seal: Seal = { seal: async () => ok(''), unseal: async () => ok(undefined) }
const stamp = { messageId: 'm', timestamp: '2026-01-01T00:00:00.000Z' }

interface Answer {
  readonly status: number
  /** What the body says failed, from where the dialect says it. */
  readonly said: unknown
}

/** How each face answers a failure. */
const FACES: Readonly<Record<Face, (failure: Failure) => Answer>> = {
  'oxp': (failure) => {
    const body = Object(encodeOxp({ callId: 'c', durationMs: 1, result: fail(failure) }, 'enveloped'))
    return { status: OXP[failure.type], said: body.result?.error.message ?? body.message }
  },
  'rfc': (failure) => {
    const answer = toFailureResponse(failure)
    if (!('output' in answer)) return { status: answer.status, said: answer.message }
    const output = Object(answer.output)
    return { status: 200, said: output.error?.message ?? output.requires_authorization?.url }
  },
  'machine-context': (failure) => {
    const body = Object(encodeMachineContext({ callId: 'c', durationMs: 1, result: fail(failure) }, NO_SENDER, stamp))
    return { status: getStatus(failure), said: (body.error ?? body.payload.execution.error).message }
  },
  'plugin': (failure) => {
    const { isError, content } = encodePlugin(failure)
    return { status: PLUGIN[failure.type], said: isError && Object(content[0]).text }
  },
  'mcp-legacy': (failure) => mcp(encodeMcp(failure, revisionsUntil2025(server))),
  'mcp-modern': (failure) => mcp(encodeMcp(failure, revision2026(server, seal))),
}

function mcp(result: ReturnType<typeof encodeMcp>): Answer {
  if (result.kind === 'error') return { status: result.status, said: result.message }
  const { isError, content } = JSON.parse(result.text)
  return { status: 200, said: isError && content[0].text }
}

describe('each failure in each face', () => {
  const rows = Object.values(FAILURES).flatMap((failure) =>
    Object.entries(FACES).map(([router, answer], column) => ({ type: failure.type, router, failure, answer, column })),
  )

  it.each(rows)('$type in $router has its status, and says what failed', ({ type, failure, answer, column }) => {
    const { status, said } = answer(failure)
    expect(status).toBe(STATUS[type][column])
    expect(said).toEqual(expect.stringMatching(/\S.{3,}/))
    expect(said).not.toMatch(/undefined|\[object|NaN/)
  })

  it('speaks of every failure there is', () => {
    expect(Object.keys(FAILURES).sort()).toEqual(Object.keys(STATUS).sort())
  })
})

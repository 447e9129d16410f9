import { describe, expect, it } from 'vitest'
import { type Failure, fail } from '../../src/core/failure/failure.ts'
import { encodeOutcome as encodeMachineContext, getStatus, NO_SENDER } from '../../src/dialects/machine-context/wire.ts'
import { revisionsUntil2025 } from '../../src/dialects/mcp/revisions/until-2025-11-25.ts'
import { toMcpFailure } from '../../src/dialects/mcp/failure-response.ts'
import { formatResponse } from '../../src/dialects/mcp/wire.ts'
import { toFailureResponse } from '../../src/dialects/open-tool-calling/failure.ts'
import { STATUS as OXP_STATUS } from '../../src/dialects/oxp/failure.ts'
import { encodeOutcome as encodeOxp } from '../../src/dialects/oxp/wire.ts'
import { STATUS as PLUGIN_STATUS } from '../../src/dialects/plugin/failure.ts'
import { encodeFailure as encodePlugin } from '../../src/dialects/plugin/wire.ts'
import { formatLine, TABLE } from './failure-table.ts'
import { FAILURES, VARIANTS } from './failures.ts'

const server = { name: 's', title: 'S', version: '1' }
const stamp = { messageId: 'm', timestamp: '2026-01-01T00:00:00.000Z' }

/** How each dialect answers a failure, as the table writes it: the status, then the part of the body that says what failed. */
const DIALECTS: Readonly<Record<string, (failure: Failure) => readonly [status: number, ...said: unknown[]]>> = {
  'oxp': (failure) => {
    const { $schema, result, ...body } = Object(encodeOxp({ ...outcome, result: fail(failure) }, 'enveloped'))
    expect($schema).toBe('urn:oxp:1.0')
    expect(result?.success).not.toBe(true)
    return [OXP_STATUS[failure.type], result?.error ?? body]
  },
  'open-tool-calling': (failure) => {
    const answer = toFailureResponse(failure)
    if (answer.kind === 'response') return [200, answer.output]
    const { kind: _, status, ...body } = answer
    return [status, body]
  },
  'machine-context': (failure) => {
    const { error, payload } = Object(encodeMachineContext({ ...outcome, result: fail(failure) }, NO_SENDER, stamp))
    if (error) return [getStatus(failure), error]
    return [getStatus(failure), payload.execution.status, payload.execution.error]
  },
  'plugin': (failure) => {
    const { content, isError } = encodePlugin(failure)
    expect([isError, content.length]).toEqual([true, 1])
    return [PLUGIN_STATUS[failure.type], Object(content[0]).text]
  },
  'mcp': (failure) => {
    const result = toMcpFailure(failure, revisionsUntil2025(server))
    const { error, result: body } = JSON.parse(formatResponse(1, result))
    if (result.kind === 'error') return [result.status, error]
    const { isError, content, ...meta } = body
    expect(isError).toBe(true)
    return [200, content[0].text, ...content.slice(1), meta]
  },
}
const outcome = { callId: 'c', durationMs: 1 }

const rows = [...Object.values(FAILURES), ...VARIANTS].map((failure) => [JSON.stringify(failure), failure] as const)

describe('failures.txt', () => {
  it.each(rows)('contains the response of each dialect to %s', (title, failure) => {
    const lines = Object.entries(DIALECTS).map(([dialect, answer]) => formatLine(dialect, ...answer(failure)))
    expect(TABLE.get(title)).toEqual(lines)
  })

  it('contains no other failures, no value that is not text, and no trailing period', () => {
    expect([...TABLE.keys()]).toEqual(rows.map(([title]) => title))
    expect([...TABLE.values()].join()).not.toMatch(/undefined|\[object|NaN|[^.]\."/)
  })
})

it.each(Object.entries(DIALECTS))('%s truncates long ids', (_, answer) => {
  for (const type of ['id-malformed', 'tool-unknown'] as const) {
    const text = JSON.stringify(answer({ type, ref: 'x'.repeat(201), suggestions: [] }))
    expect(text.match(/x{100,}/g)?.map(({ length }) => length)).toEqual(expect.arrayContaining([200]))
    expect(text).not.toMatch(/x{201}/)
  }
})

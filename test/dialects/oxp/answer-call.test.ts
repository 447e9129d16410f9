import { describe, expect, it } from 'vitest'
import type { CallOutcome } from '../../../src/core/call/call-request.ts'
import { fail } from '../../../src/core/failure/failure.ts'
import type { Progress } from '../../../src/core/call/progress.ts'
import { respondWithStream } from '../../../src/dialects/oxp/answer-call.ts'
import { callerWith, callWith } from '../../core/call/fakes.ts'
import { eventsOf, restOf } from '../../e2e/events.ts'

const ENVELOPED = {
  $schema: 'urn:oxp:1.0',
  result: { call_id: 'call', success: true, duration: 12, value: 3 },
}
const done: CallOutcome['result'] = { ok: true, value: 3 }

interface Given {
  readonly form?: 'enveloped' | 'bare'
  /** The tool's progress reports. */
  readonly reports?: readonly Progress[]
  readonly result?: CallOutcome['result']
  readonly limitStatuses?: CallOutcome['limitStatuses']
}

function answer({ form = 'enveloped', reports = [], result = done, limitStatuses }: Given) {
  const request = new Request('https://x.test/tools/call', { method: 'POST' })
  return respondWithStream(request, callWith(), callerWith(), form, async (_, { progress }) => {
    for (const report of reports) progress?.(report)
    await new Promise((later) => setTimeout(later))
    return { callId: 'call', durationMs: 12, result, ...(limitStatuses ? { limitStatuses } : {}) }
  })
}

const events = async (given: Given) => {
  const response = await answer({ reports: [{ progress: 1 }], ...given })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  return { headers: response.headers, all: await restOf(eventsOf(response)) }
}

describe('progress', () => {
  const reports = [{ progress: 1 }, { progress: 2, total: 2, message: 'Two\nlines' }]

  it('sends progress events before the event with the body', async () => {
    const { all, headers } = await events({ reports })
    expect(all).toEqual([
      { event: 'progress', data: { progress: 1 } },
      { event: 'progress', data: { progress: 2, total: 2, message: 'Two\nlines' } },
      { event: 'result', data: ENVELOPED },
    ])
    expect(headers.has('oxp-version')).toBe(false)
  })

  it('sends progress events before a bare body', async () => {
    const { all, headers } = await events({ reports, form: 'bare' })
    expect(all.at(-1)).toEqual({ event: 'result', data: ENVELOPED.result })
    expect(headers.get('oxp-version')).toBe('1.0')
  })
})

describe('a call without progress', () => {
  it('is answered with JSON', async () => {
    const response = await answer({ form: 'bare', limitStatuses: [{ name: 'tool', quota: 2, remaining: 1 }] })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('ratelimit')).toBe('"tool-at-once";r=1')
    const limited = await answer({ result: fail({ type: 'rate-limited', retry_after_ms: 1_500 }) })
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '2'])
  })
})

describe('a failure after progress', () => {
  it("sends the tool's failure after progress as a result", async () => {
    const { all } = await events({ result: fail({ type: 'tool-failed', message: 'No' }) })
    expect(all.slice(1)).toMatchObject([
      { event: 'result', data: { result: { success: false, error: { message: 'No' } } } },
    ])
  })

  it('sends the status of a failure after progress before its body', async () => {
    const internal = await events({ result: fail({ type: 'internal', reference: 'r' }) })
    expect(internal.all.slice(1)).toEqual([
      { event: 'status', data: { status: 500 } },
      {
        event: 'result',
        data: {
          $schema: 'urn:oxp:1.0',
          message: 'Something went wrong on our side',
          developer_message: "Reference 'r'",
        },
      },
    ])
    const away = await events({ result: fail({ type: 'unavailable', message: 'Away' }) })
    expect(away.all[1]).toEqual({ event: 'status', data: { status: 503, retry_after: 1 } })
  })
})

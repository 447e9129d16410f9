import { describe, expect, it } from 'vitest'
import type { AuditAction, AuditEvent } from '../../../src/core/access/audit-entry.ts'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { type FailureResult, fail } from '../../../src/core/failure/failure.ts'
import { createDenialLog, writeAudit } from '../../../src/http/route/audit.ts'
import { createRouter, type AddAuditDetails, NO_INPUT } from '../../../src/http/route/router.ts'
import { authorizerFor } from '../authorizer-for.ts'

function context(path = '/keys/k1?x=secret', headers: Record<string, string> = {}) {
  const raw = new Request(`https://sb.example${path}`, { method: 'DELETE', headers })
  return { req: { raw }, executionCtx: { waitUntil: () => undefined } }
}
const DONE = { act: 'key.remove', principal: ADMIN, outcome: 'success', status: 204 } as const

describe('an audit event', () => {
  it('has the principal, action and request, without the query', () => {
    const events: AuditEvent[] = []
    writeAudit(
      context('/keys/k1?x=secret', { 'cf-connecting-ip': '192.0.2.1' }),
      (event) => void events.push(event),
      5,
      DONE,
    )
    expect(JSON.parse(JSON.stringify(events))).toEqual([
      {
        at: 5,
        act: 'key.remove',
        principal: 'admin',
        method: 'DELETE',
        path: '/keys/k1',
        address: '192.0.2.1',
        outcome: 'success',
        status: 204,
      },
    ])
  })

  it('leaves the id of an authorization out of its path', () => {
    const events: AuditEvent[] = []
    writeAudit(context('/authorizations/abc-def/start'), (event) => void events.push(event), 5, DONE)
    expect(events[0]?.path).toBe('/authorizations/…/start')
    expect(JSON.stringify(events)).not.toContain('abc-def')
  })
})

describe('a route', () => {
  const removeKey = async (
    auditAction: AuditAction | undefined,
    handle: (addAuditDetails: AddAuditDetails) => Promise<Response | FailureResult>,
  ) => {
    const events: AuditEvent[] = []
    const { router, on } = createRouter<{ 'DELETE /keys/:id': undefined }>({
      authorize: authorizerFor(ADMIN),
      respond: () => new Response(null, { status: 404 }),
      writeAuditEntry: (event: AuditEvent) => void events.push(event),
    })
    const operation = { ...NO_INPUT, responses: {}, scope: 'admin' } as const
    const audited = auditAction === undefined ? operation : { ...operation, auditAction }
    on('DELETE /keys/:id', 'Remove a key', audited)(({ addAuditDetails }) => handle(addAuditDetails))
    return { events, response: await router.request('https://sb.example/keys/k1', { method: 'DELETE' }) }
  }

  it('writes an audit event with its action and the details that the handler adds', async () => {
    const { events, response } = await removeKey('key.remove', async (addAuditDetails) => {
      addAuditDetails({ id: 'k1' })
      return new Response(null, { status: 204 })
    })
    expect(response.status).toBe(204)
    expect(events).toMatchObject([{ act: 'key.remove', outcome: 'success', status: 204, about: { id: 'k1' } }])
  })

  it('writes the type of a failure as the outcome', async () => {
    const { events } = await removeKey('key.remove', async () => fail({ type: 'not-found', message: 'No' }))
    expect(events).toMatchObject([{ act: 'key.remove', outcome: 'not-found', status: 404 }])
  })

  it('writes no audit event without an audit action', async () => {
    const { events } = await removeKey(undefined, async () => new Response())
    expect(events).toEqual([])
  })
})

describe('the log of denials', () => {
  it('writes 20 denials a second, and then the number of those dropped', () => {
    const events: AuditEvent[] = []
    let now = 10_000
    const logDenial = createDenialLog(
      (event) => void events.push(event),
      () => now,
    )
    for (let n = 0; n < 50; n++) logDenial(context(), { type: 'unauthenticated', reason: 'no' })
    expect(events).toHaveLength(20)
    now += 1_000
    logDenial(context(), { type: 'forbidden', reason: 'no' }, ADMIN)
    logDenial(context(), { type: 'rate-limited', retry_after_ms: 1 })
    expect(events.slice(20)).toMatchObject([
      { act: 'refusal', outcome: 'forbidden', status: 403, principal: 'admin', about: { not_written_down: 30 } },
      { outcome: 'rate-limited', status: 429 },
    ])
    expect(events[21]?.about).toBeUndefined()
  })

  it('leaves out requests that failed because storage cannot be reached', () => {
    const events: AuditEvent[] = []
    const logDenial = createDenialLog(
      (event) => void events.push(event),
      () => 0,
    )
    logDenial(context(), { type: 'unavailable', message: 'no' })
    expect(events).toEqual([])
  })
})

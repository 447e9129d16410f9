import { describe, expect, it } from 'vitest'
import type { AuditAction, AuditEvent } from '../../../src/core/access/audit-entry.ts'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { type FailureResult, fail } from '../../../src/core/failure/failure.ts'
import { createDenialLog, writeAudit } from '../../../src/http/route/audit.ts'
import { createRouter, type AddAuditDetails, NO_INPUT } from '../../../src/http/route/router.ts'
import { gateFor } from '../gate-for.ts'

function context(path = '/keys/k1?x=secret', headers: Record<string, string> = {}) {
  const raw = new Request(`https://sb.example${path}`, { method: 'DELETE', headers })
  return { req: { raw }, executionCtx: { waitUntil: () => undefined } }
}
const DONE = { act: 'key.remove', principal: ADMIN, outcome: 'success', status: 204 } as const

describe('an act', () => {
  it('says who did what by which request, and nothing of its query', () => {
    const acts: AuditEvent[] = []
    writeAudit(context('/keys/k1?x=secret', { 'cf-connecting-ip': '192.0.2.1' }), (act) => void acts.push(act), 5, DONE)
    expect(JSON.parse(JSON.stringify(acts))).toEqual([
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

  it('holds no half of a link', () => {
    const acts: AuditEvent[] = []
    writeAudit(context('/authorizations/abc-def/start'), (act) => void acts.push(act), 5, DONE)
    expect(acts[0]?.path).toBe('/authorizations/…/start')
    expect(JSON.stringify(acts)).not.toContain('abc-def')
  })
})

describe('a route', () => {
  const asked = async (
    act: AuditAction | undefined,
    answer: (note: AddAuditDetails) => Promise<Response | FailureResult>,
  ) => {
    const acts: AuditEvent[] = []
    const { router, on } = createRouter<{ 'DELETE /keys/:id': undefined }>({
      gate: gateFor(ADMIN),
      respond: () => new Response(null, { status: 404 }),
      writeAuditEntry: (written: AuditEvent) => void acts.push(written),
    })
    const operation = { ...NO_INPUT, answers: {}, scope: 'admin' } as const
    const named = act === undefined ? operation : { ...operation, act }
    on('DELETE /keys/:id', 'Remove a key', named)(({ note }) => answer(note))
    return { acts, response: await router.request('https://sb.example/keys/k1', { method: 'DELETE' }) }
  }

  it('that names its act has it written down with what the handler says of it', async () => {
    const { acts, response } = await asked('key.remove', async (note) => {
      note({ id: 'k1' })
      return new Response(null, { status: 204 })
    })
    expect(response.status).toBe(204)
    expect(acts).toMatchObject([{ act: 'key.remove', outcome: 'success', status: 204, about: { id: 'k1' } }])
  })

  it('that fails is written down with its failure', async () => {
    const { acts } = await asked('key.remove', async () => fail({ type: 'not-found', message: 'No' }))
    expect(acts).toMatchObject([{ act: 'key.remove', outcome: 'not-found', status: 404 }])
  })

  it('that only reads is not', async () => {
    const { acts } = await asked(undefined, async () => new Response())
    expect(acts).toEqual([])
  })
})

describe('refusals', () => {
  it('are written down, of a flood so many a second, with how many more there were', () => {
    const acts: AuditEvent[] = []
    let now = 10_000
    const refuse = createDenialLog(
      (act) => void acts.push(act),
      () => now,
    )
    for (let n = 0; n < 50; n++) refuse(context(), { type: 'unauthenticated', reason: 'no' })
    expect(acts).toHaveLength(20)
    now += 1_000
    refuse(context(), { type: 'forbidden', reason: 'no' }, ADMIN)
    refuse(context(), { type: 'rate-limited', retry_after_ms: 1 })
    expect(acts.slice(20)).toMatchObject([
      { act: 'refusal', outcome: 'forbidden', status: 403, principal: 'admin', about: { not_written_down: 30 } },
      { outcome: 'rate-limited', status: 429 },
    ])
    expect(acts[21]?.about).toBeUndefined()
  })

  it('are of whoever may not, not of storage that cannot be reached', () => {
    const acts: AuditEvent[] = []
    const refuse = createDenialLog(
      (act) => void acts.push(act),
      () => 0,
    )
    refuse(context(), { type: 'unavailable', message: 'no' })
    expect(acts).toEqual([])
  })
})

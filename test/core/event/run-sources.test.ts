import { beforeEach, describe, expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import type { CallRequest } from '../../../src/core/call/call-request.ts'
import { NO_CONTEXT } from '../../../src/core/call/requirements.ts'
import { EVENT_SOURCE, type SourceRun } from '../../../src/core/event/event-source.ts'
import { runSource, type SourceRunDeps } from '../../../src/core/event/run-sources.ts'
import { fail, type FailureResult, ok } from '../../../src/core/failure/failure.ts'
import { parseValue } from '../../../src/core/tool/json-reader.ts'
import { sha256 } from '../../../src/storage/sealing/sha256.ts'
import { callerWith } from '../call/fakes.ts'

const MINUTE_MS = 60_000
let now: number
let runs: Map<string, SourceRun>
let log: Map<string, object>
let calls: CallRequest[]
let output: unknown
let published: FailureResult | undefined
/** Ends the run at this step, as a server that is killed does. */
let killAt: 'publish' | 'note' | undefined

beforeEach(() => {
  now = Date.parse('2026-11-30T08:58:30Z')
  runs = new Map()
  log = new Map()
  calls = []
  output = { items: [1] }
  published = undefined
  killAt = undefined
})

const deps: SourceRunDeps = {
  async publish(_, cause, data) {
    if (killAt === 'publish') throw new Error('killed')
    if (published) return published
    const isNew = !log.has(cause)
    if (isNew) log.set(cause, data)
    return ok({ id: cause, isNew })
  },
  isCurrent: async () => true,
  async noteRun(run) {
    if (killAt === 'note') throw new Error('killed')
    runs.set('Acme.Source', run)
  },
  async callTool(call) {
    calls.push(call)
    const result =
      output instanceof Error
        ? fail({ type: 'tool-failed', message: output.message })
        : ({ ok: true, value: output } as const)
    return { callId: 'c', durationMs: 1, result }
  },
  findCaller: async (keyId) => (keyId === 'k1' ? callerWith({ principal: ADMIN }) : undefined),
  sha256,
  now: () => now,
}

function read(settings: object) {
  const parsed = parseValue(EVENT_SOURCE, settings)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return { id: 'Acme.Source', ...parsed.value }
}
/** The first run notes what a source has from the start: a schedule begins then, and a poll is due. */
function run(settings: object) {
  const source = read(settings)
  const last = runs.get(source.id) ?? { at: source.kind === 'schedule' ? now : 0, digest: null }
  runs.set(source.id, last)
  return runSource(source, last, deps)
}
const events = () => [...log.values()]
const DAILY = { kind: 'schedule', cron: '0 9 * * *' }
const POLL = { kind: 'poll', tool: 'Acme.List', every_minutes: 5, key_id: 'k1', arguments: { n: 1 } }

describe('a schedule', () => {
  it('creates an event at its time, and none before or after', async () => {
    for (let minute = 0; minute < 5; minute++, now += MINUTE_MS) expect(await run(DAILY)).toBeUndefined()
    expect(events()).toEqual([{ scheduled_at: '2026-11-30T09:00:00.000Z' }])
  })

  it('creates one event for all runs missed while no server ran', async () => {
    await run(DAILY)
    now += (5 * 24 * 60 + 10) * MINUTE_MS
    for (let minute = 0; minute < 3; minute++, now += MINUTE_MS) await run(DAILY)
    expect(events()).toEqual([{ scheduled_at: '2026-11-30T09:00:00.000Z' }])
  })

  it('creates one event per time even if runs are interrupted, and loses none', async () => {
    await run(DAILY)
    now += 2 * MINUTE_MS
    killAt = 'publish'
    await expect(run(DAILY)).rejects.toThrow('killed')
    killAt = 'note'
    await expect(run(DAILY)).rejects.toThrow('killed')
    killAt = undefined
    published = fail({ type: 'unavailable', message: 'not now' })
    expect(await run(DAILY)).toMatchObject({ type: 'unavailable' })
    published = undefined
    for (let minute = 0; minute < 3; minute++, now += MINUTE_MS) await run(DAILY)
    expect(log.size).toBe(1)
  })

  it('creates no events while the clock runs backward', async () => {
    await run(DAILY)
    now -= 60 * MINUTE_MS
    await run(DAILY)
    expect(log.size).toBe(0)
  })

  it('ignores the time of a run that a fast clock stored', async () => {
    now += 60 * 24 * 60 * MINUTE_MS
    await run(DAILY)
    now -= 60 * 24 * 60 * MINUTE_MS
    for (let minute = 0; minute < 5; minute++, now += MINUTE_MS) await run(DAILY)
    expect(events()).toEqual([{ scheduled_at: '2026-11-30T09:00:00.000Z' }])
  })
})

describe('a polled tool', () => {
  it('is called with its arguments at its interval, and only a changed output creates an event', async () => {
    for (let minute = 0; minute < 21; minute++, now += MINUTE_MS) {
      if (minute === 7) output = { items: [1, 2] }
      expect(await run(POLL)).toBeUndefined()
    }
    expect(calls).toHaveLength(5)
    expect(calls[0]).toMatchObject({ input: { n: 1 }, context: NO_CONTEXT })
    expect(events()).toEqual([{ value: { items: [1, 2] } }])
  })

  it('is called for its user, and compares only the selected output', async () => {
    await run({ ...POLL, user_id: 'ann', select: 'items[0]' })
    expect(calls[0]).toMatchObject({ context: { userId: 'ann' }, select: 'items[0]' })
  })

  it('ignores the order of fields', async () => {
    output = { a: 1, b: 2 }
    await run(POLL)
    output = { b: 2, a: 1 }
    now += 5 * MINUTE_MS
    await run(POLL)
    expect(log.size).toBe(0)
  })

  it('creates one event per change even if its run is interrupted, and one each time the output changes back', async () => {
    await run(POLL)
    output = { items: [2] }
    now += 5 * MINUTE_MS
    killAt = 'note'
    await expect(run(POLL)).rejects.toThrow('killed')
    killAt = undefined
    now += MINUTE_MS
    await run(POLL)
    expect(log.size).toBe(1)
    for (const items of [[1], [2], [1]]) {
      output = { items }
      now += 5 * MINUTE_MS
      await run(POLL)
    }
    expect(log.size).toBe(4)
  })

  it('reports why a call failed, calls again when it is due, and does not count a failure as a change', async () => {
    await run(POLL)
    const before = output
    output = new Error('down')
    now += 5 * MINUTE_MS
    expect(await run(POLL)).toMatchObject({ type: 'tool-failed' })
    now += MINUTE_MS
    expect(await run(POLL)).toBeUndefined()
    output = before
    now += 5 * MINUTE_MS
    expect(await run(POLL)).toBeUndefined()
    expect(calls).toHaveLength(3)
    expect(log.size).toBe(0)
  })

  it('is not called after its key is deleted', async () => {
    expect(await run({ ...POLL, key_id: 'k2' })).toMatchObject({ type: 'unauthenticated' })
    expect(calls).toHaveLength(0)
  })
})

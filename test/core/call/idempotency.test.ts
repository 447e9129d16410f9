import { expect, it } from 'vitest'
import { createCallTool } from '../../../src/core/call/call.ts'
import { type Failure, fail, UnreachableError } from '../../../src/core/failure/failure.ts'
import {
  type ClaimResult,
  type CompletedCall,
  type IdempotentCall,
  runIdempotently,
} from '../../../src/core/call/idempotency.ts'
import type { ToolSuccess } from '../../../src/core/call/runner.ts'
import { ANONYMOUS } from '../../../src/core/access/principal.ts'
import { callableOf, callerWith, callWith, challengeOf, recordWith, worldOf } from './fakes.ts'

const CALL: IdempotentCall = {
  principal: 'key:1',
  callId: 'c1',
  fingerprint: 'of what the tool is given',
  timeoutMs: 1_000,
}
const ok = (value: unknown): ToolSuccess => ({ ok: true, value })

/** Runs a call, as the idempotency store answers its claim. Gives what was run and how the claim was settled. */
async function once(
  claimed: Exclude<ClaimResult, { state: 'claimed' }> | undefined,
  run: (begins: () => void) => Promise<ToolSuccess | ReturnType<typeof fail>>,
) {
  const settled: (CompletedCall | undefined)[] = []
  const settle = async (finished: CompletedCall | undefined) => void settled.push(finished)
  let runs = 0
  let time = 100
  const deps = {
    idempotencyRecords: { claim: async () => claimed ?? ({ state: 'claimed', settle } as const) },
    now: () => (time += 7),
  }
  const counted = (begins: () => void) => ((runs += 1), run(begins))
  const finished = runIdempotently(CALL, counted, deps)
  return { finished, settled, runs: () => runs }
}

it('a call with an id runs if no one ran it before, and its outcome is stored', async () => {
  const { finished, settled, runs } = await once(undefined, async () => ok(3))
  expect(await finished).toEqual({ result: ok(3), durationMs: 7, finishedAt: 114 })
  expect(settled).toEqual([await finished])
  expect(runs()).toBe(1)
})

it('a call with an id that ran before returns the same outcome and duration', async () => {
  const before: CompletedCall = { result: ok(3), durationMs: 12, finishedAt: 40 }
  const { finished, runs } = await once({ state: 'finished', finished: before }, async () => ok(4))
  expect(await finished).toBe(before)
  expect(runs()).toBe(0)
})

it.each<[Exclude<ClaimResult, { state: 'claimed' | 'finished' }>['state'], object]>([
  ['reused', { type: 'conflict', message: expect.stringContaining("'c1'") }],
  ['unknown', { type: 'outcome-unknown', call_id: 'c1' }],
  ['unreachable', { type: 'unavailable' }],
])('a call with an id that is %s does not run', async (state, failure) => {
  const { finished, runs } = await once({ state }, async () => ok(4))
  expect((await finished).result).toMatchObject({ ok: false, failure })
  expect(runs()).toBe(0)
})

it.each<[boolean, Failure]>([
  [true, { type: 'tool-failed', message: 'm' }],
  [true, { type: 'tool-failed', message: 'm', can_retry: false }],
  [true, { type: 'tool-timed-out', timeout_ms: 1, may_have_run: true }],
  [false, { type: 'tool-timed-out', timeout_ms: 1 }],
  [true, { type: 'output-invalid', problems: [] }],
  [true, { type: 'cancelled', may_have_run: true }],
  [false, { type: 'cancelled' }],
  [false, { type: 'tool-failed', message: 'm', can_retry: true }],
  [false, { type: 'approval-required', id: 'A.B@1.0.0', reason: 'r', challenge: challengeOf('approval') }],
  [false, { type: 'forbidden', reason: 'r' }],
  [false, { type: 'input-required', requests: {} }],
  [false, { type: 'unavailable', message: 'm' }],
])('a call with an id is stored (%j) if it ended in %j', async (isKept, failure) => {
  const { finished, settled } = await once(undefined, async () => fail(failure))
  const said = await finished
  expect(said.result).toEqual(fail(failure))
  expect(settled).toEqual([isKept ? said : undefined])
})

it('a call with an id that failed before its tool started runs when it is repeated', async () => {
  const { finished, settled } = await once(undefined, async () => {
    throw new Error('storage')
  })
  await expect(finished).rejects.toThrow('storage')
  expect(settled).toEqual([undefined])
})

it('a call with an id whose run was interrupted does not run again', async () => {
  const { finished, settled } = await once(undefined, async (begins) => {
    begins()
    throw new Error('storage')
  })
  await expect(finished).rejects.toThrow('storage')
  expect(settled).toMatchObject([{ result: { failure: { type: 'outcome-unknown', call_id: 'c1' } } }])
})

const broken = async (given: Parameters<typeof worldOf>[0]) => {
  const settled: (CompletedCall | undefined)[] = []
  const settle = async (finished: CompletedCall | undefined) => void settled.push(finished)
  const { deps } = worldOf({ ...given, idempotencyRecords: { claim: async () => ({ state: 'claimed', settle }) } })
  const { result } = await createCallTool(deps)({ ...callWith({ input: { a: 1 } }), callId: 'c1' }, callerWith())
  return { result, settled }
}

it('a call that fails before its tool runs can be repeated with its id', async () => {
  let runs = 0
  const tool = callableOf({ ...recordWith({}), securityLevel: 8 }, () => ((runs += 1), ok(1)))
  const claim = () => Promise.reject(new UnreachableError('Switchboard cannot reach its vaults right now'))
  const { result, settled } = await broken({ tool, claim })
  expect(result).toEqual(fail({ type: 'unavailable', message: 'Switchboard cannot reach its vaults right now' }))
  expect([runs, settled]).toEqual([0, [undefined]])
})

it('a call that fails after its tool ran cannot be repeated with its id', async () => {
  const validateOutput = () => {
    throw new Error('A defect of ours')
  }
  const tool = { ...callableOf(recordWith({}), () => ok(1)), validateOutput }
  const { result, settled } = await broken({ tool })
  expect(result).toMatchObject({ failure: { type: 'internal' } })
  expect(settled).toMatchObject([{ result: { failure: { type: 'outcome-unknown' } } }])
})

const claims = async (given: { annotations?: object; callId?: string | undefined; anonymous?: boolean }) => {
  const asked: IdempotentCall[] = []
  const record = { ...recordWith({}), ...(given.annotations ? { annotations: { ...given.annotations } } : {}) }
  const tool = callableOf(record, () => ok(1))
  const { deps } = worldOf({
    tool,
    idempotencyRecords: {
      claim: async (call) => (asked.push(call), { state: 'claimed', settle: async () => undefined }),
    },
  })
  const { callId: _, ...call } = callWith({ input: { a: 1 } })
  const caller = callerWith(given.anonymous ? { principal: ANONYMOUS } : {})
  const id = 'callId' in given ? given.callId : 'c1'
  const outcome = await createCallTool(deps)({ ...call, ...(id === undefined ? {} : { callId: id }) }, caller)
  expect(outcome.result).toEqual(ok(1))
  return { asked, outcome }
}

it("the idempotency store is used for a call with its caller's id", async () => {
  const { asked, outcome } = await claims({})
  expect(asked).toMatchObject([
    { principal: 'admin', callId: 'c1', fingerprint: expect.stringContaining('"input":{"a":1}'), timeoutMs: 10_000 },
  ])
  expect(outcome.finishedAt).toBeTypeOf('number')
})

it.each([
  ['without an id', { callId: undefined }],
  ['of a tool that only reads', { annotations: { readOnlyHint: true } }],
  ['of a tool that may be called twice', { annotations: { idempotentHint: true } }],
  ['of somebody who is nobody in particular', { anonymous: true }],
])('the idempotency store is not used for a call %s', async (_, given) => {
  const { asked, outcome } = await claims(given)
  expect(asked).toEqual([])
  expect(outcome).not.toHaveProperty('finishedAt')
})

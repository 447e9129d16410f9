import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ADMIN, ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import type { ArtifactOwner, ArtifactStore, StorableContent } from '../../../src/core/call/artifact-store.ts'
import { createCallTool } from '../../../src/core/call/call.ts'
import type { IdempotencyRecords } from '../../../src/core/call/idempotency.ts'
import { toIdRef, toNameRef } from '../../../src/core/tool/tool-ref.ts'
import { fail } from '../../../src/core/failure/failure.ts'
import type { Run } from '../../../src/core/call/runner.ts'
import { interpretSchema, type Validate } from '../../../src/core/schema/validator.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import {
  callableOf,
  callerWith,
  callWith,
  challengeOf,
  type Given,
  type Needs,
  REACHED_AT,
  recordWith,
  type World,
  worldOf,
} from './fakes.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const value = (given: unknown) => ({ ok: true, value: given }) as const
const never = () => new Promise<never>(() => {})

async function call(needs: Needs, run: Run, given: Given = {}, world: World = {}, timeoutMs?: number) {
  const tool = callableOf(recordWith(needs), run, timeoutMs)
  const { deps, asked, defects, records } = worldOf({ tool, ...world })
  const calling = createCallTool(deps)(callWith(given), callerWith(given))
  // Whatever is waited for, nobody waits for it longer than this
  await vi.advanceTimersByTimeAsync(60_000)
  const outcome = await calling
  return { outcome, result: outcome.result, asked, defects, records }
}

const APPROVED = { securityLevel: 8 }
const MAIL = { providers: ['mail'] }
const ANN = { userId: 'ann' }
const refused = { challenge: challengeOf('mail'), reason: 'Mail refused the token' }

const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

it('a call is traced only if it leaves the deployment', async () => {
  const spansOf = async (needs: Needs, hosts?: readonly string[]) => {
    const tool = callableOf(recordWith(needs), () => value(1))
    if (!tool.runnable.ok) throw new Error('The tool cannot run')
    const { deps, spans } = worldOf({
      tool: { ...tool, runnable: { ...tool.runnable, ...(hosts ? { hosts } : {}) } },
    })
    await createCallTool(deps)(callWith({ userId: 'ann' }), callerWith())
    return spans
  }
  expect(await spansOf({})).toEqual([])
  expect(await spansOf(MAIL, ['api.example'])).toEqual([
    ['requirements', { tool: 'Example.Tool@1.0.0', call_id: expect.any(String) }],
    ['run', { tool: 'Example.Tool@1.0.0', call_id: expect.any(String) }],
  ])
})

it('a call returns its result and the called tool, and is recorded', async () => {
  const tool = callableOf({ ...recordWith({}), digest: 'd1' }, ({ input, userId }, { callId }) =>
    value([input, userId, callId]),
  )
  const { deps, records, asked, defects } = worldOf({ tool })
  const behind: unknown[] = []
  const background = () => undefined
  const writeRecord: typeof deps.writeRecord = (record, given, forOperator) => {
    expect(forOperator).toBeUndefined()
    deps.writeRecord(record, given, forOperator)
    behind.push(given)
  }
  const { callId: _, ...given } = { ...callWith({ input: { a: 1 }, userId: 'ann' }), traceId: 't1' }
  const caller = { ...callerWith(), background, traceparent: TRACEPARENT }
  expect(await createCallTool({ ...deps, writeRecord })(given, caller)).toEqual({
    callId: 'made',
    durationMs: 10,
    result: { ok: true, value: [{ a: 1 }, 'ann', 'made'] },
    tool: tool.record,
  })
  expect(records).toEqual([
    {
      at: 1005,
      call_id: 'made',
      trace_id: 't1',
      traceparent: TRACEPARENT,
      principal: 'admin',
      user_id: 'ann',
      tool: 'Example.Tool@1.0.0',
      digest: 'd1',
      dialect: 'oxp',
      outcome: 'success',
      duration_ms: 10,
    },
  ])
  expect(behind).toEqual([background])
  expect({ asked, defects }).toEqual({ asked: [], defects: [] })
  expect(vi.getTimerCount()).toBe(0)
})

it('a call of a hidden tool is recorded under the requested name', async () => {
  const tool = callableOf({ ...recordWith({}), digest: 'd1' }, () => value(1))
  const { deps: made, records } = worldOf({ tool })
  const toolRef = toNameRef('Example_Tool')
  const resolve: typeof made.resolver.resolve = (ref, view, background) =>
    made.resolver.resolve(ref === toolRef ? toIdRef('Example.Tool') : ref, view, background)
  const deps = { ...made, resolver: { ...made.resolver, resolve } }
  const principal: Principal = { ...ADMIN, scopes: ['tools:read', 'tools:call'], tools: ['Other.*'] }
  const outcome = await createCallTool(deps)({ ...callWith(), toolRef }, callerWith({ principal }))
  expect(outcome.result).toMatchObject({ failure: { type: 'tool-unknown' } })
  expect(records).toMatchObject([{ tool: 'name:Example_Tool', digest: undefined, outcome: 'tool-unknown' }])
})

it('a repeated call returns the duration of the first, and is recorded with its own', async () => {
  const finished = { result: value(1), durationMs: 30_000, finishedAt: 900 } as const
  const tool = callableOf({ ...recordWith({}), annotations: {} }, () => value(2))
  const idempotencyRecords: IdempotencyRecords = { claim: async () => ({ state: 'finished', finished }) }
  const { deps, records } = worldOf({ tool, idempotencyRecords })
  expect(await createCallTool(deps)(callWith(), callerWith())).toMatchObject({
    result: { value: 1 },
    durationMs: 30_000,
    finishedAt: 900,
  })
  expect(records).toMatchObject([{ duration_ms: 10 }])
})

it("a call keeps its caller's id", async () => {
  const { outcome, records } = await call({}, (_, { callId }) => value(callId))
  expect(outcome).toMatchObject({ callId: 'call', result: { value: 'call' } })
  expect(records[0]?.call_id).toBe('call')
})

it("a call that waits for nothing uses no timer, and does not read its caller's signal", async () => {
  const tool = callableOf(recordWith({}), () => value(1))
  const { deps } = worldOf({ tool })
  const signal = vi.fn(() => undefined)
  const setTimer = vi.fn()
  // A spy would be restored after the clock was taken away, and leave the clock's timer to the files after this one
  vi.stubGlobal('setTimeout', setTimer)
  expect(await createCallTool(deps)(callWith(), { ...callerWith(), signal })).toMatchObject({ result: { ok: true } })
  vi.unstubAllGlobals()
  expect(setTimer).not.toHaveBeenCalled()
  expect(signal).not.toHaveBeenCalled()
})

it('a call is for the only user for whom its principal may act', async () => {
  const principal: Principal = { ...ADMIN, users: ['bob'] }
  const run: Run = ({ userId }) => value(userId)
  const { result, records, asked } = await call({ securityLevel: 8 }, run, { principal })
  expect(result).toEqual({ ok: true, value: 'bob' })
  expect(records[0]?.user_id).toBe('bob')
  expect(asked).toEqual(['approval admin bob {}'])
  expect(await call(MAIL, run, { principal })).toMatchObject({ asked: ['token bob mail'] })
})

it('a call of a tool that the key does not cover is refused before it is looked up', async () => {
  const resolve = vi.fn()
  const principal: Principal = { ...ADMIN, kind: 'key', tools: ['Other.*'] }
  const { deps, records } = worldOf()
  const resolver = { resolve, suggest: () => [], invalidate: () => undefined }
  const outcome = await createCallTool({ ...deps, resolver })(callWith(), callerWith({ principal }))
  expect(outcome).toEqual({
    callId: 'call',
    durationMs: 5,
    result: fail({ type: 'forbidden', reason: "The credential does not cover 'Example.Tool'" }),
  })
  expect(records).toEqual([
    {
      at: 1005,
      call_id: 'call',
      principal: 'admin',
      tool: 'Example.Tool',
      dialect: 'oxp',
      outcome: 'forbidden',
      duration_ms: 5,
    },
  ])
  expect(resolve).not.toHaveBeenCalled()
})

it('a call of an unknown tool suggests only what its principal may see', async () => {
  const { deps, records } = worldOf()
  const failing = fail({ type: 'tool-unknown', ref: 'x', suggestions: ['Secret.Tool', 'Example.Tool'] })
  const resolver = { resolve: () => Promise.resolve(failing), suggest: () => [], invalidate: () => undefined }
  const principal: Principal = { ...ADMIN, kind: 'key', tools: ['Example.*'] }
  const asked = { ...callWith(), toolRef: toIdRef(`Example.${'x'.repeat(300)}`) }
  const { result } = await createCallTool({ ...deps, resolver })(asked, callerWith({ principal }))
  expect(result).toEqual(fail({ type: 'tool-unknown', ref: 'x', suggestions: ['Example.Tool'] }))
  expect(records[0]).toMatchObject({ tool: `Example.${'x'.repeat(192)}`, outcome: 'tool-unknown' })
})

it('a call of an unknown tool uses its fallback, and is one call', async () => {
  const { deps, records } = worldOf({ tool: callableOf(recordWith({}), () => value(1)) })
  const asked = { ...callWith(), toolRef: toIdRef('Example.Other'), fallback: { toolRef: toIdRef('Example.Tool') } }
  expect((await createCallTool(deps)(asked, callerWith())).result).toMatchObject({ value: 1 })
  expect(records).toMatchObject([{ tool: 'Example.Tool@1.0.0', outcome: 'success' }])
})

it('a refused call is logged with the tool, which the caller is not told', async () => {
  const principal: Principal = { ...ADMIN, users: ['bob'] }
  const { outcome, records, asked } = await call(MAIL, () => value(1), { principal, userId: 'ann' })
  expect(outcome).toEqual({
    callId: 'call',
    durationMs: 5,
    result: fail({ type: 'forbidden', reason: 'The credential may not act for this user' }),
  })
  expect(records).toMatchObject([{ tool: 'Example.Tool@1.0.0', outcome: 'forbidden' }])
  expect(records[0]?.user_id).toBeUndefined()
  expect(asked).toEqual([])
})

it('a refused call is recorded under its user if its caller may act for them', async () => {
  const principal: Principal = { ...ADMIN, scopes: [], users: ['ann'] }
  const { records } = await call(MAIL, () => value(1), { principal, userId: 'ann' })
  expect(records).toMatchObject([{ user_id: 'ann', outcome: 'forbidden' }])
})

it('a call of a tool that cannot run here says so before it asks for anything', async () => {
  const record = recordWith({ providers: ['mail'], securityLevel: 8 })
  const tool = { ...callableOf(record, () => value(1)), runnable: { ok: false, reason: 'No loader' } as const }
  const { outcome, asked } = await call({}, () => value(1), { userId: 'ann' }, { tool })
  expect(outcome).toMatchObject({
    result: fail({ type: 'tool-not-executable', id: 'Example.Tool@1.0.0', reason: 'No loader' }),
    tool: record,
  })
  expect(asked).toEqual([])
})

it('a call that throws logs the location, without secrets', async () => {
  const thrownAt = () => {
    const error = new Error('No')
    error.stack = 'Error: No\n    at token of mail-1 (index.js:7:9)\n    at elsewhere (index.js:1:1)'
    return error
  }
  const tool = callableOf(recordWith({ providers: ['mail'] }), () => Promise.reject(thrownAt()))
  const places: (string | undefined)[] = []
  const defect = (_: string, _tool: string, _message: string, place?: string) => void places.push(place)
  const callTool = createCallTool({ ...worldOf({ tool }).deps, defect })
  await callTool(callWith({ input: { a: 1 }, userId: 'ann' }), callerWith())
  expect(places).toEqual(['token of [redacted] (index.js:7:9)'])
})

it.each([
  ['throws', () => Promise.reject(new Error('No'))],
  ['takes too long', () => new Promise<never>(() => undefined)],
] as const)('a call that %s records its arguments without the secrets that the tool received', async (_, run) => {
  const record = recordWith({ secrets: ['KEY'] })
  const input = { type: 'object', properties: { a: { type: 'string', 'x-record': true } } }
  const tool = callableOf({ ...record, input }, run)
  const { deps, records } = worldOf({ tool, secretOf: () => 'secret-one-0123456789' })
  const principal: Principal = { ...ADMIN, recordsArguments: true }
  const request = callWith({ input: { a: 'It is secret-one-0123456789' } })
  const calling = createCallTool(deps)(request, { ...callerWith(), principal })
  await vi.advanceTimersByTimeAsync(60_000)
  await calling
  expect(records[0]?.arguments).toEqual({ a: 'It is [redacted]' })
})

it('a call that lacks something only the operator can set up logs it, without telling an agent', async () => {
  const tool = callableOf(recordWith({ secrets: ['KEY'] }), () => value(1))
  const { deps, records } = worldOf({ tool, secretOf: () => undefined })
  const logged: unknown[] = []
  const callTool = createCallTool({
    ...deps,
    writeRecord(record, background, forOperator) {
      deps.writeRecord(record, background, forOperator)
      logged.push(forOperator)
    },
  })
  const agent: Principal = { ...ADMIN, id: 'key:1', kind: 'key', scopes: ['tools:call'], tools: ['Example.*'] }
  const { result } = await callTool(callWith({ input: { a: 1 } }), { ...callerWith(), principal: agent })
  expect(JSON.stringify(result)).not.toContain("No 'KEY'")
  expect(logged).toEqual(["No 'KEY'"])
  expect(JSON.stringify(records)).not.toContain("No 'KEY'")
})

it('a call with an invalid output says so, without secrets', async () => {
  const { result } = await call({ secrets: ['KEY'] }, () => value('bad'), {}, { secretOf: () => 'secret-one' })
  expect(result).toEqual(fail({ type: 'output-invalid', problems: [{ path: '', message: 'Is bad' }] }))
  const echo: Run = ({ secrets }) => value(`is ${secrets.get('KEY')?.value}`)
  const told = await call({ secrets: ['KEY'] }, echo, {}, { secretOf: () => 'secret-one' })
  expect(told.result).toEqual({ ok: true, value: 'is [redacted]' })
})

it('a call never throws: an unexpected error is logged, and the caller gets a reference to it', async () => {
  const broken = await call(MAIL, () => value(1), ANN, { tokenFor: () => Promise.reject(new Error('Storage')) })
  expect(broken.outcome).toMatchObject({
    result: { ok: false, failure: { type: 'internal', reference: 'call' } },
    tool: { id: 'Example.Tool@1.0.0' },
  })
  expect(broken.defects).toEqual(['call Example.Tool@1.0.0: Storage'])
  expect(broken.records).toMatchObject([{ outcome: 'internal', user_id: 'ann' }])

  const { deps, defects } = worldOf()
  const resolver = {
    resolve: () => Promise.reject(new Error('Storage')),
    suggest: () => [],
    invalidate: () => undefined,
  }
  const asked = { ...callWith(), toolRef: toIdRef(`Example.${'x'.repeat(300)}`) }
  const outcome = await createCallTool({ ...deps, resolver })(asked, callerWith())
  expect(outcome).toEqual({
    callId: 'call',
    durationMs: 5,
    result: fail({ type: 'internal', reference: 'call' }),
  })
  expect(defects).toEqual([`call Example.${'x'.repeat(192)}: Storage`])
})

it('a call lets its tool run until its timeout, and no longer than its caller waits', async () => {
  const slow: Run = () => new Promise((done) => setTimeout(() => done(value(1)), 100))
  expect((await call({}, slow, {}, {}, 101)).result).toEqual(value(1))
  const late = await call({}, slow, {}, {}, 99)
  expect(late.result).toEqual(fail({ type: 'tool-timed-out', timeout_ms: 99, may_have_run: true }))
  const gone = await call({}, slow, { signal: AbortSignal.abort(), cancelOnDisconnect: true })
  expect(gone.result).toEqual(fail({ type: 'cancelled', may_have_run: true }))
})

it('a call with an id continues when its caller disconnects, and its caller may return for the result', async () => {
  const slow: Run = () => new Promise((done) => setTimeout(() => done(value(1)), 100))
  const signal = AbortSignal.abort()
  const kept: Promise<unknown>[] = []
  const { deps } = worldOf({ tool: callableOf(recordWith({}), slow) })
  const background = (work: Promise<unknown>) => void kept.push(work)
  const calling = createCallTool(deps)(callWith(), { ...callerWith({ signal }), background })
  await vi.advanceTimersByTimeAsync(100)
  expect((await calling).result).toEqual(value(1))
  // The platform ends what a caller who has gone asked for, but for this
  expect(await Promise.all(kept)).toMatchObject([{ result: value(1) }])

  const readOnly = { annotations: { readOnlyHint: true } }
  const { callId: _, ...unnamed } = callWith()
  for (const [record, asked, principal] of [
    [recordWith({}), unnamed, ADMIN],
    [recordWith({}), callWith(), ANONYMOUS],
    [{ ...recordWith({}), ...readOnly }, callWith(), ADMIN],
  ] as const) {
    const { deps: others } = worldOf({ tool: callableOf(record, slow) })
    const ended = createCallTool(others)(asked, callerWith({ signal, principal }))
    await vi.advanceTimersByTimeAsync(100)
    expect((await ended).result).toMatchObject({ failure: { type: 'cancelled' } })
  }
})

const unapproved: World = {
  claim: async () => ({ challenge: challengeOf('approval'), reason: 'Level 8' }),
}

it('a call that needs approval runs once approved, which is requested with its user and input', async () => {
  const { result, asked } = await call(APPROVED, () => value(7), { ...ANN, input: { a: 1 } })
  expect(result).toEqual({ ok: true, value: 7 })
  expect(asked).toEqual(['approval admin ann {"a":1}'])
  const forNobody = await call(APPROVED, () => value(7))
  expect(forNobody.asked).toEqual(['approval admin undefined {}'])
})

it('a call that needs approval does not run before it is approved', async () => {
  let ran = false
  const { result } = await call(APPROVED, () => ((ran = true), value(7)), ANN, unapproved)
  expect(result).toEqual({
    ok: false,
    failure: {
      type: 'approval-required',
      id: 'Example.Tool@1.0.0',
      reason: 'Level 8',
      challenge: challengeOf('approval'),
    },
  })
  expect(ran).toBe(false)
})

it('a call that needs approval asks no person if it could not run anyway', async () => {
  const invalid = await call(APPROVED, () => value(7), { ...ANN, input: { a: 'bad' } })
  expect(invalid).toMatchObject({ result: { failure: { type: 'input-invalid' } }, asked: [] })
  const lacking = await call({ ...APPROVED, ...MAIL }, () => value(7), ANN, { tokenFor: () => refused })
  expect(lacking).toMatchObject({
    result: { failure: { type: 'requirements-missing' } },
    asked: ['token ann mail'],
  })
})

it('a call that needs approval is approved as it will run: an optional parameter that is null counts as absent', async () => {
  const tool = {
    ...callableOf(recordWith(APPROVED), () => value(7)),
    validateInput: interpretSchema({ properties: { a: { type: 'string' } } }),
  }
  const { asked } = await call({}, () => value(7), { input: { a: null } }, { tool })
  expect(asked).toEqual(['approval admin undefined {}'])
})

it('a call of level 7 needs no approval', async () => {
  expect((await call({ securityLevel: 7 }, () => value(7), {}, unapproved)).asked).toEqual([])
})

const twice: Run = async ({ tokens }, { renew }) => {
  const second = await renew?.('mail', tokens.get('mail')?.value ?? '')
  if (second === undefined) return { ok: false, failure: { message: 'The API answered 401' } }
  return value(`with ${second}`)
}

it("a call with a user's token can renew it, and no result contains the new one", async () => {
  const { result, asked } = await call(MAIL, twice, ANN)
  expect(result).toEqual({ ok: true, value: 'with [redacted]' })
  expect(asked).toEqual(['token ann mail', 'renew ann mail mail-1'])
  const thrown = await call(
    MAIL,
    async (input, context) => {
      const ran = await twice(input, context)
      throw new Error(`with ${ran.ok ? ran.value : ''} and mail-1`)
    },
    ANN,
  )
  expect(thrown.result).toMatchObject({ failure: { developer_message: 'with with [redacted] and [redacted]' } })
  expect(thrown.defects).toEqual(['call Example.Tool@1.0.0: with with [redacted] and [redacted]'])
})

it.each<[string, Run]>([
  ['failed', twice],
  [
    'threw',
    async (input, context) => {
      await twice(input, context)
      throw new Error('401')
    },
  ],
  ['ran out of time', async (input, context) => (await twice(input, context), never())],
])(
  "a call with a user's token becomes a challenge if the provider issues no more tokens and the tool %s",
  async (_, run) => {
    const { result, defects } = await call(MAIL, run, ANN, { renew: () => refused }, 50)
    expect(result).toEqual({
      ok: false,
      failure: {
        type: 'requirements-missing',
        tool: 'Example.Tool',
        authorization: [challengeOf('mail')],
        secrets: [],
        user_id: false,
        detail: 'Mail refused the token',
      },
    })
    expect(defects).toEqual([])
  },
)

it("a call with a user's token can be retried if the provider is unreachable", async () => {
  const { result } = await call(MAIL, twice, ANN, { renew: () => ({ unavailable: "'mail' did not answer" }) })
  expect(result).toEqual({
    ok: false,
    failure: { type: 'tool-failed', message: "'mail' did not answer", can_retry: true },
  })
})

it("a call with a user's token keeps the tool's result if the tool succeeded without a new token", async () => {
  const run: Run = async (input, context) => (await twice(input, context), value('something else'))
  const { result } = await call(MAIL, run, ANN, { renew: () => refused })
  expect(result).toEqual({ ok: true, value: 'something else' })
})

it("a call with a user's token has nothing to renew if the token is the caller's own, or there is none", async () => {
  const seen: unknown[] = []
  const run: Run = (_, { renew }) => (seen.push(renew), value(7))
  await call(MAIL, run, { ...ANN, tokens: { mail: 'own' } })
  await call({}, run, ANN)
  expect(seen).toEqual([undefined, undefined])
})

it("a call with a user's token does not wait for a provider or a person beyond its deadline, or for a caller who disconnected", async () => {
  for (const [needs, world] of [
    [MAIL, { tokenFor: never }],
    [APPROVED, { claim: never }],
  ] as const) {
    const late = await call(needs, () => value(7), ANN, world, 20)
    expect(late.result).toEqual(fail({ type: 'tool-timed-out', timeout_ms: 20 }))
    const leaving = { ...ANN, signal: AbortSignal.abort(), cancelOnDisconnect: true }
    const gone = await call(needs, () => value(7), leaving, world)
    expect(gone.result).toEqual(fail({ type: 'cancelled' }))
  }
})

it("a call with a user's token requests it with the URL of the caller's request", async () => {
  const origins: string[] = []
  await call(MAIL, () => value(7), ANN, {
    tokenFor: ({ requestUrl }) => (origins.push(requestUrl()), { token: 't', account: '' }),
  })
  expect(origins).toEqual([REACHED_AT])
})

const LONG = 'x'.repeat(300_000)
const artifact = { url: 'https://x.test/a', content_type: 'text/csv', size: 9, meta: { description: 'Rows' } }

async function placed(run: Run, needs: Needs = {}, metadata?: ToolRecord['metadata']) {
  const kept: [StorableContent, ArtifactOwner][] = []
  const artifacts: ArtifactStore = {
    async put(what, owner) {
      kept.push([what, owner])
      return { ok: true, url: 'https://edge.example/artifacts/1', size: 7, expiresAt: 'tomorrow' }
    },
    open: async () => 'missing',
  }
  const record = { ...recordWith(needs), ...(metadata ? { metadata } : {}) }
  const tool = { ...callableOf(record, run), validateOutput: noNull }
  const { deps } = worldOf({ tool, secretOf: () => 'a-long-secret-0123456789' })
  const { result } = await createCallTool({ ...deps, artifacts })(callWith({ userId: 'ann' }), callerWith())
  return { result, kept }
}
const noNull: Validate = (given) =>
  given === 'bad' || given === null || Array.isArray(given) ? [{ path: '', message: 'Is bad' }] : []

it("an output too large for a response is stored for its caller, without the tool's secrets", async () => {
  const run: Run = ({ secrets }) => value({ was: secrets.get('KEY')?.value, LONG })
  const { result, kept } = await placed(run, { secrets: ['KEY'] })
  expect(result).toMatchObject({ value: { artifact: { url: 'https://edge.example/artifacts/1', size: 7 } } })
  const [[what, owner] = []] = kept
  expect(what?.content).toEqual({ text: JSON.stringify({ was: '[redacted]', LONG }) })
  expect(owner).toMatchObject({ callId: 'call', tool: 'Example.Tool@1.0.0', principal: 'admin', userId: 'ann' })
  expect(owner?.requestUrl()).toBe(REACHED_AT)
})

it('an output too large for a response is not stored if its schema refuses it, and neither is a small one', async () => {
  for (const given of [[LONG], { a: 1 }]) expect((await placed(() => value(given))).kept).toEqual([])
  expect((await placed(() => value([LONG]))).result).toMatchObject({ failure: { type: 'output-invalid' } })
})

it('an artifact that a tool returns in place of a value is not checked against the schema', async () => {
  const modes = { available_modes: ['value', 'artifact'] }
  const { result } = await placed(() => value({ artifact }), {}, modes)
  expect(result).toEqual({ ok: true, value: { artifact }, elsewhere: artifact })
  const none = await placed(() => value(null), {}, modes)
  expect(none.result).toMatchObject({ failure: { type: 'output-invalid' } })
  const wrong = await placed(() => value({ artifact: { url: 1 } }), {}, modes)
  expect(wrong.result).toMatchObject({ failure: { type: 'output-invalid' } })
})

import { expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { fail } from '../../../src/core/failure/failure.ts'
import type { Deadline, AbortReason } from '../../../src/core/call/deadline.ts'
import { toErrorMessage, type RunOptions, runTool } from '../../../src/core/call/run.ts'
import type { Credential, Invocation } from '../../../src/core/call/invocation.ts'
import type { Run, RunContext } from '../../../src/core/call/runner.ts'
import type { Definition } from '../../../src/core/tool/tool.ts'
import { invocationWith } from '../../runners/http/records.ts'
import { callerWith, challengeOf, recordWith, type World, worldOf } from './fakes.ts'

const MAIL: Credential = { value: 'mail-one', from: 'deployment', account: '' }
const refusal = { challenge: challengeOf('mail'), reason: 'Mail refused the token' }

interface Given {
  readonly run?: Run
  readonly userId?: string
  readonly secrets?: Readonly<Record<string, Credential>>
  readonly tokens?: Readonly<Record<string, Credential>>
  readonly caller?: Partial<RunOptions['caller']>
  /** How the call ends, whatever its tool gives. */
  readonly end?: AbortReason
  readonly annotations?: Definition['annotations']
  readonly isRetrySafe?: boolean
  readonly world?: World
}

/** Runs a tool that requires a provider; its deadline counts who looks at its signal. */
async function run(given: Given = {}) {
  const { deps, asked, defects } = worldOf(given.world)
  const invocations: Invocation[] = []
  const contexts: RunContext[] = []
  let looked = 0
  const deadline: Deadline = {
    get signal() {
      looked += 1
      return new AbortController().signal
    },
    race: (work) => {
      const { end } = given
      return end === undefined
        ? work
        : Promise.resolve(work).then(
            () => end,
            () => end,
          )
    },
  }
  const outcome = await runTool(
    {
      callId: 'c1',
      record: { ...recordWith({ providers: ['mail'] }), ...(given.annotations && { annotations: given.annotations }) },
      runnable: {
        ok: true,
        timeoutMs: 70,
        ...(given.isRetrySafe && { isRetrySafe: true }),
        run(invocation, context) {
          invocations.push(invocation)
          contexts.push(context)
          const value = given.run ? given.run(invocation, context) : ({ ok: true, value: invocation.input } as const)
          // Only what has to be waited for can end early
          return given.end === undefined ? value : Promise.resolve(value)
        },
      },
      invocation: {
        ...invocationWith({ a: 1 }, { secrets: given.secrets ?? {}, tokens: given.tokens ?? {} }),
        userId: given.userId,
      },
      deadline: () => deadline,
      caller: { ...callerWith(), ...given.caller },
    },
    deps,
  )
  const ran = outcome.ok ? outcome : fail(outcome.failure)
  return { ran, invocation: invocations[0], context: contexts[0], asked, defects, looked: () => looked }
}

const renewing: Run = async ({ tokens }, { renew }) => {
  const token = await renew?.('mail', tokens.get('mail')?.value ?? '')
  return token === undefined ? { ok: false, failure: { message: '401' } } : { ok: true, value: token }
}

it('a run gets only what its tool was given and its caller wants', async () => {
  const { invocation, context } = await run()
  const { deadline: _, budget: _budget, background: _background, ...rest } = context ?? {}
  expect(rest).toEqual({ callId: 'c1', principal: ADMIN.id })
  expect(invocation).toEqual(invocationWith({ a: 1 }))
})

it('a run gets everything that is available', async () => {
  const caller = {
    traceparent: 'trace',
    progress: () => undefined,
    log: () => undefined,
    background: () => undefined,
  }
  const secrets = { KEY: { value: 'secret-one', from: 'caller' } } as const
  const { invocation, context } = await run({ caller, secrets, tokens: { mail: MAIL }, userId: 'ann' })
  const { deadline: _, budget: _budget, renew, progress, ...rest } = context ?? {}
  const { progress: _told, ...others } = caller
  expect(rest).toEqual({ callId: 'c1', principal: ADMIN.id, ...others })
  expect(invocation).toEqual({ ...invocationWith({ a: 1 }, { secrets, tokens: { mail: MAIL } }), userId: 'ann' })
  expect(renew).toBeTypeOf('function')
  expect(progress).toBeTypeOf('function')
})

it('a run gets progress that is reported without credentials, even renewed ones, until the run ends', async () => {
  const told: unknown[] = []
  const secrets = { KEY: { value: 'secret-one', from: 'deployment' } } as const
  const { context } = await run({
    secrets,
    tokens: { mail: MAIL },
    userId: 'ann',
    caller: { progress: (progress) => void told.push(progress) },
    async run(_, { progress, renew }) {
      progress?.(1, 3, 'secret-one mail-one mail-2')
      await renew?.('mail', 'mail-one')
      progress?.(2, 3, 'secret-one mail-one mail-2')
      return { ok: true, value: 1 }
    },
  })
  context?.progress?.(3, 3, 'late')
  expect(told).toEqual([
    { progress: 1, total: 3, message: '[redacted] [redacted] mail-2' },
    { progress: 2, total: 3, message: '[redacted] [redacted] [redacted]' },
  ])
})

it('a run gets a signal only if the tool reads it', async () => {
  expect((await run({ run: () => ({ ok: true, value: 1 }) })).looked()).toBe(0)
  expect((await run({ run: (_, { deadline }) => ({ ok: true, value: deadline.signal.aborted }) })).looked()).toBe(1)
})

it('a run gets a renewal only for tokens of a user that are not the caller’s own', async () => {
  const own = { mail: { value: 'mail-one', from: 'caller' } } as const
  for (const given of [{}, { userId: 'ann' }, { tokens: { mail: MAIL } }, { tokens: own, userId: 'ann' }]) {
    expect((await run(given)).context).toMatchObject({ renew: undefined })
  }
})

it("a run returns the tool's result, at once or later", async () => {
  expect(await run()).toMatchObject({ ran: { ok: true, result: { ok: true, value: { a: 1 } }, redactor: undefined } })
  const failed = { ok: false, failure: { message: 'No' } } as const
  expect((await run({ run: async () => failed })).ran).toEqual({ ok: true, result: failed, redactor: undefined })
})

it('a run hides every secret and token that it received', async () => {
  const secrets = { KEY: { value: 'secret-one', from: 'deployment' } } as const
  const { ran } = await run({ secrets, tokens: { mail: MAIL }, userId: 'ann', run: renewing })
  if (!ran.ok) throw new Error('It failed')
  expect(ran.result).toEqual({ ok: true, value: 'mail-2' })
  expect(ran.redactor?.text('secret-one mail-one mail-2 mail-3')).toBe('[redacted] [redacted] [redacted] mail-3')
  const tokenAlone = await run({ tokens: { mail: MAIL } })
  expect(tokenAlone.ran.ok && tokenAlone.ran.redactor?.text('mail-one')).toBe('[redacted]')
  const secretAlone = await run({ secrets })
  expect(secretAlone.ran.ok && secretAlone.ran.redactor?.text('secret-one')).toBe('[redacted]')
})

it('a run that throws is an unexpected error, logged without its secrets', async () => {
  for (const thrown of [new Error('No mail-one'), 'No mail-one']) {
    const throwing: Run = () => {
      throw thrown
    }
    for (const each of [throwing, async (input, context) => throwing(input, context)] satisfies Run[]) {
      const { ran, defects } = await run({ run: each, tokens: { mail: MAIL } })
      expect(ran).toEqual({
        ok: false,
        failure: {
          type: 'tool-failed',
          message: "The tool 'Example.Tool@1.0.0' failed unexpectedly",
          developer_message: 'No [redacted]',
        },
      })
      expect(defects).toEqual(['c1 Example.Tool@1.0.0: No [redacted]'])
    }
  }
  const plain = await run({ run: () => Promise.reject(new Error('No')) })
  expect(plain.ran).toMatchObject({ failure: { developer_message: 'No' } })
  expect(plain.defects).toEqual(['c1 Example.Tool@1.0.0: No'])
})

it('a run that takes too long times out', async () => {
  expect((await run({ end: 'expired' })).ran).toEqual({
    ok: false,
    failure: { type: 'tool-timed-out', timeout_ms: 70, may_have_run: true },
  })
})

it('a run that used up its limits times out, too', async () => {
  expect((await run({ run: () => ({ ok: false, timedOutMs: 9 }), isRetrySafe: true })).ran).toEqual({
    ok: false,
    failure: { type: 'tool-timed-out', timeout_ms: 9 },
  })
})

it.each<[Given, true | undefined]>([
  [{}, true],
  [{ annotations: { idempotentHint: false, readOnlyHint: false } }, true],
  [{ annotations: { idempotentHint: true } }, undefined],
  [{ annotations: { readOnlyHint: true } }, undefined],
  [{ isRetrySafe: true }, undefined],
])('a run of %j that ended early may have taken effect: %j', async (given, may_have_run) => {
  const used: Run = () => ({ ok: false, timedOutMs: 9 })
  for (const each of [{ end: 'expired' }, { end: 'cancelled' }, { run: used }] satisfies Given[]) {
    const { ran } = await run({ ...given, ...each })
    expect(ran).toMatchObject({ ok: false })
    expect(Object(ran).failure.may_have_run).toBe(may_have_run)
  }
})

it('a run whose caller disconnected is canceled, whatever happened to its tokens', async () => {
  const cancelled = { ok: false, failure: { type: 'cancelled', may_have_run: true } }
  expect((await run({ end: 'cancelled' })).ran).toEqual(cancelled)
  const refused = await run({ end: 'cancelled', ...refusedBy() })
  expect(refused.ran).toEqual(cancelled)
})

/** A run whose token is refused, and cannot be renewed. */
function refusedBy(ending: Run = renewing): Given {
  return { tokens: { mail: MAIL }, userId: 'ann', run: ending, world: { renew: () => refusal } }
}

const challenged = {
  ok: false,
  failure: {
    type: 'requirements-missing',
    tool: 'Example.Tool',
    authorization: [challengeOf('mail')],
    secrets: [],
    user_id: false,
    detail: 'Mail refused the token',
  },
}

it('a run whose token is refused and not replaced is a challenge if it fails, throws, or uses up its limits', async () => {
  const throwing: Run = async (input, context) => {
    await renewing(input, context)
    throw new Error('401')
  }
  const spending: Run = async (input, context) => (await renewing(input, context), { ok: false, timedOutMs: 5 })
  const ends = [refusedBy(), refusedBy(throwing), refusedBy(spending), { ...refusedBy(), end: 'expired' } as const]
  for (const end of ends) {
    const { ran, defects, asked } = await run(end)
    expect(ran).toEqual(challenged)
    expect(defects).toEqual([])
    expect(asked).toEqual(['renew ann mail mail-one'])
  }
})

it('a run whose token is refused and not replaced keeps its result if it succeeds or requests input', async () => {
  const succeeding: Run = async (input, context) => (await renewing(input, context), { ok: true, value: 7 })
  expect((await run(refusedBy(succeeding))).ran).toMatchObject({ ok: true, result: { value: 7 } })
  const asks = { requests: {} }
  const asking: Run = async (input, context) => (await renewing(input, context), { ok: false, asks })
  expect((await run(refusedBy(asking))).ran).toMatchObject({ ok: true, result: { asks } })
})

it('a run whose token is refused and not replaced logs an error of the store', async () => {
  const { ran, defects } = await run({
    tokens: { mail: MAIL },
    userId: 'ann',
    run: renewing,
    world: { renew: () => Promise.reject(new Error('Storage')) },
  })
  expect(ran).toMatchObject({ failure: { type: 'tool-failed', can_retry: true } })
  expect(defects).toEqual(['c1 Example.Tool@1.0.0: Storage'])
})

it('an error is formatted as its message, and any other value as itself', () => {
  expect(toErrorMessage(new TypeError('No'))).toBe('No')
  expect(toErrorMessage('No')).toBe('No')
  expect(toErrorMessage(undefined)).toBe('undefined')
})

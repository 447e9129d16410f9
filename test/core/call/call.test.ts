import { describe, expect, it } from 'vitest'
import { createCallTool } from '../../../src/core/call/call.ts'
import type { Run } from '../../../src/core/call/runner.ts'
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

const value = (given: unknown) => ({ ok: true, value: given }) as const

async function call(needs: Needs, run: Run, given: Given = {}, world: World = {}, timeoutMs?: number) {
  const tool = callableOf(recordWith(needs), run, timeoutMs)
  const { deps, asked, defects } = worldOf({ ...world, tool })
  const { result } = await createCallTool(deps)(callWith(given), callerWith(given))
  return { result, asked, defects }
}

const APPROVED = { securityLevel: 8 }
const MAIL = { providers: ['mail'] }
const ANN = { userId: 'ann' }
const refused = { challenge: challengeOf('mail'), reason: 'Mail refused the token' }

describe('a call that a person must approve', () => {
  const unapproved: World = {
    claim: async () => ({ challenge: challengeOf('approval'), reason: 'Level 8' }),
  }

  it('runs once it is approved, which is asked for with its user and its input', async () => {
    const { result, asked } = await call(APPROVED, () => value(7), { ...ANN, input: { a: 1 } })
    expect(result).toEqual({ ok: true, value: 7 })
    expect(asked).toEqual(['approval admin ann {"a":1}'])
    const forNobody = await call(APPROVED, () => value(7))
    expect(forNobody.asked).toEqual(['approval admin undefined {}'])
  })

  it('does not run before', async () => {
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

  it('is not brought before a person when it could not run anyway', async () => {
    const invalid = await call(APPROVED, () => value(7), { ...ANN, input: { a: 'bad' } })
    expect(invalid).toMatchObject({ result: { failure: { type: 'input-invalid' } }, asked: [] })
    const lacking = await call({ ...APPROVED, ...MAIL }, () => value(7), ANN, { tokenFor: () => refused })
    expect(lacking).toMatchObject({
      result: { failure: { type: 'requirements-missing' } },
      asked: ['token ann mail'],
    })
  })

  it('is approved as it will run: an optional parameter that is null counts as absent', async () => {
    const tool = {
      ...callableOf(recordWith(APPROVED), () => value(7)),
      validateInput: (input: unknown) => (Object(input).a === null ? [{ path: '/a', message: 'No null' }] : []),
    }
    const { deps, asked } = worldOf({ tool })
    await createCallTool(deps)(callWith({ input: { a: null } }), callerWith())
    expect(asked).toEqual(['approval admin undefined {}'])
  })

  it('of level 7 needs nobody', async () => {
    expect((await call({ securityLevel: 7 }, () => value(7), {}, unapproved)).asked).toEqual([])
  })
})

describe("a call with a user's token", () => {
  const twice: Run = async (_, { tokens, renew }) => {
    const second = await renew?.('mail', tokens.get('mail')?.value ?? '')
    if (second === undefined) return { ok: false, failure: { message: 'The API answered 401' } }
    return value(`with ${second}`)
  }

  it('can have it renewed; no answer holds the new one', async () => {
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
    ['ran out of time', async (input, context) => (await twice(input, context), new Promise(() => {}))],
  ])('becomes a challenge when the provider gives no more tokens and the tool %s', async (_, run) => {
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
  })

  it('can be tried again when the provider is away', async () => {
    const { result } = await call(MAIL, twice, ANN, { renew: () => ({ unavailable: "'mail' did not answer" }) })
    expect(result).toEqual({
      ok: false,
      failure: { type: 'tool-failed', message: "'mail' did not answer", can_retry: true },
    })
  })

  it('keeps what the tool came to without the token', async () => {
    const run: Run = async (input, context) => (await twice(input, context), value('something else'))
    const { result } = await call(MAIL, run, ANN, { renew: () => refused })
    expect(result).toEqual({ ok: true, value: 'something else' })
  })

  it("has nothing to renew when the token is the caller's own, or there is none", async () => {
    const seen: unknown[] = []
    const run: Run = (_, { renew }) => (seen.push(renew), value(7))
    await call(MAIL, run, { ...ANN, tokens: { mail: 'own' } })
    await call({}, run, ANN)
    expect(seen).toEqual([undefined, undefined])
  })

  it('does not wait for a provider past its deadline, or for a caller who has gone', async () => {
    const never: World = { tokenFor: () => new Promise(() => {}) }
    const late = await call(MAIL, () => value(7), ANN, never, 20)
    expect(late.result).toEqual({ ok: false, failure: { type: 'tool-timed-out', timeout_ms: 20 } })
    const gone = await call(MAIL, () => value(7), { ...ANN, signal: AbortSignal.abort() }, never)
    expect(gone.result).toEqual({ ok: false, failure: { type: 'cancelled' } })
  })

  it('is asked for with the way the caller reached us', async () => {
    const origins: string[] = []
    await call(MAIL, () => value(7), ANN, {
      tokenFor: ({ reachedAt }) => (origins.push(reachedAt()), { token: 't' }),
    })
    expect(origins).toEqual([REACHED_AT])
  })
})

import { describe, expect, it } from 'vitest'
import { meetRequirements } from '../../../src/core/call/requirements.ts'
import { callWith, challengeOf, type Given, type Needs, REACHED_AT, recordWith, type World, worldOf } from './fakes.ts'

async function meet(needs: Needs, given: Given = {}, world: World = {}) {
  const { deps, asked } = worldOf(world)
  const met = await meetRequirements(recordWith(needs), callWith(given).context, () => REACHED_AT, deps)
  return { met, asked }
}

const MAIL = { providers: ['mail'] }

describe('what a tool requires', () => {
  it("is met by the user's grant", async () => {
    const { met, asked } = await meet(MAIL, { userId: 'ann' })
    expect(met).toMatchObject({ ok: true, tokens: new Map([['mail', { value: 'mail-1', from: 'deployment' }]]) })
    expect(asked).toEqual(['token ann mail'])
  })

  it("is met by the caller's own token, without asking for a grant, or for whom it is", async () => {
    for (const id of ['mail', '*']) {
      const { met, asked } = await meet(MAIL, { tokens: { [id]: 'own' } })
      expect(met).toMatchObject({ ok: true, tokens: new Map([['mail', { value: 'own', from: 'caller' }]]) })
      expect(asked).toEqual([])
    }
  })

  it('is a challenge when the user has not granted it', async () => {
    const { met } = await meet(
      MAIL,
      { userId: 'ann' },
      { tokenFor: () => ({ challenge: challengeOf('mail'), reason: 'Not granted' }) },
    )
    expect(met).toMatchObject({
      ok: false,
      failure: {
        type: 'requirements-missing',
        authorization: [challengeOf('mail')],
        user_id: false,
        detail: 'Not granted',
      },
    })
  })

  it('is also a user where a grant is wanted: without one nobody is asked for a grant', async () => {
    for (const user_id of [false, true]) {
      const { met, asked } = await meet({ ...MAIL, user_id })
      expect(met).toEqual({
        ok: false,
        failure: {
          type: 'requirements-missing',
          tool: 'Example.Tool',
          authorization: [
            { id: 'mail', url: 'https://edge.example/authorizations/mail/start', scopes: [], status: 'not_started' },
          ],
          secrets: [],
          user_id: true,
          detail: 'The call names no user',
        },
      })
      expect(asked).toEqual([])
    }
  })

  it('keeps the name of a provider in one part of the link, whatever its characters', async () => {
    const { met } = await meet({ providers: ['../a b?\ud800'] })
    const url = 'https://edge.example/authorizations/..%2Fa%20b%3F%EF%BF%BD/start'
    expect(met).toMatchObject({ failure: { authorization: [{ url }] } })
  })

  it('cannot be met for now when the provider is away, which may pass', async () => {
    const away = { unavailable: "'mail' did not answer", retry_after_ms: 5 }
    const { met } = await meet(MAIL, { userId: 'ann' }, { tokenFor: () => away })
    const failure = { type: 'tool-failed', message: "'mail' did not answer", can_retry: true, retry_after_ms: 5 }
    expect(met).toEqual({ ok: false, failure })
  })

  it('is reported in full, so that nobody is asked for one thing after the other', async () => {
    const { met, asked } = await meet(
      { secrets: ['KEY'], providers: ['mail', 'chat', 'away'] },
      { userId: 'ann' },
      {
        tokenFor: ({ requirement: { id } }) =>
          id === 'away' ? { unavailable: "'away' is away" } : { challenge: challengeOf(id), reason: `Not at ${id}` },
      },
    )
    expect(asked).toEqual(['token ann mail', 'token ann chat', 'token ann away'])
    expect(met).toMatchObject({
      failure: {
        type: 'requirements-missing',
        authorization: [challengeOf('mail'), challengeOf('chat')],
        secrets: [{ id: 'KEY' }],
        detail: "No 'KEY'; Not at mail; Not at chat; 'away' is away",
      },
    })
  })
})

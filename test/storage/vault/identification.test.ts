import { describe, expect, it } from 'vitest'
import type { BrowserFlow } from '../../../src/storage/vault/browser-flows.ts'
import { createPersonCheck } from '../../../src/storage/vault/identification.ts'
import { OWN_CALL, SIGN_IN_FIRST, WRONG_PERSON } from '../../../src/storage/vault/flow-errors.ts'

const VERIFIER = 'https://app.example/verify'
const GRANT = { id: 'a', kind: 'grant', userId: 'ann' } as const
const APPROVAL = { id: 'a', kind: 'approval', userId: 'ann', principal: 'key:agent' } as const
const personOf = (user: string, approves = false, principal = `user:${user}`) => ({ user, principal, approves })
const visitOf = (person?: ReturnType<typeof personOf>) => ({ browserHash: 'b', ...(person ? { person } : {}) })

/** Flows of which the only one there is, of one browser, is at a stage. */
function flowsAt(stage?: BrowserFlow['stage']) {
  const rest = { authorization: 'a', browser: 'b', secret: '', callback: '', provider: null, sealed: null, account: '' }
  return {
    find: (id: string, browser: string) => (stage && id === 'a' && browser === 'b' ? { ...rest, stage } : undefined),
  }
}

describe('without sign-in or a verifier', () => {
  it('everyone with the link counts as the user', () => {
    expect(createPersonCheck({ verifierUrl: undefined, signInMethod: 'none' }, flowsAt())(GRANT, visitOf())).toEqual({
      kind: 'identified',
    })
  })
})

describe('with sign-in', () => {
  const identified = createPersonCheck({ verifierUrl: undefined, signInMethod: 'openid' }, flowsAt())

  it('the user is recognized, and nobody else', () => {
    expect(identified(GRANT, visitOf(personOf('ann')))).toEqual({ kind: 'identified' })
    expect(identified(GRANT, visitOf())).toEqual({ kind: 'denied', error: SIGN_IN_FIRST })
    expect(identified(GRANT, visitOf(personOf('bob')))).toEqual({ kind: 'denied', error: WRONG_PERSON })
    expect(identified({ id: 'a', kind: 'grant' }, visitOf(personOf('ann')))).toEqual({
      kind: 'denied',
      error: WRONG_PERSON,
    })
  })

  it('a person with the permission to approve does so in place of the user, but never for their own call', () => {
    expect(identified(APPROVAL, visitOf(personOf('bob', true)))).toEqual({ kind: 'identified' })
    expect(identified(APPROVAL, visitOf(personOf('bob')))).toEqual({ kind: 'denied', error: WRONG_PERSON })
    expect(identified(GRANT, visitOf(personOf('bob', true)))).toEqual({ kind: 'denied', error: WRONG_PERSON })
    expect(identified(APPROVAL, visitOf(personOf('ann', true, 'key:agent')))).toEqual({
      kind: 'denied',
      error: OWN_CALL,
    })
  })
})

it('with sign-in by key, calls are approved by key, and consent is given as without sign-in', () => {
  const identified = createPersonCheck({ verifierUrl: undefined, signInMethod: 'key' }, flowsAt())
  const byKey = (principal: string, approves: boolean) => ({ browserHash: 'b', person: { principal, approves } })
  expect(identified(GRANT, visitOf())).toEqual({ kind: 'identified' })
  expect(identified(APPROVAL, visitOf())).toEqual({ kind: 'denied', error: SIGN_IN_FIRST })
  expect(identified(APPROVAL, byKey('key:other', true))).toEqual({ kind: 'identified' })
  expect(identified(APPROVAL, byKey('key:other', false))).toEqual({ kind: 'denied', error: WRONG_PERSON })
  expect(identified(APPROVAL, byKey('key:agent', true))).toEqual({ kind: 'denied', error: OWN_CALL })
})

describe('with a verifier', () => {
  it('a person with proof is recognized, and everyone else is asked', () => {
    for (const stage of ['verifying', 'confirmed', 'at-provider', undefined] as const) {
      expect(
        createPersonCheck({ verifierUrl: VERIFIER, signInMethod: 'none' }, flowsAt(stage))(GRANT, visitOf()),
      ).toEqual({
        kind: 'needs-verification',
        verifierUrl: VERIFIER,
      })
    }
    expect(
      createPersonCheck({ verifierUrl: VERIFIER, signInMethod: 'none' }, flowsAt('proven'))(GRANT, visitOf()),
    ).toEqual({
      kind: 'identified',
    })
  })

  it('the verifier is asked about anyone who is not signed in as the user', () => {
    const identified = createPersonCheck({ verifierUrl: VERIFIER, signInMethod: 'openid' }, flowsAt())
    expect(identified(GRANT, visitOf(personOf('ann')))).toEqual({ kind: 'identified' })
    expect(identified(GRANT, visitOf(personOf('bob')))).toEqual({ kind: 'needs-verification', verifierUrl: VERIFIER })
    expect(identified(GRANT, visitOf())).toEqual({ kind: 'needs-verification', verifierUrl: VERIFIER })
  })
})

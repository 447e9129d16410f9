import { expect, it } from 'vitest'
import { fail, UnreachableError } from '../../src/core/failure/failure.ts'
import { createFlows } from '../../src/sign-in/flow-cookie.ts'
import { AWAY, awayOf, REFERENCE } from '../http/on-page-error.ts'
import { faceWith } from './face.ts'

const away = () => Promise.reject(new UnreachableError('Switchboard cannot reach its keys right now'))
const unavailable = fail({ type: 'unavailable', message: 'Not now' })

it('signing in and out works while everything is reachable', async () => {
  const { begin, comeBack, signOut } = faceWith()
  for (const answer of [await begin(), await comeBack()]) expect(answer.status).toBe(302)
  expect((await signOut()).status).toBe(200)
  // Its tokens are for convenience
  expect((await faceWith({ keepSignIn: away }).comeBack()).status).toBe(302)
  expect((await faceWith({ provider: undefined }).sendKey()).status).toBe(302)
})

it('signing in and out explains to a person that the deployment is unreachable', async () => {
  const sealing = createFlows({ seal: away, unseal: away }, () => 0)
  const loadPrincipal = async () => ({ result: unavailable })
  for (const answer of [
    await faceWith({ flows: sealing }).begin(),
    await faceWith({ flows: sealing }).comeBack(),
    await faceWith({}, { findSession: () => unavailable }).begin(),
    await faceWith({}, { startSession: away }).comeBack(),
    await faceWith({ provider: undefined }, { startSession: away }).sendKey(),
    await faceWith({ provider: undefined, authenticator: { loadPrincipal, hasAdministrator: true } }).sendKey(),
    await faceWith({}, { signOut: away }).signOut(),
  ]) {
    expect(await awayOf(answer)).toEqual(AWAY)
  }
})

it('signing in and out reveals only the reference of a defect', async () => {
  const broken = () => Promise.reject(new Error('secret-detail'))
  const answer = await faceWith({}, { startSession: broken }).comeBack()
  expect(answer.status).toBe(500)
  const text = await answer.text()
  expect(text).toContain(REFERENCE)
  expect(text).not.toContain('secret-detail')
})

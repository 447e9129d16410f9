import { expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { createReadinessCheck } from '../../../src/core/call/readiness.ts'
import type { GrantPreview } from '../../../src/core/call/user-tokens.ts'
import { callableOf, challengeOf, type Needs, PUBLISHER, REACHED_AT, recordWith } from './fakes.ts'

const GRANTED: GrantPreview = {
  look: async () => ({ token: '', account: '' }),
  findSetupRefusal: async () => undefined,
}

async function readinessOf(
  needs: Needs,
  looks: Partial<GrantPreview> = {},
  { canBeApproved = true, userId = 'ann' } = {},
) {
  const tell = createReadinessCheck({
    toolSecrets: { isGranted: () => true, secretFor: () => ({ missing: 'none' }), formatGrantAdvice: () => 'none' },
    grants: { ...GRANTED, ...looks },
    approvals: { canBeApproved: () => canBeApproved },
    unreachable: async () => undefined,
    getHealth: () => ({ state: 'closed' }),
  })
  const record = recordWith(needs)
  const { runnable } = callableOf(record, () => ({ ok: true, value: 1 }))
  const found = { record, status: { state: 'active' }, publisher: PUBLISHER, runnable } as const
  return tell(found, { principal: ADMIN, userId: userId || undefined, requestUrl: () => REACHED_AT })
}

const problemsOf = async (...args: Parameters<typeof readinessOf>) => (await readinessOf(...args)).problems

it('the readiness of a tool reports missing requirements, or that they cannot be looked up', async () => {
  const needs = { providers: ['mail'] }
  expect(await problemsOf(needs)).toEqual([])
  const challenged = { look: async () => ({ challenge: challengeOf('mail'), reason: 'Nobody was asked' }) }
  expect(await problemsOf(needs, challenged)).toMatchObject([{ type: 'requirements-missing' }])
  const unreachable = { look: () => Promise.reject(new Error('Storage is away')) }
  expect(await problemsOf(needs, unreachable)).toMatchObject([{ type: 'unavailable' }])
})

it('the readiness of a tool reports a provider that is not set up, also without a user', async () => {
  const needsSetup = { challenge: { ...challengeOf('mail'), needsSetup: true }, reason: 'Set up mail' } as const
  const { problems, missing_requirements } = await readinessOf(
    { providers: ['mail'] },
    { findSetupRefusal: async () => needsSetup },
    { userId: '' },
  )
  expect(problems[0]?.developer_message).toMatch(/^Set up mail; No user given/)
  expect(missing_requirements).toMatchObject({ user_id: true, authorization: [{ id: 'mail', needs_setup: true }] })
})

it('the readiness of a tool reports a needed approval before it is requested, and whether anyone could give it', async () => {
  expect(await problemsOf({ securityLevel: 8 })).toMatchObject([{ type: 'approval-required' }])
  expect(await problemsOf({ securityLevel: 8 }, {}, { canBeApproved: false })).toMatchObject([{ type: 'forbidden' }])
})

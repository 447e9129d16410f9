import { expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { claimApprovalStage } from '../../../src/core/call/approval.ts'
import { NO_CONTEXT } from '../../../src/core/call/requirements.ts'
import type { Approvals } from '../../../src/core/consent/authorization.ts'
import { createBudget } from '../../../src/core/tool/budget.ts'
import { invocationWith } from '../../runners/http/records.ts'
import { callableOf, challengeOf, PUBLISHER, REACHED_AT, recordWith, worldOf } from './fakes.ts'

const requestUrl = () => REACHED_AT

async function claim(
  securityLevel: number,
  userId?: string,
  answer?: Awaited<ReturnType<Approvals['claim']>>,
  sha256?: () => Promise<string>,
) {
  const claims: Parameters<Approvals['claim']>[0][] = []
  const record = recordWith({ securityLevel })
  const { runnable } = callableOf(record, () => ({ ok: true, value: 1 }))
  if (!runnable.ok) throw new Error('It cannot run')
  const { deps } = worldOf()
  const claimed = await claimApprovalStage(
    {
      callId: 'call',
      record,
      runnable,
      publisher: PUBLISHER,
      caller: { principal: ADMIN, requestUrl, budget: createBudget(Infinity), background: () => undefined },
      context: NO_CONTEXT,
      invocation: { ...invocationWith(INPUT), userId },
      deadline: () => deps.startDeadline(1_000, () => undefined),
      deferFileRelease: () => undefined,
      ...(sha256 && { fileRefs: { places: [], byHandle: new Map([['artifact:x', { ...FILE, sha256 }]]) } }),
    },
    {
      ...deps,
      approvals: {
        async claim(given) {
          claims.push(given)
          return answer ?? { approved: true }
        },
      },
    },
  )
  return { record, claims, claimed }
}
const INPUT = { a: 1 }
const FILE = {
  contentType: 'text/plain',
  filename: 'a.txt',
  size: 3,
  etag: '"e"',
  read: async () => undefined,
  bytes: async () => new Uint8Array(3),
  base64: async () => 'AAAA',
}

it('an approval is claimed for the principal, the user, the tool and its input', async () => {
  const { record, claims, claimed } = await claim(8, 'ann')
  expect(claimed).toBeUndefined()
  const { id: tool, digest } = record
  const invocation = { principal: 'admin', tool, digest, user: 'ann', input: INPUT, credentials: [], files: [] }
  const more = { fingerprint: expect.any(String), tool: record, chargedTo: 'admin', requestUrl }
  expect(claims).toEqual([{ invocation, isDistinguishableByKey: false, ...more }])
  expect(JSON.parse(claims[0]?.fingerprint ?? '')).toEqual(invocation)
  const forNobody = await claim(10)
  expect(forNobody.claimed).toBeUndefined()
  expect(forNobody.claims[0]?.invocation).not.toHaveProperty('user')
})

it('an approval covers the exact bytes of its files, and is not requested if they cannot be read', async () => {
  const { claims } = await claim(8, 'ann', undefined, async () => 'ab12')
  const file = { handle: 'artifact:x', filename: 'a.txt', content_type: 'text/plain', size: 3, sha256: 'ab12' }
  expect(claims[0]?.invocation.files).toEqual([file])
  const broken = await claim(8, 'ann', undefined, () => Promise.reject(new Error('R2 is down')))
  expect(broken.claimed).toMatchObject({ ok: false, failure: { type: 'unavailable' } })
  expect(broken.claims).toEqual([])
})

it('an approval that is missing is a challenge', async () => {
  const { claimed } = await claim(8, 'ann', { challenge: challengeOf('approval'), reason: 'Level 8' })
  const challenge = challengeOf('approval')
  expect(claimed).toEqual({
    ok: false,
    failure: { type: 'approval-required', id: 'Example.Tool@1.0.0', reason: 'Level 8', challenge },
  })
})

it('an approval that no one could give here is refused', async () => {
  const { claimed } = await claim(8, 'ann', { refused: 'Nobody can', forOperator: 'Set up sign-in' })
  expect(claimed).toMatchObject({
    failure: { type: 'forbidden', reason: 'Nobody can', forOperator: 'Set up sign-in' },
  })
})

import { describe, expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { claimApproval } from '../../../src/core/call/approval.ts'
import type { Approvals } from '../../../src/core/consent/approvals.ts'
import { challengeOf, REACHED_AT, recordWith } from './fakes.ts'

const INPUT = { a: 1 }
const reachedAt = () => REACHED_AT

function claim(securityLevel: number, userId?: string, answer?: Awaited<ReturnType<Approvals['claim']>>) {
  const claims: Parameters<Approvals['claim']>[0][] = []
  const tool = recordWith({ securityLevel })
  const claimed = claimApproval(
    tool,
    INPUT,
    userId,
    { principal: ADMIN, reachedAt },
    {
      async claim(given) {
        claims.push(given)
        return answer ?? { approved: true }
      },
    },
  )
  return { tool, claims, claimed }
}

describe('an approval', () => {
  it('is not needed below level 8, and costs no promise', () => {
    for (const level of [0, 7]) expect(claim(level)).toMatchObject({ claimed: undefined, claims: [] })
  })

  it('is claimed for the principal, the user, the tool and its input', async () => {
    const { tool, claims, claimed } = claim(8, 'ann')
    expect(await claimed).toBeUndefined()
    expect(claims).toEqual([{ principal: 'admin', userId: 'ann', tool, input: INPUT, reachedAt }])
    const forNobody = claim(10)
    expect(await forNobody.claimed).toBeUndefined()
    expect(forNobody.claims).toEqual([{ principal: 'admin', tool: forNobody.tool, input: INPUT, reachedAt }])
    expect(forNobody.claims[0]).not.toHaveProperty('userId')
  })

  it('that a person has not given is a challenge', async () => {
    const { claimed } = claim(8, 'ann', { challenge: challengeOf('approval'), reason: 'Level 8' })
    expect(await claimed).toEqual({
      ok: false,
      failure: {
        type: 'approval-required',
        id: 'Example.Tool@1.0.0',
        reason: 'Level 8',
        challenge: challengeOf('approval'),
      },
    })
  })
})

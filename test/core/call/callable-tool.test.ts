import { createMeter } from '../../../src/core/tool/budget.ts'
import { describe, expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { type Stages, stagesOf } from '../../../src/core/call/callable-tool.ts'
import { createCallTool } from '../../../src/core/call/call.ts'
import { NO_CONTEXT } from '../../../src/core/call/requirements.ts'
import type { LookDeps, Stage } from '../../../src/core/call/stage.ts'
import type { Approvals } from '../../../src/core/consent/authorization.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { invocationWith } from '../../runners/http/records.ts'
import {
  callableOf,
  callerWith,
  callWith,
  challengeOf,
  type Needs,
  PUBLISHER,
  REACHED_AT,
  recordWith,
  worldOf,
} from './fakes.ts'

const reachedAt = () => REACHED_AT
const BYTES = { type: 'object', properties: { a: { type: 'string', contentEncoding: 'base64' } } } as const
const counted = ({ requirements, ready }: Stages) => [requirements.length, ready.length]

describe('the stages of a tool', () => {
  it('are none where its record asks for nothing, and such a call waits for nothing beside its tool', async () => {
    const tool = callableOf(recordWith({}), () => ({ ok: true, value: 1 }))
    expect(tool).toMatchObject({
      stages: { requirements: [], ready: [] },
      contextInputs: [],
      givesArtifacts: false,
      limits: [],
    })
    const { deps } = worldOf({ tool })
    const never = () => {
      throw new Error('Nothing of it concerns this tool')
    }
    const others = {
      userTokens: { tokenFor: never, renew: never },
      toolSecrets: { isGranted: never, secretFor: never },
      approvals: { claim: never },
      uploads: { find: never },
      artifacts: { keep: never, open: never },
      turns: { take: never },
    }
    const { callId: _, ...call } = callWith()
    expect(await createCallTool({ ...deps, ...others })(call, callerWith())).toMatchObject({ result: { ok: true } })
  })

  it.each<[string, Needs, Partial<ToolRecord>, number[]]>([
    ['a secret', { secrets: ['KEY'] }, {}, [1, 0]],
    ['a token', { providers: ['mail'] }, {}, [1, 0]],
    ['a user', { user_id: true }, {}, [1, 0]],
    ['an approval', { securityLevel: 8 }, {}, [0, 1]],
    ['an approval that a policy wants', {}, { requiresApproval: true }, [0, 1]],
    ['files', {}, { input: BYTES }, [0, 2]],
    ['all of these', { secrets: ['KEY'], securityLevel: 8 }, { input: BYTES }, [1, 3]],
  ])('are those of what it needs: %s', (_, needs, more, stages) => {
    expect(counted(stagesOf({ ...recordWith(needs), ...more }))).toEqual(stages)
  })
})

function approvalOf(securityLevel: number): { readonly stage: Stage; readonly record: ToolRecord } {
  const record = recordWith({ securityLevel })
  const [stage] = stagesOf(record).ready
  if (!stage) throw new Error('It needs no approval')
  return { stage, record }
}

describe('an approval', () => {
  async function claim(securityLevel: number, userId?: string, answer?: Awaited<ReturnType<Approvals['claim']>>) {
    const claims: Parameters<Approvals['claim']>[0][] = []
    const { stage, record } = approvalOf(securityLevel)
    const { runnable } = callableOf(record, () => ({ ok: true, value: 1 }))
    if (!runnable.ok) throw new Error('It cannot run')
    const { deps } = worldOf()
    const claimed = await stage.pass(
      {
        callId: 'call',
        record,
        runnable,
        publisher: PUBLISHER,
        caller: { principal: ADMIN, reachedAt, meter: createMeter() },
        context: NO_CONTEXT,
        invocation: { ...invocationWith(INPUT), userId },
        deadline: () => deps.startDeadline(1_000, () => undefined),
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

  it('is claimed for the principal, the user, the tool and its input', async () => {
    const { record, claims, claimed } = await claim(8, 'ann')
    expect(claimed).toBeUndefined()
    const { id: tool, digest } = record
    const shown = { principal: 'admin', tool, digest, user: 'ann', input: INPUT, credentials: [], files: [] }
    expect(claims).toEqual([{ shown, fingerprint: expect.any(String), tool: record, reachedAt }])
    expect(JSON.parse(claims[0]?.fingerprint ?? '')).toEqual(shown)
    const forNobody = await claim(10)
    expect(forNobody.claimed).toBeUndefined()
    expect(forNobody.claims[0]?.shown).not.toHaveProperty('user')
  })

  it('that a person has not given is a challenge', async () => {
    const { claimed } = await claim(8, 'ann', { challenge: challengeOf('approval'), reason: 'Level 8' })
    const challenge = challengeOf('approval')
    expect(claimed).toEqual({
      ok: false,
      failure: { type: 'approval-required', id: 'Example.Tool@1.0.0', reason: 'Level 8', challenge },
    })
  })

  it('that nobody could give here is refused', async () => {
    const { claimed } = await claim(8, 'ann', { refused: 'Nobody can', forOperator: 'Set up sign-in' })
    expect(claimed).toMatchObject({
      failure: { type: 'forbidden', reason: 'Nobody can', forOperator: 'Set up sign-in' },
    })
  })
})

describe('to look at a stage', () => {
  const look = ({ stage, record }: ReturnType<typeof approvalOf>, deps: Partial<LookDeps> = {}) =>
    stage.look?.(
      { record, publisher: PUBLISHER, hosts: [], userId: 'ann', reachedAt },
      {
        toolSecrets: { isGranted: () => true, secretFor: () => ({ missing: 'none' }) },
        grants: { look: async () => ({ token: '', account: '' }) },
        approvals: { canBeApproved: () => true },
        ...deps,
      },
    )

  it('says whether an approval will be asked for, and whether somebody could give it', async () => {
    const approval = approvalOf(8)
    expect(await look(approval)).toMatchObject({ type: 'approval-required', challenge: { url: '' } })
    expect(await look(approval, { approvals: { canBeApproved: () => false } })).toMatchObject({ type: 'forbidden' })
  })

  it('says what of its requirements is missing, or that this cannot be looked up', async () => {
    const record = recordWith({ providers: ['mail'] })
    const [stage] = stagesOf(record).requirements
    if (!stage) throw new Error('It requires nothing')
    expect(await look({ stage, record })).toBeUndefined()
    const challenged = { look: async () => ({ challenge: challengeOf('mail'), reason: 'Nobody was asked' }) }
    expect(await look({ stage, record }, { grants: challenged })).toMatchObject({ type: 'requirements-missing' })
    const unreachable = { look: () => Promise.reject(new Error('Storage is away')) }
    expect(await look({ stage, record }, { grants: unreachable })).toMatchObject({ type: 'unavailable' })
  })
})

import { expect, it } from 'vitest'
import { type Stages, selectStages } from '../../../src/core/call/callable-tool.ts'
import { createCallTool } from '../../../src/core/call/call.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { callableOf, callerWith, callWith, type Needs, recordWith, worldOf } from './fakes.ts'

const BYTES = { type: 'object', properties: { a: { type: 'string', contentEncoding: 'base64' } } } as const
const counted = ({ requirements, beforeRun }: Stages) => [requirements.length, beforeRun.length]

it('the stages of a tool without requirements are empty, and its call waits only for the tool', async () => {
  const tool = callableOf(recordWith({}), () => ({ ok: true, value: 1 }))
  expect(tool).toMatchObject({
    stages: { requirements: [], beforeRun: [] },
    contextParameters: [],
    givesArtifacts: false,
    limits: [],
  })
  const { deps } = worldOf({ tool })
  const never = () => {
    throw new Error('Nothing of it concerns this tool')
  }
  const others = {
    userTokens: { tokenFor: never, renew: never },
    toolSecrets: { isGranted: never, secretFor: never, formatGrantAdvice: never },
    approvals: { claim: never },
    uploads: { find: never },
    artifacts: { put: never, open: never },
    callLimiter: { take: never },
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
  ['a task', {}, { taskSupport: 'required' }, [1, 0]],
  ['a task, or none', {}, { taskSupport: 'optional' }, [0, 0]],
  ['files', {}, { input: BYTES }, [0, 2]],
  ['all of these', { secrets: ['KEY'], securityLevel: 8 }, { input: BYTES }, [1, 3]],
])('the stages of a tool match its requirements: %s', (_, needs, more, stages) => {
  expect(counted(selectStages({ ...recordWith(needs), ...more }))).toEqual(stages)
})

it('a tool that requires a task is refused for clients that could support tasks but do not', async () => {
  const { deps } = worldOf({
    tool: callableOf({ ...recordWith({}), taskSupport: 'required' }, () => ({ ok: true, value: 1 })),
  })
  const run = async (lacksTasks?: boolean) =>
    (await createCallTool(deps)(callWith(), { ...callerWith(), lacksTasks })).result
  expect(await run(true)).toMatchObject({ failure: { type: 'tool-not-executable', needsTask: true } })
  expect(await run(false)).toMatchObject({ ok: true })
  expect(await run()).toMatchObject({ ok: true })
})

import { expect, it, vi } from 'vitest'
import type { Principal } from '../../../src/core/access/principal.ts'
import type { CallOutcome, CallTool } from '../../../src/core/call/call-request.ts'
import { fail, ok } from '../../../src/core/failure/failure.ts'
import { createRunTask } from '../../../src/core/task/run-task.ts'
import type { Task, TaskStore } from '../../../src/core/task/task.ts'
import { createBudget } from '../../../src/core/tool/budget.ts'
import { toIdRef } from '../../../src/core/tool/tool-ref.ts'
import { createReloadPrincipal } from '../../../src/http/caller/reload-principal.ts'

const DAY_MS = 86_400_000
const AT = '2026-11-30T00:00:00.000Z'

/** Runs an approved task where no key and no agent is left, and the directory has users who are active or not. */
async function runFor(
  kind: Principal['kind'],
  id: string,
  isActive: boolean,
  result: CallOutcome['result'] = ok('It ran'),
) {
  const principal: Principal = { id, kind, scopes: ['tools:call'], tools: ['*'], users: ['ann'] }
  const stored: Task = {
    id: 't',
    status: 'input_required',
    createdAt: AT,
    lastUpdatedAt: AT,
    ttlMs: DAY_MS,
    pollIntervalMs: 1,
    revision: 1,
    tool: 'Bank.Pay@1.0.0',
    call: {
      call: { toolRef: toIdRef('Bank.Pay'), input: {} },
      context: { tokens: [], secrets: [] },
      caller: { principal, dialect: 'oxp', audience: 'program', requestUrl: 'https://here.example/' },
    },
  }
  const change = vi.fn<TaskStore['change']>(async () => 2)
  const callTool = vi.fn<CallTool>(async () => ({ callId: 'c', durationMs: 1, result }))
  const findPrincipal = createReloadPrincipal({
    config: { adminKey: undefined, access: 'keys' },
    stores: {
      keys: { findById: async () => undefined },
      connect: { list: async () => [] },
      access: { findMembership: async () => ({ isActive, groups: [] }) },
    },
    authentication: { sessions: { loadPrincipal: () => expect.unreachable() } },
  })
  const run = createRunTask({
    store: {
      create: async () => undefined,
      find: async () => stored,
      change,
      removeAll: async () => undefined,
    },
    authorizations: { find: async () => undefined },
    callTool,
    findPrincipal: (caller) => findPrincipal(caller.principal),
    createAbort: () => new AbortController(),
    openCaller: () => ({ budget: createBudget(1_000), background: () => undefined }),
    holdText: async () => () => undefined,
    now: () => Date.parse(AT) + 60_000,
    sleep: () => new Promise(() => undefined),
  })
  await run({ id: 't', revision: 1, size: 1 })
  return { last: change.mock.calls.at(-1)?.[1], calls: callTool.mock.calls.length }
}

it.each([
  ['key', 'key:k', 'The key was removed or has expired'],
  ['agent', 'agent:a', "The agent's access has ended"],
  ['person', 'person:ann', "The directory has deactivated 'ann'"],
  ['jwt', 'jwt:ann', "The directory has deactivated 'ann'"],
  ['admin', 'admin', 'The administrator no longer has access'],
] as const)(
  'a task of the principal %s, whose access has ended, fails with that reason, and its tool does not run',
  async (kind, id, reason) => {
    const result = fail({ type: 'unauthenticated', reason })
    expect(await runFor(kind, id, false)).toMatchObject({
      last: { status: 'failed', message: reason, outcome: { result } },
      calls: 0,
    })
  },
)

it('a task of an active user runs', async () => {
  expect(await runFor('jwt', 'jwt:ann', true)).toMatchObject({ last: { status: 'completed' }, calls: 1 })
})

it.each([
  [{ type: 'unavailable', message: 'Storage is away' }, 8_000],
  [{ type: 'rate-limited', retry_after_ms: 1_000 }, 8_000],
  [{ type: 'rate-limited', retry_after_ms: 90_000 }, 90_000],
] as const)('a task is continued later after %j, and looks unchanged', async (failure, waitMs) => {
  expect((await runFor('jwt', 'jwt:ann', true, fail(failure))).last).toEqual({ waitMs })
})

it('a tool that only asks to be called again is called again with its state', async () => {
  const { last } = await runFor('jwt', 'jwt:ann', true, fail({ type: 'input-required', requests: {}, state: 's' }))
  expect(last).toMatchObject({ status: 'working', waitMs: 8_000, pendingInput: { answers: { state: 's' } } })
})

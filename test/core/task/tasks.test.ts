import { expect, it } from 'vitest'
import type { Principal } from '../../../src/core/access/principal.ts'
import { ok } from '../../../src/core/failure/failure.ts'
import type { Task, TaskStore } from '../../../src/core/task/task.ts'
import { createTasks } from '../../../src/core/task/tasks.ts'
import type { CalledToolDeps } from '../../../src/core/call/authorize-call.ts'
import { part } from '../../simulation/part.ts'

const OUTCOME = { callId: 'c', durationMs: 1, result: ok('a secret'), tool: { id: 'Mail.Read@1.0.0', output: {} } }
const WORKING: Task = {
  id: 't',
  status: 'working',
  createdAt: '2026-11-30T00:00:00.000Z',
  lastUpdatedAt: '2026-11-30T00:00:00.000Z',
  ttlMs: 1,
  pollIntervalMs: 1,
  tool: 'Mail.Read@1.0.0',
  revision: 1,
}
const COMPLETED: Task = { ...WORKING, status: 'completed', outcome: OUTCOME }
let storedTask = WORKING
const store: TaskStore = {
  create: async () => undefined,
  find: async () => storedTask,
  change: async () => 2,
  removeAll: async () => undefined,
}
const tasks = createTasks({
  store,
  ...part<CalledToolDeps>({}),
  storesCredentials: true,
  clock: { now: () => 0, sleep: async () => undefined },
})
const ann: Principal = { id: 'jwt:ann', kind: 'jwt', scopes: ['tools:call'], tools: ['*'], users: ['ann'] }

it('a task is found with the credential that started it, and with one that covers its tool', async () => {
  for (const tools of [['*'], ['Mail.*']])
    expect(await tasks.get('t', { ...ann, tools })).toMatchObject({ ok: true, value: { id: 't' } })
})

it.each([WORKING, COMPLETED])(
  'a task ($status) cannot be found, changed or canceled with a narrower credential of the same principal',
  async (task) => {
    storedTask = task
    for (const narrower of [
      { ...ann, tools: ['Weather.*'] },
      { ...ann, scopes: ['tools:read' as const] },
    ]) {
      expect(await tasks.get('t', narrower)).toEqual(ok(undefined))
      expect(await tasks.get('t', narrower, 1_000)).toEqual(ok(undefined))
      expect(await tasks.update('t', narrower, {})).toEqual(ok(false))
      expect(await tasks.cancel('t', narrower)).toEqual(ok(false))
    }
  },
)

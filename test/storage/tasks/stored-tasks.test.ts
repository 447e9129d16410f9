import { afterEach, expect, it, vi } from 'vitest'
import type { DueTask } from '../../../src/core/task/task.ts'
import { DAY_MS } from '../../../src/core/tool/time.ts'
import { defineTasks, type TasksObject } from '../../../src/storage/tasks/tasks-object.ts'
import { createNamespace } from '../../platform/objects.ts'

let stop = () => {}
afterEach(() => {
  stop()
  vi.useRealTimers()
})

/** The object of one principal, whose runs do what `run` does. `check` may refuse a change of its storage. */
function open(run: (task: DueTask) => Promise<void>, check: (query: string) => void = () => {}) {
  vi.useFakeTimers()
  vi.spyOn(console, 'error').mockReturnValue(undefined)
  const runs: DueTask[] = []
  const Tasks = defineTasks<object>(Date.now, (_, task) => {
    runs.push(task)
    return run(task)
  })
  const { namespace, close } = createNamespace<TasksObject>((state) => {
    const { exec } = state.storage.sql
    state.storage.sql.exec = (query, ...bindings) => {
      check(query)
      return exec(query, ...bindings)
    }
    return new Tasks(state, {})
  })
  stop = close
  return { tasks: namespace.getByName('key:one'), runs }
}

it('a run that never ends is abandoned and its task runs again, and what the first run writes later changes nothing', async () => {
  const { tasks, runs } = open(() => new Promise(() => undefined))
  await tasks.create('a', { call: 'sealed' }, DAY_MS)
  await vi.advanceTimersByTimeAsync(590_000)
  expect(runs).toEqual([{ id: 'a', revision: 1, size: 6 }])
  await vi.advanceTimersByTimeAsync(30_000)
  expect(runs.map(({ revision }) => revision)).toEqual([1, 2])
  expect(await tasks.change('a', { status: 'completed', parts: {} }, 1)).toBeUndefined()
  expect(await tasks.change('a', { status: 'completed', parts: { outcome: 'sealed' } }, 2)).toBe(3)
  expect(await tasks.read('a', true)).toMatchObject({ row: { status: 'completed' }, parts: { outcome: 'sealed' } })
})

it('eight runs that never end delay the others for ten minutes at most', async () => {
  const { tasks, runs } = open(() => new Promise(() => undefined))
  for (let task = 1; task <= 9; task++) await tasks.create(`t${task}`, { call: 'sealed' }, DAY_MS)
  await vi.advanceTimersByTimeAsync(590_000)
  expect(runs).toHaveLength(8)
  await vi.advanceTimersByTimeAsync(30_000)
  expect(runs.map(({ id }) => id)).toContain('t9')
})

it('a run that fails is repeated soon, and a run that a change overtakes writes nothing', async () => {
  const { tasks, runs } = open(() => Promise.reject(new Error('No storage')))
  await tasks.create('a', { call: 'sealed' }, DAY_MS)
  await vi.advanceTimersByTimeAsync(11_000)
  expect(runs.map(({ revision }) => revision)).toEqual([1, 2, 3])
  expect(await tasks.change('a', { status: 'cancelled', parts: {} })).toBe(4)
  expect(await tasks.change('a', { parts: { message: 'late' } }, 3)).toBeUndefined()
  expect((await tasks.read('a', true))?.parts).toEqual({})
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runs).toHaveLength(3)
})

it('a task that is created again is the same task, but one that was canceled is replaced, and its run then writes nothing', async () => {
  const { tasks, runs } = open(() => new Promise(() => undefined))
  await tasks.create('a', { call: 'sealed', request: 'first' }, DAY_MS)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await tasks.create('a', { call: 'sealed', request: 'second' }, DAY_MS)).toMatchObject({
    row: { revision: 1 },
    parts: { request: 'first' },
  })
  await tasks.change('a', { status: 'cancelled', parts: { outcome: 'sealed' } })
  expect(await tasks.create('a', { call: 'sealed', request: 'second' }, DAY_MS)).toMatchObject({
    row: { status: 'working', revision: 3 },
    parts: { request: 'second' },
  })
  expect((await tasks.read('a', true))?.parts).toEqual({ request: 'second' })
  for (const revision of runs.map((run) => run.revision))
    expect(await tasks.change('a', { status: 'completed', parts: {} }, revision)).toBeUndefined()
})

it('a task whose run could not begin because the disk was full runs once there is room', async () => {
  let isFull = true
  const { tasks, runs } = open(
    async () => undefined,
    (query) => {
      if (isFull && /revision \+ 1|SET due/.test(query)) throw new Error('database or disk is full')
    },
  )
  await tasks.create('a', { call: 'sealed' }, DAY_MS)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(runs).toHaveLength(0)
  isFull = false
  await vi.advanceTimersByTimeAsync(10_000)
  expect(runs[0]).toMatchObject({ id: 'a' })
})

it('the links of a task are checked soon for a caller who asks, and a task that waits for its caller is left alone', async () => {
  const { tasks, runs } = open(async ({ id, revision }) => {
    const wait = id === 'links' ? { waitMs: 60_000 } : {}
    await tasks.change(
      id,
      { status: 'input_required', ...wait, parts: { message: 'Open it', pendingInput: 'x' } },
      revision,
    )
  })
  for (const id of ['links', 'form']) await tasks.create(id, { call: 'sealed' }, DAY_MS)
  await vi.advanceTimersByTimeAsync(50_000)
  expect(runs).toHaveLength(2)
  for (const id of ['links', 'form'])
    expect((await tasks.read(id, true))?.parts).toEqual({ message: 'Open it', pendingInput: 'x' })
  await vi.advanceTimersByTimeAsync(3_000)
  expect(runs.map(({ id }) => id)).toEqual(['links', 'form', 'links'])
})

it('a task runs at its end if nobody responds, and is deleted an hour later', async () => {
  const { tasks, runs } = open(async ({ id, revision }) => {
    const status = runs.length === 1 ? 'input_required' : 'failed'
    await tasks.change(id, { status, parts: {} }, revision)
  })
  await tasks.create('a', { call: 'sealed' }, DAY_MS)
  await vi.advanceTimersByTimeAsync(DAY_MS + 1_000)
  expect(runs).toHaveLength(2)
  expect(await tasks.read('a', true)).toMatchObject({ row: { status: 'failed' } })
  await vi.advanceTimersByTimeAsync(3_700_000)
  expect(await tasks.read('a', true)).toBeUndefined()
})

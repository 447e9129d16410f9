import { beforeEach, expect, it } from 'vitest'
import { LRUCache } from 'lru-cache'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import {
  createProcessRunner,
  type EndReason,
  ProcessEnd,
  type ProcessState,
} from '../../../src/runners/sandbox/process-runner.ts'
import type { EgressPolicy } from '../../../src/runners/sandbox/egress.ts'
import type { Isolate } from '../../../src/runners/sandbox/sandbox.ts'
import { part } from '../../simulation/part.ts'

type Host = Parameters<typeof createProcessRunner>[0]['shared']

let now: number
let disabled: string[]
let work: Promise<unknown>[]
let states: Map<string, ProcessState>
/** The calls that are under way in each process, to be answered or ended. */
let calls: { readonly process: string; answer(): void; fail(): void }[]
let runner: ReturnType<typeof createProcessRunner>

beforeEach(() => {
  now = 1_000_000
  disabled = []
  work = []
  states = new Map()
  calls = []
  runner = createProcessRunner({
    shared: hostOf('shared'),
    alone: [hostOf('alone-0'), hostOf('alone-1')],
    watchdog: part<Fetcher>({ fetch: async (url: string) => Response.json(stateOf(new URL(url).pathname.slice(1))) }),
    policies: new LRUCache<string, EgressPolicy>({ max: 10 }),
    background: (promise) => void work.push(promise),
    now: () => now,
    onEnd: () => undefined,
    onThirdEnd: async ({ digest }) => void disabled.push(digest),
  })
})

const stateOf = (name: string): ProcessState =>
  states.get(name) ?? { ends: 0, endedAt: 0, silentSince: 0, reason: 'silent' }

function hostOf(process: string): Host {
  const run = () =>
    new Promise((resolve, reject) => {
      calls.push({ process, answer: () => resolve('{}'), fail: () => reject(new Error('disconnected')) })
    })
  return part<Host>(Object({ run }))
}

/** Calls a tool, and gives where once it is there. */
async function call(digest: string) {
  const count = calls.length
  const tool = part<ToolRecord>({ digest })
  const isolate = part<Isolate>({ id: digest, isKept: true, egress: null, tool })
  const outcome = runner(isolate, [], new AbortController().signal).catch((error: unknown) =>
    error instanceof ProcessEnd ? error.details : error,
  )
  await expect.poll(() => calls.length).toBe(count + 1)
  const { process, answer } = calls[count] ?? expect.fail()
  return { process, outcome, answer: () => (answer(), outcome) }
}

/** Two seconds later the watchdog ends a process, with all that is under way in it. */
function endProcess(name: string, reason: EndReason = 'silent'): void {
  now += 2_000
  states.set(name, { ends: stateOf(name).ends + 1, endedAt: now, silentSince: now - 500, reason })
  for (const under of calls.filter(({ process }) => process === name)) under.fail()
}

it('the end of a shared process is blamed on the running tool if no other ran in it', async () => {
  const { outcome } = await call('loops')
  endProcess('shared')
  expect(await outcome).toEqual({ reason: 'silent', isToBlame: true, elapsedMs: 2_000 })
})

it('the end of a shared process is not blamed on a running tool if another that responded just before may still run', async () => {
  await (await call('answers-and-loops')).answer()
  now += 1_000
  const { outcome } = await call('under-way')
  endProcess('shared')
  expect(await outcome).toEqual({ reason: 'silent', isToBlame: false, elapsedMs: 2_000 })
  for (const digest of ['answers-and-loops', 'under-way']) expect((await call(digest)).process).toMatch(/^alone-/)
})

it('the end of a shared process is not blamed on a tool that ran long before', async () => {
  await (await call('long-before')).answer()
  now += 60_000
  const { outcome } = await call('loops')
  endProcess('shared')
  expect(await outcome).toMatchObject({ isToBlame: true })
  expect((await call('long-before')).process).toBe('shared')
})

it('the end of a shared process disables no tool, however often it happens', async () => {
  for (let end = 1; end <= 5; end++) {
    const underWay = await call('under-way')
    expect(underWay.process).toBe('shared')
    endProcess('shared')
    await underWay.outcome
    await (await call('under-way')).answer()
    await (await call('under-way')).answer()
  }
  expect(disabled).toEqual([])
})

it('a tool is disabled once it has ended two processes of its own, after a shared one', async () => {
  for (const process of ['shared', 'alone-0', 'alone-0']) {
    expect(disabled).toEqual([])
    const looping = await call('loops')
    expect(looping.process).toBe(process)
    endProcess(process)
    expect(await looping.outcome).toMatchObject({ isToBlame: true })
  }
  await Promise.all(work)
  expect(disabled).toEqual(['loops'])
})

it('a tool that keeps running after its responses is disabled at its third end, and no tool next to it', async () => {
  await (await call('goes-on')).answer()
  const beside = await call('beside')
  endProcess('shared')
  await beside.outcome
  await (await call('beside')).answer()
  await (await call('beside')).answer()
  expect((await call('beside')).process).toBe('shared')
  for (const _ of ['second end', 'third end']) {
    const { process, answer } = await call('goes-on')
    expect(process).toMatch(/^alone-/)
    await answer()
    endProcess(process)
  }
  await (await call('goes-on')).answer()
  await Promise.all(work)
  expect(disabled).toEqual(['goes-on'])
})

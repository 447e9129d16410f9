import { expect, it } from 'vitest'
import { createGuardedStream } from '../../src/outbound/guarded-stream.ts'
import { createMemory } from '../../src/outbound/memory-budget.ts'

const MB = 1_000_000
const PIECE = new Uint8Array(100_000)
const BUDGET = { name: 'answers', size: 32_000_000, share: 16_000_000, idleMs: 15_000 }
const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))

it('responses of one MCP server are buffered only within the memory of the caller', async () => {
  let sent = 0
  const answer = () => {
    let left = 4 * MB
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      // It never ends
      if (left === 0) return sleep(60_000)
      left -= PIECE.length
      sent += PIECE.length
      return controller.enqueue(PIECE)
    }
    return Promise.resolve(new Response(new ReadableStream({ pull }, { highWaterMark: 0 })))
  }
  const memory = createMemory({ now: Date.now, sleep }).createBudget(BUDGET)
  const stream = createGuardedStream({ fetch: answer, allowHttpHosts: new Set(), memory })
  const ending = new AbortController()
  const { signal } = ending
  const reading = Array.from({ length: 20 }, async () => {
    const opened = await stream({
      method: 'POST',
      url: 'https://mcp.example.com/',
      headers: new Headers(),
      credentialHeaders: [],
      signal,
      initiator: { toolkit: 'Kit', caller: 'key:a', timeoutMs: 30_000, signal },
      readLimits: { bytes: 8 * MB, parts: 1_000, bytesLeft: 8 * MB, partsLeft: 1_000 },
      onFailure: () => undefined,
    })
    return opened.ok ? opened.response.text().catch(() => 'broken off') : undefined
  })
  await expect.poll(() => sent).toBeGreaterThan(2 * MB)
  await sleep(1_000)
  expect(sent).toBeLessThan(16 * MB)
  ending.abort()
  expect(new Set(await Promise.all(reading))).toEqual(new Set(['broken off']))
})

it('requests of one session share one reservation, which its call releases', async () => {
  const memory = createMemory({ now: Date.now, sleep }).createBudget(BUDGET)
  const fetch = () => Promise.resolve(new Response(new Uint8Array(2 * MB).fill(32)))
  const stream = createGuardedStream({ fetch, allowHttpHosts: new Set(), memory })
  const { signal } = new AbortController()
  const allowance = { bytes: 8 * MB, parts: 1_000, bytesLeft: 8 * MB, partsLeft: 1_000 }
  // As a call does, which keeps one
  let release: (() => void) | undefined
  const ask = async () => {
    const opened = await stream({
      method: 'POST',
      url: 'https://mcp.example.com/',
      headers: new Headers(),
      credentialHeaders: [],
      signal,
      initiator: { toolkit: 'Kit', caller: 'key:a', timeoutMs: 30_000, signal },
      readLimits: allowance,
      onFailure: () => undefined,
      deferRelease(end) {
        release?.()
        release = end
      },
    })
    return opened.ok ? opened.response : undefined
  }
  const isFull = async () => {
    let looks = 0
    const whole = memory.reserve('key:a', () => (looks += 1) > 1)
    const isFree = await whole.grow(16 * MB)
    whole.release()
    return !isFree
  }
  await (await ask())?.arrayBuffer()
  expect(await isFull()).toBe(true)
  const second = await ask()
  expect(await isFull()).toBe(true)
  await second?.arrayBuffer()
  release?.()
  expect(await isFull()).toBe(false)
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryOf } from '../processes.ts'
import { createCallers, errand, startBusyServer } from './mixed-callers.ts'
import type { ServerProcess } from './process.ts'

const CALLERS = 1_000
/** Each kind of errand once. */
const ERRANDS = 8
/** More than twice what a server has that did this; an isolate has 128 MB, which workerd does not hold it to here. */
const MOST_MB = 1_500

let server: ServerProcess
beforeAll(async () => {
  server = await startBusyServer()
})
afterAll(() => server?.stop())

it('a server answers 1,000 callers at once correctly, or tells them when to retry', async () => {
  const callers = createCallers(server, CALLERS)
  const before = memoryOf(server.pid)
  await Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      for (let n = 0; n < ERRANDS; n++)
        await callers.run(errand(caller * ERRANDS + ((n + caller) % ERRANDS), `${caller}`))
    }),
  )
  const after = memoryOf(server.pid)
  const tallies = callers.tallies()
  callers.close()
  console.log('1,000 callers at once:', JSON.stringify({ before, after, ...tallies }).slice(0, 2_000))
  const kinds = Object.entries(tallies)
  expect(kinds).toHaveLength(ERRANDS)
  for (const [kind, { right, putOff, wrong }] of kinds) {
    expect(wrong.slice(0, 3), kind).toEqual([])
    expect(right + putOff, kind).toBe(CALLERS)
    // Else nothing would be served but excuses
    expect(right, kind).toBeGreaterThan(CALLERS / 2)
  }
  if (after !== undefined) expect(after).toBeLessThan(MOST_MB)
  expect((await server.json('GET', '/health')).status).toBe(200)
}, 300_000)

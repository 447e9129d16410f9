import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryOf } from '../processes.ts'
import { createCallers, errand, startBusyServer } from './mixed-callers.ts'
import type { ServerProcess } from './process.ts'

/** Seconds; `SOAK=600 npx vitest run --config test/vitest.config.ts --project e2e soak` takes ten minutes. */
const SECONDS = Number(process.env['SOAK'] ?? 0)
const CALLERS = 20
/** Between one errand of a caller and the next, so that they send some hundred a second together. */
const PAUSE_MS = 100
const SAMPLES = 20

let server: ServerProcess
beforeAll(async () => {
  if (SECONDS === 0) return
  server = await startBusyServer()
})
afterAll(() => server?.stop())

it.skipIf(SECONDS === 0)(
  `a server serves ${CALLERS} callers for SOAK seconds without needing more memory${SECONDS === 0 ? ' (skipped: SOAK=600 gives it ten minutes)' : ''}`,
  { timeout: (SECONDS + 300) * 1_000 },
  async () => {
    const callers = createCallers(server, CALLERS)
    const until = Date.now() + SECONDS * 1_000
    const working = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let n = caller; Date.now() < until; n += CALLERS) {
        await callers.run(errand(n, `${caller}`))
        await sleep(PAUSE_MS)
      }
    })
    const memory: (number | undefined)[] = []
    for (let sample = 0; sample < SAMPLES; sample++) {
      await sleep((SECONDS * 1_000) / SAMPLES)
      memory.push(memoryOf(server.pid))
    }
    await Promise.all(working)
    const tallies = callers.tallies()
    callers.close()
    console.log(`MB of memory, every ${SECONDS / SAMPLES} s: ${memory.join(' ')}`)
    console.log(JSON.stringify(tallies).slice(0, 2_000))
    expect(
      Object.values(tallies)
        .flatMap(({ wrong }) => wrong)
        .slice(0, 3),
    ).toEqual([])
    const [early, late] = [memory.slice(5, 10), memory.slice(-5)].map((each) => Math.min(...each.map((mb) => mb ?? 0)))
    expect(late).toBeLessThan(1.5 * (early ?? 0) + 50)
  },
)

import { Agent, request } from 'node:http'
import type { Silence } from './watch.ts'

/**
 * Asks a server every 100 ms whether it is well, in a process of its own, so that what a test does cannot be taken for what the
 * server does. Beside that it works for a moment now and then, and notes how much longer that took than the processor worked:
 * as much longer does a server take for anything while others use the machine. It says what it found once nobody writes to
 * it any more.
 */
const [url = ''] = process.argv.slice(2)
const EVERY_MS = 100
const WORK_MS = 20
const WORK_EVERY_MS = 250

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const slowness: { readonly at: number; readonly times: number }[] = []
let longest: Silence = { ms: 0, wallMs: 0, slowdown: 1 }
let asks = 0
let failure: string | undefined
let isUp = false
let askedAt: number | undefined

function work(): void {
  const at = performance.now()
  const before = process.cpuUsage()
  let worked = 0
  while (worked < WORK_MS) {
    const { user, system } = process.cpuUsage(before)
    worked = (user + system) / 1_000
  }
  slowness.push({ at, times: (performance.now() - at) / worked })
}

function note(from: number): void {
  const wallMs = performance.now() - from
  const meanwhile = slowness.filter(({ at }) => at >= from - WORK_EVERY_MS).map(({ times }) => times)
  const mean = meanwhile.length === 0 ? 1 : meanwhile.reduce((sum, each) => sum + each, 0) / meanwhile.length
  const slowdown = Math.max(1, mean)
  if (wallMs / slowdown > longest.ms) longest = { ms: wallMs / slowdown, wallMs, slowdown }
}

function ask(): void {
  const from = performance.now()
  askedAt = isUp ? from : undefined
  asks += 1
  const asking = request(`${url}/health`, { agent }, (response) => {
    response.resume()
    response.once('end', () => {
      askedAt = undefined
      // The first answer is that of a server that is starting
      if (isUp) note(from)
      isUp = true
      setTimeout(ask, EVERY_MS)
    })
  })
  asking.once('error', ({ message }) => {
    askedAt = undefined
    // A connection that was kept may be closed as it is used
    if (asking.reusedSocket) ask()
    else failure ??= message
  })
  asking.end()
}

work()
const working = setInterval(work, WORK_EVERY_MS)
ask()
process.stdin.resume()
process.stdin.once('end', () => {
  clearInterval(working)
  if (askedAt !== undefined) note(askedAt)
  process.stdout.write(JSON.stringify({ asks, longest, failure }), () => process.exit(0))
})

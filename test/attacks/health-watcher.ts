import { Agent, request } from 'node:http'

/**
 * Asks a server every 100 ms whether it is well, in a process of its own, so that what a test does cannot be taken for what the
 * server does. It says what it found once nobody writes to it any more.
 */
const [url = ''] = process.argv.slice(2)
const EVERY_MS = 100

const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let longestMs = 0
let asks = 0
let failure: string | undefined
let isUp = false
let askedAt: number | undefined

function note(from: number): void {
  longestMs = Math.max(longestMs, performance.now() - from)
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

ask()
process.stdin.resume()
process.stdin.once('end', () => {
  if (askedAt !== undefined) note(askedAt)
  process.stdout.write(JSON.stringify({ asks, longestMs, failure }), () => process.exit(0))
})

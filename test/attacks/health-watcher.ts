import { Agent, request } from 'node:http'

/**
 * Checks a server's health every 100 ms, in a separate process, so that the test's own work is not mistaken for the server's.
 * Prints its findings when its standard input closes.
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
      // The server may still be starting before its first response
      if (isUp) note(from)
      isUp = true
      setTimeout(ask, EVERY_MS)
    })
  })
  asking.once('error', ({ message }) => {
    askedAt = undefined
    // A reused connection may be closed just as it is used
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

import { randomInt } from 'node:crypto'
import { createServer } from 'node:http'
import { close, listen } from './oauth/provider.ts'

/**
 * Finds a free port on this machine. It is below the ephemeral ports, so the system does not assign it to another process
 * before it is used.
 */
export async function freePort(): Promise<number> {
  const server = createServer()
  try {
    const port = await listen(server, randomInt(20_000, 32_000))
    await close(server)
    return port
  } catch (error) {
    if (Object(error).code === 'EADDRINUSE') return freePort()
    throw error
  }
}

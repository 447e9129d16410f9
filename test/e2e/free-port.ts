import { randomInt } from 'node:crypto'
import { createServer } from 'node:http'
import { close, listen } from './oauth/provider.ts'

/**
 * A port of this machine that nobody listens at. It is below those that the system gives to whoever asks for any, so that
 * it is given to nobody else before it is used.
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

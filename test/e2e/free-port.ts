import { createServer } from 'node:http'
import { close, listen } from './oauth/provider.ts'

/** A port of this machine that nobody listens at. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server, 0)
  await close(server)
  return port
}

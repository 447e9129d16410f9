import { AsyncResource } from 'node:async_hooks'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { close, listen } from '../e2e/oauth/provider.ts'

type Handle = (request: Request) => Promise<Response>

/** Serves a fetch handler over HTTP on a free loopback port. Each request is handled within `inside`. */
export async function serve(
  inside: <T>(work: () => T) => T,
  handle: Handle,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    const answered = inside(() => answer(incoming, outgoing, handle))
    answered.catch((error: unknown) => outgoing.destroy(Error(String(error))))
  })
  const port = await listen(server, 0)
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections()
      await close(server)
    },
  }
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse, handle: Handle): Promise<void> {
  const gone = new AbortController()
  // Work that this aborts writes to this server's log
  const goAway = AsyncResource.bind(() => gone.abort())
  outgoing.once('close', goAway)
  const response = await handle(requestOf(incoming, gone.signal))
  outgoing.statusCode = response.status
  outgoing.statusMessage = response.statusText
  for (const [name, value] of response.headers) if (name !== 'set-cookie') outgoing.setHeader(name, value)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies)
  // A stream may take long to send its first line
  outgoing.flushHeaders()
  for await (const chunk of response.body ?? []) outgoing.write(chunk)
  outgoing.end()
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const {
    method = 'GET',
    url = '/',
    headers: { host },
    rawHeaders,
  } = incoming
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  const init: RequestInit = { method, headers, signal }
  const hasBody = headers.has('content-length') || headers.has('transfer-encoding')
  if (hasBody && method !== 'GET' && method !== 'HEAD') {
    Object.assign(init, { body: Readable.toWeb(incoming), duplex: 'half' })
  }
  return new Request(`http://${host}${url}`, init)
}

/** `http_request` of the Extism plugin ABI. Each redirect is checked outside the sandbox like a separate request. */
import { decode, MAX_MEMORY_BYTES } from './kernel.ts'
import type { PluginCall } from './plugin-call.ts'
import { COPIED_BYTE, PARSED_BYTE } from './prices.ts'
import { endWait, holdWhileWaiting } from './waiting.ts'

const REFUSED_HEADER = 'switchboard-refused'
const MAX_REQUESTS = 50
/** Bytes of a request's JSON, without its body. */
const MAX_REQUEST = 65_536

/** Returns the handle of the response's body. The plugin waits for it. */
export function requestHttp(call: PluginCall) {
  const { kernel, charge, http } = call
  return new WebAssembly.Suspending(async (request: bigint, body: bigint): Promise<bigint> => {
    http.requests += 1
    if (http.requests > MAX_REQUESTS) throw new Error(`The plugin made more than ${MAX_REQUESTS} requests`)
    if (kernel.length(request) > MAX_REQUEST)
      throw new Error(`The plugin described a request in more than ${MAX_REQUEST} bytes`)
    const { url, method, headers } = readRequest(decode(kernel.read(request, PARSED_BYTE)))
    const bodyBytes = body === 0n ? undefined : kernel.read(body, COPIED_BYTE).slice()
    http.status = 0
    http.headers = '{}'
    const heldBytes = call.countHeldBytes() + (bodyBytes?.length ?? 0)
    const end = Date.now() + call.timeoutMs
    holdWhileWaiting(call, heldBytes, end)
    try {
      const response = await fetch(url, { method, headers, ...(bodyBytes ? { body: bodyBytes } : {}) })
      const parts: Uint8Array<ArrayBuffer>[] = []
      let size = 0
      for await (const part of response.body ?? []) {
        size += part.length
        if (kernel.used() + size > MAX_MEMORY_BYTES)
          throw new Error('The answer is larger than the shared memory that is left')
        holdWhileWaiting(call, heldBytes + size, end)
        parts.push(part.slice())
      }
      const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
      if (response.headers.has(REFUSED_HEADER)) throw new Error(decode(bytes))
      http.status = response.status
      http.headers = JSON.stringify(Object.fromEntries(response.headers))
      charge(http.headers.length * PARSED_BYTE)
      return kernel.give(bytes)
    } finally {
      endWait(call)
    }
  })
}

function readRequest(text: string): { url: string; method: string; headers: Record<string, string> } {
  const request: unknown = JSON.parse(text)
  if (typeof request !== 'object' || request === null)
    throw new Error('The plugin made a request that is not an object')
  const { url, method = 'GET', headers, header } = Object(request)
  if (typeof url !== 'string' || !URL.canParse(url)) throw new Error('The plugin made a request without a URL')
  const headerEntries: [string, unknown][] = Object.entries(headers ?? header ?? {})
  return {
    url,
    method: String(method).toUpperCase(),
    headers: Object.fromEntries(headerEntries.map(([name, value]) => [name, String(value)])),
  }
}

/** A plugin's HTTP requests. Runs inside the sandbox: the gateway outside judges hosts. */
import type { Call } from './call.ts'

const REFUSED_HEADER = 'switchboard-refused'
/** Of one call. */
const MAX_REQUESTS = 50

/**
 * `http_request(request, body)`, with the request `{"url", "method"?, "headers"?}`, gives the handle of the answer's
 * body. The plugin waits. Each redirect is judged outside like a request of its own.
 */
export function requestHttp({ kernel, charge, http }: Call) {
  return new WebAssembly.Suspending(async (request: bigint, body: bigint): Promise<bigint> => {
    charge(kernel.block(request)?.length ?? 0)
    http.requests += 1
    if (http.requests > MAX_REQUESTS) throw new Error(`The plugin made more than ${MAX_REQUESTS} requests`)
    const { url, method, headers } = readRequest(kernel.text(request))
    const sent = body === 0n ? undefined : kernel.block(body)?.slice()
    http.status = 0
    http.headers = {}
    const response = await fetch(url, { method, headers, ...(sent ? { body: sent } : {}) })
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (response.headers.has(REFUSED_HEADER)) throw new Error(new TextDecoder().decode(bytes))
    http.status = response.status
    http.headers = Object.fromEntries(response.headers)
    charge(bytes.length)
    return kernel.alloc(bytes)
  })
}

function readRequest(text: string): { url: string; method: string; headers: Record<string, string> } {
  const request: unknown = JSON.parse(text)
  if (typeof request !== 'object' || request === null) throw new Error('The plugin made a request that is no object')
  const { url, method = 'GET', headers, header } = Object(request)
  if (typeof url !== 'string' || !URL.canParse(url)) throw new Error('The plugin made a request without a URL')
  const given: [string, unknown][] = Object.entries(headers ?? header ?? {})
  return {
    url,
    method: String(method).toUpperCase(),
    headers: Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  }
}

/** The imports of `extism:host/env` (Extism plugin ABI). Runs inside the sandbox. */
import type { HostFunctions, PluginCall } from './plugin-call.ts'

const MAX_VARIABLES = 1024 * 1024

const TEXT_COST = 8

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function extismFunctions(call: PluginCall): HostFunctions {
  const { kernel, input, config, charge, log } = call
  const view = new DataView(input.buffer, input.byteOffset, input.length)
  const variables = new Map<string, Uint8Array>()
  let variableBytes = 0
  let inputHandle = 0n

  const give = (bytes: Uint8Array): bigint => {
    charge(bytes.length)
    return kernel.alloc(bytes)
  }
  const keyOf = (handle: bigint): string => {
    charge(kernel.block(handle)?.length ?? 0)
    return kernel.text(handle)
  }
  const logAt = (level: string) => (handle: bigint) => {
    charge(kernel.block(handle)?.length ?? 0)
    log(level === 'info' ? kernel.text(handle) : `${level}: ${kernel.text(handle)}`)
  }

  return {
    alloc(length: bigint) {
      charge(Number(length))
      return kernel.alloc(new Uint8Array(boundedLength(length)))
    },
    free: kernel.free,
    length: (handle: bigint) => BigInt(kernel.block(handle)?.length ?? 0),
    length_unsafe: (handle: bigint) => BigInt(kernel.block(handle)?.length ?? 0),
    load_u8: kernel.load8,
    load_u64: kernel.load64,
    store_u8: kernel.store8,
    store_u64: kernel.store64,
    input_length: () => BigInt(input.length),
    input_offset: () => (inputHandle ||= give(input.slice())),
    input_load_u8: (at: bigint) => view.getUint8(Number(at)),
    input_load_u64: (at: bigint) => view.getBigUint64(Number(at), true),
    output_set(handle: bigint, length: bigint) {
      charge(Number(length))
      call.output = decoder.decode(kernel.block(handle)?.subarray(0, Number(length)))
    },
    error_set(handle: bigint) {
      call.error = handle === 0n ? undefined : keyOf(handle)
    },
    error_get: () => (call.error === undefined ? 0n : give(encoder.encode(call.error))),
    config_get(key: bigint) {
      const name = keyOf(key)
      const value = Object.hasOwn(config, name) ? config[name] : undefined
      return value === undefined ? 0n : give(encoder.encode(value))
    },
    var_get(key: bigint) {
      const value = variables.get(keyOf(key))
      return value ? give(value.slice()) : 0n
    },
    var_set(key: bigint, handle: bigint) {
      const name = keyOf(key)
      const value = handle === 0n ? undefined : kernel.block(handle)
      const before = variables.get(name)
      variableBytes += (value ? value.length + name.length : 0) - (before ? before.length + name.length : 0)
      if (variableBytes > MAX_VARIABLES) throw new Error(`The plugin's variables are over ${MAX_VARIABLES} bytes`)
      charge(value?.length ?? 0)
      if (value) variables.set(name, value.slice())
      else variables.delete(name)
    },
    http_request: requestHttp(call),
    http_status_code: () => call.http.status,
    http_headers() {
      const text = JSON.stringify(call.http.headers)
      charge(text.length * TEXT_COST)
      return give(encoder.encode(text))
    },
    log_trace: logAt('trace'),
    log_debug: logAt('debug'),
    log_info: logAt('info'),
    log_warn: logAt('warn'),
    log_error: logAt('error'),
    get_log_level: () => 0,
  }
}

function boundedLength(length: bigint): number {
  if (length < 0n || length > 16n * 1024n * 1024n) throw new Error(`The plugin asked for ${length} bytes at once`)
  return Number(length)
}

const REFUSED_HEADER = 'switchboard-refused'
const MAX_REQUESTS = 50

/** Gives the handle of the answer's body; the plugin waits. Each redirect is judged outside like a request of its own. */
function requestHttp({ kernel, charge, http }: PluginCall) {
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

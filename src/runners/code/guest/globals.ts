/** Runs before the module: `console` writes to the call's log, `fetch` rejects requests that the gateway refuses. */
import { AsyncLocalStorage } from './async-local-storage.js'

const REFUSED_HEADER = 'switchboard-refused'
const MAX_LINES = 100
/** Longer than the kept part, which is cut after redaction. */
const MAX_LINE = 4_000

export const currentLines = new AsyncLocalStorage<string[]>()

export function logGuest(...values: readonly unknown[]): void {
  const lines = currentLines.getStore()
  if (!lines || lines.length >= MAX_LINES) return
  const texts = values.slice(0, MAX_LINE).map((value) => toLogText(value).slice(0, MAX_LINE))
  // The added character forces a copy, because engines keep the whole text for a slice of it
  lines.push(` ${texts.join(' ').slice(0, MAX_LINE)}`.slice(1))
}

function toLogText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Error) return `${value.name}: ${value.message}`
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}

for (const method of ['debug', 'info', 'log', 'warn', 'error', 'trace', 'dir'] as const) console[method] = logGuest

/** `fetch` rejects with a TypeError. This class marks the gateway's messages. */
class RefusedError extends TypeError {}

/** Repeats the gateway's message, because a tool without hosts has no gateway. */
function whyNoHost(input: RequestInfo | URL): string {
  const { protocol, host } = new URL(input instanceof Request ? input.url : input)
  return `Cannot request "${protocol}//${host}": publish the tool with "${host}" in its allowed_hosts`
}

const platformFetch = globalThis.fetch

globalThis.fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
  const response = await platformFetch(input, init).catch((error: unknown) => {
    throw /not permitted to access the internet/.test(String(error)) ? new RefusedError(whyNoHost(input)) : error
  })
  if (!response.headers.has(REFUSED_HEADER)) return response
  throw new RefusedError(await response.text())
}

globalThis.WebSocket = new Proxy(WebSocket, {
  construct() {
    throw new RefusedError('A tool cannot open a WebSocket: send requests with fetch')
  },
})

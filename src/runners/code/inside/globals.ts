/**
 * What a published module finds in place of the platform's own, set before the module is loaded: `console` writes to the
 * log of the running call, and `fetch` rejects where the gateway refuses. This runs inside the sandbox.
 */
import { AsyncLocalStorage } from './async-local-storage.js'

/** The header of the gateway's refusals. */
const REFUSED_HEADER = 'switchboard-refused'
const MAX_LINES = 100
const MAX_LINE = 1_000

/** The lines that each call has logged. */
export const currentLines = new AsyncLocalStorage<string[]>()

/** Adds a line to the running call's log, as long as there is room. */
export function log(...values: readonly unknown[]): void {
  const lines = currentLines.getStore()
  if (!lines || lines.length >= MAX_LINES) return
  lines.push(values.map(shown).join(' ').slice(0, MAX_LINE))
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Error) return `${value.name}: ${value.message}`
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}

for (const method of ['debug', 'info', 'log', 'warn', 'error', 'trace', 'dir'] as const) console[method] = log

const platformFetch = globalThis.fetch

globalThis.fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
  const response = await platformFetch(input, init)
  if (!response.headers.has(REFUSED_HEADER)) return response
  throw new TypeError(await response.text())
}

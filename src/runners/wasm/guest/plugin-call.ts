import type { Kernel } from './kernel.ts'

export type HostFunctions = Record<string, (...values: never[]) => unknown>

/** In characters. Longer than the kept part of each, which is cut after redaction. */
export const MAX_LINE = 4_000
export const MAX_MESSAGE = 8_000
/** In characters. Outside the sandbox, an answer is refused if its whole message is longer. */
export const MAX_OUTPUT = 4_000_000
export const OUTPUT_TOO_LARGE = `The output is larger than ${MAX_OUTPUT} characters`

export interface PluginCall {
  readonly kernel: Kernel
  readonly input: Uint8Array
  readonly config: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Takes fuel for one call of a host function plus this amount. Throws if none is left. */
  readonly charge: (units: number) => void
  readonly log: (line: string) => void
  /** Counts bytes that the call keeps until it ends, besides its memory and blocks. */
  readonly countBytes: (bytes: number) => void
  /** All bytes that the call keeps. */
  readonly countHeldBytes: () => number
  readonly memory: () => DataView<ArrayBuffer>
  readonly http: { requests: number; status: number; headers: string }
  output: Uint8Array
  error: string | undefined
}

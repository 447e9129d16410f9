import type { EgressPolicy } from '../sandbox/egress.ts'
import type { GuestModules, SandboxCode } from '../sandbox/sandbox.ts'

/** For one call: less than a second's work. */
export const FUEL = 250_000_000
/** 64 KiB each. */
export const MAX_PAGES = 1_024

export function meteredBlob(blob: string): string {
  return `${blob}-metered`
}

export function pluginCode(
  inside: GuestModules,
  blob: string,
  egress: EgressPolicy | null,
  bytes: () => Promise<ArrayBuffer>,
): SandboxCode {
  return {
    name: `wasm:${inside.hash}:${blob}`,
    modules: async () => ({ ...(await inside.modules()), 'plugin.wasm': { wasm: await bytes() } }),
    egress,
    owner: [],
  }
}

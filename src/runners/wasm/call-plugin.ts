import type { Signal } from '../../core/tool/platform.ts'
import { type Answer, readAnswer } from '../sandbox/answer.ts'
import type { EgressPolicy } from '../sandbox/policy.ts'
import type { InsideModules, Sandbox, SandboxCode } from '../sandbox/sandbox.ts'
import type { ExportCall } from './inside/main.ts'

/** Units of fuel of one call of a plugin: less than a second's work, whatever it does. */
export const FUEL = 250_000_000
/** Pages of 64 KiB that a plugin's memory may grow to: 64 MiB. */
export const MAX_PAGES = 1_024

/** Where the metered form of an uploaded plugin is kept, which alone is ever run. `blob` is the upload's SHA-256. */
export function meteredBlob(blob: string): string {
  return `${blob}-metered`
}

/** The isolate of a plugin. Each call in it has an instance, and so a memory, of its own. `bytes` gives its metered form. */
export function pluginCode(
  inside: InsideModules,
  blob: string,
  egress: EgressPolicy | null,
  bytes: () => Promise<ArrayBuffer>,
): SandboxCode {
  return {
    name: `wasm:${inside.hash}:${blob}`,
    modules: async () => ({ ...(await inside.modules()), 'plugin.wasm': { wasm: await bytes() } }),
    egress,
    owner: '',
  }
}

/** Calls an export of a plugin. A text says why there is no answer: `unfinished`, where the signal aborted. */
export async function callPlugin(
  sandbox: Sandbox,
  id: string,
  code: SandboxCode,
  call: Omit<ExportCall, 'fuel'>,
  signal: Signal,
  unfinished: string,
): Promise<Answer | string> {
  return readAnswer(await sandbox.call(id, code, [{ ...call, fuel: FUEL }], signal), 'The plugin', unfinished)
}

import type { Meter } from '../../core/tool/budget.ts'
import type { Signal } from '../../core/tool/platform.ts'
import type { Redact } from '../../outbound/redaction.ts'
import { type SandboxAnswer, readAnswer } from '../sandbox/answer.ts'
import type { EgressPolicy } from '../sandbox/egress.ts'
import type { InsideModules, Sandbox, SandboxCode } from '../sandbox/sandbox.ts'
import type { ExportCall } from './inside/main.ts'

/** Less than a second's work, for one call. */
export const FUEL = 250_000_000
/** 64 KiB each. */
export const MAX_PAGES = 1_024

export function meteredBlob(blob: string): string {
  return `${blob}-metered`
}

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
    owner: [],
  }
}

export async function callPlugin(
  sandbox: Sandbox,
  code: SandboxCode,
  call: Omit<ExportCall, 'fuel'>,
  {
    signal,
    meter,
    redact = (text) => text,
  }: { readonly signal: Signal; readonly meter: Meter; readonly redact?: Redact },
  unfinished: string,
): Promise<SandboxAnswer | string> {
  const waited = await sandbox.call(code, [{ ...call, fuel: FUEL }], signal)
  return readAnswer(waited, 'The plugin', unfinished, meter, redact)
}

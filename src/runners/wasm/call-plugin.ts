import type { Signal } from '../../core/tool/platform.ts'
import { type Answer, firstLine, readAnswer } from '../sandbox/answer.ts'
import type { EgressPolicy } from '../sandbox/policy.ts'
import type { Modules, Sandbox, SandboxCode } from '../sandbox/sandbox.ts'

/** Units of fuel of one call of a plugin: less than a second's work, whatever it does. */
export const FUEL = 250_000_000
/** Pages of 64 KiB that a plugin's memory may grow to: 64 MiB. */
export const MAX_PAGES = 1_024

/** The modules under `inside/`, and a name that changes with them. */
export interface Inside {
  readonly hash: string
  readonly modules: Modules
}

/** The isolate of a plugin that is kept under `blob`. Each call in it has an instance, and so a memory, of its own. */
export function pluginCode(
  inside: Inside,
  blob: string,
  egress: EgressPolicy | null,
  bytes: () => Promise<ArrayBuffer>,
): SandboxCode {
  return {
    name: `wasm:${inside.hash}:${blob}`,
    mainModule: 'main.ts',
    modules: async () => ({ ...inside.modules, 'plugin.wasm': { wasm: await bytes() } }),
    egress,
    owner: '',
  }
}

/** What is asked of a plugin: an export, its input, and the configuration of this call. */
export interface Asked {
  readonly exported: 'describe' | 'call'
  readonly input: string
  readonly config: Readonly<Record<string, string>>
}

/** Calls an export of a plugin. Gives why there is no answer as text; undefined when the signal aborted. */
export async function callPlugin(
  sandbox: Sandbox,
  id: string,
  code: SandboxCode,
  asked: Asked,
  signal: Signal,
): Promise<Answer | string | undefined> {
  const waited = await sandbox.call(id, code, [{ ...asked, fuel: FUEL }], signal)
  if (waited.state === 'aborted') return undefined
  if (waited.state === 'failed') return `The plugin cannot run: ${firstLine(waited.error)}`
  return readAnswer(waited.value)
}

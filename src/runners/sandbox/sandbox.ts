import type { Signal } from '../../core/tool/platform.ts'
import { type Waited, untilAborted } from '../../outbound/until-aborted.ts'
import { whyUnlinked } from './link.ts'
import type { EgressPolicy } from './policy.ts'

export const NO_LOADER =
  'It needs the binding LOADER (Workers paid plan): add [[worker_loaders]] with binding = "LOADER" to wrangler.toml'

export const NO_SANDBOX = 'This deployment has no sandbox to run it in'

export interface SandboxCode {
  /** Differs where `modules` differ. */
  readonly name: string
  /** Read only when the isolate is made. */
  readonly modules: () => Modules | Promise<Modules>
  /** Null cuts it off from the network. */
  readonly egress: EgressPolicy | null
  /** No two owners share an isolate. Empty: nobody in particular. */
  readonly owner: string
}

export type Modules = Readonly<Record<string, { readonly js: string } | { readonly wasm: ArrayBuffer }>>

export interface InsideModules {
  readonly hash: string
  /** Read only when an isolate is made. */
  readonly modules: () => Promise<Modules>
}

export interface SandboxRunnerOptions {
  /** Absent where the deployment has no Worker Loader. */
  readonly sandbox: Sandbox | undefined
  readonly inside: InsideModules
  readonly allowHttpHosts: ReadonlySet<string>
  readonly log: (callId: string, message: string) => void
}

interface SandboxEntrypoint {
  run(...given: readonly unknown[]): Promise<unknown>
}

export interface SandboxOptions {
  readonly loader: WorkerLoader
  /** Opens the gateway under a policy. */
  readonly openEgress: (policy: EgressPolicy) => Fetcher
  readonly sha256: (text: string) => Promise<string>
}

/** Runs code in isolates of its own. */
export type Sandbox = ReturnType<typeof createSandbox>

const MAIN_MODULE = 'main.ts'
const COMPATIBILITY_DATE = '2026-10-15'
/** Of one call. Cloudflare holds isolates to them; a bare workerd does not. */
const LIMITS = { cpuMs: 10_000, subRequests: 50 }

/**
 * The loader keeps isolates by name and never looks again at what a name was loaded from, so the name holds all of
 * it: code, egress, credentials and owner.
 */
export function createSandbox({ loader, openEgress, sha256 }: SandboxOptions) {
  return {
    /** Names the isolate by everything that it is loaded with. */
    identify({ name, egress, owner }: SandboxCode): Promise<string> {
      return sha256(JSON.stringify([COMPATIBILITY_DATE, LIMITS, name, egress, owner]))
    },
    /** Loads the isolate unless it is there. Waits no longer than the signal. */
    call(
      id: string,
      { modules, egress }: SandboxCode,
      given: readonly unknown[],
      signal: Signal,
    ): Promise<Waited<unknown>> {
      return untilAborted(async () => {
        const worker = loader.get(id, async () => ({
          compatibilityDate: COMPATIBILITY_DATE,
          mainModule: MAIN_MODULE,
          modules: { ...(await modules()) },
          env: {},
          globalOutbound: egress && openEgress(egress),
          limits: LIMITS,
        }))
        const entrypoint = worker.getEntrypoint<SandboxEntrypoint & Rpc.WorkerEntrypointBranded>()
        return entrypoint.run(...given)
      }, signal)
    },
    whyUnlinked: (module: string) =>
      whyUnlinked(loader, { compatibilityDate: COMPATIBILITY_DATE, limits: LIMITS }, module),
  }
}

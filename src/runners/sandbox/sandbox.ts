import type { Signal } from '../../core/tool/platform.ts'
import { type Waited, untilAborted } from '../../outbound/until-aborted.ts'
import { whyUnlinked } from './link.ts'
import type { EgressPolicy } from './policy.ts'

/** Why these kinds of tools cannot run where a deployment has no Worker Loader. */
export const NO_LOADER =
  'It needs the binding LOADER (Workers paid plan): add [[worker_loaders]] with binding = "LOADER" to wrangler.toml'

/** The same for whoever can do nothing about it. */
export const NO_SANDBOX = 'This deployment has no sandbox to run it in'

/** What a Dynamic Worker is loaded from. */
export interface SandboxCode {
  /** Names `modules`: other modules have another name. */
  readonly name: string
  /** Read only when the isolate is not there yet. */
  readonly modules: () => Modules | Promise<Modules>
  /** Where it may send requests; null cuts it off from the network. */
  readonly egress: EgressPolicy | null
  /** Whom the isolate is for alone: no two owners ever share one. Empty: nobody in particular. */
  readonly owner: string
}

export type Modules = Readonly<Record<string, { readonly js: string } | { readonly wasm: ArrayBuffer }>>

/** What a kind of sandbox always holds beside the tool: the modules of its folder `inside/`, and a hash of them. */
export interface InsideModules {
  readonly hash: string
  /** Read only when an isolate is made. */
  readonly modules: () => Promise<Modules>
}

/** What the runners of all sandboxes are made of. */
export interface SandboxRunnerOptions {
  /** Absent where the deployment has no Worker Loader. */
  readonly sandbox: Sandbox | undefined
  readonly inside: InsideModules
  /** `host:port`s that may be private, and reached over http. */
  readonly allowHttpHosts: ReadonlySet<string>
  /** Writes a line of a tool's, redacted, to the log. */
  readonly log: (callId: string, message: string) => void
}

/** The way into a sandbox, which its main module exports as its default. It gives text. */
interface SandboxEntrypoint {
  run(...given: readonly unknown[]): Promise<unknown>
}

export interface SandboxOptions {
  readonly loader: WorkerLoader
  /** Opens the gateway that takes a sandbox's requests, under a policy. */
  readonly openEgress: (policy: EgressPolicy) => Fetcher
  readonly sha256: (text: string) => Promise<string>
}

/** Runs code in isolates of its own. */
export interface Sandbox {
  /** Names the isolate of this code: whatever differs in what is loaded differs in the name. */
  identify(code: SandboxCode): Promise<string>
  /** Calls into the isolate of this name, which is loaded first unless it is there. Waits no longer than the signal. */
  call(id: string, code: SandboxCode, given: readonly unknown[], signal: Signal): Promise<Waited<unknown>>
  /** Why a code tool's module would not load; undefined where it would, and where that cannot be told now. It is not run. */
  whyUnlinked(module: string): Promise<string | undefined>
}

/** The module of every folder `inside/` that is called. */
const MAIN_MODULE = 'main.ts'
const COMPATIBILITY_DATE = '2026-10-15'
/** For one call; Cloudflare holds an isolate to them, and nobody does where Switchboard runs on a bare workerd. */
const LIMITS = { cpuMs: 10_000, subRequests: 50 }

/**
 * Makes the sandbox of a deployment's Worker Loader. The loader keeps isolates by name and never looks again at what a
 * name was first loaded from, so the name holds everything that is: the code, where it may send requests, with which
 * credentials, and for whom.
 */
export function createSandbox({ loader, openEgress, sha256 }: SandboxOptions): Sandbox {
  return {
    identify({ name, egress, owner }) {
      return sha256(JSON.stringify([COMPATIBILITY_DATE, LIMITS, name, egress, owner]))
    },
    call(id, { modules, egress }, given, signal) {
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
    whyUnlinked: (module) => whyUnlinked(loader, { compatibilityDate: COMPATIBILITY_DATE, limits: LIMITS }, module),
  }
}

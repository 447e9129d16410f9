import { LRUCache } from 'lru-cache'
import type { Signal } from '../../core/tool/platform.ts'
import { type Waited, untilAborted } from '../../outbound/until-aborted.ts'
import { whyUnlinked } from './link.ts'
import type { EgressPolicy } from './egress-policy.ts'

export const NO_LOADER =
  'It needs the binding LOADER (Workers paid plan): add [[worker_loaders]] with binding = "LOADER" to wrangler.toml'

export const NO_SANDBOX = 'This deployment has no sandbox to run it in'

export interface SandboxCode {
  readonly name: string
  readonly modules: () => Modules | Promise<Modules>
  readonly egress: EgressPolicy | null
  /** A caller and their user, who share an isolate with nobody; empty where all share one. */
  readonly owner: readonly string[]
}

export type Modules = Readonly<Record<string, { readonly js: string } | { readonly wasm: ArrayBuffer }>>

export interface InsideModules {
  readonly hash: string
  readonly modules: () => Promise<Modules>
}

export interface SandboxRunnerOptions {
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
  readonly openEgress: (policy: EgressPolicy) => Fetcher
  readonly sha256: (text: string) => Promise<string>
}

export type Sandbox = ReturnType<typeof createSandbox>

const MAIN_MODULE = 'main.ts'
const COMPATIBILITY_DATE = '2026-10-15'
/** For one call. A bare workerd holds nobody to them. */
const LIMITS = { cpuMs: 10_000, subRequests: 50 }
/** In characters: a name takes some hundreds, and its credentials. */
const MAX_NAMES = 1_000_000

/** The loader never looks again at what a name was loaded from, so the name holds code, egress, credentials and owner. */
export function createSandbox({ loader, openEgress, sha256 }: SandboxOptions) {
  const ids = new LRUCache<string, string>({ maxSize: MAX_NAMES, sizeCalculation: (_, text) => text.length })
  return {
    call(
      { name, modules, egress, owner }: SandboxCode,
      given: readonly unknown[],
      signal: Signal,
    ): Promise<Waited<unknown>> {
      return untilAborted(async () => {
        const text = JSON.stringify([COMPATIBILITY_DATE, LIMITS, name, egress, owner])
        let id = ids.get(text)
        if (id === undefined) ids.set(text, (id = await sha256(text)))
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

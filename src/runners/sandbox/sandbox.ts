import { LRUCache } from 'lru-cache'
import type { Signal } from '../../core/tool/platform.ts'
import { untilAborted } from '../../outbound/until-aborted.ts'
import type { EgressPolicy } from './egress.ts'

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
  /** Whether the platform unloads isolates; a bare workerd keeps each that has a name until it ends. */
  readonly unloads: boolean
}

export type Sandbox = ReturnType<typeof createSandbox>

const MAIN_MODULE = 'main.ts'
/** The limits are for one call. A bare workerd holds nobody to them. */
const BOUNDS = { compatibilityDate: '2026-10-15', env: {}, limits: { cpuMs: 10_000, subRequests: 50 } }
/** In characters: a name takes some hundreds, and its credentials. */
const MAX_NAMES = 1_000_000
/** Isolates of some 2 MB each. */
const MAX_LOADED = 200
/** So many for tools whose callers share an isolate, and as many for callers' own. */
const OF_EACH_KIND = MAX_LOADED / 2
const OF_ONE_CALLER = MAX_LOADED / 10

/** The loader never looks again at what a name was loaded from, so the name holds code, egress, credentials and owner. */
export function createSandbox({ loader, openEgress, sha256, unloads }: SandboxOptions) {
  const stays = unloads ? undefined : createStays()
  const ids = new LRUCache<string, string>({ maxSize: MAX_NAMES, sizeCalculation: (_, text) => text.length })
  return {
    call({ name, modules, egress, owner }: SandboxCode, given: readonly unknown[], signal: Signal) {
      return untilAborted(async () => {
        const text = JSON.stringify([BOUNDS, name, egress, owner])
        let id = ids.get(text)
        if (id === undefined) ids.set(text, (id = await sha256(text)))
        const load = async () => ({
          ...BOUNDS,
          mainModule: MAIN_MODULE,
          modules: { ...(await modules()) },
          globalOutbound: egress && openEgress(egress),
        })
        const loadOrForget = () =>
          load().catch((error: unknown) => {
            stays?.forget(id, owner)
            throw error
          })
        const mayStay = stays?.add(id, owner) ?? true
        const worker = mayStay ? loader.get(id, loadOrForget) : loader.load(await load())
        const entrypoint = worker.getEntrypoint<SandboxEntrypoint & Rpc.WorkerEntrypointBranded>()
        return entrypoint.run(...given)
      }, signal)
    },
    whyUnlinked: (module: string) => whyUnlinked(loader, module),
  }
}

/** Callers choose users and credentials, so isolates beyond these end with their call. */
function createStays() {
  const loaded = new Set<string>()
  const counts = new Map<string | undefined, number>()
  const countOf = (caller: string | undefined) => counts.get(caller) ?? 0
  return {
    add(id: string, [caller]: SandboxCode['owner']): boolean {
      const shared = countOf(undefined)
      const ofKind = caller === undefined ? shared : loaded.size - shared
      const isFull = ofKind === OF_EACH_KIND || (caller !== undefined && countOf(caller) === OF_ONE_CALLER)
      if (loaded.has(id) || isFull) return loaded.has(id)
      loaded.add(id)
      counts.set(caller, countOf(caller) + 1)
      return true
    },
    /** An isolate that could not be loaded takes no memory. */
    forget(id: string, [caller]: SandboxCode['owner']): void {
      if (loaded.delete(id)) counts.set(caller, countOf(caller) - 1)
    },
  }
}

/** Linked before the tool's module is run, and run first: it ends the isolate. */
const STOP = "throw new Error('Linked')"
const MAIN = "import './stop.js'\nimport { default as handler } from './tool.js'\nexport default { fetch: handler }\n"
const REFUSED = /^Uncaught (?:(SyntaxError: .*)|Error: (No such module .*))$/m
const NO_DEFAULT = /^SyntaxError: The requested module '\.\/tool\.js' does not provide an export named 'default'/
const PLACE = /^ *at tool\.js:(\d+):(\d+)/m
const MAX_REASON = 300
const TIMEOUT_MS = 5_000

/** Why a module would not load; undefined where it would, and where that cannot be told. Nothing of it is run. */
export async function whyUnlinked(loader: Pick<WorkerLoader, 'load'>, module: string): Promise<string | undefined> {
  const waited = await untilAborted(async () => {
    const modules = { 'main.js': { js: MAIN }, 'stop.js': { js: STOP }, 'tool.js': { js: module } }
    const worker = loader.load({ ...BOUNDS, mainModule: 'main.js', modules, globalOutbound: null })
    await worker.getEntrypoint().fetch('https://tool.invalid/')
  }, AbortSignal.timeout(TIMEOUT_MS))
  return waited.state === 'failed' && waited.error instanceof Error ? reasonOf(waited.error.message) : undefined
}

function reasonOf(message: string): string | undefined {
  const [, syntax, missing] = REFUSED.exec(message) ?? []
  const reason = syntax ?? missing
  if (reason === undefined) return undefined
  if (NO_DEFAULT.test(reason)) return 'it must export a function as its default'
  const [, line, column] = PLACE.exec(message) ?? []
  const place = line === undefined ? '' : ` (line ${line}, column ${column})`
  return `${reason.slice(0, MAX_REASON)}${place}`
}

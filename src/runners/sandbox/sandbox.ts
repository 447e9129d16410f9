/**
 * Calls published code in separate isolates.
 *
 * 1. An isolate's id is the hash of everything it is loaded from: code, egress policy with its credentials, and owner. The
 *    loader never reloads an id.
 * 2. If the platform unloads no isolates, `IsolateQuota` decides whether one stays for other calls or ends with its call.
 * 3. `RunIsolate` loads and runs it: in this process, or in one of the processes of `process-runner.ts`.
 *
 * Its answer is untrusted text (`answer.ts`), and its requests come back through `egress.ts`.
 */
import { LRUCache } from 'lru-cache'
import type { Signal } from '../../core/tool/platform.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { raceAbort } from '../../outbound/until-aborted.ts'
import type { EgressPolicy } from './egress.ts'

export const NO_LOADER =
  'It needs the binding LOADER (Workers paid plan): add [[worker_loaders]] with binding = "LOADER" to wrangler.toml'

export const NO_SANDBOX = 'This deployment has no sandbox to run it in'

export interface SandboxCode {
  readonly name: string
  readonly modules: () => Modules | Promise<Modules>
  readonly egress: EgressPolicy | null
  /** A caller and their user, who do not share their isolate; empty if all callers share one. */
  readonly owner: readonly string[]
  /** Absent when a plugin describes itself. */
  readonly tool?: ToolRecord
}

export type Modules = Readonly<Record<string, { readonly js: string } | { readonly wasm: ArrayBuffer }>>

export interface GuestModules {
  readonly hash: string
  readonly modules: () => Promise<Modules>
}

export interface SandboxRunnerOptions {
  readonly sandbox: Sandbox | undefined
  readonly inside: GuestModules
  readonly allowHttpHosts: ReadonlySet<string>
  readonly log: (callId: string, message: string) => void
}

export interface SandboxEntrypoint extends Rpc.WorkerEntrypointBranded {
  run(...args: readonly unknown[]): Promise<unknown>
}

export type IsolateCode = Omit<WorkerLoaderWorkerCode, 'globalOutbound'>

export interface Isolate extends Pick<SandboxCode, 'egress' | 'tool'> {
  /** The hash of its code, egress policy, credentials and owner. */
  readonly id: string
  /** Whether it stays for other calls. */
  readonly isKept: boolean
  readonly load: () => Promise<IsolateCode>
}

/** Calls `run` of an isolate's main module. */
export type RunIsolate = (isolate: Isolate, args: readonly unknown[], signal: Signal) => Promise<unknown>

interface SandboxOptions {
  readonly run: RunIsolate
  readonly sha256: (text: string) => Promise<string>
  /** Absent if the platform unloads isolates. A bare workerd keeps each named isolate until workerd ends. */
  readonly quota?: IsolateQuota | undefined
}

export type Sandbox = ReturnType<typeof createSandbox>

const MAIN_MODULE = 'main.ts'
/** The limits apply to each call on Cloudflare. A bare workerd does not enforce them. */
const BOUNDS = { compatibilityDate: '2026-10-15', env: {}, limits: { cpuMs: 10_000, subRequests: 50 } }
/** In characters. A name has a few hundred, plus those of its credentials. */
const MAX_NAMES = 1_000_000
/** Each isolate takes about 2 MB. */
const MAX_LOADED = 200
/** Half are for tools whose callers share an isolate, half for isolates of one caller. */
const MAX_LOADED_OF_KIND = MAX_LOADED / 2
const MAX_LOADED_OF_CALLER = MAX_LOADED / 10

/** Runs isolates in this process. */
export function createLoaderRunner(loader: WorkerLoader, openEgress: (policy: EgressPolicy) => Fetcher): RunIsolate {
  return async ({ id, isKept, load, egress }, args) => {
    const loadWithEgress = async () => ({ ...(await load()), globalOutbound: egress && openEgress(egress) })
    const worker = isKept ? loader.get(id, loadWithEgress) : loader.load(await loadWithEgress())
    return worker.getEntrypoint<SandboxEntrypoint>().run(...args)
  }
}

export function createSandbox({ run, sha256, quota }: SandboxOptions) {
  const ids = new LRUCache<string, string>({ maxSize: MAX_NAMES, sizeCalculation: (_, text) => text.length })
  return {
    call({ name, modules, egress, owner, tool }: SandboxCode, args: readonly unknown[], signal: Signal) {
      return raceAbort(async () => {
        const text = JSON.stringify([BOUNDS, name, egress, owner])
        let id = ids.get(text)
        if (id === undefined) ids.set(text, (id = await sha256(text)))
        const load = async () => {
          try {
            return { ...BOUNDS, mainModule: MAIN_MODULE, modules: { ...(await modules()) } }
          } catch (error) {
            quota?.forget(id, owner)
            throw error
          }
        }
        const isKept = quota?.add(id, owner) ?? true
        return run({ id, isKept, load, egress, ...(tool && { tool }) }, args, signal)
      }, signal)
    },
    whyUnlinked: (module: string) => findLinkProblem(run, module),
  }
}

type IsolateQuota = ReturnType<typeof createIsolateQuota>

/** Limits loaded isolates, because callers choose users and credentials. An isolate beyond the limit ends with its call. */
export function createIsolateQuota() {
  const loadedIds = new Set<string>()
  const counts = new Map<string | undefined, number>()
  const getCount = (caller: string | undefined) => counts.get(caller) ?? 0
  return {
    add(id: string, [caller]: SandboxCode['owner']): boolean {
      const shared = getCount(undefined)
      const ofKind = caller === undefined ? shared : loadedIds.size - shared
      const isFull =
        ofKind === MAX_LOADED_OF_KIND || (caller !== undefined && getCount(caller) === MAX_LOADED_OF_CALLER)
      if (loadedIds.has(id) || isFull) return loadedIds.has(id)
      loadedIds.add(id)
      counts.set(caller, getCount(caller) + 1)
      return true
    },
    /** Frees the place of an isolate that failed to load, which takes no memory. */
    forget(id: string, [caller]: SandboxCode['owner']): void {
      if (loadedIds.delete(id)) counts.set(caller, getCount(caller) - 1)
    },
    /** Called when their process has ended. */
    clear(): void {
      loadedIds.clear()
      counts.clear()
    },
  }
}

/** Runs before the tool's module, once all modules are linked, and ends the isolate. */
const STOP = "throw new Error('Linked')"
const MAIN = "import './stop.js'\nimport { default as handler } from './tool.js'\nexport default { run: handler }\n"
const REFUSED = /^Uncaught (?:(SyntaxError: .*)|Error: (No such module .*))$/m
const NO_DEFAULT = /^SyntaxError: The requested module '\.\/tool\.js' does not provide an export named 'default'/
const PLACE = /^ *at tool\.js:(\d+):(\d+)/m
const MAX_REASON = 300
const TIMEOUT_MS = 5_000

/** Returns why a module would not load; undefined if it would or this is unknown. Runs none of its code. */
export async function findLinkProblem(run: RunIsolate, module: string): Promise<string | undefined> {
  const modules = { 'main.js': { js: MAIN }, 'stop.js': { js: STOP }, 'tool.js': { js: module } }
  const load = async () => ({ ...BOUNDS, mainModule: 'main.js', modules })
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const result = await raceAbort(() => run({ id: 'link', isKept: false, load, egress: null }, [], signal), signal)
  return result.state === 'failed' && result.error instanceof Error ? findReason(result.error.message) : undefined
}

function findReason(message: string): string | undefined {
  const [, syntax, noModule] = REFUSED.exec(message) ?? []
  const reason = syntax ?? noModule
  if (reason === undefined) return undefined
  if (NO_DEFAULT.test(reason)) return 'it must export a function as its default'
  const [, line, column] = PLACE.exec(message) ?? []
  const place = line === undefined ? '' : ` (line ${line}, column ${column})`
  return `${reason.slice(0, MAX_REASON)}${place}`
}

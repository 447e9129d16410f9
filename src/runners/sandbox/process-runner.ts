/**
 * Runs isolates in separate workerd processes, where only a watchdog ends loops and limits memory.
 *
 * `npm run serve` has one for all tools, `shared`, and others for one tool each, `alone-…`, behind Unix sockets in a folder
 * that only its user may enter. A process is started before its first call. The socket carries workerd's own RPC: `run` passes
 * an isolate's id and input, `load` and progress reports are callbacks, and ending the call ends the run. A request of an
 * isolate comes back with its id (`SandboxEgress`), so allowed hosts and credentials never leave this process.
 *
 * The watchdog (`src/node/sandbox-processes.ts`) ends a process that does not answer or takes too much memory. It looks on its
 * own schedule and at each `check`: at a call's deadline, when a call fails, and before the first call. A check also restarts
 * an ended process, and returns how many have ended, and when and why the last one did.
 *
 * 1. All running calls end with their process. A call that was sent when the process had long been silent never began, and is
 *    sent again.
 * 2. Their tools become suspects, and so do tools that ran just before, because a module may keep running after its answer.
 * 3. A suspect runs alone, in a new process that no other tool has used, while one is free. Its second answer there clears it,
 *    because the process survived the first; but not after a process has ended in which it ran alone.
 * 4. If a tool's process ends a second time while it runs alone, that is at least its third end, and `onThirdEnd` is called.
 *    An end of `shared` proves nothing about any one tool.
 */
import { LRUCache } from 'lru-cache'
import type { WaitUntil } from '../../core/tool/platform.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import type { SandboxPolicies } from './egress-entrypoint.ts'
import type SandboxHost from './process-host.ts'
import type { RunIsolate } from './sandbox.ts'

export type EndReason = keyof typeof END_REASONS

/** Describes how a tool ended its process, in words that follow the tool's name. */
export const END_REASONS = {
  silent: 'blocked its process and did not return',
  memory: 'took too much memory',
  crashed: 'crashed its process',
} as const

/** The watchdog's answer to a check. Ends under another tenant do not count. */
export interface ProcessState {
  readonly ends: number
  /** When the process last ended, and since when it had been silent, in milliseconds since 1970. */
  readonly endedAt: number
  readonly silentSince: number
  readonly reason: EndReason
}

/** The error of a run whose process ended before it answered. The tool is to blame if it is the only suspect. */
export class ProcessEnd extends Error {
  readonly details: { readonly reason: EndReason; readonly isToBlame: boolean; readonly elapsedMs: number }

  constructor(details: ProcessEnd['details']) {
    super('The process ended')
    this.details = details
  }
}

interface ProcessRunnerOptions {
  readonly shared: Service<SandboxHost>
  readonly alone: readonly Service<SandboxHost>[]
  readonly watchdog: Fetcher
  readonly policies: SandboxPolicies
  readonly background: WaitUntil
  readonly now: () => number
  readonly onEnd: () => void
  readonly onThirdEnd: (tool: ToolRecord, reason: EndReason) => Promise<void>
}

interface Run {
  /** The digest of the tool. Code that has no tool yet is identified by its isolate. */
  readonly key: string
  startedAt: number
  end?: ProcessEnd
}

interface SandboxProcess {
  readonly name: string
  readonly host: Service<SandboxHost>
  readonly runs: Set<Run>
  /** The tools that ran in this process, each with the time of its last run. */
  readonly tools: LRUCache<string, { readonly tool: ToolRecord | undefined; readonly at: number }>
  /** The key of the only tool that may run here; empty if all may. */
  tenant: string
  ends?: number
  /** When the process last answered. 0 means that it must be checked before another call. */
  answeredAt: number
}

/** A process that is silent for this long is ended. Equals the CPU time of a call on Cloudflare (`cpuMs`). */
export const SILENCE_MS = 10_000
/** The same after a call's deadline, when no one waits for a tool that is still computing. */
const SILENCE_AFTER_DEADLINE_MS = 1_000
/** A run is forgotten after this time, which exceeds every deadline: the platform may end the request that waits for it. */
const MAX_RUN_MS = 310_000
const CHECK_INTERVAL_MS = 1_000
/** A process that leaves a check unanswered handles no call that arrives this long after the check. */
const SURELY_SILENT_MS = 1_000
/** A tool that ran within this time before its process ended may have ended it. Loops are noticed within this time. */
const RECENT_MS = 15_000
const SUSPECT_TTL_MS = 3_600_000
const MAX_ENDS_ALONE = 2
const MAX_KNOWN = 10_000

export function createProcessRunner(options: ProcessRunnerOptions): RunIsolate {
  const { watchdog, policies, background, now, onEnd, onThirdEnd } = options
  const shared = createProcess('shared', options.shared)
  const alone = options.alone.map((host, index) => createProcess(`alone-${index}`, host))
  const suspects = new LRUCache<string, true>({ max: MAX_KNOWN, ttl: SUSPECT_TTL_MS })
  const endsAlone = new LRUCache<string, number>({ max: MAX_KNOWN })

  async function check(process: SandboxProcess, silenceMs: number): Promise<void> {
    const { name, tenant } = process
    const response = await watchdog.fetch(`https://watchdog.invalid/${name}?silence=${silenceMs}&tenant=${tenant}`)
    const state = await response.json<ProcessState>()
    const hasEnded = process.ends !== undefined && process.ends !== state.ends
    process.ends = state.ends
    process.answeredAt = now()
    if (hasEnded) endRuns(process, state)
  }

  function endRuns(process: SandboxProcess, { endedAt, silentSince, reason }: ProcessState): void {
    const { runs, tools } = process
    const underWay = [...runs].filter(({ startedAt }) => startedAt < Math.min(endedAt, silentSince + SURELY_SILENT_MS))
    const keys = new Set(underWay.map(({ key }) => key))
    for (const [key, { at }] of tools) if (endedAt - at < RECENT_MS) keys.add(key)
    for (const run of underWay) {
      run.end = new ProcessEnd({ reason, isToBlame: keys.size === 1, elapsedMs: endedAt - run.startedAt })
      runs.delete(run)
    }
    for (const key of keys) {
      suspects.set(key, true)
      if (process !== shared) countEnd(key, tools.get(key)?.tool, reason)
    }
    tools.clear()
    if (process === shared) onEnd()
  }

  function countEnd(key: string, tool: ToolRecord | undefined, reason: EndReason): void {
    const ends = (endsAlone.get(key) ?? 0) + 1
    endsAlone.set(key, ends)
    if (tool && ends >= MAX_ENDS_ALONE) background(onThirdEnd(tool, reason).then(() => endsAlone.delete(key)))
  }

  function processFor(key: string): SandboxProcess {
    if (!suspects.has(key)) return shared
    const isFree = ({ runs }: SandboxProcess) => [...runs].every((run) => run.key === key)
    const process = alone.find((sandbox) => sandbox.tenant === key && isFree(sandbox)) ?? alone.find(isFree) ?? shared
    if (process !== shared && process.tenant !== key) {
      process.tenant = key
      process.tools.clear()
    }
    return process
  }

  const run: RunIsolate = async (isolate, args, signal) => {
    const { id, isKept, load, egress, tool } = isolate
    const key = tool?.digest ?? id
    const process = processFor(key)
    const isAlone = process !== shared
    const current: Run = { key, startedAt: Infinity }
    for (const past of process.runs) if (now() - past.startedAt > MAX_RUN_MS) process.runs.delete(past)
    process.runs.add(current)

    async function leave(): Promise<void> {
      const isDeadline = Object(signal?.reason).name === 'TimeoutError'
      if (isDeadline) process.answeredAt = 0
      await check(process, isDeadline ? SILENCE_AFTER_DEADLINE_MS : SILENCE_MS)
      process.runs.delete(current)
    }
    const onAbort = () => background(leave())
    let ends: number | undefined
    try {
      if (isAlone || process.answeredAt === 0) {
        await check(process, SILENCE_MS)
        // The check may have made this tool a suspect
        if (processFor(key) !== process) return run(isolate, args, signal)
      } else if (now() - process.answeredAt > CHECK_INTERVAL_MS) background(check(process, SILENCE_MS))
      signal?.throwIfAborted()
      signal?.addEventListener('abort', onAbort, { once: true })
      ends = process.ends
      current.startedAt = now()
      const hasRun = process.tools.has(key)
      process.tools.set(key, { tool, at: now() })
      if (egress) policies.set(id, egress, { ttl: MAX_RUN_MS + SILENCE_MS })
      const hosted = { id, isKept: isKept && !isAlone, hasEgress: egress !== null }
      const value: unknown = await process.host.run(hosted, load, args)
      if (isAlone && hasRun && !endsAlone.has(key)) suspects.delete(key)
      return value
    } catch (error) {
      if (!current.end) await check(process, SILENCE_MS)
      // The process had ended before the call was sent, so the call never began
      if (!current.end && ends !== undefined && ends !== process.ends && !signal?.aborted)
        return run(isolate, args, signal)
      throw current.end ?? error
    } finally {
      process.runs.delete(current)
      if (process.tools.has(key)) process.tools.set(key, { tool, at: now() })
      signal?.removeEventListener('abort', onAbort)
    }
  }
  return run
}

function createProcess(name: string, host: Service<SandboxHost>): SandboxProcess {
  return { name, host, runs: new Set(), tools: new LRUCache({ max: MAX_KNOWN }), tenant: '', answeredAt: 0 }
}

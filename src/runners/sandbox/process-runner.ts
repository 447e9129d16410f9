/**
 * Runs isolates in workerd processes of their own, where nothing ends a loop or bounds memory but a watchdog.
 *
 * `npm run serve` has one for all tools, `shared`, and others for one each, `alone-…`, behind Unix sockets in a folder that
 * only its user may enter. A process is started before its first call. Over the socket goes workerd's own RPC: `run` hands over an
 * isolate's id and input, `load` and reports of progress are called back, and ending the call ends the run. A request of
 * an isolate comes back with its id (`SandboxEgress`), so allowed hosts and credentials never leave this process.
 *
 * `tend` has the watchdog (`src/node/sandbox-processes.ts`) ask whether a process gives an answer: it ends one that does
 * not, starts it again, and says how many it has ended, when and why. It is asked at the deadline of a call and when a
 * call fails; it also looks by itself. All calls that were under way end with their process, and their tools are suspected;
 * if there were none, those that ran just before, since a module may go on behind its answer. A suspect runs alone, in a
 * new process that no other tool has been in, while there is one for it. A tool that was the only suspect three times is told
 * to `onThirdEnd`, if it was alone the last time: in `shared` another one may have done it. A call that was sent when the
 * process had long been silent never began, and is sent again.
 */
import { LRUCache } from 'lru-cache'
import type { WaitUntil } from '../../core/tool/platform.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import type { SandboxPolicies } from './egress-entrypoint.ts'
import type SandboxHost from './process-host.ts'
import type { RunIsolate } from './sandbox.ts'

export type EndReason = keyof typeof END_REASONS

/** Of the tool that did it. */
export const END_REASONS = {
  silent: 'blocked its process and did not return',
  memory: 'took too much memory',
  crashed: 'crashed its process',
} as const

/** What the watchdog says of a process. */
export interface ProcessState {
  readonly ended: number
  /** Of the last end: when it was, and since when the process had not answered, in milliseconds since 1970. */
  readonly at: number
  readonly silentSince: number
  readonly reason: EndReason
}

/** Rejects a run whose process ended before it answered; it is to blame where no other tool ran in it. */
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
  /** Of the tool, else of the code. */
  readonly key: string
  started: number
  end?: ProcessEnd
}

interface SandboxProcess {
  readonly name: string
  readonly host: Service<SandboxHost>
  readonly runs: Set<Run>
  /** Those that ran in it, and when last. */
  readonly tools: LRUCache<string, { readonly tool: ToolRecord | undefined; readonly at: number }>
  ended?: number
  /** When it last answered; 0 where that is to be found out before another call. */
  answered: number
}

/** In milliseconds. As long as `cpuMs` gives a call on Cloudflare. */
export const SILENCE_MS = 10_000
/** Once a deadline has passed: a tool that computes for as long hurts nobody. */
const SILENCE_AFTER_DEADLINE_MS = 1_000
/** Past every deadline, the platform has dropped whoever waited for a run. */
const MAX_RUN_MS = 310_000
const TENDED_MS = 1_000
/** What arrives so long after a question that is not answered is not handled either. */
const SURELY_SILENT_MS = 1_000
/** Before its process ended: a loop was noticed within. */
const RECENT_MS = 15_000
const SUSPECTED_MS = 3_600_000
const MAX_ENDS = 3
const MAX_KNOWN = 10_000

export function createProcessRunner(options: ProcessRunnerOptions): RunIsolate {
  const { watchdog, policies, background, now, onEnd, onThirdEnd } = options
  const shared = createProcess('shared', options.shared)
  const alone = options.alone.map((host, index) => createProcess(`alone-${index}`, host))
  const suspects = new LRUCache<string, true>({ max: MAX_KNOWN, ttl: SUSPECTED_MS })
  const ends = new LRUCache<string, number>({ max: MAX_KNOWN })

  async function tend(process: SandboxProcess, silenceMs: number): Promise<void> {
    const answer = await watchdog.fetch(`https://watchdog.invalid/${process.name}?silence=${silenceMs}`)
    const state = await answer.json<ProcessState>()
    const hasEnded = process.ended !== undefined && process.ended !== state.ended
    process.ended = state.ended
    process.answered = now()
    if (hasEnded) endRuns(process, state)
  }

  function endRuns(process: SandboxProcess, { at, silentSince, reason }: ProcessState): void {
    const { runs, tools } = process
    const underWay = [...runs].filter(({ started }) => started < Math.min(at, silentSince + SURELY_SILENT_MS))
    const keys = new Set(underWay.map(({ key }) => key))
    for (const run of underWay) {
      run.end = new ProcessEnd({ reason, isToBlame: keys.size === 1, elapsedMs: at - run.started })
      runs.delete(run)
    }
    const ran = [...tools.entries()].filter(([key, last]) => (keys.size > 0 ? keys.has(key) : at - last.at < RECENT_MS))
    for (const [key] of ran) suspects.set(key, true)
    const [suspect] = ran
    if (suspect && ran.length === 1) blame(suspect[1].tool, reason, process !== shared)
    tools.clear()
    if (process === shared) onEnd()
  }

  function blame(tool: ToolRecord | undefined, reason: EndReason, isCertain: boolean): void {
    if (!tool) return
    const count = (ends.get(tool.digest) ?? 0) + 1
    ends.set(tool.digest, count)
    if (isCertain && count >= MAX_ENDS) background(onThirdEnd(tool, reason).then(() => ends.delete(tool.digest)))
  }

  function processFor(key: string): SandboxProcess {
    if (!suspects.has(key)) return shared
    const isFor = ({ runs }: SandboxProcess) => [...runs].every((run) => run.key === key)
    return alone.find((each) => each.tools.has(key) && isFor(each)) ?? alone.find(isFor) ?? shared
  }

  /** Waits only where it has to: for a process that may have to be started, or in which another tool has been. */
  async function prepare(process: SandboxProcess, key: string): Promise<void> {
    const isOthers = process !== shared && process.tools.size > 0 && !process.tools.has(key)
    if (isOthers) process.tools.clear()
    if (isOthers) return tend(process, 0)
    if (process !== shared || process.answered === 0) return tend(process, SILENCE_MS)
    if (now() - process.answered > TENDED_MS) background(tend(process, SILENCE_MS))
  }

  const run: RunIsolate = async (isolate, given, signal) => {
    const { id, isKept, load, egress, tool } = isolate
    const key = tool?.digest ?? id
    const process = processFor(key)
    const own: Run = { key, started: Infinity }
    for (const each of process.runs) if (now() - each.started > MAX_RUN_MS) process.runs.delete(each)
    process.runs.add(own)

    async function leave(): Promise<void> {
      const isDeadline = Object(signal?.reason).name === 'TimeoutError'
      if (isDeadline) process.answered = 0
      await tend(process, isDeadline ? SILENCE_AFTER_DEADLINE_MS : SILENCE_MS)
      process.runs.delete(own)
    }
    const onAbort = () => background(leave())
    let ended: number | undefined
    try {
      await prepare(process, key)
      signal?.throwIfAborted()
      signal?.addEventListener('abort', onAbort, { once: true })
      ended = process.ended
      own.started = now()
      process.tools.set(key, { tool, at: now() })
      if (egress) policies.set(id, egress, { ttl: MAX_RUN_MS + SILENCE_MS })
      const hosted = { id, isKept: isKept && process === shared, hasEgress: egress !== null }
      const value: unknown = await process.host.run(hosted, load, given)
      if (!ends.has(key)) suspects.delete(key)
      return value
    } catch (error) {
      if (!own.end) await tend(process, SILENCE_MS)
      // It had ended before the call was sent
      if (!own.end && ended !== undefined && ended !== process.ended && !signal?.aborted)
        return run(isolate, given, signal)
      throw own.end ?? error
    } finally {
      process.runs.delete(own)
      if (process.tools.has(key)) process.tools.set(key, { tool, at: now() })
      signal?.removeEventListener('abort', onAbort)
    }
  }
  return run
}

function createProcess(name: SandboxProcess['name'], host: Service<SandboxHost>): SandboxProcess {
  return { name, host, runs: new Set(), tools: new LRUCache({ max: MAX_KNOWN }), answered: 0 }
}

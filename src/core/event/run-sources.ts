/**
 * Runs schedules and polls every minute. One run makes up for all missed runs. The id of an event is derived from its cause,
 * so repeating an interrupted run creates the same event.
 */
import type { Caller, CallTool } from '../call/call-request.ts'
import { toValueResult } from '../call/output.ts'
import { NO_CONTEXT } from '../call/requirements.ts'
import { fail, type Failure, ok, type Result } from '../failure/failure.ts'
import { canonicalJson, type Sha256 } from '../tool/digest.ts'
import { isJson } from '../tool/json.ts'
import { toIdRef } from '../tool/tool-ref.ts'
import { findNextRun } from './cron.ts'
import type { EventLog } from './event.ts'
import type { EventSource, PollSettings, ScheduleSettings, SourceRun } from './event-source.ts'

export interface SourceRunDeps {
  readonly publish: EventLog['publish']
  /** Whether the source still has the same settings. */
  readonly isCurrent: () => Promise<boolean>
  /** Has no effect unless `isCurrent`. */
  readonly noteRun: (run: SourceRun) => Promise<void>
  readonly callTool: CallTool
  /** Undefined if the key was deleted or has expired. */
  readonly findCaller: (keyId: string) => Promise<Caller | undefined>
  readonly sha256: Sha256
  readonly now: () => number
}

const MINUTE_MS = 60_000
/** Runs start a varying number of seconds into the minute. */
const JITTER_MS = 30_000

/** Runs a source if it is due. Returns the failure, if any. */
export async function runSource(
  source: EventSource,
  run: SourceRun,
  deps: SourceRunDeps,
): Promise<Failure | undefined> {
  if (source.kind === 'webhook') return undefined
  const { id } = source
  const at = deps.now()
  // A run in the future means that the clock was wrong then
  if (run.at > at) return void (await deps.noteRun({ ...run, at }))
  const dueAt = findDueTime(source, run)
  if (dueAt === undefined || dueAt > at) return undefined
  const result = source.kind === 'poll' ? await pollTool(source, run, deps) : await tick(id, dueAt, deps)
  // A failed schedule is retried the next minute, but a failed poll only when it is due again
  if (result.ok || source.kind === 'poll') await deps.noteRun({ at, digest: result.ok ? result.value : run.digest })
  return result.ok ? undefined : result.failure
}

function findDueTime(source: ScheduleSettings | PollSettings, { at }: SourceRun): number | undefined {
  if (source.kind === 'schedule') return findNextRun(source.cron, source.time_zone, at)
  return at + source.every_minutes * MINUTE_MS - JITTER_MS
}

async function tick(id: string, dueAt: number, deps: SourceRunDeps): Promise<Result<null>> {
  const scheduled_at = new Date(dueAt).toISOString()
  const published = await deps.publish(id, scheduled_at, { scheduled_at })
  return published.ok ? ok(null) : published
}

/** Returns the digest of the tool's current output. The first output is not an event. */
async function pollTool(
  { id, tool, arguments: input, select, key_id, user_id: userId }: PollSettings & { readonly id: string },
  run: SourceRun,
  deps: SourceRunDeps,
): Promise<Result<string>> {
  const caller = await deps.findCaller(key_id)
  if (!caller) return fail({ type: 'unauthenticated', reason: `The key '${key_id}' no longer exists` })
  const context = userId === undefined ? NO_CONTEXT : { ...NO_CONTEXT, userId }
  const call = { input, context, toolRef: toIdRef(tool), includesContextParameters: true, select }
  const { result } = await deps.callTool(call, caller)
  const output = result.ok ? toValueResult(result) : result
  if (!output.ok) return output
  const value = isJson(output.value) ? output.value : null
  const digest = await deps.sha256(canonicalJson(value))
  if (run.digest === null || run.digest === digest || !(await deps.isCurrent())) return ok(digest)
  const published = await deps.publish(id, `${run.at} ${run.digest} ${digest}`, { value })
  return published.ok ? ok(digest) : published
}

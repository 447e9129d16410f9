/**
 * Decides which calls become tasks, for clients that support tasks:
 *
 * 1. If the tool has `taskSupport`, or may run for longer than `SLOW_MS`, the call starts as a task. If it ends within
 *    `SYNC_WAIT_MS`, the response is its result. If it asks for input within that time, the task is canceled and the
 *    response is a round trip: "any multi-round-trip exchange SHOULD be completed before the task is created".
 * 2. Other calls run as usual. If a person must open a link first, the call becomes a task that waits for the person, without
 *    a round trip.
 *
 * If the task cannot be stored, as for an anonymous caller, the call runs without a task. But if storage did not respond, the
 * task may still run, so the response is that failure.
 */
import type { Caller, CallRequest } from '../../../../core/call/call-request.ts'
import type { Resolver } from '../../../../core/call/resolve-tool.ts'
import { toUrlElicitations } from '../../../../core/call/url-elicitations.ts'
import type { Task } from '../../../../core/task/task.ts'
import type { TaskManager } from '../../../../core/task/tasks.ts'
import { hasCapability, URL_ELICITATION } from '../../elicitation.ts'
import { toMcpFailure } from '../../failure-response.ts'
import { type WrapToolCall, encodeOutcome } from '../../tools-call.ts'
import type { McpResult } from '../../wire.ts'
import { toTaskFields } from './methods.ts'

export interface TaskCallDeps {
  readonly tasks: TaskManager
  readonly resolver: Pick<Resolver, 'resolve'>
}

const SLOW_MS = 30_000
/** A call that ends sooner is answered with its result. */
const SYNC_WAIT_MS = 500

export async function callToolWithTasks(
  deps: TaskCallDeps,
  ...[request, caller, exchange, callTool]: Parameters<WrapToolCall>
): ReturnType<WrapToolCall> {
  const { tasks } = deps
  const { revision, context } = exchange
  const canOpenLinks = hasCapability(context.capabilities, URL_ELICITATION)

  /** Undefined if the call must run without a task. */
  async function waitForAnswer(startedTask: Task): Promise<McpResult | undefined> {
    // The call is a repetition, and the caller may be answering the requests of its task
    if (startedTask.status === 'input_required') return answerTask(startedTask)
    const taskResult = await tasks.get(startedTask.id, context.principal, SYNC_WAIT_MS, startedTask.lastUpdatedAt)
    const task = (taskResult.ok && taskResult.value) || startedTask
    if (task.outcome) return encodeOutcome(task.outcome, exchange)
    const asksForLinks = Object.values(task.inputRequests ?? {}).every(({ params }) => params.mode === 'url')
    if (task.status !== 'input_required' || (canOpenLinks && asksForLinks)) return answerTask(task)
    const cancelled = await tasks.cancel(startedTask.id, context.principal)
    return cancelled.ok ? undefined : toMcpFailure(cancelled.failure, revision)
  }

  const answerTask = (task: Task) => revision.createResult({ resultType: 'task', ...toTaskFields(task) })

  // If the tool cannot be looked up, the call without a task reports why
  if (await isLong(request, caller, deps).catch(() => false)) {
    const startedTask = await tasks.start(request, caller)
    // The task may have been stored, and must not run twice
    if (!startedTask.ok && startedTask.failure.type === 'unavailable')
      return toMcpFailure(startedTask.failure, revision)
    const answer = startedTask.ok ? await waitForAnswer(startedTask.value) : undefined
    return answer ?? callTool(request, caller)
  }
  const outcome = await callTool(request, caller)
  const { result } = outcome
  if (result.ok || !canOpenLinks || toUrlElicitations(result.failure).length === 0) return outcome
  const startedTask = await tasks.start(request, caller)
  return startedTask.ok ? answerTask(startedTask.value) : outcome
}

/** Does not check whether the caller may call the tool: no task starts without that check. */
async function isLong({ toolRef }: CallRequest, { principal, background }: Caller, { resolver }: TaskCallDeps) {
  const resolution = await resolver.resolve(toolRef, principal.view, background)
  if (!resolution.ok) return false
  const { record, runnable } = resolution.tool
  return runnable.ok && (record.taskSupport !== undefined || runnable.timeoutMs > SLOW_MS)
}

import type { Principal } from '../../../../core/access/principal.ts'
import type { Result } from '../../../../core/failure/failure.ts'
import { isOver, type Task } from '../../../../core/task/task.ts'
import type { TaskManager } from '../../../../core/task/tasks.ts'
import * as json from '../../../../core/tool/json-reader.ts'
import { isStringArray, type JsonObject } from '../../../../core/tool/json.ts'
import { formatReadError } from '../../../../core/tool/problem.ts'
import { toMcpFailure } from '../../failure-response.ts'
import { selectDeclared } from '../../revisions/2026-07-28/round-trip.ts'
import { encodeOutcome, type McpExchange } from '../../tools-call.ts'
import { invalid, type McpResult } from '../../wire.ts'
import type { ServerNotification, Watch } from '../extension.ts'

const MAX_WATCHED = 20
const PARAMS = json.looseObject({
  taskId: json.string({ min: 1, max: 256 }),
  inputResponses: json.optional(json.map(json.anyObject), {}),
})

/** Returns a task, or whether the task to change exists. */
export type RunMethod = (
  params: json.InferOutput<typeof PARAMS>,
  principal: Principal,
) => Promise<Result<Task | boolean | undefined>>

export async function answerMethod(run: RunMethod, params: JsonObject, exchange: McpExchange): Promise<McpResult> {
  const { revision, context } = exchange
  const read = json.parseValue(PARAMS, params)
  if (!read.ok) return invalid(formatReadError('the params', read.problems))
  const result = await run(read.value, context.principal)
  if (!result.ok) return toMcpFailure(result.failure, revision)
  if (!result.value) return invalid(`There is no task '${read.value.taskId.slice(0, 100)}', or it is not yours`)
  return revision.createResult(result.value === true ? {} : toDetailedTask(result.value, exchange))
}

/** Encodes a task for the response to the call that created it. */
export function toTaskFields({ id, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }: Task) {
  return { taskId: id, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }
}

/** Encodes a task with its outcome. A failed tool still has a result; only protocol errors do not. */
export function toDetailedTask(task: Task, exchange: McpExchange): object {
  const fields = toTaskFields(task)
  const { outcome, inputRequests } = task
  const answer = outcome && encodeOutcome(outcome, exchange)
  if (answer?.kind === 'result') return { ...fields, status: 'completed', result: answer.value }
  if (answer?.kind === 'error') {
    const { code, message, data } = answer
    return { ...fields, status: 'failed', error: { code, message, data } }
  }
  const { capabilities } = exchange.context
  return { ...fields, inputRequests: inputRequests && selectDeclared(inputRequests, capabilities) }
}

/** Watches the caller's tasks in `taskIds`. The first notification for each task contains its current state. */
export async function watchTasks(
  { taskIds }: JsonObject,
  exchange: McpExchange,
  tasks: TaskManager,
): Promise<Watch | undefined> {
  if (!isStringArray(taskIds)) return undefined
  const find = async (id: string, { context }: McpExchange) => {
    const result = await tasks.get(id, context.principal)
    return result.ok ? result.value : undefined
  }
  /** The last update of each task that the client knows. Tasks are read one at a time, since a result may have megabytes. */
  const lastUpdates = new Map<string, string>()
  for (const id of taskIds.slice(0, MAX_WATCHED)) if (await find(id, exchange)) lastUpdates.set(id, '')
  if (lastUpdates.size === 0) return undefined
  return {
    accepted: { taskIds: [...lastUpdates.keys()] },
    async poll(current) {
      const changes: ServerNotification[] = []
      for (const [id, lastUpdatedAt] of lastUpdates) {
        const task = await find(id, current)
        if (!task || task.lastUpdatedAt === lastUpdatedAt) continue
        lastUpdates.set(id, task.lastUpdatedAt)
        changes.push({ method: 'notifications/tasks', params: toDetailedTask(task, current) })
        if (!isOver(task)) continue
        // An ended task no longer changes. The next result waits for the next poll
        lastUpdates.delete(id)
        break
      }
      return changes
    },
  }
}

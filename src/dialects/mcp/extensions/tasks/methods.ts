import type { Principal } from '../../../../core/access/principal.ts'
import type { Result } from '../../../../core/failure/failure.ts'
import type { Task } from '../../../../core/task/task.ts'
import * as json from '../../../../core/tool/json-reader.ts'
import type { JsonObject } from '../../../../core/tool/json.ts'
import { formatReadError } from '../../../../core/tool/problem.ts'
import { toMcpFailure } from '../../failure-response.ts'
import { selectDeclared } from '../../revisions/2026-07-28/round-trip.ts'
import { encodeOutcome, type McpExchange } from '../../tools-call.ts'
import { invalid, type McpResult } from '../../wire.ts'

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
  const found = await run(read.value, context.principal)
  if (!found.ok) return toMcpFailure(found.failure, revision)
  if (!found.value) return invalid(`There is no task '${read.value.taskId.slice(0, 100)}', or it is not yours`)
  return revision.createResult(found.value === true ? {} : toDetailedTask(found.value, exchange))
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

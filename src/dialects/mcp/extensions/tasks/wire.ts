import type { Task } from '../../../../core/task/task.ts'
import { selectDeclared } from '../../revisions/2026-07-28/round-trip.ts'
import { encodeOutcome, type McpExchange } from '../../tools-call.ts'

/** A task as the answer to the call that made it has it. */
export function toTaskFields({ id, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }: Task) {
  return {
    taskId: id,
    status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttlMs,
    pollIntervalMs,
  }
}

/** A task with what it came to: the result of a tool that failed is one too, and only an error of the protocol is none. */
export function toDetailedTask(task: Task, exchange: McpExchange): object {
  const fields = toTaskFields(task)
  const { outcome, inputRequests } = task
  if (outcome) {
    const answer = encodeOutcome(outcome, exchange)
    if (answer.kind === 'result') return { ...fields, status: 'completed', result: answer.value }
    if (answer.kind === 'error')
      return { ...fields, status: 'failed', error: { code: answer.code, message: answer.message, data: answer.data } }
  }
  return inputRequests
    ? { ...fields, inputRequests: selectDeclared(inputRequests, exchange.context.capabilities) }
    : fields
}

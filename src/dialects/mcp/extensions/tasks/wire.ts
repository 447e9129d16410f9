import type { Task } from '../../../../core/task/task.ts'
import { selectDeclared } from '../../revisions/2026-07-28/round-trip.ts'
import { encodeOutcome, type McpExchange } from '../../tools-call.ts'

/** A task as the answer to the call that made it has it. */
export function toTaskFields({ id, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }: Task) {
  return { taskId: id, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }
}

/** A task with what it came to: the result of a tool that failed is one too, and only an error of the protocol is none. */
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

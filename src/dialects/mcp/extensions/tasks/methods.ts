import * as json from '../../../../core/tool/json-reader.ts'
import type { JsonObject } from '../../../../core/tool/json.ts'
import type { Result } from '../../../../core/failure/failure.ts'
import { formatReadError } from '../../../../core/tool/problem.ts'
import { toMcpFailure } from '../../failure-response.ts'
import type { Tasks } from '../../../../core/task/task.ts'
import type { McpExchange } from '../../tools-call.ts'
import { invalid, type McpResult } from '../../wire.ts'
import { toDetailedTask } from './wire.ts'

const PARAMS = json.looseObject({
  taskId: json.string({ min: 1, max: 256 }),
  inputResponses: json.optional(json.map(json.anyObject), {}),
})

export async function getTask(params: JsonObject, exchange: McpExchange, tasks: Tasks): Promise<McpResult> {
  const { revision, context } = exchange
  const read = json.parseValue(PARAMS, params)
  if (!read.ok) return invalid(formatReadError('the params', read.problems))
  const found = await tasks.get(read.value.taskId, context.principal)
  if (!found.ok) return toMcpFailure(found.failure, revision)
  if (!found.value) return unknownTask(read.value.taskId)
  return revision.createResult(toDetailedTask(found.value, exchange))
}

export function updateTask(params: JsonObject, exchange: McpExchange, tasks: Tasks): Promise<McpResult> {
  return acknowledge(params, exchange, ({ taskId, inputResponses }) =>
    tasks.update(taskId, exchange.context.principal, inputResponses),
  )
}

export function cancelTask(params: JsonObject, exchange: McpExchange, tasks: Tasks): Promise<McpResult> {
  return acknowledge(params, exchange, ({ taskId }) => tasks.cancel(taskId, exchange.context.principal))
}

async function acknowledge(
  params: JsonObject,
  { revision }: McpExchange,
  change: (params: json.InferOutput<typeof PARAMS>) => Promise<Result<boolean>>,
): Promise<McpResult> {
  const read = json.parseValue(PARAMS, params)
  if (!read.ok) return invalid(formatReadError('the params', read.problems))
  const changed = await change(read.value)
  if (!changed.ok) return toMcpFailure(changed.failure, revision)
  return changed.value ? revision.createResult({}) : unknownTask(read.value.taskId)
}

const unknownTask = (id: string) => invalid(`There is no task '${id.slice(0, 100)}', or it is not yours, or it is over`)

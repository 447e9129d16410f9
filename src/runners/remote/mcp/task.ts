import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client'
import type { RunContext } from '../../../core/call/runner.ts'
import type { JsonObject } from '../../../core/tool/json.ts'
import * as json from '../../../core/tool/json-reader.ts'
import { formatProblems } from '../../../core/tool/problem.ts'
import { raceAbort } from '../../../outbound/until-aborted.ts'
import type { RetryClock } from '../../shared/retrying-call.ts'
import { TASK_LOST } from './errors.ts'
import type { SessionWait } from './session.ts'

interface TaskCall extends Pick<RetryClock, 'sleep'>, Pick<RunContext, 'progress'> {
  readonly canAsk: boolean
  /** Responses to the task's earlier requests. */
  readonly responses: JsonObject
}

const TASK = json.looseObject({
  taskId: json.string({ min: 1, max: 1_024 }),
  status: json.enumReader(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: json.nullish(json.string()),
  pollIntervalMs: json.anyJson,
  inputRequests: json.nullish(json.anyObject, {}),
  result: json.nullish(json.anyObject, {}),
  error: json.nullish(json.anyObject, {}),
})
const ANY: StandardSchemaV1 = { '~standard': { version: 1, vendor: 'switchboard', validate: (value) => ({ value }) } }
const STATE = 'dev.switchboard/task:'

/** Finds the task that asked for input, if the call is repeated with its state. */
export function readTaskState(state: unknown): object | undefined {
  if (typeof state !== 'string' || !state.startsWith(STATE)) return undefined
  return { taskId: state.slice(STATE.length), status: 'working' }
}

/**
 * Polls a task (`io.modelcontextprotocol/tasks`) until it has ended or asks for input, and returns its result as the result of
 * the call. A returned error is the task's. If the call ends first, or no person can be asked, the task is canceled.
 */
export async function followTask(
  created: unknown,
  client: Client,
  { signal, timeout }: SessionWait,
  { sleep, progress, canAsk, responses }: TaskCall,
): Promise<Record<string, unknown> | Error> {
  let task = readTask(created)
  const { taskId } = task
  const send = (method: string, params: object, options: Partial<SessionWait>) =>
    client.request({ method, params: { taskId, ...params } }, ANY, options)
  const cancel = () => void send('tasks/cancel', {}, { timeout }).catch(() => undefined)
  // The server may not have processed the responses yet
  const isWorking = () =>
    task.status === 'working' ||
    (task.status === 'input_required' && Object.keys(task.inputRequests).every((key) => Object.hasOwn(responses, key)))
  signal.addEventListener('abort', cancel, { once: true })
  try {
    if (Object.keys(responses).length > 0)
      await send('tasks/update', { inputResponses: responses }, { signal, timeout })
    for (let step = 1; step === 1 || isWorking(); step++) {
      const wait = Math.min(Math.max(Number(task.pollIntervalMs ?? 1_000) || 0, 200), 10_000)
      if (isWorking()) await raceAbort(() => sleep(wait, signal), signal)
      task = readTask(await send('tasks/get', {}, { signal, timeout }))
      if (task.taskId !== taskId) throw new Error('It returned another task')
      if (task.statusMessage !== undefined) progress?.(step, undefined, task.statusMessage)
    }
  } catch (error) {
    if (!signal.aborted) cancel()
    throw Object.assign(new Error(error instanceof Error ? error.message : String(error)), { code: TASK_LOST })
  } finally {
    signal.removeEventListener('abort', cancel)
  }
  const { status, inputRequests, result, error, statusMessage } = task
  if (status === 'completed') return { ...result }
  if (status === 'input_required') {
    if (!canAsk) cancel()
    return { resultType: status, inputRequests, requestState: STATE + taskId }
  }
  const { code = 0, message = statusMessage ?? `The task is ${status}`, data } = error
  return Object.assign(new Error(String(message)), { code: Number(code), data })
}

function readTask(value: unknown): json.InferOutput<typeof TASK> {
  const read = json.parseValue(TASK, value)
  if (!read.ok) throw new Error(`It returned an invalid task: ${formatProblems(read.problems)}`)
  return read.value
}

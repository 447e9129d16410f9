/** Asynchronous calls: each is started once, and its state is polled until it has ended. */
import { type CallOptions, type CallResult, readResult, toCallRequest } from './call.ts'
import type { Connection } from './connection.ts'
import { getText, isObject, type JsonRecord } from './json.ts'
import { pollState } from './poll-state.ts'
import { SwitchboardError } from './switchboard-error.ts'

export interface AsyncCallState {
  readonly callId: string
  readonly status: (typeof STATUSES)[number]
  /** The tool's progress, or why the call waits. */
  readonly message?: string | undefined
  /** Links that a person must open before the call can continue. */
  readonly links: readonly string[]
}

/** Progress and links are reported by `wait`. */
export type AsyncCallOptions = Omit<CallOptions, 'onProgress' | 'waitForAuthorization'>

export interface WaitOptions {
  /** Ends the wait, not the call. */
  readonly signal?: AbortSignal | undefined
  /** Called after each poll. */
  readonly onState?: ((state: AsyncCallState) => void) | undefined
}

const toPath = (id: string) => `/calls/${encodeURIComponent(id)}`

export async function startCall(connection: Connection, tool: string, input: JsonRecord, options: AsyncCallOptions) {
  const request = toCallRequest(tool, input, options.callId ?? crypto.randomUUID(), options)
  return toState(await connection.sendJson({ ...request, headers: { prefer: 'respond-async' } }))
}

export function waitForCall(connection: Connection, callId: string, { signal, onState }: WaitOptions) {
  const findResult = (body: unknown): CallResult | undefined => {
    const state = toState(body)
    onState?.(state)
    if (state.status === 'cancelled') throw new SwitchboardError('cancelled', 'The call was canceled', { callId })
    const isRunning = state.status === 'working' || state.status === 'input_required'
    return isRunning ? undefined : { callId, ...readResult(body) }
  }
  return pollState(connection, toPath(callId), findResult, signal)
}

export async function cancelCall(connection: Connection, callId: string): Promise<void> {
  await connection.send({ method: 'DELETE', path: toPath(callId), isRepeatable: true, read: async () => undefined })
}

const STATUSES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const

function toState(body: unknown): AsyncCallState {
  const status = STATUSES.find((known) => known === getText(body, 'status'))
  const callId = getText(body, 'call_id')
  if (status === undefined || callId === undefined)
    throw new SwitchboardError('not_found', 'This call has no stored state')
  const requests = isObject(body) && isObject(body['input_requests']) ? Object.values(body['input_requests']) : []
  const links = requests.flatMap((request) => getText(isObject(request) && request['params'], 'url') ?? [])
  return { callId, status, message: getText(body, 'status_message'), links }
}

/** Calls that go on without their callers: each is started once, and its state is read until it has ended. */
import { type CallOptions, type CallResult, readResult, toCallBody } from './call.ts'
import { type Connection, readNote, sleep } from './connection.ts'
import { getText, isObject, type JsonRecord } from './json.ts'
import { SwitchboardError } from './switchboard-error.ts'

export interface AsyncCallState {
  readonly callId: string
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
  /** What the tool reports, or what the call waits for. */
  readonly message?: string | undefined
  /** Links that a person must open before the call goes on. */
  readonly links: readonly string[]
}

export interface WaitOptions {
  /** Ends the wait; the call goes on. */
  readonly signal?: AbortSignal | undefined
  /** Called with each state that is read. */
  readonly onState?: ((state: AsyncCallState) => void) | undefined
}

const WAIT_SECONDS = 55
const PAUSE_MS = 500
const toPath = (id: string) => `/calls/${encodeURIComponent(id)}`

export async function startCall(connection: Connection, tool: string, input: JsonRecord, options: CallOptions) {
  const { callId = crypto.randomUUID(), signal, timeout } = options
  return connection.send({
    method: 'POST',
    path: '/tools/call',
    json: toCallBody(tool, input, { ...options, callId }),
    headers: { prefer: 'respond-async' },
    signal,
    timeoutMs: timeout,
    // Under its call id the tool runs once, however many calls were stored
    isRepeatable: true,
    read: async (response) => toState(await response.json()),
  })
}

export async function waitForCall(connection: Connection, callId: string, { signal, onState }: WaitOptions) {
  // The first state is shown at once
  for (let wait = 0; ; wait = WAIT_SECONDS) {
    const [body, note] = await connection.send({
      path: toPath(callId),
      query: { wait },
      responseTimeoutMs: 2 * WAIT_SECONDS * 1_000,
      timeoutMs: Infinity,
      signal,
      read: async (response) => [await response.json(), readNote(response)] as const,
    })
    const state = toState(body)
    onState?.(state)
    if (state.status === 'cancelled') throw new SwitchboardError('cancelled', 'The call was cancelled', { callId })
    if (state.status !== 'working' && state.status !== 'input_required')
      return { callId, ...readResult(body, note) } satisfies CallResult
    await sleep(PAUSE_MS, signal)
  }
}

export async function cancelCall(connection: Connection, callId: string): Promise<void> {
  await connection.send({ method: 'DELETE', path: toPath(callId), isRepeatable: true, read: async () => undefined })
}

const STATUSES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const

function toState(body: unknown): AsyncCallState {
  const status = STATUSES.find((each) => each === getText(body, 'status'))
  const callId = getText(body, 'call_id')
  if (status === undefined || callId === undefined)
    throw new SwitchboardError('answer_invalid', 'This call was waited for')
  const requests = isObject(body) && isObject(body['input_requests']) ? Object.values(body['input_requests']) : []
  const links = requests.flatMap((request) => getText(isObject(request) && request['params'], 'url') ?? [])
  return { callId, status, message: getText(body, 'status_message'), links }
}

/**
 * Calls a tool, and waits for a person first if the call needs one.
 *
 * 1. The call is sent to `POST /tools/call` with a `call_id`. The deployment runs each id once, so every attempt is safe to
 *    repeat.
 * 2. With `onProgress`, the response may be an event stream: `progress` events, then `result`, with a `status` before the
 *    result if the response would otherwise have had an error status.
 * 3. If a person must consent or approve first, `waitForAuthorization` receives the links. Once every link is completed, the
 *    call is sent again with the same id, up to `MAX_ROUNDS` times in total. `timeout` restarts each time.
 * 4. Every `SwitchboardError` from a call has the `callId`, except errors from waiting for a person.
 */
import { loadChallengeDetails, pollAuthorization } from './authorization.ts'
import { type Connection, readNote } from './connection.ts'
import { isObject, type JsonRecord, tryParseJson, getText } from './json.ts'
import { type Challenge, toError, toToolError, SwitchboardError } from './switchboard-error.ts'

export interface CallOptions {
  /** A version or range, such as `1.2.0` or `^1.2`. Defaults to the newest. */
  readonly version?: string | undefined
  readonly user?: string | undefined
  /** A JMESPath expression, such as `items[].name`, that selects the part of the output to return. */
  readonly select?: string | undefined
  /** Calls with the same id run only once. Keep the id secret. Defaults to a new one. */
  readonly callId?: string | undefined
  /** Stops waiting for the response or a person. A tool that has started keeps running, and its result stays under the id. */
  readonly signal?: AbortSignal | undefined
  /** Time limit in milliseconds, not counting the time spent waiting for a person. No limit by default. */
  readonly timeout?: number | undefined
  /** Called with the tool's progress, until the connection is lost. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined
  /** Called with the links that a person must open first. Without it, the call throws `authorization_required`. */
  readonly waitForAuthorization?: ((challenges: readonly Challenge[]) => unknown) | undefined
}

export interface CallResult<T = unknown> {
  readonly callId: string
  readonly value: T
  /** A notice about the tool, such as that it is deprecated. */
  readonly note?: string
}

const MAX_ROUNDS = 5
/** A deployment ends every call after 300 s. */
const RESPONSE_TIMEOUT_MS = 330_000

export async function callTool(
  connection: Connection,
  toolAndVersion: string,
  input: JsonRecord,
  options: CallOptions,
): Promise<CallResult> {
  const { callId = crypto.randomUUID(), signal, waitForAuthorization } = options
  for (let round = 1; ; round++) {
    try {
      return { callId, ...(await callOnce(connection, toCallRequest(toolAndVersion, input, callId, options), options)) }
    } catch (error) {
      if (!(error instanceof SwitchboardError)) throw error
      const { challenges: links } = error.details
      if (!links) throw withDetails(error, { callId })
      const challenges = await Promise.all(links.map((link) => loadChallengeDetails(connection, link, signal)))
      if (!waitForAuthorization || round === MAX_ROUNDS) throw withDetails(error, { callId, challenges })
      await waitForAuthorization(challenges)
      for (const challenge of challenges) await pollAuthorization(connection, challenge, signal)
    }
  }
}

function callOnce(
  connection: Connection,
  request: ReturnType<typeof toCallRequest>,
  { onProgress }: CallOptions,
): Promise<Omit<CallResult, 'callId'>> {
  return connection.send({
    ...request,
    responseTimeoutMs: RESPONSE_TIMEOUT_MS,
    ...(onProgress ? { headers: { accept: 'application/json, text/event-stream' } } : {}),
    async read(response) {
      return readResult(await readCallResponse(response, onProgress), readNote(response))
    },
  })
}

/** The call id makes the request safe to repeat: the tool runs once. */
export function toCallRequest(toolAndVersion: string, input: JsonRecord, callId: string, options: CallOptions) {
  const { user, select, signal, timeout: timeoutMs } = options
  const [tool = '', ...rangeParts] = toolAndVersion.split('@')
  const version = options.version ?? (rangeParts.length > 0 ? rangeParts.join('@') : undefined)
  const tool_id = version === undefined ? tool : `${tool}@${version}`
  const context = user === undefined && select === undefined ? {} : { context: { user_id: user, select } }
  const json = { $schema: 'urn:oxp:1.0', request: { tool_id, call_id: callId, input, ...context } }
  return { method: 'POST', path: '/tools/call', json, isRepeatable: true, signal, timeoutMs }
}

/** Returns the value of a response with a `result`, or throws the tool's error. */
export function readResult(body: unknown, note?: string): Omit<CallResult, 'callId'> {
  const result = isObject(body) ? body['result'] : undefined
  if (!isObject(result)) throw new SwitchboardError('answer_invalid', 'The server is not a Switchboard')
  if (result['success'] !== true)
    throw toToolError(result['error'], getText(result['error'], 'message') ?? 'The tool failed')
  const artifact = isObject(body) ? body['artifact'] : undefined
  return {
    value: artifact === undefined ? result['value'] : { artifact },
    ...(note === undefined ? {} : { note }),
  }
}

function withDetails(error: SwitchboardError, details: SwitchboardError['details']): SwitchboardError {
  return new SwitchboardError(error.code, error.message, { ...error.details, ...details }, error.cause)
}

export interface ToolProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

async function readCallResponse(response: Response, onProgress: ((progress: ToolProgress) => void) | undefined) {
  const isStream = response.headers.get('content-type')?.includes('text/event-stream')
  if (!onProgress || !isStream) return tryParseJson(await response.text())
  let statusEvent: unknown
  for await (const [event, data] of parseEvents(response)) {
    if (event === 'progress') {
      const progress = toProgress(data)
      // So that an error in the listener is not treated as a connection error
      queueMicrotask(() => onProgress(progress))
    } else if (event === 'status') statusEvent = data
    else if (event === 'result') {
      if (!isObject(statusEvent)) return data
      const { status, retry_after: retryAfter } = statusEvent
      throw toError(Number(status), data, retryAfter === undefined ? null : String(retryAfter), true)
    }
  }
  throw new SwitchboardError('unreachable', 'The connection was lost before there was an answer', { canRetry: true })
}

async function* parseEvents(response: Response): AsyncGenerator<readonly [string, unknown], void, undefined> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let buffered = ''
  try {
    for (;;) {
      const chunk = await reader?.read()
      if (!chunk || chunk.done) return
      const blocks = (buffered + decoder.decode(chunk.value, { stream: true })).split(/\r?\n\r?\n/)
      buffered = blocks.pop() ?? ''
      for (const block of blocks) {
        const readField = (field: string) =>
          [...block.matchAll(new RegExp(`^${field}: ?(.*)$`, 'gm'))].map(([, value = '']) => value).join('\n')
        yield [readField('event'), tryParseJson(readField('data'))]
      }
    }
  } finally {
    await reader?.cancel().catch(() => undefined)
  }
}

function toProgress(data: unknown): ToolProgress {
  const { progress = 0, total, message } = isObject(data) ? data : {}
  return {
    progress: Number(progress),
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  }
}

import { described, settled } from './authorization.ts'
import type { Challenge } from './challenge.ts'
import type { Connection } from './connection.ts'
import { isObject, type JsonObject, textIn } from './json.ts'
import { type Progress, readAnswer, REPORTING } from './progress.ts'
import { failedTool, SwitchboardError } from './switchboard-error.ts'

export interface CallOptions {
  /** A version or a range, such as `1.2.0` or `^1.2`: the newest, unless this says otherwise. */
  readonly version?: string | undefined
  /** For whom the tool is called, in place of the client's user. */
  readonly user?: string | undefined
  /** Known to nobody else: a call that is made again under it is run once. A new one, unless this says otherwise. */
  readonly callId?: string | undefined
  /** Ends the wait for an answer, and for a person. A tool that has begun goes on, and what it comes to is there under the call's id. */
  readonly signal?: AbortSignal | undefined
  /** How long to try for, in milliseconds, the time in which a person is waited for not counted. For as long as it takes, unless this says otherwise. */
  readonly timeout?: number | undefined
  /** Told how far the tool is, where it says so; not again by a call that was joined after its connection was lost. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /**
   * Called with what a person must do first; the call waits until they have done it, and goes on. Without it such a call
   * throws `authorization_required`.
   */
  readonly waitForAuthorization?: ((challenges: readonly Challenge[]) => unknown) | undefined
}

export interface CallResult {
  readonly callId: string
  /** What the tool gave: null where it gives nothing. */
  readonly value: unknown
}

/** How often one call may ask a person for something: an account or two, and an approval. */
const MAX_ROUNDS = 5

/** Calls a tool, as `Switchboard.call` says. */
export async function callTool(
  connection: Connection,
  asked: string,
  input: JsonObject,
  options: CallOptions,
): Promise<CallResult> {
  const { callId = crypto.randomUUID(), signal, waitForAuthorization } = options
  for (let round = 1; ; round++) {
    try {
      return { callId, value: await callOnce(connection, asked, input, { ...options, callId }) }
    } catch (error) {
      if (!(error instanceof SwitchboardError)) throw error
      const { challenges: links } = error.details
      if (!links) throw about(error, { callId })
      const challenges = await Promise.all(links.map((each) => described(connection, each, signal)))
      if (!waitForAuthorization || round === MAX_ROUNDS) throw about(error, { callId, challenges })
      await waitForAuthorization(challenges)
      for (const challenge of challenges) await settled(connection, challenge, signal)
    }
  }
}

function callOnce(
  connection: Connection,
  asked: string,
  input: JsonObject,
  options: CallOptions & { readonly callId: string },
): Promise<unknown> {
  const { callId, user, onProgress } = options
  const [tool = '', selector] = splitAt(asked)
  const version = options.version ?? selector
  const signal = inTime(options)
  const tool_id = version === undefined ? tool : `${tool}@${version}`
  const context = user === undefined ? {} : { context: { user_id: user } }
  return connection.ask({
    method: 'POST',
    path: '/tools/call',
    json: { $schema: 'urn:oxp:1.0', request: { tool_id, call_id: callId, input, ...context } },
    ...(onProgress ? { headers: REPORTING } : {}),
    signal,
    repeatable: true,
    async read(response) {
      const body = await readAnswer(response, onProgress)
      const result = isObject(body) ? body['result'] : undefined
      if (!isObject(result)) throw new SwitchboardError('answer_invalid', 'What answered is no Switchboard')
      if (result['success'] === true) return result['value']
      throw failedTool(result['error'], textIn(result['error'], 'message') ?? 'The tool failed')
    },
  })
}

/** An id and its version, as in `Toolkit.Tool@1.2.3`. */
function splitAt(asked: string): readonly [string, string?] {
  const at = asked.indexOf('@')
  return at < 0 ? [asked] : [asked.slice(0, at), asked.slice(at + 1)]
}

function inTime({ signal, timeout }: CallOptions): AbortSignal | undefined {
  if (timeout === undefined) return signal
  const late = AbortSignal.timeout(timeout)
  return signal ? AbortSignal.any([signal, late]) : late
}

function about(error: SwitchboardError, more: SwitchboardError['details']): SwitchboardError {
  return new SwitchboardError(error.code, error.message, { ...error.details, ...more }, error.cause)
}

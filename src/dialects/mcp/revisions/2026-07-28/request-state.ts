import { parseTrusted } from '../../../../core/tool/json-text.ts'
import { ok, type Result } from '../../../../core/failure/failure.ts'
import type { Seal } from '../../../../core/call/seal.ts'
import type { InputResponses } from '../../../../core/tool/content.ts'
import type { Json } from '../../../../core/tool/json.ts'
import * as json from '../../../../core/tool/json-reader.ts'
import type { McpToolCall } from '../../wire.ts'

/** The state that the client returns with its responses, sealed. */
export interface RequestState {
  /** Keys of our own requests: the tool does not get the responses to them. */
  readonly asked: readonly string[]
  /** The tool's own state, from its last `InputRequests`. */
  readonly state?: Json
  /** Responses that the tool has not received yet, because a person had to open a link first. */
  readonly responses: InputResponses['responses']
}

const STATE: json.Reader<RequestState> = json.object({
  asked: json.optional(json.stringArray, []),
  state: json.anyJson,
  responses: json.optional(json.map(json.anyObject), {}),
})

export const NO_STATE: RequestState = { asked: [], responses: {} }

export const NO_RESPONSES: InputResponses = { responses: {} }

export async function sealState(
  state: Partial<RequestState>,
  associatedData: string,
  seal: Seal,
): Promise<Result<string | undefined>> {
  return Object.keys(state).length === 0 ? ok(undefined) : seal.seal(JSON.stringify(state), associatedData)
}

/** Returns undefined if the state was not issued for this call. */
export async function readState(
  { requestState }: McpToolCall,
  getAssociatedData: () => string,
  seal: Seal,
): Promise<Result<RequestState | undefined>> {
  if (requestState === undefined) return ok(NO_STATE)
  const unsealedState = await seal.unseal(requestState, getAssociatedData())
  if (!unsealedState.ok) return unsealedState
  if (unsealedState.value === undefined) return ok(undefined)
  const read = json.parseValue(STATE, parseTrusted(unsealedState.value))
  // A state that another version of this program sealed is ignored
  return read.ok ? read : ok(NO_STATE)
}

export function mergeResponses({ inputResponses }: McpToolCall, previousState: RequestState): InputResponses {
  const toolResponses = Object.entries(inputResponses ?? {}).filter(([key]) => !previousState.asked.includes(key))
  return {
    responses: { ...previousState.responses, ...Object.fromEntries(toolResponses) },
    ...(previousState.state === undefined ? {} : { state: previousState.state }),
  }
}

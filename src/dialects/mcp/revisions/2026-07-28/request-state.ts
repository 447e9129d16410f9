import { type Failing, ok, type Result } from '../../../../core/failure/failure.ts'
import type { Seal } from '../../../../core/call/seal.ts'
import type { InputResponses } from '../../../../core/tool/content.ts'
import { canonicalJson } from '../../../../core/tool/digest.ts'
import type { Json, JsonObject } from '../../../../core/tool/json.ts'
import {
  anyObject,
  anything,
  check,
  map,
  object,
  optional,
  type Reader,
  strings,
} from '../../../../core/tool/json-reader.ts'
import { askedByName } from '../../../../core/tool/tool-id.ts'
import type { McpError } from '../../json-rpc.ts'
import type { Client } from '../../toolset.ts'
import { invalid, type ToolCall } from '../../wire.ts'

/** A client gives it back with the repeated call (MCP 2026-07-28, "multi-round-trip requests"). */
export interface RequestState {
  /** Keys of requests that were our own: their answers are not handed to the tool. */
  readonly asked: readonly string[]
  readonly state?: Json
  /** Answers held back from the tool, since a person had to do something first. */
  readonly responses: InputResponses['responses']
}

const STATE: Reader<RequestState> = object({
  asked: optional(strings, []),
  state: anything,
  responses: optional(map(anyObject), {}),
})

const NO_STATE: RequestState = { asked: [], responses: {} }

const NO_ANSWERS: InputResponses = { responses: {} }

export async function sealState(
  state: Partial<RequestState>,
  bound: string,
  seal: Seal,
): Promise<Result<string | undefined>> {
  return Object.keys(state).length === 0 ? ok(undefined) : seal.seal(JSON.stringify(state), bound)
}

/** An error when the state was changed, has expired or is of another call. */
export async function readState(
  { requestState }: ToolCall,
  bound: () => string,
  seal: Seal,
): Promise<RequestState | McpError | Failing> {
  if (requestState === undefined) return NO_STATE
  const unsealed = await seal.unseal(requestState, bound())
  if (!unsealed.ok) return unsealed
  const text = unsealed.value
  if (text === undefined) return invalid("'requestState' was changed, has expired, or is of another call")
  const read = check(STATE, JSON.parse(text))
  return read.ok ? read.value : NO_STATE
}

/** The tool's own answers, of this round and of one that was kept waiting. */
export function answersOf({ inputResponses }: ToolCall, earlier: RequestState): InputResponses {
  if (inputResponses === undefined && earlier === NO_STATE) return NO_ANSWERS
  const own = Object.entries(inputResponses ?? {}).filter(([key]) => !earlier.asked.includes(key))
  return {
    responses: { ...earlier.responses, ...Object.fromEntries(own) },
    ...(earlier.state === undefined ? {} : { state: earlier.state }),
  }
}

/** Binds a state to the call and the user: nobody else may use it. */
export function boundTo({ name, selector, input }: ToolCall, { principal, request }: Client): string {
  const userId = request.headers.get('x-user-id')
  return JSON.stringify(['mcp', principal.id, userId, askedByName(name, selector), digestible(input)])
}

function digestible(input: JsonObject): string {
  try {
    return canonicalJson(input)
  } catch {
    // A lone surrogate has no canonical form
    return JSON.stringify(input)
  }
}

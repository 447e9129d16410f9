import type { InputResponses } from '../../../../core/tool/content.ts'
import { canonicalJson } from '../../../../core/tool/digest.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../core/tool/json.ts'
import type { Seal } from '../../../../core/call/seal.ts'
import { invalid, type ToolCall } from '../../wire.ts'
import type { McpError } from '../../json-rpc.ts'

/** What a client gives back with the call it repeats (MCP 2026-07-28, "multi-round-trip requests"). */
export interface Kept {
  /** What the client was asked for on our own behalf: keys of its answers, which are not the tool's. */
  readonly asked: readonly string[]
  /** What the tool wanted to be told again. */
  readonly state?: Json
  /** Answers that the tool was not given yet, since a person had to do something first. */
  readonly responses: InputResponses['responses']
}

/** Of a call that is made for the first time. */
export const NOTHING_KEPT: Kept = { asked: [], responses: {} }

const NO_ANSWERS: InputResponses = { responses: {} }

/** Seals what is to be given back; undefined when there is nothing to keep. */
export async function sealKept(kept: Partial<Kept>, bound: string, seal: Seal): Promise<string | undefined> {
  return Object.keys(kept).length === 0 ? undefined : seal.seal(JSON.stringify(kept), bound)
}

/** What a call gives back; an error when it was changed, is old, or is another call's. */
export async function readKept({ requestState }: ToolCall, bound: () => string, seal: Seal): Promise<Kept | McpError> {
  if (requestState === undefined) return NOTHING_KEPT
  const text = await seal.unseal(requestState, bound())
  if (text === undefined) return invalid("'requestState' was changed, has expired, or is of another call")
  const kept: Json = JSON.parse(text)
  if (!isJsonObject(kept)) return NOTHING_KEPT
  const { asked, state, responses } = kept
  return {
    asked: Array.isArray(asked) ? asked.filter((key) => typeof key === 'string') : [],
    ...(state === undefined ? {} : { state }),
    responses: isResponses(responses) ? responses : {},
  }
}

/** The answers that are the tool's own, of this round and of one that was kept waiting. */
export function answersOf({ responses }: ToolCall, kept: Kept): InputResponses {
  if (responses === undefined && kept === NOTHING_KEPT) return NO_ANSWERS
  const own = Object.entries(responses ?? {}).filter(([key]) => !kept.asked.includes(key))
  return {
    responses: { ...kept.responses, ...Object.fromEntries(own) },
    ...(kept.state === undefined ? {} : { state: kept.state }),
  }
}

/** What a state is sealed for: a client repeats the same call, and nobody else may. */
export function boundTo(principal: string, userId: string | null, asked: string, input: JsonObject): string {
  return JSON.stringify(['mcp', principal, userId, asked, digestible(input)])
}

function digestible(input: JsonObject): string {
  try {
    return canonicalJson(input)
  } catch {
    // It holds a lone surrogate, which has no canonical form
    return JSON.stringify(input)
  }
}

function isResponses(value: Json | undefined): value is InputResponses['responses'] & JsonObject {
  return isJsonObject(value)
}

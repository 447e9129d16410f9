import { identifier } from '../../core/call/call-fields.ts'
import type { InputResponses } from '../../core/tool/content.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import {
  anyObject,
  anything,
  check,
  map,
  object,
  oneOf,
  optional,
  parsed,
  string,
  unquoted,
} from '../../core/tool/json-reader.ts'
import { cannotRead } from '../../core/tool/problem.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'
import { INVALID_PARAMS, type McpError } from './json-rpc.ts'

export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'
const CALL_ID_KEY = 'dev.switchboard/call_id'
const CONTEXT_KEY = 'dev.switchboard/context'
const SELECTOR_KEY = 'dev.switchboard/version'
const SELECT_KEY = 'dev.switchboard/select'
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
const WITH_INFO = ['debug', 'info']

export interface ToolCall {
  readonly name: string
  readonly input: JsonObject
  readonly selector?: string | undefined
  readonly callId?: string | undefined
  readonly traceparent?: string | undefined
  readonly progressToken?: string | number | undefined
  readonly values?: JsonObject | undefined
  readonly select?: Json | undefined
  readonly logs: boolean
  readonly capabilities: JsonObject
  readonly inputResponses?: InputResponses['responses']
  readonly requestState?: string
}

const NOTHING: JsonObject = {}

const META = object(
  {
    progressToken: optional(
      parsed('a string or a number', (value) =>
        typeof value === 'string' || typeof value === 'number' ? value : undefined,
      ),
    ),
    traceparent: anything,
    [SELECTOR_KEY]: optional(string({ least: 1, most: 128 })),
    [CALL_ID_KEY]: optional(identifier),
    [SELECT_KEY]: optional(string()),
    [LOG_LEVEL_KEY]: optional(oneOf(LEVELS)),
    [CONTEXT_KEY]: optional(anyObject),
    [CAPABILITIES_KEY]: anything,
  },
  { unknown: 'ignore' },
)
const PARAMS = object(
  {
    name: string(),
    arguments: optional(anyObject, NOTHING),
    _meta: optional(META, {}),
    inputResponses: optional(map(anyObject)),
    requestState: optional(unquoted(string())),
  },
  { unknown: 'ignore' },
)

export function decodeToolCall(params: JsonObject): ToolCall | McpError {
  const read = check(PARAMS, params)
  if (!read.ok) return invalid(cannotRead('the params', read.problems))
  const { arguments: input, _meta, ...rest } = read.value
  const { progressToken, traceparent, [LOG_LEVEL_KEY]: level, [CAPABILITIES_KEY]: capabilities } = _meta
  return {
    ...rest,
    input,
    selector: _meta[SELECTOR_KEY],
    callId: _meta[CALL_ID_KEY],
    values: _meta[CONTEXT_KEY],
    select: _meta[SELECT_KEY],
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    progressToken,
    logs: level !== undefined && WITH_INFO.includes(level),
    capabilities: isJsonObject(capabilities) ? capabilities : NOTHING,
  }
}

export function invalid(message: string): McpError {
  return { code: INVALID_PARAMS, message, status: 200 }
}

/** `any` allows everything and is not listed; `value` is no object, which only revisions from 2026-07-28 have. */
type OutputKind = 'none' | 'any' | 'object' | 'value'

export function outputKind(output: JsonSchema | null): OutputKind {
  if (output === null) return 'none'
  if (output === true) return 'any'
  if (output === false) return 'value'
  if (output.type === 'object') return 'object'
  for (const _ in output) return 'value'
  return 'any'
}

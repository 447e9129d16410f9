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
import { INVALID_PARAMS, type McpError } from './json-rpc.ts'

/** Members of `_meta`: the protocol's own, and ours. */
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'
const CALL_ID_KEY = 'dev.switchboard/call_id'
const CONTEXT_KEY = 'dev.switchboard/context'
const SELECTOR_KEY = 'dev.switchboard/version'
const SELECT_KEY = 'dev.switchboard/select'
/** The levels of logs (RFC 5424), and those that let through `info`, at which tools log. */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
const WITH_INFO = ['debug', 'info']

/** The params of `tools/call`, read. */
export interface ToolCall {
  readonly name: string
  readonly input: JsonObject
  /** Which version, when the caller pins one. */
  readonly selector?: string
  readonly callId?: string
  readonly traceparent?: string
  readonly progressToken?: string | number
  /** What no model may infer, by the parameters' names: the client says it, not the model. */
  readonly values?: JsonObject
  /** Which part of the output is wanted. */
  readonly select?: Json
  /** Whether the caller wants what the tool logs. */
  readonly logs: boolean
  /** What the client declares with the call that it is capable of. */
  readonly capabilities: JsonObject
  readonly inputResponses?: InputResponses['responses']
  /** Sealed, as it was given. */
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

/** Reads the params of `tools/call`; what is not of their form gives -32602. */
export function decodeToolCall(params: JsonObject): ToolCall | McpError {
  const read = check(PARAMS, params)
  if (!read.ok) return invalid(cannotRead('the params', read.problems))
  const { arguments: input, _meta, ...rest } = read.value
  const { progressToken, traceparent, [SELECTOR_KEY]: selector, [CALL_ID_KEY]: callId } = _meta
  const {
    [LOG_LEVEL_KEY]: level,
    [CAPABILITIES_KEY]: capabilities,
    [CONTEXT_KEY]: values,
    [SELECT_KEY]: select,
  } = _meta
  return {
    ...rest,
    input,
    ...(selector === undefined ? {} : { selector }),
    ...(callId === undefined ? {} : { callId }),
    ...(values === undefined ? {} : { values }),
    ...(select === undefined ? {} : { select }),
    ...(typeof traceparent === 'string' ? { traceparent } : {}),
    ...(progressToken === undefined ? {} : { progressToken }),
    logs: level !== undefined && WITH_INFO.includes(level),
    capabilities: isJsonObject(capabilities) ? capabilities : NOTHING,
  }
}

/** Params that are not of their form. */
export function invalid(message: string): McpError {
  return { code: INVALID_PARAMS, message, status: 200 }
}

import type { InputResponses } from '../../core/tool/content.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { INVALID_PARAMS, type McpError } from './json-rpc.ts'

/** Members of `_meta`: the protocol's own, and ours. */
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'
const CALL_ID_KEY = 'dev.switchboard/call_id'
const SELECTOR_KEY = 'dev.switchboard/version'
const MAX_TEXT = 256
/** Levels of logs that take in `info`, at which tools log (RFC 5424's severities, as MCP has them). */
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
  /** Whether the caller wants what the tool logs. */
  readonly logs: boolean
  /** What the client says with the call that it can be asked for. */
  readonly capabilities: JsonObject
  readonly responses?: InputResponses['responses']
  /** Sealed, as it was given. */
  readonly requestState?: string
}

const NOTHING: JsonObject = {}

/** Reads the params of `tools/call`; what is not of their form gives -32602. */
export function decodeToolCall(params: JsonObject): ToolCall | McpError {
  const { name, arguments: input = NOTHING, _meta = NOTHING, inputResponses, requestState } = params
  if (typeof name !== 'string') return invalid("'name' must be a string")
  if (!isJsonObject(input)) return invalid("'arguments' must be an object")
  if (!isJsonObject(_meta)) return invalid("'_meta' must be an object")
  const { progressToken, traceparent } = _meta
  if (progressToken !== undefined && typeof progressToken !== 'string' && typeof progressToken !== 'number') {
    return invalid("'_meta.progressToken' must be a string or a number")
  }
  const selector = _meta[SELECTOR_KEY]
  if (selector !== undefined && !isText(selector, 128)) return invalid(`'_meta.${SELECTOR_KEY}' must be a version`)
  const callId = _meta[CALL_ID_KEY]
  if (callId !== undefined && !isText(callId)) {
    return invalid(`'_meta.${CALL_ID_KEY}' must be a string of 1 to ${MAX_TEXT} characters`)
  }
  const level = _meta[LOG_LEVEL_KEY]
  if (level !== undefined && !LEVELS.some((each) => each === level)) {
    return invalid(`'_meta.${LOG_LEVEL_KEY}' must be one of ${LEVELS.join(', ')}`)
  }
  if (inputResponses !== undefined && !isResponses(inputResponses)) {
    return invalid("'inputResponses' must be an object that holds an object for each answer")
  }
  if (requestState !== undefined && typeof requestState !== 'string') return invalid("'requestState' must be a string")
  const capabilities = _meta[CAPABILITIES_KEY]
  return {
    name,
    input,
    ...(selector === undefined ? {} : { selector }),
    ...(callId === undefined ? {} : { callId }),
    ...(typeof traceparent === 'string' ? { traceparent } : {}),
    ...(progressToken === undefined ? {} : { progressToken }),
    logs: typeof level === 'string' && WITH_INFO.includes(level),
    capabilities: isJsonObject(capabilities) ? capabilities : NOTHING,
    ...(inputResponses === undefined ? {} : { responses: inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
  }
}

/** Params that are not of their form. */
export function invalid(message: string): McpError {
  return { code: INVALID_PARAMS, message, status: 200 }
}

function isText(value: Json, most = MAX_TEXT): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= most
}

function isResponses(value: Json): value is Readonly<Record<string, JsonObject>> {
  return isJsonObject(value) && Object.values(value).every((answer) => isJsonObject(answer))
}

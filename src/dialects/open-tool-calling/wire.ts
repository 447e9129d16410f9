import type { Call, Outcome } from '../../core/call/call.ts'
import { type Failing, fail } from '../../core/call/failure.ts'
import { isJsonObject, isObject, type JsonObject } from '../../core/tool/json.ts'
import { ANY_PROVIDER } from '../../core/call/requirements.ts'
import { askedByName, formatToolId, parseToolId } from '../../core/tool/tool-id.ts'
import { answerTo } from './failure.ts'

const REQUEST_FIELDS = ['$schema', 'run_id', 'execution_id', 'created_at', 'tool', 'inputs', 'context']
const TOOL_FIELDS = ['name', 'toolkit', 'version']
const NO_VALUES: ReadonlyMap<string, string> = new Map()
/** The most characters of a token or a secret: no header takes more. */
const MAX_VALUE = 65_536

/** A call, and the tool's name alone when the request names no toolkit, so that several tools may be meant. */
export interface Invocation {
  readonly call: Call
  readonly bare?: { readonly name: string; readonly version?: string }
}

/**
 * Reads a tool request (Open Tool Calling RFC, section 4.2). `run_id`, `execution_id`, `created_at`, the toolkit and its
 * version may be absent or null, and secrets a list of `{key, value}`, as its engine sends them. Fields that the RFC's
 * schema closes are closed here; its `context` is open, there and here. Fails with `request-malformed`.
 */
export function decodeInvocation(body: unknown): Invocation | Failing {
  if (!isObject(body)) return malformed('The body must be an object', 'Wanted {"tool": {"name": …}, "inputs": {…}}')
  const stranger = unknownField(body, REQUEST_FIELDS)
  if (stranger) return stranger
  for (const field of ['$schema', 'created_at']) {
    if (body[field] !== undefined && body[field] !== null && typeof body[field] !== 'string') {
      return malformed(`'${field}' must be a string`)
    }
  }
  const { run_id: traceId, execution_id: callId } = body
  if (!isAbsent(traceId) && !isIdentifier(traceId)) return malformed("'run_id' must be a string of 1 to 256 characters")
  if (!isAbsent(callId) && !isIdentifier(callId)) {
    return malformed("'execution_id' must be a string of 1 to 256 characters")
  }
  const inputs = body.inputs ?? {}
  if (!isJsonObject(inputs)) return malformed("'inputs' must be an object")
  const tool = decodeTool(body.tool)
  if ('ok' in tool) return tool
  const context = decodeContext(body.context ?? {})
  if ('ok' in context) return context
  return {
    ...tool,
    call: {
      asked: tool.asked,
      ...(isAbsent(callId) ? {} : { callId }),
      ...(isAbsent(traceId) ? {} : { traceId }),
      input: inputs,
      context,
    },
  }
}

/** The call again, of the one tool that `id` names, in the version that was asked for. */
export function withTool({ call, bare }: Invocation, id: string): Call {
  const name = parseToolId(id)
  return { ...call, asked: name ? formatToolId(name, bare?.version) : id }
}

/**
 * A tool response (section 4.3), but for failures that are HTTP errors, which give undefined. A null value leaves
 * `output` out: the RFC's schema allows no null there.
 */
export function encodeOutcome({ callId, durationMs, result }: Outcome, finishedAt: Date): JsonObject | undefined {
  const frame = { execution_id: callId, finished_at: finishedAt.toISOString(), duration: durationMs }
  if (!result.ok) {
    const answer = answerTo(result.failure)
    return 'output' in answer ? { ...frame, success: false, output: answer.output } : undefined
  }
  const { value, artifact } = result
  if (artifact) return { ...frame, success: true, output: { artifact: { ...artifact, meta: { ...artifact.meta } } } }
  if (value === null || value === undefined) return { ...frame, success: true }
  // A value came out of a validator for JSON, or out of a tool's hands through one
  const output: object = { value }
  return { ...frame, success: true, output: { ...output } }
}

function decodeTool(tool: unknown): (Pick<Invocation, 'bare'> & { readonly asked: string }) | Failing {
  if (!isObject(tool)) return malformed(tool === undefined ? "'tool' is required" : "'tool' must be an object")
  const stranger = unknownField(tool, TOOL_FIELDS, 'tool.')
  if (stranger) return stranger
  const { name, toolkit, version } = tool
  if (typeof name !== 'string' || name === '') return malformed("'tool.name' must be a non-empty string")
  if (!isAbsent(toolkit) && typeof toolkit !== 'string') return malformed("'tool.toolkit' must be a string")
  if (!isAbsent(version) && typeof version !== 'string') return malformed("'tool.version' must be a string")
  const selector = version || undefined
  if (toolkit) return { asked: formatToolId({ toolkit, tool: name }, selector) }
  if (name.includes('.')) return { asked: selector === undefined || name.includes('@') ? name : `${name}@${selector}` }
  return {
    asked: askedByName(name, selector),
    bare: { name, ...(selector === undefined ? {} : { version: selector }) },
  }
}

function decodeContext(context: unknown): Call['context'] | Failing {
  if (!isObject(context)) return malformed("'context' must be an object")
  const { authorization, secrets, user_id } = context
  const tokens = decodeToken(authorization)
  if ('ok' in tokens) return tokens
  const values = decodeSecrets(secrets)
  if ('ok' in values) return values
  if (isAbsent(user_id) || user_id === '') return { tokens, secrets: values }
  if (!isIdentifier(user_id)) return malformed("'context.user_id' must be a string of 1 to 256 characters")
  return { tokens, secrets: values, userId: user_id }
}

/** One token, for whichever provider the tool asks: the RFC does not say whose it is. */
function decodeToken(authorization: unknown): ReadonlyMap<string, string> | Failing {
  if (isAbsent(authorization)) return NO_VALUES
  if (!isObject(authorization)) return malformed("'context.authorization' must be an object")
  const { token } = authorization
  if (isAbsent(token) || token === '') return NO_VALUES
  if (typeof token !== 'string') return malformed("'context.authorization.token' must be a string")
  if (token.length > MAX_VALUE) return tooLong('context.authorization.token')
  return new Map([[ANY_PROVIDER, token]])
}

/** A map, as the RFC has it, or `[{key, value}]`, as its engine sends it. */
function decodeSecrets(secrets: unknown): ReadonlyMap<string, string> | Failing {
  if (isAbsent(secrets)) return NO_VALUES
  const values = new Map<string, string>()
  if (Array.isArray(secrets)) {
    for (const [index, entry] of secrets.entries()) {
      const place = `context.secrets[${index}]`
      if (!isObject(entry) || typeof entry.key !== 'string' || typeof entry.value !== 'string') {
        return malformed(`'${place}' must be an object with the strings 'key' and 'value'`)
      }
      if (entry.value.length > MAX_VALUE) return tooLong(`${place}.value`)
      values.set(entry.key, entry.value)
    }
    return values
  }
  if (!isObject(secrets)) return malformed("'context.secrets' must be an object, or an array of {key, value}")
  for (const [key, value] of Object.entries(secrets)) {
    const place = `context.secrets.${key.slice(0, 100)}`
    if (typeof value !== 'string') return malformed(`'${place}' must be a string`)
    if (value.length > MAX_VALUE) return tooLong(place)
    values.set(key, value)
  }
  return values
}

function unknownField(object: object, known: readonly string[], prefix = ''): Failing | undefined {
  const unknown = Object.keys(object).find((key) => !known.includes(key))
  if (unknown === undefined) return undefined
  return malformed(`Unknown field '${prefix}${unknown.slice(0, 100)}'`, `Wanted ${known.join(', ')}`)
}

function tooLong(place: string): Failing {
  return malformed(`'${place}' must be at most ${MAX_VALUE} characters long`)
}

function malformed(message: string, detail?: string): Failing {
  return fail({ type: 'request-malformed', message, ...(detail === undefined ? {} : { detail }) })
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 256
}

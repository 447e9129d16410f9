import type { Call, Outcome } from '../../core/call/call.ts'
import { credentialValue, identifier, malformed } from '../../core/call/call-fields.ts'
import type { Failing } from '../../core/call/failure.ts'
import { ANY_PROVIDER, type CallerContext, NO_CONTEXT } from '../../core/call/requirements.ts'
import { isList, type JsonObject } from '../../core/tool/json.ts'
import { anyObject, check, into, list, map, nullish, object, type Reader, string } from '../../core/tool/json-reader.ts'
import { askedByName, formatToolId, parseToolId } from '../../core/tool/tool-id.ts'
import { answerTo } from './failure.ts'

/** A call, and the tool's name alone when the request names no toolkit, so that several tools may be meant. */
export interface Invocation {
  readonly call: Call
  readonly bare?: { readonly name: string; readonly version?: string }
}

/** One token, for whichever provider the tool asks: the RFC does not say whose it is. */
const TOKENS: Reader<ReadonlyMap<string, string>> = into(
  object({ token: nullish(credentialValue) }, { unknown: 'ignore' }),
  ({ token }) => (token ? new Map([[ANY_PROVIDER, token]]) : NO_CONTEXT.tokens),
)
const SECRET_LIST = into(
  list(object({ key: string(), value: credentialValue }, { unknown: 'ignore' })),
  (secrets) => new Map(secrets.map(({ key, value }) => [key, value])),
)
const SECRET_MAP = into(map(credentialValue), (secrets) => new Map(Object.entries(secrets)))
const CONTEXT: Reader<CallerContext> = into(
  object(
    {
      authorization: nullish(TOKENS, NO_CONTEXT.tokens),
      // A map, as the RFC has it, or a list, as its engine sends it
      secrets: nullish<ReadonlyMap<string, string>>(
        (value, report) => (isList(value) ? SECRET_LIST : SECRET_MAP)(value, report),
        NO_CONTEXT.secrets,
      ),
      user_id: nullish(string({ most: 256 })),
    },
    { unknown: 'ignore' },
  ),
  ({ authorization: tokens, secrets, user_id: userId }) => (userId ? { tokens, secrets, userId } : { tokens, secrets }),
)
const REQUEST = object({
  $schema: nullish(string()),
  run_id: nullish(identifier),
  execution_id: nullish(identifier),
  created_at: nullish(string()),
  tool: object({ name: string({ least: 1 }), toolkit: nullish(string()), version: nullish(string()) }),
  inputs: nullish(anyObject, {}),
  context: nullish(CONTEXT, NO_CONTEXT),
})

/**
 * Reads a tool request (Open Tool Calling RFC, section 4.2). `run_id`, `execution_id`, `created_at`, the toolkit and its
 * version may be absent or null, and secrets a list of `{key, value}`, as its engine sends them. Fields that the RFC's
 * schema closes are closed here; its `context` is open, there and here. Fails with `request-malformed`.
 */
export function decodeInvocation(body: unknown): Invocation | Failing {
  const read = check(REQUEST, body)
  if (!read.ok) return malformed(read.problems)
  const { run_id: traceId, execution_id: callId, tool, inputs, context } = read.value
  const { asked, ...bare } = askedFor(tool)
  return {
    ...bare,
    call: {
      asked,
      ...(callId === undefined ? {} : { callId }),
      ...(traceId === undefined ? {} : { traceId }),
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

function askedFor(tool: {
  readonly name: string
  readonly toolkit?: string
  readonly version?: string
}): Pick<Invocation, 'bare'> & { readonly asked: string } {
  const { name, toolkit } = tool
  const selector = tool.version || undefined
  if (toolkit) return { asked: formatToolId({ toolkit, tool: name }, selector) }
  if (name.includes('.')) return { asked: selector === undefined || name.includes('@') ? name : `${name}@${selector}` }
  return {
    asked: askedByName(name, selector),
    bare: { name, ...(selector === undefined ? {} : { version: selector }) },
  }
}

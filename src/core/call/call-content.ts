/* The input and answer of a call, which a deployment may record for the caller. Few do, so this is loaded when needed. */
import { describeFailure, formatSentence } from '../failure/failure-text.ts'
import type { Failure } from '../failure/failure.ts'
import { isJsonArray, isJsonObject, isNumber, isObject, type Json, type JsonObject, jsonSize } from '../tool/json.ts'
import { formatProblems } from '../tool/problem.ts'
import type { CallFacts } from './call-record.ts'
import type { Caller, CallOutcome, CallRequest } from './call-request.ts'
import { toSingleValue } from './output.ts'
import { SENSITIVE_NAME } from './redact-arguments.ts'
import { createRedactor, REDACTED } from './redact.ts'

/** `output`, or the error as a text. Parts that are too large are only named. */
export interface CallContent {
  readonly input?: JsonObject
  readonly output?: Json
  readonly error?: string
  readonly too_large?: readonly string[]
}

export interface EndedCall extends Pick<CallOutcome, 'result'> {
  readonly request: CallRequest
  readonly caller: Caller
  readonly facts: CallFacts
}

/** In bytes of JSON. */
const MAX_PART_BYTES = 16_384
/** Links to artifacts, consents and approvals, which work for anyone who has them. */
const LINK = /\/(artifacts|authorizations)\/[^\s"'<>\\]+/g

/**
 * Formats a `CallContent` as JSON, without working links, the call's credentials, and fields that are secret by their name or
 * schema. The values of such fields are redacted everywhere, since tools repeat them. Returns undefined if the call was not
 * authorized, or if its caller is anonymous, since then nobody could read the content.
 */
export function formatContent({ request, caller, facts, result }: EndedCall, base64: (text: string) => string) {
  const { authorizedTool: tool, redactor, credentials = () => [] } = facts
  if (!tool || caller.principal.kind === 'anonymous') return undefined
  const { tokens, secrets } = request.context
  const allSecrets = [...credentials(), ...tokens.values(), ...secrets.values()]
  const isLarge = (part: unknown) => jsonSize(part, MAX_PART_BYTES) > MAX_PART_BYTES
  const hide = (part: unknown, schema: Json) => hideSecretFields(part, schema, allSecrets)
  const output = result.ok ? toSingleValue(result) : undefined
  const answer = result.ok
    ? { output: isLarge(output) ? output : hide(output, tool.output) }
    : { error: explainFailure(result.failure) }
  // The answer may repeat secrets of the input even if the input is too large to record
  const { small = [], large } = Object.groupBy(
    Object.entries({ input: hide(request.input, tool.input), ...answer }),
    ([, part]) => (isLarge(part) ? 'large' : 'small'),
  )
  const content = { ...Object.fromEntries(small), too_large: large?.map(([name]) => name) }
  const redactors = [redactor, createRedactor(allSecrets, base64)]
  const redactedContent = redactors.reduce((parts, each) => each?.fields(parts) ?? parts, content)
  return JSON.stringify(redactedContent).replaceAll(LINK, '/$1/[redacted]')
}

/** Describes a failure without the links of its challenges. */
function explainFailure(failure: Failure): string {
  if (failure.type === 'tool-failed')
    return formatSentence({ message: failure.message, detail: failure.developer_message })
  if ('problems' in failure) return formatProblems(failure.problems)
  if (failure.type === 'input-required' || failure.type === 'id-malformed') return 'The tool asks for more input'
  return formatSentence(describeFailure(failure))
}

function hideSecretFields(value: unknown, schema: Json, secrets: string[]): unknown {
  const marked = new Set<string>()
  const isMarked = addMarkedNames(schema, marked)

  function hide(part: unknown): typeof REDACTED {
    JSON.stringify(part, (_, leaf: unknown) => {
      // Redact a number elsewhere only if a schema marks secrets: `max_tokens` is not one
      if (typeof leaf === 'string' || (isNumber(leaf) && marked.size > 0)) secrets.push(String(leaf))
      return leaf
    })
    return REDACTED
  }

  function hideWithin(part: unknown): unknown {
    if (Array.isArray(part)) return part.map(hideWithin)
    if (!isObject(part)) return part
    const isSecret = (name: string) => marked.has(name) || SENSITIVE_NAME.test(name)
    const fields = Object.entries(part)
    return Object.fromEntries(fields.map(([name, field]) => [name, isSecret(name) ? hide(field) : hideWithin(field)]))
  }

  return isMarked && value !== undefined ? hide(value) : hideWithin(value)
}

/** Adds the names of properties that are marked at any depth. Returns whether a mark is on no property, so all is secret. */
function addMarkedNames(schema: Json | undefined, names: Set<string>): boolean {
  if (isJsonArray(schema)) return schema.filter((part) => addMarkedNames(part, names)).length > 0
  if (!isJsonObject(schema)) return false
  const { properties, ...others } = schema
  for (const [name, property] of Object.entries(isJsonObject(properties) ? properties : {}))
    if (addMarkedNames(property, names)) names.add(name)
  const isMarked = schema['writeOnly'] === true || schema['format'] === 'password'
  return Object.values(others).filter((part) => addMarkedNames(part, names)).length > 0 || isMarked
}

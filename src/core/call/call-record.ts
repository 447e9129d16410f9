import type { Principal } from '../access/principal.ts'
import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { type ToolRef, toRefKey } from '../tool/tool-ref.ts'
import type { FailureResult, FailureType } from '../failure/failure.ts'
import type { CompletedCall } from './idempotency.ts'
import type { Redactor } from './redact.ts'
import type { LimitStatus } from './call-limiter.ts'

/** Never holds an output or a secret, and arguments only where the key asks for that. */
export interface CallRecord {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly call_id: string
  readonly trace_id?: string | undefined
  readonly traceparent?: string | undefined
  readonly principal: string
  readonly principal_name?: string | undefined
  readonly user_id?: string | undefined
  readonly tool: string
  readonly digest?: string | undefined
  readonly dialect: string
  readonly upstream_status?: number | undefined
  readonly outcome: 'success' | FailureType
  readonly duration_ms: number
  readonly arguments?: JsonObject | undefined
}

export interface CallFacts {
  /** May be named in records: the caller may know of it. */
  knownTool?: ToolRecord
  /** The call of it was authorized. */
  authorizedTool?: ToolRecord
  userId?: string | undefined
  upstreamStatus?: number
  redactor?: Redactor | undefined
  finished?: CompletedCall
  limitStatuses?: readonly LimitStatus[]
  /** Gives back the memory of the runner's answer. */
  release?: () => void
  releaseFiles?: () => void
}

/** Anybody can ask for any text, so it is cut where there is no such tool. */
const MAX_LOGGED_REF = 200

export function toLoggedToolId(
  toolRef: ToolRef,
  knownTool: ToolRecord | undefined,
  result?: { readonly ok: true } | FailureResult,
) {
  const failure = result?.ok === false ? result.failure : undefined
  if (failure?.type === 'tool-disabled') return failure.id
  return (
    knownTool?.id ??
    (failure?.type === 'version-unavailable' ? failure.tool : toRefKey(toolRef).slice(0, MAX_LOGGED_REF))
  )
}

export function createCallRecord(
  callId: string,
  {
    toolRef,
    traceId,
    input,
  }: { readonly toolRef: ToolRef; readonly traceId?: string | undefined; readonly input: JsonObject },
  { principal, traceparent, dialect }: Pick<CallRecord, 'traceparent' | 'dialect'> & { readonly principal: Principal },
  { knownTool, authorizedTool, userId, upstreamStatus, redactor }: CallFacts,
  result: { readonly ok: true } | FailureResult,
  { at, durationMs }: { readonly at: number; readonly durationMs: number },
): CallRecord {
  const record: CallRecord = {
    at,
    call_id: callId,
    trace_id: traceId,
    traceparent,
    principal: principal.id,
    principal_name: principal.name,
    user_id: userId,
    tool: toLoggedToolId(toolRef, knownTool, result),
    digest: knownTool?.digest,
    dialect,
    upstream_status: upstreamStatus,
    outcome: result.ok ? 'success' : result.failure.type,
    duration_ms: durationMs,
  }
  if (!principal.recordsArguments || !authorizedTool) return record
  return { ...record, arguments: redactArguments(input, authorizedTool.input, redactor) }
}

const REDACTED = '[redacted]'
const SENSITIVE =
  /pass(?:word|phrase|code)|secret|token|credential|authorization|api[_-]?key|private[_-]?key|cookie|^(?:pin|otp|cvv|cvc|ssn|iban)$/i
/** Characters of a text that are kept, and that are searched for secrets before it is cut. */
const MAX_TEXT = 200
const MAX_SEARCHED = 8_192
const MAX_ALL = 4_000
const MAX_DEPTH = 20

/**
 * The shapes of arguments, and values only of numbers, booleans, enums and what its schema marks with `x-record`, since
 * any other text may hold a secret. Values are redacted and cut, visibly, to some 4,000 characters.
 */
export function redactArguments(input: JsonObject, schema: JsonObject, redactor: Redactor | undefined): JsonObject {
  let remainingCharacters = MAX_ALL

  function text(plainText: string): string {
    const safe = redactor ? redactor.text(plainText.slice(0, MAX_SEARCHED)) : plainText
    const cutText = safe.slice(0, MAX_TEXT)
    remainingCharacters -= cutText.length
    return safe.length === cutText.length && plainText.length <= MAX_SEARCHED
      ? cutText
      : `${cutText}… (${plainText.length} characters)`
  }

  function value(jsonValue: Json, of: JsonObject, isMarked: boolean, depth: number): Json {
    remainingCharacters -= 4
    if (remainingCharacters < 0 || depth > MAX_DEPTH) return '…'
    if (typeof jsonValue === 'string')
      return isMarked || isEnumMember(jsonValue, of) ? text(jsonValue) : `<${jsonValue.length} characters>`
    if (isJsonArray(jsonValue))
      return some(jsonValue, (item) => value(item, toObjectSchema(of['items']), isMarked, depth + 1))
    if (isJsonObject(jsonValue)) return object(jsonValue, of, isMarked, depth)
    return redactor ? redactor.value(jsonValue) : jsonValue
  }

  function object(fields: JsonObject, of: JsonObject, isMarked: boolean, depth: number): JsonObject {
    const properties = toObjectSchema(of['properties'])
    // Where no properties are declared, a name is a value too, and may be a secret
    const isMap = !isMarked && Object.keys(properties).length === 0
    const entries = some(isMap ? [] : Object.entries(fields), ([name, item]): [string, Json] => {
      const property = Object.hasOwn(properties, name) ? toObjectSchema(properties[name]) : {}
      const isHidden = SENSITIVE.test(name) || property['writeOnly'] === true || property['format'] === 'password'
      const isRecorded = isMarked || property['x-record'] === true
      return [text(name), isHidden ? REDACTED : value(item ?? null, property, isRecorded, depth + 1)]
    })
    const omittedCount = Object.keys(fields).length - entries.length
    return Object.fromEntries(omittedCount === 0 ? entries : [...entries, ['…', `${omittedCount} more`]])
  }

  function some<Item, Kept>(items: readonly Item[], keep: (item: Item) => Kept) {
    const entries: Kept[] = []
    for (const item of items) {
      if (remainingCharacters < 0) break
      entries.push(keep(item))
    }
    return entries
  }

  return object(input, schema, false, 0)
}

function toObjectSchema(schema: Json | undefined): JsonObject {
  return isJsonObject(schema) ? schema : {}
}

function isEnumMember(input: string, { enum: values, const: only }: JsonObject): boolean {
  return input === only || (isJsonArray(values) && values.includes(input))
}

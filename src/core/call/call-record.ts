import type { Principal } from '../access/principal.ts'
import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'
import { type ToolRef, toRefKey } from '../tool/tool-ref.ts'
import type { FailureResult, FailureType } from '../failure/failure.ts'
import type { CompletedCall } from './idempotency.ts'
import type { Redactor } from './redact.ts'
import type { LimitStatus } from './call-limiter.ts'

/** One line of the call log. A record has no output and no secret. It has arguments only if the caller's key records them. */
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

/** What the stages of a call find out for its record and its answer. */
export interface CallFacts {
  /** The tool, if its name may stand in the record: callers read their own records. */
  knownTool?: ToolRecord
  /** The tool, once the call is authorized. */
  authorizedTool?: ToolRecord
  userId?: string | undefined
  upstreamStatus?: number
  redactor?: Redactor | undefined
  finished?: CompletedCall
  limitStatuses?: readonly LimitStatus[]
  /** Releases the memory of the runner's answer. */
  release?: () => void
  /** Releases the memory of the input's files. */
  releaseFiles?: () => void
}

/** A name that leads to no tool can be any text, so its record has only this many characters of it. */
const MAX_LOGGED_REF = 200

/** The id of the called tool, or what the caller named if there is no tool that the caller may know. */
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
/** A longer text is cut to this many characters. */
const MAX_TEXT = 200
/** Secrets are redacted in this many characters of a text, before the text is cut. */
const MAX_SEARCHED = 8_192
/** All recorded arguments of a call have about this many characters. */
const MAX_ALL = 4_000
const MAX_DEPTH = 20

/**
 * Redacts arguments for a call record. A record has the names and the shape of the arguments, numbers, booleans, values of
 * enums, and texts whose schema says `x-record`; any other text may hold a secret, so only its length is recorded. What is
 * cut or left out ends with `…`.
 */
export function redactArguments(input: JsonObject, schema: JsonObject, redactor: Redactor | undefined): JsonObject {
  let remainingCharacters = MAX_ALL

  function redactText(text: string): string {
    const redactedText = redactor ? redactor.text(text.slice(0, MAX_SEARCHED)) : text
    const cutText = redactedText.slice(0, MAX_TEXT)
    remainingCharacters -= cutText.length
    return redactedText.length === cutText.length && text.length <= MAX_SEARCHED
      ? cutText
      : `${cutText}… (${text.length} characters)`
  }

  /** `isMarked`: the value, or a value around it, says `x-record`. */
  function redactValue(value: Json, schema: JsonObject, isMarked: boolean, depth: number): Json {
    remainingCharacters -= 4
    if (remainingCharacters < 0 || depth > MAX_DEPTH) return '…'
    if (typeof value === 'string')
      return isMarked || isEnumMember(value, schema) ? redactText(value) : `<${value.length} characters>`
    if (isJsonArray(value)) {
      const itemSchema = toObjectSchema(schema['items'])
      return mapWhileRoom(value, (item) => redactValue(item, itemSchema, isMarked, depth + 1))
    }
    if (isJsonObject(value)) return redactObject(value, schema, isMarked, depth)
    return redactor ? redactor.value(value) : value
  }

  function redactObject(fields: JsonObject, schema: JsonObject, isMarked: boolean, depth: number): JsonObject {
    const properties = toObjectSchema(schema['properties'])
    // The names in an object without declared properties are data too, and may hold a secret
    const isMap = !isMarked && Object.keys(properties).length === 0
    const entries = mapWhileRoom(isMap ? [] : Object.entries(fields), ([name, field]): [string, Json] => {
      const property = Object.hasOwn(properties, name) ? toObjectSchema(properties[name]) : {}
      const isSecret = SENSITIVE.test(name) || property['writeOnly'] === true || property['format'] === 'password'
      const isRecorded = isMarked || property['x-record'] === true
      return [redactText(name), isSecret ? REDACTED : redactValue(field ?? null, property, isRecorded, depth + 1)]
    })
    const omittedCount = Object.keys(fields).length - entries.length
    return Object.fromEntries(omittedCount === 0 ? entries : [...entries, ['…', `${omittedCount} more`]])
  }

  function mapWhileRoom<Item, Mapped>(items: readonly Item[], map: (item: Item) => Mapped): Mapped[] {
    const mapped: Mapped[] = []
    for (const item of items) {
      if (remainingCharacters < 0) break
      mapped.push(map(item))
    }
    return mapped
  }

  return redactObject(input, schema, false, 0)
}

function toObjectSchema(schema: Json | undefined): JsonObject {
  return isJsonObject(schema) ? schema : {}
}

function isEnumMember(input: string, { enum: values, const: only }: JsonObject): boolean {
  return input === only || (isJsonArray(values) && values.includes(input))
}
